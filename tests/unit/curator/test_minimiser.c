/*
 * Minimisers of the penalised loss, released with noise. Certificates are true;
 * no record moves the answer by more than is charged; some records do move it
 * that far; and objective perturbation has the privacy that its proof states.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"
#include "curator/minimise.h"

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static uint64_t seed = 17;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static double around(double size)
{
    return size * (2 * uniform() - 1);
}

static double power(double low, double high)
{
    return pow(10, low + (high - low) * uniform());
}

/* ---- a table of a few rows ---- */

enum { P = 2, MOST = 40 };

typedef struct record {
    double x[P], y; /* a class: what of y is above 0 */
} record;

typedef struct rows {
    record row[MOST];
    int count;
} rows;

static sotto_table *table_of(const rows *r, int classes, int sparse,
                             const char *precision)
{
    text_buffer t = {0};
    if (!sparse)
        text_put(&t, "a,b,t\n");
    for (int i = 0; i < r->count; i++) {
        const double *x = r->row[i].x;
        double y = classes ? (r->row[i].y > 0 ? 1 : -1) : r->row[i].y;
        if (sparse)
            text_format(&t, "%.17g 1:%.9g 2:%.9g\n", y, x[0], x[1]);
        else
            text_format(&t, "%.9g,%.9g,%.17g\n", x[0], x[1], y);
    }
    const setting of_classes[] = {
        {"loss", "logistic"},
        {"precision", precision},
        {"epsilon", "1"},
        {sparse ? "features" : "target", sparse ? "2" : "t"},
        {"classes", "-1,1"},
        {NULL, NULL}};
    setting of_numbers[] = {of_classes[0],
                            of_classes[1],
                            of_classes[2],
                            of_classes[3],
                            {NULL, NULL}};
    of_numbers[0].value = "huber";
    sotto_table *table =
        read_text(sparse ? "d.svm" : "d.csv", t.data ? t.data : "",
                  classes ? of_classes : of_numbers);
    text_free(&t);
    return table;
}

static record some_record(double size)
{
    return (record){{around(size), around(size)}, around(3)};
}

static rows some_rows(int count, double size)
{
    rows r = {.count = count};
    for (int i = 0; i < count; i++)
        r.row[i] = some_record(size);
    return r;
}

/* ---- what is certified ---- */

/* The shortest subgradient of Phi at w, computed independently in long
   doubles. */
static double true_length(const minimum *m, const double *w)
{
    const sotto_table *t = m->table;
    long double s[P] = {0}, square = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        long double margin = 0, slope, y = t->y[i], d = m->loss.delta;
        const double *x = t->x;
        for (int j = 0; j < P; j++)
            margin += (long double)x[j * t->stride + i] * w[j];
        if (m->loss.kind == LOSS_HUBER)
            slope = margin - y < -d ? -d : margin - y > d ? d : margin - y;
        else
            slope = -y / (1 + expl(y * margin));
        for (int j = 0; j < P; j++)
            s[j] += t->weight[i] * slope * x[j * t->stride + i];
    }
    for (int j = 0; j < P; j++) {
        long double v = s[j] +
                        (m->objective_noise ? m->objective_noise[j] : 0) +
                        m->l2 * w[j];
        long double up = v + (w[j] >= 0 ? m->l1 : -m->l1);
        long double down = v + (w[j] > 0 ? m->l1 : -m->l1);
        assert_true(w[j] >= m->low && w[j] <= m->high);
        v = up < 0 && w[j] < m->high    ? up
            : down > 0 && w[j] > m->low ? down
                                        : 0;
        square += v * v;
    }
    return (double)sqrtl(square);
}

/* Weights are from 0 to 1; the caller frees it. */
static sotto_table *weighted_table(const rows *r, int classes, int equal)
{
    sotto_table *t = table_of(r, classes, 0, "double");
    mem_free(t->weight);
    t->weight = mem_zeroed((size_t)r->count + 1, sizeof *t->weight);
    for (int i = 0; i < r->count; i++)
        t->weight[i] = equal ? 1 : uniform();
    return t;
}

