/*
 * Counts, means and sizes of columns against their definitions (Lemma C13): one
 * value after the other, in double. Whatever the edges, bounds, weights,
 * storage, threads and the mode of the processor.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

#include <float.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { FEATURES = 3, MOST_EDGES = 300 };

static uint64_t seed = 5;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static int below(int n)
{
    return (int)(uniform() * n);
}

/* ---- records ---- */

/* Values at and beside powers of two, very small and large ones, zeros. */
static float some_value(int wild)
{
    float power = ldexpf(uniform() < .5 ? -1 : 1, below(24) - 20);
    switch (below(5)) {
    case 0:
        return power;
    case 1:
        return nextafterf(power, below(2) ? 10 : 0);
    case 2:
        return 0;
    case 3:
        return wild ? ldexpf(1 + (float)uniform(), below(276) - 149) : power;
    default:
        return (float)(2 * uniform() - 1);
    }
}

typedef struct records {
    int64_t rows;
    int weighted, classes;
    float *x; /* of a row one after the other */
    double *weight, *y;
} records;

static records some_records(int64_t rows, int wild, int weighted, int classes)
{
    records r = {rows, weighted, classes, NULL, NULL, NULL};
    r.x = calloc((size_t)rows * FEATURES, sizeof *r.x);
    r.weight = calloc((size_t)rows, sizeof *r.weight);
    r.y = calloc((size_t)rows, sizeof *r.y);
    assert_true(r.x && r.weight && r.y);
    double filled = below(2) ? 1 : .15; /* else columns are short lists */
    for (int64_t i = 0; i < rows * FEATURES; i++)
        r.x[i] = uniform() < filled ? some_value(wild) : 0;
    for (int64_t i = 0; i < rows; i++) {
        r.weight[i] = weighted ? (double)(float)uniform() : 1;
        r.y[i] = uniform() < .5 ? -1 : 1;
    }
    return r;
}

static void free_records(records *r)
{
    free(r->x);
    free(r->weight);
    free(r->y);
}

static sotto_table *dense_table(const records *r)
{
    text_buffer text = {0};
    text_put(&text, "a,b,c,w,t\n");
    for (int64_t i = 0; i < r->rows; i++) {
        for (int j = 0; j < FEATURES; j++)
            text_format(&text, "%.9g,", (double)r->x[i * FEATURES + j]);
        text_format(&text, "%.9g,%g\n", r->weight[i], r->y[i]);
    }
    const char *name = r->classes ? "logistic" : "squared";
    sotto_table *t =
        read_text("d.csv", text.data,
                  r->weighted ? SETTINGS({"loss", name}, {"precision", "float"},
                                         {"target", "t"}, {"weights", "w"},
                                         {"weight-bound", "1"})
                              : SETTINGS({"loss", name}, {"precision", "float"},
                                         {"target", "t"}, {"drop", "w"}));
    text_free(&text);
    return t;
}

/* Without weights: svmlight has none. */
static sotto_table *sparse_table(const records *r)
{
    text_buffer text = {0};
    for (int64_t i = 0; i < r->rows; i++) {
        text_format(&text, "%g", r->y[i]);
        for (int j = 0; j < FEATURES; j++)
            if (r->x[i * FEATURES + j] != 0)
                text_format(&text, " %d:%.9g", j + 1,
                            (double)r->x[i * FEATURES + j]);
        text_put(&text, "\n");
    }
    sotto_table *t =
        read_text("d.svm", text.data,
                  SETTINGS({"loss", r->classes ? "logistic" : "squared"},
                           {"precision", "float"}, {"features", "3"}));
    text_free(&text);
    return t;
}

/* ---- what is told ---- */

typedef struct told {
    double bound[FEATURES], centre[FEATURES], edge[MOST_EDGES];
    int edges;
} told;

static told some_told(void)
{
    told t = {.edges = 0};
    int kind = below(4);
    for (int j = 0; j < FEATURES; j++) {
        t.bound[j] = kind == 1  ? 1
                     : below(2) ? ldexp(1, below(9) - 4)
                                : .01 + 3 * uniform();
        t.centre[j] = kind == 1 || below(3) ? 0 : uniform() - .5;
    }
    if (kind == 0) /* octaves */
        for (t.edges = 1 + below(23); t.edge[t.edges - 1] == 0;)
            for (int k = 0; k < t.edges; k++)
                t.edge[k] = ldexp(1, -k);
    if (kind == 1) /* every power of two that a float can have */
        for (t.edges = 277; t.edge[276] == 0;)
            for (int k = 0; k < 277; k++)
                t.edge[k] = ldexp(1, 127 - k);
    for (double at = 3; kind == 2 && t.edges < 40; at *= .5 + .5 * uniform())
        t.edge[t.edges++] = at;                 /* closer than that */
    for (; kind == 3 && t.edges < 3; t.edges++) /* below what floats have */
        t.edge[t.edges] = ldexp(1, -135 - 5 * t.edges);
    return t;
}

/* ---- the definitions ---- */

static int64_t integer(double part)
{
    return kernel_integer((float)(part * KERNEL_CLIP));
}

static double measured(const records *r, const told *t, int64_t i, int j)
{
    return ((double)r->x[i * FEATURES + j] - t->centre[j]) / t->bound[j];
}

static int range_of(const told *t, double size)
{
    int k = 0;
    while (k < t->edges && !(size > t->edge[k]))
        k++;
    return k;
}

/* Counts of columns, of rows by the largest and by the length; means; squares:
   one after the other. */
