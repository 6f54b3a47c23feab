/*
 * The smoothness constants M_j, where they are asked for: the curvature of the
 * loss times the mean square of feature j.
 *
 * A mean square of values up to a bound has noise in proportion to the square
 * of the bound, and declared bounds are often far above most values. So
 * bounds are lowered first, all by one factor, as far as rows allow it. Then
 * sizes are counted, by octaves below the bound, and the mean square is that
 * of values clipped where enough of them are seen. Above that there is no more
 * than noise can hide: the constant lies between none of it and all of it.
 */
#include "newton.h"
#include "number.h"

#include <math.h>
#include <string.h>

/*
 * A step is X / M_j: a constant that is wrong by a factor makes steps too long
 * or too short by it. A range of sizes is seen where it has about three sd of
 * its count's noise. If that is this part of all rows, what is not seen adds
 * less than half of the square of the reach, up to two octaves above (15/32).
 * Where not even a range of twice that is seen, bounds stay: a feature that is
 * rarely large would get steps that are far too long.
 */
#define SEEN (1. / 32)
#define SEEN_AT_ALL (2 * SEEN)
#define SEEN_SDS 3

/* More would cost steps more than constants are worth: their answers have
   1 / (1 - share) of the variance. */
#define LEAST_SHARE .01
#define MOST_SHARE .2
#define UNKNOWN_ROWS_SHARE .1

/* Of that share: sizes of rows, which one count is enough for; of columns, and
   the mean squares. */
#define PART_OF_ROWS .1
#define PART_OF_COLUMNS .45

/* ---- planning ---- */

/* Which part of all rows a range must have to be seen, if counts are asked for
   at level 1. Their sd is sqrt(columns), and sqrt(2) times that where records
   are replaced. */
static double least_seen(const solver_run *r)
{
    double replaced = r->facts.adjacency == ACCOUNT_REPLACE_ONE ? 2 : 1;
    double people = r->facts.rows / (double)r->facts.rows_per_person;
    return SEEN_SDS * sqrt(replaced * (double)r->facts.features) / people;
}

static sotto_status usual_share(const solver_run *r, double *share,
                                sotto_error *error)
{
    double mu;
    *share = UNKNOWN_ROWS_SHARE;
    if (!(r->facts.rows > 0))
        return SOTTO_OK;
    if (r->facts.only_planned && !option_given(r->options, OPTION_ROWS))
        return error_set(error, SOTTO_USAGE,
                         "expected --rows N or --smoothness private:SHARE: "
                         "what constants get of the budget depends on the "
                         "number of rows");
    sotto_status status = solver_whole_level(r, &mu, error);
    double level = least_seen(r) / SEEN / mu;
    *share =
        fmin(fmax(level * level / PART_OF_COLUMNS, LEAST_SHARE), MOST_SHARE);
    return status;
}

sotto_status solver_constants_share(const solver_run *r, double *share,
                                    sotto_error *error)
{
    const char *how = option_text(r->options, OPTION_SMOOTHNESS);
    *share = 0;
    if (!how || strncmp(how, "private", 7))
        return SOTTO_OK;
    if (!how[7])
        return usual_share(r, share, error);
    if (how[7] != ':' || !number_whole(how + 8, share) ||
        !(*share > 0 && *share < .99))
        return error_set(error, SOTTO_USAGE,
                         "--smoothness private:SHARE: expected a share of the "
                         "budget between 0 and 0.99");
    return SOTTO_OK;
}

/* Of vectors' sensitivities in the Euclidean length: Gaussian. */
static void add(solver_run *r, ask_kind kind, double share)
{
    solver_plan_add(r,
                    (ask_item){.kind = kind,
                               .count = 1,
                               .level = solver_level(ASK_GAUSSIAN, share, 1)});
}

/* Sizes are left out where it is known that they would not be used. */
sotto_status solver_constants_add(solver_run *r, double share,
                                  sotto_error *error)
{
    double mu, columns = share * PART_OF_COLUMNS;
    sotto_status status = solver_whole_level(r, &mu, error);
    if (r->facts.rows > 0 && least_seen(r) / (mu * sqrt(columns)) > SEEN_AT_ALL)
        add(r, ASK_MOMENTS, share);
    else {
        add(r, ASK_ROW_COUNTS, share * PART_OF_ROWS);
        add(r, ASK_COLUMN_COUNTS, columns);
        add(r, ASK_MOMENTS, share * (1 - PART_OF_ROWS) - columns);
    }
    return status;
}

/* ---- asking ---- */

/* Range k has sizes up to 2^-k of the bound. The last one has all that is
   smaller, and what is 0: it says nothing about the others. */
enum { CONSTANT_EDGES = 23 };

