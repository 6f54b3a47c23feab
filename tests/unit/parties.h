/*
 * The tests of the federation share this: an agreement and tables made from
 * text, and calls that exchange messages.
 */
#ifndef SOTTO_TESTS_PARTIES_H
#define SOTTO_TESTS_PARTIES_H

#include "reading.h"

#include "federate/internal.h"

enum { MOST_PARTIES = 8 };

/* Three columns for two parties; the target is the first one's. */
#define TWO_PARTIES                                                            \
    "{\"sotto_parties\": 1, \"target\": {\"name\": \"t\", \"bounds\": [-1, "   \
    "1], \"party\": \"north\"}, \"rounds\": 12, \"buckets\": 16, \"seed\": 3," \
    "\"parties\": [{\"name\": \"north\", \"radius\": 1, \"cap\": 1, "          \
    "\"columns\": {\"a\": {\"type\": \"number\", \"bounds\": [-1, 1]}, "       \
    "\"b\": {\"type\": \"number\", \"bounds\": [-1, 1]}}}, {\"name\": "        \
    "\"south\", \"radius\": 0.5, \"cap\": 2, \"constant\": 0.5, \"columns\": " \
    "{\"c\": {\"type\": \"number\", \"bounds\": [-2, 2]}}}]}"

static inline void must(sotto_status status, const sotto_error *error)
{
    if (status != SOTTO_OK)
        fail_msg("%s", error->message);
}

/* The events of a whole row, and of party k's part of it. */
static inline sotto_status row_events(account_list *out, const federation *f,
                                      sotto_error *error)
{
    ask_plan plan = federation_row_plan(f);
    return federation_events(out, &plan, error);
}

static inline sotto_status part_events(account_list *out, const federation *f,
                                       int k, sotto_error *error)
{
    ask_plan plan = federation_plan(f, k);
    return federation_events(out, &plan, error);
}

/* An agreement, with noise of this seed; epsilon may be infinite. */
static inline federation agreed(const char *text, int64_t rows, double epsilon,
                                uint64_t seed)
{
    federation f;
    sotto_error error;
    must(federation_parse(&f, "parties.json", text, strlen(text), &error),
         &error);
    f.rows = rows;
    f.epsilon = epsilon;
    f.delta = 1e-6;
    f.insecure = 1;
    f.noise_seed = seed;
    must(federation_settle(&f, &error), &error);
    return f;
}

/* Party k of this agreement, which reads its own columns of the text. */
static inline party *joined(const federation *f, int k, const char *csv)
{
    party *p;
    sotto_error error;
    sotto_table *t = read_text(
        "d.csv", csv,
        SETTINGS({"epsilon", "1"}, {"schema-text", f->party[k].schema}));
    must(party_open(&p, f, k, &t, &error), &error);
    assert_null(t);
    return p;
}

/* Some rows of a, b, c and a target in [-1, 1]. */
static inline char *rows_text(int64_t rows)
{
    text_buffer t = {0};
    uint64_t seed = 5;
    text_put(&t, "b,c,t,a\n");
    for (int64_t i = 0; i < rows; i++) {
        double x[3];
        for (int j = 0; j < 3; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[j] = (double)(seed >> 11) * 0x1p-52 - 1;
        }
        text_format(&t, "%.6f,%.6f,%.6f,%.6f\n", x[1], 2 * x[2],
                    .6 * x[0] - .3 * x[2] + .05, x[0]);
    }
    assert_false(t.failed);
    return t.data;
}

static inline message request_of(const federation *f, uint32_t kind, int k,
                                 uint64_t round)
{
    return (message){.session = f->session,
                     .kind = kind,
                     .to = (uint32_t)k + 1,
                     .round = round};
}

/* Asks with a message: the status, and the answer's bytes. */
static inline sotto_status ask(party *p, const message *m,
                               const text_buffer **answer, sotto_error *error)
{
    text_buffer bytes = {0};
    message_write(m, &bytes);
    assert_false(bytes.failed);
    sotto_status status =
        party_answer(p, bytes.data, bytes.length, answer, error);
    text_free(&bytes);
    return status;
}

/* A round's vector to party k. */
static inline sotto_status ask_vector(party *p, const federation *f, int k,
                                      uint64_t round, const double *u,
                                      const text_buffer **answer,
                                      sotto_error *error)
{
    message m = request_of(f, FEDERATION_VECTOR, k, round);
    m.field[m.fields++] = (message_field){MESSAGE_NUMBERS, f->buckets, u};
    return ask(p, &m, answer, error);
}

static inline void start(party *p, const federation *f, int k)
{
    const text_buffer *answer;
    sotto_error error;
    message m = request_of(f, FEDERATION_START, k, 0);
    must(ask(p, &m, &answer, &error), &error);
}

/* The n-th round (from 0) that is party k's. */
static inline uint64_t round_of(const federation *f, int k, int n)
{
    for (int64_t t = 0; t < f->rounds; t++)
        if (f->turn[t] == k && n-- == 0)
            return (uint64_t)t + 1;
    fail_msg("party %d has not so many turns", k);
    return 0;
}

/* All of it; the server is the caller's. */
static inline server *run_all(const federation *f, party **p)
{
    server *s;
    sotto_error error;
    must(server_open(&s, f, &error), &error);
    for (;;) {
        int to;
        const text_buffer *request, *answer;
        must(server_next(s, &to, &request, &error), &error);
        if (to < 0)
            return s;
        must(party_answer(p[to], request->data, request->length, &answer,
                          &error),
             &error);
        must(server_take(s, answer->data, answer->length, &error), &error);
    }
}

#endif
