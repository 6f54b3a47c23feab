/*
 * Synthetic sets. generate.c makes the rows, one at a time, from the random
 * numbers of generate_random.c; generate_write.c puts them into a file. None
 * of them ever holds more than one row.
 */
#ifndef SOTTO_GENERATE_H
#define SOTTO_GENERATE_H

#include "format.h"

/* ---- random numbers (NOT for privacy noise) ---- */

typedef struct generate_random {
    uint64_t s[4];
    double spare; /* a normal number left from the pair before */
    int has_spare;
} generate_random;

void generate_seed(generate_random *r, const char *name, uint64_t seed);

/* Uniform inside (0, 1). */
double generate_uniform(generate_random *r);

/* Standard normal. */
double generate_normal(generate_random *r);

/* Words from 0 to words - 1, word j with P(j) ~ (j + offset)^-1.1. */
typedef struct generate_zipf {
    double offset, last, top, bottom, squeeze;
} generate_zipf;

void generate_zipf_open(generate_zipf *z, double offset, double words);
uint32_t generate_word(generate_random *r, const generate_zipf *z);

/* As log and exp (|x| below 700), with the same bits on every machine. */
double generate_log(double x);
double generate_exp(double x);

void generate_sort(uint32_t *x, int64_t count);

/* ---- writers ---- */

/* One row: its stored columns, in increasing order, and its target. */
typedef struct generate_row {
    uint32_t *index; /* from 0; NULL when every column is stored */
    float *value;
    int64_t count;
    double target;
} generate_row;

typedef struct generate_writer generate_writer;

/* Opens the file and writes its header. */
sotto_status generate_writer_new(generate_writer **out, const char *path,
                                 const file_format *format, int64_t rows,
                                 int64_t features, sotto_error *error);

/* Writes one row; on failure there is nothing left to do but to free. */
sotto_status generate_writer_add(generate_writer *writer,
                                 const generate_row *row, sotto_error *error);

/* Lets the file appear under its name. */
sotto_status generate_writer_commit(generate_writer *writer,
                                    sotto_error *error);

/* Frees; without a commit before, no file appears. NULL is fine. */
void generate_writer_free(generate_writer *writer);

/* ---- what each format writes ---- */

/* generate_csv_row, generate_svmlight_row, ... */
#define GENERATE_ROW(id, ...)                                                  \
    void generate_##id##_row(generate_writer *w, const generate_row *row);
FORMAT_LIST(GENERATE_ROW)
#undef GENERATE_ROW

/* of the formats that have a header */
void generate_csv_header(generate_writer *w, int64_t rows);
void generate_npy_header(generate_writer *w, int64_t rows);

#endif
