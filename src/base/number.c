/*
 * The numbers number_parse() does not take inline: many digits, an exponent,
 * a plus sign, no digit before the point, the words for missing values.
 *
 * Up to 19 significant digits fit a 64-bit mantissa and the algorithm of Eisel
 * and Lemire rounds mantissa times power of ten (Lemire, "Number parsing at a
 * gigabyte per second", Software: Practice and Experience 51(8), 2021). Of a
 * longer number it rounds the first 19 digits w and also w + 1: the number lies
 * between, so where both agree that is the result. Otherwise the number is
 * compared, as an exact integer, with the one point where rounding changes.
 * There is no locale, no allocation and no state.
 */
#include "number.h"

#include "pow5_table.h"

__extension__ typedef unsigned __int128 number_u128;

/* The bits of a double, sign left out, count up with its value. */
#define NUMBER_INFINITY (UINT64_C(0x7FF) << 52)

#define NUMBER_MANTISSA_DIGITS 19

typedef struct {
    const char *first; /* The first digit or the point. */
    const char *end;   /* Just past the last digit or the point. */
    uint64_t mantissa; /* All digits, or the first 19 significant ones. */
    int64_t exponent;  /* The power of ten that goes with the mantissa. */
    int64_t dropped;   /* Digits that are not in the mantissa. */
} number_decimal;

/* Appends the digits at p to the mantissa, modulo 2^64; returns their end. */
static const char *number_append(const char *p, uint64_t *mantissa)
{
    static const uint64_t scale[8] = {1,     10,     100,     1000,
                                      10000, 100000, 1000000, 10000000};
    uint64_t word = number_load(p), stops = number_stops(word);
    for (; stops == 0; stops = number_stops(word)) {
        const uint64_t digits = number_join(word - NUMBER_BYTES('0'));
        *mantissa = *mantissa * 100000000 + digits;
        word = number_load(p += 8);
    }
    const unsigned count = number_count(stops);
    /* The digits move to the last places, zeros come before them. */
    const uint64_t last = (word - NUMBER_BYTES('0')) << 8 * (7 - count) << 8;
    *mantissa = *mantissa * scale[count] + number_join(last);
    return p + count;
}

/*
 * Reads the exponent, if one starts at *p, and moves *p past it. It stops
 * growing where no mantissa that fits in memory could bring it back.
 */
static int64_t number_exponent(const char **p)
{
    const int64_t enough = INT64_C(100000000000000000);
    const char *q = *p;
    if ((*q | 0x20) != 'e')
        return 0;
    q++;
    const bool negative = *q == '-';
    if (*q == '-' || *q == '+')
        q++;
    if (!number_is_digit(*q))
        return 0;
    int64_t exponent = 0;
    for (; number_is_digit(*q); q++) {
        if (exponent < enough)
            exponent = exponent * 10 + (*q - '0');
    }
    *p = q;
    return negative ? -exponent : exponent;
}

/* Takes the next digit of a mantissa, wherever the point is. */
static unsigned number_take(const char **p)
{
    if (**p == '.')
        ++*p;
    return (unsigned char)*(*p)++ - (unsigned)'0';
}

/*
 * Makes the mantissa the first 19 significant digits if there are more. The
 * number must have that many digits, and `point` is its point or its end.
 */
static void number_truncate(number_decimal *d, const char *point)
{
    const char *p = d->first;
    while (p < d->end && (*p == '0' || *p == '.'))
        p++;
    const int64_t significant = d->end - p - (p < point && point < d->end);
    if (significant <= NUMBER_MANTISSA_DIGITS)
        return;
    d->first = p;
    d->dropped = significant - NUMBER_MANTISSA_DIGITS;
    d->exponent += d->dropped;
    d->mantissa = 0;
    for (int i = 0; i < NUMBER_MANTISSA_DIGITS; i++)
        d->mantissa = d->mantissa * 10 + number_take(&p);
}