/* The length of a subgradient where minimise ends, as a part of the goal. */
static double part_of_goal(minimum *m)
{
    double w[P];
    sotto_error error;
    m->goal = loss_slope_bound(&m->loss) * m->reach * 0x1p-16;
    CHECK(minimise(m, w, &error));
    return true_length(m, w) / m->goal;
}

/* Rows that are nearly the same, penalties from very small to very large,
   weights, kinks, boxes, pulls. */
static void test_certificate(void **state)
{
    (void)state;
    double worst = 0;
    for (int run = 0; run < 2000; run++) {
        int classes = run % 2;
        double size = power(-3, 1), objective_noise[P] = {around(9), around(9)};
        rows r = some_rows((int)(uniform() * MOST), size);
        for (int i = 0; run % 3 == 0 && i < r.count; i++)
            r.row[i].x[1] = r.row[i].x[0] * (1 + around(1e-6));
        sotto_table *t = weighted_table(&r, classes, run % 5);
        minimum m = {.table = t,
                     .loss = {classes ? LOSS_LOGISTIC : LOSS_HUBER,
                              classes ? 0 : power(-2, 2)},
                     .l2 = power(-4, 2),
                     .l1 = run % 4 ? 0 : power(-3, 0),
                     .low = run % 7 ? -INFINITY : -uniform(),
                     .high = run % 7 ? INFINITY : uniform(),
                     .objective_noise = run % 6 ? NULL : objective_noise,
                     .reach = 2 * size,
                     .newton = 100};
        worst = fmax(worst, part_of_goal(&m));
        sotto_table_free(t);
    }
    print_message("subgradients: at most %.3f of the goal\n", worst);
    assert_true(worst <= 1);
}

/* With the guaranteed (slow) steps alone, from 0: it ends, and is as near. */
static void test_certain_steps(void **state)
{
    (void)state;
    double worst = 0;
    for (int run = 0; run < 200; run++) {
        int classes = run % 2;
        double objective_noise[P] = {around(9), around(9)};
        rows r = some_rows((int)(uniform() * MOST), 1);
        sotto_table *t = weighted_table(&r, classes, 1);
        minimum m = {.table = t,
                     .loss = {classes ? LOSS_LOGISTIC : LOSS_HUBER, 1},
                     .l2 = power(-1, 1),
                     .l1 = run % 4 ? 0 : power(-3, 0),
                     .low = run % 7 ? -INFINITY : -uniform(),
                     .high = run % 7 ? INFINITY : uniform(),
                     .objective_noise = objective_noise,
                     .reach = 2};
        worst = fmax(worst, part_of_goal(&m));
        sotto_table_free(t);
    }
    print_message("certain steps: at most %.3f of the goal\n", worst);
    assert_true(worst <= 1);
}

/*
 * A linear part that takes the minimiser to where hardly any row has a slope,
 * as a large budget and a small l2 allow. Newton's steps get there. The
 * guaranteed steps would take hours, and whether they are needed would depend
 * on the records.
 */
static void test_far_away(void **state)
{
    (void)state;
    double worst = 0, farthest = 0;
    for (int run = 0; run < 300; run++) {
        double objective_noise[P] = {around(3), around(3)}, w[P];
        rows r = some_rows(20, .7);
        sotto_table *t = weighted_table(&r, 1, 1);
        sotto_error error;
        minimum m = {.table = t,
                     .loss = {LOSS_LOGISTIC, 0},
                     .l2 = power(-6, -5),
                     .low = -INFINITY,
                     .high = INFINITY,
                     .objective_noise = objective_noise,
                     .reach = 1,
                     .newton = 1000};
        worst = fmax(worst, part_of_goal(&m));
        CHECK(minimise(&m, w, &error));
        farthest = fmax(farthest, hypot(w[0], w[1]));
        sotto_table_free(t);
    }
    print_message("far away: %.3g, at most %.3f of the goal\n", farthest,
                  worst);
    assert_true(worst <= 1 && farthest > 1e4);
}

