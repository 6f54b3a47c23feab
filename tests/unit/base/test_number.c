/*
 * The number parser against strtod, bit for bit and byte for byte: millions of
 * seeded random texts in families that each aim at one way of being wrong,
 * among them decimals exactly on, just above and just below the points where
 * rounding changes, and every rule of the grammar.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "number.h"

#define MILLION 1000000
/* What the parser may read after the terminator. */
#define READABLE 8

static uint64_t random_state;
static long cases;
/* The text under test, its terminator and digits that must not count. */
static char text[2 * MILLION];

/* splitmix64 */
static uint64_t random_bits(void)
{
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* An integer from low to high, both included. */
static int random_from(int low, int high)
{
    return low + (int)(random_bits() % (uint64_t)(high - low + 1));
}

static int seed_random(void **state)
{
    (void)state;
    random_state = 20240229;
    return 0;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Appends to a text; both return its new end. */
static char *put_repeated(char *out, char c, int count)
{
    memset(out, c, (size_t)count);
    return out + count;
}

static char *put_digits(char *out, int count)
{
    for (int i = 0; i < count; i++)
        *out++ = (char)random_from('0', '9');
    return out;
}

static char *put_sign(char *out)
{
    const int which = random_from(0, 9);
    if (which < 5)
        *out++ = which == 0 ? '+' : '-';
    return out;
}

/* Ends the text with one of the bytes that are part of no number. */
static void terminate(char *end)
{
    /* With the zero at the end of the string. */
    static const char terminators[] = "\n, :;\t\r/#\xFF";
    *end = terminators[random_bits() % sizeof terminators];
    memset(end + 1, '7', 3 * READABLE);
    end[1 + 3 * READABLE] = '\0';
}

typedef number_kind parser(const char **s, double *value);

static void check_parser(parser *parse, uint64_t expected, const char *end)
{
    const char *s = text;
    double value = 0.5;
    const number_kind kind = parse(&s, &value);
    if (kind != NUMBER_OK || bits_of(value) != expected || s != end)
        fail_msg("%.1000s: kind %d, %a, %td bytes; not %a, %td bytes", text,
                 (int)kind, value, s - text, double_of(expected), end - text);
}

/* Checks the text that stops before `end`. */
static void check_text(char *end)
{
    terminate(end);
    char *stop;
    const uint64_t expected = bits_of(strtod(text, &stop));
    check_parser(number_parse, expected, stop);
    check_parser(number_slow, expected, stop);
    cases++;
}

/* The same, for a text whose value is known without strtod. */
static void check_value(char *end, double expected)
{
    check_text(end);
    check_parser(number_parse, bits_of(expected), end);
}

static void test_short_decimals(void **state)
{
    (void)state;
    for (int i = 0; i < 700000; i++) {
        char *end = put_sign(text);
        const int whole = random_from(0, 6);
        end = put_digits(end, whole);
        const int decimals = random_from(whole == 0, 6);
        if (decimals > 0 || random_from(0, 9) == 0)
            *end++ = '.';
        check_text(put_digits(end, decimals));
    }
}

/* Digits with a point anywhere, or none, and perhaps an exponent. */
static void check_digits(int count, int lowest, int highest)
{
    char *end = put_sign(text);
    const int whole = random_from(0, count);
    end = put_digits(end, whole);
    if (whole < count || random_from(0, 1) == 0)
        *end++ = '.';
    end = put_digits(end, count - whole);
    if (lowest < highest)
        end += sprintf(end, random_from(0, 1) ? "e%d" : "E%+04d",
                       random_from(lowest, highest));
    check_text(end);
}

static void test_many_digits(void **state)
{
    static const int counts[] = {7,  8,  9,  14, 15, 16, 17,
                                 18, 19, 20, 21, 24, 25, 40};
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const size_t which = random_bits() % (sizeof counts / sizeof counts[0]);
        check_digits(counts[which], 0, 0);
        check_digits(counts[which], -30, 30);
    }
}

static void test_all_exponents(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++)
        check_digits(random_from(1, 20), -350, 320);
    for (int i = 0; i < 100000; i++) {
        check_digits(random_from(1, 25), -345, -300);
        check_digits(random_from(1, 25), 285, 310);
    }
}

