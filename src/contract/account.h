/*
 * account: what a list of noisy answers costs. Events in, (epsilon, delta)
 * out: never less than the truth (docs/privacy/account.md).
 */
#ifndef SOTTO_ACCOUNT_H
#define SOTTO_ACCOUNT_H

#include "base.h"
#include "choices.h"

/* ---- events: what one noisy answer can reveal ---- */

typedef enum account_kind {
    ACCOUNT_GAUSS,      /* a = mu: sensitivity / noise (mu-GDP) */
    ACCOUNT_LAPLACE,    /* a = sensitivity / scale */
    ACCOUNT_PURE,       /* a = epsilon of any pure mechanism */
    ACCOUNT_SUBSAMPLED, /* a = q, Poisson; b = sigma: noise / sensitivity */
    ACCOUNT_RANGE,      /* a = eta: bounded range, e.g. a Gumbel selection */
    ACCOUNT_ZCDP,       /* a = rho: all that is known are its moments */
    ACCOUNT_SHOWN,      /* a = mu of noisy counts, of which the large ones are
                           shown; b = p: a count that one person makes alone is
                           shown with at most this probability */
    ACCOUNT_KINDS
} account_kind;

/* ACCOUNT_ADD_REMOVE, ACCOUNT_REPLACE_ONE, ... */
#define ACCOUNT_ADJACENCY(id, ...) ACCOUNT_##id,
typedef enum account_adjacency {
    ADJACENCY_LIST(ACCOUNT_ADJACENCY) ACCOUNT_ADJACENCIES
} account_adjacency;
#undef ACCOUNT_ADJACENCY

typedef struct account_event {
    account_kind kind;
    double a, b;
    int64_t count;               /* so many of them in a row */
    account_adjacency adjacency; /* what it was priced for */
} account_event;

/* Consecutive events that are run `repeat` times as a round. */
typedef struct account_round {
    int64_t first, size, repeat;
} account_round;

/*
 * An event list is a value: {0} is empty. Every event belongs to a round.
 * `ordered` says that the events happen in the order of the list, fixed in
 * advance: then selections are priced in that order, which is cheaper.
 * `draws` noise draws, each within 2^-80 of its law, are charged to delta.
 */
typedef struct account_list {
    account_event *event;
    int64_t events;
    account_round *round;
    int64_t rounds;
    account_adjacency adjacency; /* what is asked about */
    int ordered;
    double draws;
} account_list;

/* Adds one event as a round of its own. */
sotto_status account_add(account_list *list, account_event event,
                         sotto_error *error);

/* Makes rounds `first` and later one round, run `repeat` times. */
sotto_status account_repeat(account_list *list, int64_t first, int64_t repeat,
                            sotto_error *error);

/*
 * Adds the second list at the end of the first. Draws add up. `follows` says
 * that the second happens after all of the first: both must have a given
 * order, and so has the result. Otherwise it is in any order. On a failure
 * the first list is as it was.
 */
sotto_status account_append(account_list *list, const account_list *more,
                            int follows, sotto_error *error);
void account_free(account_list *list);

/* The list that callers of the library hold, and one made of a copy. */
struct sotto_events {
    account_list list;
};
sotto_status account_wrap(sotto_events **out, const account_list *list,
                          sotto_error *error);

const char *account_kind_name(account_kind kind);

/* Whether events of this kind have two numbers, a and b. */
int account_has_second(account_kind kind);
const char *account_adjacency_name(account_adjacency adjacency);
int account_adjacency_named(const char *name, account_adjacency *out);

/* As account_parse reads it: back to the same bits. */
void account_print(const account_list *list, text_buffer *out);

/* JSON, and back: the same bits, and so the same price. */
void account_json(const account_list *list, text_buffer *out);
sotto_status account_from_json(account_list *out, const char *text,
                               size_t length, const char *name,
                               sotto_error *error);

/* ---- lists as people write them: 'T*(RANGE(2/z)+GAUSS(1/z))' ---- */

/*
 * Reads a sum of events, each perhaps times a whole number, and of sums in
 * parentheses times a number. Numbers may be written with + - * / ( ) sqrt()
 * and names; `settings` gives names their values, "T=100,K=2". `z` is the
 * value of the name z, or NaN when the text must not have it.
 */
sotto_status account_parse(account_list *out, const char *text,
                           const char *settings, double z,
                           account_adjacency adjacency, sotto_error *error);

/* ---- questions, as statements of privacy list them ---- */

