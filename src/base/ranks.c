/*
 * Ranks (contract/ranks.h): one word before every call, so that all ranks are
 * about the same thing, or end together.
 */
#include "ranks.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

uint64_t ranks_word(uint64_t before, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    uint64_t h = before ^ (uint64_t)size;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, from + at, size - at < 8 ? size - at : 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h * 0xbf58476d1ce4e5b9u;
}

void ranks_mix(sotto_ranks *g, const void *bytes, size_t size)
{
    g->check = ranks_word(g->check, bytes, size);
}

/* ---- life ---- */

sotto_status sotto_ranks_open(sotto_ranks **out, const sotto_rank_calls *calls,
                              sotto_error *error)
{
    *out = NULL;
    if (calls->ranks < 1 || calls->rank < 0 || calls->rank >= calls->ranks)
        return error_set(error, SOTTO_USAGE,
                         "ranks: expected a rank below the number of ranks");
    *out = mem_zeroed(1, sizeof **out);
    if (!*out)
        return error_memory(error);
    (*out)->calls = *calls;
    return SOTTO_OK;
}

void sotto_ranks_close(sotto_ranks *ranks)
{
    mem_free(ranks);
}

/* ---- the word before every call ---- */

typedef enum rank_call {
    CALL_AGREE = 1,
    CALL_SUM,
    CALL_SUM_AT_ROOT,
    CALL_SHARE,
    CALL_MOST,
    CALL_EXCHANGE,
    CALL_NUMBER /* which goes with the word */
} rank_call;

static sotto_status ranks_lost(sotto_ranks *g, sotto_error *error)
{
    g->over = 1;
    return error_set(error, SOTTO_FAILED,
                     "rank %d of %d cannot reach the others any more",
                     g->calls.rank, g->calls.ranks);
}

/* All get the message of the first rank that has failed. */
static sotto_status ranks_tell_failure(sotto_ranks *g, int from,
                                       const sotto_error *mine,
                                       sotto_error *error)
{
    sotto_error told = {SOTTO_FAILED, ""};
    g->over = 1;
    if (from == g->calls.rank && mine)
        told = *mine;
    if (g->calls.share(g->calls.context, from, &told, sizeof told))
        return ranks_lost(g, error);
    if (told.status == SOTTO_OK) /* nobody hears of it otherwise */
        told.status = SOTTO_FAILED;
    told.message[sizeof told.message - 1] = 0;
    return error_set(error, told.status, "%s", told.message);
}

/* Largest words: which rank failed first, the check word from both ends, and a
   number that somebody has. */
static sotto_status ranks_meet_with(sotto_ranks *g, sotto_status mine,
                                    rank_call call, size_t size,
                                    uint64_t *number, sotto_error *error)
{
    uint64_t what[2] = {(uint64_t)call, (uint64_t)size};
    uint64_t word[4] = {0, 0, 0, *number};
    sotto_error failed = {mine, ""};
    if (g->over)
        return mine != SOTTO_OK ? mine : ranks_lost(g, error);
    if (mine != SOTTO_OK && error)
        failed = *error;
    failed.status = mine;
    ranks_mix(g, what, sizeof what);
    word[0] = mine == SOTTO_OK ? 0 : (uint64_t)(g->calls.ranks - g->calls.rank);
    word[1] = g->check;
    word[2] = ~g->check;
    if (g->calls.most(g->calls.context, word, 4))
        return ranks_lost(g, error);
    if (word[0])
        return ranks_tell_failure(g, g->calls.ranks - (int)word[0], &failed,
                                  error);
    *number = word[3];
    if (word[1] == ~word[2])
        return SOTTO_OK;
    g->over = 1;
    return error_set(error, SOTTO_FAILED,
                     "the ranks have come apart: they were told different "
                     "numbers; expected the same program, options, files and "
                     "kind of machine at all of them");
}

static sotto_status ranks_meet(sotto_ranks *g, sotto_status mine,
                               rank_call call, size_t size, sotto_error *error)
{
    uint64_t none = 0;
    return ranks_meet_with(g, mine, call, size, &none, error);
}

sotto_status sotto_ranks_agree(sotto_ranks *ranks, sotto_status mine,
                               sotto_error *error)
{
    if (!ranks_several(ranks) || ranks->over)
        return mine;
    return ranks_meet(ranks, mine, CALL_AGREE, 0, error);
}

/* ---- calls ---- */

static sotto_status ranks_add(sotto_ranks *g, sotto_status mine,
                              int64_t *values, size_t count, int to_all,
                              sotto_error *error)
{
    sotto_status status =
        ranks_meet(g, mine, to_all ? CALL_SUM : CALL_SUM_AT_ROOT, count, error);
    if (status == SOTTO_OK &&
        g->calls.sum(g->calls.context, values, count, to_all))
        status = ranks_lost(g, error);
    if (values && (status != SOTTO_OK || !(to_all || ranks_is_root(g))))
        mem_wipe(values, count * sizeof *values);
    return status;
}

sotto_status ranks_sum(sotto_ranks *g, sotto_status mine, int64_t *values,
                       size_t count, sotto_error *error)
{
    return ranks_add(g, mine, values, count, 1, error);
}