enum { PARTS = 5 };

static int64_t count_parts(const told *t)
{
    return (FEATURES + 2) * (t->edges + 1) + 2 * FEATURES;
}

static void add_record(const records *r, const told *t, int64_t i, int64_t *out)
{
    int64_t ranges = t->edges + 1, weight = integer(r->weight[i]);
    int64_t *mean = out + (FEATURES + 2) * ranges;
    double largest = 0, length = 0;
    for (int j = 0; j < FEATURES; j++) {
        double u = measured(r, t, i, j), size = fabs(u);
        out[j * ranges + range_of(t, size)] += weight;
        largest = fmax(largest, size);
        length += size * size;
        u = fmax(-1, fmin(1, u));
        mean[j] += integer(u * r->weight[i]);
        mean[FEATURES + j] += integer(u * u * r->weight[i]);
    }
    out[FEATURES * ranges + range_of(t, largest)] += weight;
    out[(FEATURES + 1) * ranges + range_of(t, sqrt(length))] += weight;
}

/* ---- the questions ---- */

static void put(int64_t **to, const double *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        assert_true(from[i] * KERNEL_CLIP == rint(from[i] * KERNEL_CLIP));
        *(*to)++ = (int64_t)rint(from[i] * KERNEL_CLIP);
    }
}

static void ask_everything(sotto_table *table, const records *r, const told *t,
                           int threads, int64_t *out)
{
    static const ask_kind kinds[PARTS] = {ASK_COLUMN_COUNTS, ASK_ROW_COUNTS,
                                          ASK_ROW_COUNTS, ASK_COLUMN_MEANS,
                                          ASK_COLUMN_SQUARES};
    double *answer = calloc((size_t)count_parts(t), sizeof *answer), sd;
    ask_plan plan = {.items = PARTS};
    curator_policy policy = {
        .adjacency = ACCOUNT_ADD_REMOVE,
        .rows_per_person = 1,
        .rows = 1,
        .loss = {r->classes ? LOSS_LOGISTIC : LOSS_SQUARED, 1},
        .weight_bound = 1,
        .without_noise = 1,
        .insecure = 1,
        .threads = threads};
    curator *c;
    sotto_error error;
    assert_non_null(answer);
    for (int i = 0; i < PARTS; i++)
        plan.item[i] = some(kinds[i], 1, 0);
    assert_int_equal(curator_open(&c, &table, &policy, &plan, &error), 0);
    for (int i = 0; i < PARTS; i++) {
        ask_shape what = {.kind = kinds[i],
                          .centre = t->centre,
                          .bound = t->bound,
                          .length = i == 2};
        int64_t answers = (i == 0 ? FEATURES : 1) * (t->edges + 1);
        sotto_status status =
            i < 3 ? curator_ask_counts(c, &what, t->edge, t->edges, answer, &sd,
                                       &error)
                  : curator_ask_means(c, &what, answer, &sd, &error);
        if (status)
            fail_msg("%s", error.message);
        put(&out, answer, i < 3 ? answers : FEATURES);
    }
    curator_close(c);
    free(answer);
}

static void compare(const records *r, const told *t, int threads)
{
    size_t count = (size_t)count_parts(t);
    int64_t *expected = calloc(count, sizeof *expected);
    int64_t *seen = calloc(count, sizeof *seen);
    assert_true(expected && seen);
    for (int64_t i = 0; i < r->rows; i++)
        add_record(r, t, i, expected);
    ask_everything(dense_table(r), r, t, threads, seen);
    assert_memory_equal(seen, expected, count * sizeof *seen);
    if (!r->weighted) {
        ask_everything(sparse_table(r), r, t, threads, seen);
        assert_memory_equal(seen, expected, count * sizeof *seen);
    }
    free(expected);
    free(seen);
}

static void test_definitions(void **state)
{
    (void)state;
    for (int trial = 0; trial < 120; trial++) {
        records r = some_records(1 + below(300), trial % 5 == 0, trial % 2,
                                 trial / 2 % 2);
        told t = some_told();
        compare(&r, &t, 1);
        free_records(&r);
    }
}

/* So many that threads share them. */
static void test_threads(void **state)
{
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        records r = some_records(17000 + below(1000), 0, trial % 2, trial / 2);
        told t = some_told();
        compare(&r, &t, 4);
        free_records(&r);
    }
}

#if defined(__x86_64__)
/* A caller may flush denormals to 0, or round in another direction. */
static void test_modes(void **state)
{
    (void)state;
    static const uint32_t modes[] = {0x1f80 | 0x8040, 0x1f80 | 0x6000};
    for (int trial = 0; trial < 40; trial++) {
        records r = some_records(1 + below(200), 1, 0, 0);
        told t = some_told();
        size_t count = (size_t)count_parts(&t);
        int64_t *expected = calloc(count, sizeof *expected);
        int64_t *seen = calloc(count, sizeof *seen);
        assert_true(expected && seen);
        for (int64_t i = 0; i < r.rows; i++)
            add_record(&r, &t, i, expected);
        sotto_table *table = dense_table(&r);
        _mm_setcsr(modes[trial % 2]);
        ask_everything(table, &r, &t, 1, seen);
        _mm_setcsr(0x1f80);
        assert_memory_equal(seen, expected, count * sizeof *seen);
        free(expected);
        free(seen);
        free_records(&r);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_threads),
#if defined(__x86_64__)
        cmocka_unit_test(test_modes),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
