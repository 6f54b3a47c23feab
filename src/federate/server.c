/*
 * The server's logic. It holds no data and no secrets. It keeps the sketches
 * that parties send, moves the weights (block-coordinate Frank-Wolfe: the
 * paper's Algorithm 1 with one party per round), and says what to ask next. All
 * of it is post-processing of private answers.
 */
#include "internal.h"

#include <string.h>

/* Of one party: its weights, and the sketches it has sent. */
typedef struct shown_columns {
    double *weight;
    int64_t **sketch; /* NULL: not sent yet */
    int64_t columns, shows;
    int64_t bytes, messages; /* that came from it */
} shown_columns;

struct server {
    const federation *f;
    shown_columns *of;
    int64_t *labels; /* their sketch; NULL: known, or not there yet */
    double *vector;  /* scratch */
    int64_t step;    /* K starts, T rounds, K models */
    text_buffer request;
    hash transcript;
};

static sotto_status refuse(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "server: refused: %s", what);
}

/* ---- life ---- */

sotto_status server_open(server **out, const federation *f, sotto_error *error)
{
    server *s = mem_zeroed(1, sizeof *s);
    *out = NULL;
    if (!s)
        return error_memory(error);
    *s = (server){.f = f};
    s->of = mem_zeroed((size_t)f->parties, sizeof *s->of);
    s->vector = mem_zeroed((size_t)f->buckets, sizeof *s->vector);
    int fine = s->of && s->vector;
    for (int k = 0; fine && k < f->parties; k++) {
        shown_columns *p = &s->of[k];
        p->columns = federation_columns(f, k);
        p->weight = mem_zeroed((size_t)p->columns, sizeof *p->weight);
        p->sketch = mem_zeroed((size_t)p->columns, sizeof *p->sketch);
        fine = p->weight && p->sketch;
    }
    if (!fine) {
        server_close(s);
        return error_memory(error);
    }
    *out = s;
    return SOTTO_OK;
}

void server_close(server *s)
{
    if (!s)
        return;
    for (int k = 0; s->of && k < s->f->parties; k++) {
        for (int64_t i = 0; s->of[k].sketch && i < s->of[k].columns; i++)
            mem_free(s->of[k].sketch[i]);
        mem_free(s->of[k].sketch);
        mem_free(s->of[k].weight);
    }
    mem_free(s->of);
    mem_free(s->labels);
    mem_free(s->vector);
    text_free(&s->request);
    mem_free(s);
}

/* ---- where it is ---- */

/* The kind of the present request, its party and its round. */
static federation_kind step_now(const server *s, int *who, uint64_t *round)
{
    const federation *f = s->f;
    int64_t at = s->step;
    *round = 0;
    if (at < f->parties) {
        *who = (int)at;
        return FEDERATION_START;
    }
    at -= f->parties;
    if (at < f->rounds) {
        *who = f->turn[at];
        *round = (uint64_t)at + 1;
        return FEDERATION_VECTOR;
    }
    at -= f->rounds;
    *who = at < f->parties ? (int)at : -1;
    *round = (uint64_t)f->rounds + 1;
    return FEDERATION_MODEL;
}

double server_share(const server *s)
{
    return (double)s->step / (double)(s->f->rounds + 2 * s->f->parties);
}

/* ---- requests ---- */

static void add_sketch(double *to, double weight, const int64_t *sketch,
                       int64_t buckets)
{
    for (int64_t b = 0; b < buckets; b++)
        to[b] += weight * ((double)sketch[b] / ASK_UNIT);
}

/* u = sum of x_i a_i - y, in sketches: where the residual points. */
static void fill_vector(server *s)
{
    int64_t buckets = s->f->buckets;
    memset(s->vector, 0, (size_t)buckets * sizeof *s->vector);
    for (int k = 0; k < s->f->parties; k++)
        for (int64_t i = 0; i < s->of[k].columns; i++)
            if (s->of[k].weight[i] != 0)
                add_sketch(s->vector, s->of[k].weight[i], s->of[k].sketch[i],
                           buckets);
    if (s->labels)
        add_sketch(s->vector, -1, s->labels, buckets);
}

double *server_all_weights(const server *s, int64_t *count)
{
    int64_t at = 0;
    *count = 0;
    for (int k = 0; k < s->f->parties; k++)
        *count += s->of[k].columns;
    double *weight = mem_zeroed((size_t)*count, sizeof *weight);
    for (int k = 0; weight && k < s->f->parties; k++)
        for (int64_t i = 0; i < s->of[k].columns; i++)
            weight[at++] = s->of[k].weight[i];
    return weight;
}

static sotto_status write_model(server *s, message *m, sotto_error *error)
{
    int64_t all;
    double *weight = server_all_weights(s, &all);
    if (!weight)
        return error_memory(error);
    m->field[m->fields++] = (message_field){MESSAGE_NUMBERS, all, weight};
    message_write(m, &s->request);
    mem_free(weight);
    return SOTTO_OK;
}

static sotto_status write_request(server *s, sotto_error *error)
{
    int who;
    message m = {.session = s->f->session};
    m.kind = step_now(s, &who, &m.round);
    m.to = (uint32_t)who + 1;
    if (m.kind == FEDERATION_MODEL)
        return write_model(s, &m, error);
    if (m.kind == FEDERATION_VECTOR) {
        fill_vector(s);
        m.field[m.fields++] =
            (message_field){MESSAGE_NUMBERS, s->f->buckets, s->vector};
    }
    message_write(&m, &s->request);
    return SOTTO_OK;
}

