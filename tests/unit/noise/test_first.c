/*
 * The first stage of the samplers, in doubles, against MPFR. The given bits
 * leave an interval of ideal values open: both its ends are within the bounds
 * of Lemmas F1 to F5, for random and extreme bits and in every rounding mode. e
 * is 2^-52.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "noise/first.h"
#include "oracle.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

enum { DRAWS = 10000 };
static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                            FE_TOWARDZERO};
static mpfr_t x, want, got;

/* First words at which a case changes, then extreme ones, then random ones. */
static uint64_t word(int i)
{
    const uint64_t root = 0xb504f333f9de6484; /* sqrt(1/2) 2^64 */
    const uint64_t edge[] = {1,
                             2,
                             3,
                             root,
                             FIRST_SMALL,
                             ~FIRST_SMALL,
                             (uint64_t)1 << 63,
                             UINT64_MAX - 2};
    if (i < 8 * 8)
        return edge[i / 8] + (uint64_t)(i % 8) - (i >= 24 ? 4 : 0);
    if (i < 64 * 64)
        return ((uint64_t)1 << i / 64) + (uint64_t)(i % 64) - 32;
    return i % 2 ? oracle_extreme() : oracle_random();
}

/* The largest |got - want| over allowed, both ends of the open bits. */
static void judge(double value, double allowed, double *worst)
{
    mpfr_set_d(got, value, MPFR_RNDN);
    *worst = fmax(*worst, oracle_distance(want, got, 0) / allowed);
}

/* -ln(u 2^-64) for u + more, which may be 2^64. */
static void ideal_exponential(uint64_t u, uint64_t more)
{
    mpfr_set_uj(x, u, MPFR_RNDN);
    mpfr_add_ui(x, x, more, MPFR_RNDN);
    mpfr_mul_2si(x, x, -64, MPFR_RNDN);
    mpfr_log(want, x, MPFR_RNDN);
    mpfr_neg(want, want, MPFR_RNDN);
}

static void test_exponential(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        double worst = 0, own = 0;
        for (int i = 0; i < DRAWS; i++) {
            uint64_t u = word(i);
            int open = i % 3;
            u = u >> open << open;
            if (!u)
                continue;
            fesetround(modes[m]);
            first_value e = first_exponential(u, open);
            fesetround(FE_TONEAREST);
            assert_true(e.value > 0);
            double allowed = e.loose + 10 * 0x1p-52 * e.value;
            ideal_exponential(u, 0);
            judge(e.value, allowed, &worst);
            ideal_exponential(u, (uint64_t)1 << open);
            judge(e.value, allowed, &worst);
            if (u << 53 == 0) { /* nothing was cut: the arithmetic alone */
                ideal_exponential(u, 0);
                judge(e.value, 0x1p-52 * e.value, &own);
            }
        }
        print_message("E: %.2f of the bound; arithmetic %.2f e, proven 10\n",
                      worst, own);
        assert_true(worst <= 1 && own <= 10 && own > .1);
    }
}

static void test_exponential_small(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        double worst = 0;
        for (int i = 0; i < DRAWS; i++) {
            uint64_t v = word(i);
            if (!v || v == UINT64_MAX)
                continue;
            fesetround(modes[m]);
            first_value e = first_exponential_small(v);
            double key = -first_ln(e.value);
            fesetround(FE_TONEAREST);
            double allowed = 2 * e.loose + 0x1p-52 * (10.1 + 10 * fabs(key));
            for (uint64_t more = 0; more < 2; more++) {
                ideal_exponential(~v + 1 - more, 0); /* 1 - V */
                mpfr_log(want, want, MPFR_RNDN);
                mpfr_neg(want, want, MPFR_RNDN);
                judge(key, allowed, &worst);
            }
        }
        print_message("-ln E: %.2f of the bound\n", worst);
        assert_true(worst <= 1 && worst > .05);
    }
}

static void test_ln(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        double worst = 0;
        for (int i = 0; i < DRAWS; i++) {
            double a = ldexp((double)(word(i) >> 11 | (uint64_t)1 << 52),
                             (int)(oracle_random() % 140) - 120);
            if (i % 3 == 0)
                a = 1 + (i % 2 ? 1 : -.5) * ldexp(1, -(i % 52));
            if (i % 3 == 1)
                a = first_from_bits(0x3ff6a09e667f3bc8 + oracle_random() % 16);
            fesetround(modes[m]);
            double ln = first_ln(a);
            fesetround(FE_TONEAREST);
            mpfr_set_d(x, a, MPFR_RNDN);
            mpfr_log(want, x, MPFR_RNDN);
            if (a == 1)
                assert_true(ln == 0);
            else
                judge(ln, 0x1p-52 * fabs(ln), &worst);
        }
        print_message("ln: %.2f e, proven 10\n", worst);
        assert_true(worst <= 10 && worst > .1);
    }
}

/* Around each eighth of a turn, where the reduction changes. */
static uint64_t angle(int i)
{
    return i < 8 * 64 ? ((uint64_t)(i / 64) << 61) + (uint64_t)(i % 64) - 32
                      : word(i);
}

static void test_turn(void **state)
{
    (void)state;
    mpfr_t pi2, other;
    mpfr_inits2(ORACLE_BITS, pi2, other, (mpfr_ptr)0);
    mpfr_const_pi(pi2, MPFR_RNDN);
    mpfr_mul_2ui(pi2, pi2, 1, MPFR_RNDN);
    for (int m = 0; m < 4; m++) {
        double worst = 0;
        for (int i = 0; i < DRAWS; i++) {
            uint64_t v = angle(i);
            double s, c;
            fesetround(modes[m]);
            first_turn(v, &s, &c);
            fesetround(FE_TONEAREST);
            for (unsigned more = 0; more < 2; more++) {
                mpfr_set_uj(x, v, MPFR_RNDN);
                mpfr_add_ui(x, x, more, MPFR_RNDN);
                mpfr_mul_2si(x, x, -64, MPFR_RNDN);
                mpfr_mul(x, x, pi2, MPFR_RNDN);
                mpfr_sin_cos(want, other, x, MPFR_RNDN);
                judge(s, 0x1p-52, &worst);
                mpfr_swap(want, other);
                judge(c, 0x1p-52, &worst);
            }
        }
        print_message("sin, cos: %.2f e, proven 4\n", worst);
        assert_true(worst <= 4 && worst > .1);
    }
    mpfr_clears(pi2, other, (mpfr_ptr)0);
}

int main(void)
{
    mpfr_inits2(ORACLE_BITS, x, want, got, (mpfr_ptr)0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_exponential_small),
        cmocka_unit_test(test_ln),
        cmocka_unit_test(test_turn),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clears(x, want, got, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
