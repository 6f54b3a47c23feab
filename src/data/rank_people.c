/*
 * People whose rows are at several ranks. Each rank has numbered its own
 * (unit_numbers.c). What has to be known of all is the number of a person among
 * all people, by the first row in the file, and how many rows the ranks before
 * have of that person: the first rows of a person are those that count.
 *
 * A text goes to no other rank. Its keyed hash does, of 256 bits, with a key
 * that the root makes for this run: the hash says which rank brings a person's
 * rows together. That two people get one hash has a probability below
 * n^2 2^-256 for n people, whatever their texts are.
 *
 *   1  to that rank: the hash, and how many rows are here
 *   2  back: how many rows the ranks before have; whether there are any
 *   3  who has the first row numbers the person, behind those of ranks before,
 *      and says so to that rank
 *   4  back: the number
 *
 * Rows of a table on disk have the numbers of people among all. There the
 * number stands for the hash, and what comes back must be the same.
 */
#include "rank.h"
#include "text_set.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { PEOPLE_HASH = 32 };

typedef struct claim {
    unsigned char hash[PEOPLE_HASH];
    int64_t rows;
} claim;

typedef struct people {
    sotto_ranks *g;
    const block *first;    /* the rows with their texts; NULL: by `number` */
    const int64_t *number; /* of person k among all people */
    int64_t own;           /* people here */
    int64_t *place;        /* of person k among the claims that are sent */
    claim *sent;           /* grouped by the rank that they go to */
    size_t *sent_to;       /* how many */
    claim *come;           /* claims for this rank to bring together */
    size_t *come_from;     /* how many */
    size_t comes;
    size_t *order; /* of them, by hash and then by rank */
    int64_t *word; /* one for each that came */
    size_t *size;  /* scratch, in bytes */
} people;

static void people_free(people *w)
{
    size_t ranks = (size_t)w->g->calls.ranks, own = (size_t)w->own;
    mem_free_wiped(w->place, w->place ? own * sizeof *w->place : 0);
    mem_free_wiped(w->sent, w->sent ? own * sizeof *w->sent : 0);
    for (size_t r = 0; w->come && r < ranks; r++)
        w->size[r] = w->come_from[r] * sizeof *w->come;
    ranks_forget(w->g, w->come, w->size);
    mem_free_wiped(w->order, w->order ? w->comes * sizeof *w->order : 0);
    mem_free_wiped(w->word, w->word ? w->comes * sizeof *w->word : 0);
    mem_free(w->sent_to);
    mem_free(w->come_from);
    mem_free(w->size);
}

/* ---- 1: claims ---- */

static size_t owner_of(const people *w, const claim *c)
{
    uint64_t word;
    memcpy(&word, c->hash, sizeof word);
    return (size_t)(word % (uint64_t)w->g->calls.ranks);
}

/* Numbers are in the order of rows, so the first row of person k is the first
   with that number. */
static void hash_texts(claim *out, const sotto_table *t, const block *first,
                       const unsigned char *key)
{
    const int64_t *unit = t->unit;
    int64_t seen = 0;
    for (const block *b = first; b; b = b->next)
        for (int64_t i = 0; i < b->rows; i++, unit++) {
            size_t from = i ? b->unit_end[i - 1] : 0;
            if (*unit != seen)
                continue;
            crypto_generichash(out[seen].hash, PEOPLE_HASH,
                               (const unsigned char *)b->unit.data + from,
                               b->unit_end[i] - from, key,
                               crypto_generichash_KEYBYTES);
            seen++;
        }
}

static void make_claims(const people *w, claim *out, const sotto_table *t,
                        const unsigned char *key)
{
    if (!w->number)
        hash_texts(out, t, w->first, key);
    for (int64_t k = 0; w->number && k < w->own; k++)
        memcpy(out[k].hash, &w->number[k], sizeof w->number[k]);
    for (int64_t i = 0; i < t->rows; i++)
        out[t->unit[i]].rows++;
}

/* Groups them by the rank that they go to. */
static void group_claims(people *w, const claim *all)
{
    size_t ranks = (size_t)w->g->calls.ranks, at = 0;
    for (int64_t k = 0; k < w->own; k++)
        w->sent_to[owner_of(w, &all[k])]++;
    for (size_t r = 0; r < ranks; r++) {
        w->size[r] = at;
        at += w->sent_to[r];
    }
    for (int64_t k = 0; k < w->own; k++) {
        w->place[k] = (int64_t)w->size[owner_of(w, &all[k])]++;
        w->sent[w->place[k]] = all[k];
    }
}

