/*
 * Questions about sizes: the log-loss, and how far a number's predictions are
 * off. What follows from the answers is post-processing.
 */
#include "evaluating.h"

#include <math.h>

/* ---- sizes ---- */

/* A number is certainly not 0 above so many sd. */
#define CERTAIN 2.

/*
 * The highest cell that has rows: from the fullest one upwards, one that is
 * further from the last has to stand out more. That a cell without a row is
 * taken happens about once in 200 questions next to the last one, and far from
 * it hardly ever. -1: not even the fullest stands out.
 */
static int64_t highest(const double *count, int64_t cells, double sd)
{
    int64_t last = 0;
    for (int64_t k = 1; k < cells; k++)
        last = count[k] > count[last] ? k : last;
    if (!(count[last] > 4.5 * sd))
        return -1;
    for (int64_t k = last + 1; k < cells; k++)
        if (count[k] > (2 + .6 * (double)(k - last)) * sd)
            last = k;
    return last;
}

double evaluation_edge(const evaluation_sizes *s, int64_t k)
{
    return s->top * exp2((double)(k - s->cells + 2) / s->per_octave);
}

double evaluation_middle(const evaluation_sizes *s, int64_t k)
{
    double low = k > 0 ? evaluation_edge(s, k - 1) : 0;
    double high = k + 1 < s->cells ? evaluation_edge(s, k) : low;
    return (low + high) / 2;
}

sotto_status evaluation_ask_sizes(evaluation_run *e, evaluation_sizes *s,
                                  sotto_error *error)
{
    double edge[EVALUATION_RANGES];
    for (int64_t k = 0; k + 1 < s->cells; k++)
        edge[k] = evaluation_edge(s, k);
    ask_cells cells = {
        .column = s->column, .edge = edge, .edges = s->cells - 1, .groups = 1};
    return curator_ask_outcomes(e->curator, &cells, s->count, &s->sd, error);
}

int64_t evaluation_highest(const evaluation_sizes *s)
{
    return highest(s->count, s->cells, s->sd);
}

double evaluation_moment(const evaluation_run *e, const evaluation_sizes *s,
                         int64_t last, int power, double *sd)
{
    double sum = 0, noise = 0;
    for (int64_t k = 0; k <= last && k < s->cells; k++) {
        double size = pow(evaluation_middle(s, k), power);
        sum += size * s->count[k];
        noise += size * size;
    }
    *sd = s->sd * sqrt(noise) / e->rows;
    return sum / e->rows;
}

/* ---- the log-loss ---- */

/*
 * What rows of the rarest class may lose: twice what they do where nothing but
 * its share is known. They are few in each cell, so no cell tells of them, but
 * most of the sum is theirs.
 */
static double loss_of_the_rare(const evaluation_run *e, double rare, double sd)
{
    double rows = fmax(e->rows, 2), share = fmax(rare, sd) / rows;
    return 2 * -log(fmin(fmax(share, 1 / rows), .5));
}

/* Losses above the cell after the highest that certainly has rows are cut, but
   none that is usual for the rarest class. */
sotto_status evaluation_ask_loss(evaluation_run *e, int64_t column, double rare,
                                 double rare_sd, json_t **numbers,
                                 sotto_error *error)
{
    evaluation_sizes s = {.column = column,
                          .cells = EVALUATION_SIZES,
                          .top = 256,
                          .per_octave = 4};
    double sum, noise, square_sd;
    sotto_status status = evaluation_ask_sizes(e, &s, error);
    if (status != SOTTO_OK)
        return status;
    int64_t last = evaluation_highest(&s) + 4;
    last = last < s.cells - 2 ? last : s.cells - 2;
    double most = fmax(evaluation_edge(&s, last),
                       loss_of_the_rare(e, rare, rare_sd));
    ask_value value = {.term = {{.column = column, .times = 1 / most}},
                       .terms = 1};
    status = curator_ask_errors(e->curator, &value, 1, &sum, &noise, error);
    if (status != SOTTO_OK)
        return status;
    double mean = sum * most / e->rows;
    double noisy = hypot(noise * most, mean * e->rows_sd) / e->rows;
    double square = evaluation_moment(e, &s, last, 2, &square_sd) + square_sd;
    double spread = fmax(square - mean * mean, square_sd);
    evaluation_number n = {
        mean, sqrt(noisy * noisy + e->facts.correlated * spread / e->rows), 0,
        INFINITY};
    json_add(numbers, "log_loss", evaluation_estimate(n, EVALUATION_TOO_NOISY));
    return SOTTO_OK;
}

