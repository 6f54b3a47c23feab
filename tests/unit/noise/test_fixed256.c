/*
 * Wide arithmetic against MPFR, on random and on extreme arguments: exact
 * or rounded down where that is promised, within the proven bound elsewhere.
 * The bounds in units (2^-192) are those of Lemmas W1 to W3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mpfr_t x, y, want, got;

/* A number of up to `bits` bits, any length, long runs of ones or zeros. */
static fixed256 any(int bits)
{
    fixed256 r;
    for (int i = 0; i < 4; i++)
        r.limb[i] = oracle_random() & 1 ? oracle_random() : oracle_extreme();
    int drop = 256 - bits + (int)(oracle_random() % (unsigned)bits);
    for (; drop >= 64; drop -= 64) {
        memmove(r.limb, r.limb + 1, 3 * sizeof r.limb[0]);
        r.limb[3] = 0;
    }
    for (int i = 0; drop && i < 4; i++)
        r.limb[i] =
            r.limb[i] >> drop | (i < 3 ? r.limb[i + 1] << (64 - drop) : 0);
    return r;
}

/* want, in units, rounded down, must be what is got. */
static void assert_floor(fixed256 result)
{
    oracle_fixed256(got, result);
    mpfr_mul_2si(want, want, 192, MPFR_RNDN);
    mpfr_floor(want, want);
    mpfr_mul_2si(got, got, 192, MPFR_RNDN);
    assert_true(mpfr_equal_p(want, got));
}

static void test_sums(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        fixed256 a = any(255), b = any(255);
        oracle_fixed256(x, a);
        oracle_fixed256(y, b);
        mpfr_add(want, x, y, MPFR_RNDN);
        assert_floor(fixed256_add(a, b));
        int order = mpfr_cmp(x, y);
        assert_int_equal(fixed256_compare(a, b), (order > 0) - (order < 0));
        mpfr_sub(want, x, y, MPFR_RNDN);
        mpfr_abs(want, want, MPFR_RNDN);
        assert_floor(order < 0 ? fixed256_subtract(b, a)
                               : fixed256_subtract(a, b));
        fixed256_signed s = {a, i & 1}, t = {b, i >> 1 & 1};
        oracle_signed(x, s);
        oracle_signed(y, t);
        order = mpfr_cmp(x, y);
        assert_int_equal(fixed256_signed_compare(s, t),
                         (order > 0) - (order < 0));
        mpfr_add(want, x, y, MPFR_RNDN);
        oracle_signed(got, fixed256_sum(s, t));
        assert_true(mpfr_equal_p(want, got));
    }
}

static void test_products(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        fixed256 a = any(224), b = any(224);
        oracle_fixed256(x, a);
        oracle_fixed256(y, b);
        mpfr_mul(want, x, y, MPFR_RNDN);
        assert_floor(fixed256_multiply(a, b));
        uint64_t n = oracle_extreme() | 1;
        mpfr_set_prec(want, 1000);
        mpfr_set_uj(y, n, MPFR_RNDN);
        mpfr_div(want, x, y, MPFR_RNDD);
        assert_floor(fixed256_divide_small(a, n));
        mpfr_set_prec(want, ORACLE_BITS);
    }
}

static void test_ratios(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        fixed256 a = any(255), b = any(255);
        if (fixed256_compare(a, b) == 0)
            continue;
        if (fixed256_compare(a, b) > 0) {
            fixed256 c = a;
            a = b;
            b = c;
        }
        mpfr_set_prec(want, 1000);
        oracle_fixed256(x, a);
        oracle_fixed256(y, b);
        mpfr_div(want, x, y, MPFR_RNDD);
        assert_floor(fixed256_ratio(a, b));
        mpfr_set_prec(want, ORACLE_BITS);
    }
}

static void test_roots(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        fixed256 a = i < 256 ? (fixed256){{0}} : any(256);
        if (i < 256) /* powers of two: exact or nearly */
            a.limb[i / 64] = (uint64_t)1 << i % 64;
        oracle_fixed256(x, a);
        mpfr_sqrt(want, x, MPFR_RNDD);
        assert_floor(fixed256_sqrt(a));
    }
    for (uint64_t n = 0; n < 1000; n++) /* squares and their neighbours */
        assert_int_equal(fixed256_sqrt(fixed256_integer(n * n)).limb[3], n);
    assert_true(fixed256_is_zero(fixed256_sqrt((fixed256){{0}})));
}

static void test_doubles(void **state)
{
    (void)state;
    const double special[] = {0,
                              1,
                              0x1p-192,
                              0x1.8p-192,
                              0x1p-193,
                              5e-324,
                              1e-310,
                              0x1.fffffffffffffp63,
                              0x1p40,
                              0x1p-139,
                              0x1.fffffffffffffp-140};
    for (int i = 0; i < 5000; i++) {
        double d = i < 11 ? special[i]
                          : ldexp((double)(oracle_random() >> 11),
                                  (int)(oracle_random() % 260) - 250);
        if (d >= 0x1p64)
            continue;
        mpfr_set_d(want, d, MPFR_RNDN);
        assert_floor(fixed256_double(d));
    }
}

