/*
 * What the files of `auto` share: what they find out first, with a small part
 * of the budget. All of it is made of answers.
 */
#ifndef SOTTO_SOLVER_NEWTON_H
#define SOTTO_SOLVER_NEWTON_H

#include "matrix.h"
#include "planning.h"

/* ---- budget_split.c: the table of shares ---- */

/* What the rule knows: public, or answers. */
typedef struct newton_facts {
    double rows; /* declared, or an answer: */
    int rows_asked;
    double rows_sd; /* of that answer */
    double mu;      /* of all questions together */
    double epsilon; /* the same, where all can be planned beforehand; else 0 */
    int64_t features;
    int intercept;
    loss loss;
    int64_t classes; /* more than two; else 0 */
    int replace_one; /* a record may be another one, not only be gone */
    double rows_per_person;
    double rare; /* the part of the rarer class, an answer; 0: not known */
    int64_t unbounded;    /* features whose bounds nobody declared */
    int target_unbounded; /* a number, and the same of it */
    int held;             /* by l1 or a box: weights are no Gaussians */
    int goes_on;          /* from a selection: target, bounds and a start are
                             known */
} newton_facts;

/* Shares of mu^2; 0: not asked. */
typedef struct budget_split {
    double target_counts, target_mean, target_scale; /* the response */
    double target_rest; /* the mean again, of what is off the first one */
    int64_t classes;    /* more than two; else 0. Then target_mean is for how
                           many rows each has, */
    double class_bend;  /* and this for how sharply the loss bends, twice */
    double more_rows;   /* as if there were so many times as many */
    double bounds;      /* those that nobody declared: */
    int common_bound;   /* one for all of them */
    double row_counts;  /* tighter bounds */
    double row_scale;   /* lengths (wide) */
    double column_counts, column_means, column_squares;
    double matrix, gradients, lengths, guard;
    int close;          /* the guard is not for a model that may be worse */
    int stages;         /* gradients come in stages (newton_stages.c), with */
    double row_lengths; /* a histogram of the rows' lengths, */
    double length_counts, curvature; /* and these, in all stages together */
    int64_t rounds, first_rounds;    /* of which so many are not averaged, */
    double first;                    /* and have this part of the gradients' */
    double reach;                /* rows are shortened to sqrt(this x trace) */
    double strength;             /* newton_strength */
    int64_t features, unbounded; /* that are asked about */
    int chosen;                  /* it goes on from a selection */
    int wide;                    /* gradients in the features' own directions */
    int64_t few; /* so many choices, with pure noise, are planned beforehand */
} budget_split;

/* Without stages there are at most so many rounds. */
enum { NEWTON_MOST_ROUNDS = 40 };

/* A stage of the gradients: shares of mu^2, and how many rounds it has. */
enum { NEWTON_STAGES = 3 };
typedef struct newton_stage {
    double curvature, length_counts, gradients;
    int64_t rounds;
} newton_stage;

newton_stage newton_stage_of(const budget_split *r, int i);

double newton_strength(const newton_facts *f);
budget_split budget_split_dense(const newton_facts *f);

/* Whether that depends on how rare a class is. */
int budget_split_by_rate(const newton_facts *f);

/* The rule where nothing but the intercept can be learned. */
budget_split budget_split_intercept(const newton_facts *f);

/* The rules of feature_selection.c, for what comes before the selections, and
   of many_features.c. */
budget_split budget_split_select(const newton_facts *f);
budget_split budget_split_wide(const newton_facts *f);

/* What of the budget a rule takes. */
double budget_split_shares(const budget_split *r);

/* Adds the questions of the rule, in their order, to a plan. */
void budget_split_add(ask_plan *plan, const budget_split *rule, double mu);

/* ---- path.c: which way `auto` goes ---- */

typedef enum auto_path {
    PATH_DENSE,     /* newton on all features */
    PATH_SELECT,    /* a few features first, newton on them */
    PATH_WIDE,      /* more features than rows */
    PATH_INTERCEPT, /* nothing but the intercept can be learned */
    PATHS
} auto_path;

const char *auto_path_name(auto_path path);

