/*
 * Tests that replace the gate's two functions at link time (--wrap) share this.
 */
#ifndef SOTTO_TEST_WRAPPED_H
#define SOTTO_TEST_WRAPPED_H

#include "curator/internal.h"

sotto_status __real_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error);
sotto_status __wrap_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error);
sotto_status __real_gate_choose(curator *c, const gate_contest *q,
                                int64_t *winner, sotto_error *error);
sotto_status __wrap_gate_choose(curator *c, const gate_contest *q,
                                int64_t *winner, sotto_error *error);

/* A hash of x: it looks random, and is the same in every run. */
static inline uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif
