/*
 * Questions about the shape of the records (lengths, histograms, moments) and
 * in coordinates that the solver tells. What a record adds depends on no other
 * record and not on the storage; it is never longer than what is charged,
 * whatever the record's bits; and its value is the defined one.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

enum { FEATURES = 3, WIDTH = FEATURES + 1, EDGES = 5 };

static uint64_t seed = 23;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* ---- all questions at once ---- */

/* Which answers belong to which question. */
typedef struct part {
    ask_kind kind;
    int answers;
} part;

static const part parts[] = {
    {ASK_ROW_COUNTS, EDGES + 1}, /* by the largest feature, */
    {ASK_ROW_COUNTS, EDGES + 1}, /* by the length */
    {ASK_TARGET_COUNTS, EDGES + 1},
    {ASK_COLUMN_COUNTS, FEATURES *(EDGES + 1)},
    {ASK_TARGET_MEAN, 1},
    {ASK_COLUMN_MEANS, FEATURES},
    {ASK_COLUMN_SQUARES, FEATURES},
    {ASK_MATRIX, WIDTH *(WIDTH + 1) / 2},
    {ASK_WHITENED, WIDTH},
    {ASK_LENGTHS, 2},
    {ASK_CHANGE, 1},
    {ASK_CURVATURE, WIDTH *(WIDTH + 1) / 2},
    {ASK_LENGTH_COUNTS, EDGES + 1},
};

enum {
    PARTS = sizeof parts / sizeof *parts,
    ANSWERS = (4 + FEATURES) * (EDGES + 1) + 2 * FEATURES + 1 +
              WIDTH * (WIDTH + 1) + WIDTH + 3
};

/* What is told. */
typedef struct told {
    double bound[FEATURES], centre[FEATURES], edge[EDGES];
    double target_centre, target_bound;
    double reach, map[WIDTH * WIDTH], clip, most, other, loss_most;
    double point[WIDTH]; /* in the coordinates of the map */
    ask_bend bend;
} told;

static told usual(void)
{
    told t = {.bound = {1, .5, 2},
              .centre = {.1, -.2, 0},
              .edge = {1, .5, .25, .125, .0625},
              .target_centre = .1,
              .target_bound = 1,
              .reach = 2,
              .clip = .7,
              .most = 3,
              .other = .2,
              .loss_most = .5,
              .point = {.3, -.4, .1, .05}};
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? .1 * (i % 3) : 1.5;
    return t;
}

static ask_plan plan_all(double mu)
{
    ask_plan plan = {.items = PARTS};
    for (int i = 0; i < PARTS; i++)
        plan.item[i] = some(parts[i].kind, 1, mu);
    return plan;
}

static curator_policy plain(loss_kind kind)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {kind, 1.35},
                            .weight_bound = 1,
                            .intercept = 1,
                            .without_noise = 1,
                            .insecure = 1,
                            .seed = 3};
}

static int64_t whole(double x)
{
    assert_true(fabs(x - rint(x)) < 1e-3);
    return (int64_t)rint(x);
}

static void put(int64_t **to, const double *from, int count, double unit)
{
    for (int i = 0; i < count; i++)
        *(*to)++ = whole(from[i] / unit);
}

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static void ask_shapes(curator *c, const told *t, int64_t **to, double *length)
{
    double out[64], sd;
    sotto_error error;
    const double unit = 1. / KERNEL_CLIP;
    ask_shape row = {.kind = ASK_ROW_COUNTS, .centre = NULL, .bound = t->bound};
    ask_shape target = {.kind = ASK_TARGET_COUNTS,
                        .centre = &t->target_centre,
                        .bound = &t->target_bound};
    ask_shape column = {
        .kind = ASK_COLUMN_COUNTS, .centre = t->centre, .bound = t->bound};
    ask_shape length_of = row;
    length_of.length = 1;
    const ask_shape *counts[] = {&row, &length_of, &target, &column};
    for (int i = 0; i < 4; i++) {
        CHECK(
            curator_ask_counts(c, counts[i], t->edge, EDGES, out, &sd, &error));
        *length++ = sd / unit;
        put(to, out, parts[i].answers, unit);
    }
    target.kind = ASK_TARGET_MEAN;
    ask_shape squares = {
        .kind = ASK_COLUMN_SQUARES, .centre = t->centre, .bound = t->bound};
    column.kind = ASK_COLUMN_MEANS;
    const ask_shape *means[] = {&target, &column, &squares};
    for (int i = 0; i < 3; i++) {
        CHECK(curator_ask_means(c, means[i], out, &sd, &error));
        *length++ = sd / unit;
        put(to, out, parts[4 + i].answers, unit);
    }
}

static sotto_status tell_frame(curator *c, const double *centre,
                               const double *scale, sotto_error *error)
{
    const ask_frame frame = {
        .features = curator_features(c), .centre = centre, .scale = scale};
    return curator_tell_frame(c, &frame, error);
}

/* Lengths are told in double and used as floats. */
static double square_of(double reach)
{
    return (double)(float)reach * (double)(float)reach;
}

static void put_matrix(const double *out, double unit, int64_t **to)
{
    for (int a = 0; a < WIDTH; a++)
        for (int b = a; b < WIDTH; b++) {
            assert_true(out[a * WIDTH + b] == out[b * WIDTH + a]);
            double k = out[a * WIDTH + b] * (a == b ? 1 : sqrt(2));
            put(to, &k, 1, unit);
        }
}

static void ask_matrix(curator *c, const told *t, int64_t **to, double *length)
{
    double out[WIDTH * WIDTH], sd, unit = square_of(t->reach) / KERNEL_CLIP;
    sotto_error error;
    CHECK(tell_frame(c, t->centre, t->bound, &error));
    CHECK(curator_ask_matrix(c, t->reach, out, &sd, &error));
    *length = sd / unit;
    put_matrix(out, unit, to);
}

