/*
 * A party between the network and its logic: whether all have the same rows,
 * and every answer on the disk, with its request, before it is sent. What was
 * answered and not stored was not sent either: nobody knows it.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

struct member {
    const federation *f;
    int k;
    party *party;
    store *store;
    logbook *log;
    hash *tags; /* what each party would send of these rows */
    hash seal_key, agreed;
    text_buffer tag, word; /* what it says now */
    int aligned, all_private, compared;
    double *weight; /* of the model */
    int64_t weights;
};

static sotto_status refuse(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "refused: %s", what);
}

static sotto_status say(member *m, const void *bytes, size_t size,
                        sotto_error *error)
{
    text_free(&m->word);
    text_add(&m->word, bytes, size);
    return m->word.failed ? error_memory(error) : SOTTO_OK;
}

/* Its answer to what all parties have said, kept with the question. */
static sotto_status confirm(member *m, federation_kind kind, store_type type,
                            const void *bytes, size_t size, int again,
                            sotto_error *error)
{
    text_buffer out = {0};
    message a = {
        .session = m->f->session, .kind = kind, .from = (uint32_t)m->k + 1};
    message_write(&a, &out);
    sotto_status status = out.failed ? error_memory(error) : SOTTO_OK;
    if (status == SOTTO_OK && !again)
        status = store_add_pair(m->store, type, m->k, bytes, size, out.data,
                                out.length, error);
    if (status == SOTTO_OK)
        status = say(m, out.data, out.length, error);
    text_free(&out);
    return status;
}

/* What the coordinator says that all parties have said: a digest and a flag of
   each; 0: it is no such thing. */
static int get_all(const member *m, const message *r, const hash **digest,
                   const int64_t **flag)
{
    int64_t parties = m->f->parties;
    *digest =
        message_get(r, 0, MESSAGE_BYTES, parties * (int64_t)sizeof **digest);
    *flag = message_get(r, 1, MESSAGE_INTEGERS, parties);
    int fine = r->fields == 2 && *digest && *flag;
    for (int j = 0; fine && j < parties; j++)
        fine = (*flag)[j] == 0 || (*flag)[j] == 1;
    return fine;
}

/* ---- rows ---- */

static sotto_status write_tag(member *m, sotto_error *error)
{
    int64_t is_private = party_is_private(m->party);
    const hash *tag = &m->tags[2 * m->k + is_private];
    message word = {.session = m->f->session,
                    .kind = FEDERATION_TAG,
                    .from = (uint32_t)m->k + 1,
                    .fields = 2};
    word.field[0] = (message_field){MESSAGE_BYTES, sizeof tag->byte, tag->byte};
    word.field[1] = (message_field){MESSAGE_INTEGERS, 1, &is_private};
    message_write(&word, &m->tag);
    return m->tag.failed ? error_memory(error) : SOTTO_OK;
}

/* All tags are what these rows make them, or nothing more is said. */
static sotto_status check_tags(const member *m, const message *r,
                               int *all_private, sotto_error *error)
{
    const hash *tag;
    const int64_t *flag;
    if (!get_all(m, r, &tag, &flag))
        return refuse("not the tags of all parties' rows", error);
    *all_private = 1;
    for (int j = 0; j < m->f->parties; j++) {
        *all_private &= flag[j] == 1;
        if (!hash_same(&m->tags[2 * j + flag[j]], &tag[j]) ||
            (j == m->k && flag[j] != party_is_private(m->party)))
            return error_set(error, SOTTO_PEER,
                             "refused: party %s does not have the same ids in "
                             "the same order (or has another consortium "
                             "secret); nothing was sent but a keyed tag",
                             show_name(m->f->party[j].name).text);
    }
    return SOTTO_OK;
}

static sotto_status take_tags(member *m, const message *r, const void *bytes,
                              size_t size, int again, sotto_error *error)
{
    int all_private = 0;
    hash name = hash_of(bytes, size);
    if (m->aligned)
        return hash_same(&name, &m->agreed)
                   ? SOTTO_OK
                   : refuse("other tags of rows than before", error);
    sotto_status status = check_tags(m, r, &all_private, error);
    if (status == SOTTO_OK)
        status = confirm(m, FEDERATION_AGREED, STORE_AGREED, bytes, size, again,
                         error);
    if (status == SOTTO_OK) {
        m->aligned = 1;
        m->agreed = name;
        m->all_private = all_private;
    }
    return status;
}

