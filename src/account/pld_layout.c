/*
 * Where the grid of a privacy loss distribution lies: which tilt, which window
 * of losses, how fine. Moments guide these choices; no bound rests on them.
 */
#include "internal.h"

#include <math.h>

enum { PLD_LEAST = 1 << 15 };

/* Discretisation may add this part of the variance (Lemma A3). */
#define PLD_VARIANCE 4e-6
#define PLD_WORK 0x1p25 /* cells times kinds */
#define PLD_TAIL 1e-6   /* truncation may add this part of delta */

static double pld_saddle_delta(moments_at at, double t)
{
    double x = at.k - t * at.mean - log1p(t) -
               log(fmax(1, t * sqrt(2 * M_PI * at.variance)));
    return fmax(exp(fmin(x, 0)), 1e-290);
}

/* A tilt that leaves little variance aims at the end of bounded losses,
   where there is no room for a window. */
static double pld_tame(const moments *m, double tilt)
{
    double least = .05 * moments_value(m, 0).variance;
    while (tilt > 1e-6 && moments_value(m, tilt).variance < least)
        tilt /= 1.5;
    return tilt;
}

/* Where the window must end so that tilted mass that wraps around from above
   adds no more than PLD_TAIL of delta. */
static double pld_wrap_top(const moments *rest, double tilt, double epsilon,
                           double delta)
{
    double best = INFINITY, need = log(1 / (PLD_TAIL * delta));
    for (double more = 1e-3 * fmax(tilt, 1); more < 1e7; more *= 1.5) {
        double k = moments_value(rest, tilt + more).k;
        best = fmin(best, (k - tilt * epsilon + need) / more);
    }
    return best;
}

/* The window: above it Chernoff's bound, below it what selections could
   still add (`ranges`, their variance) is negligible. A tilt under which the
   upper tail is too heavy for that is halved. */
static void pld_window(pld_layout *layout, const moments *rest, double epsilon,
                       double delta, double ranges)
{
    double need = log(1 / (PLD_TAIL * delta)), low = epsilon;
    double tail = moments_top(rest, PLD_TAIL * delta, &layout->top_tilt);
    if (ranges > 0)
        low -= ranges / 2 + sqrt(2 * ranges * need);
    for (int i = 0; i < 20; i++, layout->tilt /= 2) {
        moments_at at = moments_value(rest, layout->tilt);
        double sd = sqrt(at.variance);
        double wrap = pld_wrap_top(rest, layout->tilt, low, delta);
        layout->bottom = fmin(at.mean, low) - 8 * sd;
        layout->top = fmax(tail, at.mean + 2 * sd);
        layout->top =
            ranges > 0 ? layout->top : fmax(layout->top, epsilon + 2 * sd);
        double room = layout->top - layout->bottom;
        layout->bottom -= 1e-3 * room + 1e-12;
        layout->top += 1e-3 * room + 1e-12;
        if (wrap <= layout->top + 2 * room) {
            layout->top = fmax(layout->top, wrap);
            break;
        }
    }
}

static void pld_grid(pld_layout *layout, double variance, double effort)
{
    double width = layout->top - layout->bottom;
    double step = sqrt(6 * PLD_VARIANCE * variance / (layout->sum * effort));
    int64_t most = effort < 1 ? PLD_MOST / 8 : PLD_MOST;
    while (most > PLD_LEAST && (double)most * layout->kinds > PLD_WORK)
        most /= 2; /* a transform for each kind of event takes its time */
    layout->length = effort < 1 ? PLD_LEAST / 4 : PLD_LEAST;
    while (layout->length < most && width > step * (double)layout->length)
        layout->length *= 2;
    layout->step = width / (double)layout->length;
}

sotto_status pld_decide(pld_layout *layout, const merged_event *event,
                        int64_t events, double gauss, double ranges, int add,
                        pld_aim aim, sotto_error *error)
{
    moments m;
    *layout = (pld_layout){.sum = gauss > 0, .kinds = (double)events};
    int64_t laws = gauss > 0 ? events - 1 : events; /* the last is Gaussian */
    for (int64_t i = 0; i < laws; i++)
        layout->sum += event[i].count;
    sotto_status status =
        moments_make(&m, event, laws, gauss, ranges, add, error);
    if (status != SOTTO_OK)
        return status;
    layout->tilt = isnan(aim.epsilon)
                       ? moments_tilt_for_delta(&m, aim.delta)
                       : moments_tilt_for_epsilon(&m, aim.epsilon);
    layout->tilt = pld_tame(&m, layout->tilt);
    moments_at at = moments_value(&m, layout->tilt);
    double epsilon = isnan(aim.epsilon) ? fmax(0, at.mean) : aim.epsilon;
    double delta =
        isnan(aim.delta) ? pld_saddle_delta(at, layout->tilt) : aim.delta;
    m.ranges = 0;
    pld_window(layout, &m, epsilon, delta, ranges);
    pld_grid(layout, fmax(at.variance, 1e-30), aim.effort);
    layout->tail = fmax(PLD_TAIL * delta / layout->sum, 1e-300);
    layout->plain = layout->sum == 1;
    moments_free(&m);
    return SOTTO_OK;
}

/* No exponential of a tilted loss may overflow; that some underflow is in
   PLD_VANISHED. */
void pld_limit(pld_layout *layout, const merged_event *event, int64_t events,
               int add)
{
    double most = 0, low, high;
    for (int64_t i = 0; i < events; i++) {
        pair_extent(&event[i], add, layout->tail, &low, &high);
        most = fmax(most, high);
    }
    most = fmin(most, fmax(layout->top, 0) + (layout->top - layout->bottom));
    layout->tilt = fmin(layout->tilt, 300 / fmax(most, 1e-300));
    layout->top_tilt = fmin(layout->top_tilt, 300 / fmax(most, 1e-300));
}
