/*
 * plan: what becomes of each column of the file. Made from the header, the
 * options and the schema before any row is read, and from nothing else.
 */
#ifndef SOTTO_COLUMN_PLAN_H
#define SOTTO_COLUMN_PLAN_H

#include "data.h"
#include "option.h"

typedef enum column_role {
    COLUMN_NUMBER,
    COLUMN_CATEGORY,
    COLUMN_TARGET,
    COLUMN_WEIGHT,
    COLUMN_UNIT,
    COLUMN_DROP
} column_role;

/* What a missing value becomes. */
typedef enum column_missing {
    MISSING_REFUSE, /* the row is bad */
    MISSING_FILL,   /* `fill` (a number) or `fill_level` (a category) */
    MISSING_NONE    /* a category of which no level holds */
} column_missing;

typedef struct column {
    char *name;
    column_role role;
    int64_t place;   /* where the schema lists it, in features */
    int64_t feature; /* the first feature it fills */
    int plain;       /* a number, none of which means a missing value */
    int bounded;
    double low, high;    /* declared, raw units */
    double centre, half; /* mapped = (raw - centre) / half */
    column_missing missing;
    double fill;        /* raw units */
    int64_t fill_level; /* index into level */
    char **level;
    int64_t levels;
    char *class_name[2]; /* of a target; NULL: not declared */
} column;

/* Declarations as they stand in a schema file. */
typedef struct schema {
    column *column;
    int64_t columns;
    int has_standard; /* for columns that are not listed */
    column standard;
    char **missing; /* words that mean a missing value */
    int64_t missing_words;
    int64_t width; /* how many columns a .npy file has; 0: not said */
    int is_model;  /* what a model declares: see plan_schema */
} schema;

sotto_status schema_load(schema *out, const char *path, sotto_error *error);

/* From memory; `name` is for messages. */
sotto_status schema_parse(schema *out, const char *name, const char *bytes,
                          size_t size, sotto_error *error);
void schema_free(schema *s);
void column_free(column *c);

typedef enum target_kind {
    TARGET_NONE,
    TARGET_NUMBER,
    TARGET_CLASSES
} target_kind;

typedef struct column_plan {
    const char *file; /* for messages */
    column *column;   /* in the order of the file */
    int64_t columns;
    int64_t features;
    const column *target; /* NULL: none */
    target_kind target_is;
    int has_weight, has_unit;
    int keeps_ids;          /* the texts of the unit column, too */
    int stray_weight_bound; /* --weight-bound, to be used by a weight */
    /* two classes: declared ones are compared as numbers if both are */
    char *class_name[2];
    int classes_declared, classes_numeric;
    double class_value[2];
    int zero_seen;  /* undeclared classes turned out to be 0 and 1 */
    char **missing; /* as in the schema */
    int64_t missing_words;
    double *missing_number; /* those of the words that are numbers */
    int64_t missing_numbers;
    char delimiter;
    const char *row_word; /* what messages count: lines, or rows of .npy */
    int drop_bad;         /* a bad row is as if absent */
    int for_model;        /* the columns are those of a model */
    int labelled;         /* ... and the target is wanted too */
    int lacks_weight;     /* ... and its weights are not in the file */
    int64_t width;        /* as in the schema */
    int last_is_target;   /* the column of that number is the target */
    column standard;      /* of the schema, without a name */
    int has_standard;
    int is_private;
    int wide;
    int exact;     /* the digits that float32 loses are not lost */
    int rows_only; /* a sparse table without its entries by column */
    int threads;
    int scales_rows; /* features without bounds: see scale.c */
    char *scaled;    /* and which they are, where features have names */
    /* svmlight: `columns` is 1 (the label); bounds by feature, or NULL */
    double *low, *high;
} column_plan;

/* The plan for a file whose columns have these names, read from its first
   line (`header`) or, in .npy, counted. */
sotto_status plan_columns(column_plan *out, const char *file, int header,
                          char **names, int64_t count,
                          const sotto_options *options, sotto_error *error);

/* The plan for svmlight: `features` numbered features (0: not known yet). */
sotto_status plan_numbered(column_plan *out, const char *file, int64_t features,
                           const sotto_options *options, sotto_error *error);

/* Refuses classes by name where labels are numbers. */
sotto_status plan_need_numbers(const column_plan *p, sotto_error *error);

void plan_free(column_plan *p);

/* ---- steps that both kinds of plan take ---- */

/* What the options say of the whole file. */
void plan_settings(column_plan *p, const sotto_options *options);

/* The schema that the options name, sorted by name; empty without one. It
   may be a model's, which is another thing in three ways: features stand in
   the model's order whatever the file's, other columns may be missing, and
   the target is left alone unless the rows are labelled. */
sotto_status plan_schema(schema *s, const sotto_options *options,
                         sotto_error *error);

/* Hands the words for missing values over, and ends the schema's life. */
void plan_take_words(column_plan *p, schema *s);

/* How the target is read: a number, or one of two classes. */
sotto_status plan_target(column_plan *p, const sotto_options *options,
                         sotto_error *error);

/* The map that a column's bounds give. */
void plan_map(column *c);

/* ---- schema_write.c ---- */

/* The plan as a schema that reads another file in the same way; NULL when
   out of memory. */
char *declare_schema(const column_plan *p, char *const class_name[2],
                     const double *low, const double *high, int numbered);

#endif