/* ---- models ---- */

/* All parties have the model that is here, or it is not to be used. Who was
   passed over has none. */
static sotto_status check_seals(const member *m, const message *r,
                                sotto_error *error)
{
    const hash *seal;
    const int64_t *has;
    if (!get_all(m, r, &seal, &has) || !m->weight)
        return refuse("not the digests of all parties' models", error);
    for (int j = 0; j < m->f->parties; j++) {
        const char *name = m->f->party[j].name;
        hash right = align_seal(&m->seal_key, j, m->weight, m->weights);
        if (!has[j] && m->f->absent_skips && j != m->k)
            log_line(m->log,
                     "party %s was passed over: its model was not "
                     "compared",
                     show_name(name).text);
        else if (!has[j] || !hash_same(&right, &seal[j]))
            return error_set(error, SOTTO_PEER,
                             "refused: party %s does not have the same model; "
                             "it must not be used",
                             show_name(name).text);
    }
    return SOTTO_OK;
}

static sotto_status take_seals(member *m, const message *r, const void *bytes,
                               size_t size, int again, sotto_error *error)
{
    sotto_status status = check_seals(m, r, error);
    if (status != SOTTO_OK || m->compared)
        return status;
    status = confirm(m, FEDERATION_COMPARED, STORE_COMPARED, bytes, size, again,
                     error);
    if (status == SOTTO_OK) {
        m->compared = 1;
        if (!again)
            log_line(m->log, "all parties have the same model");
    }
    return status;
}

/* ---- requests ---- */

static sotto_status check_request(const member *m, const message *r,
                                  sotto_error *error)
{
    if (!hash_same(&r->session, &m->f->session))
        return refuse("the coordinator has another agreement", error);
    if (r->from != 0 || r->to != (uint32_t)m->k + 1)
        return refuse("a message for another party", error);
    if (r->kind != FEDERATION_TAGS && !m->aligned)
        return refuse("a question before all have agreed on their rows", error);
    return SOTTO_OK;
}

/* Of a model that the party has taken. */
static sotto_status keep_weights(member *m, const message *r,
                                 sotto_error *error)
{
    const message_field *of = &r->field[0];
    if (m->weight)
        return SOTTO_OK;
    m->weight = mem_zeroed((size_t)of->count, sizeof *m->weight);
    if (!m->weight)
        return error_memory(error);
    memcpy(m->weight, of->data, (size_t)of->count * sizeof *m->weight);
    m->weights = of->count;
    return SOTTO_OK;
}

/* Asks the party; what is new is stored. */
static sotto_status take_question(member *m, const message *r,
                                  const void *bytes, size_t size,
                                  sotto_error *error)
{
    hash before = *party_transcript(m->party);
    const text_buffer *answer = NULL;
    sotto_status status = party_answer(m->party, bytes, size, &answer, error);
    if (status == SOTTO_OK && r->kind == FEDERATION_MODEL)
        status = keep_weights(m, r, error);
    if (status == SOTTO_OK && !hash_same(&before, party_transcript(m->party))) {
        status = store_add_pair(m->store, STORE_ANSWER, m->k, bytes, size,
                                answer->data, answer->length, error);
        if (status == SOTTO_OK)
            log_line(m->log, "answered: %s %llu, %zu bytes",
                     r->kind == FEDERATION_MODEL ? "the model, round" : "round",
                     (unsigned long long)r->round, answer->length);
    }
    return status == SOTTO_OK ? say(m, answer->data, answer->length, error)
                              : status;
}

sotto_status member_take(member *m, const void *bytes, size_t size,
                         sotto_error *error)
{
    message r;
    sotto_status status = message_read(&r, bytes, size, error);
    if (status == SOTTO_OK)
        status = check_request(m, &r, error);
    if (status == SOTTO_OK)
        status = r.kind == FEDERATION_TAGS
                     ? take_tags(m, &r, bytes, size, 0, error)
                 : r.kind == FEDERATION_SEALS
                     ? take_seals(m, &r, bytes, size, 0, error)
                     : take_question(m, &r, bytes, size, error);
    message_free(&r);
    return status;
}

