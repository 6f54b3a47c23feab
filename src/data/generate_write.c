/*
 * The writers of synthetic sets: CSV, svmlight and .npy, a row at a time.
 *
 * A feature is a float32 and is written with 9 significant digits, which a
 * reader of float32 turns back into the same bits; a target is a double and
 * gets 17. Numbers are made by hand, for speed (the benches write hundreds
 * of megabytes) and because printf takes its decimal point from the host
 * program's locale.
 */
#include "generate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
    GENERATE_BUFFER = 1 << 16,
    GENERATE_FIELD = 128 /* more than any one field or .npy header takes */
};

struct generate_writer {
    out_file out;
    const file_format *format;
    int64_t features;
    int cause; /* errno of the first write that failed, or 0 */
    size_t used;
    char path[sizeof(shown)];
    char buffer[GENERATE_BUFFER];
};

/* ---- the buffer ---- */

static void generate_flush(generate_writer *w)
{
    if (w->used && !w->cause) {
        errno = 0;
        if (fwrite(w->buffer, 1, w->used, w->out.stream) != w->used)
            w->cause = errno ? errno : EIO;
    }
    w->used = 0;
}

/* Where the next field goes; there is room for GENERATE_FIELD bytes. */
static char *generate_field(generate_writer *w)
{
    if (w->used > GENERATE_BUFFER - GENERATE_FIELD)
        generate_flush(w);
    return w->buffer + w->used;
}

/* The field ends where `end` is. */
static void generate_done(generate_writer *w, const char *end)
{
    w->used = (size_t)(end - w->buffer);
}

/* ---- numbers as text ---- */

