/*
 * date: days of the Gregorian calendar, also before it was introduced, and
 * texts that say one. Whole numbers only: no locale, no time zone, no table of
 * the system has a say.
 */
#ifndef SOTTO_DATE_H
#define SOTTO_DATE_H

#include "base.h"

/* The format of ISO 8601, which bounds are declared in. */
#define DATE_ISO "%Y-%m-%d"

enum { DATE_WEEKDAYS = 7, DATE_MONTHS = 12, DATE_DAY_SECONDS = 86400 };

typedef struct date {
    int64_t day;    /* since 1970-01-01 */
    int64_t month;  /* 0: January */
    int64_t second; /* of the day */
} date;

/* What is wrong with a format, or NULL. It has %Y (four digits), %m and %d (two
   digits each) once, perhaps %H, %M and %S, %% and other printable characters
   of ASCII. So all texts of a format have one length. */
const char *date_format_fault(const char *format);

/* A field of a format, by its letter, or (letter is 0) a character that stands
   for itself. Returns what follows it, NULL at the end. */
typedef struct date_piece {
    char letter, itself;
    int length; /* in characters of the text */
} date_piece;
const char *date_format_next(const char *format, date_piece *out);

/* Reads a text of the format: 1 when it is a day of the years 1 to 9999. */
int date_parse(date *out, const char *format, const char *bytes, size_t size);

/* The date of a day. */
date date_of_day(int64_t day);

/* 0: Monday. */
int64_t date_weekday(int64_t day);

/* Adds the day, as a text of the format; its first second, where the format
   has one. */
void date_put(text_buffer *t, const char *format, int64_t day);

#endif