typedef struct account_question {
    account_kind kind;
    double level; /* mu, epsilon, eta or rho */
    double rate;  /* of ACCOUNT_SUBSAMPLED: level is mu then */
    double shown; /* of ACCOUNT_SHOWN: p; level is mu then */
    int64_t times;
    int64_t blocks; /* above 0: of so many blocks of rows, which take turns; a
                       record is in one of them */
    int and_next;   /* asked in turn with the next one, which has its times */
} account_question;

/*
 * Adds the events that questions are priced as: by this function when a
 * statement is made, and by this function when it is checked. The level of a
 * sample is that of one record, for replace-one too: then its event is one for
 * add-remove, which the accountant prices for a record that is replaced. All
 * other levels are for the adjacency that is asked about.
 */
sotto_status account_ask(account_list *list, const account_question *question,
                         int64_t count, sotto_error *error);
int64_t account_priced_count(const account_question *question);

/* `"times": 3, "event": "GAUSS", "mu": 0.1`, added to an object by the rules
   of json.h, and back: the same bits. 0: it is not understood. */
struct json_t;
void account_put_question(struct json_t **object,
                          const account_question *question);
int account_read_question(account_question *out, const struct json_t *from);

/* `"order": "given", "draws": 12, "curve": [...]`, added to a statement: what
   else its prices are made of, and what the list costs at other deltas. */
sotto_status account_put_terms(struct json_t **statement,
                               const account_list *list, sotto_error *error);

/*
 * Prices the questions of a statement of privacy (JSON) again. SOTTO_PRIVACY
 * where it claims less than they cost, or was made by a sotto of which a fault
 * is known by now; SOTTO_USAGE where it cannot be priced. `name` is for the
 * message.
 */
sotto_status account_check_statement(const char *statement, const char *name,
                                     sotto_error *error);

/* Checks it, and prints the events of its questions as account_print does. */
sotto_status account_stated_plan(text_buffer *out, const char *statement,
                                 const char *name, sotto_error *error);

/* NULL, or what is known by now of the sotto that made a statement. */
const char *account_known_fault(const struct json_t *statement);

/* ---- prices ---- */

typedef enum account_method {
    ACCOUNT_NOTHING,   /* no event has a cost */
    ACCOUNT_CLOSED,    /* Gaussians: closed form */
    ACCOUNT_BASIC,     /* losses added up */
    ACCOUNT_PLD,       /* privacy loss distribution */
    ACCOUNT_RECURSION, /* bounded range, integrated against the rest */
    ACCOUNT_ORDER,     /* bounded range, in the order of the list */
    ACCOUNT_RDP,       /* moments: Renyi and zCDP */
    ACCOUNT_METHODS
} account_method;

typedef struct account_price {
    double epsilon, delta;
    account_method method;
    const char *note; /* NULL, or what was left out and why */
} account_price;

const char *account_method_name(account_method method);

/* The smallest proven epsilon for a delta, and the other way round. */
sotto_status account_epsilon(const account_list *list, double delta,
                             account_price *out, sotto_error *error);
sotto_status account_delta(const account_list *list, double epsilon,
                           account_price *out, sotto_error *error);

/* For several deltas at once, which takes about as long as for one. Where no
   epsilon can be proven it is infinite, which for one alone is an error. */
sotto_status account_epsilons(const account_list *list, const double *delta,
                              int64_t count, account_price *out,
                              sotto_error *error);

/* By one method only, or SOTTO_USAGE where it says nothing. More effort than
   1 makes finer grids. For tests and comparisons. */
sotto_status account_delta_by(const account_list *list, double epsilon,
                              account_method method, double effort,
                              account_price *out, sotto_error *error);

/* Renyi divergence bound of order alpha > 1 of the whole list. */
sotto_status account_renyi(const account_list *list, double alpha, double *out,
                           sotto_error *error);

/* What a calibrated list has in common at every z, and what it may cost. */
typedef struct account_target {
    account_adjacency adjacency;
    int ordered;
    double draws;
    double epsilon, delta;
} account_target;

/* Adds the events for the multiplier z to an empty list. */
typedef sotto_status account_maker(account_list *list, const void *from,
                                   double z, sotto_error *error);

/*
 * The smallest multiplier z for which the list that `make` makes `from`
 * something costs at most (epsilon, delta), up to 1e-5 of itself, and the
 * list at that z, priced again.
 */
sotto_status account_calibrate(account_list *out, double *multiplier,
                               account_price *price,
                               const account_target *target,
                               account_maker *make, const void *from,
                               sotto_error *error);

/* The same of questions: the z by which all levels have to be divided (rho
   by z^2). */
