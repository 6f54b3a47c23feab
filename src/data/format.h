/*
 * format: the file formats, a row for each. The list of those that are read
 * is FORMAT_LIST in choices.h; a format's row stands in the file of its
 * reader. Formats of other programs, which are known in order to be refused,
 * are rows of the same kind (foreign.c).
 */
#ifndef SOTTO_FORMAT_H
#define SOTTO_FORMAT_H

#include "choices.h"
#include "data.h"
#include "option.h"
#include "source.h"

/* How a file tells its columns. */
typedef enum format_columns {
    COLUMNS_NAMED,   /* by names in its first line */
    COLUMNS_COUNTED, /* by their number, in a header; names are 1, 2, ... */
    COLUMNS_NUMBERED /* it has no header: the features are numbered, and how
                        many there are is a property of the records. Private
                        training has to be told (--features). */
} format_columns;

/* What comes before the first row. */
typedef struct file_header {
    char **name;
    int64_t count;
    char delimiter;
    int listed;      /* by --no-header: the file begins with a record */
    int like_values; /* each name could as well be a value of a record */
} file_header;

/* What is called between the header and the first row. */
typedef struct read_hook {
    table_before_rows *before; /* NULL: nothing */
    void *context;
    struct block_spill *spill; /* where dense blocks go; NULL: nowhere */
} read_hook;

struct generate_writer;
struct generate_row;

typedef struct file_format {
    /* bytes that every file of the format has at this place; size 0: none */
    struct {
        size_t at;
        const char *bytes;
        size_t size;
    } mark;

    /* of a format that is refused */
    const char *what;   /* "a Parquet file" */
    const char *in_zip; /* a zip archive whose first name contains this */
    const char *advice; /* how to convert it */

    /* of a format that is read */
    const char *endings[4];   /* of its files' names; NULL is the last */
    const char *read_only[2]; /* endings of files that are not written */
    format_columns columns;
    int sparse; /* zeros are not stored */
    sotto_status (*read)(sotto_table *t, source *s,
                         const sotto_options *options, const read_hook *hook,
                         sotto_error *error);
    /* The header of the file; NULL where it has none. */
    sotto_status (*header)(source *s, const sotto_options *options,
                           file_header *out, sotto_error *error);
    /* Every format can be written, for synthetic sets; a format without a
       header has no write_header. */
    void (*write_header)(struct generate_writer *w, int64_t rows);
    void (*write_row)(struct generate_writer *w,
                      const struct generate_row *row);
} file_format;

/* The mark of a row. */
#define FORMAT_MARK(at, bytes)                                                 \
    {                                                                          \
        at, bytes, sizeof bytes - 1                                            \
    }

/* format_csv, format_svmlight, ... */
#define FORMAT_ROW(id, ...) extern const file_format format_##id;
FORMAT_LIST(FORMAT_ROW)
#undef FORMAT_ROW

void header_free(file_header *h);

/* The format that --format names; *out is NULL where it is not given. */
sotto_status format_by_option(const file_format **out,
                              const sotto_options *options, sotto_error *error);

/* Whether only its name may say what the file is, since the first bytes may be
   a record's, and nothing may depend on these. */
int format_by_name_only(const sotto_options *options);

/* The format of a file to read: by option, by its first bytes, by its name. A
   file of another program (Parquet, Excel, zip ...) is refused by name.
   `hooked`: no byte of a record may have a say. With --no-header it is CSV. */
sotto_status format_detect(const file_format **out, source *s,
                           const sotto_options *options, int hooked,
                           sotto_error *error);

/* The format of a file to write: by option, by its name; stdout has none and
   takes `by_default`. */
sotto_status format_to_write(const file_format **out, const char *path,
                             const file_format *by_default,
                             const sotto_options *options, sotto_error *error);

/* ---- foreign.c ---- */

/* How many of a file's first bytes have a say. */
enum { FORMAT_LOOK = 512 };

/* Whether the bytes have the mark of the format. */
int format_matches(const file_format *f, const char *bytes, size_t size);

/* The format of another program that a file with these first bytes has, or
   NULL. */
const file_format *foreign_format(const char *bytes, size_t size);

#endif