/* Where doubles are not accurate enough, nothing is certified. */
static void test_not_certain(void **state)
{
    (void)state;
    for (int run = 0; run < 4; run++) {
        rows r = some_rows(20, 1);
        sotto_table *t = weighted_table(&r, run % 2, 1);
        double w[P] = {7, 7};
        sotto_error error;
        minimum m = {.table = t,
                     .loss = {run % 2 ? LOSS_LOGISTIC : LOSS_HUBER, 1},
                     .l2 = 1,
                     .low = -INFINITY,
                     .high = INFINITY,
                     .reach = 2,
                     .goal = 1e-14,
                     .newton = run < 2 ? 100 : 0};
        assert_int_equal(minimise(&m, w, &error), SOTTO_FAILED);
        assert_true(w[0] == 7 && w[1] == 7);
        sotto_table_free(t);
    }
}

/* Within 2^-50, where 2^-48 is counted on. */
static void test_sigmoid(void **state)
{
    (void)state;
    for (int run = 0; run < 200000; run++) {
        double m = around(run % 2 ? 40 : 750) * (run % 3 ? 1 : 1e-3);
        long double truth = 1 / (1 + expl((long double)m));
        assert_true(fabsl(loss_portable_sigmoid(m) - truth) <= 0x1p-50L);
    }
}

/* ---- asking ---- */

static curator_policy plain(int classes)
{
    return (curator_policy){
        .adjacency = ACCOUNT_ADD_REMOVE,
        .rows_per_person = 1,
        .rows = 8,
        .loss = {classes ? LOSS_LOGISTIC : LOSS_HUBER, classes ? 0 : 1},
        .weight_bound = 1,
        .norm_bound = 1,
        .without_noise = 1,
        .insecure = 1,
        .seed = 3};
}

static ask_penalty just_l2(double l2)
{
    return (ask_penalty){0, l2, -INFINITY, INFINITY};
}

static double unit_of(const curator_policy *p, double l2)
{
    double slope = p->loss.kind == LOSS_HUBER ? p->loss.delta : 1;
    return slope * p->norm_bound / KERNEL_CLIP /
           (l2 * p->rows / p->weight_bound);
}

/* The answer in units, and the sd of its noise. */
static double ask_table(sotto_table *t, const curator_policy *policy,
                        ask_kind kind, double level, const ask_penalty *penalty,
                        double *out)
{
    ask_plan plan = plan_one(some(kind, 1, level));
    double unit = unit_of(policy, penalty->l2), w[P], sd;
    curator *c;
    sotto_error error;
    CHECK(curator_open(&c, &t, policy, &plan, &error));
    CHECK(curator_ask_minimiser(c, kind, penalty, w, &error));
    sd = curator_noise(c) / unit;
    curator_close(c);
    for (int j = 0; out && j < P; j++) {
        out[j] = w[j] / unit;
        assert_true(fabs(out[j] - rint(out[j])) <= 1e-3 + 1e-14 * fabs(out[j]));
    }
    return sd;
}

static void ask(const rows *r, const curator_policy *policy,
                const ask_penalty *penalty, double *out)
{
    int classes = policy->loss.kind == LOSS_LOGISTIC;
    ask_table(table_of(r, classes, 0, "float"), policy, ASK_MINIMISER, 0,
              penalty, out);
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

static double charged(const curator_policy *policy, ask_kind kind)
{
    ask_item item = some(kind, 1, 1);
    return gate_sensitivity(policy, &item, P);
}

/* By hand: two rows of huber at x = 1, y = 5 and -1, n0 = 8, l2 = 1/8:
   slopes -1 and w + 1, so that -1 + (w + 1) + w = 0. A row that is too long
   counts as one of length 1. */
static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain(0);
    ask_penalty penalty = just_l2(.125);
    double w[P], unit = unit_of(&policy, .125);
    rows r = {{{{1, 0}, 5}, {{1, 0}, -1}}, 2};
    ask(&r, &policy, &penalty, w);
    assert_true(fabs(w[0] * unit) < 1e-3 && w[1] == 0);
    r.row[1] = (record){{0, 4}, .5}; /* (0, 1) now: w2 - .5 + w2 = 0 */
    ask(&r, &policy, &penalty, w);
    assert_true(fabs(w[0] * unit - 1) < 1e-3);
    assert_true(fabs(w[1] * unit - .25) < 1e-3);
    penalty.l1 = .0125; /* .1 for each */
    penalty.high = .5;
    ask(&r, &policy, &penalty, w);
    assert_true(fabs(w[0] * unit - .5) < 1e-3);
    assert_true(fabs(w[1] * unit - .2) < 1e-3);
    r.count = 0;
    ask(&r, &policy, &penalty, w);
    assert_true(w[0] == 0 && w[1] == 0);
}