/* n in decimal, with zeros in front up to `width` digits. */
static char *generate_digits(char *at, uint64_t n, int width)
{
    char digits[20];
    int count = 0;
    for (; n || count < width; n /= 10)
        digits[count++] = (char)('0' + n % 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

static char *generate_general(char *at, double x, int digits)
{
    return stpcpy(at, sotto_number_print(x, digits).text);
}

/*
 * The same bytes as %.9g. From 1e-4 up, where %g uses no exponent, a 24-bit
 * significand times 10^k, k <= 12, has at most 24 + 28 significant bits: the
 * product in double is exact, and so is the rounding to 9 digits.
 */
static char *generate_float(char *at, float x)
{
    static const double power[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                   1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    double size = fabs((double)x);
    if (size == 0 && !signbit(x)) /* most of a text-like set */
        return stpcpy(at, "0");
    if (!(size >= 1e-4 && size < 1e9))
        return generate_general(at, (double)x, 9);
    int k = 12;
    while (size * power[k] >= 1e9)
        k--;
    double scaled = size * power[k];
    uint64_t digits = (uint64_t)scaled;
    double rest = scaled - (double)digits;
    digits += rest > 0.5 || (rest == 0.5 && digits % 2);
    for (; k && digits % 10 == 0; k--)
        digits /= 10;
    uint64_t unit = (uint64_t)power[k];
    if (x < 0)
        *at++ = '-';
    at = generate_digits(at, digits / unit, 1);
    if (k) {
        *at++ = '.';
        at = generate_digits(at, digits % unit, k);
    }
    return at;
}

/* ---- CSV ---- */

/* The value in column j, for j from 0 up; *next starts at 0. */
static float generate_column(const generate_row *row, int64_t j, int64_t *next)
{
    if (!row->index)
        return row->value[j];
    if (*next < row->count && row->index[*next] == (uint64_t)j)
        return row->value[(*next)++];
    return 0;
}

void generate_csv_header(generate_writer *w, int64_t rows)
{
    (void)rows;
    for (int64_t j = 1; j <= w->features; j++) {
        char *at = generate_field(w);
        *at++ = 'x';
        at = generate_digits(at, (uint64_t)j, 1);
        *at++ = ',';
        generate_done(w, at);
    }
    generate_done(w, stpcpy(generate_field(w), "target\n"));
}

void generate_csv_row(generate_writer *w, const generate_row *row)
{
    int64_t next = 0;
    for (int64_t j = 0; j < w->features; j++) {
        char *at = generate_field(w);
        at = generate_float(at, generate_column(row, j, &next));
        *at++ = ',';
        generate_done(w, at);
    }
    char *at = generate_general(generate_field(w), row->target, 17);
    *at++ = '\n';
    generate_done(w, at);
}

/* ---- svmlight ---- */

void generate_svmlight_row(generate_writer *w, const generate_row *row)
{
    generate_done(w, generate_general(generate_field(w), row->target, 17));
    for (int64_t i = 0; i < row->count; i++) {
        if (row->value[i] == 0)
            continue;
        uint64_t j = row->index ? row->index[i] : (uint64_t)i;
        char *at = generate_field(w);
        *at++ = ' ';
        at = generate_digits(at, j + 1, 1);
        *at++ = ':';
        generate_done(w, generate_float(at, row->value[i]));
    }
    char *at = generate_field(w);
    *at++ = '\n';
    generate_done(w, at);
}

/* ---- .npy ---- */

/* Format version 1.0: magic, the header's length, a Python dictionary that
   is padded with blanks so that the values start at a multiple of 64. */
void generate_npy_header(generate_writer *w, int64_t rows)
{
    enum { BEFORE = 10, TOTAL = 128 };
    char *start = generate_field(w), *at = start + BEFORE;
    memset(start, ' ', TOTAL);
    memcpy(start, "\x93NUMPY\x01\x00", 8);
    start[8] = TOTAL - BEFORE;
    start[9] = 0;
    at = stpcpy(at, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    at = generate_digits(at, (uint64_t)rows, 1);
    at = stpcpy(at, ", ");
    at = generate_digits(at, (uint64_t)w->features + 1, 1);
    at = stpcpy(at, "), }");
    *at = ' '; /* where stpcpy left its end */
    start[TOTAL - 1] = '\n';
    generate_done(w, start + TOTAL);
}

/* Byte by byte, low end first, whatever the order of this machine. */
static void generate_npy_value(generate_writer *w, double x)
{
    uint64_t bits;
    char *at = generate_field(w);
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++)
        at[i] = (char)(unsigned char)(bits >> 8 * i);
    generate_done(w, at + 8);
}

void generate_npy_row(generate_writer *w, const generate_row *row)
{
    int64_t next = 0;
    for (int64_t j = 0; j < w->features; j++)
        generate_npy_value(w, (double)generate_column(row, j, &next));
    generate_npy_value(w, row->target);
}

/* ---- what generate.h promises ---- */

/* The first failed write, if there was one, as the caller's error. */
static sotto_status generate_check(const generate_writer *w, sotto_error *error)
{
    if (!w->cause)
        return SOTTO_OK;
    return error_set(error, SOTTO_FAILED, "%s: cannot write: %s", w->path,
                     strerror(w->cause));
}

sotto_status generate_writer_new(generate_writer **out, const char *path,
                                 const file_format *format, int64_t rows,
                                 int64_t features, sotto_error *error)
{
    generate_writer *w = *out = mem_zeroed(1, sizeof *w);
    if (!w)
        return error_memory(error);
    w->format = format;
    w->features = features;
    shown name = show_name(strcmp(path, "-") ? path : "stdout");
    memcpy(w->path, name.text, sizeof w->path);
    sotto_status status = out_open(&w->out, path, error);
    if (status == SOTTO_OK) {
        if (format->write_header)
            format->write_header(w, rows);
        status = generate_check(w, error);
    }
    if (status != SOTTO_OK) {
        generate_writer_free(w);
        *out = NULL;
    }
    return status;
}

sotto_status generate_writer_add(generate_writer *w, const generate_row *row,
                                 sotto_error *error)
{
    w->format->write_row(w, row);
    return generate_check(w, error);
}

sotto_status generate_writer_commit(generate_writer *w, sotto_error *error)
{
    generate_flush(w);
    sotto_status status = generate_check(w, error);
    return status == SOTTO_OK ? out_commit(&w->out, error) : status;
}

void generate_writer_free(generate_writer *w)
{
    if (w)
        out_abandon(&w->out);
    mem_free(w);
}
