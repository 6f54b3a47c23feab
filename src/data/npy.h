/*
 * npy: what the header and the values of a .npy file share.
 */
#ifndef SOTTO_NPY_H
#define SOTTO_NPY_H

#include "reader.h"

typedef struct npy_array {
    int64_t rows, columns;
    size_t element; /* 4 or 8 bytes */
    int by_column;  /* Fortran order */
} npy_array;

/* The header, which is taken from the source. */
sotto_status npy_header(source *s, npy_array *a, sotto_error *error);

/* So many bytes; it is an error when there are fewer. */
sotto_status npy_take(source *s, void *to, size_t size, sotto_error *error);

sotto_status npy_cut_off(const source *s, sotto_error *error);

/* Columns without names are called 1, 2, ... */
sotto_status npy_names(file_header *h, int64_t columns, sotto_error *error);
sotto_status npy_header_names(source *s, const sotto_options *options,
                              file_header *out, sotto_error *error);

#endif
