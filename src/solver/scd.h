/*
 * The solver's own header: what DP-SCD and its variants share.
 */
#ifndef SOTTO_SOLVER_SCD_H
#define SOTTO_SOLVER_SCD_H

#include "planning.h"

typedef struct scd_settings {
    int64_t steps;      /* T */
    double rate;        /* q: each record is in a batch with this probability */
    double clip;        /* C: how far a record may move the shared vector */
    double least, most; /* between which C follows the answers; 0: it stays */
    double average;     /* the last part of all steps that is averaged */
    int sequence;       /* public blocks of rows, each row after the other */
    double dual_noise;  /* sd of noise on dual variables, in clips; 0 but in the
                           paper's own algorithm */
} scd_settings;

/* What the defaults follow from, all of it public or paid for. */
typedef struct scd_facts {
    double rows, features;
    double mu; /* of all questions, as one Gaussian question about the rows */
    double l2; /* over the square of R */
} scd_facts;

/* ---- scd_rule.c: passes P, steps, batch rate, and clip x P in units of R ----
 */

double scd_rule_passes(const scd_facts *f);
double scd_rule_steps(const scd_facts *f, double passes);
double scd_rule_rate(const scd_facts *f, double passes, double steps);
double scd_rule_travel(const scd_facts *f, double passes);

/* ---- scd.c ---- */

sotto_status scd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const scd_settings *settings, solver_progress progress,
                     void *context, sotto_error *error);

#define SCD_AVERAGE                                                            \
    {                                                                          \
        OPTION_AVERAGE, "0.5", "the last part of the steps that is averaged"   \
    }
#define SCD_CLIP                                                               \
    {                                                                          \
        OPTION_CLIP, "half of the first step of a row of norm R and target 1", \
            SCD_CLIP_MEANING                                                   \
    }
#define SCD_CLIP_MEANING "how far a record may move the shared vector in a step"
#define SCD_NORM_BOUND                                                         \
    {                                                                          \
        OPTION_NORM_BOUND, "1",                                                \
            "rows longer than R, in the units of the fit, are shortened to "   \
            "R, in "                                                           \
            "training and in prediction; inf: none is"                         \
    }

/* ---- scd_plan.c ---- */

sotto_status scd_refuse(const sotto_options *options, const char *what,
                        sotto_error *error);
sotto_status scd_check(const sotto_options *options, sotto_error *error);

/* The norm that settings go by. */
double scd_usual_norm(const sotto_options *options);

/* The probability with which a row is in a batch. */
double scd_rate(const solver_run *r);

/* Refuses what is beyond the curator's bounds of a dual step. */
sotto_status scd_check_size(const solver_run *r, double clip,
                            sotto_error *error);
scd_settings scd_make_settings(const solver_run *r);

#endif