/* Arguments that meet each branch: near 1, near sqrt(2), tiny, large. */
static fixed256 argument(int i)
{
    fixed256 a = any(200);
    if (i % 8 == 1) { /* just below 1 */
        fixed256 one = fixed256_integer(1), small = any(192);
        a = fixed256_subtract(one, small);
    } else if (i % 8 == 2) {
        a = fixed256_add(fixed256_integer(1), any(150));
    } else if (i % 8 == 3) { /* around sqrt(2), over powers of two */
        a = fixed256_double(ldexp(1.4142135623730951, -(i % 190)));
        a.limb[0] ^= oracle_random() & 7;
    } else if (i < 256) {
        a = (fixed256){{0}};
        a.limb[i / 64] = (uint64_t)1 << i % 64;
    }
    if (fixed256_is_zero(a))
        a.limb[0] = 1;
    return a;
}

static void test_ln(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 40000; i++) {
        fixed256 a = argument(i);
        oracle_fixed256(x, a);
        mpfr_log(want, x, MPFR_RNDN);
        oracle_signed(got, fixed256_ln(a));
        worst = fmax(worst, oracle_distance(want, got, -192));
    }
    print_message("ln: at most %.1f units, proven 281\n", worst);
    assert_true(worst <= 281);
    assert_true(worst >= 1); /* else the comparison sees nothing */
}

/* Over all of its range; around integers, where the reduction jumps; beyond
   what a unit can hold. */
static void test_exp(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 40000; i++) {
        fixed256 a = any(200);
        if (i % 4 == 1)
            a.limb[3] = oracle_random() % 140;
        else if (i % 4 == 2)
            a = fixed256_integer(oracle_random() % 140);
        else if (i % 4 == 3)
            a = (fixed256){{oracle_extreme(), ~(uint64_t)0, ~(uint64_t)0,
                            oracle_random() % 140}};
        oracle_fixed256(x, a);
        mpfr_neg(x, x, MPFR_RNDN);
        mpfr_exp(want, x, MPFR_RNDN);
        oracle_fixed256(got, fixed256_exp_minus(a));
        worst = fmax(worst, oracle_distance(want, got, -192));
    }
    print_message("exp: at most %.1f units, proven 280\n", worst);
    assert_true(worst <= 280);
    assert_true(worst >= 1);
    fixed256 one = fixed256_exp_minus(fixed256_integer(0));
    assert_int_equal(fixed256_compare(one, fixed256_integer(1)), 0);
    assert_true(
        fixed256_is_zero(fixed256_exp_minus(fixed256_integer(UINT64_MAX))));
}

static void test_turn(void **state)
{
    (void)state;
    double worst = 0;
    mpfr_t pi2;
    mpfr_init2(pi2, ORACLE_BITS);
    mpfr_const_pi(pi2, MPFR_RNDN);
    mpfr_mul_2ui(pi2, pi2, 1, MPFR_RNDN);
    for (int i = 0; i < 40000; i++) {
        fixed256 v = any(192);
        v.limb[3] = 0;
        if (i % 4 == 1) { /* around the eighths */
            uint64_t eighth = (uint64_t)(i / 4 % 8) << 61;
            v = fixed256_fraction(eighth, 0, 0);
            v.limb[i % 3] ^= oracle_random() & 3;
        } else if (i % 4 == 2) { /* just below one of them */
            uint64_t eighth = ((uint64_t)(i / 4 % 8) + 1) << 61;
            v = fixed256_fraction(eighth - 1, UINT64_MAX, oracle_extreme());
        }
        fixed256_signed s, c;
        fixed256_turn(v, &s, &c);
        oracle_fixed256(x, v);
        mpfr_mul(x, x, pi2, MPFR_RNDN);
        mpfr_sin_cos(want, y, x, MPFR_RNDN);
        oracle_signed(got, s);
        worst = fmax(worst, oracle_distance(want, got, -192));
        oracle_signed(got, c);
        worst = fmax(worst, oracle_distance(y, got, -192));
    }
    print_message("sin, cos: at most %.1f units, proven 80\n", worst);
    assert_true(worst <= 80);
    assert_true(worst >= 1);
    mpfr_clear(pi2);
}

int main(void)
{
    mpfr_inits2(ORACLE_BITS, x, y, want, got, (mpfr_ptr)0);
    mpfr_set_prec(want, ORACLE_BITS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),    cmocka_unit_test(test_products),
        cmocka_unit_test(test_ratios),  cmocka_unit_test(test_roots),
        cmocka_unit_test(test_doubles), cmocka_unit_test(test_ln),
        cmocka_unit_test(test_turn),    cmocka_unit_test(test_exp),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clears(x, y, want, got, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
