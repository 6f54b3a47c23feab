/*
 * A rank's share of the records. Of one file it is those that begin in its
 * share of the bytes; several files are dealt out whole, in their order.
 *
 * In CSV a newline inside quotes ends no record. Whole records have an even
 * number of quotes (csv.c), so a newline ends one if the number of quotes
 * before it is even. Each rank counts the quotes of its bytes, and the counts
 * of those before say how its bytes begin. A file with a quote too many has a
 * bad record, and what comes before that is cut rightly: so the first bad
 * record is the same one, at whatever rank.
 */
#include "rank.h"

#include <string.h>

enum { SHARE_LOOK = 1 << 20 };

/* ---- what can be shared ---- */

sotto_status rank_check_source(const source *s, const sotto_options *options,
                               sotto_error *error)
{
    int several = source_following(s) != NULL;
    if (!ranks_several(option_ranks(options)))
        return SOTTO_OK;
    for (; s; s = source_following(s))
        if (several ? source_size(s) < 0 : !source_is_random(s))
            return error_set(
                error, SOTTO_USAGE,
                "%s: several ranks read a file that is on a disk and, if it is "
                "the only one, not compressed; expected such a file, or "
                "several",
                show_name(source_name(s)).text);
    return SOTTO_OK;
}

void rank_rows(const sotto_ranks *g, int64_t all, int64_t *from, int64_t *rows)
{
    int64_t rank = g->calls.rank, ranks = g->calls.ranks;
    int64_t each = all / ranks, more = all % ranks;
    *from = rank * each + (rank < more ? rank : more);
    *rows = each + (rank < more);
}

/* ---- whether all have the same files ---- */

enum { SAMPLES = 64, SAMPLE_BYTES = 4096 };

static sotto_status note_samples(sotto_ranks *g, const source *s,
                                 int64_t samples, char *room,
                                 sotto_error *error)
{
    int64_t left = source_left(s);
    int64_t last = left > SAMPLE_BYTES ? left - SAMPLE_BYTES : 0;
    sotto_status status = SOTTO_OK;
    for (int64_t k = 0; status == SOTTO_OK && k < samples; k++) {
        const char *bytes;
        size_t got, at = 0;
        if (samples > 1)
            at = (size_t)((double)last * (double)k / (double)(samples - 1));
        status = source_look(s, at, room, SAMPLE_BYTES, &bytes, &got, error);
        if (status == SOTTO_OK)
            ranks_note(g, bytes, got);
    }
    return status;
}

sotto_status rank_note_files(sotto_ranks *g, const source *first,
                             sotto_error *error)
{
    char *room = mem_zeroed(SAMPLE_BYTES, 1);
    int64_t files = 0;
    sotto_status status = room ? SOTTO_OK : error_memory(error);
    for (const source *s = first; s; s = source_following(s))
        files++;
    int64_t samples = files < SAMPLES ? SAMPLES / files : 1;
    for (const source *s = first; status == SOTTO_OK && s;
         s = source_following(s)) {
        int64_t size = source_size(s);
        ranks_note(g, &size, sizeof size);
        if (source_is_random(s))
            status = note_samples(g, s, samples, room, error);
    }
    mem_free_wiped(room, room ? SAMPLE_BYTES : 0);
    return status;
}

/* ---- one file ---- */

typedef struct share_look {
    const source *s;
    char *buffer;
    int quotes; /* they hide newlines */
} share_look;

/* Counts the quotes in bytes [from, to). */
static sotto_status count_quotes(const share_look *l, size_t from, size_t to,
                                 uint64_t *out, sotto_error *error)
{
    *out = 0;
    while (l->quotes && from < to) {
        const char *bytes;
        size_t got, want = to - from < SHARE_LOOK ? to - from : SHARE_LOOK;
        sotto_status status =
            source_look(l->s, from, l->buffer, want, &bytes, &got, error);
        if (status != SOTTO_OK || !got)
            return status;
        for (size_t i = 0; i < got; i++)
            *out += bytes[i] == '"';
        from += got;
    }
    return SOTTO_OK;
}

/* Where the first record begins whose newline before it is at `from` or behind
   it; `open`: that is within quotes. */
