/*
 * Standard errors from the last stage of the private Newton method: the numbers
 * that NumPy has, and which weights get none.
 */
#include "reading.h"

#include "solver/newton_errors.h"

enum { D = 4, SUMS = D + 1 };

static const double first[D * D] = {.40, .10,  .05, .02, .10, .30, -.04, .01,
                                    .05, -.04, .25, .03, .02, .01, .03,  1};
static const double to[D * D] = {1.7, -.3, .2,  .1, .2, 1.9, .4,  -.1,
                                 -.2, .3,  2.1, .2, 0,  .1,  -.1, 1.1};
static const double average[D] = {.5, -.4, .3, .1},
                    drawn[D] = {.48, -.4, .25, .1};
static const double one_each[D] = {1, 1, 1, 1};

typedef struct fixture {
    double pull[D], error[SUMS], moved[SUMS];
    unsigned char refused[SUMS];
    newton_rest m;
} fixture;

static void begin(fixture *f)
{
    *f = (fixture){.m = {.d = D,
                         .first = first,
                         .edge = .01,
                         .to = to,
                         .average = average,
                         .v = drawn,
                         .reach = one_each,
                         .sd = .03,
                         .rounds = 15,
                         .clip = 2,
                         .length = .8,
                         .square = .8,
                         .lost = .02,
                         .rows = 4000}};
}

/* Of each weight, and of one more sum. */
static void find(fixture *f)
{
    static const double what[SUMS * D] = {1, 0, 0, 0, 0, 1, 0,   0, 0,   0,
                                          1, 0, 0, 0, 0, 1, -.5, 0, 1.5, 2};
    errors_found found = {f->error, f->moved, f->refused};
    sotto_error error;
    f->m.pull = f->pull;
    assert_int_equal(newton_errors(&f->m, what, SUMS, &found, &error),
                     SOTTO_OK);
}

static void all_given(const fixture *f)
{
    for (int i = 0; i < SUMS; i++) {
        assert_int_equal(f->refused[i], INTERVAL_UNMODELLED);
        assert_true(f->error[i] > 0);
    }
}

static void all_refused(const fixture *f, interval_reason why)
{
    for (int i = 0; i < SUMS; i++) {
        assert_int_equal(f->refused[i], why);
        assert_true(f->error[i] == 0);
    }
}

static void same(double x, double expected)
{
    if (!(fabs(x - expected) < 1e-7 * fabs(expected)))
        fail_msg("%.9g where %.9g was expected", x, expected);
}

/*
 * By NumPy: sqrt(diag(C S C') + (C (v - average))^2), where S is to to' times
 * .03^2 / 15 + doubt * .8 / 4 / 4000 + (.7 * aligned * lost)^2 / 4, and aligned
 * is .7 of numbers, where .02 are lost, and 1.25 of classes, where .014 are.
 * The doubt is 9 / 4 of numbers, and 1.25 of classes.
 */
static void test_reference(void **state)
{
    (void)state;
    static const double expected[2][SUMS] = {
        {0.0315503614, 0.0273983247, 0.0583096545, 0.0155469385, 0.0859439038},
        {0.0297463837, 0.0247236665, 0.0568583465, 0.0140292273, 0.0824575731}};
    for (int classes = 0; classes < 2; classes++) {
        fixture f;
        begin(&f);
        f.m.classes = classes;
        f.m.lost = classes ? .014 : .02;
        find(&f);
        all_given(&f);
        for (int i = 0; i < SUMS; i++)
            same(f.error[i], expected[classes][i]);
    }
}

/* ---- levels that add up ---- */

/* The first two columns are the levels of one category: .5 z_0 + .8 z_1 is
   1 - .3 - .4 in every row. */
static const int64_t whole[D - 1] = {1, 1, 0};
static const double centre[D - 1] = {.3, .4, .9}, scale[D - 1] = {.5, .8, 1},
                               unit[D] = {4, 1.5, 2, 0};
static const double from[D * D] = {
    0.5673042885424725,   0.10291977501868288,  -0.0749937723703014,
    -0.02858154261665334, -0.07237161249721395, 0.525349730573073,
    -0.08980897565324555, 0.07066720857970711,  0.06319405294140784,
    -0.06017856908735726, 0.4769708809146093,   -0.09793767125981671,
    0.012324151403511074, -0.05322984542367549, 0.051525441506168626,
    0.8937631927418614};

