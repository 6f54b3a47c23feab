/*
 * plan: which questions a run will ask about the records, how each answer is
 * protected, and what that costs. A plan is public. It is made and priced
 * before a record is read.
 */
#ifndef SOTTO_PLAN_H
#define SOTTO_PLAN_H

#include "account.h"

/* What is promised, and to whom (curator.h). A solver passes it on and cannot
   look into it. */
typedef struct curator_policy curator_policy;

/* The kinds of questions. src/curator/questions.c has a row for each. */
typedef enum ask_kind {
    ASK_TOTAL,           /* the number of rows, or the sum of their weights */
    ASK_MOMENTS,         /* the mean square of every feature */
    ASK_PARTIAL,         /* one partial derivative of the mean loss */
    ASK_GRADIENT,        /* the gradient of the mean loss */
    ASK_CHOICE,          /* which coordinate promises most */
    ASK_BATCH,           /* the part of the gradient that a batch makes */
    ASK_DIFFERENCE,      /* that part, less the same part at the anchor */
    ASK_DUAL,            /* a step of the dual variables of a batch */
    ASK_SEQUENCE,        /* such steps in a public block, row after row */
    ASK_PRIMAL,          /* a step in some coordinates */
    ASK_ROW_COUNTS,      /* a histogram of the sizes of rows */
    ASK_TARGET_COUNTS,   /* a histogram of the sizes of targets */
    ASK_COLUMN_COUNTS,   /* a histogram for every feature */
    ASK_ROW_QUANTILE,    /* a quantile of the sizes of rows */
    ASK_TARGET_QUANTILE, /* a quantile of the sizes of targets */
    ASK_TARGET_MEAN,     /* the mean of the clipped target */
    ASK_COLUMN_MEANS,    /* the mean of every clipped feature */
    ASK_COLUMN_SQUARES,  /* the mean square of each about a centre */
    ASK_MATRIX,          /* the second moments of shortened rows */
    ASK_CROSS,           /* the same, with the target as one more feature */
    ASK_CURVATURE,       /* the same, of rows by the loss's curvature */
    ASK_WHITENED,        /* the gradient in coordinates that were told */
    ASK_LENGTHS,         /* the mean length of records' gradients there */
    ASK_LENGTH_COUNTS,   /* a histogram of these lengths */
    ASK_CHANGE,          /* the mean loss, less that of a constant */
    ASK_MINIMISER,       /* the minimiser of the objective */
    ASK_PERTURBED,       /* the same, with noise in the objective */
    ASK_LATER,           /* a budget for questions chosen from answers */
    ASK_VERTEX,          /* which coordinate to move along, and which way */
    ASK_LABELS,          /* a sketch of the targets */
    ASK_SKETCH,          /* a sketch of one feature */
    ASK_ALONG,           /* which feature points along a sketched vector */
    ASK_CLASS_COUNTS,    /* how many rows each class has */
    ASK_CLASS_GRADIENT,  /* the gradient by the weights of all classes */
    ASK_CLASS_BEND,      /* how sharply the loss bends between classes */
    ASK_CLASS_CHOICE,    /* which feature promises most to all classes */
    ASK_CLASS_PARTIAL,   /* the derivatives by one feature's weights */
    ASK_LEVELS,          /* which levels of categories many people have */
    ASK_OUTCOMES,        /* how many rows a model answers how */
    ASK_ERRORS,          /* how wrong a model is, on average */
    ASK_KINDS
} ask_kind;

const char *ask_name(ask_kind kind);

/* What people read about a kind of question. */
typedef struct ask_words {
    const char *name;      /* in plans, statements and reports */
    const char *meaning;   /* for those who do not know the name */
    const char *mechanism; /* how it is protected; NULL: as its noise says */
    int by_price;          /* its noise multiplier is that of an event which
                              costs as much: the noise itself is in the
                              objective, or in questions of their own */
    int noise_adds_up;     /* a weight has the noise of all its answers, not
                              of the last alone */
    int picks_weight;      /* it says which weight moves */
} ask_words;

/* NULL: no question has this name. */
const ask_words *ask_words_named(const char *name);

/* How an answer is protected, and what the level of that is.
   src/curator/mechanisms.c has a row for each. */
typedef enum ask_noise {
    ASK_GAUSSIAN, /* mu = sensitivity / sd */
    ASK_LAPLACE,  /* epsilon = sensitivity / scale */
    ASK_SAMPLED,  /* as Gaussian; each person counts with probability `rate`,
                     by a coin that stays secret */
    ASK_GUMBEL,   /* a choice by the exponential mechanism; its range eta */
    ASK_RANGE,    /* the same; mu of a Gaussian that reveals at least as much */
    ASK_FLIP,     /* a choice by permute-and-flip; epsilon */
    ASK_NOISY,    /* a choice by Laplace noise on each score; epsilon */
    ASK_SHOWN,    /* as Gaussian; of counts, only those above a threshold */
    ASK_NOISES
} ask_noise;