sotto_status ranks_sum_at_root(sotto_ranks *g, sotto_status mine,
                               int64_t *values, size_t count,
                               sotto_error *error)
{
    return ranks_add(g, mine, values, count, 0, error);
}

/* A few bytes go with the word: the others have 0 there. */
static sotto_status ranks_share_few(sotto_ranks *g, sotto_status mine,
                                    void *bytes, size_t size,
                                    sotto_error *error)
{
    uint64_t number = 0;
    if (ranks_is_root(g))
        memcpy(&number, bytes, size);
    sotto_status status =
        ranks_meet_with(g, mine, CALL_NUMBER, size, &number, error);
    if (status == SOTTO_OK)
        memcpy(bytes, &number, size);
    return status;
}

sotto_status ranks_share(sotto_ranks *g, sotto_status mine, void *bytes,
                         size_t size, sotto_error *error)
{
    if (size && size <= sizeof(uint64_t))
        return ranks_share_few(g, mine, bytes, size, error);
    sotto_status status = ranks_meet(g, mine, CALL_SHARE, size, error);
    if (status == SOTTO_OK && size &&
        g->calls.share(g->calls.context, 0, bytes, size))
        status = ranks_lost(g, error);
    return status;
}

sotto_status ranks_most(sotto_ranks *g, sotto_status mine, uint64_t *values,
                        size_t count, sotto_error *error)
{
    if (count == 1)
        return ranks_meet_with(g, mine, CALL_NUMBER, 0, values, error);
    sotto_status status = ranks_meet(g, mine, CALL_MOST, count, error);
    if (status == SOTTO_OK && count &&
        g->calls.most(g->calls.context, values, count))
        status = ranks_lost(g, error);
    return status;
}

sotto_status ranks_each(sotto_ranks *g, sotto_status mine, uint64_t number,
                        uint64_t *all, sotto_error *error)
{
    for (int r = 0; r < g->calls.ranks; r++)
        all[r] = r == g->calls.rank ? number : 0;
    return ranks_most(g, mine, all, (size_t)g->calls.ranks, error);
}

sotto_status ranks_before(sotto_ranks *g, sotto_status mine, uint64_t number,
                          uint64_t *before, uint64_t *total, sotto_error *error)
{
    uint64_t *all = mem_zeroed((size_t)g->calls.ranks, sizeof *all);
    *before = *total = 0;
    if (!all) /* told by whoever ends the job */
        return error_memory(error);
    sotto_status status = ranks_each(g, mine, number, all, error);
    for (int r = 0; status == SOTTO_OK && r < g->calls.ranks; r++) {
        *total += all[r];
        *before += r < g->calls.rank ? all[r] : 0;
    }
    mem_free(all);
    return status;
}

/* ---- to each rank something else ---- */

static size_t total_of(const sotto_ranks *g, const size_t *size)
{
    size_t total = 0;
    for (int r = 0; r < g->calls.ranks; r++)
        total += size[r];
    return total;
}

/* Ranks that have failed take part until all know of it. */
static sotto_status exchange_with(sotto_ranks *g, sotto_status mine,
                                  const void *out, const size_t *word,
                                  size_t *size, size_t *come, void **in,
                                  sotto_error *error)
{
    sotto_status status = ranks_meet(g, mine, CALL_EXCHANGE, 0, error);
    if (status == SOTTO_OK &&
        g->calls.exchange(g->calls.context, size, word, come, word))
        status = ranks_lost(g, error);
    if (status != SOTTO_OK)
        return status;
    *in = mem_map(total_of(g, come) + 1);
    if (!*in)
        status = error_memory(error);
    status = ranks_meet(g, status, CALL_EXCHANGE, 1, error);
    if (status == SOTTO_OK &&
        g->calls.exchange(g->calls.context, out, size, *in, come))
        status = ranks_lost(g, error);
    return status;
}

sotto_status ranks_exchange(sotto_ranks *g, sotto_status mine, const void *out,
                            size_t *size, void **in, sotto_error *error)
{
    size_t ranks = (size_t)g->calls.ranks;
    size_t *word = mem_zeroed(2 * ranks, sizeof *word);
    *in = NULL;
    if (!word)
        return error_memory(error);
    for (size_t r = 0; r < ranks; r++)
        word[r] = sizeof(size_t);
    sotto_status status =
        exchange_with(g, mine, out, word, size, word + ranks, in, error);
    memcpy(size, word + ranks, ranks * sizeof *size);
    mem_free(word);
    return status;
}

void ranks_forget(const sotto_ranks *g, void *in, const size_t *size)
{
    if (!in)
        return;
    mem_wipe(in, total_of(g, size));
    mem_unmap(in, total_of(g, size) + 1);
}

/* ---- sums that change little ---- */

typedef struct rank_change {
    int64_t at, by;
} rank_change;

static sotto_status sum_whole(sotto_ranks *g, const int64_t *now,
                              int64_t *before, int64_t *total, size_t count,
                              sotto_error *error)
{
    memcpy(before, now, count * sizeof *now);
    sotto_status status = ranks_sum_at_root(g, SOTTO_OK, before, count, error);
    if (ranks_is_root(g))
        memcpy(total, before, count * sizeof *now);
    memcpy(before, now, count * sizeof *now);
    return status;
}