/* Not the same bits, but as near as was certified. */
static void test_storage(void **state)
{
    (void)state;
    for (int run = 0; run < 40; run++) {
        int classes = run % 2;
        curator_policy policy = plain(classes);
        ask_penalty penalty = just_l2(power(-3, 0));
        double dense[P], sparse[P];
        rows r = some_rows(30, 1);
        ask_table(table_of(&r, classes, 0, "float"), &policy, ASK_MINIMISER, 0,
                  &penalty, dense);
        ask_table(table_of(&r, classes, 1, "float"), &policy, ASK_MINIMISER, 0,
                  &penalty, sparse);
        policy.adjacency = ACCOUNT_ADD_REMOVE;
        assert_true(distance(dense, sparse) <=
                    charged(&policy, ASK_MINIMISER) - KERNEL_CLIP);
    }
}

/* ---- how far one record moves it ---- */

static ask_penalty some_penalty(void)
{
    ask_penalty p = just_l2(power(-3, .5));
    if (uniform() < .3)
        p.l1 = power(-4, -1);
    if (uniform() < .2) {
        p.low = -power(-1, 1);
        p.high = power(-1, 1);
    }
    return p;
}

/* Pairs that differ in the last row, which is climbed: whatever makes the
   distance larger is kept. Returns the largest, as a part of what is charged.
 */
static double climb(int classes, int replace)
{
    curator_policy policy = plain(classes);
    double most = 0;
    policy.adjacency = replace ? ACCOUNT_REPLACE_ONE : ACCOUNT_ADD_REMOVE;
    for (int start = 0; start < 12; start++) {
        double best = 0, a[P], b[P];
        rows r = some_rows(1 + (int)(uniform() * 10), 1);
        record other = some_record(1);
        ask_penalty penalty = some_penalty();
        for (int step = 0; step < 60; step++) {
            rows near = r;
            record to = other;
            double by = power(-2, .5);
            int at = (int)(uniform() * near.count);
            near.row[at].x[0] += around(by);
            near.row[at].x[1] += around(by);
            near.row[at].y += around(10 * by);
            to.x[0] += around(by);
            to.x[1] += around(by);
            to.y += around(10 * by);
            ask(&near, &policy, &penalty, a);
            rows less = near;
            less.row[less.count - 1] = to;
            less.count -= !replace;
            ask(&less, &policy, &penalty, b);
            double d = distance(a, b) / charged(&policy, ASK_MINIMISER);
            most = fmax(most, d);
            if (d > best) {
                best = d;
                r = near;
                other = to;
            }
        }
    }
    return most;
}

static void test_sensitivity(void **state)
{
    (void)state;
    for (int classes = 0; classes < 2; classes++)
        for (int replace = 0; replace < 2; replace++) {
            double most = climb(classes, replace);
            print_message("%s, %s: %.3f of what is charged, by search\n",
                          classes ? "logistic" : "huber",
                          replace ? "replaced" : "there or not", most);
            assert_true(most <= 1);
            assert_true(most >= (classes ? .3 : .9));
        }
}

