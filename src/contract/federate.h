/*
 * federate: parties that hold different columns of the same people's rows,
 * and a server that holds none, find a linear model together. Pure logic:
 * messages in, messages out.
 *
 * A party and the server are state machines. A request's bytes make one
 * answer's bytes, which are kept: the same request has the same answer for
 * ever, and another one in its place is refused. Whoever has kept requests
 * and answers can rebuild the state from them.
 *
 * A party trusts nobody. It reads its own columns through its own curator,
 * counts its own questions and clips what the server tells it; what it sends
 * is private by itself (docs/privacy.md, "Parties").
 */
#ifndef SOTTO_FEDERATE_H
#define SOTTO_FEDERATE_H

#include "account.h"
#include "ask.h"
#include "curator.h"

/* ---- hash.c ---- */

typedef struct hash {
    unsigned char byte[32];
} hash;

/* SHA-256. */
hash hash_of(const void *bytes, size_t size);
int hash_same(const hash *a, const hash *b);
void hash_text(const hash *h, char out[65]);

/* All messages so far, in their order: H(before, bytes). */
void hash_add(hash *so_far, const void *bytes, size_t size);

/* ---- message.c: a message is a value with one byte form ---- */

/*
 * What a message carries is up to four arrays. The kinds of messages belong
 * to the protocol, not to this layer, which knows their form only.
 *
 * Bytes, little-endian: "sottomsg", version, kind, from, to (32 bits each),
 * round (64), session (32 bytes), number of fields (32); for each field its
 * type (32), its count (64) and its elements; and SHA-256 of all that.
 */
typedef enum message_type {
    MESSAGE_BYTES = 1,
    MESSAGE_INTEGERS, /* int64_t */
    MESSAGE_WORDS,    /* uint64_t, modulo 2^64 */
    MESSAGE_NUMBERS,  /* double, any bits */
    MESSAGE_TYPES
} message_type;

enum { MESSAGE_MOST_FIELDS = 4 };

typedef struct message_field {
    message_type type;
    int64_t count;
    const void *data;
} message_field;

typedef struct message {
    hash session;
    uint32_t kind, from, to; /* from, to: 0 is the server, k party k */
    uint64_t round;
    int fields;
    message_field field[MESSAGE_MOST_FIELDS];
    void *memory; /* what was read; NULL: the fields are the caller's */
} message;

void message_write(const message *m, text_buffer *out);

/* SOTTO_PEER for bytes that no message has. */
sotto_status message_read(message *out, const void *bytes, size_t size,
                          sotto_error *error);
void message_free(message *m);

/* A field of this type and count, or NULL: there is none. */
const void *message_get(const message *m, int field, message_type type,
                        int64_t count);

/* ---- config.c: what all have agreed upon ---- */

typedef struct federation_party {
    char *name;
    char *schema; /* of what it reads, as JSON */
    int64_t features;
    char **feature; /* their names */
    double *centre, *half;
    double constant; /* one more column of this number; 0: none */
    double radius;   /* its weights are within this, in the L1 norm */
    int64_t cap;     /* F_k: how many of its columns it shows at most */
    int64_t turns;   /* T_k: how often it is asked for a vertex */
} federation_party;

typedef struct federation {
    federation_party *party;
    int parties;
    int movers; /* K: parties with a cap above 0, who take turns */

    char *target;
    double target_centre, target_half;
    int label_party;
    int labels_known; /* every party has them in its file already */
    double label_rms; /* their size, declared; for clips where they are known */

    int64_t rows;    /* n */
    int64_t rounds;  /* T */
    int64_t buckets; /* m */
    uint64_t seed;   /* of the sketch and the schedule: public */
    int permuted;    /* turns go in permutations, not by lot */
    int *turn;       /* of each round: whose it is */
    double share[3]; /* of the budget: vertices, labels, sketches */
    char *schema;    /* of all columns, for the model */
    char *text;      /* the agreement in one form, which is hashed */

    double epsilon, delta; /* asked for; infinite: without noise */
    double range;          /* eta of a choice */
    double mu_labels, mu_sketch;
    int insecure;
    uint64_t noise_seed;
    hash session;
} federation;

/* From a file. What only a run knows (rows, budget) is still missing. */
sotto_status federation_read(federation *out, const char *path,
                             sotto_error *error);
