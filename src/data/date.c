/*
 * Days and their texts, see date.h. Years begin in March here, so that the day
 * that only some years have is their last one.
 */
#include "date.h"

#include <string.h>

enum {
    DATE_ERA = 146097,  /* days of 400 years */
    DATE_EPOCH = 719468 /* 1970-01-01, counted from 0000-03-01 */
};

/* ---- the calendar ---- */

static int64_t date_count(int64_t year, int64_t month, int64_t day)
{
    int64_t before = month < 3, y = year - before;
    int64_t since_march = (153 * (month + 12 * before - 3) + 2) / 5;
    return 365 * y + y / 4 - y / 100 + y / 400 + since_march + day - 1 -
           DATE_EPOCH;
}

static int64_t date_month_days(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* The year and the month (1: January) of a day, and which of its month. */
static void date_civil(int64_t day, int64_t *year, int64_t *month, int64_t *of)
{
    int64_t since = day + DATE_EPOCH, era = since / DATE_ERA;
    int64_t in_era = since % DATE_ERA;
    int64_t y =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
    int64_t from_march = (5 * in_year + 2) / 153;
    *of = in_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march < 10 ? from_march + 3 : from_march - 9;
    *year = era * 400 + y + (*month < 3);
}

date date_of_day(int64_t day)
{
    int64_t year, month, of;
    date_civil(day, &year, &month, &of);
    return (date){day, month - 1, 0};
}

int64_t date_weekday(int64_t day)
{
    return (day + DATE_EPOCH + 2) % DATE_WEEKDAYS;
}

/* ---- formats ---- */

/* The fields of a format: their letters, digits and smallest and largest
   values. A field behind the day needs the one before it. */
static const struct {
    char letter;
    int digits, low, high;
} date_fields[] = {{'Y', 4, 1, 9999}, {'m', 2, 1, 12}, {'d', 2, 1, 31},
                   {'H', 2, 0, 23},   {'M', 2, 0, 59}, {'S', 2, 0, 59}};
enum {
    FIELD_YEAR,
    FIELD_MONTH,
    FIELD_DAY,
    FIELD_HOUR,
    FIELD_MINUTE,
    FIELD_SECOND,
    FIELDS
};

/* The field of this letter; FIELDS: there is none. */
static int date_field(char letter)
{
    int i = 0;
    while (i < FIELDS && date_fields[i].letter != letter)
        i++;
    return i;
}

const char *date_format_fault(const char *format)
{
    int seen[FIELDS] = {0};
    for (const char *f = format; *f; f++) {
        if (*f < ' ' || *f > '~')
            return "printable characters of ASCII";
        if (*f != '%' || *++f == '%')
            continue;
        int i = date_field(*f);
        if (i == FIELDS || seen[i]++)
            return "each of %Y %m %d %H %M %S at most once, and %% for a "
                   "percent sign";
    }
    if (!seen[FIELD_YEAR] || !seen[FIELD_MONTH] || !seen[FIELD_DAY])
        return "%Y, %m and %d";
    if (seen[FIELD_HOUR] < seen[FIELD_MINUTE] ||
        seen[FIELD_MINUTE] < seen[FIELD_SECOND])
        return "%H before %M is used, and %M before %S";
    return NULL;
}

const char *date_format_next(const char *format, date_piece *out)
{
    if (!*format)
        return NULL;
    int is_field = *format == '%' && *++format != '%';
    int i = is_field ? date_field(*format) : FIELDS;
    *out = (date_piece){i < FIELDS ? *format : 0, *format,
                        i < FIELDS ? date_fields[i].digits : 1};
    return format + 1;
}

/* ---- texts ---- */

/* A number of just these digits. */
static int date_digits(const char *at, int digits, int64_t *out)
{
    *out = 0;
    for (int k = 0; k < digits; k++) {
        if (at[k] < '0' || at[k] > '9')
            return 0;
        *out = 10 * *out + (at[k] - '0');
    }
    return 1;
}

/* The values of the fields; those that the format has not stay. */
static int date_scan(int64_t value[FIELDS], const char *format, const char *at,
                     const char *end)
{
    date_piece p;
    while ((format = date_format_next(format, &p))) {
        int i = p.letter ? date_field(p.letter) : FIELDS;
        if (end - at < p.length)
            return 0;
        if (i == FIELDS ? *at != p.itself
                        : !date_digits(at, p.length, &value[i]) ||
                              value[i] < date_fields[i].low ||
                              value[i] > date_fields[i].high)
            return 0;
        at += p.length;
    }
    return at == end;
}

int date_parse(date *out, const char *format, const char *bytes, size_t size)
{
    int64_t v[FIELDS] = {0};
    if (!date_scan(v, format, bytes, bytes + size) ||
        v[FIELD_DAY] > date_month_days(v[FIELD_YEAR], v[FIELD_MONTH]))
        return 0;
    out->day = date_count(v[FIELD_YEAR], v[FIELD_MONTH], v[FIELD_DAY]);
    out->month = v[FIELD_MONTH] - 1;
    out->second = (v[FIELD_HOUR] * 60 + v[FIELD_MINUTE]) * 60 + v[FIELD_SECOND];
    return 1;
}

void date_put(text_buffer *t, const char *format, int64_t day)
{
    int64_t v[FIELDS] = {0};
    date_piece p;
    date_civil(day, &v[FIELD_YEAR], &v[FIELD_MONTH], &v[FIELD_DAY]);
    while ((format = date_format_next(format, &p)))
        if (p.letter)
            text_format(t, "%0*lld", p.length,
                        (long long)v[date_field(p.letter)]);
        else
            text_add(t, &p.itself, 1);
}
