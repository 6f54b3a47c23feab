/*
 * A participant: a party's logic, and a store of all messages. It first checks
 * that all parties have the same rows. It stores each answer, with its request,
 * before it sends it. If it is killed before an answer is stored nobody has
 * seen that answer, and it may be another one the next time.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

struct participant {
    const federation *f;
    int k;
    party *party;
    store *store;
    logbook *log;
    hash *tags; /* the tags that each party would send for these rows */
    hash seal_key, agreed;
    text_buffer tag, outgoing; /* what it sends now */
    int aligned, all_private, compared;
    double *weight; /* of the model */
    int64_t weights;
};

static sotto_status refuse(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "refused: %s", what);
}

static sotto_status set_outgoing(participant *p, const void *bytes, size_t size,
                                 sotto_error *error)
{
    text_free(&p->outgoing);
    text_add(&p->outgoing, bytes, size);
    return p->outgoing.failed ? error_memory(error) : SOTTO_OK;
}

/* Confirms what all parties have sent; stored with that message. */
static sotto_status confirm(participant *p, federation_kind kind,
                            store_type type, const void *bytes, size_t size,
                            int is_replay, sotto_error *error)
{
    text_buffer out = {0};
    message a = {
        .session = p->f->session, .kind = kind, .from = (uint32_t)p->k + 1};
    message_write(&a, &out);
    sotto_status status = out.failed ? error_memory(error) : SOTTO_OK;
    if (status == SOTTO_OK && !is_replay)
        status = store_add_pair(p->store, type, p->k, bytes, size, out.data,
                                out.length, error);
    if (status == SOTTO_OK)
        status = set_outgoing(p, out.data, out.length, error);
    text_free(&out);
    return status;
}

/* A digest and a flag of each party, as the coordinator passes them on; 0: it
   is another message. */
static int get_all(const participant *p, const message *r, const hash **digest,
                   const int64_t **flag)
{
    int64_t parties = p->f->parties;
    *digest =
        message_get(r, 0, MESSAGE_BYTES, parties * (int64_t)sizeof **digest);
    *flag = message_get(r, 1, MESSAGE_INTEGERS, parties);
    int fine = r->fields == 2 && *digest && *flag;
    for (int j = 0; fine && j < parties; j++)
        fine = (*flag)[j] == 0 || (*flag)[j] == 1;
    return fine;
}

/* ---- rows ---- */

static sotto_status write_tag(participant *p, sotto_error *error)
{
    int64_t is_private = party_is_private(p->party);
    const hash *tag = &p->tags[2 * p->k + is_private];
    message word = {.session = p->f->session,
                    .kind = FEDERATION_TAG,
                    .from = (uint32_t)p->k + 1,
                    .fields = 2};
    word.field[0] = (message_field){MESSAGE_BYTES, sizeof tag->byte, tag->byte};
    word.field[1] = (message_field){MESSAGE_INTEGERS, 1, &is_private};
    message_write(&word, &p->tag);
    return p->tag.failed ? error_memory(error) : SOTTO_OK;
}

/* All tags must be the tags of these rows; otherwise nothing more is sent. */
static sotto_status check_tags(const participant *p, const message *r,
                               int *all_private, sotto_error *error)
{
    const hash *tag;
    const int64_t *flag;
    if (!get_all(p, r, &tag, &flag))
        return refuse("not the tags of all parties' rows", error);
    *all_private = 1;
    for (int j = 0; j < p->f->parties; j++) {
        *all_private &= flag[j] == 1;
        if (!hash_same(&p->tags[2 * j + flag[j]], &tag[j]) ||
            (j == p->k && flag[j] != party_is_private(p->party)))
            return error_set(error, SOTTO_PEER,
                             "refused: party %s does not have the same ids in "
                             "the same order (or has another consortium "
                             "secret); nothing was sent but a keyed tag",
                             show_name(p->f->party[j].name).text);
    }
    return SOTTO_OK;
}

static sotto_status take_tags(participant *p, const message *r,
                              const void *bytes, size_t size, int is_replay,
                              sotto_error *error)
{
    int all_private = 0;
    hash name = hash_of(bytes, size);
    if (p->aligned)
        return hash_same(&name, &p->agreed)
                   ? SOTTO_OK
                   : refuse("other tags of rows than before", error);
    sotto_status status = check_tags(p, r, &all_private, error);
    if (status == SOTTO_OK)
        status = confirm(p, FEDERATION_AGREED, STORE_AGREED, bytes, size,
                         is_replay, error);
    if (status == SOTTO_OK) {
        p->aligned = 1;
        p->agreed = name;
        p->all_private = all_private;
    }
    return status;
}

