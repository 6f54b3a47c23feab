/*
 * The noisy minimiser: Lemmas C20 (output perturbation) and C22 (objective
 * perturbation) of docs/privacy. Here a record does not add an integer of
 * its own. It moves the minimiser of an objective, and strong convexity bounds
 * how far. The numbers that are rounded and get noise are certified to be next
 * to that minimiser, whatever the records are.
 *
 *   row    x_i = what is stored (y x for two classes), times f_i, so that it
 *          is no longer than R: a function of the record
 *   Phi    sum_i a_i l(x_i'w) + (n0/W) penalty(w),   a_i = weight / W <= 1
 *   unit   L R / (lambda B), lambda = n0 l2 / W, L the loss's largest slope:
 *          one record that comes or goes moves the minimiser by B of these
 *   out    w in units, rounded
 *   noise  of ASK_PERTURBED: an integer for each feature, times L R / B,
 *          which is the linear part of Phi
 */
#include "internal.h"
#include "minimise.h"

#include <math.h>
#include <string.h>

/* Answers are cut off at this size: integers have to be exact in a double. */
#define MOST_UNITS 0x1p51

typedef struct minimiser_ask {
    minimum problem;
    sotto_table rows; /* what the problem is about: a copy */
    double *fits;     /* f_i */
    double *w, *objective_noise;
    const int64_t *drawn;
    double unit, noise_unit;
    void *memory;
    size_t bytes;
    sotto_status
        status; /* of what the sum did, which has no other way to fail */
    sotto_error *error;
} minimiser_ask;

/* ---- the rows ---- */

static size_t values_of(const sotto_table *t)
{
    return t->sparse ? 2 * (size_t)t->by_column.start[t->features]
                     : (size_t)t->features * (size_t)t->stride;
}

/* The sums of squares of all rows, in the order of features. */
static void add_squares(const sotto_table *t, double *square)
{
    const float *x = t->x, *value = t->by_row.value;
    for (int64_t i = 0; t->sparse && i < t->rows; i++)
        for (int64_t k = t->by_row.start[i]; k < t->by_row.start[i + 1]; k++)
            square[i] += (double)value[k] * (double)value[k];
    for (int64_t j = 0; !t->sparse && j < t->features; j++)
        for (int64_t i = 0; i < t->rows; i++) {
            double v = (double)x[j * t->stride + i];
            square[i] += v * v;
        }
}

/* f_i, a little less than R / |x_i|, so that no rounding makes the row longer.
   It is 0, and the row does not count, if something is not finite. */
static double fit_row(double square, double reach, double y)
{
    double length = sqrt(square);
    if (!isfinite(square) || !isfinite(y))
        return 0;
    return (length > reach ? reach / length : 1) * (1 - 0x1p-30);
}

static double fitted(float value, double fits)
{
    return fits > 0 ? (double)value * fits : 0;
}

static void copy_entries(const curator *c, minimiser_ask *a, double *next)
{
    const sotto_table *t = c->table;
    const float *by_row = t->by_row.value, *by_column = t->by_column.value;
    int64_t all = t->by_column.start[t->features];
    double *rows = next, *columns = next + all;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = t->by_row.start[i]; k < t->by_row.start[i + 1]; k++)
            rows[k] = fitted(by_row[k], a->fits[i]);
    for (int64_t k = 0; k < all; k++)
        columns[k] = fitted(by_column[k], a->fits[t->by_column.index[k]]);
    a->rows.by_row.value = rows;
    a->rows.by_column.value = columns;
}

static void copy_columns(const curator *c, minimiser_ask *a, double *next)
{
    const sotto_table *t = c->table;
    const float *x = t->x;
    for (int64_t j = 0; j < t->features; j++)
        for (int64_t i = 0; i < t->rows; i++)
            next[j * t->stride + i] = fitted(x[j * t->stride + i], a->fits[i]);
    a->rows.x = next;
}

/* The rows as Phi has them. A folded row has its class in it, so its target is
   1 from here on. */
static void copy_rows(const curator *c, minimiser_ask *a)
{
    const sotto_table *t = c->table;
    double *values = a->memory; /* first, so that columns are aligned */
    a->rows = *t;
    a->rows.is_double = 1;
    a->rows.folded = 0;
    a->rows.unit = NULL;
    a->fits = a->w + 2 * t->features;
    a->rows.weight = a->fits + t->rows;
    a->rows.y = a->fits + 2 * t->rows;
    add_squares(t, a->fits);
    for (int64_t i = 0; i < t->rows; i++) {
        a->fits[i] = fit_row(a->fits[i], a->problem.reach, t->y[i]);
        a->rows.weight[i] = a->fits[i] > 0 ? row_share(c, i) : 0;
        a->rows.y[i] = t->folded ? 1 : a->fits[i] > 0 ? t->y[i] : 0;
    }
    if (t->sparse)
        copy_entries(c, a, values);
    else
        copy_columns(c, a, values);
    a->problem.table = &a->rows;
}

