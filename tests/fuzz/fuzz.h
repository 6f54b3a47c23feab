/*
 * What the fuzz targets of the readers share: read the bytes as a file, look
 * at every stored value, and free it all.
 */
#ifndef SOTTO_FUZZ_H
#define SOTTO_FUZZ_H

#include "data.h"

#include <math.h>
#include <stdlib.h>

typedef struct fuzz_setting {
    const char *name, *value;
} fuzz_setting;

/* A value that depends on all that was read, so that nothing is optimised
   away; every stored value must be a finite number, and as small as it is
   said to be. */
static double fuzz_look(const sotto_table *t)
{
    double sum = 0, *x = calloc((size_t)t->rows + 1, sizeof *x);
    for (int64_t j = 0; j < t->features && j < 4096; j++) {
        table_stored(t, j, x);
        for (int64_t i = 0; i < t->rows; i++) {
            if (!(x[i] - x[i] == 0) ||
                (t->reach && !(fabs(x[i]) <= t->reach[j])))
                abort();
            sum += x[i];
        }
    }
    if (t->y)
        for (int64_t i = 0; i < t->rows; i++) {
            if (!(t->y[i] - t->y[i] == 0))
                abort();
            sum += t->y[i];
        }
    free(x);
    return sum;
}

static sotto_options *fuzz_options(const fuzz_setting *settings)
{
    sotto_options *options;
    sotto_error error;
    if (sotto_options_new(&options, &error) != SOTTO_OK)
        abort();
    for (; settings->name; settings++)
        if (sotto_options_set(options, settings->name, settings->value,
                              &error) != SOTTO_OK)
            abort();
    return options;
}

__attribute__((unused)) static void fuzz_read(const char *name,
                                              const uint8_t *bytes, size_t size,
                                              const fuzz_setting *settings)
{
    sotto_options *options = fuzz_options(settings);
    sotto_error error;
    sotto_table *t = NULL;
    volatile double seen = 0;
    sotto_status status =
        table_read_memory(&t, name, bytes, size, options, &error);
    if (status == SOTTO_OK)
        seen = fuzz_look(t);
    else if (!error.message[0])
        abort();
    (void)seen;
    sotto_table_free(t);
    sotto_options_free(options);
}

#endif
