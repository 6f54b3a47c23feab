/*
 * Questions: as they stand in a statement of privacy, and the events that
 * they are priced as. What is written here is what is read and priced again.
 */
#include "internal.h"
#include "json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *event, *level;
} question_names[ACCOUNT_KINDS] = {
    [ACCOUNT_GAUSS] = {"GAUSS", "mu"},
    [ACCOUNT_LAPLACE] = {"LAPLACE", "epsilon"},
    [ACCOUNT_PURE] = {"PURE", "epsilon"},
    [ACCOUNT_SUBSAMPLED] = {"SUBSAMPLED", "mu"},
    [ACCOUNT_RANGE] = {"RANGE", "eta"},
    [ACCOUNT_ZCDP] = {"ZCDP", "rho"},
    [ACCOUNT_SHOWN] = {"SHOWN", "mu"},
};

/* ---- as JSON ---- */

void account_put_question(json_t **object, const account_question *q)
{
    json_add_count(object, "times", q->times);
    json_add_text(object, "event", question_names[q->kind].event);
    json_add_number(object, question_names[q->kind].level, q->level);
    if (q->kind == ACCOUNT_SUBSAMPLED)
        json_add_number(object, "rate", q->rate);
    if (q->kind == ACCOUNT_SHOWN)
        json_add_number(object, "p", q->shown);
    if (q->blocks > 0)
        json_add_count(object, "blocks", q->blocks);
    if (q->and_next)
        json_add(object, "in_turn_with_next", json_true());
}

/* A whole number from 1 on, `standard` when it is not there, -1: it is none. */
static int64_t read_count(const json_t *from, const char *key, int64_t standard)
{
    const json_t *value = json_object_get(from, key);
    json_int_t count = json_integer_value(value);
    if (!value)
        return standard;
    return json_is_integer(value) && count >= 1 && count <= 1000000000000
               ? (int64_t)count
               : -1;
}

/* A number above 0, or NaN. */
static double read_level(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    double x = json_number_value(value);
    return json_is_number(value) && x > 0 && isfinite(x) ? x : NAN;
}

int account_read_question(account_question *out, const json_t *from)
{
    const char *event = json_string_value(json_object_get(from, "event"));
    const json_t *next = json_object_get(from, "in_turn_with_next");
    *out = (account_question){.times = read_count(from, "times", -1),
                              .blocks = read_count(from, "blocks", 0),
                              .and_next = json_is_true(next)};
    while (event && out->kind < ACCOUNT_KINDS &&
           strcmp(event, question_names[out->kind].event))
        out->kind++;
    if (!event || out->kind == ACCOUNT_KINDS)
        return 0;
    int sampled = out->kind == ACCOUNT_SUBSAMPLED;
    int counts = out->kind == ACCOUNT_SHOWN;
    out->level = read_level(from, question_names[out->kind].level);
    out->rate = sampled ? read_level(from, "rate") : 0;
    out->shown = counts ? read_level(from, "p") : 0;
    return out->times > 0 && out->blocks >= 0 && out->level > 0 &&
           (!sampled || out->rate <= 1) && out->shown <= .5 &&
           (!next || json_is_boolean(next)) &&
           (!json_object_get(from, "noise_multiplier") ||
            read_level(from, "noise_multiplier") > 0);
}

/* ---- as events ---- */

int64_t account_priced_count(const account_question *q)
{
    return q->blocks > 0 ? (q->times + q->blocks - 1) / q->blocks : q->times;
}

/* What the level of a question is for. The noise of a sample is that for one
   record, whatever is asked about (Lemma C23). */
static account_adjacency priced_for(account_adjacency asked, account_kind kind)
{
    return kind == ACCOUNT_SUBSAMPLED && asked == ACCOUNT_REPLACE_ONE
               ? ACCOUNT_ADD_REMOVE
               : asked;
}

/* The event of one question. `trial` is NULL, or the multiplier by which a
   calibration divides the level: rho, a square, is divided by it twice. */
static account_event event_of(const account_question *q,
                              account_adjacency adjacency, const double *trial)
{
    account_event e = {q->kind, q->level, 0, 1, adjacency};
    double z = trial ? *trial : 1;
    switch (q->kind) {
    case ACCOUNT_GAUSS:
    case ACCOUNT_LAPLACE:
    case ACCOUNT_PURE:
    case ACCOUNT_RANGE:
        e.a = q->level / z;
        break;
    case ACCOUNT_ZCDP:
        e.a = q->level / z / z;
        break;
    case ACCOUNT_SHOWN: /* p is what it is, whatever the noise */
        e.a = q->level / z;
        e.b = q->shown;
        break;
    case ACCOUNT_SUBSAMPLED:
        e.a = q->rate;
        e.b = z / q->level;
        if (!trial)
            e.b = nextafter(e.b, 0); /* sigma: not more than is drawn */
        break;
    case ACCOUNT_KINDS:
        assert(0);
    }
    return e;
}

/* Whether q[i] can be in turn with q[first]. What blocks take turns at has a
   count of its own, which a round has no place for. */
static int is_in_turn(const account_question *q, int64_t first, int64_t i)
{
    return q[i].times == q[first].times && !q[i].blocks && !q[first].blocks;
}

/* Those that are asked in turn, as a round. */
static sotto_status ask_round(account_list *list, const account_question *q,
                              int64_t size, const double *trial,
                              sotto_error *error)
{
    int64_t rounds = list->rounds, count = account_priced_count(q);
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < size && status == SOTTO_OK; i++) {
        account_adjacency priced = priced_for(list->adjacency, q[i].kind);
        account_event e = event_of(&q[i], priced, trial);
        if (size == 1)
            e.count = count;
        status = account_add(list, e, error);
    }
    return status == SOTTO_OK && size > 1
               ? account_repeat(list, rounds, count, error)
               : status;
}

static sotto_status ask_all(account_list *list, const account_question *q,
                            int64_t count, const double *trial,
                            sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0, size; i < count && status == SOTTO_OK; i += size) {
        for (size = 1; i + size < count && q[i + size - 1].and_next; size++)
            if (!is_in_turn(q, i, i + size))
                return error_set(error, SOTTO_USAGE,
                                 "questions in turn: expected the same times "
                                 "of all of them, and no blocks");
        status = ask_round(list, q + i, size, trial, error);
    }
    return status;
}

sotto_status account_ask(account_list *list, const account_question *q,
                         int64_t count, sotto_error *error)
{
    return ask_all(list, q, count, NULL, error);
}

/* ---- calibration ---- */

typedef struct question_list {
    const account_question *question;
    int64_t count;
} question_list;

static sotto_status ask_divided(account_list *list, const void *from, double z,
                                sotto_error *error)
{
    const question_list *all = from;
    return ask_all(list, all->question, all->count, &z, error);
}

sotto_status account_multiplier(double *z, const account_question *question,
                                int64_t count, const account_target *target,
                                sotto_error *error)
{
    account_list events;
    account_price price;
    question_list all = {question, count};
    sotto_status status =
        account_calibrate(&events, z, &price, target, ask_divided, &all, error);
    account_free(&events);
    return status;
}
