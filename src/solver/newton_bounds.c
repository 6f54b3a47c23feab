/*
 * Bounds, as `auto` finds them: those that nobody declared are bought, and
 * those that were declared are lowered by one factor, where records allow it.
 */
#include "newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A bound that nobody declared: sizes by all powers of two that a float can
 * have; what is read without bounds fits one, targets too. The fullest range is
 * where most values are; where nothing is seen the bound is 1. One above it
 * counts as filled, and so does the fullest, if that is not likely to be noise,
 * the less so the further away it is, from the fullest or from 1: all of them
 * together are wrong in 1 of 200 cases, and then by little. A bound that is
 * k octaves too high makes the noise 2^k times as large, so it is 2^k times as
 * unlikely. A bound far below the values of a rare feature would make its
 * weight anything.
 */
enum { FLOAT_HIGHEST = 128, FLOAT_POWERS = 128 + 149 };

static void powers_of_two(double *edge, int powers, int highest)
{
    for (int k = 0; k < powers; k++)
        edge[k] = ldexp(1, highest - 1 - k);
}

double newton_rare(double numbers)
{
    return sqrt(2 * log(20 * numbers));
}

/* What is in range k, beyond what noise may be: it is next to 1, or away. */
static double surely(const double *count, int k, double sd)
{
    double away = abs(FLOAT_HIGHEST - k) + 1;
    return count[k] - newton_rare(4 * away * away) * sd;
}

/* -1: there is none. */
static int fullest(const double *count, int powers, double sd)
{
    int most = 0;
    for (int k = 1; k < powers; k++)
        if (surely(count, k, sd) > surely(count, most, sd))
            most = k;
    return surely(count, most, sd) > 0 ? most : -1;
}

static int highest_filled(const double *count, int powers, double sd)
{
    int most = fullest(count, powers, sd), found = most;
    for (int k = 0; k < most && found == most; k++) {
        double away = most - k + 1;
        found = count[k] > newton_rare(exp2(away)) * sd ? k : most;
    }
    return found;
}

/* What is made of bounds must be one that can be asked with, too: a centre is
   added, and they are lowered. Weights are told as floats: what is larger is
   clipped, what is smaller is as good as 0. */
#define LEAST_BOUND 0x1p-98
#define MOST_BOUND 0x1p98

double newton_bought_bound(const double *count, int powers, int highest,
                           double sd)
{
    int found = highest_filled(count, powers, sd);
    return found < 0
               ? 1
               : within(ldexp(1, highest - found), LEAST_BOUND, MOST_BOUND);
}

/* ---- those that nobody declared ---- */

/* A bound for |y| that nobody declared. */
sotto_status newton_find_target_bound(curator *c, double *reach,
                                      sotto_error *error)
{
    double edge[FLOAT_POWERS], count[FLOAT_POWERS + 1], sd, one = 1;
    ask_shape what = {.kind = ASK_TARGET_COUNTS, .bound = &one};
    powers_of_two(edge, FLOAT_POWERS, FLOAT_HIGHEST);
    sotto_status status =
        curator_ask_counts(c, &what, edge, FLOAT_POWERS, count, &sd, error);
    if (status == SOTTO_OK)
        *reach = newton_bought_bound(count, FLOAT_POWERS, FLOAT_HIGHEST, sd);
    return status;
}

/* Few columns without bounds: one for each of them. */
static sotto_status buy_each(const newton_columns *k, curator *c,
                             const int64_t *feature, int64_t features,
                             sotto_error *error)
{
    double edge[FLOAT_POWERS], *one = k->scratch, sd;
    size_t ranges = FLOAT_POWERS + 1;
    double *count = mem_zeroed((size_t)features * ranges, sizeof *count);
    ask_shape what = {.kind = ASK_COLUMN_COUNTS,
                      .bound = one,
                      .feature = feature,
                      .features = features};
    for (int64_t j = 0; j < features; j++)
        one[j] = 1;
    powers_of_two(edge, FLOAT_POWERS, FLOAT_HIGHEST);
    sotto_status status = count
                              ? curator_ask_counts(c, &what, edge, FLOAT_POWERS,
                                                   count, &sd, error)
                              : error_memory(error);
    for (int64_t j = 0; status == SOTTO_OK && j < features; j++)
        k->bound[feature[j]] = newton_bought_bound(
            count + (size_t)j * ranges, FLOAT_POWERS, FLOAT_HIGHEST, sd);
    mem_free(count);
    return status;
}