static void test_printed_doubles(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = random_bits();
        if (i % 8 == 0)
            bits &= ~(UINT64_C(0x7FF) << 52);
        const double value = double_of(bits);
        if (!isfinite(value))
            continue;
        /* 17 digits give the double back. */
        check_value(text + sprintf(text, "%.17g", value), value);
        check_text(text + sprintf(text, "%.*e", random_from(0, 24), value));
    }
}

/* A positive integer of any size, in base 10^9 with the lowest part first. */
typedef struct {
    int length;
    uint32_t part[100];
} decimal;

static void multiply(decimal *d, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < d->length; i++) {
        carry += (uint64_t)d->part[i] * factor;
        d->part[i] = (uint32_t)(carry % 1000000000);
        carry /= 1000000000;
    }
    for (; carry != 0; carry /= 1000000000)
        d->part[d->length++] = (uint32_t)(carry % 1000000000);
}

static void multiply_power(decimal *d, uint32_t base, int power)
{
    for (; power >= 13; power -= 13) {
        uint32_t factor = 1;
        for (int i = 0; i < 13; i++)
            factor *= base;
        multiply(d, factor);
    }
    for (; power > 0; power--)
        multiply(d, base);
}

/* A decimal number: digits (no leading zero) times a power of ten. */
typedef struct {
    int count;
    int exponent;
    char digit[4000];
} written;

/* Writes odd 2^e2 with all its digits. */
static void write_exactly(written *w, uint64_t odd, int e2)
{
    decimal d = {.length = 0};
    for (; odd != 0; odd /= 1000000000)
        d.part[d.length++] = (uint32_t)(odd % 1000000000);
    multiply_power(&d, e2 < 0 ? 5 : 2, abs(e2));
    w->exponent = e2 < 0 ? e2 : 0;
    w->count = sprintf(w->digit, "%u", (unsigned)d.part[d.length - 1]);
    for (int i = d.length - 2; i >= 0; i--)
        w->count += sprintf(w->digit + w->count, "%09u", (unsigned)d.part[i]);
}

/* The point halfway between a positive double and the next. */
static void write_halfway(written *w, uint64_t bits)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int biased = (int)(bits >> 52);
    if (biased == 0)
        write_exactly(w, 2 * fraction + 1, -1075);
    else
        write_exactly(w, 2 * (fraction | UINT64_C(1) << 52) + 1, biased - 1076);
}

/* Puts the point anywhere, with the exponent that belongs there. */
static char *put_with_exponent(char *out, const written *w)
{
    const int whole = random_from(0, w->count);
    out = put_repeated(out, '0', random_from(0, 2));
    memcpy(out, w->digit, (size_t)whole);
    out += whole;
    *out++ = '.';
    memcpy(out, w->digit + whole, (size_t)(w->count - whole));
    out += w->count - whole;
    return out + sprintf(out, "e%d", w->exponent + w->count - whole);
}

/* Writes the number without an exponent, with all the zeros it takes. */
static char *put_in_full(char *out, const written *w)
{
    const int whole = w->count + w->exponent;
    if (whole <= 0)
        out = put_repeated(out + sprintf(out, "0."), '0', -whole);
    for (int i = 0; i < w->count; i++) {
        if (i == whole && i > 0)
            *out++ = '.';
        *out++ = w->digit[i];
    }
    return put_repeated(out, '0', w->exponent > 0 ? w->exponent : 0);
}

static char *put_written(char *out, const written *w)
{
    return random_from(0, 1) ? put_with_exponent(out, w) : put_in_full(out, w);
}

static void append_repeated(written *w, char c, int count)
{
    put_repeated(w->digit + w->count, c, count);
    w->count += count;
    w->exponent -= count;
}

/* Makes the number larger by one in a digit that may be far away. */
static void nudge_up(written *w, int zeros)
{
    append_repeated(w, '0', zeros);
    append_repeated(w, '1', 1);
}

/* Makes it smaller: 5 becomes 49, 499, ... */
static void nudge_down(written *w, int nines)
{
    int last = w->count - 1;
    while (w->digit[last] == '0')
        w->digit[last--] = '9';
    w->digit[last]--;
    append_repeated(w, '9', nines);
}