/* A mechanism and its price. */
typedef struct ask_mechanism {
    const char *words;  /* its name in statements */
    account_kind event; /* what it is priced as */
    /* From a level to the event's mu, epsilon or eta. */
    double (*charge)(double level);
    /* square level^2 is its part of mu^2 where its list has Gaussians (of
       ASK_GUMBEL about, of many). 0: it has no such part: pure epsilons add up
       instead. */
    double square;
    /* The level that spends this share of a budget. */
    double (*level)(double share, double rate);
    double sd; /* the standard deviation of noise of scale 1 */
} ask_mechanism;

const ask_mechanism *ask_mechanism_of(ask_noise noise);

/* A question of a plan, which is asked several times. */
typedef struct ask_item {
    ask_kind kind;
    int64_t count; /* how often it is asked */
    double level;  /* each time; 0: without noise, which only a run that is
                      NOT PRIVATE may plan */
    ask_noise noise;
    double rate;    /* of ASK_SAMPLED */
    int64_t block;  /* of ASK_SEQUENCE: how many rows a block has.
                       of ASK_PRIMAL: how many coordinates.
                       of columns and their matrix: how many features are
                       asked about at once; 0: all.
                       of sketches: how many buckets.
                       of classes: how many there are.
                       of ASK_LEVELS: how many counts one person can be in.
                       of ASK_OUTCOMES: how many cells there are at most.
                       of ASK_ERRORS: how many means are asked for at once.
                       of ASK_LATER: for how many choices more noise may be
                       drawn, beyond what is always allowed */
    int64_t blocks; /* of ASK_SEQUENCE: how many blocks take turns */
    double shown;   /* of ASK_SHOWN: with at most this probability a level that
                       one person alone has is shown */
    int and_next;   /* asked in turn with the next item, which has its count */
} ask_item;

/*
 * What will be asked, in this order. A question may be left out, and is paid
 * for all the same. None can be asked out of turn.
 *
 * A plan may say any_order instead. Then each kind is one item at most, and
 * its count is a cap. That costs a little more.
 */
enum { ASK_MOST_ITEMS = 32 };

typedef struct ask_plan {
    ask_item item[ASK_MOST_ITEMS];
    int items;
    int any_order;
} ask_plan;

/* How often the plan asks questions of this kind. */
int64_t ask_planned(const ask_plan *plan, ask_kind kind);

/* ---- planning: functions of public values ---- */

/* The largest rate up to q that coins can have: for ASK_SAMPLED. */
double curator_rate(double q);

/* So many levels of a category are released at most: those of the largest noisy
   counts. */
enum { ASK_MOST_LEVELS = 1000 };

/* How many values of noise one question draws at most. Each draw is charged
   to delta (docs/privacy/noise.md, Lemma N2). */
double curator_draws(const ask_item *item, int64_t features);

/* How many people a level must have, noise and all, to be released by this
   question; INFINITY: no number is enough. */
double ask_people_shown(const curator_policy *policy, const ask_item *item);

/* How many events an item is priced as: one for each time that it is asked,
   or where blocks take turns one for each round of all blocks. */
int64_t curator_priced_count(const ask_item *item);

/* The question as the accountant knows it. */
account_question curator_question(const ask_item *item);

/* The scale of its noise, as a multiple of the sensitivity. Of a choice, the
   scale of the noise on its scores. */
double curator_multiplier(const ask_item *item);

/* The events of a plan, which the accountant prices. Questions without noise
   have no price and are left out. */
sotto_status curator_events(account_list *out, const ask_plan *plan,
                            account_adjacency adjacency, int64_t features,
                            sotto_error *error);

/* Scales the levels, which are shares of a budget, so that the plan costs at
   most (epsilon, delta). */
sotto_status curator_calibrate(ask_plan *plan, account_adjacency adjacency,
                               int64_t features, double epsilon, double delta,
                               sotto_error *error);

/*
 * Whether a plan can be carried out. Its items must be sound (SOTTO_FAILED:
 * a fault of the program). The samplers must be able to draw the noise of every
 * question, or no question has noise and the policy says so (SOTTO_PRIVACY).
 */
sotto_status curator_check(const curator_policy *policy, const ask_plan *plan,
                           int64_t features, sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(ask_name);
CORE_EXPORT(ask_mechanism_of);
CORE_EXPORT(curator_calibrate);
CORE_EXPORT(curator_question);
CORE_EXPORT(curator_events);

#endif
