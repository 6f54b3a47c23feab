/*
 * What the files of private training share: a run, its plan, and what each
 * solver brings along.
 */
#ifndef SOTTO_FIT_PRIVATE_H
#define SOTTO_FIT_PRIVATE_H

#include "curator.h"
#include "fit.h"
#include "solver.h"

/* ---- policy.c ---- */

solver_facts fit_facts(const sotto_table *t, const sotto_options *options);
solver_facts fit_planned_facts(const sotto_options *options);
curator_policy fit_policy(const solver_facts *f, const fit_task *task,
                          const solver_row *solver,
                          const sotto_options *options);
const char *fit_rows_come_from(const sotto_options *options);

/* ---- heeded.c ---- */

/* Refuses options that this solver would pass over. */
sotto_status fit_check_heeded(const sotto_options *options, const char *solver,
                              sotto_error *error);

/* ---- smoothness.c ---- */

sotto_status fit_find_smoothness(solver_smoothness *s, const sotto_table *t,
                                 const fit_task *task,
                                 const sotto_options *options, int bought,
                                 sotto_error *error);
const char *fit_smoothness_word(const sotto_options *options);

/* The part of the budget that "private:0.1" says; 0 for others. */
sotto_status fit_moments_share(const sotto_options *options, double *share,
                               sotto_error *error);

/* ---- a run ---- */

typedef struct private_run {
    solver_run run; /* what the solver sees */
    fit_task task;
    char *unit_column; /* that says whose rows they are; NULL: none */
    curator_policy policy;

    /* with records only */
    fit_maps maps;
    solver_answer answer;
    const sotto_watch *watch;
} private_run;

/* Refuses thresholds unit sqrt(M_j) out of [low, high], where the M_j are
   known before the first question. */
sotto_status fit_check_thresholds(const solver_run *r, double unit, double low,
                                  double high, sotto_error *error);

/* Those that a float can hold times what a record can add, with room. */
#define FIT_LEAST_CLIP 1e-31
#define FIT_MOST_CLIP 1e43

extern const solver_row fit_cd, fit_gcd, fit_gd, fit_sgd, fit_ssp, fit_svrg,
    fit_scd, fit_scd_paper, fit_scd_seq, fit_scd_primal, fit_fw, fit_bcfw,
    fit_newton, fit_auto, fit_output, fit_objective;

typedef struct fit_blocks {
    bcfw_domain domain;
    bcfw_sampling sampling;
    bcfw_block *block;
    int64_t *coordinate; /* of all blocks */
    int64_t *owner;      /* each feature's block, from 1 */
} fit_blocks;

/* What is planned, or what an answer has made of it. */
typedef struct newton_planned {
    newton_facts whole; /* with the mu of all questions together */
    newton_rule rule;   /* what the plan is made by */
    solver_path path;
    const char *why;
} newton_planned;

/* ---- private.c ---- */

/* The solver that the options name; auto, where they name none. */
const solver_row *fit_solver(const sotto_options *options);

/* Asks what every solver needs first, where it is not public. */
sotto_status fit_ask_first(solver_run *r, sotto_error *error);

/* Makes what the solver sees, and the policy, of the task and the facts. */
void fit_begin_run(private_run *r);
void fit_end_run(private_run *r);

/* ---- descent.c: gradient steps ---- */

sotto_status fit_check_descent(const sotto_options *options, const char *solver,
                               sotto_error *error);
sotto_status fit_descent_ready(const solver_run *r, sotto_error *error);
int64_t fit_descent_steps(const sotto_options *options);

/* Refuses so few that hardly anybody is in one. */
sotto_status fit_check_batches(const sotto_options *options, double rate,
                               double steps, sotto_error *error);
descent_settings fit_descent_settings(const solver_run *r);

/* ---- explain.c ---- */

/* What auto would do and why, for people. */
void newton_explain(const solver_run *r, text_buffer *out);

/* ---- frank_wolfe.c: what fw and bcfw share ---- */