sotto_status federation_parse(federation *out, const char *name,
                              const char *bytes, size_t size,
                              sotto_error *error);
void federation_free(federation *f);

/* Columns of party k, with the constant. */
int64_t federation_columns(const federation *f, int k);

/* ---- schedule.c ---- */

/* Fills turns from the public seed. */
sotto_status federation_schedule(federation *f, sotto_error *error);

/* The step size of round t = 0, 1, ...: 2K / (t + 2K). */
double federation_step(const federation *f, int64_t t);

/* ---- levels.c: from the budget to noise ---- */

/*
 * With rows, epsilon, delta and the noise's seed set: the schedule, the noise
 * and the session.
 */
sotto_status federation_settle(federation *f, sotto_error *error);

/* What party k's curator is asked, and for whom. */
ask_plan federation_plan(const federation *f, int k);
curator_policy federation_policy(const federation *f, int k);

/* What is spent of one whole row, and of party k's part of it. */
sotto_status federation_events(account_list *out, const federation *f,
                               sotto_error *error);
sotto_status federation_slice(account_list *out, const federation *f, int k,
                              sotto_error *error);

/* mu of a Gaussian mechanism of the same budget; infinite without noise. */
sotto_status federation_mu(const federation *f, double *mu, sotto_error *error);

/* "good" where n mu^2 is large enough, measured; else "experimental". */
const char *federation_class(const federation *f, double mu);

/* ---- the messages of c* ---- */

typedef enum federation_kind {
    FEDERATION_START = 1, /* server: begin */
    FEDERATION_READY,     /* party: begun */
    FEDERATION_LABELS,    /* party: begun, and the labels' noisy sketch */
    FEDERATION_VECTOR,    /* server: u, one number for each bucket */
    FEDERATION_VERTEX,    /* party: (column, sign), and the column's noisy
                             sketch when it is new */
    FEDERATION_MODEL,     /* server: all weights */
    FEDERATION_TAKEN      /* party: it has the model, and answers no more */
} federation_kind;

/* ---- party.c ---- */

typedef struct party party;

/* Takes the table over, as the curator does. k counts from 0. */
sotto_status party_open(party **out, const federation *f, int k,
                        sotto_table **table, sotto_error *error);
void party_close(party *p);

/*
 * The answer to a request; its bytes are borrowed until the party is closed.
 * SOTTO_PEER for what the protocol does not have, SOTTO_BUDGET for what is
 * over a cap; then nothing was read and nothing is sent.
 */
sotto_status party_answer(party *p, const void *request, size_t size,
                          const text_buffer **answer, sotto_error *error);

/* The same with an answer that was given before and kept: charged again in
   this process, and no record is read. */
sotto_status party_replay(party *p, const void *request, size_t size,
                          const void *answer, size_t answer_size,
                          sotto_error *error);

/* What it has been charged with so far: its own list. */
sotto_status party_spent(const party *p, account_list *out, sotto_error *error);
const hash *party_transcript(const party *p);
int party_is_private(const party *p);

/* ---- server.c ---- */

typedef struct server server;

sotto_status server_open(server **out, const federation *f, sotto_error *error);
void server_close(server *s);

/* What is to be sent next, and to which party (from 0; -1: it is over). The
   same bytes until the answer was taken. */
sotto_status server_next(server *s, int *to, const text_buffer **request,
                         sotto_error *error);
sotto_status server_take(server *s, const void *answer, size_t size,
                         sotto_error *error);

/* Of party k's columns, in units of their bounds. */
const double *server_weights(const server *s, int k);

/* How far it is. */
double server_share(const server *s);

/* Bytes and messages that came from party k. */
int64_t server_uplink(const server *s, int k, int64_t *messages);
const hash *server_transcript(const server *s);

/* What the paper's algorithm sends up in as many rounds: K T integers of 4
   bytes, and K T sketches of m numbers of 8. */
double federation_paper_uplink(const federation *f);

/* ---- statement.c ---- */

/* And its epsilon, of a whole row, and those of each party's part. */
sotto_status federation_statement(const federation *f, text_buffer *out,
                                  double *epsilon, double *slice,
                                  sotto_error *error);

#endif