static sotto_status send_claims(people *w, sotto_error *error)
{
    size_t ranks = (size_t)w->g->calls.ranks;
    void *in;
    for (size_t r = 0; r < ranks; r++)
        w->size[r] = w->sent_to[r] * sizeof *w->sent;
    sotto_status status =
        ranks_exchange(w->g, SOTTO_OK, w->sent, w->size, &in, error);
    w->come = in;
    for (size_t r = 0; r < ranks; r++) {
        w->come_from[r] = w->size[r] / sizeof *w->come;
        w->comes += w->come_from[r];
    }
    if (status != SOTTO_OK)
        return status;
    w->order = mem_zeroed(w->comes + 1, sizeof *w->order);
    w->word = mem_zeroed(w->comes + 1, sizeof *w->word);
    return w->order && w->word ? SOTTO_OK : error_memory(error);
}

/* ---- a word for each claim, there and back ---- */

/* To the ranks that claims went to, in their order; or back. */
static sotto_status send_words(people *w, const int64_t *out, int64_t *in,
                               int back, sotto_error *error)
{
    size_t ranks = (size_t)w->g->calls.ranks;
    size_t count = back ? (size_t)w->own : w->comes;
    void *come;
    for (size_t r = 0; r < ranks; r++)
        w->size[r] = (back ? w->come_from[r] : w->sent_to[r]) * sizeof(int64_t);
    sotto_status status =
        ranks_exchange(w->g, SOTTO_OK, out, w->size, &come, error);
    if (status == SOTTO_OK && count)
        memcpy(in, come, count * sizeof *in);
    ranks_forget(w->g, come, w->size);
    return status;
}

/* ---- 2 and 4: bringing together ---- */

static int compare_claims(const void *a, const void *b, void *context)
{
    const claim *come = context;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int by_hash = memcmp(come[x].hash, come[y].hash, PEOPLE_HASH);
    return by_hash ? by_hash : (x > y) - (x < y);
}

static int is_same_person(const people *w, size_t i, size_t k)
{
    return !memcmp(w->come[w->order[i]].hash, w->come[w->order[k]].hash,
                   PEOPLE_HASH);
}

/* Rows at the ranks before; -1 where the person is first seen. */
static void count_before(people *w)
{
    int64_t rows = 0;
    for (size_t i = 0; i < w->comes; i++)
        w->order[i] = i;
    if (w->comes)
        qsort_r(w->order, w->comes, sizeof *w->order, compare_claims, w->come);
    for (size_t i = 0; i < w->comes; i++) {
        int again = i > 0 && is_same_person(w, i, i - 1);
        rows = again ? rows : 0;
        w->word[w->order[i]] = again ? rows : -1;
        rows += w->come[w->order[i]].rows;
    }
}

/* The number that the first of a person's claims came with, for all. */
static void tell_numbers(people *w)
{
    for (size_t i = 1; i < w->comes; i++)
        if (is_same_person(w, i, i - 1))
            w->word[w->order[i]] = w->word[w->order[i - 1]];
}

/* ---- all of it ---- */

static int people_open(people *w)
{
    size_t ranks = (size_t)w->g->calls.ranks, own = (size_t)w->own;
    w->place = mem_zeroed(own + 1, sizeof *w->place);
    w->sent = mem_zeroed(own + 1, sizeof *w->sent);
    w->sent_to = mem_zeroed(ranks, sizeof *w->sent_to);
    w->come_from = mem_zeroed(ranks, sizeof *w->come_from);
    w->size = mem_zeroed(ranks, sizeof *w->size);
    return w->place && w->sent && w->sent_to && w->come_from && w->size;
}

static sotto_status claim_all(people *w, const sotto_table *t,
                              sotto_error *error)
{
    unsigned char key[crypto_generichash_KEYBYTES] = {0};
    sotto_status status =
        sodium_init() < 0
            ? error_set(error, SOTTO_FAILED, "libsodium cannot be initialised")
            : SOTTO_OK;
    if (status == SOTTO_OK && ranks_is_root(w->g))
        randombytes_buf(key, sizeof key);
    status = ranks_share(w->g, status, key, sizeof key, error);
    claim *all = mem_zeroed((size_t)w->own + 1, sizeof *all);
    if (status == SOTTO_OK && !all)
        status = error_memory(error);
    if (status == SOTTO_OK) {
        make_claims(w, all, t, key);
        group_claims(w, all);
    }
    mem_free_wiped(all, all ? (size_t)w->own * sizeof *all : 0);
    mem_wipe(key, sizeof key);
    return status == SOTTO_OK ? send_claims(w, error) : status;
}