static int random_distance(void)
{
    return random_from(0, 1) ? random_from(0, 3) : random_from(0, 1200);
}

/* Exactly halfway goes to the even neighbour, less or more to the nearer. */
static void check_around_halfway(uint64_t bits)
{
    static written w;
    write_halfway(&w, bits);
    if (random_from(0, 3) == 0)
        append_repeated(&w, '0', random_distance());
    check_value(put_written(text, &w), double_of(bits + (bits & 1)));
    nudge_up(&w, random_distance());
    check_value(put_written(text, &w), double_of(bits + 1));
    write_halfway(&w, bits);
    nudge_down(&w, random_distance());
    check_value(put_written(text, &w), double_of(bits));
}

/* As close to halfway as a few digits come, on both sides. */
static void check_near_halfway(uint64_t bits)
{
    static written w;
    write_halfway(&w, bits);
    const int count = random_from(15, 23);
    if (w.count > count) {
        w.exponent += w.count - count;
        w.count = count;
    }
    check_text(put_with_exponent(text, &w));
    if (w.digit[w.count - 1] < '9')
        w.digit[w.count - 1]++;
    check_text(put_with_exponent(text, &w));
}

static void test_halfway(void **state)
{
    const uint64_t largest = bits_of(DBL_MAX), normal = bits_of(DBL_MIN);
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        check_around_halfway(i);
        check_around_halfway(normal - 20 + i);
        check_around_halfway(largest - i);
    }
    for (int i = 0; i < 15000; i++)
        check_around_halfway(random_bits() % largest);
    /* Subnormals of all sizes. */
    for (int i = 0; i < 1500; i++)
        check_around_halfway(random_bits() >> random_from(11, 63));
}

static void test_near_halfway(void **state)
{
    (void)state;
    for (int i = 0; i < 60000; i++)
        check_near_halfway(random_bits() % bits_of(DBL_MAX));
    for (int i = 0; i < 20000; i++)
        check_near_halfway(bits_of(1.0) + random_bits() % (UINT64_C(80) << 52));
    for (int i = 0; i < 10000; i++)
        check_near_halfway(random_bits() >> random_from(11, 63));
}

/* Odd multiples of 5^q from 2^53 to 2^54 are ties of few digits times 10^q. */
static void test_short_ties(void **state)
{
    const uint64_t least = UINT64_C(1) << 53;
    (void)state;
    uint64_t power = 1;
    for (int q = 0; q <= 23; q++, power *= 5) {
        for (int i = 0; i < 4000; i++) {
            const uint64_t w = (least + random_bits() % least) / power | 1;
            if (w * power < least || w * power >= 2 * least)
                continue;
            check_text(text + sprintf(text, "%jue%d", (uintmax_t)w, q));
            check_text(text + sprintf(text, "%ju.1e%d", (uintmax_t)w, q));
            /* The same ties with zeros after the digits that matter. */
            check_text(text + sprintf(text, "%ju000000000000.000e%d",
                                      (uintmax_t)w, q - 12));
        }
    }
    /* Ties with decimals, and ties that are doubles times a power of two. */
    for (int i = 0; i < 100000; i++) {
        static written w;
        write_exactly(&w, (least + random_bits() % least) | 1,
                      random_from(-5, 10));
        check_text(put_written(text, &w));
    }
}

static void test_zeros(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const int before = random_from(0, 30), after = random_from(0, 400);
        char *end = put_repeated(put_sign(text), '0', before);
        *end++ = '.';
        end = put_repeated(end, '0', after + (before == 0));
        end = put_digits(end, random_from(0, 25));
        if (random_from(0, 1))
            end += sprintf(end, "e%d", after + random_from(-320, 310));
        check_text(end);
    }
}

static void test_zeros_between(void **state)
{
    (void)state;
    for (int i = 0; i < 50000; i++) {
        char *end = put_digits(text, random_from(1, 20));
        end = put_repeated(end, '0', random_from(0, 900));
        if (random_from(0, 1)) {
            *end++ = '.';
            end = put_repeated(end, '0', random_from(0, 900));
        }
        end = put_digits(end, random_from(0, 20));
        if (random_from(0, 1))
            end += sprintf(end, "e%d", random_from(-1200, 300));
        check_text(end);
    }
}