/* In the coordinates of the map, at the iterate. */
static void ask_bent(curator *c, const told *t, int64_t **to, double *length)
{
    double out[WIDTH * WIDTH], sd, unit = square_of(t->reach) / KERNEL_CLIP;
    sotto_error error;
    CHECK(curator_ask_curvature(c, t->bend, t->reach, out, &sd, &error));
    *length++ = sd / unit;
    put_matrix(out, unit, to);
    CHECK(curator_ask_length_counts(c, t->edge, EDGES, out, &sd, &error));
    *length = sd * KERNEL_CLIP;
    put(to, out, EDGES + 1, 1. / KERNEL_CLIP);
}

static void ask_rounds(curator *c, const told *t, int64_t **to, double *length)
{
    double out[WIDTH], sd;
    sotto_error error;
    CHECK(curator_tell_map(c, t->map, &error));
    CHECK(curator_tell_point(c, t->point, &error));
    CHECK(curator_ask_whitened(c, t->clip, out, &sd, &error));
    double unit = 1 / (double)(float)(KERNEL_CLIP / t->clip);
    put(to, out, WIDTH, unit);
    *length++ = sd / unit;
    CHECK(curator_ask_lengths(c, t->most, out, &sd, &error));
    put(to, out, 2, 1. / KERNEL_CLIP);
    *length++ = sd * KERNEL_CLIP;
    CHECK(curator_ask_change(c, t->other, t->loss_most, out, &sd, &error));
    put(to, out, 1, t->loss_most / KERNEL_CLIP);
    *length++ = sd / (t->loss_most / KERNEL_CLIP);
}

/* All integers of a table; `length`: the sd of each question's noise. */
static void ask_all(sotto_table *table, const curator_policy *policy,
                    const told *t, double mu, int64_t *out, double *length)
{
    double spare[PARTS];
    ask_plan plan = plan_all(mu);
    curator *c;
    sotto_error error;
    length = length ? length : spare;
    CHECK(curator_open(&c, &table, policy, &plan, &error));
    int64_t *to = out;
    ask_shapes(c, t, &to, length);
    ask_matrix(c, t, &to, length + 7);
    ask_rounds(c, t, &to, length + 8);
    ask_bent(c, t, &to, length + 11);
    assert_true(to - out == ANSWERS);
    curator_close(c);
}

/* ---- records ---- */

static void put_record(text_buffer *dense, text_buffer *sparse, int classes)
{
    double x[FEATURES], y = uniform() - .4;
    for (int j = 0; j < FEATURES; j++) {
        x[j] = uniform() < .3 ? 0 : 3 * uniform() - 1.5;
        y += x[j] / (j + 2);
    }
    if (classes)
        y = y > 0 ? 1 : -1;
    for (int j = 0; j < FEATURES; j++)
        text_format(dense, "%.6f,", x[j]);
    text_format(dense, "%.6f\n", y);
    if (!sparse)
        return;
    text_format(sparse, "%.6f", y);
    for (int j = 0; j < FEATURES; j++)
        if (x[j] != 0)
            text_format(sparse, " %d:%.6f", j + 1, x[j]);
    text_put(sparse, "\n");
}

/* A loss that no option names is asked about in place of the hinge. */
static const char *read_as(loss_kind kind)
{
    return loss_name(kind == LOSS_SMOOTH_HINGE ? LOSS_HINGE : kind);
}

static sotto_table *table_of(const char *text, const char *name)
{
    return read_text(
        "d.csv", text,
        SETTINGS({"target", "t"}, {"loss", name}, {"precision", "float"}));
}

/* ---- tests ---- */

static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC,
                                  LOSS_SQUARED_HINGE, LOSS_HUBER,
                                  LOSS_SMOOTH_HINGE};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The answers of a table are the sums of those of its rows, one by one: so no
   row's integers depend on another row, on its place or on their number. */
static void test_rows_are_alone(void **state)
{
    (void)state;
    enum { ROWS = 600 }; /* more than a block */
    for (int k = 0; k < KINDS; k++) {
        int classes = loss_has_classes(kinds[k]);
        const char *name = read_as(kinds[k]);
        text_buffer all = {0};
        int64_t sum[ANSWERS] = {0}, one[ANSWERS];
        told t = usual();
        curator_policy policy = plain(kinds[k]);
        text_put(&all, "a,b,c,t\n");
        for (int i = 0; i < ROWS; i++) {
            text_buffer row = {0};
            text_put(&row, "a,b,c,t\n");
            size_t head = row.length;
            put_record(&row, NULL, classes);
            text_put(&all, row.data + head);
            ask_all(table_of(row.data, name), &policy, &t, 0, one, NULL);
            for (int a = 0; a < ANSWERS; a++)
                sum[a] += one[a];
            text_free(&row);
        }
        ask_all(table_of(all.data, name), &policy, &t, 0, one, NULL);
        assert_memory_equal(one, sum, sizeof sum);
        text_free(&all);
    }
}

/* The same of rows that have weights. */
static void test_weights_are_alone(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    text_buffer all = {0};
    int64_t sum[ANSWERS] = {0}, one[ANSWERS];
    told t = usual();
    curator_policy policy = plain(LOSS_SQUARED);
    text_put(&all, "w,a,b,c,t\n");
    for (int i = 0; i <= ROWS; i++) {
        text_buffer row = {0};
        text_put(&row, "w,a,b,c,t\n");
        size_t head = row.length;
        text_format(&row, "%.4f,", uniform());
        put_record(&row, NULL, 0);
        if (i < ROWS)
            text_put(&all, row.data + head);
        ask_all(read_text("d.csv", i < ROWS ? row.data : all.data,
                          SETTINGS({"target", "t"}, {"weights", "w"},
                                   {"weight-bound", "1"}, {"loss", "squared"},
                                   {"precision", "float"})),
                &policy, &t, 0, one, NULL);
        for (int a = 0; i < ROWS && a < ANSWERS; a++)
            sum[a] += one[a];
        text_free(&row);
    }
    assert_memory_equal(one, sum, sizeof sum);
    text_free(&all);
}

