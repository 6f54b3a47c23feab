/*
 * What the tests of the readers share: options from a list, reading from
 * memory, refusals, comparing tables bit by bit.
 */
#ifndef SOTTO_READING_H
#define SOTTO_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data.h"
#include "option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct setting {
    const char *name, *value;
} setting;

#define SETTINGS(...) ((const setting[]){__VA_ARGS__, {NULL, NULL}})
#define NO_SETTINGS ((const setting[]){{NULL, NULL}})

__attribute__((unused)) static sotto_options *options_with(const setting *s)
{
    sotto_options *o;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (; s->name; s++)
        assert_int_equal(sotto_options_set(o, s->name, s->value, &error),
                         SOTTO_OK);
    return o;
}

__attribute__((unused)) static sotto_status
try_read(sotto_table **t, const char *name, const void *bytes, size_t size,
         const setting *s, sotto_error *error)
{
    sotto_options *o = options_with(s);
    *t = NULL;
    error->message[0] = 0;
    sotto_status status = table_read_memory(t, name, bytes, size, o, error);
    sotto_options_free(o);
    return status;
}

__attribute__((unused)) static sotto_table *
read_bytes(const char *name, const void *bytes, size_t size, const setting *s)
{
    sotto_table *t;
    sotto_error error;
    if (try_read(&t, name, bytes, size, s, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    return t;
}

__attribute__((unused)) static sotto_table *
read_text(const char *name, const char *text, const setting *s)
{
    return read_bytes(name, text, strlen(text), s);
}

/* Reading must fail with this status and a message that has these words. */
__attribute__((unused)) static void refuse(const char *name, const char *text,
                                           size_t size, const setting *s,
                                           sotto_status status,
                                           const char *words)
{
    sotto_table *t;
    sotto_error error;
    assert_int_equal(try_read(&t, name, text, size, s, &error), status);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
    assert_null(strchr(error.message, '\n'));
}

__attribute__((unused)) static void refuse_text(const char *name,
                                                const char *text,
                                                const setting *s,
                                                const char *words)
{
    refuse(name, text, strlen(text), s, SOTTO_DATA, words);
}

__attribute__((unused)) static double cell(const sotto_table *t, int64_t i,
                                           int64_t j)
{
    double *x = calloc((size_t)t->rows + 1, sizeof *x);
    table_stored(t, j, x);
    double v = x[i];
    free(x);
    return v;
}

/* All that training would see, as bytes in a fixed order. */
__attribute__((unused)) static void
assert_same_rows(const sotto_table *a, int64_t from_a, const sotto_table *b,
                 int64_t from_b, int64_t count)
{
    assert_int_equal(a->features, b->features);
    double *x = calloc((size_t)a->rows + 1, sizeof *x);
    double *z = calloc((size_t)b->rows + 1, sizeof *z);
    for (int64_t j = 0; j < a->features; j++) {
        table_stored(a, j, x);
        table_stored(b, j, z);
        assert_memory_equal(x + from_a, z + from_b, (size_t)count * sizeof *x);
    }
    if (a->y)
        assert_memory_equal(a->y + from_a, b->y + from_b,
                            (size_t)count * sizeof *x);
    free(x);
    free(z);
}

__attribute__((unused)) static void assert_same(const sotto_table *a,
                                                const sotto_table *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_same_rows(a, 0, b, 0, a->rows);
}

/* An array as a .npy file. */
__attribute__((unused)) static size_t npy_make(char *to, const char *type,
                                               int fortran, const double *x,
                                               int rows, int columns)
{
    char header[128];
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': %s, "
                          "'shape': (%d, %d), }\n",
                          type, fortran ? "True" : "False", rows, columns);
    memcpy(to, "\x93NUMPY\x01\x00", 8);
    to[8] = (char)length;
    to[9] = 0;
    memcpy(to + 10, header, (size_t)length);
    char *at = to + 10 + length;
    for (int k = 0; k < rows * columns; k++) {
        double v = fortran ? x[k % rows * columns + k / rows] : x[k];
        float f = (float)v;
        size_t size = type[2] == '8' ? 8 : 4;
        memcpy(at, size == 8 ? (void *)&v : (void *)&f, size);
        at += size;
    }
    return (size_t)(at - to);
}

__attribute__((unused)) static char *write_temporary(const char *text)
{
    static char path[] = "/tmp/sotto-test-XXXXXX";
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    return path;
}

#endif