/* Chosen of public quantities; *why is the inequality that did it. */
auto_path auto_path_choose(const newton_facts *f, double l1, const char **why);

/* Refuses a way that the problem cannot go. */
sotto_status auto_path_check(const solver_run *r, auto_path path,
                             sotto_error *error);

/* ---- newton.c: a noisy second-moment matrix, then whitened gradients ---- */

/* The target: where it is, and what can be gained over the best constant. */
typedef struct newton_response {
    double middle, width;   /* of a number */
    double constant;        /* the best one, as a margin, */
    double released;        /* and of the loss that was to be made least */
    double slope, gain;     /* there: mean |slope|, what can be gained */
    double least;           /* the least clip, in lengths of rows */
    double rare;            /* the part of the rarer class; 1/2 for a number */
    double *rate;           /* with more than two classes: the part of each, */
    double *margin;         /* its margin of the best constant, */
    double *class_released; /* and of the loss that was to be made least */
} newton_response;

typedef struct newton_settings {
    newton_facts facts;
    budget_split rule;
    double *reach;        /* how far features go, by declaration; where that
                             is infinite, what is bought */
    double *target_reach; /* and the target */
    const double *unit;   /* weights that are penalised are these times the
                             stored ones; NULL: 1 */
    int by_spread;        /* or times the spread of their column */
    const newton_response *response; /* NULL: it is to be asked */
    double level;          /* select: of what the plan leaves for later */
    int all_weights;       /* wide: also those that cannot be told from noise */
    const solver_run *run; /* what is public, for the errors of weights */
} newton_settings;

sotto_status newton_run(solver_answer *out, curator *c, const solver_problem *p,
                        const newton_settings *s, solver_progress progress,
                        void *context, sotto_error *error);

/* ---- feature_selection.c: a few features, and newton on them ---- */

sotto_status select_run(solver_answer *out, curator *c, const solver_problem *p,
                        const newton_settings *s, solver_progress progress,
                        void *context, sotto_error *error);

/* So many selections it makes at most, with these shares of the budget. */
int64_t select_most(const newton_facts *f);
double select_share(const budget_split *start, int64_t t);

/* Where the budget is worth very few selections, so many of them; else 0.
   They are planned beforehand, and their choices have pure noise. */
int64_t select_few(const newton_facts *f);
void select_add_few(ask_plan *plan, const newton_facts *f,
                    const budget_split *start);

/* ---- wide.c: more features than rows ---- */

sotto_status many_features_run(solver_answer *out, curator *c,
                               const solver_problem *p,
                               const newton_settings *s,
                               solver_progress progress, void *context,
                               sotto_error *error);

#define NEWTON_LEVERAGE                                                        \
    10. /* s_j^2 is at least 1 / (this (p + 1)) of b_j^2                       \
         */

sotto_status newton_ask_response(newton_response *out, curator *c,
                                 const solver_problem *p,
                                 const budget_split *rule, double *reach,
                                 sotto_error *error);

/* Some columns: how far they go, where their middle is, how wide they are,
   and the part of that which is theirs and not a floor. The spread is the
   width without the floor that depends on how far a column may go: what noise
   lets be seen of its standard deviation about the centre; where that is no
   more than noise, at most the size of its bulk. */
typedef struct newton_columns {
    const int64_t *feature; /* NULL: all */
    int64_t count;
    double *bound, *centre, *scale, *energy, *spread;
    double *end, *bulk; /* how far squares count; the size of what is seen */
    double *scratch;    /* 2 for each */
} newton_columns;

/* Room for so many columns, to be freed; NULL: out of memory. */
double *newton_columns_make(newton_columns *k, int64_t count);

/* Of all columns: from what is declared, buys the bounds that are infinite
   (and says so there), and lowers all of them by one factor, where records
   allow it. */
sotto_status newton_ask_bounds(const newton_columns *k, curator *c,
                               const budget_split *rule, double *declared,
                               sotto_error *error);

/* The middles, where the rule asks for them, and the widths. */
sotto_status newton_ask_columns(const newton_columns *k, curator *c,
                                const budget_split *rule, sotto_error *error);

/* The response with more than two classes. `memory` has NEWTON_OF_CLASS numbers
   for each of them, which it points to. */
