/*
 * What a list comes to: Gaussians merged (Lemma A5), equal events counted
 * together, and each event turned into one for the adjacency that is asked
 * about (Lemma A11).
 */
#include "internal.h"

#include <math.h>

/* Smaller ranges are rounded up to this: grids need room between doubles. */
#define MERGE_LEAST_RANGE 1e-9
#define MERGE_MOST_RANGE 20      /* larger ones are taken as PURE */
#define MERGE_LEAST_GAUSS 1e-100 /* so that its square is not 0 */
#define MERGE_LEAST_RATE 1e-250  /* so that its inverse is a number */

static sotto_status merge_equal(merged_event **list, int64_t *count,
                                merged_event e, sotto_error *error)
{
    for (int64_t i = *count; i-- > 0;) {
        merged_event *known = &(*list)[i];
        if (known->kind == e.kind && known->a == e.a && known->b == e.b &&
            known->replaced == e.replaced) {
            known->count += e.count;
            return SOTTO_OK;
        }
    }
    merged_event *grown = mem_resize(*list, (size_t)*count + 1, sizeof *grown);
    if (!grown)
        return error_memory(error);
    *list = grown;
    grown[(*count)++] = e;
    return SOTTO_OK;
}

/* Replaced by way of its absence: twice the size (Lemma A11). A sample stays
   what it is: both records are under one coin, which the pair knows (Lemma
   A21). */
static void merge_replaced(account_event *e)
{
    switch (e->kind) {
    case ACCOUNT_GAUSS:
    case ACCOUNT_LAPLACE:
    case ACCOUNT_PURE:
    case ACCOUNT_RANGE:
        e->a *= 2;
        break;
    case ACCOUNT_ZCDP:
        e->a *= 4;
        break;
    case ACCOUNT_SUBSAMPLED:
    case ACCOUNT_SHOWN: /* refused by merge_convert */
    case ACCOUNT_KINDS:
        break;
    }
}

/* The event for the adjacency asked about. */
static sotto_status merge_convert(account_event *e, const account_list *list,
                                  sotto_error *error)
{
    if (e->kind == ACCOUNT_SUBSAMPLED && e->adjacency == ACCOUNT_REPLACE_ONE)
        return error_set(error, SOTTO_USAGE,
                         "SUBSAMPLED_GAUSS for replace-one: sigma must be the "
                         "noise divided by what one record adds; write "
                         "SUBSAMPLED_GAUSS(...)@add-remove, which is priced "
                         "for a record replaced by another");
    if (e->adjacency == list->adjacency)
        return SOTTO_OK;
    if (list->adjacency != ACCOUNT_REPLACE_ONE || e->kind == ACCOUNT_SHOWN)
        return error_set(error, SOTTO_USAGE,
                         "%s was priced for %s, which says nothing about %s; "
                         "price it for that",
                         account_kind_name(e->kind),
                         account_adjacency_name(e->adjacency),
                         account_adjacency_name(list->adjacency));
    merge_replaced(e);
    return SOTTO_OK;
}

static sotto_status merge_step(merged *p, const account_event *e,
                               sotto_error *error)
{
    merged_step *last = p->steps ? &p->step[p->steps - 1] : NULL;
    if (e->kind == ACCOUNT_GAUSS && last) {
        last->gauss += e->a * e->a * (double)e->count;
        return SOTTO_OK;
    }
    if (e->kind == ACCOUNT_RANGE && last && last->gauss == 0 &&
        (last->eta == e->a || !last->count)) {
        last->eta = e->a;
        last->count += e->count;
        return SOTTO_OK;
    }
    merged_step *grown =
        mem_resize(p->step, (size_t)p->steps + 1, sizeof *grown);
    if (!grown)
        return error_memory(error);
    p->step = grown;
    int range = e->kind == ACCOUNT_RANGE;
    grown[p->steps++] = (merged_step){
        range ? e->a : 0, range ? 0 : e->a * e->a * (double)e->count,
        range ? e->count : 0};
    return SOTTO_OK;
}

/* An event as everything below knows it: for the adjacency asked about, a
   sample of all is no sample, and sizes that grids can hold. The one place
   where this is done, so that no method sees another event. */
