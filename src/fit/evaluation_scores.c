/*
 * Classes. Of two, one histogram of scores by class has it all: the confusion
 * matrix, accuracy, ROC, AUC and calibration. Where its bins end is public: the
 * ends are some of a fixed grid, chosen by the answer to the question before.
 * The counts are used as they come, noise and all, so that nothing is biased;
 * curves are cleaned up for people at the end.
 */
#include "evaluating.h"

#include <math.h>
#include <string.h>

/* ---- bins of scores ---- */

/* Edge k of the grid of scores: near 0 every .0012, far away every 6 %. The
   middle one is 0, where the predicted class changes. */
static double grid_edge(int64_t k)
{
    return .02 * sinh(.06 * (double)(k - (EVALUATION_FINE / 2 - 1)));
}

enum { GRID_ZERO = EVALUATION_FINE / 2 - 1 };

/* The histogram: its edges, and for each class its counts. */
typedef struct score_bins {
    double edge[EVALUATION_BINS];
    int64_t bins;  /* edges + 1 */
    int64_t above; /* the first bin of scores above 0 */
    double count[2][EVALUATION_BINS];
    double sd;
    double predicted[EVALUATION_BINS]; /* the mean probability, about */
    double all[2];                     /* of each class */
} score_bins;

static double probability(double score)
{
    return 1 / (1 + exp(-score));
}

/* The mean probability of grid cells (from, to], by what is above 0 of their
   noisy counts. */
static double mean_probability(const double *fine, int64_t from, int64_t to)
{
    double sum = 0, all = 0;
    for (int64_t k = from; k <= to; k++) {
        double low = k > 0 ? grid_edge(k - 1) : grid_edge(0);
        double high = k + 1 < EVALUATION_FINE ? grid_edge(k)
                                              : grid_edge(EVALUATION_FINE - 2);
        double weight = fmax(fine[k], 1e-9);
        sum += weight * probability((low + high) / 2);
        all += weight;
    }
    return sum / all;
}

/* Ends a bin at edge k of the grid; `from` is its first cell. */
static void end_bin(score_bins *b, const double *fine, int64_t *from, int64_t k)
{
    b->predicted[b->bins - 1] = mean_probability(fine, *from, k);
    b->edge[b->bins - 1] = grid_edge(k);
    b->above = k == GRID_ZERO ? b->bins : b->above;
    b->bins++;
    *from = k + 1;
}

/* Bins with about as many rows each, by sums of noisy counts, which are made to
   rise; 0 is always an edge. */
static void choose_bins(score_bins *b, const double *fine, double rows)
{
    double part = rows / (EVALUATION_BINS - 2), sum = 0, most = 0;
    int64_t from = 0, parts = 1; /* the parts that are to come end at these */
    b->bins = 1;
    for (int64_t k = 0; k + 1 < EVALUATION_FINE; k++) {
        sum += fine[k];
        most = fmax(most, sum);
        int full = 0;
        while (parts < EVALUATION_BINS - 2 && most >= (double)parts * part) {
            parts++;
            full = 1;
        }
        if (full || k == GRID_ZERO)
            end_bin(b, fine, &from, k);
    }
    b->predicted[b->bins - 1] =
        mean_probability(fine, from, EVALUATION_FINE - 1);
}

static sotto_status ask_bins(evaluation_run *e, score_bins *b,
                             sotto_error *error)
{
    double edge[EVALUATION_FINE - 1], fine[EVALUATION_FINE];
    double count[2 * EVALUATION_BINS], sd;
    for (int64_t k = 0; k < EVALUATION_FINE - 1; k++)
        edge[k] = grid_edge(k);
    ask_cells cells = {.column = TWO_SCORE,
                       .edge = edge,
                       .edges = EVALUATION_FINE - 1,
                       .groups = 1};
    sotto_status status =
        curator_ask_outcomes(e->curator, &cells, fine, &sd, error);
    if (status != SOTTO_OK)
        return status;
    choose_bins(b, fine, e->rows);
    cells = (ask_cells){.column = TWO_SCORE,
                        .edge = b->edge,
                        .edges = b->bins - 1,
                        .groups = 2};
    status = curator_ask_outcomes(e->curator, &cells, count, &b->sd, error);
    for (int y = 0; status == SOTTO_OK && y < 2; y++)
        for (int64_t k = 0; k < b->bins; k++) {
            b->count[y][k] = count[y * b->bins + k];
            b->all[y] += b->count[y][k];
        }
    return status;
}

/* ---- AUC ---- */

/* Of each bin, which share of the other class scores below it (above it), its
   own bin by half. */
static void shares_beside(const score_bins *b, int y, double *out)
{
    double sum = 0;
    for (int64_t i = 0; i < b->bins; i++) {
        int64_t k = y ? i : b->bins - 1 - i;
        out[k] = (sum + b->count[!y][k] / 2) / b->all[!y];
        sum += b->count[!y][k];
    }
}