static void test_long_integers(void **state)
{
    (void)state;
    for (int i = 0; i < 50000; i++) {
        char *end = put_digits(text, random_from(20, 330));
        if (random_from(0, 1)) {
            *end++ = '.';
            end = put_digits(end, random_from(0, 600));
        }
        check_text(end);
    }
}

static void test_a_million_digits(void **state)
{
    static written w;
    (void)state;
    *text = '1';
    char *end = put_repeated(text + 1, '0', MILLION);
    check_value(end + sprintf(end, "e-%d", MILLION), 1.0);
    check_value(end, HUGE_VAL);
    end = put_repeated(text, '9', MILLION);
    check_value(end + sprintf(end, "e-%d", MILLION), 1.0);
    end = put_repeated(text + sprintf(text, "-."), '0', MILLION);
    check_value(end, -0.0);
    check_value(end + sprintf(end, "25e%d", MILLION), -0.25);
    check_text(put_digits(text + sprintf(text, "1."), MILLION));
    /* The last of a million digits decides. */
    write_halfway(&w, 1);
    end = put_repeated(put_in_full(text, &w), '0', MILLION);
    check_value(end, double_of(2));
    write_halfway(&w, 2);
    end = put_repeated(put_in_full(text, &w), '0', MILLION);
    check_value(end, double_of(2));
    *end++ = '1';
    check_value(end, double_of(3));
}

/* Decimals that other parsers have got wrong, and the edges of the range. */
static void test_known_hard(void **state)
{
    static const char *const hard[] = {
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "2.225073858507201136057409796709131975e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272e-324",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.0000000000000000001",
        "9007199254740995",
        "900719925474099.25",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "9223372036854775807",
        "6929495644600919.5",
        "3.0540412E5",
        "8.442911973260991817129021e-309",
        "9355950000000000000.00",
        "7.2057594037927933e16",
        "9214843084008499",
        "0.500000000000000166533453693773481063",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "5e125",
        "69e267",
        "999e-26",
        "7861e-34",
        "75569e-254",
        "928609e-261",
        "9210917e80",
        "84863171e114",
        "653777767e273",
        "5232604057e-298",
        "27235667517e-109",
        "653532977297e-123",
        "3142213164987e-294",
        "46202199371337e-72",
        "231010996856685e-73",
        "9324754620109615e212",
        "78459735791271921e49",
        "272104041512242479e200",
        "6802601037806061975e198",
        "20505426358836677347e-221",
        "836168422905420598437e-234",
        "4891559871276714924261e222",
    };
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
        check_text(text + sprintf(text, "%s", hard[i]));
        check_text(text + sprintf(text, "-%s", hard[i]));
    }
}

typedef struct {
    const char *text;
    number_kind kind;
    int length; /* Of what is parsed. */
    double value;
} grammar_case;

