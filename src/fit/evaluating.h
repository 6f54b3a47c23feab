/*
 * What the files of private evaluation share. evaluation.c runs it:
 *
 *   plan     evaluation_plan.c: which questions, of public facts alone
 *   rows     evaluation_rows.c: what the model makes of each record, which is
 *            row-local, and all that the curator holds
 *   numbers  evaluation_scores.c, evaluation_numbers.c: what is asked, and what
 *            follows from the answers; post-processing
 *   file     evaluation_put.c: numbers with their intervals
 */
#ifndef SOTTO_FIT_EVALUATING_H
#define SOTTO_FIT_EVALUATING_H

#include "evaluation.h"
#include "json.h"
#include "private.h"

typedef enum evaluation_task {
    EVALUATE_TWO,   /* classes: the score, the loss */
    EVALUATE_MANY,  /* classes: what is predicted, whether it is right, loss */
    EVALUATE_NUMBER /* the residual, the target, and the sizes of both */
} evaluation_task;

/* The columns of each task, in that order. */
enum {
    TWO_SCORE,
    TWO_LOSS,
    MANY_TOLD = 0,
    MANY_RIGHT,
    MANY_LOSS,
    NUMBER_RESIDUAL = 0,
    NUMBER_TARGET,
    NUMBER_RESIDUAL_SIZE,
    NUMBER_TARGET_SIZE
};

enum {
    EVALUATION_FINE = 256,   /* cells of scores that bins are made of */
    EVALUATION_BINS = 18,    /* of scores, at most */
    EVALUATION_SIZES = 64,   /* cells of sizes of losses and residuals */
    EVALUATION_RANGES = 122, /* cells of sizes of a target without bounds */
    EVALUATION_MOST_CLASSES = 64
};

/* What is public: the model and the options. */
typedef struct evaluation_facts {
    evaluation_task task;
    int64_t classes;
    int64_t columns;
    int has_loss;      /* log-loss: the model has probabilities */
    int has_range;     /* the target has bounds: its stored values are at most
                          1 in size */
    double unit;       /* of stored targets */
    double correlated; /* the rows of a person, and weights: the variance of a
                          mean may be so many times that of single rows */
} evaluation_facts;

evaluation_facts evaluation_facts_of(const sotto_model *m, const sotto_table *t,
                                     const sotto_options *options);

/* ---- evaluation_plan.c ---- */

/* Policy, plan and noise of a run on a table of this shape. */
sotto_status evaluation_plan(private_run *r, const evaluation_facts *f,
                             const sotto_table *shape, sotto_error *error);

/* ---- evaluation_rows.c ---- */

/* Replaces the records by what the model makes of each of them. */
sotto_status evaluation_rows(sotto_table **table, const sotto_model *m,
                             const evaluation_facts *f, sotto_error *error);

/* ---- evaluation_put.c ---- */

/* A number that is told, with its standard error; within [low, high]. */
typedef struct evaluation_number {
    double value, sd, low, high;
} evaluation_number;

/* An estimate; where value or sd is not finite, `why` there is none. */
json_t *evaluation_estimate(evaluation_number n, const char *why);
json_t *evaluation_list(const double *x, int64_t count);

#define EVALUATION_TOO_NOISY "the noise is too large to tell it"

/* A share of `all`, whose parts have noise: `part` of them are in it. `inside`
   and `outside` are how many noisy counts make up the part and the rest. */
evaluation_number evaluation_share(double part, double all, double noise,
                                   double inside, double outside,
                                   double correlated);

/* ---- evaluation_scores.c, evaluation_numbers.c ---- */

/* A run that asks. */
typedef struct evaluation_run {
    const sotto_model *model;
    evaluation_facts facts;
    curator *curator;
    double rows, rows_sd; /* what counts are divided by, and its noise */
    json_t *root;
} evaluation_run;

sotto_status evaluation_ask_two(evaluation_run *e, sotto_error *error);
sotto_status evaluation_ask_many(evaluation_run *e, sotto_error *error);
sotto_status evaluation_ask_number(evaluation_run *e, sotto_error *error);

/* Sizes of values of a column, of which the upper edge of cell k is
   top 2^((k - cells + 2) / per_octave); the last cell has no upper edge. */
typedef struct evaluation_sizes {
    int64_t column, cells;
    double top, per_octave;
    double count[EVALUATION_RANGES];
    double sd;
} evaluation_sizes;

sotto_status evaluation_ask_sizes(evaluation_run *e, evaluation_sizes *s,
                                  sotto_error *error);

/* The middle and the upper edge of cell k. */
double evaluation_middle(const evaluation_sizes *s, int64_t k);
double evaluation_edge(const evaluation_sizes *s, int64_t k);

/* The highest cell that certainly has rows; -1: none. */
int64_t evaluation_highest(const evaluation_sizes *s);

/* The mean of values^power up to cell `last`, and the sd of its noise. */
double evaluation_moment(const evaluation_run *e, const evaluation_sizes *s,
                         int64_t last, int power, double *sd);

/* Asks for the mean of the losses of this column, and adds "log_loss". So many
   rows are of the rarest class, with a noise of this sd. */
sotto_status evaluation_ask_loss(evaluation_run *e, int64_t column, double rare,
                                 double rare_sd, json_t **numbers,
                                 sotto_error *error);

/* The counts of classes by predicted ones, and what follows of each class. */
void evaluation_put_confusion(evaluation_run *e, const double *count,
                              const double *sd, double correlated);

#endif