static evaluation_number area(const score_bins *b, double correlated)
{
    double beside[2][EVALUATION_BINS], a = 0, noisy = 0, sampled = 0;
    for (int y = 0; y < 2; y++)
        if (!(b->all[y] > 3 * b->sd * sqrt((double)b->bins)))
            return (evaluation_number){NAN, NAN, 0, 1};
    for (int y = 0; y < 2; y++)
        shares_beside(b, y, beside[y]);
    for (int64_t k = 0; k < b->bins; k++)
        a += b->count[1][k] * beside[1][k] / b->all[1];
    for (int y = 0; y < 2; y++)
        for (int64_t k = 0; k < b->bins; k++) {
            double slope = (beside[y][k] - a) / b->all[y];
            noisy += b->sd * b->sd * slope * slope;
            sampled += fmax(b->count[y][k], 0) * slope * slope;
        }
    return (evaluation_number){a, sqrt(noisy + correlated * sampled), 0, 1};
}

/* ---- curves ---- */

static void put_scores(evaluation_run *e, const score_bins *b)
{
    json_t *scores = json_object(), *counts = json_array(), *sd = json_array();
    for (int y = 0; y < 2; y++)
        json_append(&counts, evaluation_list(b->count[y], b->bins));
    json_append(&sd, json_real(b->sd));
    json_add(&scores, "edges", evaluation_list(b->edge, b->bins - 1));
    json_add(&scores, "counts", counts);
    json_add(&scores, "noise_sd", sd);
    json_add(&e->root, "scores", scores);
}

/* From the highest edge to the lowest: what is above it, of either class. The
   value never falls. */
static void put_rates(json_t **roc, const score_bins *b, int y,
                      const char *name, double correlated)
{
    double value[EVALUATION_BINS], sd[EVALUATION_BINS], sum = 0, before = 0;
    int64_t edges = b->bins - 1;
    char key[32];
    for (int64_t i = 0; i < edges; i++) {
        sum += b->count[y][edges - i];
        evaluation_number n =
            evaluation_share(sum, b->all[y], b->sd, (double)i + 1,
                             (double)(b->bins - i - 1), correlated);
        before = fmax(before, fmin(n.value, 1));
        value[i] = isfinite(n.value) ? before : NAN;
        sd[i] = n.sd;
    }
    json_add(roc, name, evaluation_list(value, edges));
    snprintf(key, sizeof key, "%s_sd", name);
    json_add(roc, key, evaluation_list(sd, edges));
}

static void put_roc(evaluation_run *e, const score_bins *b)
{
    double threshold[EVALUATION_BINS];
    json_t *roc = json_object();
    for (int64_t i = 0; i < b->bins - 1; i++)
        threshold[i] = b->edge[b->bins - 2 - i];
    json_add(&roc, "threshold", evaluation_list(threshold, b->bins - 1));
    put_rates(&roc, b, 0, "fpr", e->facts.correlated);
    put_rates(&roc, b, 1, "tpr", e->facts.correlated);
    json_add(&e->root, "roc", roc);
}

/* The nearest values that never fall (pool adjacent violators), by their
   precision. */
static void make_monotone(const double *value, const double *sd, int64_t count,
                          double *out)
{
    double mean[EVALUATION_BINS], weight[EVALUATION_BINS];
    int64_t size[EVALUATION_BINS], pools = 0;
    for (int64_t i = 0; i < count; i++) {
        mean[pools] = value[i];
        weight[pools] = 1 / (sd[i] * sd[i]);
        size[pools++] = 1;
        while (pools > 1 && mean[pools - 2] > mean[pools - 1]) {
            double both = weight[pools - 2] + weight[pools - 1];
            mean[pools - 2] = (weight[pools - 2] * mean[pools - 2] +
                               weight[pools - 1] * mean[pools - 1]) /
                              both;
            weight[pools - 2] = both;
            size[pools - 2] += size[pools - 1];
            pools--;
        }
    }
    for (int64_t p = 0, i = 0; p < pools; p++)
        for (int64_t n = 0; n < size[p]; n++)
            out[i++] = fmin(fmax(mean[p], 0), 1);
}

/* Of the bins that are large enough: what was predicted, and what was so. */
static void put_calibration(evaluation_run *e, const score_bins *b)
{
    double predicted[EVALUATION_BINS], value[EVALUATION_BINS];
    double sd[EVALUATION_BINS], monotone[EVALUATION_BINS];
    int64_t count = 0;
    json_t *out = json_object();
    for (int64_t k = 0; k < b->bins; k++) {
        evaluation_number n =
            evaluation_share(b->count[1][k], b->count[0][k] + b->count[1][k],
                             b->sd, 1, 1, e->facts.correlated);
        if (!isfinite(n.value))
            continue;
        predicted[count] = b->predicted[k];
        value[count] = n.value;
        sd[count++] = n.sd;
    }
    make_monotone(value, sd, count, monotone);
    json_add(&out, "predicted", evaluation_list(predicted, count));
    json_add(&out, "observed", evaluation_list(value, count));
    json_add(&out, "sd", evaluation_list(sd, count));
    json_add(&out, "monotone", evaluation_list(monotone, count));
    json_add(&e->root, "calibration", out);
}