/* ---- life ---- */

static sotto_status again_pair(member *m, const store_record *r,
                               sotto_error *error)
{
    const void *request, *answer;
    size_t request_size, answer_size;
    message q = {0};
    if (!store_pair(r->bytes, r->size, &request, &request_size, &answer,
                    &answer_size))
        return refuse("a record that is none", error);
    sotto_status status = message_read(&q, request, request_size, error);
    if (status == SOTTO_OK && r->type == STORE_AGREED)
        status = take_tags(m, &q, request, request_size, 1, error);
    else if (status == SOTTO_OK && r->type == STORE_COMPARED)
        status = take_seals(m, &q, request, request_size, 1, error);
    else if (status == SOTTO_OK)
        status = party_replay(m->party, request, request_size, answer,
                              answer_size, error);
    if (status == SOTTO_OK && q.kind == FEDERATION_MODEL)
        status = keep_weights(m, &q, error);
    if (status == SOTTO_OK)
        status = say(m, answer, answer_size, error);
    message_free(&q);
    return status;
}

static sotto_status again(void *context, const store_record *r,
                          sotto_error *error)
{
    member *m = context;
    if (r->type != STORE_TAG)
        return again_pair(m, r, error);
    if (r->size != m->tag.length || memcmp(r->bytes, m->tag.data, r->size))
        return error_set(error, SOTTO_BUDGET,
                         "refused: the state folder goes with other rows");
    return say(m, r->bytes, r->size, error);
}

static sotto_status open_store(member *m, const hash *data, const char *folder,
                               sotto_error *error)
{
    store_owner owner = {
        .role = m->k + 1, .session = m->f->session, .data = *data};
    sotto_status status = write_tag(m, error);
    if (status == SOTTO_OK)
        status = store_open(&m->store, folder, &owner, again, m, error);
    if (status != SOTTO_OK || m->word.length)
        return status;
    status =
        store_add(m->store, STORE_TAG, m->k, m->tag.data, m->tag.length, error);
    return status == SOTTO_OK ? say(m, m->tag.data, m->tag.length, error)
                              : status;
}

sotto_status member_open(member **out, const federation *f, int k,
                         sotto_table **table, const hash *secret,
                         const hash *data, const char *folder, logbook *log,
                         sotto_error *error)
{
    member *m = mem_zeroed(1, sizeof *m);
    *out = NULL;
    sotto_status status = m ? SOTTO_OK : error_memory(error);
    if (m) {
        *m = (member){.f = f, .k = k, .log = log};
        m->seal_key = align_seal_key(f, secret);
        m->tags = mem_zeroed(2 * (size_t)f->parties, sizeof *m->tags);
        status = m->tags ? align_tags(m->tags, f, secret, *table, error)
                         : error_memory(error);
    }
    if (status == SOTTO_OK) {
        sotto_table_forget_ids(*table);
        status = party_open(&m->party, f, k, table, error);
    }
    if (status == SOTTO_OK)
        party_seal(m->party, &m->seal_key);
    sotto_table_free(*table);
    *table = NULL;
    if (status == SOTTO_OK)
        status = open_store(m, data, folder, error);
    if (status == SOTTO_OK)
        *out = m;
    else
        member_close(m);
    return status;
}

void member_close(member *m)
{
    if (!m)
        return;
    party_close(m->party);
    store_close(m->store);
    text_free(&m->tag);
    text_free(&m->word);
    mem_free(m->weight);
    /* with another party's tag one could come in its name */
    mem_free_wiped(m->tags, 2 * (size_t)m->f->parties * sizeof *m->tags);
    mem_free_wiped(m, sizeof *m);
}

const text_buffer *member_word(const member *m)
{
    return &m->word;
}

const double *member_weights(const member *m)
{
    return m->weight;
}

int member_is_over(const member *m)
{
    return m->compared;
}

sotto_status member_model(const member *m, sotto_model **out,
                          sotto_error *error)
{
    int is_private = m->all_private && party_is_private(m->party);
    return federation_model_of(out, m->f, m->weight, is_private, error);
}
