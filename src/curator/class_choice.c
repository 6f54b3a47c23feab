/*
 * Choices of features for more than two classes: Lemma C28 of docs/privacy.
 * Record i keeps a margin for each class, as floats: the intercepts that were
 * told, and x_ij d_k for each move that was. class_loss.c has the slopes l_k(m)
 * of its loss, and
 *
 *   slopes    s_k = a_i l_k(m), as floats
 *   reach     r_i = B (1 - 2^-30) / |s|, in double
 *   integers  k_ijk = s_k t cut towards 0,  t = x_ij B / clip_j, and no larger
 *             than r_i in size: so that their length over k is below B
 *   score     u_j = the whole part of the length of sum over i of k_ij
 */
#include "choice.h"
#include "score.h"

#include <math.h>

/* ---- telling ---- */

static void *next_part(char **at, size_t count, size_t size)
{
    void *part = *at;
    *at += (count * size + 7) / 8 * 8;
    return part;
}

static int take_memory(curator *c, class_choice *k)
{
    size_t rows = (size_t)c->table->rows, classes = (size_t)c->policy.classes;
    size_t features = (size_t)c->table->features, cells;
    if (!size_multiply(rows + 1, classes * sizeof(float), &cells))
        return 0;
    size_t all = c->ranks ? features * classes : 0;
    k->bytes = 2 * (cells + 8) + (rows + features + 3 * all) * 8 +
               4 * classes * 8 + 64;
    k->memory = secret_take(k->bytes);
    k->factor = mem_zeroed(features + 1, sizeof *k->factor);
    k->moved = mem_zeroed(features + 1, sizeof *k->moved);
    if (!k->memory || !k->factor || !k->moved)
        return 0;
    char *at = k->memory;
    k->margin = next_part(&at, rows * classes, sizeof *k->margin);
    k->slope = next_part(&at, rows * classes, sizeof *k->slope);
    k->reach = next_part(&at, rows, sizeof *k->reach);
    k->one = next_part(&at, 2 * classes, sizeof *k->one);
    k->score = next_part(&at, features, sizeof *k->score);
    k->own = next_part(&at, all, sizeof *k->own);
    k->sent = next_part(&at, all, sizeof *k->sent);
    k->all = next_part(&at, all, sizeof *k->all);
    k->sum = next_part(&at, classes, sizeof *k->sum);
    k->part = next_part(&at, classes, sizeof *k->part);
    return 1;
}

void class_choice_free(curator *c)
{
    class_choice *k = c->class_choice;
    if (!k)
        return;
    secret_give(k->memory, k->bytes);
    mem_free(k->factor);
    mem_free(k->moved);
    mem_free(k);
    c->class_choice = NULL;
}

static int are_moderate(const double *x, int64_t count)
{
    int fine = 1;
    for (int64_t k = 0; k < count; k++)
        fine &= fabs(x[k]) <= 0x1p100;
    return fine;
}

sotto_status curator_tell_class_scores(curator *c, const double *clip,
                                       const double *at, sotto_error *error)
{
    int64_t classes = c->policy.classes;
    int fine = classes > 0 && !c->kept && !c->class_choice &&
               are_moderate(at, classes);
    for (int64_t j = 0; fine && j < c->table->features; j++)
        fine &= is_moderate(clip[j]);
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "scores of classes are told once, of a table with "
                         "more than two, with clips from 2^-100 to 2^100");
    class_choice *k = c->class_choice = mem_zeroed(1, sizeof *k);
    if (!k || !take_memory(c, k)) {
        class_choice_free(c);
        return error_memory(error);
    }
    for (int64_t j = 0; j < c->table->features; j++)
        k->factor[j] = KERNEL_CLIP / clip[j];
    ranks_note(c->ranks, clip, (size_t)c->table->features * sizeof *clip);
    ranks_note(c->ranks, at, (size_t)classes * sizeof *at);
    for (int64_t i = 0; i < c->table->rows; i++)
        for (int64_t a = 0; a < classes; a++)
            k->margin[i * classes + a] = (float)at[a];
    return SOTTO_OK;
}

sotto_status curator_tell_class_move(curator *c, int64_t j, const double *d,
                                     sotto_error *error)
{
    class_choice *k = c->class_choice;
    int64_t classes = c->policy.classes;
    if (!k || j < 0 || j >= c->table->features || !are_moderate(d, classes))
        return error_set(error, SOTTO_USAGE,
                         "expected a feature that there is, scores of classes "
                         "that were told, and moves up to 2^100");
    kernel_column x = columns_get(c, j);
    int64_t count = x.index ? x.count : c->table->rows;
    kernel_mode before = kernel_enter();
    for (int64_t n = 0; n < count; n++) {
        float *margin =
            k->margin + (x.index ? (int64_t)x.index[n] : n) * classes;
        for (int64_t a = 0; a < classes; a++)
            margin[a] = (float)((double)margin[a] + (double)x.value[n] * d[a]);
    }
    kernel_leave(before);
    ranks_note(c->ranks, &j, sizeof j);
    ranks_note(c->ranks, d, (size_t)classes * sizeof *d);
    k->moved[j] = 1;
    k->sloped = 0;
    return SOTTO_OK;
}

/* ---- one record ---- */

/* Its slopes, and what these may be multiplied by. */
static void find_slope(const curator *c, class_choice *k, int64_t i)
{
    int64_t classes = c->policy.classes;
    float *slope = k->slope + i * classes;
    double weight = c->weight ? (double)c->weight[i] : 1, square = 0;
    double *margin = k->one, *all = k->one + classes;
    for (int64_t a = 0; a < classes; a++)
        margin[a] = (double)k->margin[i * classes + a];
    class_slopes(c, class_of(c, i), margin, all);
    for (int64_t a = 0; a < classes; a++) {
        slope[a] = (float)(all[a] * weight);
        square += (double)slope[a] * (double)slope[a];
    }
    double reach = KERNEL_CLIP * (1 - 0x1p-30) / sqrt(square);
    k->reach[i] = square > 0 && isfinite(square) ? reach : 0;
}

