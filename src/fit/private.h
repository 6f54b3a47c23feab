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

/* What is public about a table, or about one that is only planned for. */
typedef struct public_facts {
    int64_t features;
    double rows; /* 0: not public */
    double weight_bound;
    int has_people;
    int only_planned;    /* `rows` may stand for a number that is not known */
    double target_reach; /* how far targets go, by declaration; or infinite */
    int64_t scaled;      /* features that are divided by their row's length */
} public_facts;

public_facts fit_facts(const sotto_table *t, const sotto_options *options);
public_facts fit_planned_facts(const sotto_options *options);
account_adjacency fit_adjacency(const sotto_options *options);
curator_policy fit_policy(const public_facts *f, const fit_task *task,
                          const sotto_options *options);
const char *fit_rows_come_from(const sotto_options *options);

/* ---- heeded.c ---- */

/* Refuses options that this solver would pass over. */
sotto_status fit_check_heeded(const sotto_options *options, const char *solver,
                              sotto_error *error);

/* ---- smoothness.c ---- */

typedef struct smoothness {
    double *m;     /* features, and the intercept */
    double *reach; /* how far each feature goes */
    double target_reach;
    double share; /* of the budget; 0: nothing is asked */
    const char *how;
} smoothness;

sotto_status fit_find_smoothness(smoothness *s, const sotto_table *t,
                                 const fit_task *task,
                                 const sotto_options *options, int bought,
                                 sotto_error *error);
const char *fit_smoothness_word(const sotto_options *options);

/* The part of the budget that "private:0.1" says; 0 for others. */
sotto_status fit_moments_share(const sotto_options *options, double *share,
                               sotto_error *error);

/* ---- a run ---- */

typedef struct private_solver private_solver;

typedef struct fit_blocks {
    bcfw_domain domain;
    bcfw_sampling sampling;
    bcfw_block *block;
    int64_t *coordinate; /* of all blocks */
    int64_t *owner;      /* each feature's block, from 1 */
} fit_blocks;

typedef struct private_run {
    const sotto_options *options;
    const private_solver *solver;
    fit_task task;
    char *unit_column; /* that says whose rows they are; NULL: none */
    public_facts facts;
    curator_policy policy;
    ask_plan plan;
    newton_facts whole; /* of auto and newton, with their mu */
    newton_rule newton; /* what the plan is made by */
    double *bought;     /* how far features and, behind them, the target go:
                           declared, or bought */
    solver_path path;
    const char *why;
    fit_blocks blocks; /* of bcfw: read once, so that it runs as planned */
    double steps;      /* of fw, bcfw and gcd: public, or of an answer */

    /* with records only */
    fit_maps maps;
    smoothness smooth;
    curator *curator;
    const sotto_watch *watch;
} private_run;

/*
 * What training with one solver takes. `plan` adds its questions to r->plan,
 * which already has those that come first, and gives all of them their
 * levels; it knows r's options, task, facts and policy, but no record.
 */
struct private_solver {
    const char *name;
    int smooth; /* it needs the smoothness */
    int buys;   /* it asks for bounds that are not declared */
    sotto_status (*check)(const sotto_options *options, sotto_error *error);
    sotto_status (*plan)(private_run *r, sotto_error *error);

    /* NULL, or adds the questions of so many steps, which have this much of
       2 rho between them: for a plan that waits for the number of rows. */
    void (*later)(const private_run *r, double steps, double share,
                  ask_plan *out);

    /* NULL, or refuses what the curator would refuse later, when it has been
       written down as spent: all that is public, before the first question.
       Where it is only planned, r->smooth.m is NULL. */
    sotto_status (*ready)(const private_run *r, sotto_error *error);
    sotto_status (*run)(private_run *r, const solver_problem *p,
                        solver_answer *out, solver_progress progress,
                        void *context, sotto_error *error);

    /* NULL, or adds to a plan what is asked for by --set: ", \"key\": ..." */
    sotto_status (*explain)(const private_run *r, text_buffer *t,
                            sotto_error *error);
};

/* Refuses thresholds unit sqrt(M_j) out of [low, high], where the M_j are
   known before the first question. */
