/*
 * Small symmetric matrices: eigenvalues and vectors, and the minimiser of a
 * model with a penalty.
 */
#include "reading.h"

#include "solver/matrix.h"

static uint64_t seed = 5;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Of rank `rank`, and with columns of very different size. */
static double *some_matrix(int64_t d, int64_t rank)
{
    double *a = mem_zeroed((size_t)(d * d), sizeof *a);
    double *x = mem_zeroed((size_t)d, sizeof *x);
    assert_true(a && x);
    for (int64_t k = 0; k < rank; k++) {
        for (int64_t j = 0; j < d; j++)
            x[j] = (uniform() - .5) * (j % 3 ? 1 : 1e-3);
        for (int64_t i = 0; i < d * d; i++)
            a[i] += x[i / d] * x[i % d];
    }
    mem_free(x);
    return a;
}

static void check_eigen(int64_t d, int64_t rank)
{
    double *a = some_matrix(d, rank), size = 0, worst = 0;
    double *value = mem_zeroed((size_t)d, sizeof *value);
    double *vector = mem_zeroed((size_t)(d * d), sizeof *vector);
    sotto_error error;
    assert_true(value && vector);
    assert_int_equal(matrix_eigen(a, d, value, vector, &error), SOTTO_OK);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double sum = 0, product = 0;
            for (int64_t e = 0; e < d; e++) {
                sum += vector[i * d + e] * value[e] * vector[j * d + e];
                product += vector[e * d + i] * vector[e * d + j];
            }
            worst = fmax(worst, fabs(sum - a[i * d + j]));
            size = fmax(size, fabs(a[i * d + j]));
            assert_true(fabs(product - (i == j)) < 1e-12 * (double)(d + 4));
        }
    assert_true(worst <= 1e-13 * (double)(d + 4) * size);
    mem_free(a);
    mem_free(value);
    mem_free(vector);
}

static void test_eigen(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 40; d++) {
        check_eigen(d, d + 3);
        check_eigen(d, d / 2);
        check_eigen(d, 0);
    }
    check_eigen(150, 100);
    double bad[4] = {1, NAN, NAN, 1}, value[2], vector[4];
    sotto_error error;
    assert_int_equal(matrix_eigen(bad, 2, value, vector, &error), SOTTO_FAILED);
}

/* At the minimum: the gradient is within l1, 0 beside a kink, or pushes
   against the box. */
static void test_model(void **state)
{
    (void)state;
    enum { D = 7 };
    for (int trial = 0; trial < 60; trial++) {
        double *h = some_matrix(D, 20), g[D], from[D], v[D];
        double l1[D], l2[D], low[D], high[D];
        int plain = trial % 3 == 0;
        for (int j = 0; j < D; j++) {
            h[j * D + j] += .1;
            g[j] = uniform() - .5;
            from[j] = uniform() - .5;
            l1[j] = plain ? 0 : .3 * uniform();
            l2[j] = uniform();
            low[j] = trial % 3 == 2 ? -.2 : -INFINITY;
            high[j] = trial % 3 == 2 ? .1 : INFINITY;
        }
        matrix_model m = {D, h, g, l1, l2, low, high};
        sotto_error error;
        assert_int_equal(matrix_minimise(&m, from, v, &error), SOTTO_OK);
        for (int j = 0; j < D; j++) {
            double slope = g[j] + l2[j] * v[j];
            for (int k = 0; k < D; k++)
                slope += h[j * D + k] * (v[k] - from[k]);
            if (v[j] == low[j] || v[j] == high[j])
                assert_true(v[j] == low[j] ? slope > -l1[j] - 1e-6
                                           : slope < l1[j] + 1e-6);
            else if (v[j] == 0)
                assert_true(fabs(slope) <= l1[j] + 1e-6);
            else
                assert_true(fabs(slope + copysign(l1[j], v[j])) < 1e-6);
        }
        mem_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigen),
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
