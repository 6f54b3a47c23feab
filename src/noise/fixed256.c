/*
 * 256-bit fixed point: schoolbook arithmetic and Taylor series. Lemmas W1
 * to W3 of docs/privacy.md count the units (2^-192) that each step loses.
 */
#include "fixed256.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* Rounded down to the unit. */
static const wide LN2 = {
    {0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab, 0}};
static const wide TWO_PI = {
    {0x48127044533e63a0, 0x2633145c06e0e689, 0x487ed5110b4611a6, 6}};

wide wide_integer(uint64_t n)
{
    return (wide){{0, 0, 0, n}};
}

wide wide_fraction(uint64_t high, uint64_t middle, uint64_t low)
{
    return (wide){{low, middle, high, 0}};
}

/* ---- shifts, sums ---- */

/* a 2^n for n < 256; bits beyond the top are lost. */
static wide wide_left(wide a, int n)
{
    wide r = {{0}};
    int limbs = n / 64, bits = n % 64;
    for (int i = 3; i >= limbs; i--) {
        r.limb[i] = a.limb[i - limbs] << bits;
        if (bits && i > limbs)
            r.limb[i] |= a.limb[i - limbs - 1] >> (64 - bits);
    }
    return r;
}

/* a 2^-n rounded down, for n < 256. */
static wide wide_right(wide a, int n)
{
    wide r = {{0}};
    int limbs = n / 64, bits = n % 64;
    for (int i = 0; i + limbs < 4; i++) {
        r.limb[i] = a.limb[i + limbs] >> bits;
        if (bits && i + limbs < 3)
            r.limb[i] |= a.limb[i + limbs + 1] << (64 - bits);
    }
    return r;
}

wide wide_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52); /* the sign is 0 */
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    assert(exponent < 1023 + 64);
    if (exponent)
        mantissa |= (uint64_t)1 << 52;
    else
        exponent = 1;
    /* x = mantissa 2^(exponent - 1075), so in units: */
    int shift = exponent - 1075 + 192;
    wide r = {{mantissa, 0, 0, 0}};
    if (shift >= 0)
        return wide_left(r, shift);
    return shift > -64 ? wide_right(r, -shift) : (wide){{0}};
}

int wide_compare(wide a, wide b)
{
    for (int i = 3; i >= 0; i--)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
}

int wide_is_zero(wide a)
{
    return !(a.limb[0] | a.limb[1] | a.limb[2] | a.limb[3]);
}

wide wide_add(wide a, wide b)
{
    uint128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (uint128)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    assert(!carry);
    return a;
}

wide wide_subtract(wide a, wide b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        uint128 less = (uint128)b.limb[i] + borrow;
        borrow = a.limb[i] < less;
        a.limb[i] -= (uint64_t)less;
    }
    assert(!borrow);
    return a;
}

/* ---- products, quotients, roots ---- */

