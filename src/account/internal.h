/*
 * What the files of the accountant share. Lemma numbers are those of
 * docs/privacy/account.md.
 */
#ifndef ACCOUNT_INTERNAL_H
#define ACCOUNT_INTERNAL_H

#include "account.h"

#define ROUNDOFF 0x1p-53
#define LIBM_ULPS 8 /* assumed of exp, log, erfc and their kin */

/* ---- the normal law (normal.c) ---- */

/* Lower tail for x <= 0, upper tail for x > 0. */
double normal_tail(double x);

/* The profile of the Gaussian mechanism, rounded up (Lemma A6). */
double normal_delta(double mu, double epsilon);
double normal_epsilon(double mu, double delta);

/* The quantile of p, rounded down or up; infinite where none is proven. */
double normal_quantile(double p, int up);

/* The t with this probability inside [-t, t], rounded up. `inside` is rounded
   up, `outside`, 1 less it, down: the smaller one counts. */
double normal_inside(double inside, double outside);

#define NORMAL_LEAST 1e-300 /* smaller tails are not looked at */

/* ---- what a list comes to (merge.c) ---- */

typedef struct merged_event {
    account_kind kind; /* RANGE here: its envelope pair (Lemma A9) */
    double a, b;
    double count;
    int replaced; /* SUBSAMPLED: another record is in the place (Lemma A21) */
} merged_event;

/* One run of equal selections, then Gaussians of that total mu^2. */
typedef struct merged_step {
    double eta, gauss;
    int64_t count;
} merged_step;

typedef struct merged {
    double gauss; /* sum of mu^2 */
    double zcdp;  /* sum of 2 rho: above 0 only moments are known */
    double shown; /* sum of -ln(1 - p) (Lemma A22) */
    double pure;  /* sum of epsilons, RANGE included; INFINITY if not pure */
    merged_event *event; /* neither Gaussian nor RANGE, equal ones merged */
    int64_t events;
    merged_event *range; /* RANGE, merged */
    int64_t ranges;
    double range_count;
    merged_step *step; /* when ordered: RANGE and Gaussians as they come */
    int64_t steps;     /* 0 steps: too many */
    int ordered;       /* whether there are RANGEs in a given order */
    int sampled;       /* whether there is a subsampled event */
    int replaced;      /* asked for replace-one */
    int directions;    /* 2: a record more is not a record less */
} merged;

sotto_status merge_events(merged *out, const account_list *list,
                          sotto_error *error);
void merged_free(merged *p);

/* ---- profiles on a grid (profile.c, range.c) ---- */

/*
 * H on i * step, i = -half .. half; linear in e^epsilon in between (Lemma
 * A3), the last value to the right, by symmetry to the left (Lemma A8).
 * Without values it is max(0, 1 - e^epsilon).
 */
typedef struct profile {
    double step;
    int64_t half;
    double *value; /* 2 half + 1 of them */
    double shift;  /* losses are larger by up to this */
} profile;

double profile_at(const profile *h, double epsilon);
void profile_free(profile *h);

/* All RANGE events of the list, or those and the Gaussians in order. */
sotto_status range_profile(profile *out, const merged *p, int ordered,
                           double delta, double effort, sotto_error *error);

/* Whether the events left over go into the PLD as envelopes: which eta and
   how many selections the recursion takes. */
void range_main(const merged *p, double *eta, double *count, int *all);

/* ---- moments (moments.c) ---- */

/* Losses and probabilities that stand for an event: a guide to windows and
   tilts, never part of a bound. */
typedef struct moments_law {
    double *loss, *weight;
    int64_t nodes;
    double count;
} moments_law;

typedef struct moments {
    moments_law *law;
    int64_t laws;
    double gauss;  /* sum of mu^2 */
    double ranges; /* sum of eta^2 / 4 */
} moments;

typedef struct moments_at {
    double k, mean, variance;
} moments_at;

sotto_status moments_make(moments *out, const merged_event *event,
                          int64_t events, double gauss, double ranges, int add,
                          sotto_error *error);
void moments_free(moments *m);
moments_at moments_value(const moments *m, double tilt);
double moments_tilt_for_epsilon(const moments *m, double epsilon);
double moments_tilt_for_delta(const moments *m, double delta);

/* The smallest `top` with P(loss > top) <= mass, roughly; *tilt attains it. */
double moments_top(const moments *m, double mass, double *tilt);

/* Proven: ln E exp(tilt * loss) of everything (Lemma A10), INFINITY if
   there is none. */
double renyi_bound(const merged *p, double tilt);
double renyi_delta(const merged *p, double epsilon);
double renyi_epsilon(const merged *p, double delta);

/* ---- one pair on a grid (pair.c) ---- */

typedef struct pair_law {
    double step;
    int64_t low, cells; /* masses at (low + i) * step */
    double *mass;
    double infinite; /* mass at infinity */
    double shift;    /* losses are larger by up to this (Lemma A4) */
} pair_law;

typedef struct pair_window {
    double step, low, high; /* losses beyond are moved up (Lemma A4) */
} pair_window;

/* Where the losses of one event are, up to `mass` at each end. */
void pair_extent(const merged_event *event, int add, double mass, double *low,
                 double *high);
/* The loss at x where a sampled record is in the first data set only; that of
   a replaced one at x is this less the same at -x. A guide. */
double pair_sampled_loss(double q, double sigma, double x);
sotto_status pair_make(pair_law *out, const merged_event *event, int add,
                       pair_window window, sotto_error *error);
