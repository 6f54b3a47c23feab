/*
 * Descriptions for people: of an agreement, and of how far a run is.
 */
#include "internal.h"
#include "json.h"

#include <math.h>
#include <string.h>

/* An epsilon without noise is infinite, which JSON has no number for. */
static void add_price(json_t **object, const char *key, double value)
{
    json_add(object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *party_value(const federation *f, int k, double epsilon)
{
    const federation_party *p = &f->party[k];
    json_t *out = json_object();
    json_add_text(&out, "name", p->name);
    json_add_count(&out, "columns", federation_columns(f, k));
    json_add_count(&out, "cap", p->cap);
    json_add_count(&out, "turns", p->turns);
    json_add(&out, "labels",
             json_boolean(!f->labels_known && k == f->label_party));
    add_price(&out, "epsilon", epsilon);
    return out;
}

static void put_json(text_buffer *t, const federation *f, const char *name,
                     const federation_promise *p)
{
    json_t *out = json_object(), *parties = json_array();
    json_add_text(&out, "hash", name);
    json_add_count(&out, "rows", f->rows);
    json_add_count(&out, "rounds", f->rounds);
    json_add_count(&out, "buckets", f->buckets);
    json_add(&out, "coordinator",
             json_sprintf("%s:%lld", f->host, (long long)f->port));
    add_price(&out, "epsilon", p->epsilon);
    add_price(&out, "delta", f->delta);
    add_price(&out, "spent_epsilon", f->spent_epsilon);
    add_price(&out, "spent_delta", f->spent_delta);
    json_add_text(&out, "absent", f->absent_skips ? "skip" : "end");
    json_add_count(&out, "patience", f->patience);
    json_add_text(&out, "expected", federation_class(f, p->mu));
    for (int k = 0; k < f->parties; k++)
        json_append(&parties, party_value(f, k, p->slice[k]));
    json_add(&out, "parties", parties);
    json_put(t, out);
    text_put(t, "\n");
    json_decref(out);
}

static void put_text(text_buffer *t, const federation *f,
                     const federation_promise *p)
{
    text_format(t,
                "coordinator %s:%lld\n%lld rows, %lld rounds, sketches of "
                "%lld numbers; expected: %s\n",
                f->host, (long long)f->port, (long long)f->rows,
                (long long)f->rounds, (long long)f->buckets,
                federation_class(f, p->mu));
    if (isfinite(f->epsilon))
        text_format(t, "a whole row: epsilon %s, delta %s",
                    sotto_number_print_up(p->epsilon, 6).text,
                    sotto_number_print_up(f->delta, 6).text);
    else
        text_put(t, "NOT PRIVATE: no noise");
    if (f->spent_epsilon > 0 || f->spent_delta > 0)
        text_format(
            t,
            "; spent before: epsilon %s, delta %s; together at most "
            "epsilon %s, delta %s",
            sotto_number_print_up(f->spent_epsilon, 6).text,
            sotto_number_print_up(f->spent_delta, 6).text,
            sotto_number_print_up(p->epsilon + f->spent_epsilon, 6).text,
            sotto_number_print_up(f->delta + f->spent_delta, 6).text);
    text_put(t, "\n");
    for (int k = 0; k < f->parties; k++)
        text_format(
            t,
            "party %s: %lld columns, shows %lld at most%s, %lld turns; "
            "its part against all others: epsilon %s\n",
            show_name(f->party[k].name).text,
            (long long)federation_columns(f, k), (long long)f->party[k].cap,
            !f->labels_known && k == f->label_party ? " and the labels" : "",
            (long long)f->party[k].turns,
            sotto_number_print_up(p->slice[k], 6).text);
    text_format(t, "a party that is silent for %lld s %s\n",
                (long long)f->patience,
                f->absent_skips ? "is skipped" : "ends the run");
}

static sotto_status finish_text(char **out, text_buffer *t, sotto_status status,
                                sotto_error *error)
{
    *out = NULL;
    if (status == SOTTO_OK && t->failed)
        status = error_memory(error);
    if (status == SOTTO_OK)
        *out = t->data;
    else
        text_free(t);
    return status;
}

sotto_status sotto_federation_describe(const char *config, int as_json,
                                       char name[65], char **out,
                                       sotto_error *error)
{
    federation f;
    federation_promise p = {0};
    text_buffer t = {0};
    sotto_status status = federation_read(&f, config, error);
    if (status == SOTTO_OK)
        status = federation_settle_agreed(&f, config, 0, error);
    if (status == SOTTO_OK)
        status = federation_promise_make(&p, &f, isfinite(f.epsilon), error);
    if (status == SOTTO_OK) {
        hash_text(&f.session, name);
        if (as_json)
            put_json(&t, &f, name, &p);
        else
            put_text(&t, &f, &p);
    }
    federation_promise_free(&p);
    federation_free(&f);
    return finish_text(out, &t, status, error);
}

/* ---- how far it is ---- */

/* What one party has sent so far, according to the folder. */
typedef struct tally {
    int tag, agreed, model, over;
    int64_t vertices, sketches, labels, messages, bytes, skips;
    uint64_t round;
} tally;

typedef struct survey {
    const federation *f;
    int role;
    tally *of;
} survey;

static sotto_status count_answer(tally *a, const void *bytes, size_t size,
                                 sotto_error *error)
{
    message m;
    sotto_status status = message_read(&m, bytes, size, error);
    if (status != SOTTO_OK)
        return status;
    a->vertices += m.kind == FEDERATION_VERTEX;
    a->sketches += m.kind == FEDERATION_VERTEX && m.fields == 2;
    a->labels += m.kind == FEDERATION_LABELS;
    a->model |= m.kind == FEDERATION_TAKEN;
    if (m.kind == FEDERATION_VERTEX)
        a->round = m.round;
    message_free(&m);
    return SOTTO_OK;
}

static sotto_status count(void *context, const store_record *r,
                          sotto_error *error)
{
    survey *s = context;
    const void *request, *answer = r->bytes;
    size_t request_size, size = r->size;
    if (r->who < 0 || r->who >= s->f->parties)
        return error_set(
            error, SOTTO_FAILED,
            "a record of a party that the agreement does not have");
    tally *a = &s->of[r->who];
    int paired = s->role && r->type != STORE_TAG;
    if (r->type == STORE_REQUEST)
        return SOTTO_OK;
    if (paired &&
        !store_pair(r->bytes, r->size, &request, &request_size, &answer, &size))
        return error_set(error, SOTTO_FAILED, "a record that cannot be read");
    a->skips += r->type == STORE_SKIP;
    a->tag |= r->type == STORE_TAG;
    a->agreed |= r->type == STORE_AGREED;
    a->over |= r->type == STORE_COMPARED;
    if (r->type != STORE_SKIP) {
        a->messages++;
        a->bytes += (int64_t)size;
    }
    return r->type == STORE_ANSWER || r->type == STORE_LATE
               ? count_answer(a, answer, size, error)
               : SOTTO_OK;
}

/* What its part of a row has cost so far. */
static sotto_status price_of(const federation *f, const tally *a,
                             double *epsilon, sotto_error *error)
{
    ask_plan plan = federation_asked(f, a->vertices, a->sketches, a->labels);
    account_list list;
    account_price price = {0};
    int said = a->vertices || a->labels || a->sketches;
    *epsilon = isinf(f->epsilon) && said ? INFINITY : 0;
    if (isinf(f->epsilon) || !said)
        return SOTTO_OK;
    sotto_status status = federation_events(&list, &plan, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&list, f->delta, &price, error);
    account_free(&list);
    *epsilon = price.epsilon;
    return status;
}

static const char *stage_of(const tally *a)
{
    return a->over       ? "over"
           : a->model    ? "has the model"
           : a->vertices ? "answering"
           : a->agreed   ? "rows agree"
           : a->tag      ? "there"
                         : "not there";
}

static void put_tally(text_buffer *t, const federation *f, int k,
                      const tally *a, double epsilon)
{
    text_format(t,
                "party %s: %s; %lld of %lld turns (the last in round %llu), "
                "%lld of %lld sketches%s, skipped %lld times; %lld bytes "
                "in %lld messages; its part has cost epsilon %s so far\n",
                show_name(f->party[k].name).text, stage_of(a),
                (long long)a->vertices, (long long)f->party[k].turns,
                (unsigned long long)a->round, (long long)a->sketches,
                (long long)f->party[k].cap, a->labels ? " and the labels" : "",
                (long long)a->skips, (long long)a->bytes,
                (long long)a->messages, sotto_number_print_up(epsilon, 6).text);
}

static json_t *tally_value(const federation *f, int k, const tally *a,
                           double epsilon)
{
    json_t *out = json_object();
    json_add_text(&out, "name", f->party[k].name);
    json_add_text(&out, "stage", stage_of(a));
    json_add_count(&out, "vertices", a->vertices);
    json_add_count(&out, "turns", f->party[k].turns);
    json_add_count(&out, "round", (int64_t)a->round);
    json_add_count(&out, "sketches", a->sketches);
    json_add_count(&out, "cap", f->party[k].cap);
    json_add_count(&out, "labels", a->labels);
    json_add_count(&out, "skips", a->skips);
    json_add_count(&out, "bytes", a->bytes);
    json_add_count(&out, "messages", a->messages);
    add_price(&out, "epsilon", epsilon);
    return out;
}

/* Adds what is known of each party to the text, or where that is NULL to the
   list of values. */
static sotto_status survey_parties(text_buffer *t, json_t **parties,
                                   const survey *s, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int k = 0; status == SOTTO_OK && k < s->f->parties; k++) {
        double epsilon;
        if (s->role && k != s->role - 1)
            continue;
        status = price_of(s->f, &s->of[k], &epsilon, error);
        if (t)
            put_tally(t, s->f, k, &s->of[k], epsilon);
        else
            json_append(parties, tally_value(s->f, k, &s->of[k], epsilon));
    }
    return status;
}

static sotto_status put_survey(text_buffer *t, const survey *s, int as_json,
                               sotto_error *error)
{
    char name[65];
    hash_text(&s->f->session, name);
    if (!as_json) {
        text_format(t, "%s of %s, %lld rounds\n",
                    s->role ? "a party" : "the coordinator", name,
                    (long long)s->f->rounds);
        return survey_parties(t, NULL, s, error);
    }
    json_t *out = json_object(), *parties = json_array();
    json_add_text(&out, "hash", name);
    json_add_text(&out, "role", s->role ? "party" : "coordinator");
    json_add_count(&out, "rounds", s->f->rounds);
    sotto_status status = survey_parties(NULL, &parties, s, error);
    json_add(&out, "parties", parties);
    json_put(t, out);
    text_put(t, "\n");
    json_decref(out);
    return status;
}

/* For a first pass that finds the owner only. */
static sotto_status ignore(void *context, const store_record *r,
                           sotto_error *error)
{
    (void)context, (void)r, (void)error;
    return SOTTO_OK;
}

static sotto_status survey_folder(survey *s, const char *state,
                                  sotto_error *error)
{
    store_owner owner;
    sotto_status status = store_look(state, &owner, ignore, NULL, error);
    if (status != SOTTO_OK)
        return status;
    if (!hash_same(&owner.session, &s->f->session) || owner.role < 0 ||
        owner.role > s->f->parties)
        return error_set(error, SOTTO_USAGE,
                         "%s: this is the state of another agreement",
                         show_name(state).text);
    s->role = owner.role;
    s->of = mem_zeroed((size_t)s->f->parties, sizeof *s->of);
    return s->of ? store_look(state, &owner, count, s, error)
                 : error_memory(error);
}

sotto_status sotto_federation_status(const char *config, const char *state,
                                     int as_json, char **out,
                                     sotto_error *error)
{
    federation f;
    survey s = {.f = &f};
    text_buffer t = {0};
    sotto_status status = federation_read(&f, config, error);
    if (status == SOTTO_OK)
        status = federation_settle_agreed(&f, config, 0, error);
    if (status == SOTTO_OK)
        status = survey_folder(&s, state, error);
    if (status == SOTTO_OK)
        status = put_survey(&t, &s, as_json, error);
    mem_free(s.of);
    federation_free(&f);
    return finish_text(out, &t, status, error);
}