/* Lists what has changed, and takes it as sent. */
static void list_changes(rank_change *out, const int64_t *now, int64_t *before,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (now[i] != before[i]) {
            *out++ = (rank_change){(int64_t)i, now[i] - before[i]};
            before[i] = now[i];
        }
}

/* The root's own list is one of those that come to it. */
static void add_changes(int64_t *total, const rank_change *some, size_t count)
{
    for (size_t i = 0; i < count; i++)
        total[some[i].at] += some[i].by;
}

/* Every list goes to the root and is as long as the longest of them, which all
   know; what is left of it changes nothing. */
static sotto_status send_changes(sotto_ranks *g, sotto_status mine,
                                 const rank_change *out, size_t most,
                                 rank_change *in, size_t *size,
                                 sotto_error *error)
{
    size_t ranks = (size_t)g->calls.ranks, bytes = most * sizeof *out;
    sotto_status status = ranks_meet(g, mine, CALL_EXCHANGE, most, error);
    if (status != SOTTO_OK)
        return status;
    size[0] = bytes;
    for (size_t r = 0; r < ranks; r++)
        size[ranks + r] = ranks_is_root(g) ? bytes : 0;
    return g->calls.exchange(g->calls.context, out, size, in, size + ranks)
               ? ranks_lost(g, error)
               : SOTTO_OK;
}

static sotto_status sum_changes(sotto_ranks *g, const int64_t *now,
                                int64_t *before, int64_t *total, size_t count,
                                size_t most, sotto_error *error)
{
    size_t ranks = (size_t)g->calls.ranks;
    size_t lists = ranks_is_root(g) ? ranks * most : 0;
    size_t *size = mem_zeroed(2 * ranks, sizeof *size);
    rank_change *out = mem_zeroed(most, sizeof *out);
    rank_change *in = mem_zeroed(lists, sizeof *in);
    sotto_status status = size && out && in ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK)
        list_changes(out, now, before, count);
    status = send_changes(g, status, out, most, in, size, error);
    if (status == SOTTO_OK)
        add_changes(total, in, lists);
    mem_free_wiped(out, out ? most * sizeof *out : 0);
    mem_free_wiped(in, in ? lists * sizeof *in : 0);
    mem_free(size);
    return status;
}

sotto_status ranks_sum_changes(sotto_ranks *g, sotto_status mine,
                               const int64_t *now, int64_t *before,
                               int64_t *total, size_t count, sotto_error *error)
{
    uint64_t changed = 0;
    for (size_t i = 0; mine == SOTTO_OK && i < count; i++)
        changed += now[i] != before[i];
    sotto_status status = ranks_most(g, mine, &changed, 1, error);
    if (status == SOTTO_OK && changed) /* it takes as much as two sums */
        status = 4 * changed < count
                     ? sum_changes(g, now, before, total, count,
                                   (size_t)changed, error)
                     : sum_whole(g, now, before, total, count, error);
    if (status != SOTTO_OK) {
        mem_wipe(before, count * sizeof *before);
        mem_wipe(total, count * sizeof *total);
    }
    return status;
}

/* ---- what has to be the same ---- */

/* What plans and solvers are computed with, on numbers of all sizes. Volatile,
   so that the machine computes it and not the compiler. */
static uint64_t maths_word(void)
{
    static double (*const of[])(double) = {exp,  log,  log1p, expm1, sqrt,
                                           cbrt, sin,  cos,   atan,  tanh,
                                           erfc, exp2, log2};
    uint64_t word = 0;
    for (int i = 1; i <= 64; i++) {
        volatile double x = i / 7. * exp2(i % 13 - 6);
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            volatile double y = of[k](x);
            double told = y;
            word = ranks_word(word, &told, sizeof told);
        }
        volatile double z = pow(x, 1 / 3.) + hypot(x, 2) + fma(x, x, -1);
        double told = z;
        word = ranks_word(word, &told, sizeof told);
    }
    return word;
}

sotto_status ranks_compare(sotto_ranks *g, sotto_status mine,
                           uint64_t options_word, sotto_error *error)
{
    static const char *const what[] = {
        "another release of sotto",
        "other options (or another schema or model)",
        "other ranks, or other mathematics"};
    int ranks = g->calls.ranks;
    uint64_t word[6] = {ranks_word(0, SOTTO_VERSION, sizeof SOTTO_VERSION),
                        options_word,
                        ranks_word(maths_word(), &ranks, sizeof ranks)};
    for (int i = 0; i < 3; i++)
        word[3 + i] = ~word[i];
    sotto_status status = ranks_most(g, mine, word, 6, error);
    for (int i = 0; status == SOTTO_OK && i < 3; i++)
        if (word[i] != ~word[3 + i])
            status = error_set(error, SOTTO_USAGE,
                               "a rank has %s than another: expected the same "
                               "command, program and kind of machine for all",
                               what[i]);
    return status;
}