sotto_status account_multiplier(double *z, const account_question *question,
                                int64_t count, const account_target *target,
                                sotto_error *error);

/*
 * Repeat-and-select: K runs of the list, K drawn from the geometric (shape 1)
 * or the logarithmic law (shape 0) with this mean, the best one released.
 */
sotto_status account_tuned(const account_list *list, int shape, double mean,
                           double delta, double *epsilon, sotto_error *error);

/*
 * The largest eta for which every mechanism of bounded range eta is mu-GDP,
 * rounded down (Lemma A14): what a selection may be where a Gaussian of this
 * mu is charged.
 */
double account_range_within(double mu);

/* ---- counts of which only large ones are shown (Lemma A22) ---- */

/* One person, as counts have it. */
enum { ACCOUNT_PERSON = 1024 };

/* What a person adds to the count of each of so many levels:
   ACCOUNT_PERSON / sqrt(levels), rounded down. */
int64_t account_person_part(int64_t levels);

/* Who is counted. */
typedef struct account_counted {
    int64_t rows;    /* of one person, at most */
    int known;       /* rows say whose they are: people are counted, by their
                        parts. Else each row counts ACCOUNT_PERSON */
    int64_t columns; /* whose levels are counted, all in one question */
} account_counted;

enum { ACCOUNT_MOST_COUNTED = 1 << 20 }; /* rows of one person */

/* The largest probability that a level which one person alone has is shown,
   where sums with Gaussian noise of this sigma, rounded, are shown from
   `threshold` on. Rounded up. */
double account_shown(const account_counted *who, double threshold,
                     double sigma);

/* The least whole threshold for which this is at most p; INFINITY: none is
   found. */
double account_threshold(const account_counted *who, double sigma, double p);

/* The p that costs this delta: p / (1 - p) is at most delta. */
double account_shown_for(double delta);

/* ---- bookings: what a run takes from a budget over many runs ---- */

/*
 * A run is booked as (mu, delta0): whatever came before it, and whatever its
 * solver does, its profile is below delta0 + (1 - delta0) times that of a
 * Gaussian of this mu, in both directions (docs/privacy/account.md). `draws`
 * are those of the list: they are added up and charged once, at the end.
 */
typedef struct account_booking {
    double mu, delta0, draws;
} account_booking;

/*
 * The booking of the list with the least mu that is proven for a delta0 of at
 * most this. The delta0 that comes back is what is needed: 0 for Gaussians.
 * SOTTO_BUDGET where none is proven.
 */
sotto_status account_book(account_booking *out, const account_list *list,
                          double delta0, sotto_error *error);

/*
 * The same within a cap: the booking that takes the least share w of both, mu
 * squared at most w M^2 and delta0 at most w D0. SOTTO_BUDGET where it takes
 * more than all: `out` is then what it would take with the whole D0.
 */
sotto_status account_book_share(account_booking *out, const account_list *list,
                                double mu, double delta0, sotto_error *error);

/* What is booked, or may be, all together: Theorem L says that it is
   (epsilon, delta)-private. `square` is the sum of mu^2. */
typedef struct account_total {
    double square, delta0, draws;
} account_total;

/* Rounded up: never below the truth. INFINITY: none is proven. */
double account_total_delta(const account_total *total, double epsilon);
double account_total_epsilon(const account_total *total, double delta);

/*
 * The total that a cap of (epsilon, delta) allows, rounded down: delta0 is a
 * tenth of delta. SOTTO_USAGE where so many draws would take more than
 * another tenth.
 */
sotto_status account_cap(account_total *out, double epsilon, double delta,
                         double draws, sotto_error *error);

/* ---- whether prices are right, here and now ---- */

/* The name of check i, or NULL past the last; SOTTO_FAILED and a line where it
   fails. */
const char *account_check_name(size_t i);
SOTTO_MUST_CHECK sotto_status account_check(size_t i, sotto_error *error);

/* ---- the papers' own formulas, for comparison ---- */

typedef sotto_paper account_paper;

const account_paper *account_paper_at(int64_t i);

/*
 * The noise multiplier that formula i gives for T steps (DP-SCD: with
 * sampling rate q); SOTTO_USAGE where the paper excludes the target.
 */
sotto_status account_paper_multiplier(int64_t i, double steps, double rate,
                                      double epsilon, double delta, double *out,
                                      sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(account_free);
CORE_EXPORT(account_adjacency_name);
CORE_EXPORT(account_put_question);
CORE_EXPORT(account_put_terms);
CORE_EXPORT(account_method_name);
CORE_EXPORT(account_epsilon);
CORE_EXPORT(account_multiplier);

#endif