/* ---- models ---- */

/* All parties must have the model that this one has; otherwise it must not be
   used. A party that was skipped has none. */
static sotto_status check_seals(const participant *p, const message *r,
                                sotto_error *error)
{
    const hash *seal;
    const int64_t *has;
    if (!get_all(p, r, &seal, &has) || !p->weight)
        return refuse("not the digests of all parties' models", error);
    for (int j = 0; j < p->f->parties; j++) {
        const char *name = p->f->party[j].name;
        hash right = align_seal(&p->seal_key, j, p->weight, p->weights);
        if (!has[j] && p->f->absent_skips && j != p->k)
            log_line(p->log, "party %s was skipped: its model was not compared",
                     show_name(name).text);
        else if (!has[j] || !hash_same(&right, &seal[j]))
            return error_set(error, SOTTO_PEER,
                             "refused: party %s does not have the same model; "
                             "it must not be used",
                             show_name(name).text);
    }
    return SOTTO_OK;
}

static sotto_status take_seals(participant *p, const message *r,
                               const void *bytes, size_t size, int is_replay,
                               sotto_error *error)
{
    sotto_status status = check_seals(p, r, error);
    if (status != SOTTO_OK || p->compared)
        return status;
    status = confirm(p, FEDERATION_COMPARED, STORE_COMPARED, bytes, size,
                     is_replay, error);
    if (status == SOTTO_OK) {
        p->compared = 1;
        if (!is_replay)
            log_line(p->log, "all parties have the same model");
    }
    return status;
}

/* ---- requests ---- */

static sotto_status check_request(const participant *p, const message *r,
                                  sotto_error *error)
{
    if (!hash_same(&r->session, &p->f->session))
        return refuse("the coordinator has another agreement", error);
    if (r->from != 0 || r->to != (uint32_t)p->k + 1)
        return refuse("a message for another party", error);
    if (r->kind != FEDERATION_TAGS && !p->aligned)
        return refuse("a question before all have agreed on their rows", error);
    return SOTTO_OK;
}

/* Keeps the weights of a model that the party has accepted. */
static sotto_status keep_weights(participant *p, const message *r,
                                 sotto_error *error)
{
    const message_field *of = &r->field[0];
    if (p->weight)
        return SOTTO_OK;
    p->weight = mem_zeroed((size_t)of->count, sizeof *p->weight);
    if (!p->weight)
        return error_memory(error);
    memcpy(p->weight, of->data, (size_t)of->count * sizeof *p->weight);
    p->weights = of->count;
    return SOTTO_OK;
}

/* Hands a request to the party, and stores an answer that is new. */
static sotto_status take_question(participant *p, const message *r,
                                  const void *bytes, size_t size,
                                  sotto_error *error)
{
    hash before = *party_transcript(p->party);
    const text_buffer *answer = NULL;
    sotto_status status = party_answer(p->party, bytes, size, &answer, error);
    if (status == SOTTO_OK && r->kind == FEDERATION_MODEL)
        status = keep_weights(p, r, error);
    if (status == SOTTO_OK && !hash_same(&before, party_transcript(p->party))) {
        status = store_add_pair(p->store, STORE_ANSWER, p->k, bytes, size,
                                answer->data, answer->length, error);
        if (status == SOTTO_OK)
            log_line(p->log, "answered: %s %llu, %zu bytes",
                     r->kind == FEDERATION_MODEL ? "the model, round" : "round",
                     (unsigned long long)r->round, answer->length);
    }
    return status == SOTTO_OK
               ? set_outgoing(p, answer->data, answer->length, error)
               : status;
}

sotto_status participant_take(participant *p, const void *bytes, size_t size,
                              sotto_error *error)
{
    message r;
    sotto_status status = message_read(&r, bytes, size, error);
    if (status == SOTTO_OK)
        status = check_request(p, &r, error);
    if (status == SOTTO_OK)
        status = r.kind == FEDERATION_TAGS
                     ? take_tags(p, &r, bytes, size, 0, error)
                 : r.kind == FEDERATION_SEALS
                     ? take_seals(p, &r, bytes, size, 0, error)
                     : take_question(p, &r, bytes, size, error);
    message_free(&r);
    return status;
}