static redundant begin_levels(fixture *f)
{
    redundant of;
    redundant_frame frame = {D - 1, 1, whole, centre, scale, unit};
    sotto_error error;
    assert_int_equal(redundant_make(&of, &frame, &error), SOTTO_OK);
    assert_int_equal(of.count, 1);
    begin(f);
    f->m.from = from;
    return of;
}

/*
 * By NumPy: with r = (.5, .8, 0, -.3) and C P in the place of C, P = 1 - r r'U
 * / r'U r, three directions in the place of four, and moved by C (P - 1) v.
 */
static void test_levels(void **state)
{
    (void)state;
    static const double expected[2][SUMS] = {
        {0.0206583688, 0.0344306143, 0.061946921, 0.0229558751, 0.111217722},
        {0.0177482918, 0.0295804863, 0.0581855831, 0.0190156411, 0.10237825}};
    static const double moved[SUMS] = {-0.12244898, -0.195918367, 0,
                                       0.0734693878, 0.208163265};
    for (int classes = 0; classes < 2; classes++) {
        fixture f;
        redundant of = begin_levels(&f);
        f.m.redundant = &of;
        f.m.classes = classes;
        f.m.lost = classes ? .014 : .02;
        find(&f);
        all_given(&f);
        for (int i = 0; i < SUMS; i++) {
            same(f.error[i], expected[classes][i]);
            if (moved[i] != 0)
                same(f.moved[i], moved[i]);
            else
                assert_true(f.moved[i] == 0);
        }
        redundant_free(&of);
    }
}

/* Noise hides the direction that is redundant, and answers go on along it: both
   count without the declaration, and neither with it. */
static void test_levels_are_not_hidden(void **state)
{
    (void)state;
    double lifted[D * D], at[D] = {.5, .8, 0, -.3}, length = .25 + .64 + .09;
    fixture f;
    redundant of = begin_levels(&f);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            double sum = 0; /* (1 - r r') first (1 - r r') + .001 r r' */
            for (int a = 0; a < D; a++)
                for (int b = 0; b < D; b++)
                    sum += ((a == i) - at[a] * at[i] / length) *
                           first[a * D + b] *
                           ((b == j) - at[b] * at[j] / length);
            lifted[i * D + j] = sum + .001 * at[i] * at[j] / length;
        }
    f.m.first = lifted;
    find(&f);
    for (int i = 0; i < SUMS; i++)
        assert_int_equal(f.refused[i],
                         i == 2 ? INTERVAL_FEW_SEEN : INTERVAL_HIDDEN);
    f.m.redundant = &of;
    find(&f);
    all_given(&f);
    /* from r, times more than noise alone would be */
    static const double on[D] = {0.6200609686488248, 0.600744427569422,
                                 0.0212481951873429, -0.504161722172409};
    for (int e = 0; e < D; e++)
        f.pull[e] = .1 * on[e];
    find(&f);
    all_given(&f);
    f.pull[2] += .0075; /* sqrt(.3 x 3) x .03 / sqrt(15) is .00735 */
    find(&f);
    all_refused(&f, INTERVAL_MOVING);
    f.m.redundant = NULL;
    f.m.first = first;
    for (int e = 0; e < D; e++)
        f.pull[e] = .1 * on[e];
    find(&f);
    all_refused(&f, INTERVAL_MOVING);
    assert_true(f.moved[0] == 0);
    redundant_free(&of);
}

/* ---- which get none ---- */

/* The mean answer is to be well below its noise, .03 / sqrt(15) = .0077 in each
   coordinate: .3 of its square. */
static void test_not_at_rest(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    for (int e = 0; e < D; e++)
        f.pull[e] = e % 2 ? .0042 : -.0042;
    find(&f);
    all_given(&f);
    f.pull[2] = .0044;
    find(&f);
    all_refused(&f, INTERVAL_MOVING);
    f.pull[2] = NAN;
    find(&f);
    all_refused(&f, INTERVAL_MOVING);
}

