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
#include "loss.h"
#include "option.h"

/* The problem, in the units the table is stored in. */
typedef struct solver_problem {
    loss loss;
    double l1, l2;
    double low, high; /* the box; infinite: none */
    int64_t features;
    int intercept;
} solver_problem;

/* What a run leaves. */
typedef struct solver_answer {
    double *weight; /* one for each feature, the caller's */
    double intercept;
    double *noise;  /* NULL, or for each feature the sd of the last noise that
                       entered its weight, before the penalty; 0: none did, or
                       it is not known. The caller's, zeros at first */
    double *bounds; /* of solvers that find bounds: how far features and, behind
                       them, the target go. The caller's; what was declared at
                       first, where that is infinite what was found */
    int common_bound; /* all features have the same that was found */
} solver_answer;

/* Coordinate j was moved by an answer whose noise moved it by that sd. */
static inline void solver_note(const solver_answer *out,
                               const solver_problem *p, int64_t j, double sd)
{
    if (out->noise && j < p->features)
        out->noise[j] = sd;
}

/* Called after each step with the share of them that is done, a public
   number; other than 0 stops. */
typedef int (*solver_progress)(void *context, double share);

/* ---- a run ---- */

/* What is public about the records: by declaration, before any question. */
typedef struct solver_facts {
    int64_t features;
    double rows; /* 0: not public, to be asked */
    double weight_bound;
    int has_people;
    int only_planned;    /* `rows` may stand for a number that is not known */
    double target_reach; /* how far targets go, by declaration; or infinite */
    int64_t scaled;      /* features that are divided by their row's length */
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
    const double *half; /* stored = (raw - centre) / half; NULL: 1 */
    double target_half;
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
    int finds_bounds;   /* it asks for bounds that are not declared */
    int shortens_rows;  /* to --norm-bound */
    int one_ball;       /* all weights are in one L1 ball, of --radius */

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

    /* NULL, or adds to a plan, a JSON object, what is asked for by --set. */
    sotto_status (*theory)(const solver_run *r, struct json_t **plan,
                           sotto_error *error);
};

/* ---- list.c: the solvers ---- */

#define SOLVER_DECLARE(id, name) extern const solver_row solver_##id;
SOLVER_LIST(SOLVER_DECLARE)

/* The i-th, or NULL past the end; its name for --solver. */
const solver_row *solver_at(int64_t i);
const char *solver_name(const solver_row *row);

/* The one that the options name; auto, where they name none. */
const solver_row *solver_of(const sotto_options *options);

/* An option that the solver uses: its value, or the row's default. */
const char *solver_text(const sotto_options *options, const solver_row *row,
                        option_id id);
int solver_is(const sotto_options *options, const solver_row *row, option_id id,
              const char *word);
double solver_number(const sotto_options *options, const solver_row *row,
                     option_id id);

/* Refuses an option that other solvers use and this one does not: whoever
   gave it believes that it counts. */
sotto_status solver_check_options(const sotto_options *options,
                                  const solver_row *row, sotto_error *error);

/* ---- prox.c ---- */

/* The u that makes (u - v)^2 / (2 step) + the penalty at u least. */
double solver_prox(const solver_problem *p, double v, double step);

/* ---- cd.c: DP-CD ---- */

typedef enum cd_order { CD_UNIFORM, CD_PERMUTED, CD_CYCLIC } cd_order;

typedef struct cd_settings {
    int64_t rounds;   /* T */
    int64_t steps;    /* K, in each round */
    double step_size; /* gamma: steps are gamma / M_j */
    double clip;      /* C: thresholds are C sqrt(M_j / sum M) */
    double average;   /* the last part of a round that is averaged */
    cd_order order;
    const double *smoothness; /* M_j, and the intercept's behind them */
} cd_settings;

sotto_status cd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const cd_settings *s, solver_progress progress,
                    void *context, sotto_error *error);

/* ---- newton_rule.c: the table of shares ---- */

/* What the rule knows before a record is asked about: all of it public. */
typedef struct newton_facts {
    double rows;    /* declared, or an answer */
    double mu;      /* of all questions together */
    double epsilon; /* the same, where all can be planned beforehand; else 0 */
    int64_t features;
    int intercept;
    loss loss;
    int replace_one; /* a record may be another one, not only be gone */
    double rows_per_person;
    int64_t unbounded;    /* features whose bounds nobody declared */
    int target_unbounded; /* a number, and the same of it */
    int goes_on;          /* from a selection: target, bounds and a start are
                             known */
} newton_facts;

/* Shares of mu^2; 0: not asked. */
typedef struct newton_rule {
    double target_counts, target_mean, target_scale; /* the response */
    double bounds;     /* those that nobody declared: */
    int common_bound;  /* one for all of them */
    double row_counts; /* tighter bounds */
    double row_scale;  /* lengths (wide) */
    double column_counts, column_means, column_squares;
    double matrix, gradients, lengths, guard;
    int64_t rounds, first_rounds; /* of which so many are not averaged, */
    double first;                 /* and have this part of the gradients' */
    double reach;                 /* rows are shortened to sqrt(this x trace) */
    double strength;              /* n mu, as if a record could be replaced */
    int64_t features, unbounded;  /* that are asked about */
    int chosen;                   /* it goes on from a selection */
    int wide;    /* gradients in the features' own directions */
    int64_t few; /* so many choices, with pure noise, are planned beforehand */
} newton_rule;

