/*
 * The solver's own header: what plans are made with.
 */
#ifndef SOTTO_SOLVER_PLANNING_H
#define SOTTO_SOLVER_PLANNING_H

#include "solver.h"

/* An option that means the same for several. */
#define SOLVER_SMOOTHNESS                                                      \
    {                                                                          \
        OPTION_SMOOTHNESS, "bounds",                                           \
            "where M_j comes from, how fast the slope along feature j can "    \
            "change: bounds (declared), private (asked for, with a share of "  \
            "the budget that follows from the number of rows and features), "  \
            "private:SHARE, or a file of numbers"                              \
    }

#define SOLVER_PENALTY_UNITS                                                   \
    {                                                                          \
        OPTION_PENALTY_UNITS, "fit",                                           \
            "the weights that --l1 and --l2 penalise: those of the fit, "      \
            "where "                                                           \
            "bounded columns are in [-1, 1], or those of the file's own units" \
    }

/* What most solvers need of a loss. */
extern const solver_need solver_needs_smooth;

/* ---- planning.c ---- */

/*
 * Begins a plan: the number of rows, where it is not public, and the
 * smoothness, where it is to be asked for. *left is what they leave of the
 * budget, as a share: of mu^2, or of epsilon where `noise` is ASK_LAPLACE.
 */
sotto_status solver_plan_begin(solver_run *r, ask_noise noise, double *left,
                               sotto_error *error);

void solver_plan_add(solver_run *r, ask_item item);

/* The level of all questions together, as one Gaussian's: mu. */
sotto_status solver_whole_level(const solver_run *r, double *level,
                                sotto_error *error);

/* The level, in the plan's own units, of each of `count` questions that have
   this share between them. */
double solver_level(ask_noise noise, double share, double count);

/* `count` of all questions that have this share between them, to batches of
   this rate; 1 is all rows, without coins or a secret about who is in. */
ask_item solver_batches(ask_kind kind, int64_t count, double share, double all,
                        double rate);

/*
 * Divides all levels by the least number that makes the plan cost no more
 * than the budget.
 */
sotto_status solver_calibrate(solver_run *r, sotto_error *error);

/* How many rows are independent at least, of those that were answered or
   declared: rows of one person may be alike, and a heavy row counts for
   several. */
double solver_sample(const solver_run *r);

/* The share of the budget that finds levels which nobody declared. */
double solver_levels_share(const solver_facts *f);

/* The multiplier of a paper's own formula, by its name in account/paper.c. */
sotto_status solver_paper_multiplier(const solver_run *r, const char *name,
                                     double steps, double rate, double *z,
                                     sotto_error *error);

/* Refuses thresholds unit sqrt(M_j) out of [low, high], where the M_j are
   known before the first question. */
sotto_status solver_check_thresholds(const solver_run *r, double unit,
                                     double low, double high,
                                     sotto_error *error);

/* Those that a float can hold times what a record can add, with room. */
#define SOLVER_LEAST_CLIP 1e-31
#define SOLVER_MOST_CLIP 1e43

/* ---- constants.c ---- */

/* The share of the budget that --smoothness private or private:SHARE is for
   the constants; 0: they are not asked for. */
sotto_status solver_constants_share(const solver_run *r, double *share,
                                    sotto_error *error);

/* Adds their questions, which solver_ask_constants asks. */
sotto_status solver_constants_add(solver_run *r, double share,
                                  sotto_error *error);

/* ---- prox.c ---- */

/* The u that makes (u - v)^2 / (2 step) + the penalty at u least. */
double solver_prox(const solver_problem *p, double v, double step);

/*
 * With --penalty-units file: the factors u_j by which a weight is larger in
 * the file's units than in the fit's, to be freed, and *p with the penalty
 * that goes with them: l1 |u_j w_j| + l2/2 (u_j w_j)^2. NULL: no memory.
 */
double *solver_file_units(const solver_run *r, solver_problem *p);

/* The problem as weight j has it, if what is penalised is `unit` times it. */
solver_problem solver_in_unit(const solver_problem *p, double unit);

/* ---- steps.c: how many, where it is a rule of the number of rows ---- */

#define STEPS_OPTION                                                           \
    {                                                                          \
        OPTION_STEPS, "n epsilon / (35 ln p), from 1 to 100",                  \
            "how many steps; if not given, a rule of the number of rows n "    \
            "and "                                                             \
            "features p; n is asked for privately where --rows is not given"   \
    }

/* Whether that number has to be asked first. */
int steps_wait(const solver_run *r);

/* How many, where they do not wait. */
sotto_status steps_usual(const solver_run *r, double *out, sotto_error *error);

/* Adds the questions of so many steps, which have this much of mu^2 between
   them. */
typedef void (*steps_later)(const solver_run *r, double steps, double share,
                            ask_plan *out);

/* Makes a number of steps the solver's state; NULL: out of memory. */
double *steps_keep(solver_run *r);

/* The plan of those that wait: a step has at most so many questions. */
sotto_status steps_plan(solver_run *r, double most, steps_later add,
                        sotto_error *error);

/* Where the plan waited: how many, now that there is an answer, and tells
   their questions. */
sotto_status steps_tell(const solver_run *r, steps_later add, double *steps,
                        sotto_error *error);

/* What `sotto plan --explain` says of a plan with such steps. */
void steps_explain(const solver_run *r, double steps, text_buffer *out);

#endif
