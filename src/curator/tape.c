/*
 * Tapes, for audits: what the gate released in one run is played back in
 * another, and the exact sums of two neighbours are compared at the same
 * questions. Then nothing that is released may differ, no sum may move further
 * than its noise was made for, and what the answers say of which neighbour it
 * was is known exactly: the privacy loss.
 *
 * Three runs share a tape. The first, on either neighbour, has noise as
 * always, and its answers are kept. The second, on the first neighbour, hears
 * these answers, and its sums are kept. The third, on the other neighbour,
 * hears them too, and its sums are compared.
 *
 * A tape sees sums without noise. So a curator takes one only for records that
 * the program made of declarations (docs/privacy, Lemma C32).
 */
#include "internal.h"

#include <math.h>
#include <string.h>

typedef enum tape_form { TAPE_SUMS, TAPE_CHOICE, TAPE_WORDS } tape_form;

typedef struct tape_entry {
    tape_form form;
    ask_kind kind;
    size_t count;
    int64_t *answer; /* that was released; of a choice the winner */
    int64_t *sum;    /* of the first neighbour, without noise */
    char **text;     /* of levels: those that were shown; else NULL */
} tape_entry;

struct curator_tape {
    int64_t common; /* people whom both neighbours have: the first ones */
    int turn;       /* 0: keeps answers, 1: keeps sums, 2: compares them */
    tape_entry *entry;
    size_t entries, room, at;
    int lost; /* out of memory where that cannot be said */
    curator_heard heard;
};

sotto_status curator_tape_new(curator_tape **out, int64_t common,
                              sotto_error *error)
{
    *out = mem_zeroed(1, sizeof **out);
    if (!*out)
        return error_memory(error);
    (*out)->common = common;
    return SOTTO_OK;
}

void curator_tape_free(curator_tape *t)
{
    for (size_t i = 0; t && i < t->entries; i++) {
        mem_free(t->entry[i].answer);
        mem_free(t->entry[i].sum);
        if (t->entry[i].text)
            mem_free_texts(t->entry[i].text, (int64_t)t->entry[i].count);
    }
    if (t)
        mem_free(t->entry);
    mem_free(t);
}

void curator_tape_turn(curator_tape *t)
{
    t->turn++;
    t->at = 0;
}

int curator_tape_is_over(const curator_tape *t)
{
    return t->turn == 0 || t->at == t->entries;
}

const curator_heard *curator_tape_heard(const curator_tape *t)
{
    return &t->heard;
}

/* Sums without noise are for nobody's eyes, unless they are of nobody. */
sotto_status curator_attach_tape(curator *c, curator_tape *t,
                                 sotto_error *error)
{
    if (!c->table->invented || c->ranks || !curator_is_private(c))
        return error_set(error, SOTTO_PRIVACY,
                         "only runs on invented records are audited");
    c->tape = t;
    return SOTTO_OK;
}

/* ---- entries ---- */

