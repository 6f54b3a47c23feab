/*
 * column_plan: what becomes of each column of the file. It is made from the
 * header, the options and the schema before any row is read, and from nothing
 * else. So it is public, and the maps of rows may depend on all of it.
 */
#ifndef SOTTO_COLUMN_PLAN_H
#define SOTTO_COLUMN_PLAN_H

#include "option.h"
#include "schema.h"

typedef enum target_kind {
    TARGET_NONE,
    TARGET_NUMBER,
    TARGET_CLASSES, /* two: -1 and +1 */
    TARGET_MANY     /* three and more: 0, 1, 2, ..., in the order declared */
} target_kind;

/* Where the names of the columns come from. */
typedef enum plan_naming {
    NAMES_COUNTED, /* 1, 2, ...: .npy, or an array without names */
    NAMES_HEADER,  /* the first line of the file */
    NAMES_LISTED   /* the caller lists them: --no-header, columns in memory */
} plan_naming;

typedef struct column_plan {
    const char *file; /* for messages */
    plan_naming naming;
    column *column; /* in the order of the file */
    int64_t columns;
    int64_t features;
    const column *target; /* NULL: none */
    target_kind target_is;
    const column *part; /* says which part a row belongs to; NULL: none */
    int has_weight, has_unit;
    int64_t level_columns;  /* categories whose levels are asked for */
    int keeps_ids;          /* the texts of the unit column are kept */
    int weight_bound_given; /* there must be a weight that takes it */
    /* declared classes are compared as numbers if all of them are */
    char **class_name;
    int64_t classes; /* 0: none declared */
    int classes_numeric;
    double *class_value;
    int zero_seen;  /* undeclared classes turned out to be 0 and 1 */
    char **missing; /* as in the schema */
    int64_t missing_words;
    double *missing_number; /* those of the words that are numbers */
    int64_t missing_numbers;
    double *part_number; /* .npy: the parts that are read */
    char delimiter;
    int like_values;         /* of a header: each name could be a value */
    char decimal, thousands; /* marks in numbers of CSV; 0: '.', none */
    const char *row_word;    /* what messages count: lines, or rows of .npy */
    int drop_bad;            /* a bad row is as if absent */
    int marks_bad;           /* of these: it keeps its place, for an answer that
                                is none. Only where a model predicts: nothing is
                                learned from the table. */
    int for_model;           /* the file is read for a model that exists */
    int labelled;            /* of these: the target is read, too */
    int lacks_weight;   /* of these: the model had weights, the file has none */
    int64_t width;      /* as in the schema */
    int last_is_target; /* the column of the number `width` is the target */
    column default_column; /* of the schema, without a name */
    int has_default;
    int is_private;
    int is_double;
    int exact;     /* no remark about digits that float32 loses */
    int rows_only; /* a sparse table without its entries by column */
    int threads;
    struct block_spill *spill; /* where full blocks go; NULL: they stay */
    sotto_ranks *ranks;   /* that share the rows; NULL: there are no others */
    int64_t lines_before; /* of the file, at the ranks before */
    int scales_rows;      /* features without bounds are scaled: see scale.c */
    char *scaled;         /* which features these are, where they have names */
    /* numbered features: `columns` is 1 for svmlight (the label), in memory
       those beside them; bounds by feature, or NULL */
    double *low, *high;
} column_plan;

/* What is stored of the class of this index among those declared. */
static inline double plan_class(const column_plan *p, int64_t index)
{
    return p->target_is == TARGET_MANY ? (double)index
                                       : (double)(2 * index - 1);
}

static inline int plan_has_classes(const column_plan *p)
{
    return p->target_is == TARGET_CLASSES || p->target_is == TARGET_MANY;
}

/* Whether bad records are counted, for the operator. In private training
   nothing may depend on them, and those of other parts are not bad. */
static inline int plan_counts_dropped(const column_plan *p)
{
    return p->drop_bad && !p->marks_bad && !p->is_private && !p->part;
}

/* The plan for columns of these names. */
sotto_status plan_columns(column_plan *out, const char *file,
                          plan_naming naming, char **names, int64_t count,
                          const sotto_options *options, sotto_error *error);

/* The plan for svmlight: `features` numbered features (0: not known yet). */
sotto_status plan_numbered(column_plan *out, const char *file, int64_t features,
                           const sotto_options *options, sotto_error *error);

/* The plan for numbered features in memory, beside which there are columns of
   these names that are no features. */
sotto_status plan_beside(column_plan *out, const char *file, int64_t features,
                         char **names, int64_t count,
                         const sotto_options *options, sotto_error *error);

/* Refuses classes by name where labels are numbers. */
sotto_status plan_need_numbers(const column_plan *p, sotto_error *error);

void plan_free(column_plan *p);

/* ---- steps that both kinds of plan take ---- */

/* What the options say of the whole file. */
void plan_settings(column_plan *p, const sotto_options *options);

/* The schema that the options name, its columns sorted by name; empty without
   one. The schema of a model is used differently in three ways: features are
   in the model's order, whatever the order of the file; columns that are no
   features may be missing; the target is read only where rows are labelled. */
sotto_status plan_schema(schema *s, const sotto_options *options,
                         sotto_error *error);

/* Moves the words for missing values and the default to the plan, and frees
   the schema. */
void plan_take_words(column_plan *p, schema *s);

/* What the schema says of numbered features. */
sotto_status plan_numbered_features(column_plan *p, schema *s,
                                    const sotto_options *options,
                                    sotto_error *error);

/* ---- column_target.c ---- */

/* How the target is read: a number, or one of some classes. */
sotto_status plan_target(column_plan *p, const sotto_options *options,
                         sotto_error *error);

/* ---- column_part.c ---- */

/* Whether it is this column that says which part a row belongs to. */
sotto_status plan_part(const column_plan *p, column *c,
                       const sotto_options *options, sotto_error *error);

/* The parts that are read, as numbers: p->part says which rows stay. */
sotto_status plan_part_numbers(column_plan *p, sotto_error *error);

/* ---- column_role.c ---- */

/* The map that a column's bounds give. */
void plan_map(column *c);

/* Columns by name, for qsort and bsearch. */
int plan_compare_columns(const void *a, const void *b);

/* What becomes of the column of this name. */
sotto_status plan_column(column_plan *p, column *c, const char *name,
                         const sotto_options *options, schema *s,
                         int has_schema, sotto_error *error);

/* A model has the levels that were asked for. */
sotto_status plan_check_asked(const column_plan *p, sotto_error *error);

/* Places of the features in the table, in the order of the file, or of the
   model that has asked for them. */
sotto_status plan_places(column_plan *p, sotto_error *error);

/* ---- column_names.c ---- */

/* Every name in the options and in the schema is in the file, once. All that
   are not are noted, where the schema gathers faults. */
sotto_status plan_check_names(column_plan *p, char **names, int64_t count,
                              const sotto_options *options, schema *s,
                              sotto_error *error);

/* "line 1: " where names come from a line, otherwise nothing. */
const char *plan_names_line(const column_plan *p);

/* No two features have one name, whatever levels are released. */
sotto_status plan_check_levels(const column_plan *p, sotto_error *error);

#endif
