/*
 * refine: what the samplers share when they decide in wide arithmetic.
 */
#ifndef SOTTO_REFINE_H
#define SOTTO_REFINE_H

#include "noise.h"
#include "fixed256.h"

/* -ln u for a fraction u of 192 bits, within 2^-183. u = 0, which has
   probability 2^-192, counts as one unit. */
wide noise_wide_exponential(wide u);

/* times rate, exactly; 2^20 if it is about that or more, which no noise of
   192 bits can make up for. */
wide noise_wide_rate(uint64_t times, double rate);

sotto_status noise_check_rate(double rate, sotto_error *error);

/* The number of scores of a selection, and its rate. */
sotto_status noise_check_selection(size_t count, double rate,
                                   sotto_error *error);

#endif
