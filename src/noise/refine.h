/*
 * refine: what the samplers share when they decide in 256-bit fixed point.
 */
#ifndef SOTTO_REFINE_H
#define SOTTO_REFINE_H

#include "fixed256.h"
#include "noise.h"

/* -ln u for a fraction u of 192 bits, within 2^-183. u = 0, which has
   probability 2^-192, counts as one unit. */
fixed256 noise_fixed256_exponential(fixed256 u);

/* times rate, exactly; 2^20 if it is about that or more, which no noise of
   192 bits can make up for. */
fixed256 noise_fixed256_rate(uint64_t times, double rate);

sotto_status noise_check_rate(double rate, sotto_error *error);

/* The number of scores of a selection, and its rate. */
sotto_status noise_check_selection(size_t count, double rate,
                                   sotto_error *error);

#endif