sotto_status server_next(server *s, int *to, const text_buffer **request,
                         sotto_error *error)
{
    uint64_t round;
    step_now(s, to, &round);
    *request = &s->request;
    if (*to < 0 || s->request.length)
        return SOTTO_OK;
    sotto_status status = write_request(s, error);
    if (status == SOTTO_OK && s->request.failed)
        status = error_memory(error);
    if (status == SOTTO_OK)
        hash_add(&s->transcript, s->request.data, s->request.length);
    else
        text_free(&s->request);
    return status;
}

/* ---- answers ---- */

static int64_t *copied(const int64_t *sketch, int64_t buckets)
{
    int64_t *copy = mem_zeroed((size_t)buckets, sizeof *copy);
    if (copy)
        memcpy(copy, sketch, (size_t)buckets * sizeof *copy);
    return copy;
}

static sotto_status take_start(server *s, int k, const message *m,
                               sotto_error *error)
{
    const federation *f = s->f;
    int labels = !f->labels_known && k == f->label_party;
    const int64_t *sketch = message_get(m, 0, MESSAGE_INTEGERS, f->buckets);
    if (m->kind != (labels ? FEDERATION_LABELS : FEDERATION_READY) ||
        m->fields != labels || (labels && !sketch))
        return refuse("not how a party begins", error);
    if (labels)
        s->labels = copied(sketch, f->buckets);
    return labels && !s->labels ? error_memory(error) : SOTTO_OK;
}

/* Takes a vertex, and its column's sketch if that is new. */
static sotto_status take_shown(server *s, int k, const message *m,
                               const int64_t **out, sotto_error *error)
{
    const federation *f = s->f;
    shown_columns *p = &s->of[k];
    const int64_t *vertex = message_get(m, 0, MESSAGE_INTEGERS, 2);
    if (m->kind != FEDERATION_VERTEX || !vertex || vertex[0] < 0 ||
        vertex[0] >= p->columns || (vertex[1] != 1 && vertex[1] != -1))
        return refuse("not a vertex", error);
    int is_new = !p->sketch[vertex[0]];
    const int64_t *sketch = message_get(m, 1, MESSAGE_INTEGERS, f->buckets);
    if (m->fields != 1 + is_new || (is_new && !sketch) ||
        (is_new && p->shows >= f->party[k].cap))
        return refuse("a column's sketch is sent once, when it is new, up to "
                      "the party's cap",
                      error);
    if (is_new) {
        p->sketch[vertex[0]] = copied(sketch, f->buckets);
        if (!p->sketch[vertex[0]])
            return error_memory(error);
        p->shows++;
    }
    *out = vertex;
    return SOTTO_OK;
}

static sotto_status take_vertex(server *s, int k, const message *m,
                                sotto_error *error)
{
    const int64_t *vertex;
    sotto_status status = take_shown(s, k, m, &vertex, error);
    if (status == SOTTO_OK)
        federation_move(s->f, k, s->of[k].weight, (int64_t)m->round, vertex[0],
                        (int)vertex[1]);
    return status;
}

static sotto_status take(server *s, const message *m, int k,
                         federation_kind step, sotto_error *error)
{
    if (step == FEDERATION_START)
        return take_start(s, k, m, error);
    if (step == FEDERATION_VECTOR)
        return take_vertex(s, k, m, error);
    return m->kind == FEDERATION_TAKEN &&
                   (m->fields == 0 ||
                    (m->fields == 1 &&
                     message_get(m, 0, MESSAGE_BYTES, sizeof(hash))))
               ? SOTTO_OK
               : refuse("not how a party ends", error);
}

sotto_status server_take(server *s, const void *answer, size_t size,
                         sotto_error *error)
{
    message m;
    int k;
    uint64_t round;
    federation_kind step = step_now(s, &k, &round);
    sotto_status status = message_read(&m, answer, size, error);
    if (status == SOTTO_OK &&
        (k < 0 || !s->request.length || m.round != round || m.to != 0 ||
         m.from != (uint32_t)k + 1 || !hash_same(&m.session, &s->f->session)))
        status = refuse("an answer to another question", error);
    if (status == SOTTO_OK)
        status = take(s, &m, k, step, error);
    message_free(&m);
    if (status != SOTTO_OK)
        return status;
    hash_add(&s->transcript, answer, size);
    text_free(&s->request);
    s->of[k].bytes += (int64_t)size;
    s->of[k].messages++;
    s->step++;
    return SOTTO_OK;
}

sotto_status server_skip(server *s, sotto_error *error)
{
    int k;
    uint64_t round;
    federation_kind step = step_now(s, &k, &round);
    if (k < 0)
        return refuse("it is over", error);
    if (step == FEDERATION_START && !s->f->labels_known &&
        k == s->f->label_party)
        return refuse("the party that has the labels cannot be skipped", error);
    text_free(&s->request);
    s->step++;
    return SOTTO_OK;
}

sotto_status server_take_late(server *s, int k, const void *answer, size_t size,
                              sotto_error *error)
{
    message m;
    const int64_t *vertex;
    sotto_status status = message_read(&m, answer, size, error);
    if (status == SOTTO_OK)
        status = take_shown(s, k, &m, &vertex, error);
    message_free(&m);
    if (status != SOTTO_OK)
        return status;
    hash_add(&s->transcript, answer, size);
    s->of[k].bytes += (int64_t)size;
    s->of[k].messages++;
    return SOTTO_OK;
}

federation_kind server_asks(const server *s)
{
    int who;
    uint64_t round;
    return step_now(s, &who, &round);
}

int64_t server_round(const server *s)
{
    int64_t at = s->step - s->f->parties + 1;
    return at < 0 ? 0 : at > s->f->rounds ? s->f->rounds : at;
}

/* ---- what there is to see ---- */

int64_t server_uplink(const server *s, int k, int64_t *messages)
{
    *messages = s->of[k].messages;
    return s->of[k].bytes;
}

const hash *server_transcript(const server *s)
{
    return &s->transcript;
}
