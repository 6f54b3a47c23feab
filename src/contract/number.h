/*
 * Decimal numbers for the text readers, equal to strtod's bit for bit.
 *
 * The inline part takes the numbers that fill most files: no exponent, at
 * most seven digits before the point and fifteen after it, together an integer
 * up to 2^53. That is exact as a double and so is the power of ten: the one
 * division rounds once, and the result is the nearest double (Clinger, "How
 * to read floating point numbers accurately", 1990).
 * number_slow() takes everything else.
 */
#ifndef SOTTO_NUMBER_H
#define SOTTO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * NUMBER_OK: a decimal, perhaps infinite because it is above the largest
 * double. NUMBER_MISSING: one of the words nan, inf, infinity, in any case,
 * perhaps signed. NUMBER_BAD: no number starts here.
 */
typedef enum { NUMBER_OK, NUMBER_MISSING, NUMBER_BAD } number_kind;

#define NUMBER_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline bool number_is_digit(char c)
{
    return (unsigned char)c - (unsigned)'0' <= 9;
}

/* Eight characters, the first one in the lowest byte. */
static inline uint64_t number_load(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/*
 * The lowest set bit is the top bit of the first byte that is not a digit; zero
 * if all eight are digits. A character above '9' sets its top bit in the sum,
 * one below '0' or above 0xAF in the difference. Carries and borrows start at a
 * byte that is not a digit, so they can only spoil the bytes after it.
 */
static inline uint64_t number_stops(uint64_t word)
{
    uint64_t above = word + NUMBER_BYTES(0x7F - '9');
    uint64_t below = word - NUMBER_BYTES('0');
    return (above | below) & NUMBER_BYTES(0x80);
}

/* How many digits come before the first stop; there must be a stop. */
static inline unsigned number_count(uint64_t stops)
{
    return (unsigned)__builtin_ctzll(stops) >> 3;
}

/* A mask for the bytes before the first stop: all if there is no stop. */
static inline uint64_t number_before(uint64_t stops)
{
    return ((stops & -stops) >> 7) - 1;
}

/*
 * The number whose eight digits, as values 0 to 9, are the bytes of the word.
 * Each step joins neighbours: digits to pairs, pairs to fours, fours to eight.
 */
static inline uint64_t number_join(uint64_t digits)
{
    const uint64_t pair = 1 + (UINT64_C(10) << 8);
    const uint64_t four = 1 + (UINT64_C(100) << 16);
    const uint64_t eight = 1 + (UINT64_C(10000) << 32);
    digits = (digits * pair >> 8) & UINT64_C(0x00FF00FF00FF00FF);
    digits = (digits * four >> 16) & UINT64_C(0x0000FFFF0000FFFF);
    return digits * eight >> 32;
}

/*
 * The same for the up to seven digits before the first stop of a word. They
 * move up to the last places but one, zeros come before them, and what follows
 * them lands in the last place, which the first step drops.
 */
static inline uint64_t number_join_before(uint64_t word, uint64_t stops)
{
    const uint64_t pair = 1 + (UINT64_C(10) << 8);
    const uint64_t four = 1 + (UINT64_C(100) << 16);
    const uint64_t eight = 1 + (UINT64_C(10000) << 32);
    /* the stop is the top bit of byte `count`: so this is 8 * (7 - count) */
    const int shift = __builtin_ctzll(stops) ^ 63;
    uint64_t digits = (word - NUMBER_BYTES('0')) << shift;
    digits = (digits * pair) & UINT64_C(0x00FF00FF00FF00FF);
    digits = (digits * four >> 16) & UINT64_C(0x0000FFFF0000FFFF);
    return digits * eight >> 32;
}

/* Sets the sign without a branch: signs in data are hard to predict. */
static inline double number_signed(double magnitude, uint64_t negative)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= negative << 63;
    memcpy(&magnitude, &bits, sizeof bits);
    return magnitude;
}

