/*
 * Where to cut off what is long.
 *
 * A clip C that is too small is bias: what it takes off each record's gradient
 * may point one way. One that is too large is noise, which grows with C. Both
 * can be computed from the lengths, of which a histogram with noise is known.
 * Above the range where single counts are visible the noise would decide; so
 * a tail with two parameters is fitted to all of these ranges together
 * (Pickands: what exceeds a high threshold has a generalised Pareto law). A
 * second hump, as a rare class makes it, is no such tail: then the law begins
 * above the hump.
 */
#include "clip.h"

#include <math.h>
#include <string.h>

/* Of numbers. The library's own are calls, because of NaN. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

#define TAIL_FROM .5    /* the law begins above the median, or higher */
#define RANGE_PRICE 10. /* of a range that is left free, in log-likelihoods */
#define MISFIT .15      /* a law is right up to this part */
#define LIKELY_INDEX .1 /* of the tail, give or take */
#define INDEX_SD .3     /* this */
#define SIGNIFICANT                                                            \
    3.5                  /* sd: what is certainly there, whatever the law says \
                          */
#define MIDDLE 0.8408964 /* 2^-1/4: the middle of a range, over its end */

enum { MOST_FREE = 8, INDICES = 15, SCALES = 23, LEAST_TAIL = 5 };

void clip_edges(double most, double *edge)
{
    for (int k = 0; k < CLIP_RANGES - 1; k++)
        edge[k] = most * exp2(-.5 * (k + 1));
}

void clip_answered(clip_counts *h, double most, const double *answer, double sd,
                   double rows)
{
    h->sd = fmax(sd, 1e-9 * rows);
    h->rows = rows;
    for (int k = 0; k < CLIP_RANGES; k++) {
        h->edge[k] = most * exp2(-.5 * (CLIP_RANGES - 1 - k));
        h->answer[k] = answer[CLIP_RANGES - 1 - k];
        h->count[k] = h->answer[k];
    }
}

/* ---- the tail ---- */

typedef struct clip_law {
    double cost;
    double index, scale, rows; /* of the law, and how many rows it has */
    int from;                  /* the last range that is as answered */
} clip_law;

/* The part of the law that is beyond a length. */
static double beyond(const clip_law *law, double threshold, double length)
{
    double x = (length - threshold) / law->scale;
    if (fabs(law->index) < 1e-6)
        return exp(-x);
    double base = 1 + law->index * x;
    return base > 0 ? pow(base, -1 / law->index) : 0;
}

/* Twice the negative log-likelihood of the ranges above law->from. Where no
   part of it is negative, it may end once it is more than `most` with `head`:
   then that is told, which is less than it is. */
static double law_cost(const clip_counts *h, const clip_law *law, double head,
                       double most)
{
    double from = h->edge[law->from], left = 1, cost = 0;
    for (int k = law->from + 1; k < CLIP_RANGES; k++) {
        if (h->sd >= 1 && head + cost > most)
            return cost;
        double next = beyond(law, from, h->edge[k]);
        double count = law->rows * (left - next), off = h->answer[k] - count;
        double variance =
            h->sd * h->sd + count + MISFIT * MISFIT * count * count;
        cost += off * off / variance + log(variance);
        left = next;
    }
    double prior = (law->index - LIKELY_INDEX) / INDEX_SD;
    return cost + prior * prior;
}

typedef void law_seen(const clip_counts *h, clip_law *law, double head,
                      void *context);

/* The laws above range law->from, which are all that is left to say of one;
   `head` is the cost of what is below. */
static void laws_above(const clip_counts *h, clip_law law, double head,
                       law_seen *see, void *context)
{
    for (int i = 0; i < INDICES; i++)
        for (int j = 0; j < SCALES; j++) {
            law.index = -.4 + .1 * i;
            law.scale = h->edge[law.from] * exp2(-3 + .25 * j);
            see(h, &law, head, context);
        }
}

static void each_law(const clip_counts *h, law_seen *see, void *context)
{
    int first = 0, last = CLIP_RANGES - 1 - LEAST_TAIL;
    double below = h->answer[0], head = 0;
    while (first < last && (first < 1 || below < TAIL_FROM * h->rows))
        below += h->answer[++first];
    for (int k = first; k <= first + MOST_FREE && k <= last; k++) {
        double rows = fmin(fmax(h->rows - below, h->sd), h->rows);
        laws_above(h, (clip_law){.rows = rows, .from = k}, head, see, context);
        head += RANGE_PRICE + log(h->sd * h->sd + fmax(h->answer[k + 1], 0));
        below += h->answer[k + 1];
    }
}

static void see_best(const clip_counts *h, clip_law *law, double head,
                     void *context)
{
    clip_law *best = context;
    law->cost = head + law_cost(h, law, head, best->cost);
    if (law->cost < best->cost)
        *best = *law;
}

