/*
 * The solver's own header: drawing blocks, and features of a block.
 */
#ifndef SOTTO_SOLVER_BLOCKS_H
#define SOTTO_SOLVER_BLOCKS_H

#include "solver.h"

uint64_t sampling_random(uint64_t *state);

/* Puts `tau` of the list, each as likely as any, to its front. */
void sampling_pick(uint64_t *state, int64_t *list, int64_t count, int64_t tau);

/* The blocks of a step into out, which has room for all; how many. */
int64_t bcfw_draw(const bcfw_domain *d, const bcfw_sampling *s, uint64_t *state,
                  int64_t *out);

#endif
