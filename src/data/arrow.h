/*
 * arrow: columns that come by an Arrow C stream, and what its parts share.
 */
#ifndef SOTTO_ARROW_H
#define SOTTO_ARROW_H

#include "arrow_abi.h"
#include "memory.h"

/* How texts lie in memory, of a column or of its dictionary. Public. */
typedef enum arrow_form {
    ARROW_NARROW, /* bytes, and offsets of 32 bits */
    ARROW_WIDE,   /* bytes, and offsets of 64 bits */
    ARROW_VIEWS   /* a view for each text: it is gathered into bytes */
} arrow_form;

/* Texts that were gathered, for as long as a batch stays. */
typedef struct arrow_gathered {
    char *bytes;
    int64_t *offsets;
    size_t size, count; /* of both, for wiping */
} arrow_gathered;

/* A stream that was taken over. */
typedef struct arrow_reader {
    struct ArrowArrayStream stream;
    struct ArrowArray batch; /* the last; release is NULL: there is none */
    const sotto_columns *columns;
    arrow_form *form;         /* of each column */
    arrow_gathered *gathered; /* of each column, for ARROW_VIEWS */
    uint8_t *absent;          /* NULL, or for each row of the batch: not 0, it
                                 is null as a whole */
} arrow_reader;

/* ---- arrow_schema.c ---- */

/* Adds a column for each child of the schema: its name and its kind, which are
   public, and its form. Types that cannot be read are VIEW_OTHER. */
sotto_status arrow_columns(arrow_reader *r, sotto_columns *c,
                           const struct ArrowSchema *top, sotto_error *error);

/* ---- arrow_array.c ---- */

/* What the batch is for the columns: of each child the part that the offset
   and the length of the batch leave. Only views of texts are copied. */
sotto_status arrow_views(arrow_reader *r, column_view *view,
                         sotto_error *error);

/* Wipes and frees what was made for the batch. */
void arrow_forget(arrow_reader *r);

/* ---- arrow_text.c ---- */

/* The texts from `first` on, `count` of them, of an array of texts of this
   form; `first` is counted from the first buffer's beginning. */
sotto_status arrow_texts(view_texts *out, arrow_gathered *g, arrow_form form,
                         const struct ArrowArray *a, int64_t first,
                         int64_t count, const char *name, sotto_error *error);

/* "the stream: column "a": expected ..." */
sotto_status arrow_refuse(const char *name, const char *expected,
                          sotto_error *error);

#endif
