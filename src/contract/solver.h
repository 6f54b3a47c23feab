/*
 * solver: private solvers. Each has a plan, made of public quantities before
 * a record is read, and a run, which asks what was planned. A solver cannot
 * reach a record: it sees ask.h.
 */
#ifndef SOTTO_SOLVER_H
#define SOTTO_SOLVER_H

#include "account.h"
#include "ask.h"
#include "base.h"
#include "choices.h"
#include "interval.h"
#include "loss.h"
#include "option.h"

/* The problem, in the units the table is stored in. */
typedef struct solver_problem {
    loss loss;
    int64_t classes;     /* more than two: weights for each of them; else 0 */
    int one_versus_rest; /* of these: the loss is the sum over classes, each
                            against all others; else that of softmax */
    double l1, l2;
    double low, high; /* the box; infinite: none */
    int64_t features;
    int intercept;
} solver_problem;

/* What a run leaves. */
typedef struct solver_answer {
    double *weight; /* one for each feature, the caller's; with classes for
                       each class one after the other */
    double intercept;
    double *class_intercept; /* with classes, instead: the caller's, zeros at
                                first */
    double *noise;  /* NULL, or for each weight the sd of the last noise that
                       entered its weight, before the penalty; 0: none did, or
                       it is not known. The caller's, zeros at first */
    double *bounds; /* of solvers that find bounds: how far features and, behind
                       them, the target go. The caller's; what was declared at
                       first, where that is infinite what was found */
    int common_bound; /* all features have the same that was found */
    double *spread;   /* NULL, or with penalties in units of spread: what each
                         stored weight was multiplied by in them; 0: it was never
                         asked, and the weight is 0. The caller's, zeros at
                         first */
    int by_spread;    /* penalties were in such units */
    double *error;    /* NULL, or the standard error, of noise and sampling, of
                         each weight and behind them of the intercept of columns
                         that are not centred (solver_units); 0: there is none,
                         as the next says. The caller's, zeros at first */
    double *moved;    /* of as many: what takes a weight to the middle of its
                         interval, if it is not that itself */
    unsigned char *refused; /* of as many, an interval_reason: the caller's,
                               INTERVAL_UNMODELLED at first */
} solver_answer;

/* Coordinate j was moved by an answer whose noise moved it by that sd. */
static inline void solver_note(const solver_answer *out,
                               const solver_problem *p, int64_t j, double sd)
{
    if (out->noise && j < p->features)
        out->noise[j] = sd;
}

/* Coordinate j, the last of which is the intercept, has no interval. */
static inline void solver_refuse_interval(const solver_answer *out, int64_t j,
                                          interval_reason why)
{
    if (out->error) {
        out->error[j] = 0;
        out->refused[j] = (unsigned char)why;
    }
}

/* How far a run is. Public: it is made of the plan and of answers, which are
   released. */
typedef struct solver_stage {
    double share;         /* of the whole run, from 0 to 1 */
    const char *name;     /* what is asked about: "bounds", "rounds", ... */
    int64_t round, total; /* of this stage, from 1; 0: they are not counted */
} solver_stage;

/* Called when a stage begins and after each of its rounds; other than 0
   stops. */
typedef int (*solver_progress)(void *context, const solver_stage *at);

/* The stage of a run that has this one only: so many of its rounds are
   done. */
static inline solver_stage solver_rounds(const char *name, int64_t done,
                                         int64_t total)
{
    return (solver_stage){(double)done / (double)total, name, done, total};
}

/* Tells whoever looks, if anybody does; SOTTO_INTERRUPTED where they want it to
   stop. */
static inline sotto_status solver_tell(solver_progress progress, void *context,
                                       solver_stage at, sotto_error *error)
{
    return progress && progress(context, &at)
               ? error_set(error, SOTTO_INTERRUPTED, "interrupted")
               : SOTTO_OK;
}

/* ---- a run ---- */

/* What is public about the records: by declaration, before any question. */
typedef struct solver_facts {
    int64_t features;
    int64_t classes; /* more than two; else 0 */
    double rows;     /* 0: not public, to be asked */
    double weight_bound;
    int has_people;
    int only_planned;      /* `rows` may stand for a number that is not known */
    double target_reach;   /* how far targets go, by declaration; or infinite */
    int64_t scaled;        /* features that are divided by their row's length */
    int64_t level_columns; /* categories whose levels are asked for first: each
                              is one feature until then */
    double level_delta;    /* of delta, for these; 0: a tenth */
    account_adjacency adjacency;
    int64_t rows_per_person;
    int without_noise; /* NOT PRIVATE */
} solver_facts;

/* The smoothness constants M_j, and the bounds that they come from. */
typedef struct solver_smoothness {
    double *m;     /* features, and the intercept; NULL: not known yet */
    double *reach; /* how far each feature goes; infinite: not declared */
    double target_reach;
} solver_smoothness;