/* ---- behind the gate ---- */

static int64_t in_units(double w, double unit)
{
    double k = rint(w / unit);
    return (int64_t)fmax(-MOST_UNITS, fmin(MOST_UNITS, k));
}

static void sum_minimiser(curator *c, const void *what, int64_t *out)
{
    minimiser_ask *a = *(minimiser_ask *const *)what;
    int64_t p = c->table->features;
    copy_rows(c, a);
    for (int64_t j = 0; a->drawn && j < p; j++)
        a->objective_noise[j] = (double)a->drawn[j] * a->noise_unit;
    a->problem.objective_noise = a->drawn ? a->objective_noise : NULL;
    a->status = minimise(&a->problem, a->w, a->error);
    for (int64_t j = 0; a->status == SOTTO_OK && j < p; j++)
        out[j] = in_units(a->w[j], a->unit);
}

/* ---- asking ---- */

/* Lemma C22 is about losses that can be perturbed, and L2 alone. */
static int is_problem(const curator *c, ask_kind kind, const ask_penalty *p)
{
    loss_kind of = c->policy.loss.kind;
    int plain = p->l1 == 0 && isinf(p->low) && isinf(p->high);
    int kinds = kind == ASK_MINIMISER ||
                (kind == ASK_PERTURBED && plain && loss_can_be_perturbed(of));
    int losses = loss_is_lipschitz_smooth(of) &&
                 is_moderate(loss_slope_bound(&c->policy.loss));
    return kinds && losses && !c->policy.intercept && is_moderate(p->l2) &&
           p->l1 >= 0 && p->l1 <= 0x1p100 && p->low <= 0 && p->high >= 0 &&
           is_moderate(c->policy.norm_bound) && c->total > 0 &&
           c->table->features <= 1 << 20;
}

/* The penalty and the goal of Phi. The rows come later. */
static minimum make_problem(const curator_policy *policy, ask_kind kind,
                            const ask_penalty *p)
{
    double times = policy->rows / policy->weight_bound;
    minimum m = {.loss = policy->loss,
                 .l1 = p->l1 * times,
                 .l2 = p->l2 * times,
                 .low = p->low,
                 .high = p->high,
                 .reach = policy->norm_bound,
                 .newton = 1000};
    m.goal = loss_slope_bound(&m.loss) * m.reach * question_of(kind)->tolerance;
    return m;
}

/* Group privacy: the level for one record that is there or not, so that all
   rows of a person together have the level of the item. */
static double gate_level_of_one(const curator_policy *policy,
                                const ask_item *item)
{
    int replace = policy->adjacency == ACCOUNT_REPLACE_ONE;
    return item->level * sqrt(1 - PERTURBED_LAST * PERTURBED_LAST) /
           ((double)policy->rows_per_person * (replace ? 2 : 1)) *
           (1 - 0x1p-48);
}

double objective_noise_level(const curator_policy *policy, const ask_item *item,
                             double curvature_change)
{
    double one = gate_level_of_one(policy, item);
    return one - 2 * curvature_change * (1 + 0x1p-48) / one;
}

double curator_least_l2(const curator_policy *policy, const ask_item *item)
{
    double one = gate_level_of_one(policy, item), reach = policy->norm_bound;
    return .25 * reach * reach * policy->weight_bound / policy->rows /
           expm1(one * one / 2);
}

/* How much one record can change the logarithm of the determinant of Phi's
   curvature. Rounded up. */
static double curvature_change_of(const minimum *m)
{
    return log1p(loss_curvature_bound(&m->loss) * m->reach * m->reach / m->l2) *
           (1 + 0x1p-40);
}

/* Noise in the objective is longer than this with a probability below
   2^-70. */
static double longest_objective_noise(const curator_policy *policy,
                                      const ask_item *item, const minimum *m,
                                      int64_t features)
{
    if (!question_of(item->kind)->perturbs || item->level == 0)
        return 0;
    double level = objective_noise_level(policy, item, curvature_change_of(m));
    return level > 0 ? 10 * sqrt((double)features) * m->reach / level : 0;
}

/*
 * Whether doubles are precise enough for every table of up to twice the total
 * weight that answers are divided by (Lemma C21). Then the run ends with an
 * answer for all such records: whether it does reveals nothing. All of this is
 * public. `far` bounds the length of a minimiser, by the length of Phi's
 * gradient at 0 and because Phi is smaller at the minimiser than at 0.
 */
