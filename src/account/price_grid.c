/*
 * Prices on grids: the profile of the selections, integrated against the
 * privacy loss distributions of everything else. The price is the larger one
 * of the two directions (a record more, a record less) where they differ.
 */
#include "internal.h"

#include <math.h>

enum { PRICE_RANGES = 2000, PRICE_LAWS = 200 };

static const char price_many_ranges[] =
    "more than 2000 RANGE events: priced by moments, not by the recursion";
static const char price_many_laws[] =
    "more than 200 different events: priced by moments";

void pricing_free(pricing *s)
{
    profile_free(&s->h);
    pld_free(&s->law[0]);
    pld_free(&s->law[1]);
}

double pricing_delta_in(const pricing *s, int direction, double epsilon)
{
    if (!s->directions)
        return fmin(1, profile_at(&s->h, epsilon) * PRICE_UP);
    const pld *law = &s->law[direction < s->directions ? direction : 0];
    return fmin(1, pld_delta(law, &s->h, epsilon) * PRICE_UP);
}

double pricing_delta(const pricing *s, double epsilon)
{
    double most = pricing_delta_in(s, 0, epsilon);
    if (s->directions == 2)
        most = fmax(most, pricing_delta_in(s, 1, epsilon));
    return most;
}

/* The events of the laws: selections that the recursion leaves over come as
   envelopes. To be freed. */
static merged_event *pricing_events(const merged *p, int ordered,
                                    int64_t *count)
{
    merged_event *out =
        mem_zeroed((size_t)(p->events + p->ranges) + 1, sizeof *out);
    double eta, many;
    int all;
    range_main(p, &eta, &many, &all);
    *count = 0;
    for (int64_t i = 0; out && i < p->events; i++)
        out[(*count)++] = p->event[i];
    for (int64_t i = 0; out && !ordered && !all && i < p->ranges; i++)
        if (p->range[i].a != eta)
            out[(*count)++] = p->range[i];
    return out;
}

/* In the given order where the list has its steps, else in any order.
   SOTTO_DATA: no grid fits. */
sotto_status pricing_make(pricing *s, const merged *p, pld_aim aim,
                          double least, sotto_error *error)
{
    double eta, count;
    int64_t events;
    int all;
    sotto_status status = SOTTO_OK;
    *s = (pricing){.ordered = p->steps > 0};
    if (p->ranges)
        status = range_profile(&s->h, p, s->ordered, least, aim.effort, error);
    if (status != SOTTO_OK)
        return status;
    merged_event *event = pricing_events(p, s->ordered, &events);
    if (!event) {
        pricing_free(s);
        return error_memory(error);
    }
    range_main(p, &eta, &count, &all);
    double ranges = p->ranges ? count * eta * eta / 4 : 0;
    double gauss = s->ordered ? 0 : p->gauss;
    ranges += s->ordered ? p->gauss : 0;
    int directions = !events && gauss == 0 ? 0 : p->directions;
    for (int i = 0; i < directions && status == SOTTO_OK; i++) {
        status =
            pld_make(&s->law[i], event, events, gauss, ranges, i, aim, error);
        s->directions = i + 1;
    }
    mem_free(event);
    if (status != SOTTO_OK)
        pricing_free(s);
    return status;
}

account_method pricing_method(const merged *p, const pricing *s)
{
    return s->ordered  ? ACCOUNT_ORDER
           : p->ranges ? ACCOUNT_RECURSION
                       : ACCOUNT_PLD;
}

/* Whether grids are of use here; *note says why not. */
int pricing_applies(const merged *p, const char **note)
{
    if (p->zcdp > 0 || (p->ordered && !p->steps))
        return 0;
    if (p->range_count > PRICE_RANGES)
        *note = price_many_ranges;
    else if (p->events + p->ranges > PRICE_LAWS)
        *note = price_many_laws;
    else
        return p->events || p->ranges;
    return 0;
}

/* The smallest epsilon in [0, high] whose delta is at most this: false
   position in the logarithm of delta, halved when it gets stuck. */
double pricing_search(const pricing *s, double delta, double high)
{
    double low = 0, at_low = log(pricing_delta(s, 0) / delta);
    if (at_low <= 0)
        return 0;
    double at_high = log(fmax(pricing_delta(s, high), 1e-300) / delta);
    if (at_high > 0)
        return INFINITY;
    for (int i = 0; i < 60 && high - low > 1e-7 * high; i++) {
        double share = at_low / (at_low - at_high);
        share = fmin(fmax(share, .02), .98);
        double middle =
            i % 3 == 2 ? .5 * (low + high) : low + share * (high - low);
        double at = log(fmax(pricing_delta(s, middle), 1e-300) / delta);
        if (at > 0) {
            low = middle;
            at_low = at;
        } else {
            high = middle;
            at_high = at;
        }
    }
    return high;
}