/* The counts that a law makes of the answers. */
static void law_counts(const clip_counts *h, const clip_law *law, double *count)
{
    double left = 1;
    for (int k = 0; k <= law->from; k++)
        count[k] = fmax(h->answer[k], 0);
    for (int k = law->from + 1; k < CLIP_RANGES; k++) {
        double next = beyond(law, h->edge[law->from], h->edge[k]);
        /* where less than half a record is left, there is none */
        count[k] = law->rows * next > .5 ? law->rows * (left - next) : 0;
        left = next;
    }
}

void clip_fit(clip_counts *h)
{
    clip_law best = {.cost = INFINITY};
    each_law(h, see_best, &best);
    h->least = best.cost;
    law_counts(h, &best, h->count);
}

void clip_end(clip_counts *h, double most)
{
    for (int k = 0; k < CLIP_RANGES; k++)
        if (h->edge[k] * MIDDLE > most)
            h->count[k] = 0;
}

/* ---- what is cut off ---- */

double clip_mean(const clip_counts *h)
{
    double sum = 0, rows = 0;
    for (int k = 0; k < CLIP_RANGES; k++) {
        sum += h->count[k] * h->edge[k] * MIDDLE;
        rows += h->count[k];
    }
    return sum / fmax(rows, 1);
}

double clip_mean_square(const clip_counts *h)
{
    double sum = 0, rows = 0;
    for (int k = 0; k < CLIP_RANGES; k++) {
        double middle = h->edge[k] * MIDDLE;
        sum += h->count[k] * middle * middle;
        rows += h->count[k];
    }
    return sum / fmax(rows, 1);
}

/* What the answers show beyond doubt, counting no length as more than `most`:
   a hump that the law does not have. */
static double surely_lost(const clip_counts *h, double c, double most)
{
    double sum = 0, square = 0;
    for (int k = 0; k < CLIP_RANGES; k++) {
        double lost = larger(0, smaller(h->edge[k] * MIDDLE, most) - c);
        sum += lost * h->answer[k];
        square += lost * lost;
    }
    return sum - SIGNIFICANT * h->sd * sqrt(square);
}

double clip_lost(const clip_counts *h, double c)
{
    double lost = 0;
    for (int k = 0; k < CLIP_RANGES; k++)
        lost += larger(0, h->edge[k] * MIDDLE - c) * h->count[k];
    for (int k = 0; k < CLIP_RANGES; k++)
        lost = fmax(lost, surely_lost(h, c, h->edge[k] * MIDDLE));
    return lost / h->rows;
}

/* With the lengths of each range spread evenly over it. */
static double spread_lost(const clip_counts *h, const double *count, double c)
{
    double lost = 0;
    for (int k = 0; k < CLIP_RANGES; k++) {
        double high = h->edge[k], low = high * MIDDLE * MIDDLE;
        double over = larger(0, high - c), under = larger(0, low - c);
        lost += count[k] * (over * over - under * under) / (high - low) / 2;
    }
    return lost / h->rows;
}

double clip_lost_spread(const clip_counts *h, double c)
{
    return larger(spread_lost(h, h->count, c), clip_lost(h, c));
}

/* Of what all laws lose, each as likely as it is. */
typedef struct lost_law {
    double c, most, least; /* the clip, the longest length, the best cost */
    double all, mean, square;
} lost_law;

#define UNLIKELY                                                               \
    30. /* twice a log-likelihood below the best: no part in it                \
         */

static void see_lost(const clip_counts *h, clip_law *law, double head,
                     void *context)
{
    lost_law *all = context;
    double count[CLIP_RANGES];
    double cost = head + law_cost(h, law, head, all->least + UNLIKELY);
    if (!(cost < all->least + UNLIKELY))
        return;
    law_counts(h, law, count);
    for (int k = 0; k < CLIP_RANGES; k++)
        count[k] = h->edge[k] * MIDDLE > all->most ? 0 : count[k];
    double part = exp((all->least - cost) / 2);
    double lost = spread_lost(h, count, all->c);
    all->all += part;
    all->mean += part * lost;
    all->square += part * lost * lost;
}

double clip_lost_doubted(const clip_counts *h, double c, double most)
{
    lost_law of = {.c = c, .most = most, .least = h->least};
    each_law(h, see_lost, &of);
    double mean = of.mean / of.all;
    return larger(mean + sqrt(larger(of.square / of.all - mean * mean, 0)),
                  clip_lost_spread(h, c));
}

double clip_best(const clip_counts *h, double aligned, double noise)
{
    double best = h->edge[0], least = INFINITY;
    for (double c = h->edge[0] * MIDDLE; c < 2 * h->edge[CLIP_RANGES - 1];
         c *= 1.189207115 /* 2^1/4 */) {
        double bias = aligned * clip_lost(h, c);
        double cost = bias * bias + noise * noise * c * c;
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}
