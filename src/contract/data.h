/*
 * data: records in memory. A table is made by a reader and never changed
 * afterwards. Row i is a function of record i and of public declarations
 * only; privacy stands on that.
 */
#ifndef SOTTO_DATA_H
#define SOTTO_DATA_H

#include "base.h"

/* Entries grouped by row (index = column) or by column (index = row). */
typedef struct table_entries {
    int64_t *start; /* groups + 1 */
    uint32_t *index;
    void *value; /* float, or double where is_double */
    size_t start_bytes, index_bytes, value_bytes;
} table_entries;

/* The texts of a category whose levels nobody declared. Until they are asked
   for, one feature stands for all its levels. */
typedef struct level_column {
    char *name;    /* the column's; public, as its feature is */
    int64_t other; /* the feature; behind the levels once there are some */
    /* secret: a function of the records */
    int32_t *id;   /* of each row, its level's number; -1: it has none */
    char *text;    /* the levels, in the order of their bytes */
    size_t *end;   /* where level i ends */
    int64_t count; /* of levels */
} level_column;

typedef struct table_levels {
    level_column *column;
    int64_t columns;
} table_levels;

/* Levels that were released: public. */
typedef struct level_list {
    char **level;
    int64_t levels;
} level_list;

struct sotto_table {
    int64_t rows;     /* never in a release: see docs/privacy */
    int64_t features; /* public */
    int sparse;
    int is_double;      /* elements are double, not float */
    int read_privately; /* nothing of its shape comes from the records */
    int invented;       /* made of declarations, without a record: for audits */
    int drops_rows;     /* a malformed record is absent */
    int64_t dropped;    /* malformed records; -1: they are not counted, least
                           of all for private training */
    unsigned char *bad; /* rows to predict on whose record is malformed: they
                           keep their place, and hold zeros; NULL: none is */
    int folded; /* elements are y_i x_ij (two classes in a float table) */

    /* dense: feature j is x[j * stride ... ], 64-byte aligned, and the
       rows from `rows` to `stride` (a multiple of 64) are zero */
    void *x;
    size_t x_bytes;
    int64_t stride;

    /* sparse: the same entries twice, unless only rows were asked for */
    table_entries by_row, by_column;

    /* stored = (raw - centre[j]) / half[j] */
    char **name;        /* NULL: features are called 1, 2, ... */
    int counted;        /* columns are called 1, 2, ..., as those of .npy are */
    double *centre;     /* NULL: 0 for every feature */
    double *half;       /* NULL: 1 for every feature */
    double *low, *high; /* declared bounds, infinite without; NULL: none */
    double *reach;  /* stored values are at most this in size, by declaration;
                       NULL or infinite: nothing is known */
    int64_t scaled; /* so many features are divided by their length in each
                       row, because nobody declared bounds */
    double weight_bound; /* the largest weight, as declared; 1 without */

    double *y;       /* mapped target, or -1/+1 (two classes), or the index of
                        the class (more); NULL without a target */
    double *weight;  /* NULL: every row counts 1 */
    int64_t *unit;   /* rows of one person share a number; NULL: none given */
    char *ids;       /* their texts, one after the other; NULL: not kept */
    size_t *id_end;  /* where row i's ends */
    char *unit_name; /* the column's; NULL: none */
    table_levels levels; /* of categories without declared ones */
    char *schema; /* the columns as they were read, as a schema in JSON */
    char *target_name;
    double target_centre, target_half;
    double target_reach; /* of a number, as stored; infinite: not declared */
    char **class_name;   /* as declared */
    int64_t classes;     /* 0 when the target is a number */

    char **warning;
    int64_t warnings;

    /* of a table that was converted: what its records are booked under */
    char **source; /* the canonical paths of the files that it was made of */
    int64_t sources;
    char *dataset; /* NULL: by path */

    /* Dense columns that stay on the disk, because --memory says so: public.
       x then has the addresses of all values, and those of rows that were
       brought. The reader's own; NULL where there are no rows. */
    int on_disk;
    struct table_stream *stream;

    /* of a share of the rows: the other ranks have the others. NULL: these are
       all rows. What follows is as secret as the records. */
    sotto_ranks *ranks;
    int64_t first;          /* the place of the first row among all rows */
    int64_t all_rows;       /* of all ranks */
    int64_t people;         /* so many numbers are in `unit` */
    int64_t *person;        /* of each of them, its number among all people */
    int64_t *person_before; /* and how many rows ranks before have of it */
    int64_t all_people;

    /* what was booked for the fit before the first row was looked at, and how
       to free it; NULL: nothing (fit/booking.c) */
    void *booking;
    void (*free_booking)(void *booking);
};

/* One line where a table without a target is to be learned from. */
sotto_status table_refuse_no_target(int counted, sotto_error *error);

/* Marks a column of a model's schema whose bounds were bought: they clamp and
   map rows to predict on, but training knew the column without a map. */
#define SCHEMA_BOUGHT "bought"

