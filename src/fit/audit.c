/*
 * sotto_audit: is the claim true? A test is chosen on one half of the
 * trainings, and what it shows is certified on the other half. Deep: answers
 * are replayed, and nothing may differ. No record is read, nothing is booked
 * (docs/privacy/audit.md).
 */
#include "audit.h"

#include <math.h>
#include <string.h>

/* ---- many trainings on both sides of a pair ---- */

typedef struct sample {
    const audit *audit;
    const audit_pair *pair;
    audit_sides loss;  /* of the answers, on each side */
    double *weight[2]; /* of models: `dims` for each */
} sample;

static sotto_status sample_one(void *context, int64_t i, sotto_error *error)
{
    sample *s = context;
    int side = (int)(i % 2);
    int64_t at = i / 2;
    audit_trial trial = {.weight = s->weight[side] + at * s->audit->dims};
    sotto_status status = audit_try(s->audit, s->pair, side, 0, &trial, error);
    s->loss.value[side][at] = trial.loss;
    return status;
}

static void free_sample(sample *s)
{
    for (int side = 0; side < 2; side++) {
        mem_free(s->loss.value[side]);
        mem_free(s->weight[side]);
    }
    *s = (sample){0};
}

/* To be freed whatever the status. */
static sotto_status take_sample(sample *s, audit *a, const audit_pair *pair,
                                int64_t count, sotto_error *error)
{
    int fine = 1;
    *s = (sample){.audit = a, .pair = pair, .loss = {.count = count}};
    for (int side = 0; side < 2; side++) {
        s->loss.value[side] = mem_zeroed((size_t)count + 1, sizeof(double));
        s->weight[side] =
            mem_zeroed((size_t)(count * a->dims) + 1, sizeof(double));
        fine &= s->loss.value[side] && s->weight[side];
    }
    return fine ? audit_all(a, 2 * count, sample_one, s, error)
                : error_memory(error);
}

/* ---- the test ---- */

typedef enum test_kind { TEST_ANSWERS, TEST_MODEL, TEST_KINDS } test_kind;

typedef struct test {
    test_kind kind;
    const audit_pair *pair;
    audit_direction direction; /* of TEST_MODEL */
    double threshold;
    double mu; /* that it seemed to show */
} test;

/* The numbers that the test compares with its threshold, of the trainings from
   `from` on: the losses themselves, or models along the direction. To be
   freed. */
static int numbers_of(audit_sides *out, const test *t, const sample *s,
                      int64_t from)
{
    *out = (audit_sides){.count = s->loss.count - from};
    for (int side = 0; side < 2; side++) {
        const double *answers = s->loss.value[side] + from;
        const double *weight = s->weight[side] + from * s->audit->dims;
        out->value[side] = mem_zeroed((size_t)out->count + 1, sizeof(double));
        for (int64_t i = 0; out->value[side] && i < out->count; i++)
            out->value[side][i] =
                t->kind == TEST_ANSWERS
                    ? answers[i]
                    : audit_project(&t->direction, weight + i * s->audit->dims);
    }
    return out->value[0] && out->value[1];
}

static void free_numbers(audit_sides *s)
{
    mem_free(s->value[0]);
    mem_free(s->value[1]);
}

/* A direction is learned on half of the trainings and judged on the others: on
   its own it looks better than it is. What was seen of few is worth less, by
   its standard error. */
static sotto_status learn_test(test *t, test_kind kind, const sample *s,
                               sotto_error *error)
{
    audit_sides numbers;
    int64_t learned = kind == TEST_MODEL ? s->loss.count / 2 : 0;
    *t = (test){.kind = kind, .pair = s->pair};
    sotto_status status = kind == TEST_MODEL
                              ? audit_learn(&t->direction, s->weight, learned,
                                            s->audit->dims, error)
                              : SOTTO_OK;
    if (status != SOTTO_OK)
        return status;
    if (!numbers_of(&numbers, t, s, learned))
        status = error_memory(error);
    else
        t->mu = audit_threshold(&numbers, &t->threshold) -
                1.45 / sqrt((double)numbers.count);
    free_numbers(&numbers);
    return status;
}

/* Which of two neighbours, which numbers, which threshold. */
static sotto_status choose_test(audit *a, int64_t count, test *best,
                                sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    *best = (test){.mu = -INFINITY};
    for (int i = 0; status == SOTTO_OK && i < a->pairs; i++) {
        sample s;
        status = take_sample(&s, a, &a->pair[i], count, error);
        for (int kind = 0; status == SOTTO_OK && kind < TEST_KINDS; kind++) {
            test t;
            status = learn_test(&t, (test_kind)kind, &s, error);
            int better = status == SOTTO_OK && (t.mu > best->mu || !best->pair);
            audit_free_direction(better ? &best->direction : &t.direction);
            if (better)
                *best = t;
        }
        free_sample(&s);
    }
    return status;
}