void pair_free(pair_law *law);

/* ---- the transform (fft.c) ---- */

typedef struct fft {
    int64_t length; /* of the real sequence: a power of two, at least 8 */
    double *cosine, *sine;
} fft;

/* The products of the transforms of real sequences. */
typedef struct fft_product {
    double *re, *im; /* U in [0, length/2), V in the rest */
} fft_product;

sotto_status fft_make(fft *out, int64_t length, sotto_error *error);
void fft_free(fft *f);

/* Error bound of one transform, relative in the 2-norm (Lemma A7). */
double fft_error(const fft *f);

/* re, im: even and odd entries; overwritten. */
void fft_multiply(const fft *f, double *re, double *im, double power,
                  fft_product *product);
void fft_back(const fft *f, const fft_product *product, double *re, double *im);

/* ---- the law of a sum of losses (pld.c) ---- */

typedef struct pld {
    double step;
    int64_t low, cells;
    double *mass;     /* upper bounds, but for `error` */
    double infinite;  /* at infinity: truncation and wrap-around included */
    double log_scale; /* mass = exp(log_scale - tilt * loss) * tilted mass */
    double tilt;
    double error;  /* 2-norm error of the tilted masses */
    double *curve; /* delta at the grid points, without the error */
    double shift;
} pld;

typedef struct pld_aim {
    double epsilon, delta; /* where it is wanted; one may be NAN */
    double effort;         /* 1; less is coarser */
} pld_aim;

/* Everything that is decided before the first mass is computed. */
typedef struct pld_layout {
    double tilt, top_tilt;  /* of the sum, and for Chernoff's bound */
    double bottom, top;     /* the window */
    double step, tail, sum; /* grid, tail of one event, number of events */
    int64_t length;
    double kinds;
    int plain; /* one event: nothing to compose */
} pld_layout;

enum { PLD_MOST = 1 << 21 }; /* cells */

/* Chooses a layout (pld_layout.c). */
sotto_status pld_decide(pld_layout *layout, const merged_event *event,
                        int64_t events, double gauss, double ranges, int add,
                        pld_aim aim, sotto_error *error);

/* No exponential of a tilted loss may overflow; that some underflow is in
   PLD_VANISHED. */
void pld_limit(pld_layout *layout, const merged_event *event, int64_t events,
               int add);

/* Total law of the events and a Gaussian, aimed where it matters. */
sotto_status pld_make(pld *out, const merged_event *event, int64_t events,
                      double gauss, double ranges, int add, pld_aim aim,
                      sotto_error *error);
void pld_free(pld *p);
double pld_delta(const pld *p, const profile *h, double epsilon);

/* ---- prices on grids (price_grid.c) ---- */

#define PRICE_UP (1 + 1e-9) /* rounding of everything that is added up */

/* A profile, and the laws of everything else in one or two directions. */
typedef struct pricing {
    profile h;
    pld law[2];
    int directions;
    int ordered; /* whether the profile has the Gaussians in it */
} pricing;

/* In the given order where the list has its steps, else in any order.
   `least` is a delta below which nothing matters. SOTTO_DATA: no grid fits. */
sotto_status pricing_make(pricing *s, const merged *p, pld_aim aim,
                          double least, sotto_error *error);
void pricing_free(pricing *s);
double pricing_delta(const pricing *s, double epsilon);

/* The same in one direction: 0, the record is in the first data set; 1, it is
   in the second. */
double pricing_delta_in(const pricing *s, int direction, double epsilon);
account_method pricing_method(const merged *p, const pricing *s);

/* Whether grids are of use here; *note says why not. */
int pricing_applies(const merged *p, const char **note);

/* The smallest epsilon in [0, high] whose delta is at most this. */
double pricing_search(const pricing *s, double delta, double high);

/* ---- bookings (booking_curve.c, booking.c) ---- */

/* delta at ln x[i] is at most u[i]: x rises, u falls and is convex in x. */
typedef struct booking_side {
    double *x, *u;
    int64_t points;
} booking_side;

/* What a list may cost, in one direction or in two; in none where no method
   reaches far enough. */
typedef struct booking_curve {
    booking_side side[2];
    int directions;
} booking_curve;

/* From epsilon 0 to where delta has fallen to `least`, and further where that
   is proven. `own`: the list in its own order, or NULL. */
sotto_status booking_curve_make(booking_curve *out, const merged *any,
                                const merged *own, double least,
                                sotto_error *error);
void booking_curve_free(booking_curve *c);

/* The least mu that the curve proves for this delta0, or INFINITY. */
double booking_corner_mu(const booking_curve *c, double delta0);

/* The mu of the events one by one, without a delta0, or INFINITY. */
double booking_closed_mu(const merged *p);

/* ---- prices (price.c) ---- */

/* account_delta with coarser or finer grids; effort 0: none. */
sotto_status price_list(const account_list *list, double epsilon, double effort,
                        account_price *out, sotto_error *error);

/* Keeps the smaller price. */
void price_take(account_price *best, double epsilon, double delta,
                account_method method);

/* What is set aside for counts that are shown (Lemma A22), and what the
   inexact draws of noise add to delta. */
double price_set_aside(const merged *p);
double price_draws(const account_list *list, double epsilon);

/* The list in any order, and whether its own order may be cheaper. */
account_list price_any_order(const account_list *list, int *ordered);

#endif