wide wide_multiply(wide a, wide b)
{
    uint64_t p[8] = {0};
    for (int i = 0; i < 4; i++) {
        uint128 carry = 0;
        for (int j = 0; j < 4; j++) {
            carry += (uint128)a.limb[i] * b.limb[j] + p[i + j];
            p[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        p[i + 4] = (uint64_t)carry;
    }
    assert(!p[7]);
    return (wide){{p[3], p[4], p[5], p[6]}};
}

wide wide_divide_small(wide a, uint64_t n)
{
    uint128 rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = rest << 64 | a.limb[i];
        a.limb[i] = (uint64_t)(rest / n);
        rest %= n;
    }
    return a;
}

/* Long division, a bit at a time: 192 of them after the point. */
wide wide_ratio(wide a, wide b)
{
    assert(wide_compare(a, b) < 0 && !(b.limb[3] >> 63));
    wide q = {{0}};
    for (int bit = 191; bit >= 0; bit--) {
        a = wide_left(a, 1);
        if (wide_compare(a, b) >= 0) {
            a = wide_subtract(a, b);
            q.limb[bit / 64] |= (uint64_t)1 << bit % 64;
        }
    }
    return q;
}

/*
 * The root of the integer a 2^192, digit by digit as on paper: two bits are
 * brought down at a time, and rest <= 2 root holds throughout.
 */
wide wide_sqrt(wide a)
{
    wide root = {{0}}, rest = {{0}};
    for (int pair = 223; pair >= 0; pair--) {
        int at = 2 * pair - 192; /* where the two bits are in a */
        uint64_t two = at < 0 ? 0 : a.limb[at / 64] >> at % 64 & 3;
        rest = wide_left(rest, 2);
        rest.limb[0] |= two;
        wide next = wide_left(root, 2);
        next.limb[0] |= 1;
        root = wide_left(root, 1);
        if (wide_compare(rest, next) >= 0) {
            rest = wide_subtract(rest, next);
            root.limb[0] |= 1;
        }
    }
    return root;
}

/* ---- logarithm ---- */

/* 2 atanh(s) for s <= 0.172: within 84 units (Lemma W1). */
static wide wide_atanh2(wide s)
{
    wide square = wide_multiply(s, s), sum = {{0}};
    for (uint64_t k = 1; !wide_is_zero(s); k += 2) {
        sum = wide_add(sum, wide_divide_small(s, k));
        s = wide_multiply(s, square);
    }
    return wide_left(sum, 1);
}

static int wide_top_bit(wide x)
{
    for (int i = 3; i >= 0; i--)
        if (x.limb[i])
            return 64 * i + 63 - __builtin_clzll(x.limb[i]);
    return -1;
}

/* x = 2^n f with 1 <= f < 2: ln x = n ln 2 + 2 atanh((f - 1) / (f + 1)), or
   the same for f / 2 and n + 1 when f is above sqrt(2). */
wide_signed wide_ln(wide x)
{
    assert(!wide_is_zero(x));
    int n = wide_top_bit(x) - 192;
    wide f = n > 0 ? wide_right(x, n) : wide_left(x, -n);
    wide one = wide_integer(1), two = wide_integer(2);
    wide root2 = wide_double(1.4142135623730951);
    wide_signed rest;
    if (wide_compare(f, root2) > 0) {
        n++;
        rest.size = wide_ratio(wide_subtract(two, f), wide_add(f, two));
        rest.negative = 1;
    } else {
        rest.size = wide_ratio(wide_subtract(f, one), wide_add(f, one));
        rest.negative = 0;
    }
    rest.size = wide_atanh2(rest.size);
    uint64_t turns = (uint64_t)(n < 0 ? -n : n);
    wide whole = wide_multiply(LN2, wide_integer(turns));
    return wide_sum((wide_signed){whole, n < 0}, rest);
}

/* ---- exponential ---- */

/*
 * x = n ln 2 + r with 0 <= r < 2, as 1.44 ln 2 is a little below 1; then
 * e^-r is the sum of r^k / k! over even k less that over odd k.
 */
wide wide_exp_minus(wide x)
{
    if (x.limb[3] >= 134) /* below a unit */
        return (wide){{0}};
    uint64_t n = x.limb[3] * 36 / 25;
    wide r = wide_subtract(x, wide_multiply(LN2, wide_integer(n)));
    wide sum[2] = {{{0}}, {{0}}}, term = wide_integer(1);
    for (uint64_t k = 0; !wide_is_zero(term); k++) {
        sum[k % 2] = wide_add(sum[k % 2], term);
        term = wide_divide_small(wide_multiply(term, r), k + 1);
    }
    return wide_right(wide_subtract(sum[0], sum[1]), (int)n);
}

/* ---- sine and cosine ---- */

/*
 * Sum of (-1)^k t^(2k+odd) / (2k+odd)!, from its first term on: the even and
 * the odd k apart, so that no sign is needed.
 */
static wide wide_series(wide term, wide square, uint64_t odd)
{
    wide sum[2] = {{{0}}, {{0}}};
    for (uint64_t k = 0; !wide_is_zero(term); k++) {
        sum[k % 2] = wide_add(sum[k % 2], term);
        uint64_t next = 2 * k + odd + 1;
        term =
            wide_divide_small(wide_multiply(term, square), next * (next + 1));
    }
    return wide_subtract(sum[0], sum[1]);
}

void wide_turn(wide v, wide_signed *sine, wide_signed *cosine)
{
    assert(!v.limb[3]);
    /* v = quarter / 4 + x with |x| <= 1/8 */
    int quarter = (int)(((v.limb[2] >> 61) + 1) >> 1);
    wide near = wide_right(wide_integer((uint64_t)quarter), 2);
    int below = wide_compare(v, near) < 0;
    wide x = below ? wide_subtract(near, v) : wide_subtract(v, near);
    wide angle = wide_multiply(TWO_PI, x);
    wide square = wide_multiply(angle, angle);
    wide_signed s = {wide_series(angle, square, 1), below};
    wide_signed c = {wide_series(wide_integer(1), square, 0), 0};
    /* sin(a + 90) = cos a, cos(a + 90) = - sin a; twice both change sign */
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? s : c;
    cosine->negative ^= quarter & 1;
    sine->negative ^= quarter >> 1 & 1;
    cosine->negative ^= quarter >> 1 & 1;
}

/* ---- signs ---- */

wide_signed wide_sum(wide_signed a, wide_signed b)
{
    if (a.negative == b.negative)
        return (wide_signed){wide_add(a.size, b.size), a.negative};
    if (wide_compare(a.size, b.size) >= 0)
        return (wide_signed){wide_subtract(a.size, b.size), a.negative};
    return (wide_signed){wide_subtract(b.size, a.size), b.negative};
}

int wide_signed_compare(wide_signed a, wide_signed b)
{
    a.negative &= !wide_is_zero(a.size);
    b.negative &= !wide_is_zero(b.size);
    if (a.negative != b.negative)
        return a.negative ? -1 : 1;
    int order = wide_compare(a.size, b.size);
    return a.negative ? -order : order;
}