/* number_parse() for any text; defined in number.c. */
number_kind number_slow(const char **s, double *value);

/* The call goes through a copy, so that the caller's *s can be a register. */
static inline number_kind number_other(const char **s, double *value)
{
    const char *p = *s;
    const number_kind kind = number_slow(&p, value);
    *s = p;
    return kind;
}

/*
 * A fraction of more than eight digits, up to fifteen; `first` are the first
 * eight. False where all digits together do not form an integer up to 2^53,
 * which the division by a power of ten (exact up to 10^22) would round once.
 */
static inline bool number_long_fraction(const char **p, uint64_t mantissa,
                                        uint64_t first, double *magnitude)
{
    static const uint64_t scale[8] = {1,     10,     100,     1000,
                                      10000, 100000, 1000000, 10000000};
    static const double power[8] = {1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15};
    const uint64_t word = number_load(*p + 8), stops = number_stops(word);
    /* below 10^3 there is no overflow: 3 + 8 + 7 digits are below 2^63 */
    if (stops == 0 || mantissa >= 1000)
        return false;
    const unsigned count = number_count(stops);
    mantissa = mantissa * 100000000 + number_join(first - NUMBER_BYTES('0'));
    mantissa = mantissa * scale[count] + number_join_before(word, stops);
    *magnitude = (double)(int64_t)mantissa / power[count];
    *p += 8 + count;
    return mantissa <= UINT64_C(1) << 53;
}

/* The number with the fraction at *p; false when that is too long. */
static inline bool number_fraction(const char **p, uint64_t mantissa,
                                   double *magnitude)
{
    const uint64_t word = number_load(*p), stops = number_stops(word);
    if (stops == 0 && number_is_digit((*p)[8]))
        return number_long_fraction(p, mantissa, word, magnitude);
    /* Zeros after the last digit: always eight decimals. */
    const uint64_t decimals = (word - NUMBER_BYTES('0')) & number_before(stops);
    mantissa = mantissa * 100000000 + number_join(decimals);
    *magnitude = (double)(int64_t)mantissa / 1e8;
    *p += stops == 0 ? 8 : number_count(stops);
    return true;
}

/*
 * Parses the number that starts at *s, moves *s just past it and stores it:
 *
 *     [+-]? (digits [. digits*] | . digits) ([eE] [+-]? digits)?
 *
 * White space is not skipped. An e without digits after it and the x of a
 * hexadecimal number are not part of the number: *s stops there. Above the
 * largest double the value is infinite, below the smallest it is zero, both
 * with their sign. *value is only written for NUMBER_OK; *s stays where it is
 * for NUMBER_BAD. The rounding mode must be to nearest.
 *
 * The text must hold a byte that is part of no number, such as '\n', at or
 * after *s, and eight more bytes after that one must be readable. They have no
 * influence on the result.
 */
static inline number_kind number_parse(const char **s, double *value)
{
    const uint64_t negative = **s == '-';
    const char *const first = *s + negative, *p = first + 1;
    uint64_t mantissa = (uint64_t)(unsigned char)*first - '0', digit;
    if (__builtin_expect(mantissa > 9, 0))
        return number_other(s, value);
    if (*p != '.') {
        /* Digit by digit: a predicted branch beats the wait for a count. */
        for (; (digit = (uint64_t)(unsigned char)*p - '0') <= 9; p++)
            mantissa = mantissa * 10 + digit;
        if (__builtin_expect(p - first > 7, 0))
            return number_other(s, value);
    }
    double magnitude = (double)(int64_t)mantissa;
    if (*p == '.') {
        p++;
        if (!number_fraction(&p, mantissa, &magnitude))
            return number_other(s, value);
    }
    if (__builtin_expect((*p | 0x20) == 'e', 0))
        return number_other(s, value);
    *value = number_signed(magnitude, negative);
    *s = p;
    return NUMBER_OK;
}

/* Whether the whole NUL-terminated text is one decimal number. */
bool number_whole(const char *text, double *value);

#endif