static void test_storage(void **state)
{
    (void)state;
    static const kernel_isa sets[] = {KERNEL_AUTO, KERNEL_SCALAR, KERNEL_AVX2};
    for (int k = 0; k < KINDS; k++) {
        int classes = loss_has_classes(kinds[k]);
        const char *name = read_as(kinds[k]);
        text_buffer dense = {0}, sparse = {0};
        int64_t expected[ANSWERS], seen[ANSWERS];
        told t = usual();
        curator_policy policy = plain(kinds[k]);
        text_put(&dense, "a,b,c,t\n");
        for (int i = 0; i < 700; i++)
            put_record(&dense, &sparse, classes);
        ask_all(table_of(dense.data, name), &policy, &t, 0, expected, NULL);
        for (int i = 0; i < 3; i++) {
            policy.isa = sets[i];
            policy.threads = i + 1;
            if (!kernel_get(sets[i]))
                continue;
            ask_all(read_text("d.svm", sparse.data,
                              SETTINGS({"loss", name}, {"precision", "float"},
                                       {"features", "3"})),
                    &policy, &t, 0, seen, NULL);
            assert_memory_equal(seen, expected, sizeof seen);
        }
        text_free(&dense);
        text_free(&sparse);
    }
}

/* So many rows that threads share them; of one loss so many that the table goes
   back in several parts. */
static void test_many_rows(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        int rows = kinds[k] == LOSS_LOGISTIC ? 70001 : 17000;
        const char *name = read_as(kinds[k]);
        text_buffer dense = {0}, sparse = {0};
        int64_t expected[ANSWERS], seen[ANSWERS];
        told t = usual();
        curator_policy policy = plain(kinds[k]);
        text_put(&dense, "a,b,c,t\n");
        for (int i = 0; i < rows; i++)
            put_record(&dense, &sparse, loss_has_classes(kinds[k]));
        policy.isa = KERNEL_SCALAR;
        ask_all(read_text("d.svm", sparse.data,
                          SETTINGS({"loss", name}, {"precision", "float"},
                                   {"features", "3"})),
                &policy, &t, 0, expected, NULL);
        policy.isa = KERNEL_AUTO;
        for (policy.threads = 1; policy.threads <= 4; policy.threads += 3) {
            ask_all(table_of(dense.data, name), &policy, &t, 0, seen, NULL);
            assert_memory_equal(seen, expected, sizeof seen);
        }
        text_free(&dense);
        text_free(&sparse);
    }
}

/* A record of any size, as a table. */
static sotto_table *wild_record_of(loss_kind kind, double *size)
{
    text_buffer row = {0};
    text_put(&row, "a,b,c,t\n");
    *size = 0;
    for (int j = 0; j <= FEATURES; j++) {
        double x =
            (uniform() - .5) * fmin(pow(10, 80 * (uniform() - .5)), 3e38);
        if (uniform() < .1)
            x = 0;
        if (j == FEATURES && loss_has_classes(kind))
            x = uniform() < .5 ? -1 : 1;
        text_format(&row, "%s%.9g", j ? "," : "", x);
        *size = fmax(*size, fabs(x));
    }
    text_put(&row, "\n");
    sotto_table *t = table_of(row.data, read_as(kind));
    text_free(&row);
    return t;
}

static sotto_table *wild_record(double *size)
{
    return wild_record_of(LOSS_SQUARED, size);
}

static told wild(void)
{
    told t = usual();
    for (int j = 0; j < FEATURES; j++) {
        t.bound[j] = pow(10, 58 * (uniform() - .5));
        t.centre[j] = (uniform() - .5) * pow(10, 58 * (uniform() - .5));
    }
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = (uniform() - .5) * pow(10, 40 * (uniform() - .5));
    t.target_bound = pow(10, 58 * (uniform() - .5));
    t.reach = pow(10, 40 * (uniform() - .5));
    t.clip = pow(10, 56 * (uniform() - .5));
    t.most = pow(10, 56 * (uniform() - .5));
    t.loss_most = pow(10, 56 * (uniform() - .5));
    t.bend = uniform() < .5 ? ASK_SECANT_CURVATURE : ASK_EXACT_CURVATURE;
    for (int j = 0; j < WIDTH; j++)
        t.point[j] *= pow(10, 20 * (uniform() - .5));
    return t;
}

static void check_bounds(loss_kind kind, int trials)
{
    double added[PARTS], replaced[PARTS];
    curator_policy policy = plain(kind);
    told t = usual();
    int64_t a[ANSWERS], b[ANSWERS];
    double size;
    policy.without_noise = 0;
    ask_all(wild_record_of(kind, &size), &policy, &t, 1, a, added);
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    ask_all(wild_record_of(kind, &size), &policy, &t, 1, a, replaced);
    policy.without_noise = 1;
    for (int trial = 0; trial < trials; trial++) {
        if (trial % 3)
            t = wild();
        ask_all(wild_record_of(kind, &size), &policy, &t, 0, a, NULL);
        ask_all(wild_record_of(kind, &size), &policy, &t, 0, b, NULL);
        for (int i = 0, at = 0; i < PARTS; at += parts[i++].answers) {
            double one = 0, both = 0;
            for (int k = at; k < at + parts[i].answers; k++) {
                one += (double)a[k] * (double)a[k];
                both += (double)(a[k] - b[k]) * (double)(a[k] - b[k]);
            }
            assert_true(one <= added[i] * added[i]);
            assert_true(both <= replaced[i] * replaced[i]);
        }
    }
}

/* Any two records of any bits, whatever is told: what one adds, and what
   another in its place changes, is at most what the noise is made for. */
static void test_bounds(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        check_bounds(kinds[k], kinds[k] == LOSS_SQUARED ? 2000 : 1000);
}

