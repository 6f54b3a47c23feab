/*
 * model: what a fit leaves. Weights in raw units, the declarations its
 * columns were read with, and what is known about privacy: a model has a
 * statement of privacy or is NOT PRIVATE, and there is no third way.
 */
#ifndef SOTTO_MODEL_H
#define SOTTO_MODEL_H

#include "base.h"
#include "loss.h"

enum {
    MODEL_VERSION = 1,
    MODEL_KEY = 65,       /* hex, and its NUL */
    MODEL_SIGNATURE = 129 /* the same */
};

/* The strength from which on more than an intercept can be learned (that of
   solver/auto_path.c), and rows in a batch: what sgd and scd aim at, less what
   noise in the number of rows makes of it. */
#define MODEL_LEAST_STRENGTH 60
#define MODEL_LEAST_BATCH 8

/* Which weights the penalty is about. */
typedef enum model_units {
    MODEL_UNITS_UNKNOWN, /* a file of a version that did not record it */
    MODEL_UNITS_FIT,     /* columns as they are mapped by declared bounds */
    MODEL_UNITS_FILE,    /* columns and target as they stand in the file */
    MODEL_UNITS_SPREAD   /* columns divided by their spread, target as in the
                            file */
} model_units;

/* The ledger that a run was booked in, and the run; of several files the
   first's, and those of the others. NULL: it was not booked. */
typedef struct model_run {
    char *ledger, *run, **other_run;
    int64_t other_runs;
} model_run;

void model_run_free(model_run *r);

struct sotto_model {
    loss loss;
    double l1, l2;
    model_units units; /* of l1 and l2 */
    double low, high;  /* the box, infinite without, in stored units */
    double radius;     /* of the L1 ball of all weights; the same */
    int64_t features;
    char **name;    /* NULL: features are called 1, 2, ... */
    double *weight; /* of K >= 3 classes K times so many, class by class */
    double intercept;
    double *class_intercept; /* K >= 3: of each class; else NULL */
    int one_versus_rest; /* K >= 3: each class has a problem of its own; else
                            the multinomial loss of all is one */
    double *scale; /* with MODEL_UNITS_SPREAD what each column's spread was
                      taken to be, in the file's units; 0: not known, and the
                      weight is 0. NULL: 0 for all */
    double *noise; /* sd of the last noise that entered each weight, before the
                      penalty, in the weight's units; NULL: not known */
    double *error; /* the standard error, of noise and sampling, of each weight
                      and behind them of the intercept; 0: there is none, for
                      the reason in `refused`. NULL: of no weight, because the
                      solver makes none. With three classes and more NULL */
    double *moved; /* where there is an interval, its middle is the weight and
                      this: 0 but of levels that add up, and the intercept */
    unsigned char *refused; /* an interval_reason for each */

    /* rows longer than the bound, in stored units, are shortened to it before
       anything else: the score is centre + (x'w + b - centre) bound / length;
       infinite: rows are taken as they are */
    double norm_bound, norm_centre;
    int scales_rows;   /* features without bounds are divided by their common
                          length in each row, before anything else */
    char **class_name; /* as declared */
    int64_t classes;   /* 0 when the target is a number */
    char *schema;      /* JSON, as model_form() writes it */
    char *statement;   /* of privacy, JSON; NULL: NOT PRIVATE */
    double epsilon, delta; /* as the statement has them */
    double rows; /* declared, or an answer, never counted; 0: neither. With
                    weights: their sum */
    char *file;  /* that it was read from, for messages, or NULL */

    /* the public key of whoever signed it, and the signature, of all that the
       file has before it; "": not signed */
    char key[MODEL_KEY], signature[MODEL_SIGNATURE];

    model_run booked; /* in memory only */

    /* of the exact solver, in memory only */
    int certified, converged;
    double objective, gap;
};

/* "fit", "file" or "spread": as --penalty-units has it. */
const char *model_units_name(model_units units);

/* An empty model for so many features; NULL when out of memory. */
sotto_model *model_new(int64_t features);

/* Makes room for weights and intercepts of m->classes >= 3 classes; 0 when out
   of memory. */
int model_make_classes(sotto_model *m);

/* Room for errors and reasons, all of them 0; 0 when out of memory. And gone.
 */
int model_make_errors(sotto_model *m);
void model_drop_errors(sotto_model *m);

/* How many weights there are, and noises where they are known. */
static inline int64_t model_weights(const sotto_model *m)
{
    return m->classes > 2 ? m->features * m->classes : m->features;
}

/* The linear part of class k alone: it shares all with the model, and is not
   to be freed. */
static inline sotto_model model_of_class(const sotto_model *m, int64_t k)
{
    sotto_model one = *m;
    one.weight += k * m->features;
    one.intercept = m->class_intercept[k];
    if (one.noise)
        one.noise += k * m->features;
    return one;
}

/* Where a run was booked, as its statement says; 0: it is untracked. */
int model_booking(const char *statement, sotto_booking *out);

/* Whether that delta is too large for so many rows; then it says so. */
int model_remark_delta(double rows, double delta, sotto_error *remark);

/* The text of a schema or a statement, in the one form that models keep them
   in; NULL when out of memory or when there is no value. */
struct json_t;
char *model_form(const struct json_t *value);

/* Whose promise it is, in words: of a statement read as JSON (jansson's
   json_t). */
void model_put_unit(text_buffer *t, const struct json_t *statement);

/* Signs the model by the key of this seed; no member may change afterwards. */
sotto_status model_sign(sotto_model *m, const unsigned char seed[32],
                        sotto_error *error);

/* The file's text, with its checksum. */
sotto_status model_text(const sotto_model *m, text_buffer *out,
                        sotto_error *error);

/* From the bytes of a file; `name` is for messages. */
sotto_status model_parse(sotto_model **out, const char *name, const char *bytes,
                         size_t size, sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(model_new);
CORE_EXPORT(model_form);

#endif