/* The readers, from memory: what the fuzzers and tests call. */
sotto_status table_read_memory(sotto_table **out, const char *name,
                               const void *bytes, size_t size,
                               const sotto_options *options,
                               sotto_error *error);

/*
 * Reads a table, and calls `before` when its shape is known and no row has
 * been looked at. The shape is a table without rows, made of header, schema
 * and options alone. Another status than SOTTO_OK ends the reading.
 */
typedef sotto_status table_before_rows(void *context, const sotto_table *shape,
                                       sotto_error *error);
sotto_status table_read_after(sotto_table **out, const char *path,
                              const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error);

/* The same for files of CSV with one header, as one table: all of them have
   been opened, and their headers compared, before the call. */
sotto_status table_read_files(sotto_table **out, const char *const *path,
                              int64_t files, const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error);

/* The same for columns in memory; not even their structure has been looked at
   before the call. */
sotto_status table_from_after(sotto_table **out, sotto_columns *columns,
                              const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error);

/* The table that --schema declares, without a row, of the features that it
   lists or of --features, where it has a default for the others. */
sotto_status table_declared(sotto_table **out, const sotto_options *options,
                            sotto_error *error);

/*
 * Makes a table of these levels, one list for each of its columns without
 * declared ones: as if the schema had declared them. Each row's own texts are
 * wiped, whatever the status.
 */
sotto_status table_widen(sotto_table *t, const level_list *list,
                         sotto_error *error);

/* Whether a text can be a level that is released: a word of text, not too long,
   and not the one that stands for all others. */
int table_is_level(const char *bytes, size_t size);

/*
 * Of each feature: the number, from 1 on, of the category that it is a level
 * of, where exactly one level of that is 1 in every row and the others are 0; 0
 * for all others. By declaration alone.
 */
sotto_status table_whole_levels(const sotto_table *t, int64_t *whole,
                                sotto_error *error);

/* A table of the same columns without a row: what is public of it. */
sotto_status table_shape_of(sotto_table **out, const sotto_table *t,
                            sotto_error *error);

/*
 * Records that nobody has, for audits: made of what options and schema declare,
 * and of nothing else. Some rows that are common to two neighbours, each of a
 * person of its own, then `times` rows of one more person.
 */
typedef enum invented_record {
    INVENTED_HIGH,     /* every value beyond its upper bound */
    INVENTED_LOW,      /* beyond its lower bound, and the target, too */
    INVENTED_OPPOSITE, /* as the first, with the target of the second */
    INVENTED_EMPTY,    /* in the middle, of no level where that may be */
    INVENTED_KINK,     /* half way, the target where a loss has its kink */
    INVENTED_LONE,     /* as high, of levels that nobody else has */
    INVENTED_ANY,      /* anything that is declared, by the seed */
    INVENTED_RECORDS
} invented_record;

typedef struct invented {
    int64_t common;
    uint64_t seed; /* of values of common rows, and of INVENTED_ANY */
    invented_record record;
    int64_t times;
    int64_t features; /* that no schema lists; 0: it lists all */
    int blank; /* these rows add nothing to any sum (zero-out): -1 says that
                  those of the neighbour do not */
} invented;

sotto_status table_invent(sotto_table **out, const invented *what,
                          const sotto_options *options, sotto_error *error);

/* ---- columns that stay on the disk ---- */

/* How many rows are brought at once, a multiple of 1024; two such windows, of
   the columns and of as many values more, fit the memory. */
int64_t table_window(const sotto_table *t);

/* The folder of the table's file: where what is made of it may go. */
const char *table_folder(const sotto_table *t);

/* Brings rows [from, to) of all columns to their places in x. Values are as
   they are in the file: finite, and within their reach. `from` is a multiple of
   the window. One call at a time. */
sotto_status table_bring(const sotto_table *t, int64_t from, int64_t to,
                         sotto_error *error);

/* Gives their memory back. */
void table_send_back(const sotto_table *t, int64_t from, int64_t to);

/* Gives back all that belongs to columns, which nobody needs any more. */
void table_forget_columns(sotto_table *t);

/*
 * Makes room for what a model makes of each record, in place of the features:
 * so many columns of floats, all 0, and a target that is a number. Weights and
 * people stay. The features are wiped. A table that drops rows has weights
 * afterwards, whatever its records are: a row may turn out to be bad.
 */
sotto_status table_make_outcomes(sotto_table **table, int64_t columns,
                                 sotto_error *error);

/* Value i of those that the table holds at `values`, whatever their type. */
static inline double table_element(const sotto_table *table, const void *values,
                                   int64_t i)
{
    return table->is_double ? ((const double *)values)[i]
                            : (double)((const float *)values)[i];
}

/* Of all ranks. */
static inline int64_t table_all_rows(const sotto_table *table)
{
    return table->ranks ? table->all_rows : table->rows;
}

/* Feature j as stored (folded and mapped), as doubles; out has rows. */
void table_stored(const sotto_table *table, int64_t j, double *out);

#endif