int curator_can_minimise(const curator_policy *policy, const ask_item *item,
                         const ask_penalty *penalty, int64_t features,
                         double target_reach)
{
    minimum m = make_problem(policy, item->kind, penalty);
    double shares = 2 * policy->rows / policy->weight_bound;
    double slope = loss_slope_bound(&m.loss), most = slope * m.reach;
    double objective_noise =
        longest_objective_noise(policy, item, &m, features);
    /* the largest loss of a row at 0 */
    double value = loss_has_classes(m.loss.kind) ? loss_value(&m.loss, 0, 1)
                                                 : slope * target_reach;
    double far =
        fmin((shares * most + objective_noise) / m.l2,
             sqrt(2 * shares * value / m.l2) + 2 * objective_noise / m.l2);
    far += m.goal / m.l2 / 8; /* and the rounding error of the steps */
    double turns = loss_curvature_bound(&m.loss) * m.reach * far / slope;
    double terms = m.l1 * sqrt((double)features) + 8 * objective_noise + most;
    return is_moderate(m.l2) && is_moderate(most / m.l2) &&
           shares * (0x1p-42 + turns * 0x1p-47) + 0x1p-49 * terms / most <=
               m.goal / most / 8;
}

/* Of the least level at which the plan asks it. */
static int can_minimise(const curator *c, ask_kind kind,
                        const ask_penalty *penalty)
{
    curator_policy policy = c->policy;
    ask_item item = {.kind = kind};
    policy.rows = c->total;
    for (int i = 0; i < c->plan.items; i++) {
        const ask_item *one = &c->plan.item[i];
        if (one->kind == kind && (item.level == 0 || one->level < item.level))
            item.level = one->level;
    }
    return curator_can_minimise(&policy, &item, penalty, c->table->features,
                                c->table->target_reach);
}

static int take_memory(const curator *c, minimiser_ask *a)
{
    const sotto_table *t = c->table;
    size_t rows = (size_t)t->rows, values = values_of(t);
    size_t all = values + 3 * rows + 2 * (size_t)t->features;
    if (!size_multiply(all, sizeof(double), &a->bytes))
        return 0;
    a->memory = secret_take(a->bytes);
    a->w = a->memory ? (double *)a->memory + values : NULL;
    a->objective_noise = a->memory ? a->w + t->features : NULL;
    return a->memory != NULL;
}

static sotto_status ask_gate(curator *c, ask_kind kind, minimiser_ask *a,
                             double *out, sotto_error *error)
{
    size_t p = (size_t)c->table->features, bytes = 2 * p * sizeof(int64_t);
    int64_t *k = secret_take(bytes);
    double noise = 0;
    if (!k)
        return error_memory(error);
    int64_t *objective_noise = question_of(kind)->perturbs ? k + p : NULL;
    a->drawn = objective_noise;
    a->error = error;
    gate_question q = {.kind = kind,
                       .answers = p,
                       .sum = sum_minimiser,
                       .what = &a,
                       .objective_noise = objective_noise,
                       .curvature_change = curvature_change_of(&a->problem)};
    sotto_status status = gate_release(c, &q, k, &noise, error);
    if (status == SOTTO_OK)
        status = a->status;
    for (size_t j = 0; j < p; j++)
        out[j] = status == SOTTO_OK ? (double)k[j] * a->unit : 0;
    c->answer_noise = noise * a->unit;
    secret_give(k, bytes);
    return status;
}

sotto_status curator_ask_minimiser(curator *c, ask_kind kind,
                                   const ask_penalty *penalty, double *out,
                                   sotto_error *error)
{
    if (!is_problem(c, kind, penalty))
        return error_set(
            error, SOTTO_USAGE,
            "a minimiser needs a loss of bounded slope (%s), rows of "
            "bounded norm, an L2 penalty and no intercept",
            loss_those(loss_is_lipschitz_smooth).text);
    curator_policy policy = c->policy;
    policy.rows = c->total;
    if (!can_minimise(c, kind, penalty))
        return error_set(error, SOTTO_USAGE, CURATOR_CANNOT_MINIMISE);
    minimiser_ask a = {.problem = make_problem(&policy, kind, penalty)};
    a.noise_unit =
        loss_slope_bound(&policy.loss) * policy.norm_bound / KERNEL_CLIP;
    a.unit = a.noise_unit / a.problem.l2;
    sotto_status status = take_memory(c, &a) ? ask_gate(c, kind, &a, out, error)
                                             : error_memory(error);
    secret_give(a.memory, a.bytes);
    return status;
}
