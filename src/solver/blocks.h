/*
 * The solver's own header: drawing blocks, and features of a block.
 */
#ifndef SOTTO_SOLVER_BLOCKS_H
#define SOTTO_SOLVER_BLOCKS_H

#include "planning.h"

/* ---- fw.c: private Frank-Wolfe ---- */

typedef struct fw_settings {
    int64_t steps;    /* T */
    double radius;    /* of the L1 ball */
    double intercept; /* how far the intercept may go; 0: there is none */
    double clip;      /* C: of every partial derivative of a record */
} fw_settings;

sotto_status fw_run(solver_answer *out, curator *c, const solver_problem *p,
                    const fw_settings *s, solver_progress progress,
                    void *context, sotto_error *error);

/* ---- bcfw.c, sampling.c: block-coordinate Frank-Wolfe ---- */

/* An L1 ball, or a box with 0 in it. */
typedef struct bcfw_block {
    const int64_t *coordinate; /* in ascending order */
    int64_t count;
    double radius;    /* of a ball; 0: a box */
    double low, high; /* of a box */
} bcfw_block;

/* The product of its blocks; the intercept is an interval of its own. */
typedef struct bcfw_domain {
    const bcfw_block *block;
    int64_t blocks;
    double intercept; /* from -this to this; 0: there is none */
} bcfw_domain;

typedef enum bcfw_kind {
    BCFW_ALL,         /* all blocks */
    BCFW_SERIAL,      /* one, each as likely */
    BCFW_NICE,        /* tau, each set of them as likely */
    BCFW_DISTRIBUTED, /* tau of those of each party */
    BCFW_GIVEN        /* sets with probabilities */
} bcfw_kind;

/* The intercept moves in every step, whatever the sampling is. */
typedef struct bcfw_sampling {
    bcfw_kind kind;
    int64_t tau;
    int64_t parties; /* which have runs of the blocks */

    int64_t sets; /* of BCFW_GIVEN: set k is block[start[k] .. start[k+1]) */
    double *probability;
    int64_t *start, *block;
    double *chance; /* and what that makes for each block */
} bcfw_sampling;

/* The least probability with which a block is drawn: p_min. */
double bcfw_least(const bcfw_domain *d, const bcfw_sampling *s);

/* The most questions that a step can have. */
int64_t bcfw_most(const bcfw_domain *d, const bcfw_sampling *s);

typedef struct bcfw_settings {
    int64_t steps;      /* T */
    double clip;        /* C: of every partial derivative of a record */
    int64_t candidates; /* of a ball, drawn in each step; 0: all */
    const bcfw_sampling *sampling;
} bcfw_settings;

sotto_status bcfw_run(solver_answer *out, curator *c, const solver_problem *p,
                      const bcfw_domain *d, const bcfw_settings *settings,
                      solver_progress progress, void *context,
                      sotto_error *error);

/* Puts `tau` of the list, each as likely as any, to its front. */
void sampling_pick(uint64_t *state, int64_t *list, int64_t count, int64_t tau);

/* The blocks of a step into out, which has room for all; how many. */
int64_t bcfw_draw(const bcfw_domain *d, const bcfw_sampling *s, uint64_t *state,
                  int64_t *out);

/* ---- blocks.c ---- */

typedef struct bcfw_blocks {
    bcfw_domain domain;
    bcfw_sampling sampling;
    bcfw_block *block;
    int64_t *coordinate; /* of all blocks */
    int64_t *owner;      /* each feature's block, from 1 */
} bcfw_blocks;

/* Whether --blocks is a number. */
int blocks_number(const sotto_options *options, double *out);

/* What --blocks and --sampling say; to be freed whatever the status. */
sotto_status blocks_read(bcfw_blocks *b, const solver_run *r,
                         sotto_error *error);
void blocks_free(bcfw_blocks *b);

/* ---- frank_wolfe.c: what fw and bcfw share ---- */

#define FRANK_WOLFE_OPTIONS                                                    \
    STEPS_OPTION,                                                              \
        {OPTION_CLIP, "1", "a record's part of each coordinate is at most C"}, \
    {                                                                          \
        OPTION_INTERCEPT_RADIUS, NULL,                                         \
            "the intercept stays between -B and B, in the units of the fit "   \
            "(or --no-intercept); it costs a question in each step"            \
    }

sotto_status frank_wolfe_check(const sotto_options *options,
                               sotto_error *error);

/* How far the intercept may go; 0: there is none. */
double frank_wolfe_intercept(const solver_run *r);

/* Plans so many choices of vertices, with the noise that the budget takes. */
sotto_status frank_wolfe_plan(solver_run *r, double count, sotto_error *error);

/* So many choices of vertices, out of a plan that waits. */
void frank_wolfe_later(double count, double share, ask_plan *out);

#endif