/* ---- a number ---- */

/* In the units of stored targets. */
typedef struct number_state {
    double reach;                 /* targets are about this large at most */
    double mean, mean_sd;         /* of the target */
    double variance, variance_sd; /* the same */
    double ratio;                 /* 1 - R2, so far */
} number_state;

/* Targets without bounds: the upper end of the highest cell that certainly has
   rows. */
static sotto_status ask_reach(evaluation_run *e, number_state *n,
                              sotto_error *error)
{
    evaluation_sizes s = {.column = NUMBER_TARGET_SIZE,
                          .cells = EVALUATION_RANGES,
                          .top = 0x1p32,
                          .per_octave = 2};
    sotto_status status = evaluation_ask_sizes(e, &s, error);
    int64_t last = status == SOTTO_OK ? evaluation_highest(&s) : 0;
    last = last > 0 ? last : 0;
    n->reach = evaluation_edge(&s, last < s.cells - 2 ? last : s.cells - 2);
    return status;
}

/* One number: the mean of (y - centre) / reach, or of its square. */
static sotto_status ask_mean(evaluation_run *e, double centre, double reach,
                             int square, double *out, double *sd,
                             sotto_error *error)
{
    double unit = square ? reach * reach : reach;
    ask_value value = {.term = {{.column = NUMBER_TARGET,
                                 .times = 1 / unit,
                                 .centre = centre,
                                 .square = square}},
                       .terms = 1};
    double sum, noise;
    sotto_status status =
        curator_ask_errors(e->curator, &value, 1, &sum, &noise, error);
    *out = sum / e->rows * unit;
    *sd = hypot(noise, sum / e->rows * e->rows_sd) / e->rows * unit;
    return status;
}

/* How far targets are from their mean, to either side: an octave above the
   highest cell that has rows. */
static sotto_status ask_deviation(evaluation_run *e, const number_state *n,
                                  double *out, sotto_error *error)
{
    enum { SIDE = (EVALUATION_RANGES - 2) / 2 };
    double edge[2 * SIDE], count[2 * SIDE + 1], sd;
    for (int k = 0; k < SIDE; k++) {
        double size = n->reach * exp2((double)(k - SIDE + 3) / 2);
        edge[SIDE - 1 - k] = n->mean - size;
        edge[SIDE + k] = n->mean + size;
    }
    for (int k = 1; k < 2 * SIDE; k++) /* sizes that the mean swallows */
        if (!(edge[k] > edge[k - 1]))
            edge[k] = nextafter(edge[k - 1], INFINITY);
    ask_cells cells = {
        .column = NUMBER_TARGET, .edge = edge, .edges = 2 * SIDE, .groups = 1};
    sotto_status status =
        curator_ask_outcomes(e->curator, &cells, count, &sd, error);
    double below[SIDE + 1]; /* from the mean downwards */
    for (int k = 0; status == SOTTO_OK && k <= SIDE; k++)
        below[k] = count[SIDE - k];
    int64_t up = 0, down = 0;
    if (status == SOTTO_OK) {
        up = highest(count + SIDE, SIDE + 1, sd);
        down = highest(below, SIDE + 1, sd);
    }
    int64_t last = up > down ? up : down;
    *out = n->reach; /* where nothing stands out */
    if (last > 0)
        *out *= fmax(exp2((double)(last + 2 - SIDE + 3) / 2), 0x1p-20);
    return status;
}

