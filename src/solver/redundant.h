/*
 * The solver's own header: directions of v that move no row's margin, because
 * the levels of a category add up to 1. They are declared, and so is what holds
 * weights along them: the penalty alone.
 */
#ifndef SOTTO_SOLVER_REDUNDANT_H
#define SOTTO_SOLVER_REDUNDANT_H

#include "solver.h"

typedef struct redundant {
    int64_t d, count;
    double *along; /* count x d: orthonormal directions of v */
    double *held;  /* count x d: see redundant_hold */
} redundant;

/* Of sums c'v: their standard errors, and what takes c'v to the middle of its
   interval, 0 where rows alone say what c'v is. refused is not
   INTERVAL_UNMODELLED where there is none; then the others are 0. */
typedef struct errors_found {
    double *error, *moved;
    unsigned char *refused;
} errors_found;

/* Margins are v'z, z = ((stored - centre) / scale, 1), the 1 of an intercept,
   and the penalty is a multiple of the sum of unit_j v_j^2. A direction that it
   does not hold is left out. */
typedef struct redundant_frame {
    int64_t features;
    int intercept;
    const int64_t *whole; /* solver_units */
    const double *centre, *scale, *unit;
} redundant_frame;

sotto_status redundant_make(redundant *out, const redundant_frame *f,
                            sotto_error *error);
void redundant_free(redundant *r);

/*
 * The penalised minimiser has no part along these directions, measured by the
 * penalty. So c'v is there what (hold c)'v is anywhere: the sum that is left
 * does not depend on them.
 */
void redundant_hold(const redundant *r, double *c);

/* By how much that takes c'v away from where v is. */
double redundant_moved(const redundant *r, const double *c, const double *held,
                       const double *v);

/* A symmetric matrix, d x d, without its part along these directions; and with
   so much of the unit matrix there. */
void redundant_clear(const redundant *r, double *matrix);
void redundant_lift(const redundant *r, double by, double *matrix);

/* x without its part in the span of orthonormal rows. */
void redundant_leave_out(const double *rows, int64_t count, int64_t d,
                         double *x);

/* Makes rows orthonormal, and leaves out those that the others span. Returns
   how many there are. */
int64_t redundant_orthonormal(double *rows, int64_t count, int64_t d);

#endif