/* Whatever the bits of a record are. */
static void test_wild_records(void **state)
{
    (void)state;
    for (int run = 0; run < 600; run++) {
        int classes = run % 2;
        curator_policy policy = plain(classes);
        ask_penalty penalty = just_l2(power(-2, .5));
        double a[P], b[P];
        rows r = some_rows(5, 1);
        record *wild = &r.row[4];
        for (int j = 0; j < P; j++)
            wild->x[j] = around(1) * pow(10, around(38));
        wild->y = around(1) * pow(10, around(38));
        ask(&r, &policy, &penalty, a);
        r.count--;
        ask(&r, &policy, &penalty, b);
        assert_true(distance(a, b) <= charged(&policy, ASK_MINIMISER));
    }
}

/* A background of many short rows that has next to no curvature, and goes
   along `to` until a record that is against it has all its slope. */
static sotto_table *background(const double *to, const record *last)
{
    text_buffer t = {0};
    text_put(&t, "a,b,t\n");
    for (int i = 0; i < 10000; i++)
        text_format(&t, "%.9g,%.9g,1\n", 1e-3 * to[0], 1e-3 * to[1]);
    if (last)
        text_format(&t, "%.9g,%.9g,%d\n", last->x[0], last->x[1],
                    last->y > 0 ? 1 : -1);
    sotto_table *table = read_text(
        "d.csv", t.data,
        SETTINGS({"target", "t"}, {"loss", "logistic"}, {"classes", "-1,1"},
                 {"precision", "float"}, {"epsilon", "1"}));
    text_free(&t);
    return table;
}

/* Pairs that are constructed for it move the answer almost as far as is
   charged. */
static void test_reached(void **state)
{
    (void)state;
    double a[P], b[P];
    const double left[] = {-1, 0}, down[] = {0, -1};
    ask_penalty penalty = just_l2(.0125);
    for (int replace = 0; replace < 2; replace++) {
        curator_policy policy = plain(0);
        rows one = {{{{1, 0}, 1e6}}, 1}, other = {{{{1, 0}, -1e6}}, replace};
        policy.adjacency = replace ? ACCOUNT_REPLACE_ONE : ACCOUNT_ADD_REMOVE;
        ask(&one, &policy, &penalty, a);
        ask(&other, &policy, &penalty, b);
        double part = distance(a, b) / charged(&policy, ASK_MINIMISER);
        print_message("huber: %.4f of what is charged\n", part);
        assert_true(part <= 1 && part >= .99);

        policy = plain(1);
        policy.adjacency = replace ? ACCOUNT_REPLACE_ONE : ACCOUNT_ADD_REMOVE;
        record up = {{replace ? .95 : 1, replace ? .31 : 0}, 1};
        record back = {{-.95, .31}, 1};
        const double *to = replace ? down : left;
        ask_table(background(to, &up), &policy, ASK_MINIMISER, 0, &penalty, a);
        ask_table(background(to, replace ? &back : NULL), &policy,
                  ASK_MINIMISER, 0, &penalty, b);
        part = distance(a, b) / charged(&policy, ASK_MINIMISER);
        print_message("logistic: %.4f of what is charged\n", part);
        assert_true(part <= 1 && part >= .9);
    }
}

/* Rows of one person, a weight as large as can be, a blank row, another
   number of rows, another norm. */
static void test_units(void **state)
{
    (void)state;
    curator_policy policy = plain(0);
    ask_penalty penalty = just_l2(.0125);
    double a[P], b[P] = {0, 0};
    rows three = {{{{5, 0}, 1e6}, {{5, 0}, 1e6}, {{5, 0}, 1e6}}, 3};
    policy.rows = 3;
    policy.norm_bound = 5;
    policy.loss.delta = .25;
    policy.rows_per_person = 3;
    policy.adjacency = ACCOUNT_ZERO_OUT;
    ask(&three, &policy, &penalty, a);
    double part = distance(a, b) / charged(&policy, ASK_MINIMISER);
    assert_true(part <= 1 && part >= .99);
    policy.rows_per_person = 1;
    policy.weight_bound = 3;
    sotto_table *t =
        read_text("d.csv", "a,b,t,v\n5,0,1e6,3\n",
                  SETTINGS({"target", "t"}, {"loss", "huber"}, {"weights", "v"},
                           {"weight-bound", "3"}, {"epsilon", "1"},
                           {"precision", "float"}));
    ask_table(t, &policy, ASK_MINIMISER, 0, &penalty, a);
    part = distance(a, b) / charged(&policy, ASK_MINIMISER);
    assert_true(part <= 1 && part >= .99);
}