/* Reads an unsigned decimal and moves *p past it; false if there is none. */
static bool number_scan(const char **p, number_decimal *d)
{
    d->first = *p;
    d->mantissa = 0;
    d->dropped = 0;
    const char *const point = number_append(*p, &d->mantissa);
    d->end = point;
    int64_t decimals = 0;
    if (*point == '.') {
        d->end = number_append(point + 1, &d->mantissa);
        decimals = d->end - (point + 1);
    }
    const int64_t digits = point - d->first + decimals;
    if (digits == 0)
        return false;
    *p = d->end;
    d->exponent = number_exponent(p) - decimals;
    if (digits > NUMBER_MANTISSA_DIGITS)
        number_truncate(d, point);
    return true;
}

/* Drops the last bit of a mantissa and rounds; a tie goes up. */
static uint64_t number_round(uint64_t mantissa)
{
    return (mantissa + (mantissa & 1)) >> 1;
}

/*
 * The bits of the double nearest to w 10^q, by the paper's algorithm. `high`
 * and `low` are the first 128 bits of w 5^q. make_pow5.py shows that the error
 * of a table row never reaches the bits that are rounded here, so the paper's
 * test for that is left out.
 *
 * A tie has 54 significant bits. There are none for q > 23, as 5^24 > 2^54, nor
 * for q < -4, as w would be at least 2^53 5^5 > 2^64, nor among subnormals,
 * where q < -300 and w would be a multiple of 5^300.
 */
static uint64_t number_nearest(uint64_t w, int64_t q)
{
    if (w == 0 || q < NUMBER_POW5_FIRST)
        return 0;
    if (q > NUMBER_POW5_LAST)
        return NUMBER_INFINITY;
    const uint64_t *const power = number_pow5[q - NUMBER_POW5_FIRST];
    const int zeros = __builtin_clzll(w);
    w <<= zeros;
    const number_u128 product =
        (number_u128)w * power[0] + ((number_u128)w * power[1] >> 64);
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    /* 54 bits from the leading one: the 53 of a double and the next. */
    const int carry = (int)(high >> 63), shift = 9 + carry;
    uint64_t mantissa = high >> shift;
    /* floor(q log2(10)), as make_pow5.py checks; 1086 adds the format's bias
     * and the width of `high`. */
    const int64_t exponent = (217706 * q >> 16) + 1086 + carry - zeros;
    if (exponent <= 0)
        return exponent <= -63 ? 0 : number_round(mantissa >> (1 - exponent));
    /* A tie that rounding would take up, away from the even neighbour. */
    if (low == 0 && q >= -4 && q <= 23 && (mantissa & 3) == 1 &&
        mantissa << shift == high)
        mantissa--;
    /* The leading one adds one to the exponent, rounding up may add more. */
    const uint64_t bits =
        ((uint64_t)(exponent - 1) << 52) + number_round(mantissa);
    return bits < NUMBER_INFINITY ? bits : NUMBER_INFINITY;
}

/*
 * Digits that decide: a point halfway between doubles is h 2^e with h < 2^54
 * and e >= -1075, so a multiple of 10^e with at most as many digits as
 * 2^54 5^1075, which is 768. The digits after those matter only where the
 * first 768 equal such a point, and then only whether they are all zero.
 */
#define NUMBER_DIGITS 768

/*
 * Integers that hold both sides of the comparison: 768 digits, and 5^n times
 * 54 bits with n at most 342 + 768 - 19, are each below 2^2600. The powers of
 * two that go with them make one side about as large as the other.
 */
#define NUMBER_LIMBS 42

typedef struct {
    size_t length;
    uint64_t limb[NUMBER_LIMBS]; /* The lowest first; zeros from `length`. */
} number_big;

static void number_big_multiply(number_big *b, uint64_t factor, uint64_t add)
{
    for (size_t i = 0; i < b->length; i++) {
        const number_u128 sum = (number_u128)b->limb[i] * factor + add;
        b->limb[i] = (uint64_t)sum;
        add = (uint64_t)(sum >> 64);
    }
    if (add != 0)
        b->limb[b->length++] = add;
}

static void number_big_times_pow5(number_big *b, int64_t power)
{
    const uint64_t pow5_27 = UINT64_C(7450580596923828125);
    for (; power >= 27; power -= 27)
        number_big_multiply(b, pow5_27, 0);
    for (; power > 0; power--)
        number_big_multiply(b, 5, 0);
}