/* The weights that penalties are about. */
typedef struct solver_units {
    int of_file;        /* those of the file's own units, not the stored ones */
    int of_spread;      /* or stored ones times their columns' spread, where
                           the way that is gone asks for it */
    const double *half; /* stored = (raw - centre) / half; NULL: 1 */
    double target_half;
    const double *centre; /* NULL: 0 */
    /* NULL, or of each feature the category, from 1 on, of which exactly one
       level is 1 in every row, as declared; 0: it is no such level */
    const int64_t *whole;
} solver_units;

typedef struct solver_row solver_row;

/* What an option means for one solver. */
typedef struct solver_option {
    option_id option;
    const char *default_value; /* as it is written, or in words; NULL: none */
    const char *meaning;
} solver_option;

/* One training: what its solver knows, and what the solver makes of it. */
typedef struct solver_run {
    const sotto_options *options;
    const solver_row *solver;
    solver_problem problem;
    solver_facts facts;
    solver_smoothness smooth;
    solver_units units;
    const curator_policy *policy;

    ask_plan plan;
    void *state; /* the solver's own, made by its plan */

    /* with records only */
    curator *curator;
    solver_progress progress; /* or NULL */
    void *context;            /* of `progress` */
} solver_run;

/* A property of losses, and what is said of those that do not have it. */
typedef struct solver_need {
    loss_property has;
    const char *lacks; /* "is not smooth" */
} solver_need;

/*
 * A solver. `plan` makes r->plan and, where it needs one, r->state; it sees
 * no record. `run` leaves r as it is, so that a plan can be run again.
 */
struct solver_row {
    const char *summary;
    const solver_option *options; /* that it uses; the last has no meaning */
    const solver_option *paper_options; /* NULL, or more of them, for comparison
                                           with its paper */
    int for_comparison; /* with a paper; there are better ones to use */
    int smooth;         /* it needs the smoothness */
    int finds_bounds;   /* it asks for bounds that are not declared, and plans
                           again when it knows how many features there are */
    int shortens_rows;  /* to --norm-bound */
    int one_ball;       /* all weights are in one L1 ball, of --radius */
    int any_classes;    /* it takes more than two */
    int by_rows; /* it asks about all columns of rows at once, so that rows may
                    be on a disk (--memory) */

    const solver_need *needs; /* of the loss; NULL: it takes every loss */

    /* NULL, or refuses options that it cannot work with. */
    sotto_status (*check)(const sotto_options *options, sotto_error *error);

    /* NULL, or the loss that is asked about instead of the problem's. */
    loss (*asked_loss)(const sotto_options *options, loss l);

    sotto_status (*plan)(solver_run *r, sotto_error *error);

    /* NULL, or refuses what the curator would refuse later, when it has been
       written down as spent: all that is public, before the first question. */
    sotto_status (*ready)(const solver_run *r, sotto_error *error);
    sotto_status (*run)(const solver_run *r, solver_answer *out,
                        sotto_error *error);
    void (*free_state)(void *state); /* NULL: it is one block of memory */

    /* NULL, or what `sotto plan --explain` says. */
    void (*explain)(const solver_run *r, text_buffer *out);
};

/* How many features there can be. Draws of noise are charged for as many. */
static inline int64_t solver_widest(const solver_facts *f)
{
    return f->features + f->level_columns * ASK_MOST_LEVELS;
}

/* ---- list.c: the solvers ---- */

#define SOLVER_DECLARE(id, name) extern const solver_row solver_##id;
SOLVER_LIST(SOLVER_DECLARE)

/* The i-th, or NULL past the end; its name for --solver. */
const solver_row *solver_at(int64_t i);
const char *solver_name(const solver_row *row);

/* The one that the options name; auto, where they name none. */
const solver_row *solver_of(const sotto_options *options);

/* Asks for the constants M_j, where the plan has that; the first questions
   after the number of rows. */
sotto_status solver_ask_constants(const solver_run *r, sotto_error *error);

/* An option that the solver uses: its value, or the row's default. */
const char *solver_text(const sotto_options *options, const solver_row *row,
                        option_id id);
int solver_is(const sotto_options *options, const solver_row *row, option_id id,
              const char *word);
double solver_number(const sotto_options *options, const solver_row *row,
                     option_id id);

/* Whether the solver uses it. */
int solver_uses(const solver_row *row, option_id id);

/* "--passes is ignored by --solver gcd; it is used by: cd, sgd". */
sotto_status solver_refuse(const solver_row *row, option_id id,
                           sotto_error *error);

/* Refuses an option that other solvers use and this one does not: whoever
   gave it believes that it counts. */
sotto_status solver_check_options(const sotto_options *options,
                                  const solver_row *row, sotto_error *error);

#endif