/* What is cut off may move w by as much as noise and sampling do, no more: .7
   lost / 2 against sqrt(.03^2 / 15 + .8 / 4 / 4000). */
static void test_cut_off(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.m.lost = .0299;
    find(&f);
    all_given(&f);
    f.m.lost = .0301;
    find(&f);
    all_refused(&f, INTERVAL_SHORTENED);
    f.m.lost = .0299 * .7 / 1.25;
    f.m.classes = 1;
    find(&f);
    all_given(&f);
    f.m.lost = .0301 * .7 / 1.25;
    find(&f);
    all_refused(&f, INTERVAL_SHORTENED);
}

/* A clip for rows that nobody sees. */
static void test_rare(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.m.clip = 11.9 * f.m.length;
    find(&f);
    all_given(&f);
    f.m.clip = 12.1 * f.m.length;
    find(&f);
    all_refused(&f, INTERVAL_FEW_ROWS);
}

/* Those that lean on the third column, and for their sake the others. */
static void mostly_hidden(const fixture *f)
{
    for (int i = 0; i < SUMS; i++) {
        int leans = i == 2 || i == D;
        assert_true(f->error[i] == 0);
        assert_int_equal(f->refused[i],
                         leans ? INTERVAL_HIDDEN : INTERVAL_FEW_SEEN);
    }
}

/* The third column by itself, at 1.25 times the edge and beyond. */
static void test_hidden(void **state)
{
    (void)state;
    double apart[D * D] = {.40, .10, 0,     .02, .10, .30, 0, .01,
                           0,   0,   .0124, 0,   .02, .01, 0, 1};
    fixture f;
    begin(&f);
    f.m.first = apart;
    find(&f);
    /* the last sum leans on it too, and so there are fewer than two thirds */
    mostly_hidden(&f);
    f.pull[0] = 1; /* whatever else there is */
    find(&f);
    mostly_hidden(&f);
    f.pull[0] = 0;
    static const double what[D * D] = {1, 0, 0, 0, 0, 1, 0, 0,
                                       0, 0, 1, 0, 0, 0, 0, 1};
    errors_found found = {f.error, f.moved, f.refused};
    sotto_error error;
    assert_int_equal(newton_errors(&f.m, what, D, &found, &error), SOTTO_OK);
    for (int j = 0; j < D; j++) {
        assert_int_equal(f.refused[j],
                         j == 2 ? INTERVAL_HIDDEN : INTERVAL_UNMODELLED);
        assert_true((f.error[j] > 0) == (j != 2));
    }
    apart[2 * D + 2] = .0126;
    f.m.first = apart;
    find(&f);
    all_given(&f);
}

/* Rows that go far in one column may decide what leans on it, where sampling is
   no small part. a = to to'c is -.16, 3.82, 1.35, .04 for the second weight. */
static void test_few_rows(void **state)
{
    (void)state;
    static const double far[D] = {40, 1, 1, 1};
    fixture f;
    begin(&f);
    f.m.reach = far;
    find(&f);
    for (int i = 0; i < SUMS; i++) {
        int leans = i == 0 || i == D;
        assert_int_equal(f.refused[i],
                         leans ? INTERVAL_FEW_ROWS : INTERVAL_UNMODELLED);
        assert_true((f.error[i] > 0) == !leans);
    }
    f.m.rows = 40000;
    f.m.lost = 0;
    find(&f);
    all_given(&f);
}

static void test_unknown(void **state)
{
    (void)state;
    static const double endless[D] = {INFINITY, 1, 1, 1};
    fixture f;
    begin(&f);
    f.m.reach = endless;
    find(&f);
    for (int i = 0; i < SUMS; i++)
        assert_int_equal(f.refused[i], INTERVAL_FEW_ROWS);
    begin(&f);
    f.m.square = NAN;
    find(&f);
    all_refused(&f, INTERVAL_HIDDEN);
    begin(&f);
    f.m.sd = 0;
    f.pull[0] = 1e-9;
    find(&f);
    all_refused(&f, INTERVAL_MOVING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_levels_are_not_hidden),
        cmocka_unit_test(test_not_at_rest),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_rare),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
