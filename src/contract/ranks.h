/*
 * ranks: several processes that hold shares of the rows and make one fit (ADR
 * 23). All of them run the same code, ask the same questions and are told the
 * same answers. What they say to each other goes through here.
 *
 * Every call is made by all ranks, and begins with a short word to all: whether
 * a rank has failed, and a check word of all that was told and asked so far. A
 * rank that fails elsewhere makes no more calls but sotto_ranks_agree, and the
 * others learn of it in the call that they are in. So no rank waits for one
 * that has left, and ranks that have come apart do not add up their sums.
 *
 * `mine` is how it went at this rank. The status that is returned is the same
 * at all ranks. If it is not SOTTO_OK the group is over: nothing more is sent.
 */
#ifndef SOTTO_RANKS_CONTRACT_H
#define SOTTO_RANKS_CONTRACT_H

#include "base.h"

struct sotto_ranks {
    sotto_rank_calls calls;
    uint64_t check; /* of what was told and asked; it leaves no rank */
    int over;
};

/* Whether there is more than one rank. NULL: this process alone. */
static inline int ranks_several(const sotto_ranks *g)
{
    return g && g->calls.ranks > 1;
}

/* Whether this rank draws noise, books and writes. */
static inline int ranks_is_root(const sotto_ranks *g)
{
    return !g || g->calls.rank == 0;
}

/* Adds something that is to be the same at all ranks to the check word. */
void ranks_mix(sotto_ranks *g, const void *bytes, size_t size);
static inline void ranks_note(sotto_ranks *g, const void *bytes, size_t size)
{
    if (ranks_several(g))
        ranks_mix(g, bytes, size);
}
static inline void ranks_note_number(sotto_ranks *g, double x)
{
    ranks_note(g, &x, sizeof x);
}

/* Sums over all ranks, to all of them or to the root. Elsewhere they are then
   wiped, and so are all where it fails. */
sotto_status ranks_sum(sotto_ranks *g, sotto_status mine, int64_t *values,
                       size_t count, sotto_error *error);
sotto_status ranks_sum_at_root(sotto_ranks *g, sotto_status mine,
                               int64_t *values, size_t count,
                               sotto_error *error);

/*
 * As ranks_sum_at_root, of sums that change little from one call to the next:
 * `now` are those here, `before` those of the last call (0 before the first),
 * and `total` gets those over all ranks at the root. What has changed is sent,
 * or all of it where that is less. If it fails the last two are wiped.
 */
sotto_status ranks_sum_changes(sotto_ranks *g, sotto_status mine,
                               const int64_t *now, int64_t *before,
                               int64_t *total, size_t count,
                               sotto_error *error);

/* The root's bytes to all. Up to eight cost no call more than the word. */
sotto_status ranks_share(sotto_ranks *g, sotto_status mine, void *bytes,
                         size_t size, sotto_error *error);

/* The largest of all ranks' numbers, place by place. One number costs no call
   more than the word. */
sotto_status ranks_most(sotto_ranks *g, sotto_status mine, uint64_t *values,
                        size_t count, sotto_error *error);

/* Every rank's number to all: all[r] is that of rank r. */
sotto_status ranks_each(sotto_ranks *g, sotto_status mine, uint64_t number,
                        uint64_t *all, sotto_error *error);

/* The sum of the numbers of the ranks before this one, and of all of them. */
sotto_status ranks_before(sotto_ranks *g, sotto_status mine, uint64_t number,
                          uint64_t *before, uint64_t *total,
                          sotto_error *error);

/*
 * To each rank r size[r] bytes, one after the other in `out`. What comes is in
 * *in, from rank after rank, and size[r] says how much came from r. It is to be
 * given back by ranks_forget whatever the status.
 */
sotto_status ranks_exchange(sotto_ranks *g, sotto_status mine, const void *out,
                            size_t *size, void **in, sotto_error *error);
void ranks_forget(const sotto_ranks *g, void *in, const size_t *size);

/*
 * Compares what has to be the same at all ranks, before anything is read: the
 * release, the options as `options_word` has them, and what the mathematical
 * library and the compiler make of given numbers.
 */
sotto_status ranks_compare(sotto_ranks *g, sotto_status mine,
                           uint64_t options_word, sotto_error *error);

/* A word of some bytes, from the word of what came before them. */
uint64_t ranks_word(uint64_t before, const void *bytes, size_t size);

#endif
