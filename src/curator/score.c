/*
 * Scores of coordinates, in integers throughout: what the rules of the paper
 * give on the grid of a coordinate. If the sum changes by k, the score changes
 * by at most k (docs/privacy, Lemma C8).
 */
#include "score.h"

#include <math.h>

int64_t score_whole(double x)
{
    double most = (double)SCORE_MOST;
    if (isnan(x)) /* llrint of NaN could be anything */
        return 0;
    return x >= most ? SCORE_MOST : x <= -most ? -SCORE_MOST : llrint(x);
}

int64_t score_between(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t shrink(int64_t x, int64_t by)
{
    return x > by ? x - by : x < -by ? x + by : 0;
}

int64_t score_root(unsigned __int128 x)
{
    uint64_t r = (uint64_t)sqrt((double)x);
    while ((unsigned __int128)r * r > x)
        r--;
    while ((unsigned __int128)(r + 1) * (r + 1) <= x)
        r++;
    return (int64_t)r;
}

void score_subgradients(const score_terms *t, int64_t *low, int64_t *high)
{
    *low = t->lowest ? -2 * SCORE_MOST : t->above ? t->l1 : -t->l1;
    *high = t->highest ? 2 * SCORE_MOST : t->below ? -t->l1 : t->l1;
}

/* u = max(S + lo, -S - hi): how far -S is from [lo, hi], and below 0 within. */
static int64_t score_distance(const score_terms *t, int truncated)
{
    int64_t low, high;
    score_subgradients(t, &low, &high);
    int64_t up = t->sum + low, down = -t->sum - high;
    int64_t u = up > down ? up : down;
    return truncated && u < 0 ? 0 : u;
}

/* Where a step of length 1 goes: the prox of `at` - S. */
static int64_t step_to(const score_terms *t)
{
    return score_between(shrink(t->at - t->sum, t->l1), t->low, t->high);
}

/* sqrt(2 h), h = -S a - a^2 / 2 - l1 |at + a| + l1 |at|, a the step. */
static int64_t score_decrease(const score_terms *t)
{
    int64_t to = step_to(t), a = to - t->at;
    int64_t sizes = (to < 0 ? -to : to) - (t->at < 0 ? -t->at : t->at);
    __int128 twice = -2 * (__int128)t->sum * a - (__int128)a * a -
                     2 * (__int128)t->l1 * sizes;
    return twice > 0 ? score_root((unsigned __int128)twice) : 0;
}

int64_t score_of(const score_terms *t, ask_rule rule)
{
    if (rule == ASK_GS_R) {
        int64_t a = step_to(t) - t->at;
        return a < 0 ? -a : a;
    }
    if (rule == ASK_GS_Q)
        return score_decrease(t);
    return score_distance(t, rule == ASK_GS_S);
}