static sotto_status certify(audit *a, const test *t, int64_t held,
                            sotto_audit_result *out, sotto_error *error)
{
    sample s;
    audit_sides numbers = {0};
    sotto_status status = take_sample(&s, a, t->pair, held, error);
    if (status == SOTTO_OK && !numbers_of(&numbers, t, &s, 0))
        status = error_memory(error);
    if (status == SOTTO_OK) {
        out->hits = audit_hits(&numbers, 1, t->threshold);
        out->alarms = audit_hits(&numbers, 0, t->threshold);
        audit_bounds bounds =
            audit_bound(out->hits, out->alarms, held, AUDIT_CERTIFIED_WRONG);
        out->certified_mu = audit_mu(bounds);
        out->certified_epsilon =
            audit_gaussian_epsilon(out->certified_mu, a->claim.delta);
        out->certified_any = audit_epsilon(a->claim.delta, bounds);
        out->broken =
            audit_breaks(&a->claim, audit_bound(out->hits, out->alarms, held,
                                                AUDIT_BROKEN_WRONG));
    }
    free_numbers(&numbers);
    free_sample(&s);
    return status;
}

static sotto_status run_test(audit *a, int64_t trials, sotto_audit_result *out,
                             sotto_error *error)
{
    test t;
    int64_t held = trials / 2, chosen = held / a->pairs;
    a->total = 2 * (chosen * a->pairs + held);
    out->held = held;
    out->tried = chosen;
    out->gaussian = a->claim.gaussian;
    out->pairs = a->pairs;
    sotto_status status = choose_test(a, chosen, &t, error);
    if (status == SOTTO_OK) {
        snprintf(out->pair, sizeof out->pair, "%s", t.pair->name);
        out->by_model = t.kind == TEST_MODEL;
        status = certify(a, &t, held, out, error);
    }
    audit_free_direction(&t.direction);
    if (status == SOTTO_OK)
        audit_power(&a->claim, held, &out->expected_mu, &out->found_from);
    return status;
}

/* ---- deep ---- */

typedef struct deep {
    audit *audit;
    audit_trial *trial;
} deep;

static sotto_status deep_one(void *context, int64_t i, sotto_error *error)
{
    const deep *d = context;
    const audit *a = d->audit;
    audit_pair pair =
        i < a->pairs ? a->pair[i] : audit_any_pair(a, (uint64_t)i);
    return audit_try(a, &pair, (int)(i / 2 % 2), 1, &d->trial[i], error);
}

static void note_trial(const audit_trial *t, sotto_audit_result *out)
{
    int moved = t->moved > 1;
    out->neighbours++;
    out->questions += t->questions;
    if (t->moved > out->moved || !*out->question) {
        out->moved = fmax(out->moved, t->moved);
        snprintf(out->question, sizeof out->question, "%s",
                 t->question ? t->question : "");
    }
    if (!out->differing && (moved || !t->agree))
        snprintf(out->fault, sizeof out->fault, "%s",
                 moved ? "a sum moved further than its noise is made for"
                       : t->why);
    out->differing += moved || !t->agree;
}

static sotto_status run_deep(audit *a, int64_t count, sotto_audit_result *out,
                             sotto_error *error)
{
    deep d = {a, mem_zeroed((size_t)count, sizeof *d.trial)};
    a->total = count;
    sotto_status status = d.trial ? audit_all(a, count, deep_one, &d, error)
                                  : error_memory(error);
    for (int64_t i = 0; status == SOTTO_OK && i < count; i++)
        note_trial(&d.trial[i], out);
    out->broken = out->differing > 0;
    mem_free(d.trial);
    return status;
}

sotto_status sotto_audit(sotto_audit_result *out, const sotto_options *options,
                         const sotto_progress_callback *callback,
                         sotto_error *error)
{
    audit a;
    int64_t trials = option_integer(options, OPTION_TRIALS);
    *out = (sotto_audit_result){0};
    sotto_status status = audit_open(&a, options, error);
    a.callback = callback;
    out->epsilon = a.claim.epsilon;
    out->delta = a.claim.delta;
    out->mu = a.claim.mu;
    if (status == SOTTO_OK)
        status = option_given(options, OPTION_DEEP)
                     ? run_deep(&a, trials, out, error)
                     : run_test(&a, trials, out, error);
    audit_close(&a);
    return status;
}