/* ---- life ---- */

static sotto_status replay_pair(participant *p, const store_record *r,
                                sotto_error *error)
{
    const void *request, *answer;
    size_t request_size, answer_size;
    message q = {0};
    if (!store_pair(r->bytes, r->size, &request, &request_size, &answer,
                    &answer_size))
        return refuse("a record that cannot be read", error);
    sotto_status status = message_read(&q, request, request_size, error);
    if (status == SOTTO_OK && r->type == STORE_AGREED)
        status = take_tags(p, &q, request, request_size, 1, error);
    else if (status == SOTTO_OK && r->type == STORE_COMPARED)
        status = take_seals(p, &q, request, request_size, 1, error);
    else if (status == SOTTO_OK)
        status = party_replay(p->party, request, request_size, answer,
                              answer_size, error);
    if (status == SOTTO_OK && q.kind == FEDERATION_MODEL)
        status = keep_weights(p, &q, error);
    if (status == SOTTO_OK)
        status = set_outgoing(p, answer, answer_size, error);
    message_free(&q);
    return status;
}

static sotto_status replay_record(void *context, const store_record *r,
                                  sotto_error *error)
{
    participant *p = context;
    if (r->type != STORE_TAG)
        return replay_pair(p, r, error);
    if (r->size != p->tag.length || memcmp(r->bytes, p->tag.data, r->size))
        return error_set(error, SOTTO_BUDGET,
                         "refused: the state folder belongs to other rows");
    return set_outgoing(p, r->bytes, r->size, error);
}

static sotto_status open_store(participant *p, const hash *data,
                               const char *folder, sotto_error *error)
{
    store_owner owner = {
        .role = p->k + 1, .session = p->f->session, .data = *data};
    sotto_status status = write_tag(p, error);
    if (status == SOTTO_OK)
        status = store_open(&p->store, folder, &owner, replay_record, p, error);
    if (status != SOTTO_OK || p->outgoing.length)
        return status;
    status =
        store_add(p->store, STORE_TAG, p->k, p->tag.data, p->tag.length, error);
    return status == SOTTO_OK
               ? set_outgoing(p, p->tag.data, p->tag.length, error)
               : status;
}

sotto_status participant_open(participant **out, const federation *f, int k,
                              sotto_table **table, const hash *secret,
                              const hash *data, const char *folder,
                              logbook *log, sotto_error *error)
{
    participant *p = mem_zeroed(1, sizeof *p);
    *out = NULL;
    sotto_status status = p ? SOTTO_OK : error_memory(error);
    if (p) {
        *p = (participant){.f = f, .k = k, .log = log};
        p->seal_key = align_seal_key(f, secret);
        p->tags = mem_zeroed(2 * (size_t)f->parties, sizeof *p->tags);
        status = p->tags ? align_tags(p->tags, f, secret, *table, error)
                         : error_memory(error);
    }
    if (status == SOTTO_OK) {
        sotto_table_forget_ids(*table);
        status = party_open(&p->party, f, k, table, error);
    }
    if (status == SOTTO_OK)
        party_seal(p->party, &p->seal_key);
    sotto_table_free(*table);
    *table = NULL;
    if (status == SOTTO_OK)
        status = open_store(p, data, folder, error);
    if (status == SOTTO_OK)
        *out = p;
    else
        participant_close(p);
    return status;
}

void participant_close(participant *p)
{
    if (!p)
        return;
    party_close(p->party);
    store_close(p->store);
    text_free(&p->tag);
    text_free(&p->outgoing);
    mem_free(p->weight);
    /* who knows another party's tag could pass for that party */
    mem_free_wiped(p->tags, 2 * (size_t)p->f->parties * sizeof *p->tags);
    mem_free_wiped(p, sizeof *p);
}

const text_buffer *participant_message(const participant *p)
{
    return &p->outgoing;
}

int participant_is_over(const participant *p)
{
    return p->compared;
}

sotto_status participant_model(const participant *p, sotto_model **out,
                               sotto_error *error)
{
    int is_private = p->all_private && party_is_private(p->party);
    return federation_model_of(out, p->f, p->weight, is_private, error);
}