static void find_slopes(curator *c)
{
    class_choice *k = c->class_choice;
    for (int64_t i = 0; !k->sloped && i < c->table->rows; i++)
        find_slope(c, k, i);
    k->sloped = 1;
}

/* ---- one feature ---- */

/* What its value multiplies the slopes by. */
static double reached(double x, double factor, double reach)
{
    double t = fabs(x) * factor;
    return copysign(t < reach ? t : reach, x);
}

static void flush(class_choice *k, int64_t classes, int64_t *out)
{
    for (int64_t a = 0; a < classes; a++) {
        out[a] += k->part[a];
        k->part[a] = 0;
    }
}

static void sum_feature(curator *c, int64_t j, double factor, int64_t *out)
{
    class_choice *k = c->class_choice;
    kernel_column x = columns_get(c, j);
    int64_t count = x.index ? x.count : c->table->rows;
    int64_t classes = c->policy.classes;
    for (int64_t a = 0; a < classes; a++)
        out[a] = 0;
    for (int64_t n = 0; n < count; n++) {
        int64_t i = x.index ? (int64_t)x.index[n] : n;
        double t = reached((double)x.value[n], factor, k->reach[i]);
        const float *slope = k->slope + i * classes;
        for (int64_t a = 0; t != 0 && a < classes; a++)
            k->part[a] += (int32_t)((double)slope[a] * t);
        if (n % FRAME_BLOCK == FRAME_BLOCK - 1)
            flush(k, classes, out);
    }
    flush(k, classes, out);
}

/* ---- questions ---- */

static int64_t length_of(const int64_t *sum, int64_t classes)
{
    unsigned __int128 square = 0;
    for (int64_t a = 0; a < classes; a++)
        square += (unsigned __int128)((__int128)sum[a] * sum[a]);
    return score_root(square);
}

static const int64_t *score_features(curator *c, const void *what)
{
    class_choice *k = c->class_choice;
    (void)what;
    find_slopes(c);
    for (int64_t j = 0; j < c->table->features; j++) {
        k->score[j] = -SCORE_MOST;
        if (k->moved[j])
            continue;
        sum_feature(c, j, k->factor[j], k->sum);
        k->score[j] = length_of(k->sum, c->policy.classes);
    }
    return k->score;
}

/* Where ranks share the rows: the sums of all features that may be chosen, and
   their scores when they are those of all ranks. A move changes the slopes of
   the rows that have its feature, and the sums of the features of these. */
static int64_t *sum_features(curator *c, const void *what)
{
    class_choice *k = c->class_choice;
    (void)what;
    find_slopes(c);
    for (int64_t j = 0; j < c->table->features; j++)
        if (!k->moved[j])
            sum_feature(c, j, k->factor[j], k->own + j * c->policy.classes);
    return k->own;
}

static const int64_t *score_sums(curator *c, const void *what)
{
    class_choice *k = c->class_choice;
    int64_t classes = c->policy.classes;
    (void)what;
    for (int64_t j = 0; j < c->table->features; j++)
        k->score[j] = k->moved[j] ? -SCORE_MOST
                                  : length_of(k->all + j * classes, classes);
    return k->score;
}

sotto_status curator_ask_class_choice(curator *c, int64_t *out,
                                      sotto_error *error)
{
    class_choice *k = c->class_choice;
    *out = 0;
    if (!k || c->table->features < 1)
        return error_set(error, SOTTO_USAGE,
                         "expected scores of classes that were told");
    gate_contest q = {.kind = ASK_CLASS_CHOICE,
                      .count = (size_t)c->table->features,
                      .stride = 1,
                      .scores = score_features,
                      .sums = sum_features,
                      .sums_count =
                          (size_t)(c->table->features * c->policy.classes),
                      .before = k->sent,
                      .total = k->all,
                      .scored = score_sums};
    return gate_choose(c, &q, out, error);
}

typedef struct partial_ask {
    int64_t feature;
    double factor;
} partial_ask;

static void sum_class_partial(curator *c, const void *what, int64_t *out)
{
    const partial_ask *a = what;
    find_slopes(c);
    sum_feature(c, a->feature, a->factor, out);
}

sotto_status curator_ask_class_partial(curator *c, int64_t j, double clip,
                                       double *out, double *sd,
                                       sotto_error *error)
{
    size_t classes = (size_t)c->policy.classes;
    partial_ask a = {j, KERNEL_CLIP / clip};
    gate_question q = {.kind = ASK_CLASS_PARTIAL,
                       .answers = classes,
                       .sum = sum_class_partial,
                       .what = &a};
    *sd = 0;
    if (!c->class_choice || j < 0 || j >= c->table->features ||
        !is_moderate(clip) || !(c->total > 0))
        return error_set(error, SOTTO_USAGE,
                         "expected a feature that there is, scores of classes "
                         "that were told, and a clip from 2^-100 to 2^100");
    int64_t *sum = mem_zeroed(classes, sizeof *sum);
    sotto_status status =
        sum ? gate_release(c, &q, sum, sd, error) : error_memory(error);
    double unit = clip / KERNEL_CLIP / c->total;
    for (size_t k = 0; k < classes; k++)
        out[k] = status == SOTTO_OK ? (double)sum[k] * unit : 0;
    *sd *= unit;
    mem_free(sum);
    return status;
}