/* Many: one for all of them, of the largest in each row. Columns with bounds
   are in [-1, 1]: in units of 2^100 they are below every edge. */
static sotto_status buy_common(const newton_columns *k, curator *c,
                               sotto_error *error)
{
    enum { POWERS = FLOAT_HIGHEST + 100 };
    double edge[POWERS], count[POWERS + 1], *unit = k->scratch;
    double bound = 1, sd;
    ask_shape what = {.kind = ASK_ROW_COUNTS, .bound = unit};
    for (int64_t j = 0; j < k->count; j++)
        unit[j] = isfinite(k->bound[j]) ? 0x1p100 : 1;
    powers_of_two(edge, POWERS, FLOAT_HIGHEST);
    sotto_status status =
        curator_ask_counts(c, &what, edge, POWERS, count, &sd, error);
    if (status == SOTTO_OK)
        bound = newton_bought_bound(count, POWERS, FLOAT_HIGHEST, sd);
    for (int64_t j = 0; j < k->count; j++)
        k->bound[j] = isfinite(k->bound[j]) ? k->bound[j] : bound;
    return status;
}

sotto_status newton_ask_octave(curator *c, const ask_shape *what, double *out,
                               sotto_error *error)
{
    double edge[FLOAT_POWERS], count[FLOAT_POWERS + 1], sd;
    powers_of_two(edge, FLOAT_POWERS, FLOAT_HIGHEST);
    sotto_status status =
        curator_ask_counts(c, what, edge, FLOAT_POWERS, count, &sd, error);
    int most = status == SOTTO_OK ? fullest(count, FLOAT_POWERS, sd) : -1;
    *out = most < 0 ? 1 : ldexp(1, FLOAT_HIGHEST - most);
    return status;
}

static sotto_status buy_some(const newton_columns *k, curator *c,
                             const budget_split *rule, sotto_error *error)
{
    int64_t *feature, features = 0;
    if (rule->common_bound)
        return buy_common(k, c, error);
    feature = mem_zeroed((size_t)k->count + 1, sizeof *feature);
    if (!feature)
        return error_memory(error);
    for (int64_t j = 0; j < k->count; j++)
        if (!isfinite(k->bound[j]))
            feature[features++] = j;
    sotto_status status = buy_each(k, c, feature, features, error);
    mem_free(feature);
    return status;
}

/* What is beyond a bound that was bought counts as that large, as it would with
   a declared one: the few records there are not in sight, and a weight that
   was learned without them is not for them. */
static sotto_status buy_bounds(const newton_columns *k, curator *c,
                               const budget_split *rule, double *declared,
                               sotto_error *error)
{
    size_t bytes = (size_t)k->count * sizeof *declared;
    memcpy(k->bound, declared, bytes);
    if (rule->bounds == 0)
        return SOTTO_OK;
    sotto_status status = buy_some(k, c, rule, error);
    for (int64_t j = 0; j < k->count; j++)
        k->scratch[j] = isfinite(declared[j]) ? INFINITY : k->bound[j];
    if (status == SOTTO_OK)
        status = curator_tell_bounds(c, k->scratch, error);
    memcpy(declared, k->bound, bytes);
    return status;
}

sotto_status newton_ask_bounds(const newton_columns *k, curator *c,
                               const budget_split *rule, double *declared,
                               sotto_error *error)
{
    enum { EDGES = 13 };
    double edge[EDGES], count[EDGES + 1], sd;
    ask_shape what = {.kind = ASK_ROW_COUNTS, .bound = k->bound};
    sotto_status status = buy_bounds(k, c, rule, declared, error);
    if (status != SOTTO_OK || rule->row_counts == 0)
        return status;
    newton_octaves(edge, EDGES, 1);
    status = curator_ask_counts(c, &what, edge, EDGES, count, &sd, error);
    int64_t by =
        status == SOTTO_OK ? newton_first_filled(count, EDGES, sd, 1) : 0;
    for (int64_t j = 0; j < k->count; j++)
        k->bound[j] = fmax(ldexp(k->bound[j], -(int)by), LEAST_BOUND);
    return status;
}