/* The table of lengths, in units of KERNEL_CLIP. */
static void test_lengths_charged(void **state)
{
    (void)state;
    static const double expected[][PARTS] = {
        [ACCOUNT_ADD_REMOVE] = {1, 1, 1, 3, 1, 3, 3, 1, 1, 2, 1, 1, 1},
        [ACCOUNT_REPLACE_ONE] = {2, 2, 2, 6, 4, 12, 3, 2, 4, 2, 4, 2, 2},
        [ACCOUNT_ZERO_OUT] = {1, 1, 1, 3, 1, 3, 3, 1, 1, 2, 1, 1, 1}};
    for (int adjacency = 0; adjacency < ACCOUNT_ADJACENCIES; adjacency++)
        for (int people = 1; people <= 3; people += 2) {
            curator_policy policy = plain(LOSS_SQUARED);
            double length[PARTS], size;
            int64_t out[ANSWERS];
            told t = usual();
            policy.without_noise = 0;
            policy.adjacency = (account_adjacency)adjacency;
            policy.rows_per_person = people;
            ask_all(wild_record(&size), &policy, &t, .5, out, length);
            for (int i = 0; i < PARTS; i++) {
                double seen = length[i] * .5 / KERNEL_CLIP / people;
                seen = seen * seen / expected[adjacency][i];
                assert_true(seen > 1 - 1e-12 && seen < 1 + 1e-5);
            }
        }
}

/* Values on a table that is small enough to be computed by hand. */
static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    told t = usual();
    int64_t k[ANSWERS];
    const double unit = 1. / KERNEL_CLIP;
    policy.rows = 1;
    t.centre[0] = t.centre[1] = t.target_centre = 0;
    t.bound[1] = 1;
    t.bound[2] = 1;
    t.reach = 10;
    t.clip = t.most = 100;
    t.other = 0;
    t.loss_most = 8;
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? 0 : 2;
    memset(t.point, 0, sizeof t.point);
    t.point[0] = .25; /* the weight .5 */
    ask_all(table_of("a,b,c,t\n.75,0,0.3,.5\n-.25,.5,0,-3\n", "squared"),
            &policy, &t, 0, k, NULL);
    const int64_t one = KERNEL_CLIP;
    /* rows: .75 and .5; the target: .5 and 3; column a: .75 and .25 */
    assert_true(k[0] == 0 && k[1] == one && k[2] == one && k[3] == 0);
    /* their lengths .81 and .56 */
    assert_true(k[6] == 0 && k[7] == 2 * one && k[8] == 0);
    assert_true(k[12] == one && k[13] == 0 && k[14] == one);
    assert_true(k[19] == one && k[21] == one);
    const int64_t *at = k + 6 * (EDGES + 1);
    assert_true(at[0] == -one / 2); /* clipped to .5 and -1 */
    assert_true(at[1] == one / 2 && at[2] == one / 2);
    at += 1 + FEATURES;
    assert_true(fabs((double)at[0] * unit - .625) < 1e-6);
    at += FEATURES; /* the matrix: a a, a b, ... */
    assert_true(fabs((double)at[0] * unit * 100 - .625) < 1e-3);
    assert_true(fabs((double)at[1] * unit * 100 + sqrt(2) * .125) < 1e-3);
    assert_true(fabs((double)at[9] * unit * 100 - 2) < 1e-3);
    at += WIDTH * (WIDTH + 1) / 2; /* residuals -.125 and 2.875, times 2 z */
    assert_true(fabs((double)at[0] * unit * 100 + 1.625) < 1e-3);
    assert_true(fabs((double)at[3] * unit * 100 - 5.5) < 1e-3);
    double first = .125 * 2 * sqrt(.75 * .75 + .09 + 1);
    double second = 2.875 * 2 * sqrt(.0625 + .25 + 1);
    assert_true(fabs((double)at[4] * unit * 100 - first - second) < 1e-3);
    /* (.125^2 - .5^2) / 2 and (2.875^2 - 3^2) / 2 */
    assert_true(fabs((double)at[6] * unit * 8 + .1171875 + .3671875) < 1e-5);
}

/* The curvature of the logistic loss in units of 1/4, its secant, and lengths
   of gradients: computed by hand for two rows, whose margins are .6 and -1.2.
 */
static void test_curvature(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_LOGISTIC);
    const double unit = 1. / KERNEL_CLIP, margin[] = {.6, -1.2};
    told t = usual();
    int64_t k[ANSWERS];
    memset(t.centre, 0, sizeof t.centre);
    memset(t.point, 0, sizeof t.point);
    t.point[0] = 1.2;
    t.reach = 10;
    for (int j = 0; j < FEATURES; j++)
        t.bound[j] = 1;
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? 0 : 1;
    for (int secant = 0; secant < 2; secant++) {
        double aa = 0, pull[2];
        t.bend = secant ? ASK_SECANT_CURVATURE : ASK_EXACT_CURVATURE;
        ask_all(table_of("a,b,c,t\n.5,0,0,1\n-1,.25,0,1\n", "logistic"),
                &policy, &t, 0, k, NULL);
        for (int i = 0; i < 2; i++) {
            double m = margin[i], x = i ? -1 : .5;
            double away = 1 / (1 + exp(m)); /* the slope is minus this */
            double exact = 4 * away * (1 - away);
            double chord = 4 * (.5 - away) / m;
            aa += (secant ? chord : exact) * x * x;
            pull[i] = away * sqrt(x * x + (i ? .0625 : 0) + 1);
        }
        const int64_t *at = k + ANSWERS - (EDGES + 1);
        /* the lengths .40 and 1.10 */
        assert_true(fabs(pull[0] - .3964) < 1e-3);
        assert_true(fabs(pull[1] - 1.1029) < 1e-3);
        assert_true(at[0] == KERNEL_CLIP && at[2] == KERNEL_CLIP);
        assert_true(at[1] == 0 && at[3] == 0 && at[EDGES] == 0);
        at -= WIDTH * (WIDTH + 1) / 2;
        assert_true(fabs((double)at[0] * unit * 100 - aa) < 1e-3);
    }
}

/* The same of the hinge with a bend of width 1: its curvature is 1 within 1/2
   of the margin 1, and none elsewhere; its secant from there is 1 / (2 |1 - m|)
   outside. The margins are .6 and -1.2. */