/*
 * The fullest range, and one above it where that is not likely to be noise,
 * the less so the further away it is. 0 where not even the fullest is sure: it
 * is wrong in less than one of 1000 runs, as steps would be far too long.
 */
static int range_reached(const double *count, int64_t features, double sd)
{
    double numbers = (double)features * CONSTANT_EDGES;
    int most = 0;
    for (int k = 1; k < CONSTANT_EDGES; k++)
        most = count[k] > count[most] ? k : most;
    if (!(count[most] > newton_rare(1000 * numbers) * sd))
        return 0;
    for (int k = 0; k < most; k++) {
        double away = most - k + 1;
        if (count[k] > newton_rare(away * away) * sd)
            return k;
    }
    return most;
}

/* By one factor for all, as `auto` does: one for each would hide rare records
   that lie far out. */
static sotto_status lower_all(curator *c, double *bound, int64_t features,
                              sotto_error *error)
{
    double edge[CONSTANT_EDGES], count[CONSTANT_EDGES + 1], sd;
    ask_shape what = {.kind = ASK_ROW_COUNTS, .bound = bound};
    newton_octaves(edge, CONSTANT_EDGES, 1);
    sotto_status status =
        curator_ask_counts(c, &what, edge, CONSTANT_EDGES, count, &sd, error);
    int by = status == SOTTO_OK
                 ? (int)newton_first_filled(count, CONSTANT_EDGES, sd, 1)
                 : 0;
    for (int64_t j = 0; j < features; j++)
        bound[j] = ldexp(bound[j], -by);
    return status;
}

/* How far each column is seen to reach, and the part of all rows that may be
   above and hidden. */
static sotto_status find_reaches(curator *c, const double *bound,
                                 int64_t features, double *reach,
                                 double *hidden, sotto_error *error)
{
    enum { RANGES = CONSTANT_EDGES + 1 };
    double edge[CONSTANT_EDGES], sd;
    ask_shape what = {.kind = ASK_COLUMN_COUNTS, .bound = bound};
    double *count = mem_zeroed((size_t)features * RANGES, sizeof *count);
    if (!count)
        return error_memory(error);
    newton_octaves(edge, CONSTANT_EDGES, 1);
    sotto_status status =
        curator_ask_counts(c, &what, edge, CONSTANT_EDGES, count, &sd, error);
    int seen = SEEN_SDS * sd <= SEEN_AT_ALL * curator_rows(c);
    for (int64_t j = 0; status == SOTTO_OK && seen && j < features; j++)
        reach[j] =
            ldexp(bound[j], -range_reached(count + j * RANGES, features, sd));
    *hidden = sd / curator_rows(c);
    mem_free(count);
    return status;
}

/*
 * A mean square of which so much is seen, and so much may be hidden. If it is
 * too large by a factor, as many times more steps are needed. If it is too
 * small, steps are too long for what is hidden, but that is clipped: one
 * weight has more noise. So it is nearer to what is seen, by logarithms a
 * quarter of the way.
 */
static double between(double seen, double hidden)
{
    return seen * sqrt(sqrt(1 + hidden / seen));
}

static sotto_status ask_squares(const solver_run *r, double *bound,
                                double *reach, sotto_error *error)
{
    int64_t features = r->facts.features;
    double hidden = 0, *square = r->smooth.m;
    sotto_status status = SOTTO_OK;
    if (ask_planned(&r->plan, ASK_ROW_COUNTS))
        status = lower_all(r->curator, bound, features, error);
    memcpy(reach, bound, (size_t)features * sizeof *reach);
    if (status == SOTTO_OK && ask_planned(&r->plan, ASK_COLUMN_COUNTS))
        status =
            find_reaches(r->curator, bound, features, reach, &hidden, error);
    if (status == SOTTO_OK)
        status = curator_ask_moments(r->curator, reach, square, error);
    for (int64_t j = 0; status == SOTTO_OK && j < features; j++)
        if (reach[j] < bound[j])
            square[j] = between(square[j], hidden * bound[j] * bound[j]);
    return status;
}

sotto_status solver_ask_constants(const solver_run *r, sotto_error *error)
{
    size_t features = (size_t)r->facts.features;
    double curvature = loss_curvature_bound(&r->problem.loss);
    if (!ask_planned(&r->plan, ASK_MOMENTS))
        return SOTTO_OK;
    sotto_status status = solver_tell(
        r->progress, r->context, (solver_stage){.name = "constants"}, error);
    if (status != SOTTO_OK)
        return status;
    double *bound = mem_zeroed(2 * features, sizeof *bound);
    if (!bound)
        return error_memory(error);
    memcpy(bound, r->smooth.reach, features * sizeof *bound);
    status = ask_squares(r, bound, bound + features, error);
    for (size_t j = 0; status == SOTTO_OK && j < features; j++)
        r->smooth.m[j] *= curvature;
    mem_free(bound);
    return status;
}
