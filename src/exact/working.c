/*
 * The working set: with l1 most weights are 0 and stay so. The support and
 * the columns that promise most are solved for; then all columns are looked
 * at again.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/* Moves the `wanted` members of largest score to the front (quickselect;
   the middle element as pivot is enough, order does not depend on luck). */
static void best_to_front(int64_t *member, const double *score, int64_t count,
                          int64_t wanted)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = score[member[low + (high - low) / 2]];
        int64_t i = low, k = high;
        while (i <= k) {
            while (score[member[i]] > pivot)
                i++;
            while (score[member[k]] < pivot)
                k--;
            if (i <= k) {
                int64_t other = member[i];
                member[i++] = member[k];
                member[k--] = other;
            }
        }
        if (wanted - 1 <= k)
            high = k;
        else if (wanted - 1 >= i)
            low = i;
        else
            return;
    }
}

static void choose_all(exact_state *s)
{
    if (s->size == s->view.p)
        return;
    for (int64_t j = 0; j < s->view.p; j++)
        s->set[j] = j;
    s->size = s->view.p;
    s->gram_done = 0;
}

/* Members stay while the matrix of a squared loss can be kept; else those
   at 0 that ask for nothing leave. */
static void keep_members(exact_state *s)
{
    int64_t kept = 0;
    int stay = loss_is_quadratic(s->problem->loss.kind) && s->gram_done > 0;
    for (int64_t k = 0; k < s->size; k++) {
        int64_t j = s->set[k];
        s->in_set[j] = stay || s->w[j] != 0 ||
                       exact_violation(s->problem, s->w[j], s->c[j]) > 0;
        if (s->in_set[j])
            s->set[kept++] = j;
    }
    if (kept < s->size)
        s->gram_done = 0;
    s->size = kept;
}

/* The decrease that a step in this column alone promises. */
static double promise(const exact_state *s, int64_t j)
{
    double fall = exact_violation(s->problem, s->w[j], s->c[j]);
    double size = s->view.norm[j] + s->problem->l2;
    return fall > 0 && size > 0 ? fall * fall / size : 0;
}

void exact_choose(exact_state *s)
{
    int64_t p = s->view.p, support = 0, count = 0;
    if (!(s->problem->l1 > 0) || p <= 128) {
        choose_all(s);
        return;
    }
    keep_members(s);
    int64_t *newcomer = s->set + s->size;
    for (int64_t j = 0; j < p; j++) {
        support += s->w[j] != 0;
        if (s->in_set[j])
            continue;
        s->score[j] = s->w[j] != 0 ? INFINITY : promise(s, j);
        if (s->score[j] > 0)
            newcomer[count++] = j;
    }
    int64_t wanted = support > 60 ? support : 60;
    if (count > wanted) {
        best_to_front(newcomer, s->score, count, wanted);
        count = wanted;
    }
    for (int64_t k = 0; k < count; k++)
        s->in_set[newcomer[k]] = 1;
    s->size += count;
}
