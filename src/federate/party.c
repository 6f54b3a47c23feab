/*
 * A party: a curator on its own columns, and all exchanges so far. It trusts
 * nobody and checks every request: whether it is its turn, whether the round
 * was answered before, and whether the server's vector has the right length.
 */
#include "party.h"

#include <string.h>

sotto_status party_refuse(const party *p, const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "party %s: refused: %s",
                     show_name(p->f->party[p->k].name).text, what);
}

/* ---- life ---- */

/* Finds columns by their names: the table has the order of the file. */
static sotto_status find_places(party *p, const sotto_table *t,
                                sotto_error *error)
{
    const federation_party *own = &p->f->party[p->k];
    char buffer[24];
    int64_t count = sotto_table_features(t), j = 0;
    for (int64_t i = 0; i < own->features; i++) {
        int64_t tried = 0; /* mostly it is the next one */
        while (tried < count &&
               strcmp(sotto_table_feature_name(t, j % count, buffer),
                      own->feature[i])) {
            tried++;
            j++;
        }
        if (tried == count || count != own->features)
            return error_set(error, SOTTO_DATA,
                             "party %s: the table has other columns than were "
                             "agreed upon",
                             show_name(own->name).text);
        p->place[i] = j++ % count;
    }
    if (own->constant != 0)
        p->place[own->features] = own->features;
    return SOTTO_OK;
}

static int take_memory(party *p)
{
    const federation *f = p->f;
    size_t columns = (size_t)p->columns, buckets = (size_t)f->buckets;
    p->place = mem_zeroed(columns, sizeof *p->place);
    p->candidate = mem_zeroed(2 * columns, sizeof *p->candidate);
    p->shared = mem_zeroed(columns, 1);
    p->sketch = mem_zeroed(buckets, sizeof *p->sketch);
    p->vector = mem_zeroed(buckets, sizeof *p->vector);
    p->bucket_rows = mem_zeroed(buckets, sizeof *p->bucket_rows);
    p->weight = mem_zeroed(columns, sizeof *p->weight);
    /* start, turns, and the model */
    p->exchange =
        mem_zeroed((size_t)f->party[p->k].turns + 2, sizeof *p->exchange);
    return p->place && p->candidate && p->shared && p->sketch && p->vector &&
           p->bucket_rows && p->weight && p->exchange;
}

sotto_status party_open(party **out, const federation *f, int k,
                        sotto_table **table, sotto_error *error)
{
    party *p = mem_zeroed(1, sizeof *p);
    ask_plan plan = federation_plan(f, k);
    curator_policy policy = federation_policy(f, k);
    *out = NULL;
    sotto_status status = p ? SOTTO_OK : error_memory(error);
    if (p) {
        *p = (party){.f = f, .k = k, .columns = federation_columns(f, k)};
        status = take_memory(p) ? find_places(p, *table, error)
                                : error_memory(error);
    }
    if (status == SOTTO_OK)
        status = curator_open(&p->curator, table, &policy, &plan, error);
    sotto_table_free(*table);
    *table = NULL;
    if (status != SOTTO_OK) {
        party_close(p);
        return status;
    }
    for (int64_t i = 0; i < f->rows; i++)
        p->bucket_rows[ask_place_of(f->seed, i, f->buckets).bucket]++;
    *out = p;
    return SOTTO_OK;
}

void party_close(party *p)
{
    if (!p)
        return;
    curator_close(p->curator);
    for (int64_t i = 0; i < p->exchanges; i++)
        text_free(&p->exchange[i].answer);
    mem_free(p->exchange);
    mem_free(p->place);
    mem_free(p->candidate);
    mem_free(p->shared);
    mem_free(p->sketch);
    mem_free(p->vector);
    mem_free(p->bucket_rows);
    mem_free(p->weight);
    mem_free_wiped(p, sizeof *p);
}

void party_seal(party *p, const hash *key)
{
    p->seals = 1;
    p->seal_key = *key;
}

/* ---- requests and answers, as bytes ---- */

/* The exchange in which this request was answered; NULL: none. */
static const exchange *find_exchange(const party *p, const hash *request)
{
    for (int64_t i = 0; i < p->exchanges; i++)
        if (hash_same(&p->exchange[i].request, request))
            return &p->exchange[i];
    return NULL;
}

/* Keeps request and answer. After a failure the answer is freed. */
static sotto_status keep(party *p, const void *request, size_t size,
                         text_buffer *answer, sotto_status status,
                         sotto_error *error)
{
    if (status == SOTTO_OK && answer->failed)
        status = error_memory(error);
    if (status != SOTTO_OK) {
        text_free(answer);
        return status;
    }
    hash_add(&p->transcript, request, size);
    hash_add(&p->transcript, answer->data, answer->length);
    p->exchange[p->exchanges++] = (exchange){hash_of(request, size), *answer};
    return SOTTO_OK;
}

sotto_status party_answer(party *p, const void *request, size_t size,
                          const text_buffer **answer, sotto_error *error)
{
    message m;
    text_buffer out = {0};
    hash name = hash_of(request, size);
    const exchange *before = find_exchange(p, &name);
    *answer = NULL;
    if (before) {
        *answer = &before->answer;
        return SOTTO_OK;
    }
    sotto_status status = message_read(&m, request, size, error);
    if (status == SOTTO_OK)
        status = party_take(p, &m, NULL, &out, error);
    message_free(&m);
    status = keep(p, request, size, &out, status, error);
    if (status == SOTTO_OK)
        *answer = &p->exchange[p->exchanges - 1].answer;
    return status;
}

sotto_status party_replay(party *p, const void *request, size_t size,
                          const void *answer, size_t answer_size,
                          sotto_error *error)
{
    message m = {0}, kept = {0};
    text_buffer out = {0};
    hash name = hash_of(request, size);
    sotto_status status = find_exchange(p, &name)
                              ? party_refuse(p, "it has that already", error)
                              : message_read(&m, request, size, error);
    if (status == SOTTO_OK)
        status = message_read(&kept, answer, answer_size, error);
    if (status == SOTTO_OK)
        status = party_take(p, &m, &kept, &out, error);
    /* the answer that is made again must be the one that was kept */
    if (status == SOTTO_OK && !out.failed &&
        (out.length != answer_size || memcmp(out.data, answer, answer_size)))
        status = party_refuse(
            p, "the answer that was kept is not to this request", error);
    message_free(&m);
    message_free(&kept);
    return keep(p, request, size, &out, status, error);
}

/* ---- what there is to see ---- */

const hash *party_transcript(const party *p)
{
    return &p->transcript;
}

int party_is_private(const party *p)
{
    return curator_is_private(p->curator);
}