static const grammar_case grammar[] = {
    {"0", NUMBER_OK, 1, 0.0},
    {"-0", NUMBER_OK, 2, -0.0},
    {"+0", NUMBER_OK, 2, 0.0},
    {"-0.0e5", NUMBER_OK, 6, -0.0},
    {"00012", NUMBER_OK, 5, 12.0},
    {"5.", NUMBER_OK, 2, 5.0},
    {".5", NUMBER_OK, 2, 0.5},
    {"-.5", NUMBER_OK, 3, -0.5},
    {"+.5", NUMBER_OK, 3, 0.5},
    {"5.e2", NUMBER_OK, 4, 500.0},
    {".5E+1", NUMBER_OK, 5, 5.0},
    {"1.25e-2", NUMBER_OK, 7, 0.0125},
    {"1234567", NUMBER_OK, 7, 1234567.0},
    {"12345678", NUMBER_OK, 8, 12345678.0},
    {"1234567.12345678", NUMBER_OK, 16, 1234567.12345678},
    {"0.12345678", NUMBER_OK, 10, 0.12345678},
    {"0.123456789", NUMBER_OK, 11, 0.123456789},
    {"0.12345678e1", NUMBER_OK, 12, 1.2345678},
    /* What follows the number is the caller's. */
    {"1..2", NUMBER_OK, 2, 1.0},
    {"1.2.3", NUMBER_OK, 3, 1.2},
    {"1.12345678.3", NUMBER_OK, 10, 1.12345678},
    {"1-2", NUMBER_OK, 1, 1.0},
    {"1+2", NUMBER_OK, 1, 1.0},
    {"1e", NUMBER_OK, 1, 1.0},
    {"1e+", NUMBER_OK, 1, 1.0},
    {"1.5E-", NUMBER_OK, 3, 1.5},
    {"1.5e+-3", NUMBER_OK, 3, 1.5},
    {"1.5ex", NUMBER_OK, 3, 1.5},
    {"1.5e.5", NUMBER_OK, 3, 1.5},
    {"1e5e5", NUMBER_OK, 3, 1e5},
    {"1e5.5", NUMBER_OK, 3, 1e5},
    {"1 e5", NUMBER_OK, 1, 1.0},
    {"1f", NUMBER_OK, 1, 1.0},
    {"1\xE5", NUMBER_OK, 1, 1.0},
    {"0x1p3", NUMBER_OK, 1, 0.0},
    {"-0X10", NUMBER_OK, 2, -0.0},
    {"1,5", NUMBER_OK, 1, 1.0},
    {"1_000", NUMBER_OK, 1, 1.0},
    /* Too large and too small. */
    {"1e308", NUMBER_OK, 5, 1e308},
    {"1e309", NUMBER_OK, 5, HUGE_VAL},
    {"-1e400", NUMBER_OK, 6, -HUGE_VAL},
    {"1e-400", NUMBER_OK, 6, 0.0},
    {"-1e-400", NUMBER_OK, 7, -0.0},
    {"5e-324", NUMBER_OK, 6, 0x1p-1074},
    {"2e-324", NUMBER_OK, 6, 0.0},
    {"1e99999999999999999999", NUMBER_OK, 22, HUGE_VAL},
    {"-1e-99999999999999999999", NUMBER_OK, 24, -0.0},
    {"1e9223372036854775808", NUMBER_OK, 21, HUGE_VAL},
    {"1e-9223372036854775809", NUMBER_OK, 22, 0.0},
    {"1e4294967296", NUMBER_OK, 12, HUGE_VAL},
    {"1e18446744073709551616", NUMBER_OK, 22, HUGE_VAL},
    {"1e00000000000000000000000002", NUMBER_OK, 28, 100.0},
    {"0e99999999999999999999", NUMBER_OK, 22, 0.0},
    {"0.0e-99999999999999999999", NUMBER_OK, 25, 0.0},
    /* Words. */
    {"nan", NUMBER_MISSING, 3, 0},
    {"NaN", NUMBER_MISSING, 3, 0},
    {"-nan", NUMBER_MISSING, 4, 0},
    {"+NAN", NUMBER_MISSING, 4, 0},
    {"nan(12)", NUMBER_MISSING, 3, 0},
    {"nano", NUMBER_MISSING, 3, 0},
    {"inf", NUMBER_MISSING, 3, 0},
    {"-Inf", NUMBER_MISSING, 4, 0},
    {"+INF", NUMBER_MISSING, 4, 0},
    {"infinity", NUMBER_MISSING, 8, 0},
    {"-InFiNiTy", NUMBER_MISSING, 9, 0},
    {"infinit", NUMBER_MISSING, 3, 0},
    {"infinityy", NUMBER_MISSING, 8, 0},
    /* No number. */
    {"", NUMBER_BAD, 0, 0},
    {".", NUMBER_BAD, 0, 0},
    {"-", NUMBER_BAD, 0, 0},
    {"+", NUMBER_BAD, 0, 0},
    {"-.", NUMBER_BAD, 0, 0},
    {"..5", NUMBER_BAD, 0, 0},
    {"+-1", NUMBER_BAD, 0, 0},
    {"--1", NUMBER_BAD, 0, 0},
    {"-+1", NUMBER_BAD, 0, 0},
    {"- 1", NUMBER_BAD, 0, 0},
    {" 1", NUMBER_BAD, 0, 0},
    {"\t1", NUMBER_BAD, 0, 0},
    {"e5", NUMBER_BAD, 0, 0},
    {".e5", NUMBER_BAD, 0, 0},
    {"-e5", NUMBER_BAD, 0, 0},
    {"na", NUMBER_BAD, 0, 0},
    {"-in", NUMBER_BAD, 0, 0},
    {"n/a", NUMBER_BAD, 0, 0},
    {"x1", NUMBER_BAD, 0, 0},
    {",1", NUMBER_BAD, 0, 0},
    {":1", NUMBER_BAD, 0, 0},
    {"/1", NUMBER_BAD, 0, 0},
    {"\xB0", NUMBER_BAD, 0, 0},
};