static void number_big_times_pow2(number_big *b, int64_t power)
{
    number_big_multiply(b, UINT64_C(1) << power % 64, 0);
    const size_t shift = (size_t)power / 64;
    memmove(b->limb + shift, b->limb, b->length * sizeof b->limb[0]);
    memset(b->limb, 0, shift * sizeof b->limb[0]);
    b->length += shift;
}

static int number_big_compare(const number_big *a, const number_big *b)
{
    for (size_t i = NUMBER_LIMBS; i-- > 0;) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

/*
 * The first 768 significant digits of a truncated decimal, with the power of
 * ten that goes with them; `more` tells whether a later digit is not zero.
 */
static int64_t number_big_digits(const number_decimal *d, number_big *b,
                                 bool *more)
{
    const int64_t significant = NUMBER_MANTISSA_DIGITS + d->dropped;
    const int64_t count =
        significant < NUMBER_DIGITS ? significant : NUMBER_DIGITS;
    const char *p = d->first;
    uint64_t chunk = 0, scale = 1;
    for (int64_t i = 1; i <= count; i++) {
        chunk = chunk * 10 + number_take(&p);
        scale *= 10;
        if (i % NUMBER_MANTISSA_DIGITS == 0 || i == count) {
            number_big_multiply(b, scale, chunk);
            chunk = 0;
            scale = 1;
        }
    }
    while (p < d->end && (*p == '0' || *p == '.'))
        p++;
    *more = p < d->end;
    return d->exponent + NUMBER_MANTISSA_DIGITS - count;
}

/*
 * Compares the decimal with the point halfway between the double with these
 * bits and the next: digits 10^e10 with odd 2^e2, where e2 is the exponent of
 * half a unit in the last place. Both sides are made integers.
 */
static int number_compare_halfway(const number_decimal *d, uint64_t bits)
{
    number_big decimal = {.length = 0}, halfway = {.length = 1};
    bool more;
    const int64_t e10 = number_big_digits(d, &decimal, &more);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const uint64_t biased = bits >> 52;
    const uint64_t leading = (uint64_t)(biased != 0) << 52;
    halfway.limb[0] = 2 * (fraction | leading) + 1;
    const int64_t e2 = (int64_t)biased - (biased != 0) - 1075;
    if (e10 > 0)
        number_big_times_pow5(&decimal, e10);
    else
        number_big_times_pow5(&halfway, -e10);
    if (e10 > e2)
        number_big_times_pow2(&decimal, e10 - e2);
    else
        number_big_times_pow2(&halfway, e2 - e10);
    const int order = number_big_compare(&decimal, &halfway);
    return order == 0 ? more : order;
}

/* The bits of the double nearest to the decimal. */
static uint64_t number_decimal_bits(const number_decimal *d)
{
    const uint64_t bits = number_nearest(d->mantissa, d->exponent);
    if (d->dropped == 0 || bits == number_nearest(d->mantissa + 1, d->exponent))
        return bits;
    /* A double's unit is far wider than w to w + 1: the next one or this. */
    const int order = number_compare_halfway(d, bits);
    return order == 0 ? bits + (bits & 1) : bits + (order > 0);
}

/* Moves *p past the word, whose letters are in lower case, if it is there. */
static bool number_skip_word(const char **p, const char *word)
{
    const char *q = *p;
    for (; *word != '\0'; word++, q++) {
        if ((*q | 0x20) != *word)
            return false;
    }
    *p = q;
    return true;
}

number_kind number_slow(const char **s, double *value)
{
    const char *p = *s;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    number_decimal decimal;
    if (number_scan(&p, &decimal)) {
        double magnitude;
        const uint64_t bits = number_decimal_bits(&decimal);
        memcpy(&magnitude, &bits, sizeof magnitude);
        *value = number_signed(magnitude, negative);
    } else if (!number_skip_word(&p, "infinity") &&
               !number_skip_word(&p, "inf") && !number_skip_word(&p, "nan")) {
        return NUMBER_BAD;
    } else {
        *s = p;
        return NUMBER_MISSING;
    }
    *s = p;
    return NUMBER_OK;
}

bool number_whole(const char *text, double *value)
{
    char padded[128] = {0};
    const char *s = padded;
    size_t length = strlen(text);
    if (length > sizeof padded / 2)
        return false;
    memcpy(padded, text, length);
    return number_parse(&s, value) == NUMBER_OK && s == padded + length;
}