sotto_status fit_check_thresholds(const private_run *r, double unit, double low,
                                  double high, sotto_error *error);

/* Those that a float can hold times what a record can add, with room. */
#define FIT_LEAST_CLIP 1e-31
#define FIT_MOST_CLIP 1e43

extern const private_solver fit_cd, fit_gcd, fit_gd, fit_sgd, fit_ssp, fit_svrg,
    fit_scd, fit_scd_paper, fit_scd_seq, fit_scd_primal, fit_fw, fit_bcfw,
    fit_newton, fit_auto, fit_output, fit_objective;

/* ---- private.c ---- */

/* The solver that the options name; auto, where they name none. */
const private_solver *fit_solver(const sotto_options *options);

/* Asks what every solver needs first, where it is not public. */
sotto_status fit_ask_first(private_run *r, sotto_error *error);

/* ---- descent.c: gradient steps ---- */

sotto_status fit_check_descent(const sotto_options *options, const char *solver,
                               sotto_error *error);
sotto_status fit_descent_ready(const private_run *r, sotto_error *error);
int64_t fit_descent_steps(const sotto_options *options);

/* Refuses so few that hardly anybody is in one. */
sotto_status fit_check_batches(const sotto_options *options, double rate,
                               double steps, sotto_error *error);
descent_settings fit_descent_settings(const private_run *r);

/* ---- explain.c ---- */

/* What auto would do and why, for people. */
void fit_explain(const private_run *r, text_buffer *out);

/* ---- frank_wolfe.c: what fw and bcfw share ---- */

sotto_status fit_check_frank_wolfe(const sotto_options *options,
                                   sotto_error *error);
double fit_vertex_clip(const sotto_options *options);

/* How far the intercept may go; 0: there is none. */
double fit_intercept_radius(const private_run *r);

/* Plans so many choices of vertices, with the noise that the budget takes. */
sotto_status fit_plan_vertices(private_run *r, double count,
                               sotto_error *error);

/* So many choices of vertices, out of a plan that waits. */
void fit_later_vertices(double count, double share, ask_plan *out);

/* ---- steps.c: how many, where it is a rule of the number of rows ---- */

/* Whether that number has to be asked first. */
int fit_steps_wait(const private_run *r);

/* How many, where they do not wait. */
sotto_status fit_usual_steps(const private_run *r, double *out,
                             sotto_error *error);

/* The plan of those that wait: a step has at most so many questions. */
sotto_status fit_plan_waiting(private_run *r, double most, sotto_error *error);

/* Sets r->steps, now that there is an answer, and tells their questions. */
sotto_status fit_tell_steps(private_run *r, sotto_error *error);

/* What `sotto plan --explain` says of a plan with such steps. */
void fit_explain_steps(const private_run *r, text_buffer *out);

/* ---- blocks.c ---- */

/* Whether --blocks is a number. */
int fit_blocks_number(const sotto_options *options, double *out);

/* What --blocks and --sampling say; to be freed whatever the status. */
sotto_status fit_read_blocks(fit_blocks *b, const private_run *r,
                             sotto_error *error);
void fit_free_blocks(fit_blocks *b);

/* ---- noise.c ---- */

/*
 * Begins a plan: the number of rows, where it is not public, and the
 * smoothness, where it is to be asked for. *left is what they leave of the
 * budget, as a share: of mu^2, which rho is half of, or of epsilon where
 * `noise` is ASK_LAPLACE.
 */
sotto_status fit_plan_begin(private_run *r, ask_noise noise, double *left,
                            sotto_error *error);

void fit_plan_add(private_run *r, ask_item item);

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
sotto_status fit_calibrate(private_run *r, sotto_error *error);

/* The multiplier of a paper's own formula, by its name in account/paper.c. */
sotto_status fit_paper_multiplier(const private_run *r, const char *name,
                                  double steps, double *z, sotto_error *error);

/* ---- bought.c: bounds that nobody declared ---- */

/* Makes r->bought, of what is declared. */
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
sotto_status fit_gcd_bounds(const private_run *r, double steps, text_buffer *t,
                            sotto_error *error);

#endif
