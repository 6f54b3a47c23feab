/*
 * How a party answers each kind of request: the start (with a sketch of the
 * labels), a vector (with a column, a sign and perhaps the column's sketch),
 * and the model.
 */
#include "party.h"

#include <math.h>
#include <string.h>

/* ---- asking the curator, or what was kept of an answer ---- */

static sotto_status kept_sketch(party *p, ask_kind kind, const message *kept,
                                int field, sotto_error *error)
{
    const int64_t *old =
        message_get(kept, field, MESSAGE_INTEGERS, p->f->buckets);
    if (!old)
        return party_refuse(
            p, "the answer that was kept is not to this request", error);
    memcpy(p->sketch, old, (size_t)p->f->buckets * sizeof *old);
    return curator_tell_spent(p->curator, kind, error);
}

static sotto_status kept_vertex(party *p, const message *kept, int64_t *column,
                                int *sign, sotto_error *error)
{
    const int64_t *old = message_get(kept, 0, MESSAGE_INTEGERS, 2);
    if (!old || old[0] < 0 || old[0] >= p->columns ||
        (old[1] != 1 && old[1] != -1))
        return party_refuse(
            p, "the answer that was kept is not to this request", error);
    *column = old[0];
    *sign = (int)old[1];
    return curator_tell_spent(p->curator, ASK_ALONG, error);
}

/*
 * The clip C_e of a row's entry: 1.5 times the root mean square of the vector
 * over the rows (with the declared size of the labels, if each party subtracts
 * its own). It comes from public numbers alone and matters for accuracy only:
 * whatever it is, the curator clips at it.
 */
static double clip_of(const party *p)
{
    const federation *f = p->f;
    double largest = 0, sum = 0, n = (double)f->rows;
    for (int64_t b = 0; b < f->buckets; b++)
        largest = fmax(largest, fabs(p->vector[b]));
    for (int64_t b = 0; largest > 0 && b < f->buckets; b++) {
        double part = p->vector[b] / largest;
        sum += (double)p->bucket_rows[b] * part * part;
    }
    double rms = n > 0 ? largest * sqrt(sum / n) : 0;
    return 1.5 * (f->labels_known ? hypot(rms, f->label_rms) : rms);
}

/* Chooses among all own columns until the cap is reached; from then on among
   those whose sketches were sent. */
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
        status = party_refuse(p, "it has nothing to show", error);
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

/* Starts. A party that has private labels sends their sketch. */
static sotto_status take_start(party *p, const message *m, const message *kept,
                               text_buffer *out, sotto_error *error)
{
    int labels = !p->f->labels_known && p->k == p->f->label_party;
    if (p->started || m->round != 0 || m->fields != 0)
        return party_refuse(p, "it has begun already", error);
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

/* Whether the party may be asked for a vertex now. */
static sotto_status check_turn(const party *p, const message *m,
                               sotto_error *error)
{
    if (!p->started || p->ended)
        return party_refuse(p, "it has not begun, or has ended", error);
    if (m->round < 1 || m->round > (uint64_t)p->f->rounds ||
        p->f->turn[m->round - 1] != p->k)
        return party_refuse(p, "it is another party's turn", error);
    if (m->round <= p->round)
        return party_refuse(p, "a round that was answered, or skipped, before",
                            error);
    return SOTTO_OK;
}

/* The sketch of a column, if it was not sent before: each is asked for once. */
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
    sotto_status status =
        told && m->fields == 1
            ? check_turn(p, m, error)
            : party_refuse(p, "a vector of another length", error);
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
        return party_refuse(p, "it has not begun, or has ended", error);
    const char *bad = federation_model_fault(p->f, p->k, p->weight, m);
    if (bad)
        return party_refuse(p, bad, error);
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

sotto_status party_take(party *p, const message *m, const message *kept,
                        text_buffer *out, sotto_error *error)
{
    if (!hash_same(&m->session, &p->f->session) || m->from != 0 ||
        m->to != (uint32_t)p->k + 1)
        return party_refuse(
            p, "a message of another session, or for another party", error);
    switch (m->kind) {
    case FEDERATION_START:
        return take_start(p, m, kept, out, error);
    case FEDERATION_VECTOR:
        return take_vector(p, m, kept, out, error);
    case FEDERATION_MODEL:
        return take_model(p, m, out, error);
    default:
        return party_refuse(p, "a message that is not for parties", error);
    }
}
