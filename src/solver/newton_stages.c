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
 *               TRUST
 *   end         the average, less what noise could be (matrix_posterior)
 *   guard       the last point, the one of the stage before, or the constant
 */
#include "clip.h"
#include "newton_state.h"

#include <math.h>
#include <string.h>

/* What is cut off points one way by this part over sqrt(d): a long row is about
   sqrt(d) in whitened coordinates and about 1 in any one direction. */
#define ALIGNED_NUMBERS .8
#define ALIGNED_CLASSES 1.25

#define TRUST .7          /* of a margin, root mean square */
#define CURVED_REACH 2.   /* rows are shortened to this x their mean square */
#define RARE_LENGTHS 1.5  /* rows of a rare class, in those of others */
#define RARE_SEEN 12.     /* sd: a rare class that the histogram shows */
#define FLOOR_EDGE .4     /* of the noise's edge, and */
#define FLOOR_HIDDEN .5   /* of the mean of what is below it */
#define LEAST_BEND .02    /* of the mean curvature */
#define LONGEST 1024.     /* in expected lengths, of what is told apart */
#define LENGTH_OF_ROWS .8 /* of the trace that the histogram shows */

typedef struct stages {
    newton_state *s;
    int64_t d;
    double *memory;
    double *first;         /* the second moments */
    double *to, *from;     /* kept = to' z; from = to^-1 */
    double *product;       /* d x d, for whoever needs it */
    double *value;         /* d */
    double *before, *best; /* the points of the stage before, and of this */
    double scale;          /* the mean length of gradients */
    double rare;           /* the part of the rarer class */
    double noise;          /* of a mean of numbers up to 1, with share 1 */
} stages;

static int stages_memory(stages *k)
{
    int64_t square = k->d * k->d;
    double *next = k->memory =
        mem_zeroed((size_t)(4 * square + 3 * k->d), sizeof *next);
    double **large[] = {&k->first, &k->to, &k->from, &k->product};
    double **small[] = {&k->value, &k->before, &k->best};
    if (!next)
        return 0;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++, next += square)
        *large[i] = next;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++, next += k->d)
        *small[i] = next;
    return 1;
}

/* out = a b; `out` is neither. */
static void multiply(const double *a, const double *b, int64_t d, double *out)
{
    memset(out, 0, (size_t)(d * d) * sizeof *out);
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k < d; k++)
            for (int64_t j = 0; j < d; j++)
                out[i * d + j] += a[i * d + k] * b[k * d + j];
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

/* ---- the matrices ---- */

/*
 * The curvature along each eigenvector of a matrix with noise of this sd: for
 * the vectors are those of the noisy matrix, u'Au is less spread than the
 * eigenvalues of A (Bun, Bouchaud and Potters: the rotationally invariant
 * estimate). What may be hidden in the noise gets a floor.
 */
static void clean_spectrum(double *value, double *clean, int64_t d, double sd)
{
    double edge = sd * sqrt(2 * (double)d), hidden = 0, sum = 0, most = 0;
    double width = edge / sqrt((double)d) / 2 + 1e-12;
    for (int64_t i = 0; i < d; i++) {
        double pull = 0;
        for (int64_t j = 0; j < d; j++) {
            double apart = value[i] - value[j];
            pull += apart / (apart * apart + width * width);
        }
        clean[i] = fmin(value[i] - sd * sd * pull, fmax(value[i], edge));
        hidden += value[i] < edge;
        sum += value[i] < edge ? clean[i] : 0;
        most = fmax(most, clean[i]);
    }
    double floor = FLOOR_EDGE * edge +
                   (hidden > 0 ? FLOOR_HIDDEN * fmax(sum / hidden, 0) : 0);
    floor = fmax(floor, 1e-6 * most);
    for (int64_t i = 0; i < d; i++)
        value[i] = fmax(clean[i], floor);
}

/* From here on gradients are asked for in the coordinates V / sqrt(value), of
   those that are. */
static sotto_status turn(stages *k, double times, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    size_t bytes = (size_t)(d * d) * sizeof *k->to;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            s->map[i * d + j] =
                s->vector[i * d + j] / sqrt(times * s->value[j]);
    multiply(k->to, s->map, d, k->product);
    memcpy(k->to, k->product, bytes);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            s->matrix[j * d + i] =
                s->vector[i * d + j] * sqrt(times * s->value[j]);
    multiply(s->matrix, k->from, d, k->product);
    memcpy(k->from, k->product, bytes);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double sum = 0;
            for (int64_t e = 0; e < d; e++)
                sum += k->from[e * d + i] * k->from[e * d + j];
            s->model[i * d + j] = sum;
        }
    return curator_tell_map(s->curator, s->map, error);
}