/* Its range, where it has no bounds; its mean; how far it is from that; the
   variance about it. */
static sotto_status ask_target(evaluation_run *e, number_state *n,
                               sotto_error *error)
{
    double deviation;
    n->reach = 1;
    sotto_status status =
        e->facts.has_range ? SOTTO_OK : ask_reach(e, n, error);
    if (status == SOTTO_OK)
        status = ask_mean(e, 0, n->reach, 0, &n->mean, &n->mean_sd, error);
    if (status == SOTTO_OK)
        status = ask_deviation(e, n, &deviation, error);
    if (status == SOTTO_OK)
        status = ask_mean(e, n->mean, deviation, 1, &n->variance,
                          &n->variance_sd, error);
    return status;
}

/*
 * z = (r^2 - q (y - mean)^2) / variance, of which the mean is 1 - R2 - q. Its
 * parts have heavy tails that go together, so z has lighter ones. Within
 * [-most, most] it is asked for.
 */
static ask_value ratio_value(const number_state *n, double most, int squared)
{
    double times = 1 / (n->variance * most);
    return (ask_value){
        .term = {{.column = NUMBER_RESIDUAL, .times = times, .square = 1},
                 {.column = NUMBER_TARGET,
                  .times = -n->ratio * times,
                  .centre = n->mean,
                  .square = 1}},
        .terms = 2,
        .squared = squared};
}

/* How large z may be: more where there is less noise. These were found on
   three public sets (docs/notes/evaluation.md). */
#define ROUGH_MOST 8.
#define FINE_MOST 13.
#define FINE_ROWS 320.

static sotto_status ask_ratio(evaluation_run *e, number_state *n,
                              evaluation_number *out, sotto_error *error)
{
    double sum[2], noise, fine, fine_noise;
    ask_value rough[] = {ratio_value(n, ROUGH_MOST, 0),
                         ratio_value(n, ROUGH_MOST, 1)};
    sotto_status status =
        curator_ask_errors(e->curator, rough, 2, sum, &noise, error);
    if (status != SOTTO_OK)
        return status;
    double unit = ROUGH_MOST / e->rows;
    double square_sd = noise * unit * ROUGH_MOST;
    double square = fmax(sum[1] * unit * ROUGH_MOST, 0) + square_sd;
    n->ratio = fmax(n->ratio + sum[0] * unit, 0);
    double strength = e->rows / noise; /* of the question before */
    double most = fmax(FINE_MOST * sqrt(strength / FINE_ROWS), 4);
    ask_value last = ratio_value(n, most, 0);
    status =
        curator_ask_errors(e->curator, &last, 1, &fine, &fine_noise, error);
    if (status != SOTTO_OK)
        return status;
    double left = fine * most / e->rows;
    double noisy =
        hypot(fine_noise * most / e->rows, left * n->variance_sd / n->variance);
    double sampled = e->facts.correlated * square / e->rows;
    n->ratio += left;
    *out = (evaluation_number){1 - n->ratio, sqrt(noisy * noisy + sampled),
                               -INFINITY, 1};
    return SOTTO_OK;
}

/* The mean square is that of the target times 1 - R2. */
static evaluation_number mean_square(const evaluation_run *e,
                                     const number_state *n,
                                     const evaluation_number *r2,
                                     const evaluation_sizes *s, int64_t last)
{
    double noise, value = n->ratio * n->variance;
    double fourth = evaluation_moment(e, s, last, 4, &noise) + noise;
    double sampled =
        e->facts.correlated * fmax(fourth - value * value, 0) / e->rows;
    double noisy = hypot(n->ratio * n->variance_sd, n->variance * r2->sd);
    double unit = e->facts.unit * e->facts.unit;
    return (evaluation_number){
        value * unit, sqrt(noisy * noisy + sampled) * unit, 0, INFINITY};
}

