/*
 * What the files of an audit share: whether trainings on two neighbours can be
 * told apart better than the claim allows (docs/privacy/audit.md).
 */
#ifndef SOTTO_FIT_AUDIT_H
#define SOTTO_FIT_AUDIT_H

#include "private.h"

/* ---- audit_test.c: counts and tests ---- */

/* Bounds of Clopper and Pearson on a chance, of which `hits` of `runs` came
   true: below is wrong at most so often, and so is above. */
double audit_below(int64_t hits, int64_t runs, double wrong);
double audit_above(int64_t hits, int64_t runs, double wrong);

double audit_normal(double x);
double audit_quantile(double p);

/* So many numbers of each side: those of the second neighbour are meant to be
   the larger ones. */
typedef struct audit_sides {
    double *value[2];
    int64_t count;
} audit_sides;

/* The threshold that tells the sides apart best, and how well they are told by
   all thresholds: the mu of Gaussian noise with that area under its curve. */
double audit_threshold(const audit_sides *s, double *threshold);

/* How many of a side are above it. */
int64_t audit_hits(const audit_sides *s, int side, double threshold);

/* A direction in which vectors of two sides differ most: of each side `count`
   vectors of `dims` numbers, by rows. They are scaled first, and clipped. */
typedef struct audit_direction {
    int64_t dims;
    double *centre, *scale, *along;
} audit_direction;
sotto_status audit_learn(audit_direction *out, double *const vectors[2],
                         int64_t count, int64_t dims, sotto_error *error);
double audit_project(const audit_direction *d, const double *vector);
void audit_free_direction(audit_direction *d);

/* ---- audit_claim.c: what was promised ---- */

enum { AUDIT_POINTS = 10 };

/* No event is more likely on one neighbour than e^epsilon times as likely on
   the other, plus delta: for each of these. */
typedef struct audit_claim {
    double epsilon, delta; /* as stated */
    double mu;             /* of Gaussian noise that is told as well */
    int gaussian;          /* all noise is, and none is of samples */
    double at[AUDIT_POINTS], most[AUDIT_POINTS];
} audit_claim;

sotto_status audit_read_claim(audit_claim *out, const private_run *planned,
                              sotto_error *error);

/* Bounds on the chances of a hit: at least `low` on the second neighbour, at
   most `high` on the first. Both hold, but for a chance of `wrong`. */
typedef struct audit_bounds {
    double low, high;
} audit_bounds;
audit_bounds audit_bound(int64_t hits, int64_t alarms, int64_t runs,
                         double wrong);

/* The verdict "broken" is wrong less than once in ten million audits; what is
   printed as certified, one time in twenty. */
#define AUDIT_BROKEN_WRONG 1e-7
#define AUDIT_CERTIFIED_WRONG .05

/* Whether they break the claim; the mu that they show; the epsilon that they
   show at delta, whatever the noise is; and what a mu comes to, if noise is
   Gaussian. */
int audit_breaks(const audit_claim *c, audit_bounds b);
double audit_mu(audit_bounds b);
double audit_epsilon(double delta, audit_bounds b);
double audit_gaussian_epsilon(double mu, double delta);

/* What so many held-out runs can show: the mu that is certified when noise is
   as claimed, and how many times the claim a mu must be to be found. */
void audit_power(const audit_claim *c, int64_t held, double *certified,
                 double *found);

/* ---- audit_run.c: trainings on neighbours ---- */

typedef struct audit_pair {
    char name[80];
    invented side[2];
} audit_pair;

enum { AUDIT_PAIRS = 5 };

typedef struct audit {
    sotto_options *options; /* a copy; each training has one thread */
    private_run planned;    /* once, for all of them */
    audit_claim claim;
    int64_t common;   /* rows of both neighbours */
    int64_t times;    /* rows of whoever differs */
    int64_t dims;     /* of a model */
    int64_t features; /* as of --features; 0: the schema lists them */
    int numbered;     /* as those of svmlight */
    audit_pair pair[AUDIT_PAIRS];
    int pairs;
    int threads;
    const sotto_progress_callback *callback; /* or NULL */
    int64_t done, total;                     /* of all trainings */
} audit;

/* Any two neighbours that the declarations allow. */
audit_pair audit_any_pair(const audit *a, uint64_t seed);

sotto_status audit_open(audit *a, const sotto_options *options,
                        sotto_error *error);
void audit_close(audit *a);

/* What was found of one training. */
typedef struct audit_trial {
    double loss;    /* what its answers say for the second neighbour */
    double *weight; /* of its model: dims numbers, the caller's */
    double moved;   /* curator_heard */
    const char *question;
    int64_t questions;
    int agree; /* all that was released is the same on both */
    char why[160];
} audit_trial;

/* Trains on one side of the pair, and hears what the other would have said.
   `whole` compares every byte, too. */
sotto_status audit_try(const audit *a, const audit_pair *pair, int side,
                       int whole, audit_trial *out, sotto_error *error);

/* Does work(context, i) for i from 0 to count - 1 by all threads; stops at the
   first failure, or when the callback says so. */
typedef sotto_status audit_work(void *context, int64_t i, sotto_error *error);
sotto_status audit_all(audit *a, int64_t count, audit_work *work, void *context,
                       sotto_error *error);

#endif