double newton_strength(const newton_facts *f);
newton_rule newton_make_rule(const newton_facts *f);

/* The rule where nothing but the intercept can be learned. */
newton_rule newton_make_intercept_rule(const newton_facts *f);

/* The rules of select.c, for what comes before the selections, and wide.c. */
newton_rule newton_make_select_rule(const newton_facts *f);
newton_rule newton_make_wide_rule(const newton_facts *f);

/* What of the budget a rule takes. */
double newton_shares(const newton_rule *r);

/* Adds the questions of the rule, in their order, to a plan. */
void newton_add_plan(ask_plan *plan, const newton_rule *rule, double mu);

/* ---- path.c: which way `auto` goes ---- */

typedef enum solver_path {
    PATH_DENSE,     /* newton on all features */
    PATH_SELECT,    /* a few features first, newton on them */
    PATH_WIDE,      /* more features than rows */
    PATH_INTERCEPT, /* nothing but the intercept can be learned */
    PATHS
} solver_path;

const char *path_name(solver_path path);

/* Chosen of public quantities; *why is the inequality that did it. */
solver_path path_choose(const newton_facts *f, double l1, const char **why);

/* ---- newton.c: a noisy second-moment matrix, then whitened gradients ---- */

typedef struct newton_settings {
    newton_facts facts;
    newton_rule rule;
    double *reach;        /* how far features go, by declaration; where that
                             is infinite, what is bought */
    double *target_reach; /* and the target */
    const double *unit;   /* weights that are penalised are these times the
                             stored ones; NULL: 1 */
    double level;         /* select: of what the plan leaves for later */
} newton_settings;

sotto_status newton_run(solver_answer *out, curator *c, const solver_problem *p,
                        const newton_settings *s, solver_progress progress,
                        void *context, sotto_error *error);

/* ---- select.c: a few features, and newton on them ---- */

sotto_status select_run(solver_answer *out, curator *c, const solver_problem *p,
                        const newton_settings *s, solver_progress progress,
                        void *context, sotto_error *error);

/* So many selections it makes at most, with these shares of the budget. */
int64_t select_most(const newton_facts *f);
double select_share(const newton_rule *start, int64_t t);

/* Where the budget is worth very few selections, so many of them; else 0.
   They are planned beforehand, and their choices have pure noise. */
int64_t select_few(const newton_facts *f);
void select_add_few(ask_plan *plan, const newton_facts *f,
                    const newton_rule *start);

/* ---- wide.c: more features than rows ---- */

sotto_status wide_run(solver_answer *out, curator *c, const solver_problem *p,
                      const newton_settings *s, solver_progress progress,
                      void *context, sotto_error *error);

/* ---- matrix.c: small symmetric matrices, as post-processing ---- */

/* a = V diag(value) V', columns of V in `vector`. */
sotto_status matrix_eigen(const double *a, int64_t d, double *value,
                          double *vector, sotto_error *error);

/* And back: out = V diag(value) V'. */
void matrix_compose(const double *value, const double *vector, int64_t d,
                    double *out);

/* The v that makes <g, v - from> + (v - from)' H (v - from) / 2 plus the sum
   of l1_j |v_j| + l2_j v_j^2 / 2 least, within [low_j, high_j]. */
typedef struct matrix_model {
    int64_t d;
    const double *h, *g, *l1, *l2, *low, *high;
} matrix_model;

sotto_status matrix_minimise(const matrix_model *m, const double *from,
                             double *v, sotto_error *error);

/* ---- ssp.c: sufficient statistics ---- */

typedef struct ssp_settings {
    double reach;        /* C: rows with their target are shortened to it */
    const double *scale; /* of the features */
    double target_scale;
} ssp_settings;

sotto_status ssp_run(solver_answer *out, curator *c, const solver_problem *p,
                     const ssp_settings *s, sotto_error *error);

/* ---- minimiser.c: output and objective perturbation ---- */

/* `kind` is ASK_MINIMISER or ASK_PERTURBED. */
sotto_status minimiser_run(solver_answer *out, curator *c,
                           const solver_problem *p, ask_kind kind,
                           sotto_error *error);

/* ---- gcd.c: DP-GCD ---- */

typedef struct gcd_settings {
    int64_t steps;            /* T */
    double step_size;         /* gamma: steps are gamma / M_j */
    double clip;              /* c: thresholds are c sqrt(M_j) */
    ask_rule rule;            /* what makes a coordinate worth choosing */
    const double *smoothness; /* M_j, and the intercept's behind them */
} gcd_settings;

sotto_status gcd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const gcd_settings *s, solver_progress progress,
                     void *context, sotto_error *error);

/* ---- fw.c: private Frank-Wolfe ---- */