/* What cells above `last` add to the mean size, if counts go on to fall from
   octave to octave as they fell in the last two. */
static double mean_beyond(const evaluation_run *e, const evaluation_sizes *s,
                          int64_t last)
{
    double before = 0, count = 0, size = 0;
    for (int64_t k = last; k > last - 4 && k >= 0; k--) {
        count += s->count[k];
        size += evaluation_middle(s, k) / 4;
        before += k >= 4 ? s->count[k - 4] : 0;
    }
    if (!(count > 3 * s->sd) || !(before > 0)) /* of four cells: 1.5 sd */
        return 0;
    double falls = fmin(2 * count / before, .6); /* sizes double */
    return count * size * falls / (1 - falls) / e->rows;
}

static evaluation_number mean_size(const evaluation_run *e,
                                   const evaluation_sizes *s, int64_t last,
                                   double square)
{
    double noise, value = evaluation_moment(e, s, last, 1, &noise);
    double unit = e->facts.unit, beyond = mean_beyond(e, s, last);
    double noisy = hypot(hypot(noise, beyond), value * e->rows_sd / e->rows);
    value += beyond;
    double sampled = e->facts.correlated *
                     fmax(square / unit / unit - value * value, 0) / e->rows;
    return (evaluation_number){
        value * unit, sqrt(noisy * noisy + sampled) * unit, 0, INFINITY};
}

#define UNKNOWN_SPREAD                                                         \
    "the noise is too large to tell how the target varies: expected more "     \
    "rows, a larger epsilon, or narrower bounds of the target"

/* Whether the variance stands out of the noise. One that is far below the mean
   square, or below what the curator can be told, does not either. */
static int is_told(const number_state *n)
{
    return n->variance > CERTAIN * n->variance_sd && n->variance > 0x1p-60 &&
           n->ratio < 0x1p20;
}

static void put_number(evaluation_run *e, evaluation_number r2,
                       evaluation_number mse, evaluation_number mae)
{
    json_t *numbers = json_object();
    json_add(&numbers, "r2", evaluation_estimate(r2, UNKNOWN_SPREAD));
    json_add(&numbers, "mse", evaluation_estimate(mse, UNKNOWN_SPREAD));
    json_add(&numbers, "mae", evaluation_estimate(mae, EVALUATION_TOO_NOISY));
    json_add(&e->root, "numbers", numbers);
}

sotto_status evaluation_ask_number(evaluation_run *e, sotto_error *error)
{
    number_state n = {0};
    evaluation_number none = {NAN, NAN, 0, 0}, r2 = none, mse = none;
    evaluation_sizes s = {.column = NUMBER_RESIDUAL_SIZE,
                          .cells = EVALUATION_SIZES,
                          .per_octave = 4};
    sotto_status status = ask_target(e, &n, error);
    s.top = 8 * n.reach;
    if (status == SOTTO_OK)
        status = evaluation_ask_sizes(e, &s, error);
    if (status != SOTTO_OK)
        return status;
    double noise;
    int64_t last = evaluation_highest(&s);
    int64_t far = last + 4 < s.cells - 1 ? last + 4 : s.cells - 1;
    evaluation_number mae = none;
    n.ratio = fmax(evaluation_moment(e, &s, last, 2, &noise) / n.variance, 0);
    if (is_told(&n)) {
        status = ask_ratio(e, &n, &r2, error);
        if (status == SOTTO_OK)
            mse = mean_square(e, &n, &r2, &s, far);
    }
    if (last >= 0)
        mae =
            mean_size(e, &s, far,
                      isfinite(mse.value)
                          ? mse.value
                          : pow(evaluation_edge(&s, last) * e->facts.unit, 2));
    put_number(e, r2, mse, mae);
    return status;
}
