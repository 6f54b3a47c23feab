/*
 * plan: what will be asked of the records, at which noise, and what that
 * costs. All of it is public and made before a record is read.
 */
#ifndef SOTTO_PLAN_H
#define SOTTO_PLAN_H

#include "account.h"

/* What is promised, and to whom. A solver hands it on and cannot look into
   it. */
typedef struct curator_policy curator_policy;

/* The questions there are. */
typedef enum ask_kind {
    ASK_TOTAL,      /* how many rows, or the sum of their weights */
    ASK_MOMENTS,    /* the mean square of every feature */
    ASK_PARTIAL,    /* one partial derivative of the mean loss */
    ASK_GRADIENT,   /* all of them at once */
    ASK_CHOICE,     /* which coordinate promises most */
    ASK_BATCH,      /* a batch's part of the gradient */
    ASK_DIFFERENCE, /* the same, less that at the anchor */
    ASK_DUAL,     /* how far a batch's dual variables move the shared vector */
    ASK_SEQUENCE, /* the same of a public block, one row after the other */
    ASK_PRIMAL,   /* how far some coordinates should go */
    ASK_ROW_COUNTS,      /* how many rows have entries of which size */
    ASK_TARGET_COUNTS,   /* the same of the target */
    ASK_COLUMN_COUNTS,   /* of every feature by itself */
    ASK_ROW_QUANTILE,    /* a size that about such a share of the rows have */
    ASK_TARGET_QUANTILE, /* the same of the target */
    ASK_TARGET_MEAN,     /* the mean of the clipped target */
    ASK_COLUMN_MEANS,    /* of every clipped feature */
    ASK_COLUMN_SQUARES,  /* their mean squares about a centre */
    ASK_MATRIX,          /* the second moments of shortened rows */
    ASK_CROSS,           /* the same, with the target as one more feature */
    ASK_WHITENED,        /* the gradient in told coordinates */
    ASK_LENGTHS,         /* how long records' gradients are there */
    ASK_CHANGE,          /* how much better than a constant */
    ASK_MINIMISER,       /* where the objective is least */
    ASK_PERTURBED,       /* the same, of one with a random linear part */
    ASK_LATER,           /* questions that are chosen from answers */
    ASK_VERTEX,          /* which coordinate to go along, and which way */
    ASK_LABELS,          /* a sketch of the targets */
    ASK_SKETCH,          /* a sketch of one feature */
    ASK_ALONG, /* which feature, with which sign, points along a vector */
    ASK_KINDS
} ask_kind;

const char *ask_name(ask_kind kind);

/* What people read about a kind of question. */
typedef struct ask_words {
    const char *name;      /* in plans, statements and reports */
    const char *meaning;   /* for those who do not know the name */
    const char *mechanism; /* what protects it; NULL: its noise alone */
    int by_price;          /* its noise multiplier is that of an event which
                              costs as much: the noise itself is in the
                              objective, or in questions of their own */
    int noise_adds_up;     /* a weight has the noise of all its answers, not
                              of the last alone */
    int picks_weight;      /* it says which weight moves */
} ask_words;

/* NULL: no question has this name. */
const ask_words *ask_words_named(const char *name);

/* How answers are protected, and what their level is. */
typedef enum ask_noise {
    ASK_GAUSSIAN, /* mu: sensitivity / sd */
    ASK_LAPLACE,  /* epsilon: sensitivity / scale */
    ASK_SAMPLED,  /* as Gaussian, and each person counts with probability
                     `rate`, by a coin that stays secret */
    ASK_GUMBEL,   /* a choice by the exponential mechanism; eta, its range */
    ASK_RANGE,    /* the same; mu, of a Gaussian that reveals no less */
    ASK_FLIP,     /* a choice by permute-and-flip; epsilon */
    ASK_NOISY,    /* a choice by Laplace noise on each score; epsilon */
    ASK_MIXED,    /* of ASK_LATER: Gaussian questions, and choices as
                     ASK_GUMBEL's; sqrt(2 rho), of zCDP */
    ASK_NOISES
} ask_noise;

/* A mechanism and its price. */
typedef struct ask_mechanism {
    const char *words;  /* in statements */
    account_kind event; /* what it is priced as */
    /* the event's mu, epsilon, eta or rho; rho is to be rounded up */
    double (*charge)(double level);
    double square; /* level^2 times this is its part of mu^2, or 2 rho; 0: it
                      has none, as what is pure, whose epsilons add up */
    /* the level of a question that gets this share of a budget, in which
       other questions have levels of the same sort */
    double (*level)(double share, double rate);
    double sd; /* of noise of scale 1 */
} ask_mechanism;

const ask_mechanism *ask_mechanism_of(ask_noise noise);

/* One kind of question: how often it is asked, and at what level each time
   (0: without noise, which only a run that is NOT PRIVATE may plan). */
typedef struct ask_item {
    ask_kind kind;
    int64_t count;
    double level;
    ask_noise noise;
    double rate;    /* of ASK_SAMPLED */
    int64_t block;  /* of ASK_SEQUENCE: rows, of ASK_PRIMAL: coordinates, of
                       columns and their matrix: features that are asked
                       about at once, and 0 is all; of sketches: buckets; of
                       ASK_LATER: choices for whose noise there is room, on
                       top of what is always there */
    int64_t blocks; /* of ASK_SEQUENCE: which take turns */
    int and_next;   /* asked in turn with the next item, which has its count */
} ask_item;

/*
 * What will be asked, in this order. A question may be left out; then it is
 * paid for all the same. None can be asked out of turn. In any order: each
 * kind is one item, and its count a cap, whatever is asked in between; that
 * costs a little more.
 */
enum { ASK_MOST_ITEMS = 32 };

typedef struct ask_plan {
    ask_item item[ASK_MOST_ITEMS];
    int items;
    int any_order;
} ask_plan;

/* How often the plan has this question. */
int64_t ask_planned(const ask_plan *plan, ask_kind kind);

/* ---- planning: functions of public values ---- */

/* The rate nearest below q that coins can have: of ASK_SAMPLED. */
double curator_rate(double q);

/* How many noise values one question draws, or a few more. */
double curator_draws(const ask_item *item, int64_t features);

/* What the events of a plan are priced for: the adjacency, or add-remove for
   replace-one where rows are sampled; group privacy does the rest. */
account_adjacency curator_priced_for(const ask_plan *plan,
                                     account_adjacency adjacency);

/* As how many events an item's questions are priced: one for each, or where
   blocks take turns one for each round of them. */
int64_t curator_priced_count(const ask_item *item);

/* The question as the accountant knows it. */
account_question curator_question(const ask_item *item);

/* Its noise in sensitivities: the scale, of a choice that of its scores. */
double curator_multiplier(const ask_item *item);

/*
 * The event list of a plan under a policy: what the accountant prices.
 * Questions without noise have no price and are left out.
 */
sotto_status curator_events(account_list *out, const ask_plan *plan,
                            account_adjacency adjacency, int64_t features,
                            sotto_error *error);

/* Scales the levels, which are shares of a budget, so that the plan costs at
   most (epsilon, delta). */
sotto_status curator_calibrate(ask_plan *plan, account_adjacency adjacency,
                               int64_t features, double epsilon, double delta,
                               sotto_error *error);

/*
 * Whether a plan can be carried out: every question that it has has noise
 * that the samplers can draw, or none has any and the policy says so.
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
