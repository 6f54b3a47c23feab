/*
 * The solver's own header: drawing blocks, and features of a block.
 */
#ifndef SOTTO_SOLVER_BLOCKS_H
#define SOTTO_SOLVER_BLOCKS_H

#include "planning.h"

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