typedef struct fw_settings {
    int64_t steps;    /* T */
    double radius;    /* of the L1 ball */
    double intercept; /* how far the intercept may go; 0: there is none */
    double clip;      /* C: of every partial derivative of a record */
} fw_settings;

sotto_status fw_run(solver_answer *out, curator *c, const solver_problem *p,
                    const fw_settings *s, solver_progress progress,
                    void *context, sotto_error *error);

/* ---- bcfw.c, sampling.c: block-coordinate Frank-Wolfe ---- */

/* An L1 ball, or a box with 0 in it. */
typedef struct bcfw_block {
    const int64_t *coordinate; /* in ascending order */
    int64_t count;
    double radius;    /* of a ball; 0: a box */
    double low, high; /* of a box */
} bcfw_block;

/* The product of its blocks; the intercept is an interval of its own. */
typedef struct bcfw_domain {
    const bcfw_block *block;
    int64_t blocks;
    double intercept; /* from -this to this; 0: there is none */
} bcfw_domain;

typedef enum bcfw_kind {
    BCFW_ALL,         /* all blocks */
    BCFW_SERIAL,      /* one, each as likely */
    BCFW_NICE,        /* tau, each set of them as likely */
    BCFW_DISTRIBUTED, /* tau of those of each party */
    BCFW_GIVEN        /* sets with probabilities */
} bcfw_kind;

/* The intercept moves in every step, whatever the sampling is. */
typedef struct bcfw_sampling {
    bcfw_kind kind;
    int64_t tau;
    int64_t parties; /* which have runs of the blocks */

    int64_t sets; /* of BCFW_GIVEN: set k is block[start[k] .. start[k+1]) */
    double *probability;
    int64_t *start, *block;
    double *chance; /* and what that makes for each block */
} bcfw_sampling;

/* The least probability with which a block is drawn: p_min. */
double bcfw_least(const bcfw_domain *d, const bcfw_sampling *s);

/* The most questions that a step can have. */
int64_t bcfw_most(const bcfw_domain *d, const bcfw_sampling *s);

typedef struct bcfw_settings {
    int64_t steps;      /* T */
    double clip;        /* C: of every partial derivative of a record */
    int64_t candidates; /* of a ball, drawn in each step; 0: all */
    const bcfw_sampling *sampling;
} bcfw_settings;

sotto_status bcfw_run(solver_answer *out, curator *c, const solver_problem *p,
                      const bcfw_domain *d, const bcfw_settings *settings,
                      solver_progress progress, void *context,
                      sotto_error *error);

/* ---- descent.c: what DP-GD and DP-SGD share ---- */

typedef struct descent_settings {
    int64_t steps;    /* T */
    double step_size; /* steps are this / M_j ... */
    double decay;     /* ... / (1 + decay t), t = 0, 1, ... */
    double momentum;  /* 0: none; below 1 */
    double average;   /* the last part of the steps that is averaged */
    double clip;      /* of a record's gradient, in units of sqrt(M_j) */
    double rate;      /* of the batches; 1 without */
    const double *smoothness; /* M_j, and the intercept's behind them */
} descent_settings;

/* ---- gd.c: DP-GD ---- */

sotto_status gd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const descent_settings *s, solver_progress progress,
                    void *context, sotto_error *error);

/* ---- sgd.c: DP-SGD ---- */

sotto_status sgd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const descent_settings *s, solver_progress progress,
                     void *context, sotto_error *error);

/* ---- svrg.c: DP-SVRG ---- */

typedef struct svrg_settings {
    int64_t rounds;         /* S: each asks for a whole gradient */
    int64_t steps;          /* m: batches in a round */
    double step_size;       /* steps are this / M_j */
    double clip;            /* C1: of a record's gradient */
    double difference_clip; /* C2: of how much it differs from the anchor's */
    double rate;            /* q: of the batches */
    const double *smoothness;
} svrg_settings;

sotto_status svrg_run(solver_answer *out, curator *c, const solver_problem *p,
                      const svrg_settings *s, solver_progress progress,
                      void *context, sotto_error *error);

/* ---- scd.c: DP-SCD ---- */

typedef struct scd_settings {
    int64_t steps;     /* T */
    double rate;       /* q: each record is in a batch with this probability */
    double clip;       /* C: how far a record may move the shared vector */
    double average;    /* the last part of all steps that is averaged */
    int sequence;      /* public blocks of rows, each row after the other */
    double dual_noise; /* sd of noise on dual variables, in clips; 0 but in the
                          paper's own algorithm */
} scd_settings;

sotto_status scd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const scd_settings *settings, solver_progress progress,
                     void *context, sotto_error *error);

/* ---- scd_primal.c: the primal, for comparison ---- */

typedef struct scd_primal_settings {
    int64_t steps;
    int64_t block; /* coordinates that move at once */
    double clip;   /* how far a coordinate may move in a step */
} scd_primal_settings;

sotto_status scd_primal_run(solver_answer *out, curator *c,
                            const solver_problem *p,
                            const scd_primal_settings *settings,
                            solver_progress progress, void *context,
                            sotto_error *error);

#endif
