/*
 * A party: one curator on its own columns, and what it has said. It checks
 * everything it is told, since it trusts nobody: whose turn it is, that a
 * round was not answered before, how large the server's vector is.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* A request that was answered, by its hash, and the answer. */
typedef struct exchange {
    hash request;
    text_buffer answer;
} exchange;

struct party {
    const federation *f;
    int k;
    curator *curator;
    int64_t columns;    /* with the constant */
    int64_t *place;     /* where the table has a column */
    int64_t *candidate; /* scratch: columns, and where the table has them */
    unsigned char *shared;
    int64_t shares;
    int64_t *sketch; /* scratch */
    double *vector;  /* scratch */
    int64_t *held;   /* rows in each bucket: public */
    exchange *exchange;
    int64_t exchanges;
    uint64_t round; /* the last that was answered */
    double *weight; /* what its answers make of its own weights */
    int started, ended;
    int seals;
    hash seal_key;
    hash transcript;
};

static sotto_status refuse(const party *p, const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "party %s: refused: %s",
                     show_name(p->f->party[p->k].name).text, what);
}

/* ---- life ---- */

/* Columns by their names: the table has them in the order of the file. */
static sotto_status find_places(party *p, const sotto_table *t,
                                sotto_error *error)
{
    const federation_party *own = &p->f->party[p->k];
    char buffer[24];
    int64_t count = sotto_table_features(t), j = 0;
    for (int64_t i = 0; i < own->features; i++) {
        int64_t tried = 0; /* mostly it is the one behind the last */
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
    p->held = mem_zeroed(buckets, sizeof *p->held);
    p->weight = mem_zeroed(columns, sizeof *p->weight);
    /* start, turns, and the model */
    p->exchange =
        mem_zeroed((size_t)f->party[p->k].turns + 2, sizeof *p->exchange);
    return p->place && p->candidate && p->shared && p->sketch && p->vector &&
           p->held && p->weight && p->exchange;
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
        p->held[ask_place_of(f->seed, i, f->buckets).bucket]++;
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
    mem_free(p->held);
    mem_free(p->weight);
    mem_free_wiped(p, sizeof *p);
}

void party_seal(party *p, const hash *key)
{
    p->seals = 1;
    p->seal_key = *key;
}

/* ---- asking the curator, or what was kept of an answer ---- */

static sotto_status kept_sketch(party *p, ask_kind kind, const message *kept,
                                int field, sotto_error *error)
{
    const int64_t *old =
        message_get(kept, field, MESSAGE_INTEGERS, p->f->buckets);
    if (!old)
        return refuse(p, "an answer that was kept is another one's", error);
    memcpy(p->sketch, old, (size_t)p->f->buckets * sizeof *old);
    return curator_tell_spent(p->curator, kind, error);
}

static sotto_status kept_vertex(party *p, const message *kept, int64_t *column,
                                int *sign, sotto_error *error)
{
    const int64_t *old = message_get(kept, 0, MESSAGE_INTEGERS, 2);
    if (!old || old[0] < 0 || old[0] >= p->columns ||
        (old[1] != 1 && old[1] != -1))
        return refuse(p, "an answer that was kept is another one's", error);
    *column = old[0];
    *sign = (int)old[1];
    return curator_tell_spent(p->curator, ASK_ALONG, error);
}

/*
 * How far a row's e goes, C_e: 1.5 times the root mean square of what was
 * told (with labels' declared size where each party subtracts its own). Of
 * public numbers alone; whatever it is, the curator clips at it.
 */
static double clip_of(const party *p)
{
    const federation *f = p->f;
    double largest = 0, sum = 0, n = (double)f->rows;
    for (int64_t b = 0; b < f->buckets; b++)
        largest = fmax(largest, fabs(p->vector[b]));
    for (int64_t b = 0; largest > 0 && b < f->buckets; b++) {
        double part = p->vector[b] / largest;
        sum += (double)p->held[b] * part * part;
    }
    double rms = n > 0 ? largest * sqrt(sum / n) : 0;
    return 1.5 * (f->labels_known ? hypot(rms, f->label_rms) : rms);
}

/* All own columns while fewer than the cap were shown, then those alone. */
static sotto_status ask_vertex_of(party *p, const double *told, int64_t *column,
                                  int *sign, sotto_error *error)
{
    int64_t winner, count = 0, *place = p->candidate + p->columns;
    int full = p->shares >= p->f->party[p->k].cap;
    for (int64_t i = 0; i < p->columns; i++)
        if (!full || p->shared[i]) {
            place[count] = p->place[i];
            p->candidate[count++] = i;
        }
    for (int64_t b = 0; b < p->f->buckets; b++)
        p->vector[b] = isfinite(told[b]) ? told[b] : 0;
    ask_along at = {p->vector, clip_of(p), place, count};
    sotto_status status =
        curator_ask_along(p->curator, &at, &winner, sign, error);
    if (status == SOTTO_OK && winner < 0) /* a cap of 0 has no turns */
        status = refuse(p, "it has nothing to show", error);
    *column = status == SOTTO_OK ? p->candidate[winner] : -1;
    return status;
}

/* ---- answers ---- */

static message answer_to(const party *p, federation_kind kind, uint64_t round)
{
    return (message){.session = p->f->session,
                     .kind = kind,
                     .from = (uint32_t)p->k + 1,
                     .round = round};
}

/* Begins; whoever has private labels shows their sketch. */
static sotto_status take_start(party *p, const message *m, const message *kept,
                               text_buffer *out, sotto_error *error)
{
    int labels = !p->f->labels_known && p->k == p->f->label_party;
    if (p->started || m->round != 0 || m->fields != 0)
        return refuse(p, "it has begun already", error);
    sotto_status status = curator_tell_round(p->curator, 0, error);
    if (status == SOTTO_OK && labels)
        status = kept ? kept_sketch(p, ASK_LABELS, kept, 0, error)
                      : curator_ask_labels(p->curator, p->sketch, error);
    if (status != SOTTO_OK)
        return status;
    message a = answer_to(p, labels ? FEDERATION_LABELS : FEDERATION_READY, 0);
    if (labels)
        a.field[a.fields++] =
            (message_field){MESSAGE_INTEGERS, p->f->buckets, p->sketch};
    message_write(&a, out);
    p->started = 1;
    return SOTTO_OK;
}

/* Whether party k may be asked for a vertex now. */
static sotto_status check_turn(const party *p, const message *m,
                               sotto_error *error)
{
    if (!p->started || p->ended)
        return refuse(p, "it has not begun, or has ended", error);
    if (m->round < 1 || m->round > (uint64_t)p->f->rounds ||
        p->f->turn[m->round - 1] != p->k)
        return refuse(p, "it is another party's turn", error);
    if (m->round <= p->round)
        return refuse(p, "a round that was answered, or passed over, before",
                      error);
    return SOTTO_OK;
}

/* The column's sketch, if it was never shown; once, whatever happens. */
static sotto_status show_column(party *p, int64_t column, const message *kept,
                                int *is_new, sotto_error *error)
{
    *is_new = !p->shared[column];
    if (!*is_new)
        return SOTTO_OK;
    sotto_status status = kept
                              ? kept_sketch(p, ASK_SKETCH, kept, 1, error)
                              : curator_ask_sketch(p->curator, p->place[column],
                                                   p->sketch, error);
    if (status == SOTTO_OK) {
        p->shared[column] = 1;
        p->shares++;
    }
    return status;
}

static sotto_status take_vector(party *p, const message *m, const message *kept,
                                text_buffer *out, sotto_error *error)
{
    int64_t column = -1;
    int sign = 0, is_new = 0;
    const double *told = message_get(m, 0, MESSAGE_NUMBERS, p->f->buckets);
    sotto_status status = told && m->fields == 1
                              ? check_turn(p, m, error)
                              : refuse(p, "a vector of another length", error);
    if (status == SOTTO_OK)
        status = curator_tell_round(p->curator, m->round, error);
    if (status == SOTTO_OK)
        status = kept ? kept_vertex(p, kept, &column, &sign, error)
                      : ask_vertex_of(p, told, &column, &sign, error);
    if (status == SOTTO_OK)
        status = show_column(p, column, kept, &is_new, error);
    if (status != SOTTO_OK)
        return status;
    int64_t vertex[2] = {column, sign};
    message a = answer_to(p, FEDERATION_VERTEX, m->round);
    a.field[a.fields++] = (message_field){MESSAGE_INTEGERS, 2, vertex};
    if (is_new)
        a.field[a.fields++] =
            (message_field){MESSAGE_INTEGERS, p->f->buckets, p->sketch};
    message_write(&a, out);
    p->round = m->round;
    federation_move(p->f, p->k, p->weight, (int64_t)m->round, column, sign);
    return SOTTO_OK;
}

static sotto_status take_model(party *p, const message *m, text_buffer *out,
                               sotto_error *error)
{
    hash seal;
    if (!p->started || p->ended)
        return refuse(p, "it has not begun, or has ended", error);
    const char *bad = federation_model_fault(p->f, p->k, p->weight, m);
    if (bad)
        return refuse(p, bad, error);
    message a = answer_to(p, FEDERATION_TAKEN, m->round);
    if (p->seals) {
        seal =
            align_seal(&p->seal_key, p->k, m->field[0].data, m->field[0].count);
        a.field[a.fields++] =
            (message_field){MESSAGE_BYTES, sizeof seal, &seal};
    }
    message_write(&a, out);
    p->ended = 1;
    return SOTTO_OK;
}

static sotto_status take(party *p, const message *m, const message *kept,
                         text_buffer *out, sotto_error *error)
{
    if (!hash_same(&m->session, &p->f->session) || m->from != 0 ||
        m->to != (uint32_t)p->k + 1)
        return refuse(p, "a message of another session, or for another party",
                      error);
    switch (m->kind) {
    case FEDERATION_START:
        return take_start(p, m, kept, out, error);
    case FEDERATION_VECTOR:
        return take_vector(p, m, kept, out, error);
    case FEDERATION_MODEL:
        return take_model(p, m, out, error);
    default:
        return refuse(p, "a message that is not for parties", error);
    }
}

/* ---- requests and answers, as bytes ---- */

/* The same request again: what it was answered. */
static const exchange *find_exchange(const party *p, const hash *request)
{
    for (int64_t i = 0; i < p->exchanges; i++)
        if (hash_same(&p->exchange[i].request, request))
            return &p->exchange[i];
    return NULL;
}

/* Keeps the bytes, and frees them where it cannot. */
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
        status = take(p, &m, NULL, &out, error);
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
                              ? refuse(p, "it has that already", error)
                              : message_read(&m, request, size, error);
    if (status == SOTTO_OK)
        status = message_read(&kept, answer, answer_size, error);
    if (status == SOTTO_OK)
        status = take(p, &m, &kept, &out, error);
    /* made anew of what was kept, it must be the same bytes */
    if (status == SOTTO_OK && !out.failed &&
        (out.length != answer_size || memcmp(out.data, answer, answer_size)))
        status = refuse(p, "an answer that was kept is another one's", error);
    message_free(&m);
    message_free(&kept);
    return keep(p, request, size, &out, status, error);
}

/* ---- what it has spent ---- */

sotto_status party_spent(const party *p, account_list *out, sotto_error *error)
{
    static const ask_kind kinds[] = {ASK_ALONG, ASK_LABELS, ASK_SKETCH};
    const federation *f = p->f;
    const double level[] = {f->range, f->mu_labels, f->mu_sketch};
    *out = (account_list){.adjacency = ACCOUNT_ZERO_OUT};
    for (int i = 0; i < 3; i++) {
        account_event e = {i ? ACCOUNT_GAUSS : ACCOUNT_RANGE, level[i], 0,
                           curator_asked(p->curator, kinds[i]),
                           ACCOUNT_ZERO_OUT};
        sotto_status status =
            e.count > 0 && e.a > 0 ? account_add(out, e, error) : SOTTO_OK;
        if (status != SOTTO_OK) {
            account_free(out);
            return status;
        }
        out->draws += (double)e.count * (i ? (double)f->buckets : 1);
    }
    return SOTTO_OK;
}

const hash *party_transcript(const party *p)
{
    return &p->transcript;
}

int party_is_private(const party *p)
{
    return curator_is_private(p->curator);
}
