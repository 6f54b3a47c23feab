/*
 * Steps in directions that cannot be seen: where they are too short they go
 * on, noise does not, and directions that are seen are left alone.
 */
#include "reading.h"

#include "solver/newton.h"

#include <string.h>

enum { D = 3 };

static uint64_t seed = 5;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static double normal(void)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += uniform();
    return sum;
}

/* A frame that is turned in its first two coordinates; two are hidden. */
static const double vector[D * D] = {.6, -.8, 0, .8, .6, 0, 0, 0, 1};
static const double value[D] = {4, .01, .01};

typedef struct fixture {
    momentum push;
    double hidden[D], velocity[D], step[D], from[D];
} fixture;

static void begin(fixture *f, int hidden)
{
    *f = (fixture){.hidden = {0, hidden, hidden}};
    f->push = (momentum){.d = D,
                         .curvature = .25,
                         .vector = vector,
                         .value = value,
                         .hidden = f->hidden,
                         .velocity = f->velocity,
                         .step = f->step,
                         .from = f->from};
}

/* In coordinates where a step is the gradient: v goes by -rate (u - best) and
   noise in each of them, and then on. */
static void round_of(fixture *f, double *v, const double *rate, double best,
                     double sd)
{
    double u[D], to[D] = {0};
    for (int e = 0; e < D; e++) {
        double unit = sqrt(.25 * value[e]);
        u[e] = 0;
        for (int j = 0; j < D; j++)
            u[e] += vector[j * D + e] * v[j] * unit;
        u[e] += -rate[e] * (u[e] - best) + sd * normal();
        for (int j = 0; j < D; j++)
            to[j] += vector[j * D + e] * u[e] / unit;
    }
    memcpy(v, to, sizeof to);
    momentum_step(&f->push, v, sd);
}

/* How far the direction e is from its best, 1, after so many rounds. */
static double left(int hidden, const double *rate, double sd, int rounds, int e)
{
    fixture f;
    double v[D] = {0}, u = 0;
    begin(&f, hidden);
    for (int t = 0; t < rounds; t++)
        round_of(&f, v, rate, 1, sd);
    for (int j = 0; j < D; j++)
        u += vector[j * D + e] * v[j] * sqrt(.25 * value[e]);
    return fabs(u - 1);
}

static void test_slow_directions_arrive(void **state)
{
    (void)state;
    const double rate[D] = {1, .02, .02};
    assert_true(left(0, rate, 1e-4, 36, 1) > .45);
    for (int e = 1; e < D; e++)
        assert_true(left(1, rate, 1e-4, 36, e) < .25);
    assert_true(left(1, rate, 1e-4, 36, 0) < 1e-3);
}

/* Steps that are as long as they may be, and up to 1.9 times too long, still
   come to rest. */
static void test_long_steps_stay_stable(void **state)
{
    (void)state;
    for (double too = .5; too <= 1.9; too += .1) {
        const double rate[D] = {1, too, .3};
        for (int e = 1; e < D; e++)
            assert_true(left(1, rate, 1e-4, 60, e) < .05);
    }
}

/* Noise alone is never taken for a way: nothing is added to it. */
static void test_noise_does_not_go_on(void **state)
{
    (void)state;
    const double rate[D] = {1, 0, 0};
    int moved = 0;
    for (int trial = 0; trial < 200; trial++) {
        fixture f;
        double v[D] = {0};
        begin(&f, 1);
        for (int t = 0; t < 40; t++) {
            double before[D];
            memcpy(before, v, sizeof v);
            round_of(&f, v, rate, 1, .1);
            for (int e = 1; e < D; e++) {
                double u = 0;
                for (int j = 0; j < D; j++)
                    u += vector[j * D + e] * (v[j] - before[j]);
                moved +=
                    fabs(u * sqrt(.25 * value[e]) - f.step[e]) > 1e-9 && t >= 8;
            }
        }
    }
    assert_true(moved < 80); /* of 12800 */
}

/* When the model is made steeper, the velocity is lost. */
static void test_stop(void **state)
{
    (void)state;
    const double rate[D] = {1, .02, .02};
    fixture f;
    double v[D] = {0}, speed = 0;
    begin(&f, 1);
    for (int t = 0; t < 20; t++)
        round_of(&f, v, rate, 1, 1e-4);
    for (int e = 0; e < D; e++)
        speed += fabs(f.velocity[e]);
    assert_true(speed > 1e-3 && f.push.variance > 0);
    momentum_stop(&f.push);
    for (int e = 0; e < D; e++)
        assert_true(f.velocity[e] == 0);
    assert_true(f.push.variance == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_directions_arrive),
        cmocka_unit_test(test_long_steps_stay_stable),
        cmocka_unit_test(test_noise_does_not_go_on),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