static void check_grammar(const grammar_case *c, parser *parse, const char *at)
{
    const char *s = at;
    double value = 42.0;
    const number_kind kind = parse(&s, &value);
    /* Only a number is stored. */
    const double expected = c->kind == NUMBER_OK ? c->value : 42.0;
    if (kind != c->kind || s - at != c->length ||
        bits_of(value) != bits_of(expected))
        fail_msg("\"%s\": kind %d, %td bytes, %a", c->text, (int)kind, s - at,
                 value);
}

static void test_grammar(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        for (int terminator = 0; terminator < 256; terminator++) {
            char *end = text + sprintf(text, "%s", grammar[i].text);
            if (terminator != 0 && strchr("\n, :\t\r;#", terminator) == NULL)
                continue;
            *end = (char)terminator;
            memset(end + 1, '1', 3 * READABLE);
            check_grammar(&grammar[i], number_parse, text);
            check_grammar(&grammar[i], number_slow, text);
        }
    }
}

/* Any byte that is no part of a number ends one, at any place in a word. */
static void test_every_terminator(void **state)
{
    static const char parts[] = "0123456789.eE";
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        if (byte != 0 && strchr(parts, byte) != NULL)
            continue;
        for (int decimals = 0; decimals <= 20; decimals++) {
            char *end = text + sprintf(text, "-3.");
            end = put_digits(end, decimals);
            *end = '\0';
            const uint64_t expected = bits_of(strtod(text, NULL));
            *end = (char)byte;
            memset(end + 1, '7', 3 * READABLE);
            check_parser(number_parse, expected, end);
            check_parser(number_slow, expected, end);
        }
    }
}

/* Every text again, right before a page that cannot be read. */
static void test_reads_little_past_the_end(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    char *const end = pages + page - READABLE - 1;
    memset(end, '\n', READABLE + 1);
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        const size_t length = strlen(grammar[i].text);
        char *const at = end - length;
        memcpy(at, grammar[i].text, length);
        check_grammar(&grammar[i], number_parse, at);
        check_grammar(&grammar[i], number_slow, at);
    }
    munmap(pages, 2 * page);
}

static void test_enough_cases(void **state)
{
    (void)state;
    assert_true(cases >= 2 * MILLION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_grammar, seed_random),
        cmocka_unit_test_setup(test_every_terminator, seed_random),
        cmocka_unit_test_setup(test_reads_little_past_the_end, seed_random),
        cmocka_unit_test_setup(test_known_hard, seed_random),
        cmocka_unit_test_setup(test_short_decimals, seed_random),
        cmocka_unit_test_setup(test_many_digits, seed_random),
        cmocka_unit_test_setup(test_all_exponents, seed_random),
        cmocka_unit_test_setup(test_printed_doubles, seed_random),
        cmocka_unit_test_setup(test_halfway, seed_random),
        cmocka_unit_test_setup(test_near_halfway, seed_random),
        cmocka_unit_test_setup(test_short_ties, seed_random),
        cmocka_unit_test_setup(test_zeros, seed_random),
        cmocka_unit_test_setup(test_zeros_between, seed_random),
        cmocka_unit_test_setup(test_long_integers, seed_random),
        cmocka_unit_test_setup(test_a_million_digits, seed_random),
        cmocka_unit_test(test_enough_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
