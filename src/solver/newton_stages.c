/*
 * Steps 4 to 8 of the private Newton method where the budget is large enough
 * to see how long records' gradients are: in three stages, each with a clip of
 * its own and better coordinates than the last.
 *
 *   matrix      rows are shortened to what a histogram of their lengths makes
 *               best: what is lost against the noise
 *   curvature   of losses that are not quadratic: at the start that of the best
 *               constant; then asked for, in coordinates where it was about 1
 *   clip        from a histogram of gradients' lengths (clip.c)
 *   rounds      as in newton.c, but no step changes predictions by more than
 *               TRUST; where answers show that the loss of classes bends less
 *               along the last step than the model has it, the model follows
 *   end         the average, less what noise could be (matrix_posterior)
 *   guard       the last point, the one of the stage before, or the constant
 */
#include "newton_errors.h"

#include <math.h>
#include <string.h>

/* What is cut off points one way by this part over sqrt(d): a long row is about
   sqrt(d) in whitened coordinates and about 1 in any one direction. Residuals
   go up and down alike, so that of numbers it is less; but in few directions
   they are skewed. */
#define ALIGNED_CLASSES 1.25
#define ALIGNED_NUMBERS .7
#define ALIGNED_IN_FEW 3. /* over d */

#define TRUST .7         /* of a margin, root mean square */
#define STANDS_OUT 2.    /* times what noise alone is long */
#define FLATTEST .125    /* of the model's curvature */
#define NEARLY_ALL .7    /* of it: then the model stays */
#define LONGEST_ROW 2.5  /* in usual lengths of rows */
#define RARE_LENGTHS 1.2 /* rows of a rare class, in those of others */
#define RARE_SEEN 12.    /* sd: a rare class that the histogram shows */

static int stages_memory(stages *k)
{
    int64_t square = k->d * k->d;
    double *next = k->memory =
        mem_zeroed((size_t)(4 * square + 9 * k->d), sizeof *next);
    double **large[] = {&k->first, &k->to, &k->from, &k->product};
    double **small[] = {&k->value, &k->before,  &k->best,
                        &k->last,  &k->moved,   &k->pull,
                        &k->asked, &k->answers, &k->average};
    if (!next)
        return 0;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++, next += square)
        *large[i] = next;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++, next += k->d)
        *small[i] = next;
    return 1;
}

/* x' H x */
static double form(const double *h, const double *x, int64_t d)
{
    double sum = 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            sum += x[i] * h[i * d + j] * x[j];
    return sum;
}

/* ---- a stage ---- */

/* The usual length of rows in these coordinates. */
static double row_length(const stages *k)
{
    int64_t d = k->d;
    double sum = 0;
    for (int64_t e = 0; e < d; e++) {
        for (int64_t i = 0; i < d; i++)
            k->value[i] = k->to[i * d + e];
        sum += form(k->first, k->value, d);
    }
    return sqrt(fmax(sum, 1));
}

static double aligned(double d, int classes)
{
    return fmin(1, classes
                       ? ALIGNED_CLASSES / sqrt(d)
                       : fmax(ALIGNED_NUMBERS / sqrt(d), ALIGNED_IN_FEW / d));
}

static sotto_status find_clip(stages *k, double share, double *clip,
                              sotto_error *error)
{
    newton_state *s = k->s;
    double edge[CLIP_RANGES], answer[CLIP_RANGES], sd, d = (double)k->d;
    double most = within(LONGEST * k->scale, 1e-20, 1e25);
    int classes = loss_has_classes(s->problem->loss.kind);
    clip_counts h;
    clip_edges(most, edge);
    sotto_status status = curator_ask_length_counts(
        s->curator, edge, CLIP_RANGES - 1, answer, &sd, error);
    if (status != SOTTO_OK)
        return status;
    clip_answered(&h, most, answer, sd, curator_rows(s->curator));
    clip_fit(&h);
    /* the slope of a class is at most 1: no gradient is longer than its row,
       where the noise of a rare class' few counts makes a tail without end */
    k->longest = classes ? LONGEST_ROW * row_length(k) : INFINITY;
    if (classes)
        clip_end(&h, k->longest);
    k->scale = within(clip_mean(&h), 1e-20, 1e20);
    *clip = clip_best(&h, aligned(d, classes), k->noise * sqrt(d / share));
    /* a rare class that the histogram does not show is there all the same,
       and its gradients are as long as rows are */
    if (h.rows * k->rare < RARE_SEEN * h.sd)
        *clip = fmax(*clip, RARE_LENGTHS * (1 - 2 * k->rare) * row_length(k));
    *clip = within(*clip, 1e-25, 1e25);
    k->clip = *clip;
    k->square = clip_mean_square(&h);
    k->lengths = h;
    return status;
}

