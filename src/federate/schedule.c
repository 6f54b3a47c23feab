/*
 * Whose turn each round is, and its step size. Both are public and follow from
 * the agreement alone.
 */
#include "internal.h"

/* The parties that may send sketches. */
static int mover(const federation *f, int which)
{
    for (int k = 0; k < f->parties; k++)
        if (f->party[k].cap > 0 && which-- == 0)
            return k;
    return -1;
}

/* The i-th number of the public seed's stream, below `below`. */
static int drawn(const federation *f, int64_t i, int below)
{
    return (int)ask_place_of(~f->seed, i, below).bucket;
}

/* Every K rounds are a permutation (Fisher and Yates), or each round is an
   independent draw. The last block is drawn in full, too. */
static void fill_turns(federation *f)
{
    int64_t end = (f->rounds + f->movers - 1) / f->movers * f->movers;
    for (int64_t t = 0; t < end; t++) {
        int in_block = (int)(t % f->movers);
        if (!f->permuted) {
            f->turn[t] = drawn(f, t, f->movers);
            continue;
        }
        int64_t first = t - in_block;
        int other = drawn(f, t, in_block + 1);
        f->turn[t] = in_block;
        if (other < in_block) {
            f->turn[t] = f->turn[first + other];
            f->turn[first + other] = in_block;
        }
    }
}

sotto_status federation_schedule(federation *f, sotto_error *error)
{
    mem_free(f->turn);
    f->movers = 0;
    for (int k = 0; k < f->parties; k++) {
        f->movers += f->party[k].cap > 0;
        f->party[k].turns = 0;
    }
    f->turn = mem_zeroed((size_t)(f->rounds + f->movers), sizeof *f->turn);
    if (!f->turn)
        return error_memory(error);
    fill_turns(f);
    for (int64_t t = 0; t < f->rounds; t++) {
        f->turn[t] = mover(f, f->turn[t]);
        f->party[f->turn[t]].turns++;
    }
    return SOTTO_OK;
}

double federation_step(const federation *f, int64_t t)
{
    return 2. * f->movers / ((double)t + 2. * f->movers);
}

void federation_move(const federation *f, int k, double *weight, int64_t round,
                     int64_t column, int sign)
{
    double gamma = federation_step(f, round - 1);
    int64_t columns = federation_columns(f, k);
    for (int64_t i = 0; i < columns; i++)
        weight[i] *= 1 - gamma;
    weight[column] -= gamma * sign * f->party[k].radius;
}
