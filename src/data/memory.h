/*
 * memory: columns that lie in the memory of the caller, or come batch by batch
 * from a stream.
 *
 * Public are the names and kinds of the columns and how many there are
 * (memory_columns without its views): they are known before the first batch.
 * Everything that a view points to is a record, and the number of rows is as
 * private as that of a file (docs/privacy/data.md, Lemma D5).
 *
 * A producer of batches (arrow.c) makes a list by columns_new, adds a kind for
 * each column by columns_add and sets `stream`. memory_read.c does the rest:
 * plan, call of the hook, checks of the structure, maps, table.
 */
#ifndef SOTTO_MEMORY_H
#define SOTTO_MEMORY_H

#include "reader.h"

/* How the values of a column lie in memory. Public. */
typedef enum view_kind {
    VIEW_NUMBERS, /* elements, a stride apart */
    VIEW_BITS,    /* booleans, the lowest bit of a byte first */
    VIEW_TEXTS,   /* bytes and offsets */
    VIEW_CODES,   /* elements that say which text of a list it is */
    VIEW_OTHER    /* cannot be read; refused unless the column is dropped */
} view_kind;

typedef struct column_kind {
    view_kind kind;
    sotto_element type; /* of numbers and codes; codes are integers */
    char *other;        /* what it is, for the message; owned by the list */
} column_kind;

/* Texts one after the other: text i is bytes[offset i] up to offset i + 1. */
typedef struct view_texts {
    const char *bytes;   /* may be NULL where all are empty */
    const void *offsets; /* count + 1 of them; aligned or not */
    int is_wide;         /* they have 64 bits, otherwise 32 */
    int64_t count;
    const uint8_t *valid; /* of a dictionary: NULL, or a bit for each text; 0:
                             it is a missing value */
    int64_t valid_from;   /* the bit of text 0 */
} view_texts;

/* One column of a batch. What is not used is 0. */
typedef struct column_view {
    const uint8_t *missing; /* NULL, or a byte for each row; not 0: no value */
    const uint8_t *valid;   /* NULL, or a bit for each row; 0: no value */
    int64_t valid_from;     /* the bit of row 0 */
    const char *values;     /* numbers, codes: that of row 0; bits: the byte
                               that bit 0 is in */
    int64_t stride;         /* numbers, codes: bytes from row to row */
    int64_t bits_from;      /* bits: the bit of row 0 */
    view_texts texts;       /* texts: of the rows; codes: the list. It is a
                               record too, and is used text by text only */
} column_view;

/*
 * Hands out the next batch: fills view[0 .. count-1] and *rows, which is -1
 * past the last one. What views point to must stay until the next call, or
 * until `close`. It is called by one thread, after the hook, and not before.
 */
typedef struct column_stream {
    sotto_status (*next)(void *context, int64_t *rows, column_view *view,
                         sotto_error *error);
    void (*close)(void *context); /* once, when the list is freed */
    void *context;
} column_stream;

struct sotto_columns {
    char **name;
    column_kind *kind;
    int64_t count, room;
    int counted; /* all are of one array without names: 1, 2, ..., as .npy */
    int has_sparse;
    sotto_sparse sparse;
    int64_t rows;         /* of the only batch; unused with a stream */
    column_view *view;    /* of it, or room for those of the stream's next */
    column_stream stream; /* next is NULL: there is none */
    int used;             /* of a stream: it has made its table */
};

/* ---- columns.c ---- */

/* An empty list. */
sotto_columns *columns_new(void);

/* Adds a column, with a zeroed view; the name is checked and copied. */
sotto_status columns_add(sotto_columns *c, const char *name, view_kind kind,
                         sotto_element type, sotto_error *error);

/* Bytes of an element; 0: there is no such type. */
size_t element_size(sotto_element type);

/* ---- memory_view.c ---- */

/* Whether row i has no value, by its masks. */
static inline int view_is_missing(const column_view *v, int64_t i)
{
    if (v->missing && v->missing[i])
        return 1;
    if (!v->valid)
        return 0;
    int64_t bit = v->valid_from + i;
    return !(v->valid[bit >> 3] >> (bit & 7) & 1);
}

/* Offsets that decrease, are negative or leave out their bytes: one line with
   the column's name. After the hook: lengths of texts are records. */
sotto_status view_check(const column_view *v, const column_kind *k,
                        const char *name, int64_t rows, sotto_error *error);

/* What row i has in this column goes through the maps of row_value.h; 0 and
 *expected: the row is bad. */
int view_value(worker *w, const column *c, const column_kind *k,
               const column_view *v, int64_t i, const char **expected);

/* `count` rows of numbers at once, from row i on, of a column that is plain:
   written to the gathered rows. 0: some value wants view_value. */
int view_numbers(worker *w, const column *c, const column_kind *k,
                 const column_view *v, int64_t i, int count);

/* An element as a double. */
double element_number(const char *at, sotto_element type);

/* ---- memory_plan.c ---- */

/* The plan, from what is public; memory_plan refuses kinds that cannot be
   read. */
sotto_status memory_plan_any(column_plan *p, const sotto_columns *c,
                             const sotto_options *options, sotto_error *error);
sotto_status memory_plan(column_plan *p, const sotto_columns *c,
                         const sotto_options *options, sotto_error *error);

/* view_check of all columns that are used, of a batch of so many rows. */
sotto_status memory_check_views(const column_plan *p, const sotto_columns *c,
                                int64_t rows, sotto_error *error);

/* The first fault in the order of the rows, as one line; SOTTO_OK: none. */
sotto_status memory_fault(const column_plan *p, const block *first,
                          sotto_error *error);

/* ---- memory_sparse.c ---- */

/* The rows of a list with sparse features, with the columns beside them. */
sotto_status memory_sparse(sotto_table *t, column_plan *p,
                           const sotto_columns *c, sotto_error *error);

#endif