static void test_curvature_of_a_bend(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SMOOTH_HINGE);
    told t = usual();
    int64_t k[ANSWERS];
    policy.loss.delta = 1;
    memset(t.centre, 0, sizeof t.centre);
    memset(t.point, 0, sizeof t.point);
    t.point[0] = 1.2;
    t.reach = 10;
    for (int j = 0; j < FEATURES; j++)
        t.bound[j] = 1;
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? 0 : 1;
    for (int secant = 0; secant < 2; secant++) {
        t.bend = secant ? ASK_SECANT_CURVATURE : ASK_EXACT_CURVATURE;
        ask_all(table_of("a,b,c,t\n.5,0,0,1\n-1,.25,0,1\n", "hinge"), &policy,
                &t, 0, k, NULL);
        const int64_t *at = k + ANSWERS - (EDGES + 1);
        /* slopes of .9 and 1: the lengths 1.006 and 1.436 */
        assert_true(at[0] == 2 * (int64_t)KERNEL_CLIP);
        at -= WIDTH * (WIDTH + 1) / 2;
        double aa = .25 + (secant ? 1 / 4.4 : 0);
        assert_true(fabs((double)at[0] / KERNEL_CLIP * 100 - aa) < 1e-3);
    }
}

/* Maps that are told one after the other are the product of all: exactly, for
   powers of two. */
static void test_maps(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    double once[WIDTH * WIDTH] = {0}, twice[WIDTH * WIDTH] = {0};
    double matrix[2][WIDTH * WIDTH], sd;
    told t = usual();
    sotto_error error;
    for (int j = 0; j < WIDTH; j++) {
        once[j * WIDTH + j] = 4;
        once[j * WIDTH + (j + 2) % WIDTH] = .5;
        twice[j * WIDTH + j] = .25;
    }
    for (int i = 0; i < 2; i++) {
        ask_plan plan = plan_one(some(ASK_CURVATURE, 1, 0));
        sotto_table *table =
            table_of("a,b,c,t\n.75,0,0.25,.5\n-.25,.5,0,-3\n", "squared");
        curator *c;
        CHECK(curator_open(&c, &table, &policy, &plan, &error));
        CHECK(tell_frame(c, t.centre, t.bound, &error));
        if (i) {
            CHECK(curator_tell_map(c, once, &error));
            CHECK(curator_tell_map(c, twice, &error));
        } else {
            double both[WIDTH * WIDTH];
            for (int k = 0; k < WIDTH * WIDTH; k++)
                both[k] = once[k] / 4;
            CHECK(curator_tell_map(c, both, &error));
        }
        CHECK(curator_tell_point(c, t.point, &error));
        CHECK(curator_ask_curvature(c, ASK_EXACT_CURVATURE, 4, matrix[i], &sd,
                                    &error));
        curator_close(c);
    }
    assert_memory_equal(matrix[0], matrix[1], sizeof matrix[0]);
}

/* The number of rows, asked for twice: answers count by their precision. With
   levels .05 and .1 the variance is 1 / (.05^2 + .1^2) = 80 in 2000 runs, not
   400, 100 or (400 + 100) / 4, and both are charged. */
static void test_total_again(void **state)
{
    (void)state;
    enum { RUNS = 2000, ROWS = 200 };
    curator_policy policy = plain(LOSS_SQUARED);
    text_buffer text = {0};
    double mean = 0, square = 0;
    sotto_error error;
    text_put(&text, "a,b,c,t\n");
    for (int i = 0; i < ROWS; i++)
        text_put(&text, "1,2,3,4\n");
    policy.rows = 0;
    policy.without_noise = 0;
    for (int i = 0; i < RUNS; i++) {
        ask_plan plan =
            plan_two(some(ASK_TOTAL, 1, .05), some(ASK_TOTAL, 1, .1));
        sotto_table *table = table_of(text.data, "squared");
        curator *c;
        double total;
        policy.seed = (uint64_t)i;
        CHECK(curator_open(&c, &table, &policy, &plan, &error));
        CHECK(curator_ask_total(c, &total, &error));
        CHECK(curator_ask_total(c, &total, &error));
        assert_true(total == curator_rows(c));
        mean += total / RUNS;
        square += (total - ROWS) * (total - ROWS) / RUNS;
        assert_int_equal(curator_ask_total(c, &total, &error), SOTTO_BUDGET);
        curator_close(c);
    }
    text_free(&text);
    assert_true(fabs(mean - ROWS) < 1.2);
    assert_true(square > 68 && square < 92);
}

/* Invalid bounds, edges, frames and maps are refused, and nothing is
   charged. */
