/*
 * What an option's value may be: its kind, its bounds, its choices.
 */
#include "option_check.h"
#include "number.h"

#include <math.h>
#include <string.h>

/* Whether `word` is one of the words of "a|b|c". */
static int option_is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    if (strchr(word, '|'))
        return 0;
    for (const char *c = choices; length; c++) {
        if (!strncmp(c, word, length) && (c[length] == '|' || !c[length]))
            return 1;
        c = strchr(c, '|');
        if (!c)
            break;
    }
    return 0;
}

int option_parse(const char *value, double *out)
{
    *out = value[0] == '-' ? -INFINITY : INFINITY;
    return !strcmp(value, "inf") || !strcmp(value, "-inf") ||
           number_whole(value, out);
}

int option_parse_pair(const char *value, double *low, double *high)
{
    char first[64];
    size_t length = strcspn(value, ",");
    if (!value[length] || length >= sizeof first)
        return 0;
    memcpy(first, value, length);
    first[length] = 0;
    return option_parse(first, low) && option_parse(value + length + 1, high) &&
           *low <= *high && *low<INFINITY && * high> - INFINITY;
}

/* Bounds that only keep the arithmetic finite are worth printing to those
   only who have gone beyond them. */
static sotto_status option_refuse_range(const sotto_option *o, const char *kind,
                                        double x, sotto_error *error)
{
    int above = o->low == 1e-300 && !(x > 0);
    int finite = o->high < 1e300 || x > o->high;
    int below_one = o->high < 1 && 1 - o->high < 1e-15;
    const char *words = above       ? " above 0"
                        : below_one ? " of at least 0 and below 1"
                        : finite    ? " from "
                                    : " of at least ";
    return error_set(
        error, SOTTO_USAGE, "--%s: expected %s%s%s%s%s", o->name, kind, words,
        above || below_one ? "" : sotto_number_print(o->low, 16).text,
        finite && !above && !below_one ? " to " : "",
        finite && !above && !below_one ? sotto_number_print(o->high, 16).text
                                       : "");
}

static sotto_status option_check_number(const sotto_option *o,
                                        const char *value, sotto_error *error)
{
    double x;
    int whole = o->kind == SOTTO_OPTION_INTEGER;
    const char *kind = whole ? "a whole number" : "a number";
    if (!option_parse(value, &x) || (whole && x != floor(x)))
        return error_set(error, SOTTO_USAGE, "--%s: expected %s", o->name,
                         kind);
    if (!(x >= o->low && x <= o->high))
        return option_refuse_range(o, kind, x, error);
    return SOTTO_OK;
}

sotto_status option_check(const sotto_option *o, const char *value,
                          sotto_error *error)
{
    double low, high;
    switch (o->kind) {
    case SOTTO_OPTION_CHOICE:
        if (!option_is_choice(o->choices, value))
            return error_set(error, SOTTO_USAGE, "--%s: expected one of %s%s",
                             o->name, o->choices,
                             suggest_word(value, o->choices).text);
        return SOTTO_OK;
    case SOTTO_OPTION_FLAG:
        if (strcmp(value, "yes") && strcmp(value, "no"))
            return error_set(error, SOTTO_USAGE, "--%s: expected yes or no",
                             o->name);
        return SOTTO_OK;
    case SOTTO_OPTION_INTEGER:
    case SOTTO_OPTION_NUMBER:
        return option_check_number(o, value, error);
    case SOTTO_OPTION_PAIR:
        if (!option_parse_pair(value, &low, &high))
            return error_set(error, SOTTO_USAGE,
                             "--%s: expected two numbers %s, the lower first",
                             o->name, o->argument);
        return SOTTO_OK;
    default:
        if (!*value)
            return error_set(error, SOTTO_USAGE, "--%s: expected %s", o->name,
                             o->argument);
        if (o->kind != SOTTO_OPTION_FILE && !text_is_utf8(value, strlen(value)))
            return error_set(error, SOTTO_USAGE, "--%s: expected UTF-8",
                             o->name);
        return SOTTO_OK;
    }
}
