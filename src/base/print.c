/*
 * Numbers as text and back, the same in every locale. printf writes the
 * decimal point of the locale that the host program has chosen, so no other
 * file prints or parses a double by itself (tests/arch).
 */
#include "base.h"
#include "number.h"

#include <math.h>
#include <string.h>

/* Whatever stands between digits is the locale's point, of one byte or more. */
static void print_point(char *digits)
{
    char *to = digits;
    for (const char *s = digits; *s; s++)
        if (strchr("0123456789+-e", *s))
            *to++ = *s;
        else if (to == digits || to[-1] != '.')
            *to++ = '.';
    *to = 0;
}

/* What has no digits: 1 when it was printed. */
static int print_word(sotto_number *out, double x)
{
    if (isfinite(x))
        return 0;
    strcpy(out->text, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return 1;
}

locale_t locale_plain(void)
{
    /* The C library's own: it takes no memory and needs no freeing. */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void locale_restore(locale_t before)
{
    uselocale(before);
}

sotto_number sotto_number_print(double x, int digits)
{
    sotto_number out;
    if (print_word(&out, x))
        return out;
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    snprintf(out.text, sizeof out.text, "%.*g", digits, x);
    print_point(out.text);
    return out;
}

/* Larger than this it would not fit: printed with an exponent. */
#define PRINT_FIXED_MOST 1e15

sotto_number sotto_number_fixed(double x, int decimals)
{
    sotto_number out;
    if (!(fabs(x) < PRINT_FIXED_MOST))
        return sotto_number_print(x, 17);
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    snprintf(out.text, sizeof out.text, "%.*f", decimals, x);
    print_point(out.text);
    return out;
}

sotto_number sotto_number_exact(double x)
{
    sotto_number out;
    double back = 0;
    for (int digits = 15; digits <= 17; digits++) {
        out = sotto_number_print(x, digits);
        if (number_whole(out.text, &back) && back == x)
            break;
    }
    return out;
}

/*
 * The nearest decimal may be below x by up to half a unit of its last digit.
 * That unit is between 10^-digits and 10^(1-digits) of x. Adding half of the
 * least, then twice as much and so on, meets the next decimal and no further
 * one: what must be added and what would be too much are a factor of 3 apart.
 */
sotto_number sotto_number_print_up(double x, int digits)
{
    double back, least = .5 * pow(10, -digits);
    if (!(x > 0) || isinf(x))
        return sotto_number_exact(x);
    sotto_number out = sotto_number_print(x, digits);
    for (double more = least; number_whole(out.text, &back) && back < x;
         more *= 2)
        out = sotto_number_print(x * (1 + more), digits);
    return out;
}

/* The same downwards. */
sotto_number sotto_number_print_down(double x, int digits)
{
    double back, least = .5 * pow(10, -digits);
    if (!(x > 0) || isinf(x))
        return sotto_number_exact(x);
    sotto_number out = sotto_number_print(x, digits);
    for (double less = least; number_whole(out.text, &back) && back > x;
         less *= 2)
        out = sotto_number_print(x * (1 - less), digits);
    return out;
}

/*
 * The digits that a magnitude has down to the second of the error. Where x is
 * so small that it has none, its ends are 0 and one unit of that digit.
 */
sotto_number sotto_number_end(double x, double error, int up)
{
    sotto_number out = {"-"}, size;
    double magnitude = fabs(x), unit = floor(log10(error)) - 1;
    int away = (x > 0) == !!up;
    if (!(error > 0) || isinf(error) || x == 0 || !isfinite(x))
        return sotto_number_exact(x);
    double digits = floor(log10(magnitude)) - unit + 1;
    if (digits > 17)
        return sotto_number_exact(x);
    if (digits >= 1)
        size = away ? sotto_number_print_up(magnitude, (int)digits)
                    : sotto_number_print_down(magnitude, (int)digits);
    else
        size = away ? sotto_number_print_up(pow(10, unit), 1)
                    : sotto_number_print(0, 1);
    if (x > 0 || !strcmp(size.text, "0"))
        return size;
    memcpy(out.text + 1, size.text, sizeof out.text - 1);
    return out;
}

/* A word in lower case, in whatever case it is written. */
static int print_is(const char *text, const char *word)
{
    while (*word && (*text | 0x20) == *word) {
        text++;
        word++;
    }
    return !*text && !*word;
}

int sotto_number_parse(const char *text, double *out)
{
    const char *word = text + (*text == '-' || *text == '+');
    if (number_whole(text, out))
        return 1;
    if (!print_is(word, "inf") && !print_is(word, "infinity"))
        return 0;
    *out = *text == '-' ? -INFINITY : INFINITY;
    return 1;
}