/* How far rows may reach: what is lost of their squares, spread over all
   directions, against the edge of the noise. */
static sotto_status find_reach(stages *k, double *reach, sotto_error *error)
{
    newton_state *s = k->s;
    const budget_split *r = &s->settings->rule;
    double d = (double)k->d, edge[CLIP_RANGES], answer[CLIP_RANGES], sd,
           sum = 0;
    clip_counts h;
    ask_shape what = {.kind = ASK_ROW_COUNTS,
                      .centre = s->columns.centre,
                      .bound = s->columns.scale,
                      .length = 1};
    double most = LONGEST * d; /* of squares: lengths have quarter octaves */
    clip_edges(most, edge);
    for (int i = 0; i < CLIP_RANGES - 1; i++)
        edge[i] = sqrt(edge[i]);
    sotto_status status = curator_ask_counts(
        s->curator, &what, edge, CLIP_RANGES - 1, answer, &sd, error);
    if (status != SOTTO_OK)
        return status;
    clip_answered(&h, most, answer, sd, curator_rows(s->curator));
    clip_fit(&h);
    sum = s->problem->intercept + clip_mean(&h);
    s->trace = fmax(s->trace, LENGTH_OF_ROWS * sum);
    double noise = k->noise * sqrt(2 * d) / sqrt(r->matrix);
    if (s->settings->facts.replace_one)
        noise /= sqrt(2); /* two squares make a right angle at worst */
    /* rows that are too few to be seen may bend a direction, too: no shorter
       than is cheap */
    double square = fmax(clip_best(&h, 1 / d, noise), r->reach * s->trace);
    *reach = within(sqrt(square), 1e-25, 1e25);
    return status;
}

/* The second moments, and the coordinates that they make. `times` is the
   curvature of the best constant. */
static sotto_status first_matrix(stages *k, double times, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    double reach = 1, sd, sum = 0;
    ask_frame frame = {.feature = s->columns.feature,
                       .features = s->p,
                       .centre = s->columns.centre,
                       .scale = s->columns.scale};
    sotto_status status = find_reach(k, &reach, error);
    if (status == SOTTO_OK)
        status = curator_tell_frame(s->curator, &frame, error);
    if (status == SOTTO_OK)
        status = curator_ask_matrix(s->curator, reach, s->matrix, &sd, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t j = 0; j < d; j++)
        sum += s->matrix[j * d + j];
    /* what shortening took off the trace is given back */
    double back = within(s->trace / fmax(sum, 1e-9), 1, 3);
    for (int64_t i = 0; i < d * d; i++)
        s->matrix[i] *= back;
    status = matrix_eigen(s->matrix, d, s->value, s->vector, error);
    if (status != SOTTO_OK)
        return status;
    clean_spectrum(s->value, k->value, d, sd * back);
    matrix_compose(s->value, s->vector, d, k->first);
    for (int64_t i = 0; i < d; i++)
        k->to[i * d + i] = k->from[i * d + i] = 1;
    return turn(k, times, error);
}

/*
 * The curvature at the iterate, in coordinates where it was thought to be the
 * unit matrix. It is drawn to a multiple of that by as much as noise explains
 * of the difference.
 */
