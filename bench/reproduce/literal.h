/*
 * literal: two algorithms as the papers print them, to stand beside ours. They
 * see the records, their noise is in floating point and from a seed, and what
 * their papers claim of them is not proven: NOT PRIVATE, and no part of sotto.
 *
 *  - DP-GCD, Algorithms 1 and 2: Laplace noise on every partial derivative,
 *    inside the rule that chooses (--calibration paper has noise of the same
 *    size on the score).
 *  - DP-SGD with batches of one row, drawn with equal chances.
 */
#ifndef SOTTO_BENCH_LITERAL_H
#define SOTTO_BENCH_LITERAL_H

#include "cell.h"

/* Whether the options of a cell are those of one of the two. */
sotto_status literal_check(const sotto_options *options, sotto_error *error);

/* What a cell's noise is proven to guarantee; NaN: nothing that the accountant
   knows covers it. The plan is made. */
sotto_status literal_price(const cell *c, double *epsilon, sotto_error *error);

/* One run of a cell that is prepared; weights are zeros at first. */
sotto_status literal_train(const cell *c, uint64_t seed, double *weight,
                           sotto_error *error);

/* Frees the rows that were kept. */
void literal_end(void);

#endif