/* ---- what is charged ---- */

static void test_charged(void **state)
{
    (void)state;
    static const struct {
        account_adjacency adjacency;
        double times;
    } cases[] = {{ACCOUNT_ADD_REMOVE, 1},
                 {ACCOUNT_ZERO_OUT, 1},
                 {ACCOUNT_REPLACE_ONE, 2}};
    rows r = some_rows(5, 1);
    ask_penalty penalty = just_l2(1);
    for (int i = 0; i < 3; i++)
        for (int people = 1; people < 4; people += 2) {
            curator_policy policy = plain(1);
            policy.adjacency = cases[i].adjacency;
            policy.rows_per_person = people;
            policy.without_noise = 0;
            double sd = ask_table(table_of(&r, 1, 0, "float"), &policy,
                                  ASK_MINIMISER, .5, &penalty, NULL);
            double want = cases[i].times * people * KERNEL_CLIP / .5;
            double missed = 2 * (KERNEL_CLIP * 0x1p-12 + sqrt(P)) / .5;
            assert_true(sd >= want + missed);
            assert_true(sd < (want + missed) * (1 + 1e-9));
        }
    ask_item item = some(ASK_MINIMISER, 1, 1);
    assert_true(curator_draws(&item, P) >= P);
    item.kind = ASK_PERTURBED;
    assert_true(curator_draws(&item, P) >= 2 * P);
}

/* What the proof does not cover is refused before it is charged. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        ask_kind kind;
        loss loss;
        ask_penalty penalty;
        double norm, rows;
        int intercept, fine;
    } cases[] = {
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {.1, 1, -1, 1}, 1, 8, 0, 1},
        {ASK_PERTURBED,
         {LOSS_LOGISTIC, 0},
         {0, 1, -INFINITY, INFINITY},
         1,
         8,
         0,
         1},
        {ASK_PERTURBED,
         {LOSS_LOGISTIC, 0},
         {.1, 1, -INFINITY, INFINITY},
         1,
         8,
         0,
         0},
        {ASK_PERTURBED, {LOSS_LOGISTIC, 0}, {0, 1, -1, INFINITY}, 1, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 0, -1, 1}, 1, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, NAN, -1, 1}, 1, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {NAN, 1, -1, 1}, 1, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1, .5, 1}, 1, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1, -1, 1}, INFINITY, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1, -1, 1}, 0, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1, -1, 1}, 1, 8, 1, 0},
        {ASK_MINIMISER, {LOSS_HINGE, 0}, {0, 1, -1, 1}, 1, 8, 0, 0},
        {ASK_MINIMISER, {LOSS_SQUARED_HINGE, 0}, {0, 1, -1, 1}, 1, 8, 0, 0},
        /* too many rows for doubles */
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1, -1, 1}, 1, 1e6, 0, 1},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1, -1, 1}, 1, 1e9, 0, 0},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1e-12, -1, 1}, 1, 1e6, 0, 0},
        /* l2 so small that rounding errors move the minimiser too far */
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1e-9, -9, 9}, 1, 1, 0, 1},
        {ASK_MINIMISER, {LOSS_LOGISTIC, 0}, {0, 1e-18, -9, 9}, 1, 1, 0, 0},
    };
    rows r = some_rows(3, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        curator_policy policy = plain(1);
        ask_plan plan = plan_one(some(cases[i].kind, 1, 0));
        double out[P];
        curator *c;
        sotto_error error;
        policy.loss = cases[i].loss;
        policy.norm_bound = cases[i].norm;
        policy.rows = cases[i].rows;
        policy.intercept = cases[i].intercept;
        sotto_table *t = table_of(&r, 1, 0, "float");
        CHECK(curator_open(&c, &t, &policy, &plan, &error));
        sotto_status status = curator_ask_minimiser(
            c, cases[i].kind, &cases[i].penalty, out, &error);
        assert_int_equal(status, cases[i].fine ? SOTTO_OK : SOTTO_USAGE);
        assert_int_equal(curator_asked(c, cases[i].kind), cases[i].fine);
        if (cases[i].fine)
            assert_int_equal(curator_ask_minimiser(c, cases[i].kind,
                                                   &cases[i].penalty, out,
                                                   &error),
                             SOTTO_BUDGET);
        curator_close(c);
    }
}

