/*
 * Rows are kept as entries by column and by row, for dense tables too. Slopes,
 * thresholds and penalties are those of the problem as sotto sees it: half the
 * square in the place of the whole one scales all of them alike.
 */
#include "literal.h"

#include <math.h>
#include <pthread.h>

typedef struct entries {
    int64_t *start;
    int32_t *index;
    double *value;
} entries;

typedef struct rows_of {
    struct rows_of *next;
    const sotto_table *table;
    entries column, row;
    double *norm; /* of each row */
} rows_of;

static struct {
    pthread_mutex_t lock;
    rows_of *first;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- rows ---- */

static void entries_free(entries *e)
{
    mem_free(e->start);
    mem_free(e->index);
    mem_free(e->value);
}

static void rows_free(rows_of *r)
{
    entries_free(&r->column);
    entries_free(&r->row);
    mem_free(r->norm);
    mem_free(r);
}

static int entries_new(entries *e, int64_t lists, int64_t count)
{
    e->start = mem_zeroed((size_t)lists + 2, sizeof *e->start);
    e->index = mem_zeroed((size_t)count + 1, sizeof *e->index);
    e->value = mem_zeroed((size_t)count + 1, sizeof *e->value);
    return e->start && e->index && e->value;
}

/* Column j as it is meant: a table of two classes has it times the target. */
static void column_of(const sotto_table *t, int64_t j, double *out)
{
    table_stored(t, j, out);
    for (int64_t i = 0; t->folded && i < t->rows; i++)
        out[i] *= t->y[i];
}

static int64_t entries_count(const sotto_table *t, double *column)
{
    int64_t count = 0;
    for (int64_t j = 0; j < t->features; j++) {
        table_stored(t, j, column);
        for (int64_t i = 0; i < t->rows; i++)
            count += column[i] != 0;
    }
    return count;
}

static void columns_fill(rows_of *r, double *column)
{
    const sotto_table *t = r->table;
    int64_t k = 0;
    for (int64_t j = 0; j < t->features; j++) {
        column_of(t, j, column);
        for (int64_t i = 0; i < t->rows; i++)
            if (column[i] != 0) {
                r->column.index[k] = (int32_t)i;
                r->column.value[k++] = column[i];
                r->row.start[i + 2]++;
                r->norm[i] += column[i] * column[i];
            }
        r->column.start[j + 1] = k;
    }
    for (int64_t i = 0; i < t->rows; i++)
        r->norm[i] = sqrt(r->norm[i]);
}

/* The same by rows; start[i + 1] is where row i's next entry goes. */
static void rows_fill(rows_of *r)
{
    int64_t *next = r->row.start + 1;
    for (int64_t i = 0; i < r->table->rows; i++)
        next[i + 1] += next[i];
    for (int64_t j = 0; j < r->table->features; j++)
        for (int64_t k = r->column.start[j]; k < r->column.start[j + 1]; k++) {
            int64_t at = next[r->column.index[k]]++;
            r->row.index[at] = (int32_t)j;
            r->row.value[at] = r->column.value[k];
        }
}

static rows_of *rows_new(const sotto_table *t)
{
    rows_of *r = mem_zeroed(1, sizeof *r);
    double *column = mem_zeroed((size_t)t->rows + 1, sizeof *column);
    int64_t count = r && column ? entries_count(t, column) : 0;
    int made = r && column && entries_new(&r->column, t->features, count) &&
               entries_new(&r->row, t->rows, count) &&
               (r->norm = mem_zeroed((size_t)t->rows + 1, sizeof *r->norm));
    if (made) {
        r->table = t;
        columns_fill(r, column);
        rows_fill(r);
    } else if (r) {
        rows_free(r);
        r = NULL;
    }
    mem_free(column);
    return r;
}

static const rows_of *rows_find(const sotto_table *t)
{
    pthread_mutex_lock(&kept.lock);
    rows_of *r = kept.first;
    while (r && r->table != t)
        r = r->next;
    if (!r && (r = rows_new(t))) {
        r->next = kept.first;
        kept.first = r;
    }
    pthread_mutex_unlock(&kept.lock);
    return r;
}

void literal_end(void)
{
    while (kept.first) {
        rows_of *next = kept.first->next;
        rows_free(kept.first);
        kept.first = next;
    }
}

/* ---- noise ---- */

typedef struct random_words {
    uint64_t s[4];
} random_words;

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static random_words random_begin(uint64_t seed)
{
    random_words r;
    for (int i = 0; i < 4; i++)
        r.s[i] = splitmix(&seed);
    return r;
}

/* xoshiro256++ */
static uint64_t random_word(random_words *r)
{
    uint64_t *s = r->s, sum = s[0] + s[3];
    uint64_t out = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return out;
}

/* Above 0 and below 1. */
static double random_uniform(random_words *r)
{
    return ((double)(random_word(r) >> 11) + .5) * 0x1p-53;
}

static double random_laplace(random_words *r)
{
    double u = 2 * random_uniform(r) - 1;
    return copysign(-log1p(-fabs(u)), u);
}

/* Marsaglia and Tsang's ziggurat, of 128 layers: most draws are a product. */
enum { LAYERS = 128 };
static const double tail_begins = 3.442619855899,
                    layer_area = 9.91256303526217e-3;
static struct {
    double x[LAYERS + 1], ratio[LAYERS];
} ziggurat;

static void ziggurat_make(void)
{
    double *x = ziggurat.x, density = exp(-.5 * tail_begins * tail_begins);
    x[0] = layer_area / density;
    x[1] = tail_begins;
    for (int i = 2; i < LAYERS; i++) {
        x[i] = sqrt(-2 * log(layer_area / x[i - 1] + density));
        density = exp(-.5 * x[i] * x[i]);
    }
    for (int i = 0; i < LAYERS; i++)
        ziggurat.ratio[i] = x[i + 1] / x[i];
}

static double random_tail(random_words *r)
{
    double x, y;
    do {
        x = -log(random_uniform(r)) / tail_begins;
        y = -log(random_uniform(r));
    } while (2 * y < x * x);
    return tail_begins + x;
}

static double random_normal(random_words *r)
{
    for (;;) {
        uint64_t word = random_word(r);
        int i = (int)(word % LAYERS); /* the lowest bits; u has the others */
        double u = ((double)(word >> 11) + .5) * 0x1p-52 - 1;
        double x = u * ziggurat.x[i];
        if (fabs(u) < ziggurat.ratio[i])
            return x;
        if (i == 0)
            return copysign(random_tail(r), u);
        double high = exp(.5 * (x * x - ziggurat.x[i] * ziggurat.x[i]));
        double low = exp(.5 * (x * x - ziggurat.x[i + 1] * ziggurat.x[i + 1]));
        if (low + random_uniform(r) * (high - low) < 1)
            return x;
    }
}

static int64_t random_below(random_words *r, int64_t count)
{
    int64_t i = (int64_t)(random_uniform(r) * (double)count);
    return i < count ? i : count - 1;
}

/* ---- a run ---- */

typedef struct literal_run {
    const rows_of *rows;
    const sotto_table *table;
    const fit_task *task;
    const double *smoothness;
    double clip, step, scale; /* scale of the noise, in sensitivities */
    double *weight, *margin, *slope;
    random_words random;
} literal_run;

static double slope_at(const literal_run *r, int64_t i, double margin)
{
    double slope, curvature;
    loss_at(&r->task->loss, margin, r->table->y[i], &slope, &curvature);
    return slope;
}

static double soft(double x, double by)
{
    return copysign(fmax(fabs(x) - by, 0), x);
}

/* ---- DP-GCD ---- */

/* M_j of the smooth part, to which an L2 penalty belongs as in Algorithm 1. */
static double constant_of(const literal_run *r, int64_t j)
{
    return r->smoothness[j] + r->task->l2;
}

/* The mean of the clipped partial derivatives, with the penalty's. */
static double partial(const literal_run *r, int64_t j)
{
    const entries *e = &r->rows->column;
    double most = r->clip * sqrt(constant_of(r, j)), sum = 0;
    for (int64_t k = e->start[j]; k < e->start[j + 1]; k++) {
        double part = r->slope[e->index[k]] * e->value[k];
        sum += fmin(fmax(part, -most), most);
    }
    return sum / (double)r->table->rows + r->task->l2 * r->weight[j];
}

/* Scale 2 C_j / (n epsilon'): the paper's lambda_j. */
static double laplace_on(literal_run *r, int64_t j)
{
    return random_laplace(&r->random) * r->scale * 2 * r->clip *
           sqrt(constant_of(r, j)) / (double)r->table->rows;
}

/* How much coordinate j promises, of a partial derivative with noise in it. */
static double score_of(const literal_run *r, ask_rule rule, int64_t j,
                       double gradient)
{
    double m = constant_of(r, j), w = r->weight[j], l1 = r->task->l1;
    double move = soft(w - gradient / m, l1 / m) - w;
    if (rule == ASK_GS_R)
        return sqrt(m) * fabs(move);
    if (rule == ASK_GS_Q)
        return -(gradient * move + m / 2 * move * move +
                 l1 * (fabs(w + move) - fabs(w)));
    return (w != 0 ? fabs(gradient + copysign(l1, w))
                   : fmax(fabs(gradient) - l1, 0)) /
           sqrt(m);
}

static void gcd_move(literal_run *r, int64_t j, double gradient)
{
    const entries *e = &r->rows->column;
    double gamma = r->step / constant_of(r, j), before = r->weight[j];
    double to = before - gamma * (gradient + laplace_on(r, j));
    r->weight[j] = soft(to, gamma * r->task->l1);
    for (int64_t k = e->start[j]; k < e->start[j + 1]; k++)
        r->margin[e->index[k]] += (r->weight[j] - before) * e->value[k];
}

/* Ties, which rules that cut off have, go to the first. */
static void gcd_step(literal_run *r, ask_rule rule)
{
    int64_t best = 0;
    double most = -INFINITY, at_best = 0;
    for (int64_t i = 0; i < r->table->rows; i++)
        r->slope[i] = slope_at(r, i, r->margin[i]);
    for (int64_t j = 0; j < r->table->features; j++) {
        double gradient = partial(r, j);
        double score = score_of(r, rule, j, gradient + laplace_on(r, j));
        if (score > most) {
            most = score;
            best = j;
            at_best = gradient;
        }
    }
    gcd_move(r, best, at_best);
}

/* ---- DP-SGD ---- */

static void sgd_step(literal_run *r)
{
    const entries *e = &r->rows->row;
    int64_t i = random_below(&r->random, r->table->rows);
    int64_t begin = e->start[i], end = e->start[i + 1];
    double margin = 0, l1 = r->step * r->task->l1;
    double l2 = 1 / (1 + r->step * r->task->l2);
    for (int64_t k = begin; k < end; k++)
        margin += e->value[k] * r->weight[e->index[k]];
    double slope = slope_at(r, i, margin);
    double norm = fabs(slope) * r->rows->norm[i];
    double part = r->step * slope * (norm > r->clip ? r->clip / norm : 1);
    for (int64_t k = begin; k < end; k++)
        r->weight[e->index[k]] -= part * e->value[k];
    double noise = r->step * r->scale * r->clip;
    for (int64_t j = 0; j < r->table->features; j++)
        r->weight[j] =
            soft(r->weight[j] - noise * random_normal(&r->random), l1) * l2;
}

/* ---- what cells call ---- */

static int is_gcd(const sotto_options *o)
{
    return option_is(o, OPTION_SOLVER, "gcd");
}

sotto_status literal_check(const sotto_options *o, sotto_error *error)
{
    int gcd = is_gcd(o) && option_is(o, OPTION_CALIBRATION, "paper") &&
              option_given(o, OPTION_RULE) &&
              !option_is(o, OPTION_RULE, "untruncated") &&
              option_is(o, OPTION_ADJACENCY, "replace-one");
    int sgd = option_is(o, OPTION_SOLVER, "sgd") &&
              option_is(o, OPTION_ADJACENCY, "add-remove");
    if (!(gcd || sgd) || !option_given(o, OPTION_ROWS) ||
        !option_given(o, OPTION_CLIP) || !option_given(o, OPTION_STEP_SIZE) ||
        option_given(o, OPTION_SCHEMA))
        return error_set(error, SOTTO_USAGE,
                         "literal: expected solver gcd with calibration paper "
                         "and a rule of the paper's for replace-one, or sgd "
                         "for add-remove; with rows, clip and step-size");
    return SOTTO_OK;
}

/* The noise of the plan is the paper's; the last item is the release. */
static double noise_of(const cell *c)
{
    const ask_plan *plan = &c->run.run.plan;
    return 1 / plan->item[plan->items - 1].level;
}

/*
 * A choice by |gradient + noise| / sqrt(M_j) costs 2 epsilon', as with noise
 * on the score. A rule that is flat somewhere, as all of them are with an L1
 * penalty, has no such bound: what is proven is that a step releases no more
 * than p + 1 noisy partial derivatives (docs/notes/literal.md).
 */
sotto_status literal_price(const cell *c, double *epsilon, sotto_error *error)
{
    const sotto_options *o = c->options;
    double steps = option_number(o, OPTION_STEPS), each = 1 / noise_of(c);
    double releases =
        c->run.task.l1 > 0 ? (double)c->run.run.facts.features + 1 : 1;
    account_list list = {.adjacency = ACCOUNT_REPLACE_ONE};
    account_price price = {.epsilon = NAN};
    *epsilon = NAN;
    if (!is_gcd(o))
        return SOTTO_OK;
    sotto_status status = account_add(
        &list,
        (account_event){ACCOUNT_LAPLACE, each, 0, (int64_t)(releases * steps),
                        ACCOUNT_REPLACE_ONE},
        error);
    if (status == SOTTO_OK && releases == 1)
        status =
            account_add(&list,
                        (account_event){ACCOUNT_PURE, 2 * each, 0,
                                        (int64_t)steps, ACCOUNT_REPLACE_ONE},
                        error);
    if (status == SOTTO_OK)
        status = account_epsilon(&list, option_number(o, OPTION_DELTA), &price,
                                 error);
    account_free(&list);
    *epsilon = price.epsilon;
    return status;
}

static void run_all(literal_run *r, const cell *c)
{
    const ask_plan *plan = &c->run.run.plan;
    int64_t steps = plan->item[plan->items - 1].count;
    ask_rule rule = option_is(c->options, OPTION_RULE, "gs-s")   ? ASK_GS_S
                    : option_is(c->options, OPTION_RULE, "gs-r") ? ASK_GS_R
                                                                 : ASK_GS_Q;
    for (int64_t t = 0; t < steps; t++)
        if (is_gcd(c->options))
            gcd_step(r, rule);
        else
            sgd_step(r);
}

sotto_status literal_train(const cell *c, uint64_t seed, double *weight,
                           sotto_error *error)
{
    static pthread_once_t made_once = PTHREAD_ONCE_INIT;
    pthread_once(&made_once, ziggurat_make);
    const sotto_table *t = judge_table(c->judge);
    size_t rows = (size_t)t->rows + 1;
    literal_run r = {
        .rows = rows_find(t),
        .table = t,
        .task = &c->run.task,
        .smoothness = c->run.run.smooth.m,
        .clip = option_number(c->options, OPTION_CLIP),
        .step = option_number(c->options, OPTION_STEP_SIZE),
        .scale = noise_of(c),
        .weight = weight,
        .margin = mem_zeroed(rows, sizeof *r.margin),
        .slope = mem_zeroed(rows, sizeof *r.slope),
        .random = random_begin(seed),
    };
    int made = r.rows && r.margin && r.slope;
    if (made)
        run_all(&r, c);
    mem_free(r.margin);
    mem_free(r.slope);
    return made ? SOTTO_OK : error_memory(error);
}