/* ---- two classes ---- */

/* Classes by predicted ones: sums of bins, with their noise. */
static void put_two(evaluation_run *e, const score_bins *b, json_t **numbers)
{
    double count[4] = {0}, sd[4], right, bins = (double)b->bins;
    double below = (double)b->above;
    for (int y = 0; y < 2; y++)
        for (int64_t k = 0; k < b->bins; k++)
            count[2 * y + (k >= b->above)] += b->count[y][k];
    for (int i = 0; i < 4; i++)
        sd[i] = b->sd * sqrt(i % 2 ? bins - below : below);
    right = count[0] + count[3];
    json_add(numbers, "accuracy",
             evaluation_estimate(evaluation_share(right, b->all[0] + b->all[1],
                                                  b->sd, bins, bins,
                                                  e->facts.correlated),
                                 EVALUATION_TOO_NOISY));
    json_add(
        numbers, "auc",
        evaluation_estimate(area(b, e->facts.correlated),
                            "the noise is too large, or one class too rare"));
    evaluation_put_confusion(e, count, sd, e->facts.correlated);
}

sotto_status evaluation_ask_two(evaluation_run *e, sotto_error *error)
{
    score_bins b = {0};
    json_t *numbers = json_object();
    sotto_status status = ask_bins(e, &b, error);
    if (status == SOTTO_OK) {
        put_two(e, &b, &numbers);
        put_scores(e, &b);
        put_roc(e, &b);
        if (e->facts.has_loss)
            put_calibration(e, &b);
    }
    if (status == SOTTO_OK && e->facts.has_loss)
        status = evaluation_ask_loss(e, TWO_LOSS, fmin(b.all[0], b.all[1]),
                                     b.sd * sqrt((double)b.bins), &numbers,
                                     error);
    json_add(&e->root, "numbers", numbers);
    return status;
}

/* ---- three classes and more ---- */

static sotto_status ask_right(evaluation_run *e, json_t **numbers,
                              sotto_error *error)
{
    double edge = .5, count[2], sd;
    ask_cells cells = {
        .column = MANY_RIGHT, .edge = &edge, .edges = 1, .groups = 1};
    sotto_status status =
        curator_ask_outcomes(e->curator, &cells, count, &sd, error);
    if (status == SOTTO_OK)
        json_add(
            numbers, "accuracy",
            evaluation_estimate(evaluation_share(count[1], count[0] + count[1],
                                                 sd, 1, 1, e->facts.correlated),
                                EVALUATION_TOO_NOISY));
    return status;
}

/* The least sum of the counts of a class. */
static double rarest(const double *count, int64_t classes)
{
    double least = INFINITY;
    for (int64_t k = 0; k < classes; k++) {
        double sum = 0;
        for (int64_t told = 0; told < classes; told++)
            sum += count[k * classes + told];
        least = fmin(least, sum);
    }
    return least;
}

static sotto_status ask_confusion(evaluation_run *e, double *rare,
                                  double *rare_sd, sotto_error *error)
{
    double edge[EVALUATION_MOST_CLASSES], noise = 0;
    int64_t classes = e->model->classes, all = classes * classes;
    double *count = mem_zeroed((size_t)all * 2, sizeof *count);
    if (!count)
        return error_memory(error);
    for (int64_t k = 0; k + 1 < classes; k++)
        edge[k] = (double)k + .5;
    ask_cells cells = {.column = MANY_TOLD,
                       .edge = edge,
                       .edges = classes - 1,
                       .groups = classes};
    sotto_status status =
        curator_ask_outcomes(e->curator, &cells, count, &noise, error);
    *rare_sd = noise * sqrt((double)classes);
    *rare = rarest(count, classes);
    for (int64_t i = 0; i < all; i++)
        count[all + i] = noise;
    if (status == SOTTO_OK)
        evaluation_put_confusion(e, count, count + all, e->facts.correlated);
    mem_free(count);
    return status;
}

sotto_status evaluation_ask_many(evaluation_run *e, sotto_error *error)
{
    double rare = 0, rare_sd = 0;
    json_t *numbers = json_object();
    sotto_status status = ask_right(e, &numbers, error);
    if (status == SOTTO_OK)
        status = ask_confusion(e, &rare, &rare_sd, error);
    if (status == SOTTO_OK && e->facts.has_loss)
        status = evaluation_ask_loss(e, MANY_LOSS, rare, rare_sd, &numbers,
                                     error);
    json_add(&e->root, "numbers", numbers);
    return status;
}