static void test_refused(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    ask_plan plan = plan_all(0);
    curator *c;
    sotto_error error;
    told t = usual();
    double out[64], sd, rising[2] = {.5, 1}, nothing[FEATURES] = {0};
    sotto_table *table = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    CHECK(curator_open(&c, &table, &policy, &plan, &error));
    ask_shape what = {.kind = ASK_ROW_COUNTS, .centre = NULL, .bound = nothing};
    assert_int_equal(
        curator_ask_counts(c, &what, t.edge, EDGES, out, &sd, &error),
        SOTTO_USAGE);
    what.bound = t.bound;
    /* nothing at another question's price */
    for (what.kind = 0; what.kind < ASK_KINDS; what.kind++) {
        int counts = what.kind == ASK_ROW_COUNTS ||
                     what.kind == ASK_TARGET_COUNTS ||
                     what.kind == ASK_COLUMN_COUNTS;
        int means = what.kind == ASK_TARGET_MEAN ||
                    what.kind == ASK_COLUMN_MEANS ||
                    what.kind == ASK_COLUMN_SQUARES;
        if (!counts)
            assert_int_equal(
                curator_ask_counts(c, &what, t.edge, EDGES, out, &sd, &error),
                SOTTO_USAGE);
        if (!means)
            assert_int_equal(curator_ask_means(c, &what, out, &sd, &error),
                             SOTTO_USAGE);
    }
    /* nor more numbers than draws are counted for */
    const int64_t often[WIDTH] = {0, 1, 2, 0};
    const double ones[WIDTH] = {1, 1, 1, 1};
    ask_shape many = {ASK_COLUMN_MEANS, NULL, ones, often, WIDTH, 0};
    ask_frame wider = {
        .feature = often, .features = WIDTH, .centre = ones, .scale = ones};
    assert_int_equal(curator_ask_means(c, &many, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_tell_frame(c, &wider, &error), SOTTO_USAGE);
    what.kind = ASK_ROW_COUNTS;
    assert_int_equal(curator_ask_counts(c, &what, rising, 2, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_ask_matrix(c, 1, out, &sd, &error), SOTTO_USAGE);
    assert_int_equal(curator_ask_whitened(c, 1, out, &sd, &error), SOTTO_USAGE);
    assert_int_equal(curator_tell_map(c, t.map, &error), SOTTO_USAGE);
    assert_int_equal(tell_frame(c, t.centre, nothing, &error), SOTTO_USAGE);
    CHECK(curator_ask_counts(c, &what, t.edge, EDGES, out, &sd, &error));
    CHECK(tell_frame(c, t.centre, t.bound, &error));
    assert_int_equal(tell_frame(c, t.centre, t.bound, &error), SOTTO_USAGE);
    assert_int_equal(curator_ask_matrix(c, NAN, out, &sd, &error), SOTTO_USAGE);
    CHECK(curator_ask_matrix(c, 1, out, &sd, &error));
    assert_int_equal(curator_ask_matrix(c, 1, out, &sd, &error), SOTTO_BUDGET);
    CHECK(curator_tell_map(c, t.map, &error));
    assert_int_equal(curator_ask_change(c, NAN, 1, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(
        curator_ask_curvature(c, ASK_EXACT_CURVATURE, 0, out, &sd, &error),
        SOTTO_USAGE);
    assert_int_equal(curator_ask_length_counts(c, rising, 2, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_ask_length_counts(c, t.edge, 0, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_ask_length_counts(c, t.edge, ASK_MOST_EDGES + 1,
                                               out, &sd, &error),
                     SOTTO_USAGE);
    curator_close(c);
}

/* From a frame on there are no columns: nothing about them is answered or
   charged, weights do not move, and the memory of a dense table is given back
   if all of its features are kept. */
static void test_columns_gone(void **state)
{
    (void)state;
    static const char text[] = "a,b,c,t\n.5,.25,-1,1\n-.125,.75,.5,0\n";
    const int64_t feature[] = {2, 0};
    const double one[WIDTH] = {1, 1, 1, 1}, none[WIDTH] = {0};
    for (int all = 0; all < 2; all++) {
        curator_policy policy = plain(LOSS_SQUARED);
        ask_plan plan = plan_all(0);
        plan.item[plan.items++] = some(ASK_GRADIENT, 1, 0);
        plan.item[plan.items++] = some(ASK_PARTIAL, 1, 0);
        plan.any_order = 1;
        for (int i = 0; i < plan.items; i++)
            plan.item[i].count = 2;
        plan.item[1] = some(ASK_TOTAL, 1, 0); /* no kind twice */
        ask_frame frame = {.feature = all ? NULL : feature,
                           .features = all ? FEATURES : 2,
                           .centre = none,
                           .scale = one};
        ask_shape what = {.kind = ASK_COLUMN_MEANS, .bound = one};
        ask_shape target = {.kind = ASK_TARGET_MEAN, .bound = one};
        ask_scores scores = {.clip = one, .low = -INFINITY, .high = INFINITY};
        double out[WIDTH * WIDTH], sd;
        sotto_table *table = table_of(text, "squared");
        sotto_error error;
        curator *c;
        CHECK(curator_open(&c, &table, &policy, &plan, &error));
        CHECK(curator_tell_clips(c, one, &error));
        assert_true(curator_tell(c, 0, .5) == .5);
        CHECK(curator_ask_gradient(c, 1, one, out, &error));
        CHECK(curator_ask_partial(c, 0, out, &error));
        CHECK(curator_ask_means(c, &what, out, &sd, &error));
        CHECK(curator_tell_frame(c, &frame, &error));
        assert_true((c->table->x == NULL) == all);
        int64_t asked = c->asked[ASK_GRADIENT];
        assert_true(curator_tell(c, 0, .5) == 0);
        curator_tell_all(c, one);
        assert_int_equal(curator_ask_gradient(c, 1, one, out, &error),
                         SOTTO_USAGE);
        assert_int_equal(curator_ask_partial(c, 0, out, &error), SOTTO_USAGE);
        assert_int_equal(curator_ask_means(c, &what, out, &sd, &error),
                         SOTTO_USAGE);
        assert_int_equal(curator_tell_scores(c, &scores, &error), SOTTO_USAGE);
        assert_int_equal(curator_tell_bounds(c, one, &error), SOTTO_USAGE);
        assert_true(c->asked[ASK_GRADIENT] == asked);
        CHECK(curator_ask_means(c, &target, out, &sd, &error));
        CHECK(curator_ask_matrix(c, 1, out, &sd, &error));
        curator_close(c);
    }
}

/* A point is told after a frame and again after a map. */
static void test_points(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    ask_plan plan = plan_all(0);
    told t = usual();
    double out[WIDTH * WIDTH], sd, large[WIDTH] = {0, 0, 0, 0x1p101};
    sotto_table *table = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    sotto_error error;
    curator *c;
    CHECK(curator_open(&c, &table, &policy, &plan, &error));
    assert_int_equal(curator_tell_point(c, t.point, &error), SOTTO_USAGE);
    CHECK(tell_frame(c, t.centre, t.bound, &error));
    assert_int_equal(curator_ask_whitened(c, 1, out, &sd, &error), SOTTO_USAGE);
    assert_int_equal(curator_tell_point(c, large, &error), SOTTO_USAGE);
    CHECK(curator_tell_point(c, t.point, &error));
    CHECK(curator_tell_map(c, t.map, &error));
    assert_int_equal(curator_ask_whitened(c, 1, out, &sd, &error), SOTTO_USAGE);
    assert_int_equal(curator_ask_lengths(c, 1, out, &sd, &error), SOTTO_USAGE);
    assert_int_equal(curator_ask_change(c, 0, 1, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(
        curator_ask_curvature(c, ASK_EXACT_CURVATURE, 1, out, &sd, &error),
        SOTTO_USAGE);
    CHECK(curator_tell_point(c, t.point, &error));
    CHECK(curator_ask_whitened(c, 1, out, &sd, &error));
    curator_close(c);
}

/* Whatever a question finds done already (a map, margins) and whatever it has
   to do first, answers are the same. */
static void test_any_order(void **state)
{
    (void)state;
    text_buffer text = {0};
    double seen[4][2], sd;
    told t = usual();
    text_put(&text, "a,b,c,t\n");
    for (int i = 0; i < 700; i++)
        put_record(&text, NULL, 1);
    for (int first = 0; first < 4; first++) {
        curator_policy policy = plain(LOSS_LOGISTIC);
        ask_plan plan = plan_all(0);
        plan.any_order = 1;
        plan.item[1] = some(ASK_TOTAL, 1, 0);
        sotto_table *table = table_of(text.data, "logistic");
        sotto_error error;
        curator *c;
        double out[WIDTH * WIDTH];
        CHECK(curator_open(&c, &table, &policy, &plan, &error));
        CHECK(tell_frame(c, t.centre, t.bound, &error));
        CHECK(curator_tell_map(c, t.map, &error));
        CHECK(curator_tell_map(c, t.map, &error));
        CHECK(curator_tell_point(c, t.point, &error));
        if (first == 1)
            CHECK(curator_ask_whitened(c, 1, out, &sd, &error));
        if (first == 2)
            CHECK(curator_ask_curvature(c, t.bend, 1, out, &sd, &error));
        if (first == 3)
            CHECK(curator_ask_matrix(c, 1, out, &sd, &error));
        CHECK(curator_ask_lengths(c, t.most, seen[first], &sd, &error));
        assert_memory_equal(seen[first], seen[0], sizeof seen[0]);
        curator_close(c);
    }
    text_free(&text);
}

/* Questions about some columns are those of a table that has only these, and
   no more columns are answered about than the plan says. */
static void test_some_columns(void **state)
{
    (void)state;
    static const char all[] = "a,b,c,t\n.5,.25,-1,1\n-.125,.75,.5,0\n";
    static const char some_of[] = "a,b,t\n-1,.5,1\n.5,-.125,0\n";
    const int64_t feature[] = {2, 0}, outside[] = {0, 3};
    curator_policy policy = plain(LOSS_SQUARED);
    const double bound[] = {1, .5}, centre[] = {.1, -.2};
    ask_shape what = {.kind = ASK_COLUMN_MEANS,
                      .bound = bound,
                      .centre = centre,
                      .feature = feature,
                      .features = 2};
    ask_frame frame = {
        .feature = feature, .features = 2, .centre = centre, .scale = bound};
    double mean[2][2], matrix[2][9], sd;
    sotto_error error;
    for (int i = 0; i < 2; i++) {
        ask_plan plan =
            plan_two(some(ASK_COLUMN_MEANS, 1, 0), some(ASK_MATRIX, 1, 0));
        plan.item[0].block = plan.item[1].block = 2;
        sotto_table *t = table_of(i ? some_of : all, "squared");
        curator *c;
        CHECK(curator_open(&c, &t, &policy, &plan, &error));
        CHECK(curator_ask_means(c, &what, mean[i], &sd, &error));
        CHECK(curator_tell_frame(c, &frame, &error));
        CHECK(curator_ask_matrix(c, 2, matrix[i], &sd, &error));
        curator_close(c);
        what.feature = frame.feature = NULL;
    }
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
    assert_memory_equal(matrix[0], matrix[1], sizeof matrix[0]);
    ask_plan plan =
        plan_two(some(ASK_COLUMN_MEANS, 1, 0), some(ASK_MATRIX, 1, 0));
    plan.item[0].block = plan.item[1].block = 1;
    sotto_table *t = table_of(all, "squared");
    curator *c;
    CHECK(curator_open(&c, &t, &policy, &plan, &error));
    what.feature = outside;
    assert_int_equal(curator_ask_means(c, &what, mean[0], &sd, &error),
                     SOTTO_USAGE);
    frame.feature = outside;
    assert_int_equal(curator_tell_frame(c, &frame, &error), SOTTO_USAGE);
    what.feature = frame.feature = feature;
    assert_int_equal(curator_ask_means(c, &what, mean[0], &sd, &error),
                     SOTTO_BUDGET);
    CHECK(curator_tell_frame(c, &frame, &error));
    assert_int_equal(curator_ask_matrix(c, 2, matrix[0], &sd, &error),
                     SOTTO_BUDGET);
    curator_close(c);
}

/* What some columns are charged: the length of so many. */
static void test_some_charged(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    for (int64_t block = 1; block <= 2; block++) {
        ask_item means = some(ASK_COLUMN_MEANS, 1, 1);
        ask_item matrix = some(ASK_MATRIX, 1, 1);
        means.block = matrix.block = block;
        double length = gate_sensitivity(&policy, &means, 1000) / KERNEL_CLIP;
        assert_true(fabs(length - 2 * sqrt((double)block)) < 1e-9);
        length = gate_sensitivity(&policy, &matrix, 1000) / KERNEL_CLIP;
        assert_true(length > sqrt(2) &&
                    length < sqrt(2) * (1 + 6. / KERNEL_CLIP));
    }
}

/* What is left for later pays for what is booked as Gaussian only, and for no
   more than was left. */
static void test_later(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    ask_plan plan = plan_two(some(ASK_TOTAL, 1, .1), some(ASK_LATER, 1, .5));
    ask_plan more =
        plan_two(some(ASK_TARGET_MEAN, 4, .2), some(ASK_LENGTHS, 9, .1));
    ask_plan fits =
        plan_two(some(ASK_TARGET_MEAN, 4, .2), some(ASK_LENGTHS, 8, .1));
    double bound = 1, out, sd;
    ask_shape what = {.kind = ASK_TARGET_MEAN, .centre = NULL, .bound = &bound};
    curator *c;
    sotto_error error;
    policy.without_noise = 0;
    sotto_table *t = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    CHECK(curator_open(&c, &t, &policy, &plan, &error));
    assert_int_equal(curator_ask_means(c, &what, &out, &sd, &error),
                     SOTTO_BUDGET);
    assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    fits.item[1].noise = ASK_LAPLACE;
    assert_int_equal(curator_tell_plan(c, &fits, &error), SOTTO_BUDGET);
    fits.item[1].noise = ASK_GAUSSIAN;
    fits.item[0].level = NAN;
    assert_int_equal(curator_tell_plan(c, &fits, &error), SOTTO_BUDGET);
    fits.item[0].level = .2;
    CHECK(curator_tell_plan(c, &fits, &error));
    assert_int_equal(curator_tell_plan(c, &fits, &error), SOTTO_BUDGET);
    for (int i = 0; i < 4; i++)
        CHECK(curator_ask_means(c, &what, &out, &sd, &error));
    assert_int_equal(curator_ask_means(c, &what, &out, &sd, &error),
                     SOTTO_BUDGET);
    curator_close(c);
    /* in parts, and more questions than a plan has room for at once */
    t = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    CHECK(curator_open(&c, &t, &policy, &plan, &error));
    more = plan_one(some(ASK_TARGET_MEAN, 1, .05));
    for (int i = 0; i < 99; i++) {
        CHECK(curator_tell_plan(c, &more, &error));
        CHECK(curator_ask_means(c, &what, &out, &sd, &error));
    }
    more.item[0].level = .051;
    assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    more.item[0].level = .0499;
    CHECK(curator_tell_plan(c, &more, &error));
    more.item[0].level = .01;
    assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    curator_close(c);
    /* a question that is not in the plan is not paid for */
    for (int first = 0; first < 2; first++) {
        t = table_of("a,b,c,t\n1,2,3,4\n", "squared");
        ask_plan none =
            plan_two(some(ASK_TOTAL, !first, .1), some(ASK_LATER, 0, .5));
        CHECK(curator_open(&c, &t, &policy, &none, &error));
        more = plan_one(some(ASK_TARGET_MEAN, 1, .1));
        assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
        curator_close(c);
    }
    /* nor for batches and blocks, for which nothing was made and nobody was
       asked whether rows may be dropped; and no group goes beyond what is
       told */
    t = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    CHECK(curator_open(&c, &t, &policy, &plan, &error));
    policy.adjacency = ACCOUNT_ADD_REMOVE;
    static const ask_kind some_rows[] = {ASK_BATCH, ASK_DUAL, ASK_SEQUENCE};
    for (int i = 0; i < 3; i++) {
        more = plan_one(some(some_rows[i], 1, .1));
        more.item[0].block = more.item[0].blocks = some_rows[i] == ASK_SEQUENCE;
        assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    }
    more = plan_one(some(ASK_TARGET_MEAN, 1, .1));
    more.item[0].and_next = 1;
    assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    more.items = -1;
    assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    curator_close(c);
    /* too many draws */
    t = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    plan.item[1].level = 1;
    CHECK(curator_open(&c, &t, &policy, &plan, &error));
    more = plan_one(some(ASK_COLUMN_COUNTS, 1000, .001));
    assert_int_equal(curator_tell_plan(c, &more, &error), SOTTO_BUDGET);
    curator_close(c);
}

/* A choice out of what is left for later costs what a Gaussian of its level
   does, and only one that is booked as that is told: the same range as RANGE is
   refused, however small, and so is pure noise. */
static void test_later_choices(void **state)
{
    (void)state;
    static const ask_noise refused[] = {ASK_GUMBEL, ASK_FLIP, ASK_NOISY};
    curator_policy policy = plain(LOSS_SQUARED);
    ask_plan plan = plan_two(some(ASK_TOTAL, 1, .1), some(ASK_LATER, 1, .5));
    ask_item choice = some(ASK_CHOICE, 3, .25);
    double clip[WIDTH] = {1, 1, 1, 1}, seen;
    ask_scores scores = {.low = -INFINITY, .high = INFINITY, .fresh = 1};
    int64_t j;
    curator *c;
    sotto_error error;
    account_list events;
    ask_plan fits = plan_two(choice, some(ASK_PARTIAL, 1, .25));
    policy.without_noise = 0;
    sotto_table *t = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    CHECK(curator_open(&c, &t, &policy, &plan, &error));
    fits.item[0].level = .01;
    for (int i = 0; i < 3; i++) {
        fits.item[0].noise = refused[i];
        assert_int_equal(curator_tell_plan(c, &fits, &error), SOTTO_BUDGET);
    }
    fits.item[0].noise = ASK_RANGE;
    fits.item[0].level = .25 * (1 + 1e-9);
    assert_int_equal(curator_tell_plan(c, &fits, &error), SOTTO_BUDGET);
    fits.item[0].level = .25 * (1 - 1e-9);
    CHECK(curator_tell_plan(c, &fits, &error));
    CHECK(curator_tell_clips(c, clip, &error));
    CHECK(curator_tell_scores(c, &scores, &error));
    CHECK(curator_ask_choice(c, &j, &error));
    CHECK(curator_ask_partial(c, j, &seen, &error));
    /* the two that were passed over do not come back */
    assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_BUDGET);
    curator_close(c);
    CHECK(curator_events(&events, &plan, ACCOUNT_ADD_REMOVE, 3, &error));
    assert_true(events.event[1].kind == ACCOUNT_GAUSS);
    assert_true(events.event[1].a == .5);
    account_free(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_alone),
        cmocka_unit_test(test_weights_are_alone),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_lengths_charged),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_curvature_of_a_bend),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_total_again),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_later_choices),
        cmocka_unit_test(test_columns_gone),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_some_columns),
        cmocka_unit_test(test_some_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