/* ---- the perturbed objective ---- */

static double below(double x)
{
    return .5 * erfc(-x / sqrt(2));
}

/* delta of a Gaussian mechanism. */
static double gauss_delta(double mu, double epsilon)
{
    return below(mu / 2 - epsilon / mu) -
           exp(epsilon) * below(-mu / 2 - epsilon / mu);
}

/* Lemma C22: a Gaussian loss with `curvature_change` on top is no more than
   that of the level for one record; and where curvature_change is 0 it is that.
 */
static void test_level(void **state)
{
    (void)state;
    curator_policy policy = plain(1);
    for (int run = 0; run < 2000; run++) {
        ask_item item = some(ASK_PERTURBED, 1, power(-2, .7));
        double one = item.level * sqrt(63. / 64);
        double curvature_change = uniform() * one * one / 2;
        double mu = objective_noise_level(&policy, &item, curvature_change);
        assert_true(mu > 0 && mu < one);
        for (int k = 0; k <= 200; k++) {
            double epsilon = curvature_change + .05 * k * one;
            double seen = gauss_delta(mu, epsilon - curvature_change);
            double claim = gauss_delta(one, epsilon);
            assert_true(seen <= claim + 1e-14);
        }
    }
    ask_item item = some(ASK_PERTURBED, 1, .5);
    double one = .5 * sqrt(63. / 64);
    assert_true(fabs(objective_noise_level(&policy, &item, 0) / one - 1) <
                1e-12);
    assert_true(objective_noise_level(&policy, &item, one * one / 2) <= 0);
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    policy.rows_per_person = 3;
    assert_true(fabs(objective_noise_level(&policy, &item, 0) / one * 6 - 1) <
                1e-12);
}

/* One feature. The density of the minimiser where there is noise of this sd
   in the linear part: of `count` rows with z = `small`, and one with z = `z`.
 */
typedef struct line {
    double count, small, z, l2, sd;
} line;

/* The gradient of the rest of the objective at w, and its curvature. */
static double pulls(const line *l, double w, int with, double *curve)
{
    double far = 1 / (1 + exp(l->small * w)), mine = 1 / (1 + exp(l->z * w));
    *curve = l->l2 + l->count * l->small * l->small * far * (1 - far) +
             (with ? l->z * l->z * mine * (1 - mine) : 0);
    return l->l2 * w - l->count * l->small * far - (with ? l->z * mine : 0);
}

static double density(const line *l, double w, int with)
{
    double curve, at = pulls(l, w, with, &curve) / l->sd;
    return exp(-at * at / 2) / sqrt(2 * acos(-1)) * curve / l->sd;
}