/* Whether this answer is far above its noise. */
static int stands_out(const newton_state *s, int64_t d)
{
    double square = 0, noise = (double)d * s->last_sd * s->last_sd;
    for (int64_t j = 0; j < d; j++)
        square += s->gradient[j] * s->gradient[j];
    return square > STANDS_OUT * STANDS_OUT * noise;
}

/* A step to s->next, no longer than can be trusted. */
static sotto_status step(stages *k, int averaged, sotto_error *error)
{
    newton_state *s = k->s;
    double times = 1;
    for (int64_t j = 0; j < k->d; j++) {
        s->back[j] = s->next[j] - s->v[j];
        s->back[j] = isfinite(s->back[j]) ? s->back[j] : 0;
    }
    if (loss_has_classes(s->problem->loss.kind))
        times =
            fmin(1, TRUST / sqrt(fmax(form(k->first, s->back, k->d), 1e-300)));
    for (int64_t j = 0; j < k->d; j++) {
        k->moved[j] = times * s->back[j];
        s->v[j] += k->moved[j];
        s->sum[j] += averaged ? s->v[j] : 0;
    }
    return newton_tell(s, s->v, error);
}

/* The curvature along the last step, as this answer and the one before show it,
   over the model's. It is less where classes are far apart: then the loss bends
   ever less on the way. 1 where noise may be all there is to it. */
static double seen_curvature(const stages *k)
{
    const newton_state *s = k->s;
    int64_t d = k->d;
    double seen = 0, square = 0, model = form(s->model, k->moved, d);
    for (int64_t e = 0; e < d; e++) {
        double part = 0;
        for (int64_t j = 0; j < d; j++)
            part += k->from[e * d + j] * k->moved[j];
        square += part * part;
        seen += k->moved[e] * (s->back[e] - k->last[e]);
    }
    if (!stands_out(s, d) || !(model > 0))
        return 1;
    return within((seen + 3 * s->last_sd * sqrt(2 * square)) / model, FLATTEST,
                  1);
}

