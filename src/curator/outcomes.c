/*
 * How good a model is: the columns are what it makes of each record, and the
 * target is the record's group. Lemma C31 of docs/privacy.
 *
 *   cell     the row's share of the largest weight, B a_i / W, in one cell
 *   error    B (a_i / W) u,  u = clip(t_1 (x_1 - c_1)^p + ...) in [-1, 1], or
 *            u^2
 */
#include "internal.h"

#include <math.h>
#include <string.h>

static sotto_status refuse(sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "outcomes and errors need columns that there are, edges "
                     "that rise, and numbers up to 2^100");
}

static int is_column(const curator *c, int64_t j)
{
    return j >= 0 && j < c->table->features;
}

static int is_told(double x)
{
    return fabs(x) <= 0x1p100;
}

/* Releases sums, and makes answers of them in weights. */
static sotto_status release(curator *c, const gate_question *q, double *out,
                            double *sd, sotto_error *error)
{
    double unit = c->policy.weight_bound / KERNEL_CLIP;
    int64_t *sum = mem_zeroed(q->answers, sizeof *sum);
    *sd = 0;
    sotto_status status =
        sum ? gate_release(c, q, sum, sd, error) : error_memory(error);
    for (size_t k = 0; status == SOTTO_OK && k < q->answers; k++)
        out[k] = (double)sum[k] * unit;
    *sd *= unit;
    mem_free(sum);
    return status;
}

/* ---- cells ---- */

static int64_t cells_of(const ask_cells *a)
{
    return a->groups * (a->edges + 1);
}

/* How many edges the value is above. NaN is above none. */
static int64_t range_of(const ask_cells *a, double value)
{
    int64_t from = 0, to = a->edges;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (value > a->edge[middle])
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A target that is no group counts for the first one. */
static int64_t group_of(const ask_cells *a, double y)
{
    return y >= 0 && y < (double)a->groups ? (int64_t)y : 0;
}

static void add_cells(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    const ask_cells *a = what;
    float x[KERNEL_FEW];
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        columns_write_some(c, a->column, i, i + count, x);
        for (int64_t k = 0; k < count; k++) {
            int64_t group = group_of(a, c->table->y[i + k]);
            sum[group * (a->edges + 1) + range_of(a, (double)x[k])] +=
                weight.integer[k];
        }
    }
}

static void sum_cells(curator *c, const void *what, int64_t *out)
{
    size_t cells = (size_t)cells_of(what);
    memset(out, 0, cells * sizeof *out);
    rows_sum(c, c->table->rows, add_cells, what, cells, out);
}

sotto_status curator_ask_outcomes(curator *c, const ask_cells *what,
                                  double *out, double *sd, sotto_error *error)
{
    int fine = is_column(c, what->column) && what->edges >= 0 &&
               what->groups >= 1 && what->edges < ASK_MOST_CELLS &&
               what->groups <= ASK_MOST_CELLS &&
               cells_of(what) <= ASK_MOST_CELLS;
    *sd = 0;
    for (int64_t k = 0; fine && k < what->edges; k++)
        fine = is_told(what->edge[k]) &&
               (k == 0 || what->edge[k] > what->edge[k - 1]);
    if (!fine)
        return refuse(error);
    const int64_t asked[] = {what->column, what->groups, what->edges};
    ranks_note(c->ranks, asked, sizeof asked);
    ranks_note(c->ranks, what->edge, (size_t)what->edges * sizeof *what->edge);
    gate_question q = {.kind = ASK_OUTCOMES,
                       .answers = (size_t)cells_of(what),
                       .sum = sum_cells,
                       .what = what};
    return release(c, &q, out, sd, error);
}

/* ---- errors ---- */

typedef struct error_ask {
    const ask_value *value;
    int64_t count;
} error_ask;

static void add_term(const curator *c, const ask_term *t, int64_t from,
                     int64_t count, double *out)
{
    float x[KERNEL_FEW];
    columns_write_some(c, t->column, from, from + count, x);
    for (int64_t k = 0; k < count; k++) {
        double off = (double)x[k] - t->centre;
        out[k] += t->times * (t->square ? off * off : off);
    }
}

/* A value that is no number adds 0: integer_of sees to it. */
static double clipped(const ask_value *v, double u)
{
    u = u > 1 ? 1 : u < -1 ? -1 : u;
    return v->squared ? u * u : u;
}

static void add_errors(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    const error_ask *a = what;
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        for (int64_t n = 0; n < a->count; n++) {
            double u[KERNEL_FEW] = {0};
            for (int t = 0; t < a->value[n].terms; t++)
                add_term(c, &a->value[n].term[t], i, count, u);
            for (int64_t k = 0; k < count; k++)
                sum[n] +=
                    integer_of(clipped(&a->value[n], u[k]) * weight.share[k]);
        }
    }
}

static void sum_errors(curator *c, const void *what, int64_t *out)
{
    const error_ask *a = what;
    memset(out, 0, (size_t)a->count * sizeof *out);
    rows_sum(c, c->table->rows, add_errors, a, (size_t)a->count, out);
}

static int is_value(const curator *c, const ask_value *v)
{
    int fine = v->terms >= 1 && v->terms <= 2;
    for (int t = 0; fine && t < v->terms; t++)
        fine = is_column(c, v->term[t].column) && is_told(v->term[t].times) &&
               is_told(v->term[t].centre);
    return fine;
}

static void note_value(const curator *c, const ask_value *v)
{
    for (int t = 0; t < v->terms; t++) {
        const double told[] = {(double)v->term[t].column, v->term[t].times,
                               v->term[t].centre, v->term[t].square,
                               v->squared};
        ranks_note(c->ranks, told, sizeof told);
    }
}

sotto_status curator_ask_errors(curator *c, const ask_value *value,
                                int64_t count, double *out, double *sd,
                                sotto_error *error)
{
    error_ask a = {value, count};
    int fine = count >= 1 && count <= ASK_MOST_VALUES;
    *sd = 0;
    for (int64_t n = 0; fine && n < count; n++)
        fine = is_value(c, &value[n]);
    if (!fine)
        return refuse(error);
    for (int64_t n = 0; n < count; n++)
        note_value(c, &value[n]);
    gate_question q = {.kind = ASK_ERRORS,
                       .answers = (size_t)count,
                       .sum = sum_errors,
                       .what = &a};
    return release(c, &q, out, sd, error);
}