static sotto_status curvature(stages *k, ask_bend bend, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    double sd, mean = 0, square = 0;
    double reach = sqrt(CURVED_REACH * (double)d / s->curvature);
    sotto_status status =
        curator_ask_curvature(s->curator, bend, reach, s->matrix, &sd, error);
    if (status != SOTTO_OK)
        return status;
    sd *= s->curvature;
    for (int64_t i = 0; i < d * d; i++)
        s->matrix[i] *= s->curvature;
    for (int64_t j = 0; j < d; j++)
        mean += s->matrix[j * d + j] / (double)d;
    mean = within(mean, LEAST_BEND, 1.2);
    for (int64_t i = 0; i < d * d; i++) {
        double off = s->matrix[i] - (i % (d + 1) ? 0 : mean);
        square += off * off;
    }
    double misfit = fmax(0, 2 * square / (double)(d * (d + 1)) - sd * sd);
    double part = misfit / fmax(misfit + sd * sd, 1e-300);
    for (int64_t i = 0; i < d * d; i++) {
        double unit = i % (d + 1) ? 0 : mean;
        s->matrix[i] = unit + part * (s->matrix[i] - unit);
    }
    status = matrix_eigen(s->matrix, d, s->value, s->vector, error);
    if (status != SOTTO_OK)
        return status;
    clean_spectrum(s->value, k->value, d, fmax(part * sd, 1e-9));
    for (int64_t j = 0; j < d; j++)
        s->value[j] = fmax(s->value[j], mean);
    return turn(k, 1, error);
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

static sotto_status find_clip(stages *k, double share, double *clip,
                              sotto_error *error)
{
    newton_state *s = k->s;
    double edge[CLIP_RANGES], answer[CLIP_RANGES], sd, d = (double)k->d;
    double most = within(LONGEST * k->scale, 1e-20, 1e25);
    clip_counts h;
    clip_edges(most, edge);
    sotto_status status = curator_ask_length_counts(
        s->curator, edge, CLIP_RANGES - 1, answer, &sd, error);
    if (status != SOTTO_OK)
        return status;
    clip_answered(&h, most, answer, sd, curator_rows(s->curator));
    clip_fit(&h);
    k->scale = within(clip_mean(&h), 1e-20, 1e20);
    double aligned = loss_has_classes(s->problem->loss.kind) ? ALIGNED_CLASSES
                                                             : ALIGNED_NUMBERS;
    *clip =
        clip_best(&h, fmin(1, aligned / sqrt(d)), k->noise * sqrt(d / share));
    /* a rare class that the histogram does not show is there all the same,
       and its gradients are as long as rows are */
    if (h.rows * k->rare < RARE_SEEN * h.sd)
        *clip = fmax(*clip, RARE_LENGTHS * (1 - 2 * k->rare) * row_length(k));
    *clip = within(*clip, 1e-25, 1e25);
    return status;
}

/* A step to s->next, no longer than can be trusted. */
static void step(stages *k, int averaged)
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
        s->v[j] += times * s->back[j];
        s->sum[j] += averaged ? s->v[j] : 0;
    }
    newton_tell(s, s->v);
}

static sotto_status rounds(stages *k, const newton_stage *now, double clip,
                           int64_t skip, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    memset(s->sum, 0, (size_t)d * sizeof *s->sum);
    for (int64_t t = 0; t < now->rounds; t++) {
        sotto_status status = curator_ask_whitened(
            s->curator, clip, s->gradient, &s->last_sd, error);
        if (status != SOTTO_OK)
            return status;
        for (int64_t j = 0; j < d; j++) {
            s->back[j] = 0;
            for (int64_t e = 0; e < d; e++)
                s->back[j] += k->from[e * d + j] * s->gradient[e];
        }
        matrix_model model = {d,     s->model, s->back, s->l1,
                              s->l2, s->low,   s->high};
        status = matrix_minimise(&model, s->v, s->next, error);
        if (status != SOTTO_OK)
            return status;
        step(k, t >= skip);
    }
    for (int64_t j = 0; j < d; j++)
        s->v[j] = s->sum[j] / (double)(now->rounds - skip);
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
    newton_tell(s, s->v);
    return status;
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
        status = curvature(k, last ? ASK_EXACT_CURVATURE : ASK_SECANT_CURVATURE,
                           error);
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
   by it goes too far. */
static double constant_bend(const newton_state *s)
{
    const loss *l = &s->problem->loss;
    double most = 0, m = s->response.constant;
    if (!loss_has_classes(l->kind))
        return 1;
    for (int y = -1; y <= 1; y += 2) {
        double slope, at_0, curved, of_0;
        loss_at(l, m, y, &slope, &curved);
        loss_at(l, 0, y, &at_0, &of_0);
        most = fmax(most, fabs(m) > 1e-3 ? (slope - at_0) / m : of_0);
    }
    return within(most / loss_curvature_bound(l), LEAST_BEND, 1);
}

sotto_status newton_stages_run(newton_state *s, solver_progress progress,
                               void *context, sotto_error *error)
{
    stages k = {.s = s,
                .d = s->d,
                .rare = s->response.rare,
                .noise = 2 / s->settings->rule.strength};
    if (!stages_memory(&k))
        return error_memory(error);
    s->steeper = 1;
    newton_penalty(s);
    newton_tell(s, s->v);
    memcpy(k.best, s->v, (size_t)s->d * sizeof *k.best);
    k.scale = s->response.slope * sqrt((double)s->d / s->curvature);
    sotto_status status =
        first_matrix(&k, s->curvature * constant_bend(s), error);
    for (int i = 0; status == SOTTO_OK && i < NEWTON_STAGES; i++) {
        status = one_stage(&k, i, error);
        double share = (double)(i + 1) / NEWTON_STAGES;
        if (status == SOTTO_OK && progress && progress(context, share))
            status = error_set(error, SOTTO_INTERRUPTED, "interrupted");
    }
    if (status == SOTTO_OK)
        status = newton_guard(s, k.before, error);
    memcpy(s->map, k.to, (size_t)(s->d * s->d) * sizeof *s->map);
    mem_free(k.memory);
    return status;
}
