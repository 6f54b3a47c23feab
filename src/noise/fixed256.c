/*
 * 256-bit fixed point: schoolbook arithmetic and Taylor series. Lemmas W1
 * to W3 of docs/privacy count the units (2^-192) that each step loses.
 */
#include "fixed256.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* Rounded down to the unit. */
static const fixed256 LN2 = {
    {0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab, 0}};
static const fixed256 TWO_PI = {
    {0x48127044533e63a0, 0x2633145c06e0e689, 0x487ed5110b4611a6, 6}};

fixed256 fixed256_integer(uint64_t n)
{
    return (fixed256){{0, 0, 0, n}};
}

fixed256 fixed256_fraction(uint64_t high, uint64_t middle, uint64_t low)
{
    return (fixed256){{low, middle, high, 0}};
}

/* ---- shifts, sums ---- */

/* a 2^n for n < 256; bits beyond the top are lost. */
static fixed256 fixed256_left(fixed256 a, int n)
{
    fixed256 r = {{0}};
    int limbs = n / 64, bits = n % 64;
    for (int i = 3; i >= limbs; i--) {
        r.limb[i] = a.limb[i - limbs] << bits;
        if (bits && i > limbs)
            r.limb[i] |= a.limb[i - limbs - 1] >> (64 - bits);
    }
    return r;
}

/* a 2^-n rounded down, for n < 256. */
static fixed256 fixed256_right(fixed256 a, int n)
{
    fixed256 r = {{0}};
    int limbs = n / 64, bits = n % 64;
    for (int i = 0; i + limbs < 4; i++) {
        r.limb[i] = a.limb[i + limbs] >> bits;
        if (bits && i + limbs < 3)
            r.limb[i] |= a.limb[i + limbs + 1] << (64 - bits);
    }
    return r;
}

fixed256 fixed256_double(double x)
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
    fixed256 r = {{mantissa, 0, 0, 0}};
    if (shift >= 0)
        return fixed256_left(r, shift);
    return shift > -64 ? fixed256_right(r, -shift) : (fixed256){{0}};
}

int fixed256_compare(fixed256 a, fixed256 b)
{
    for (int i = 3; i >= 0; i--)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
}

int fixed256_is_zero(fixed256 a)
{
    return !(a.limb[0] | a.limb[1] | a.limb[2] | a.limb[3]);
}

fixed256 fixed256_add(fixed256 a, fixed256 b)
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

fixed256 fixed256_subtract(fixed256 a, fixed256 b)
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

fixed256 fixed256_multiply(fixed256 a, fixed256 b)
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
    return (fixed256){{p[3], p[4], p[5], p[6]}};
}

fixed256 fixed256_divide_small(fixed256 a, uint64_t n)
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
fixed256 fixed256_ratio(fixed256 a, fixed256 b)
{
    assert(fixed256_compare(a, b) < 0 && !(b.limb[3] >> 63));
    fixed256 q = {{0}};
    for (int bit = 191; bit >= 0; bit--) {
        a = fixed256_left(a, 1);
        if (fixed256_compare(a, b) >= 0) {
            a = fixed256_subtract(a, b);
            q.limb[bit / 64] |= (uint64_t)1 << bit % 64;
        }
    }
    return q;
}

/*
 * The root of the integer a 2^192, digit by digit as on paper: two bits are
 * brought down at a time, and rest <= 2 root holds throughout.
 */
fixed256 fixed256_sqrt(fixed256 a)
{
    fixed256 root = {{0}}, rest = {{0}};
    for (int pair = 223; pair >= 0; pair--) {
        int at = 2 * pair - 192; /* where the two bits are in a */
        uint64_t two = at < 0 ? 0 : a.limb[at / 64] >> at % 64 & 3;
        rest = fixed256_left(rest, 2);
        rest.limb[0] |= two;
        fixed256 next = fixed256_left(root, 2);
        next.limb[0] |= 1;
        root = fixed256_left(root, 1);
        if (fixed256_compare(rest, next) >= 0) {
            rest = fixed256_subtract(rest, next);
            root.limb[0] |= 1;
        }
    }
    return root;
}

/* ---- logarithm ---- */

/* 2 atanh(s) for s <= 0.172: within 84 units (Lemma W1). */
static fixed256 fixed256_atanh2(fixed256 s)
{
    fixed256 square = fixed256_multiply(s, s), sum = {{0}};
    for (uint64_t k = 1; !fixed256_is_zero(s); k += 2) {
        sum = fixed256_add(sum, fixed256_divide_small(s, k));
        s = fixed256_multiply(s, square);
    }
    return fixed256_left(sum, 1);
}

static int fixed256_top_bit(fixed256 x)
{
    for (int i = 3; i >= 0; i--)
        if (x.limb[i])
            return 64 * i + 63 - __builtin_clzll(x.limb[i]);
    return -1;
}

