/*
 * The solver's own header: what DP-SCD and its variants share.
 */
#ifndef SOTTO_SOLVER_SCD_H
#define SOTTO_SOLVER_SCD_H

#include "planning.h"

/* How often each row, or coordinate, moves without --passes. */
enum { SCD_PASSES = 15 };

sotto_status scd_refuse(const sotto_options *options, const char *what,
                        sotto_error *error);
sotto_status scd_check(const sotto_options *options, sotto_error *error);

/* The norm that settings go by. */
double scd_usual_norm(const sotto_options *options);

/* The probability with which a row is in a batch. */
double scd_rate(const solver_run *r);

/* How far a record of this norm moves the shared vector in its first step;
   k is by how much the step is shortened. */
double scd_first_step(const loss *l, double norm, double k);

/* Refuses what is beyond the curator's bounds of a dual step. */
sotto_status scd_check_size(const solver_run *r, double clip,
                            sotto_error *error);
scd_settings scd_make_settings(const solver_run *r);

#endif