static int64_t *copied(const int64_t *from, size_t count)
{
    int64_t *to = mem_zeroed(count + 1, sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = from[i];
    return to;
}

static sotto_status keep(curator_tape *t, tape_form form, ask_kind kind,
                         const int64_t *answer, size_t count,
                         sotto_error *error)
{
    if (t->entries == t->room) {
        size_t room = 2 * t->room + 16;
        tape_entry *more = mem_resize(t->entry, room, sizeof *more);
        if (!more)
            return error_memory(error);
        t->entry = more;
        t->room = room;
    }
    tape_entry e = {form, kind, count, copied(answer, count), NULL, NULL};
    if (!e.answer)
        return error_memory(error);
    t->entry[t->entries++] = e;
    return SOTTO_OK;
}

/* Of words: as many as there were. */
#define ANY_COUNT SIZE_MAX

/* What was asked must not depend on a record. */
static sotto_status next(curator_tape *t, tape_form form, ask_kind kind,
                         size_t count, tape_entry **out, sotto_error *error)
{
    tape_entry *e = t->at < t->entries ? &t->entry[t->at] : NULL;
    *out = e;
    t->at++;
    if (e && e->form == form && e->kind == kind &&
        (e->count == count || count == ANY_COUNT))
        return SOTTO_OK;
    t->heard.apart = 1;
    return error_set(error, SOTTO_PRIVACY,
                     "with the same answers something else was asked (%s)",
                     form == TAPE_WORDS ? "coins" : ask_name(kind));
}

/* ---- what the answers give away ---- */

static void hear_move(curator_tape *t, const ask_item *item, double moved,
                      double allowed)
{
    double share = moved / allowed;
    share = isnan(share) ? INFINITY : share;
    if (share > t->heard.moved || !t->heard.question) {
        t->heard.moved = share;
        t->heard.question = ask_name(item->kind);
    }
}

/* Log of the likelihood of the answers under the second sums over that under
   the first. */
static double loss_of_sums(const tape_entry *e, const int64_t *second,
                           const ask_item *item, double scale)
{
    double ratio = 0;
    for (size_t i = 0; i < e->count; i++) {
        double first = (double)(e->answer[i] - e->sum[i]);
        double other = (double)(e->answer[i] - second[i]);
        ratio += item->noise == ASK_LAPLACE
                     ? (fabs(first) - fabs(other)) / scale
                     : (first - other) * (first + other) / (2 * scale * scale);
    }
    /* the record is in the batch of the second sums, and in no other's */
    return item->noise == ASK_SAMPLED
               ? log(1 - item->rate + item->rate * exp(fmin(ratio, 700)))
               : ratio;
}

static double moved_by(const tape_entry *e, const int64_t *second)
{
    double square = 0;
    for (size_t i = 0; i < e->count; i++) {
        double d = (double)(second[i] - e->sum[i]);
        square += d * d;
    }
    return sqrt(square);
}

/* Of a sample the sensitivity is that of one record; by replacing one, two are
   another (Lemma C23). */
static double allowed_move(const curator *c, const ask_item *item)
{
    int two = item->noise == ASK_SAMPLED &&
              c->policy.adjacency == ACCOUNT_REPLACE_ONE;
    return (two ? 2 : 1) *
           gate_sensitivity(&c->policy, item, c->table->features);
}

static void compare_sums(curator *c, const ask_item *item, const tape_entry *e,
                         const int64_t *second)
{
    double scale = mechanism_scale(
        gate_sensitivity(&c->policy, item, c->table->features), item->level);
    if (question_of(item->kind)->perturbs)
        return; /* the proof is about the noise in the objective: Lemma C22 */
    hear_move(c->tape, item, moved_by(e, second), allowed_move(c, item));
    c->tape->heard.loss += loss_of_sums(e, second, item, scale);
}

sotto_status tape_release(curator *c, const ask_item *item, const int64_t *sums,
                          int64_t *out, size_t count, sotto_error *error)
{
    curator_tape *t = c->tape;
    tape_entry *e;
    t->heard.questions++;
    if (t->lost)
        return error_memory(error);
    if (t->turn == 0)
        return keep(t, TAPE_SUMS, item->kind, out, count, error);
    sotto_status status = next(t, TAPE_SUMS, item->kind, count, &e, error);
    if (status != SOTTO_OK)
        return status;
    if (t->turn == 1 && !(e->sum = copied(sums, count)))
        return error_memory(error);
    if (t->turn == 2)
        compare_sums(c, item, e, sums);
    memcpy(out, e->answer, count * sizeof *out);
    return SOTTO_OK;
}

/* ---- choices ---- */

/* Log of the chance of the winner under the exponential mechanism; of others
   it is near enough for a test. */
static double log_chance(const int64_t *score, size_t count, double rate,
                         int64_t winner)
{
    double sum = 0, top = (double)score[0];
    for (size_t i = 1; i < count; i++)
        top = fmax(top, (double)score[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp(rate * ((double)score[i] - top));
    return rate * ((double)score[winner] - top) - log(sum);
}

static double largest_move(const tape_entry *e, const int64_t *second)
{
    double most = 0;
    for (size_t i = 0; i < e->count; i++)
        most = fmax(most, fabs((double)(second[i] - e->sum[i])));
    return most;
}

static void compare_scores(curator *c, const ask_item *item,
                           const tape_entry *e, const int64_t *second)
{
    double allowed = gate_sensitivity(&c->policy, item, c->table->features);
    double rate = gate_drawn_level(item) / (2 * allowed);
    hear_move(c->tape, item, largest_move(e, second), allowed);
    c->tape->heard.loss += log_chance(second, e->count, rate, e->answer[0]) -
                           log_chance(e->sum, e->count, rate, e->answer[0]);
}

sotto_status tape_choose(curator *c, const ask_item *item,
                         const gate_contest *q, const int64_t *scores,
                         size_t *place, sotto_error *error)
{
    curator_tape *t = c->tape;
    tape_entry *e = NULL;
    int64_t winner = (int64_t)*place;
    int64_t *side = mem_zeroed(q->count + 1, sizeof *side);
    for (size_t i = 0; side && i < q->count; i++)
        side[i] = scores[i * q->stride];
    t->heard.questions++;
    sotto_status status =
        !side          ? error_memory(error)
        : t->turn == 0 ? keep(t, TAPE_CHOICE, item->kind, &winner, 1, error)
                       : next(t, TAPE_CHOICE, item->kind,
                              t->turn == 1 ? 1 : q->count, &e, error);
    if (status == SOTTO_OK && t->turn == 1) {
        e->sum = side;
        e->count = q->count;
        side = NULL;
    } else if (status == SOTTO_OK && t->turn == 2)
        compare_scores(c, item, e, side);
    if (status == SOTTO_OK && t->turn > 0)
        *place = (size_t)e->answer[0];
    mem_free(side);
    return status;
}

/* ---- what is drawn and not released as it is ---- */

sotto_status tape_words(curator_tape *t, int64_t *word, size_t count,
                        sotto_error *error)
{
    tape_entry *e;
    if (t->turn == 0)
        return keep(t, TAPE_WORDS, ASK_KINDS, word, count, error);
    sotto_status status = next(t, TAPE_WORDS, ASK_KINDS, count, &e, error);
    if (status == SOTTO_OK)
        memcpy(word, e->answer, count * sizeof *word);
    return status;
}

/* Noise of rows' own, which is in no answer: that of rows in both batches is
   the same. Whoever differs comes last. */
void tape_hidden(curator_tape *t, int64_t *noise, size_t count)
{
    tape_entry *e;
    if (t->turn == 0)
        t->lost |= keep(t, TAPE_WORDS, ASK_KINDS, noise, count, NULL) != 0;
    else if (next(t, TAPE_WORDS, ASK_KINDS, ANY_COUNT, &e, NULL) == SOTTO_OK)
        memcpy(noise, e->answer,
               (e->count < count ? e->count : count) * sizeof *noise);
}

/* A batch has the same of those whom both neighbours have, and always whoever
   differs. */
sotto_status tape_picks(curator *c, uint32_t *who, size_t *picked,
                        sotto_error *error)
{
    curator_tape *t = c->tape;
    tape_entry *e;
    sotto_status status = SOTTO_OK;
    if (t->turn == 0) {
        int64_t *place = mem_zeroed(*picked + 1, sizeof *place);
        for (size_t i = 0; place && i < *picked; i++)
            place[i] = who[i];
        status = place ? keep(t, TAPE_WORDS, ASK_KINDS, place, *picked, error)
                       : error_memory(error);
        mem_free(place);
        return status;
    }
    status = next(t, TAPE_WORDS, ASK_KINDS, ANY_COUNT, &e, error);
    *picked = 0;
    for (size_t i = 0; status == SOTTO_OK && i < e->count; i++)
        if (e->answer[i] < t->common)
            who[(*picked)++] = (uint32_t)e->answer[i];
    for (int64_t k = t->common; status == SOTTO_OK && k < c->batch.people; k++)
        who[(*picked)++] = (uint32_t)k;
    return status;
}

/* ---- levels ---- */

/* The text of count i of all columns, behind the number of its column; to be
   freed. NULL: out of memory. */
static char *level_at(const curator *c, size_t i)
{
    const table_levels *all = &c->table->levels;
    int64_t k = 0, at = (int64_t)i;
    while (at >= all->column[k].count)
        at -= all->column[k++].count;
    const level_column *column = &all->column[k];
    size_t from = at ? column->end[at - 1] : 0, size = column->end[at] - from;
    char *text = mem_zeroed(size + 24, 1);
    int length = text ? snprintf(text, 24, "%lld:", (long long)k) : 0;
    if (text)
        memcpy(text + length, column->text + from, size);
    return text;
}

static sotto_status keep_levels(curator *c, const int64_t *noisy, size_t counts,
                                sotto_error *error)
{
    curator_tape *t = c->tape;
    sotto_status status = keep(t, TAPE_WORDS, ASK_LEVELS, noisy, counts, error);
    if (status != SOTTO_OK)
        return status;
    tape_entry *e = &t->entry[t->entries - 1];
    e->text = mem_zeroed(counts + 1, sizeof *e->text);
    for (size_t i = 0; e->text && i < counts; i++)
        if (noisy[i] > 0 && !(e->text[i] = level_at(c, i)))
            return error_memory(error);
    return e->text ? SOTTO_OK : error_memory(error);
}

/* What was shown of this level; 0: it was not. */
static int64_t shown_of(tape_entry *e, const char *text, size_t *found)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->text[i] && !strcmp(e->text[i], text)) {
            ++*found;
            return e->answer[i];
        }
    return 0;
}

/* A level that one neighbour alone has may be shown: that is what the
   threshold's part of delta pays for, and with it everything is known. */
sotto_status tape_levels(curator *c, int64_t *noisy, size_t counts,
                         sotto_error *error)
{
    curator_tape *t = c->tape;
    tape_entry *e;
    size_t all = 0, found = 0;
    if (t->turn == 0)
        return keep_levels(c, noisy, counts, error);
    sotto_status status = next(t, TAPE_WORDS, ASK_LEVELS, ANY_COUNT, &e, error);
    if (status != SOTTO_OK)
        return status;
    for (size_t i = 0; i < e->count; i++)
        all += e->text[i] != NULL;
    for (size_t i = 0; i < counts; i++) {
        char *text = level_at(c, i);
        if (!text)
            return error_memory(error);
        noisy[i] = shown_of(e, text, &found);
        mem_free(text);
    }
    t->heard.apart |= found != all;
    return found == all
               ? SOTTO_OK
               : error_set(error, SOTTO_PRIVACY,
                           "one neighbour has a level that the other has not");
}