/* x = 2^n f with 1 <= f < 2: ln x = n ln 2 + 2 atanh((f - 1) / (f + 1)), or
   the same for f / 2 and n + 1 when f is above sqrt(2). */
fixed256_signed fixed256_ln(fixed256 x)
{
    assert(!fixed256_is_zero(x));
    int n = fixed256_top_bit(x) - 192;
    fixed256 f = n > 0 ? fixed256_right(x, n) : fixed256_left(x, -n);
    fixed256 one = fixed256_integer(1), two = fixed256_integer(2);
    fixed256 root2 = fixed256_double(1.4142135623730951);
    fixed256_signed rest;
    if (fixed256_compare(f, root2) > 0) {
        n++;
        rest.size =
            fixed256_ratio(fixed256_subtract(two, f), fixed256_add(f, two));
        rest.negative = 1;
    } else {
        rest.size =
            fixed256_ratio(fixed256_subtract(f, one), fixed256_add(f, one));
        rest.negative = 0;
    }
    rest.size = fixed256_atanh2(rest.size);
    uint64_t turns = (uint64_t)(n < 0 ? -n : n);
    fixed256 whole = fixed256_multiply(LN2, fixed256_integer(turns));
    return fixed256_sum((fixed256_signed){whole, n < 0}, rest);
}

/* ---- exponential ---- */

/*
 * x = n ln 2 + r with 0 <= r < 2, as 1.44 ln 2 is a little below 1; then
 * e^-r is the sum of r^k / k! over even k less that over odd k.
 */
fixed256 fixed256_exp_minus(fixed256 x)
{
    if (x.limb[3] >= 134) /* below a unit */
        return (fixed256){{0}};
    uint64_t n = x.limb[3] * 36 / 25;
    fixed256 r =
        fixed256_subtract(x, fixed256_multiply(LN2, fixed256_integer(n)));
    fixed256 sum[2] = {{{0}}, {{0}}}, term = fixed256_integer(1);
    for (uint64_t k = 0; !fixed256_is_zero(term); k++) {
        sum[k % 2] = fixed256_add(sum[k % 2], term);
        term = fixed256_divide_small(fixed256_multiply(term, r), k + 1);
    }
    return fixed256_right(fixed256_subtract(sum[0], sum[1]), (int)n);
}

/* ---- sine and cosine ---- */

/*
 * Sum of (-1)^k t^(2k+odd) / (2k+odd)!, from its first term on: the even and
 * the odd k apart, so that no sign is needed.
 */
static fixed256 fixed256_series(fixed256 term, fixed256 square, uint64_t odd)
{
    fixed256 sum[2] = {{{0}}, {{0}}};
    for (uint64_t k = 0; !fixed256_is_zero(term); k++) {
        sum[k % 2] = fixed256_add(sum[k % 2], term);
        uint64_t next = 2 * k + odd + 1;
        term = fixed256_divide_small(fixed256_multiply(term, square),
                                     next * (next + 1));
    }
    return fixed256_subtract(sum[0], sum[1]);
}

void fixed256_turn(fixed256 v, fixed256_signed *sine, fixed256_signed *cosine)
{
    assert(!v.limb[3]);
    /* v = quarter / 4 + x with |x| <= 1/8 */
    int quarter = (int)(((v.limb[2] >> 61) + 1) >> 1);
    fixed256 near = fixed256_right(fixed256_integer((uint64_t)quarter), 2);
    int below = fixed256_compare(v, near) < 0;
    fixed256 x =
        below ? fixed256_subtract(near, v) : fixed256_subtract(v, near);
    fixed256 angle = fixed256_multiply(TWO_PI, x);
    fixed256 square = fixed256_multiply(angle, angle);
    fixed256_signed s = {fixed256_series(angle, square, 1), below};
    fixed256_signed c = {fixed256_series(fixed256_integer(1), square, 0), 0};
    /* sin(a + 90) = cos a, cos(a + 90) = - sin a; twice both change sign */
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? s : c;
    cosine->negative ^= quarter & 1;
    sine->negative ^= quarter >> 1 & 1;
    cosine->negative ^= quarter >> 1 & 1;
}

/* ---- signs ---- */

fixed256_signed fixed256_sum(fixed256_signed a, fixed256_signed b)
{
    if (a.negative == b.negative)
        return (fixed256_signed){fixed256_add(a.size, b.size), a.negative};
    if (fixed256_compare(a.size, b.size) >= 0)
        return (fixed256_signed){fixed256_subtract(a.size, b.size), a.negative};
    return (fixed256_signed){fixed256_subtract(b.size, a.size), b.negative};
}

int fixed256_signed_compare(fixed256_signed a, fixed256_signed b)
{
    a.negative &= !fixed256_is_zero(a.size);
    b.negative &= !fixed256_is_zero(b.size);
    if (a.negative != b.negative)
        return a.negative ? -1 : 1;
    int order = fixed256_compare(a.size, b.size);
    return a.negative ? -order : order;
}