/* Where the gradient without the one row is that. */
static double place(const line *l, double gradient)
{
    double low = -1e4, high = 1e4, curve;
    for (int k = 0; k < 100; k++) {
        double middle = (low + high) / 2;
        if (pulls(l, middle, 0, &curve) < gradient)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* delta(epsilon), of with against without or the other way round. */
static double line_delta(const line *l, double epsilon, int with)
{
    enum { STEPS = 4000 };
    double from = place(l, -9 * l->sd - 1), to = place(l, 9 * l->sd + 1);
    double sum = 0, step = (to - from) / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double w = from + (k + .5) * step;
        double d = density(l, w, with) - exp(epsilon) * density(l, w, !with);
        sum += d > 0 ? d * step : 0;
    }
    return sum;
}

/* The law of the exact minimiser, integrated: never above what is charged for
   it, and for some pair next to it. */
static void test_law_of_minimisers(void **state)
{
    (void)state;
    curator_policy policy = plain(1);
    double nearest = 0;
    for (int run = 0; run < 400; run++) {
        ask_item item = some(ASK_PERTURBED, 1, power(-.3, .4));
        double one = item.level * sqrt(63. / 64), lambda = power(-1, 3);
        double curvature_change = log1p(.25 / lambda);
        double mu = objective_noise_level(&policy, &item, curvature_change);
        if (!(mu > 0))
            continue;
        double push = around(40) * lambda;
        line l = {1e6, push * 1e-6, run % 3 ? 1 : around(1), lambda, 1 / mu};
        for (int with = 0; with < 2; with++)
            for (double epsilon = 0; epsilon < 3 * one; epsilon += one) {
                double seen = line_delta(&l, epsilon, with);
                double claim = gauss_delta(one, epsilon);
                assert_true(seen <= claim + 1e-9);
                nearest = fmax(nearest, seen / claim);
            }
    }
    print_message("perturbed: at most %.3f of the delta that is charged\n",
                  nearest);
    assert_true(nearest >= .9);
}

/* Of no rows the answer is the linear part's alone, in units of B: its sd,
   and that of the last noise, which is all that is told. */
static void test_objective_noise(void **state)
{
    (void)state;
    enum { RUNS = 4000 };
    rows none = {.count = 0};
    curator_policy policy = plain(1);
    ask_penalty penalty = just_l2(10);
    ask_item item = some(ASK_PERTURBED, 1, 1);
    double sum = 0, square = 0, w[P], told = 0;
    policy.without_noise = 0;
    for (int run = 0; run < RUNS; run++) {
        policy.seed = (uint64_t)run;
        told = ask_table(table_of(&none, 1, 0, "float"), &policy, ASK_PERTURBED,
                         1, &penalty, w);
        for (int j = 0; j < P; j++) {
            sum += w[j] / KERNEL_CLIP;
            square += w[j] * w[j] / KERNEL_CLIP / KERNEL_CLIP;
        }
    }
    double mu = objective_noise_level(&policy, &item, log1p(.25 / 80));
    double last = 8 * 2 * (0x1p-16 * KERNEL_CLIP + 2 * sqrt(P));
    assert_true(fabs(told / last - 1) < 1e-9);
    last /= KERNEL_CLIP;
    double want = 1 / (mu * mu) + last * last, spread = square / (P * RUNS);
    /* five standard errors */
    assert_true(fabs(spread / want - 1) < 5 * sqrt(2. / (P * RUNS)));
    assert_true(fabs(sum / (P * RUNS)) < 5 / mu / sqrt(P * RUNS));
    print_message("objective noise: variance %.4f, expected %.4f\n", spread,
                  want);
}

/* A penalty that is too small for the level is refused. */
static void test_least_l2(void **state)
{
    (void)state;
    curator_policy policy = plain(1);
    policy.without_noise = 0;
    ask_item item = some(ASK_PERTURBED, 1, .5);
    double least = curator_least_l2(&policy, &item);
    rows r = some_rows(3, 1);
    for (int more = 0; more < 2; more++) {
        ask_plan plan = plan_one(item);
        ask_penalty penalty = just_l2(least * (more ? 1.001 : .999));
        double w[P];
        curator *c;
        sotto_error error;
        sotto_table *t = table_of(&r, 1, 0, "float");
        CHECK(curator_open(&c, &t, &policy, &plan, &error));
        assert_int_equal(
            curator_ask_minimiser(c, ASK_PERTURBED, &penalty, w, &error),
            more ? SOTTO_OK : SOTTO_PRIVACY);
        assert_true(more || (w[0] == 0 && w[1] == 0));
        curator_close(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_certain_steps),
        cmocka_unit_test(test_sigmoid),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_not_certain),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_wild_records),
        cmocka_unit_test(test_reached),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_charged),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_level),
        cmocka_unit_test(test_law_of_minimisers),
        cmocka_unit_test(test_objective_noise),
        cmocka_unit_test(test_least_l2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