/* The model, as flat along the last step as it was seen to be. */
static const double *model_now(stages *k, int64_t round)
{
    const newton_state *s = k->s;
    int64_t d = k->d;
    double seen = 1, model = 0;
    if (round > 0 && loss_has_classes(s->problem->loss.kind))
        seen = seen_curvature(k);
    memcpy(k->last, s->back, (size_t)d * sizeof *k->last);
    if (seen > NEARLY_ALL)
        return s->model;
    for (int64_t i = 0; i < d; i++) {
        k->pull[i] = 0;
        for (int64_t j = 0; j < d; j++)
            k->pull[i] += s->model[i * d + j] * k->moved[j];
        model += k->pull[i] * k->moved[i];
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            k->product[i * d + j] =
                s->model[i * d + j] -
                (1 - seen) * k->pull[i] * k->pull[j] / model;
    return k->product;
}

/* For the errors: what the average is made of. */
static void keep_answer(stages *k)
{
    for (int64_t j = 0; j < k->d; j++) {
        k->answers[j] += k->s->gradient[j];
        k->asked[j] += k->s->v[j];
    }
    k->averaged++;
}

static sotto_status rounds(stages *k, const newton_stage *now, double clip,
                           int64_t skip, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    size_t bytes = (size_t)d * sizeof *s->sum;
    memset(s->sum, 0, bytes);
    memset(k->answers, 0, bytes);
    memset(k->asked, 0, bytes);
    k->averaged = 0;
    for (int64_t t = 0; t < now->rounds; t++) {
        sotto_status status = curator_ask_whitened(
            s->curator, clip, s->gradient, &s->last_sd, error);
        if (status != SOTTO_OK)
            return status;
        if (t >= skip)
            keep_answer(k);
        for (int64_t j = 0; j < d; j++) {
            s->back[j] = 0;
            for (int64_t e = 0; e < d; e++)
                s->back[j] += k->from[e * d + j] * s->gradient[e];
        }
        const double *by = model_now(k, t);
        matrix_model model = {d, by, s->back, s->l1, s->l2, s->low, s->high};
        status = matrix_minimise(&model, s->v, s->next, error);
        if (status == SOTTO_OK)
            status = step(k, t >= skip, error);
        if (status != SOTTO_OK)
            return status;
    }
    for (int64_t j = 0; j < d; j++)
        s->v[j] = s->sum[j] / (double)(now->rounds - skip);
    memcpy(k->average, s->v, bytes);
    return SOTTO_OK;
}

/* The average less what noise could be. */
static sotto_status settle(stages *k, int64_t averaged, int each,
                           sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    double variance = s->last_sd * s->last_sd / (double)averaged;
    sotto_status status = SOTTO_OK;
    memcpy(k->before, k->best, (size_t)d * sizeof *k->best);
    if (variance > 0) {
        memcpy(k->product, s->model, (size_t)(d * d) * sizeof *k->product);
        for (int64_t j = 0; j < d; j++)
            k->product[j * d + j] += s->l2[j];
        status = matrix_posterior(k->product, d, s->p, each, variance, s->v,
                                  s->v, error);
    }
    memcpy(k->best, s->v, (size_t)d * sizeof *k->best);
    return status == SOTTO_OK ? newton_tell(s, s->v, error) : status;
}

static sotto_status one_stage(stages *k, int i, sotto_error *error)
{
    const budget_split *r = &k->s->settings->rule;
    newton_stage now = newton_stage_of(r, i);
    int last = i == NEWTON_STAGES - 1;
    int64_t skip = last ? 1 : now.rounds / 2;
    double clip = 1;
    sotto_status status = SOTTO_OK;
    if (now.curvature > 0)
        status = stages_curvature(
            k, last ? ASK_EXACT_CURVATURE : ASK_SECANT_CURVATURE, error);
    if (status == SOTTO_OK)
        status = find_clip(k, now.gradients, &clip, error);
    if (status == SOTTO_OK)
        status = rounds(k, &now, clip, skip, error);
    if (status == SOTTO_OK)
        status = settle(k, now.rounds - skip, last, error);
    return status;
}

/* ---- all of them ---- */

/* The secant curvature at the best constant, over the bound: no step that goes
   by it goes too far. The usual one, where it differs from the bound. */
static double constant_bend(const newton_state *s)
{
    const loss *l = &s->problem->loss;
    double most = 0, m = s->response.constant;
    double usual = loss_usual_curvature(l) / loss_curvature_bound(l);
    if (!loss_has_classes(l->kind) || usual < 1)
        return usual;
    for (int y = -1; y <= 1; y += 2) {
        double slope, at_0, curved, of_0;
        loss_at(l, m, y, &slope, &curved);
        loss_at(l, 0, y, &at_0, &of_0);
        most = fmax(most, fabs(m) > 1e-3 ? (slope - at_0) / m : of_0);
    }
    return within(most / loss_curvature_bound(l), LEAST_BEND, 1);
}

sotto_status newton_stages_run(newton_state *s, const solver_answer *out,
                               solver_progress progress, void *context,
                               sotto_error *error)
{
    stages k = {.s = s,
                .d = s->d,
                .rare = s->response.rare,
                .noise = 2 / s->settings->rule.strength};
    if (!stages_memory(&k))
        return error_memory(error);
    s->steeper = 1;
    s->inverse = k.from;
    newton_penalty(s);
    memcpy(k.best, s->v, (size_t)s->d * sizeof *k.best);
    k.scale = s->response.slope * sqrt((double)s->d / s->curvature);
    sotto_status status = solver_tell(
        progress, context, (solver_stage){.name = "curvature"}, error);
    if (status == SOTTO_OK)
        status =
            stages_first_matrix(&k, s->curvature * constant_bend(s), error);
    for (int i = 0; status == SOTTO_OK && i < NEWTON_STAGES; i++) {
        status = one_stage(&k, i, error);
        if (status == SOTTO_OK)
            status = solver_tell(progress, context,
                                 solver_rounds("stages", i + 1, NEWTON_STAGES),
                                 error);
    }
    if (status == SOTTO_OK)
        status = newton_guard(s, k.before, error);
    if (status == SOTTO_OK)
        status = newton_intervals(&k, out, error);
    memcpy(s->map, k.to, (size_t)(s->d * s->d) * sizeof *s->map);
    mem_free(k.memory);
    return status;
}