static sotto_status find_record(const share_look *l, size_t from, size_t size,
                                int open, size_t *out, sotto_error *error)
{
    *out = size;
    while (from < size) {
        const char *bytes;
        size_t got, want = size - from < SHARE_LOOK ? size - from : SHARE_LOOK;
        sotto_status status =
            source_look(l->s, from, l->buffer, want, &bytes, &got, error);
        if (status != SOTTO_OK || !got)
            return status;
        for (size_t i = 0; i < got; i++) {
            open ^= l->quotes && bytes[i] == '"';
            if (bytes[i] == '\n' && !open) {
                *out = from + i + 1;
                return SOTTO_OK;
            }
        }
        from += got;
    }
    return SOTTO_OK;
}

/* The byte before a rank's share: a newline there begins a record in it. */
static size_t share_at(size_t size, int rank, int ranks)
{
    size_t each = size / (size_t)ranks, more = size % (size_t)ranks;
    size_t at = (size_t)rank * each + more * (size_t)rank / (size_t)ranks;
    return rank == ranks ? size : at ? at - 1 : 0;
}

static sotto_status share_begin(sotto_ranks *g, const share_look *l,
                                size_t size, size_t *out, sotto_error *error)
{
    int rank = g->calls.rank, ranks = g->calls.ranks;
    uint64_t quotes, before, all;
    size_t from = share_at(size, rank, ranks);
    *out = 0;
    sotto_status status =
        count_quotes(l, from, share_at(size, rank + 1, ranks), &quotes, error);
    if (status == SOTTO_OK)
        status = ranks_before(g, SOTTO_OK, quotes, &before, &all, error);
    return status == SOTTO_OK && rank > 0 && from > 0
               ? find_record(l, from, size, before & 1, out, error)
               : status;
}

static sotto_status narrow_file(loader *l, sotto_error *error)
{
    sotto_ranks *g = l->p->ranks;
    size_t size = (size_t)source_left(l->s), begin = 0;
    share_look look = {l->s, mem_map(SHARE_LOOK),
                       l->by_quotes && !l->p->drop_bad};
    uint64_t *all = mem_zeroed((size_t)g->calls.ranks + 1, sizeof *all);
    sotto_status status = look.buffer && all
                              ? share_begin(g, &look, size, &begin, error)
                              : error_memory(error);
    if (status == SOTTO_OK)
        status = ranks_each(g, SOTTO_OK, begin, all, error);
    if (status == SOTTO_OK) {
        all[g->calls.ranks] = size;
        status =
            source_narrow(l->s, begin, all[g->calls.rank + 1] - begin, error);
    }
    source_drop(look.buffer, SHARE_LOOK, SHARE_LOOK);
    mem_free(all);
    return status;
}

/* ---- several files ---- */

/* A file is the rank's in whose share of all bytes its middle is. */
static void deal_files(loader *l)
{
    const sotto_ranks *g = l->p->ranks;
    double total = 1, at = 0;
    source *from = NULL, *s;
    for (s = l->s; s; s = source_following(s))
        total += (double)source_size(s);
    for (s = l->s; s; s = source_following(s)) {
        double size = (double)source_size(s);
        int rank = (int)((at + size / 2) / total * g->calls.ranks);
        at += size;
        if (rank == g->calls.rank && !from)
            from = s;
        if (rank > g->calls.rank && !l->end)
            l->end = s;
    }
    l->s = from;
}

sotto_status rank_narrow(loader *l, sotto_error *error)
{
    sotto_status status = rank_note_files(l->p->ranks, l->s, error);
    if (status != SOTTO_OK)
        return status;
    ranks_note(l->p->ranks, &l->p->features, sizeof l->p->features);
    if (!source_following(l->s))
        return narrow_file(l, error);
    deal_files(l);
    return SOTTO_OK;
}

sotto_status rank_count_lines(loader *l, sotto_error *error)
{
    uint64_t lines = 0, before, all;
    for (const block *b = l->first; b; b = b->next)
        lines += (uint64_t)b->lines;
    sotto_status status =
        ranks_before(l->p->ranks, SOTTO_OK, lines, &before, &all, error);
    if (status == SOTTO_OK && l->by_bytes)
        l->p->lines_before = (int64_t)before;
    return status;
}