enum { NEWTON_OF_CLASS = 3 };
sotto_status newton_ask_classes(newton_response *out, curator *c,
                                const solver_problem *p, double *memory,
                                sotto_error *error);

/* Noise of this dimension: the clip in mean lengths of gradients is 1 + their
   spread x this, where the bias of cutting a record more and the noise of
   cutting it less are in balance. */
double newton_tail(const loss *l, const budget_split *rule, double dimension);

/* Bounds and scales can be asked with from here to there. */
#define NEWTON_LEAST_ASKED 0x1p-100
#define NEWTON_MOST_ASKED 0x1p100

/* Edges 2^(-step), 2^(-2 step), ... */
void newton_octaves(double *edge, int64_t edges, double step);

/* So many sd are hardly ever exceeded by one of so many numbers. */
double newton_rare(double numbers);

/* The first of the ranges that is certainly not empty; 0 where none is. With
   several lists of them, that none of these is wrong is as certain. */
int64_t newton_first_filled(const double *count, int64_t ranges, double sd,
                            int64_t lists);

/*
 * Up to where a column's squares are counted, in bounds, by octaves of which
 * `top` is the highest that is surely filled. A bound that is too loose hides
 * the column in noise that grows with the bound. But rows that are too few to
 * be seen may lie anywhere up to the bound and decide a weight. So it is a
 * little less than the bound: half, where few rows can be in the octave above
 * the top, so that the column does not run out slowly, and the bound is not
 * too far.
 */
double newton_column_end(const double *count, int64_t top, double sd);

/* The root of the mean square of what is seen in these octaves, in bounds;
   infinite where the bound is near, so that mean squares show it. */
double newton_column_bulk(const double *count, int64_t ranges, int64_t top,
                          double rows);

/* What 70 % of the sizes do not exceed: `most`, or a part of that. */
sotto_status newton_ask_quantile(curator *c, const ask_shape *what, double most,
                                 double *out, sotto_error *error);

/* A bound that nobody declared, from noisy counts of sizes by powers of two:
   range k ends at 2^(highest - k). It is 1 where nothing is seen. */
double newton_bought_bound(const double *count, int powers, int highest,
                           double sd);

/* A bound for |y|, where nobody declared one. */
sotto_status newton_find_target_bound(curator *c, double *reach,
                                      sotto_error *error);

/* The octave that most rows are in, of all that there are: its upper end. Where
   nothing is seen it is 1. */
sotto_status newton_ask_octave(curator *c, const ask_shape *what, double *out,
                               sotto_error *error);

/* Longer steps in directions that cannot be seen (momentum.c): d of them,
   in the coordinates of the map, of which some are `hidden`. */
typedef struct momentum {
    int64_t d, rounds;
    double curvature;
    const double *vector, *value;
    double *hidden, *velocity, *step; /* of each direction */
    double *from;                     /* where the step began */
    double variance;                  /* of noise in the velocity */
} momentum;

void momentum_stop(momentum *m);

/* After a step to v, whose noise is sd in each coordinate: v goes on. */
void momentum_step(momentum *m, double *v, double sd);

static inline double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Newton's method on these columns, from the weights `start` (NULL: 0). The
   rule's questions are in the plan. */
typedef struct newton_from {
    newton_response response;
    newton_columns columns;
    const double *start;
} newton_from;

sotto_status
newton_on_columns(solver_answer *out, curator *c, const solver_problem *p,
                  const newton_settings *set, const newton_from *from,
                  solver_progress progress, void *context, sotto_error *error);

/* What is planned, or what an answer has made of it. */
typedef struct newton_planned {
    newton_facts whole; /* with the mu of all questions together */
    budget_split rule;  /* what the plan is made by */
    auto_path path;
    const char *why;
    newton_response response; /* where it was asked before all was planned */
    int responded;
} newton_planned;

/* ---- newton_errors.c ---- */

/* Why weights have no interval, as far as the plan tells. */
void newton_refuse_intervals(const solver_run *r, const newton_planned *n,
                             const solver_answer *out);

/* ---- auto_explain.c ---- */

/* What auto would do and why, for people. */
void auto_explain(const solver_run *r, text_buffer *out);

#endif