static sotto_status merge_event_of(account_event *e, const account_list *list,
                                   sotto_error *error)
{
    if (e->kind == ACCOUNT_SUBSAMPLED && e->a == 1)
        *e = (account_event){ACCOUNT_GAUSS, 1 / e->b * (1 + 2 * ROUNDOFF), 0,
                             e->count, e->adjacency};
    sotto_status status = merge_convert(e, list, error);
    if ((e->kind == ACCOUNT_GAUSS || e->kind == ACCOUNT_SHOWN) && e->a > 0)
        e->a = fmax(e->a, MERGE_LEAST_GAUSS);
    if (e->kind == ACCOUNT_SUBSAMPLED && e->a > 0)
        e->a = fmax(e->a, MERGE_LEAST_RATE);
    if (e->kind == ACCOUNT_RANGE && e->a > 0 && e->a < MERGE_LEAST_RANGE)
        e->a = MERGE_LEAST_RANGE;
    if (e->kind == ACCOUNT_RANGE && e->a > MERGE_MOST_RANGE)
        e->kind = ACCOUNT_PURE;
    return status;
}

static sotto_status merge_event(merged *p, account_event e, double repeat,
                                sotto_error *error)
{
    double count = (double)e.count * repeat;
    if (e.kind == ACCOUNT_SHOWN) { /* a Gaussian, and what is set aside */
        p->shown += -log1p(-e.b) * count;
        e.kind = ACCOUNT_GAUSS;
    }
    if (count == 0 || e.a == 0)
        return SOTTO_OK;
    int sampled = e.kind == ACCOUNT_SUBSAMPLED;
    merged_event one = {e.kind, e.a, e.b, count, sampled && p->replaced};
    if (e.kind == ACCOUNT_GAUSS) {
        p->gauss += e.a * e.a * count;
        return SOTTO_OK;
    }
    if (e.kind == ACCOUNT_ZCDP) {
        p->zcdp += 2 * e.a * count;
        return SOTTO_OK;
    }
    if (sampled) {
        p->sampled = 1;
        p->directions = p->replaced ? 1 : 2;
    } else
        p->pure += e.a * count * (1 + 8 * ROUNDOFF);
    if (e.kind != ACCOUNT_RANGE)
        return merge_equal(&p->event, &p->events, one, error);
    p->range_count += count;
    return merge_equal(&p->range, &p->ranges, one, error);
}

enum { MERGE_STEPS = 20000 };

/* The steps in order; left out when there are too many of them. */
static sotto_status merge_order(merged *p, const account_list *list,
                                sotto_error *error)
{
    for (int64_t r = 0; r < list->rounds; r++) {
        const account_round *round = &list->round[r];
        for (int64_t t = 0; t < round->repeat; t++)
            for (int64_t i = 0; i < round->size; i++) {
                account_event e = list->event[round->first + i];
                sotto_status status = merge_event_of(&e, list, error);
                if (e.kind == ACCOUNT_SHOWN)
                    e.kind = ACCOUNT_GAUSS;
                if (status == SOTTO_OK && e.a > 0 && e.count > 0 &&
                    (e.kind == ACCOUNT_RANGE || e.kind == ACCOUNT_GAUSS))
                    status = merge_step(p, &e, error);
                if (status != SOTTO_OK)
                    return status;
                if (p->steps > MERGE_STEPS ||
                    t > MERGE_STEPS) { /* too long: any order */
                    p->steps = 0;
                    return SOTTO_OK;
                }
            }
    }
    return SOTTO_OK;
}

sotto_status merge_events(merged *out, const account_list *list,
                          sotto_error *error)
{
    *out = (merged){.replaced = list->adjacency == ACCOUNT_REPLACE_ONE,
                    .directions = 1};
    sotto_status status = SOTTO_OK;
    for (int64_t r = 0; r < list->rounds && status == SOTTO_OK; r++)
        for (int64_t i = 0; i < list->round[r].size; i++) {
            account_event e = list->event[list->round[r].first + i];
            status = merge_event_of(&e, list, error);
            if (status == SOTTO_OK)
                status =
                    merge_event(out, e, (double)list->round[r].repeat, error);
            if (status != SOTTO_OK)
                break;
        }
    /* sums of so many terms, each rounded */
    out->gauss *= 1 + (double)(8 + list->events) * ROUNDOFF;
    out->zcdp *= 1 + (double)(8 + list->events) * ROUNDOFF;
    out->shown *= 1 + (double)(8 + LIBM_ULPS + list->events) * ROUNDOFF;
    out->pure *= 1 + (double)(8 + list->events) * ROUNDOFF;
    out->ordered = list->ordered && out->ranges;
    if (status == SOTTO_OK && out->ordered)
        status = merge_order(out, list, error);
    for (int64_t i = 0; i < out->steps; i++)
        out->step[i].gauss *= 1 + (MERGE_STEPS + 8) * ROUNDOFF;
    if (out->sampled || out->zcdp > 0)
        out->pure = INFINITY;
    if (status != SOTTO_OK)
        merged_free(out);
    return status;
}

void merged_free(merged *p)
{
    mem_free(p->event);
    mem_free(p->range);
    mem_free(p->step);
    *p = (merged){0};
}