sotto_status fit_check_frank_wolfe(const sotto_options *options,
                                   sotto_error *error);
double fit_vertex_clip(const sotto_options *options);

/* How far the intercept may go; 0: there is none. */
double fit_intercept_radius(const solver_run *r);

/* Plans so many choices of vertices, with the noise that the budget takes. */
sotto_status fit_plan_vertices(solver_run *r, double count, sotto_error *error);

/* So many choices of vertices, out of a plan that waits. */
void fit_later_vertices(double count, double share, ask_plan *out);

/* ---- steps.c: how many, where it is a rule of the number of rows ---- */

/* Whether that number has to be asked first. */
int fit_steps_wait(const solver_run *r);

/* How many, where they do not wait. */
sotto_status fit_usual_steps(const solver_run *r, double *out,
                             sotto_error *error);

/* Adds the questions of so many steps, which have this much of 2 rho between
   them. */
typedef void (*steps_later)(const solver_run *r, double steps, double share,
                            ask_plan *out);

/* Makes a number of steps the solver's state; NULL: out of memory. */
double *fit_keep_steps(solver_run *r);

/* The plan of those that wait: a step has at most so many questions. */
sotto_status fit_plan_waiting(solver_run *r, double most, steps_later add,
                              sotto_error *error);

/* Where the plan waited: how many, now that there is an answer, and tells
   their questions. */
sotto_status fit_tell_steps(const solver_run *r, steps_later add, double *steps,
                            sotto_error *error);

/* What `sotto plan --explain` says of a plan with such steps. */
void fit_explain_steps(const solver_run *r, double steps, text_buffer *out);

/* ---- blocks.c ---- */

/* Whether --blocks is a number. */
int fit_blocks_number(const sotto_options *options, double *out);

/* What --blocks and --sampling say; to be freed whatever the status. */
sotto_status fit_read_blocks(fit_blocks *b, const solver_run *r,
                             sotto_error *error);
void fit_free_blocks(fit_blocks *b);

/* ---- noise.c ---- */

/*
 * Begins a plan: the number of rows, where it is not public, and the
 * smoothness, where it is to be asked for. *left is what they leave of the
 * budget, as a share: of mu^2, which rho is half of, or of epsilon where
 * `noise` is ASK_LAPLACE.
 */
sotto_status fit_plan_begin(solver_run *r, ask_noise noise, double *left,
                            sotto_error *error);

void fit_plan_add(solver_run *r, ask_item item);

/* The level, in the plan's own units, of each of `count` questions that have
   this share between them. */
double fit_level(ask_noise noise, double share, double count);

/* `count` of all questions that have this share between them, to batches of
   this rate; 1 is all rows, without coins or a secret about who is in. */
ask_item fit_batches(ask_kind kind, int64_t count, double share, double all,
                     double rate);

/*
 * Divides all levels by the least number that makes the plan cost no more
 * than the budget.
 */
sotto_status fit_calibrate(solver_run *r, sotto_error *error);

/* The multiplier of a paper's own formula, by its name in account/paper.c. */
sotto_status fit_paper_multiplier(const solver_run *r, const char *name,
                                  double steps, double *z, sotto_error *error);

/* ---- bought.c: bounds that nobody declared ---- */

/* Makes the answer's bounds, of what is declared. */
sotto_status fit_begin_bought(private_run *r, sotto_error *error);

/* Where smoothness comes from, for a statement. */
const char *fit_bounds_word(const private_run *r);

/* Whether there are some that were bought, and a statement's line of them. */
int fit_has_bought(const private_run *r);
void fit_put_bought(const private_run *r, const sotto_model *m, text_buffer *t);

/* The model's schema has them, as if they had been declared. */
sotto_status fit_declare_bought(const private_run *r, sotto_model *m,
                                sotto_error *error);

/* ---- bounds.c ---- */

/* The DP-GCD paper's bounds for so many steps, of the constants in --set. */
sotto_status fit_gcd_bounds(const solver_run *r, double steps, text_buffer *t,
                            sotto_error *error);

#endif