/* Numbers those who are first seen here. */
static sotto_status number_new(people *w, sotto_table *t, int64_t *word,
                               sotto_error *error)
{
    uint64_t added = 0, before, all;
    for (int64_t k = 0; k < w->own; k++)
        added += word[w->place[k]] < 0;
    sotto_status status =
        ranks_before(w->g, SOTTO_OK, added, &before, &all, error);
    t->all_people = (int64_t)all;
    for (int64_t k = 0; status == SOTTO_OK && k < w->own; k++) {
        int64_t *here = &word[w->place[k]];
        t->person_before[k] = *here < 0 ? 0 : *here;
        *here = *here < 0 ? (int64_t)before++ : -1;
    }
    return status;
}

static sotto_status number_all(people *w, sotto_table *t, int64_t *word,
                               sotto_error *error)
{
    count_before(w);
    sotto_status status = send_words(w, w->word, word, 1, error);
    if (status == SOTTO_OK)
        status = number_new(w, t, word, error);
    if (status == SOTTO_OK)
        status = send_words(w, word, w->word, 0, error);
    if (status == SOTTO_OK) {
        tell_numbers(w);
        status = send_words(w, w->word, word, 1, error);
    }
    for (int64_t k = 0; status == SOTTO_OK && k < w->own; k++)
        t->person[k] = word[w->place[k]];
    return status;
}

/* `w` says by what people are known; their numbers here are in the table. */
static sotto_status bring_together(people *w, sotto_table *t,
                                   sotto_error *error)
{
    for (int64_t i = 0; i < t->rows; i++)
        w->own = t->unit[i] >= w->own ? t->unit[i] + 1 : w->own;
    size_t own = (size_t)w->own;
    t->people = w->own;
    t->person = mem_zeroed(own + 1, sizeof *t->person);
    t->person_before = mem_zeroed(own + 1, sizeof *t->person_before);
    int64_t *word = mem_zeroed(own + 1, sizeof *word);
    sotto_status status =
        people_open(w) && t->person && t->person_before && word
            ? claim_all(w, t, error)
            : error_memory(error);
    if (status == SOTTO_OK)
        status = number_all(w, t, word, error);
    mem_free_wiped(word, word ? own * sizeof *word : 0);
    people_free(w);
    return status;
}

sotto_status rank_people(sotto_table *t, const column_plan *p,
                         const block *first, sotto_error *error)
{
    people w = {.g = p->ranks, .first = first};
    return bring_together(&w, t, error);
}

/* ---- people of a table ---- */

/* Numbers them as they are seen here; number[k] is that among all. */
static int number_here(int64_t *unit, int64_t rows, int64_t *number)
{
    text_set set = {0};
    int64_t *here = mem_zeroed((size_t)rows + 1, sizeof *here), i;
    for (i = 0; here && i < rows; i++) {
        here[i] = text_set_number(&set, (const char *)&unit[i], sizeof *unit);
        if (here[i] < 0)
            break;
        number[here[i]] = unit[i];
    }
    int done = here && i == rows;
    text_set_free(&set); /* it looks at unit */
    if (done && rows)
        memcpy(unit, here, (size_t)rows * sizeof *unit);
    mem_free_wiped(here, here ? (size_t)rows * sizeof *here : 0);
    return done;
}

sotto_status rank_numbered_people(sotto_table *t, int *fits, sotto_error *error)
{
    size_t rows = (size_t)t->rows;
    int64_t *number = mem_zeroed(rows + 1, sizeof *number);
    people w = {.g = t->ranks, .number = number};
    sotto_status status = number && number_here(t->unit, t->rows, number)
                              ? bring_together(&w, t, error)
                              : error_memory(error);
    *fits = 1;
    for (int64_t k = 0; status == SOTTO_OK && k < t->people; k++)
        *fits &= t->person[k] == number[k];
    mem_free_wiped(number, number ? rows * sizeof *number : 0);
    return status;
}
