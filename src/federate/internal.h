/*
 * What the files of federate share, and no other room sees. Messages, who
 * says what when, noise and prices, and what is kept on the disk.
 */
#ifndef SOTTO_FEDERATE_INTERNAL_H
#define SOTTO_FEDERATE_INTERNAL_H

#include "account.h"
#include "curator.h"
#include "federate.h"
#include "sketch.h"

/* ---- hash.c ---- */

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

/* ---- config.c ---- */

/* As federation_read does, of bytes. */
sotto_status federation_parse(federation *out, const char *name,
                              const char *bytes, size_t size,
                              sotto_error *error);

/* Columns of party k, with the constant. */
int64_t federation_columns(const federation *f, int k);

/* ---- schedule.c ---- */

/* Fills turns from the public seed. */
sotto_status federation_schedule(federation *f, sotto_error *error);

/* The step size of round t = 0, 1, ...: 2K / (t + 2K). */
double federation_step(const federation *f, int64_t t);

/* Party k's weights after its answer in a round, counted from 1:
   x_k <- (1 - gamma) x_k - gamma s eta_k e_i. */
void federation_move(const federation *f, int k, double *weight, int64_t round,
                     int64_t column, int sign);

/* ---- levels.c: from the budget to noise ---- */

/*
 * With rows, epsilon, delta and the noise's seed set: the schedule, the noise
 * and the session.
 */
sotto_status federation_settle(federation *f, sotto_error *error);

/* So many questions of each kind, with their noise. */
ask_plan federation_asked(const federation *f, int64_t vertices,
                          int64_t sketches, int64_t labels);

/* What is asked of one whole row, at most; and of party k's part of it, which
   is what its curator is asked. */
ask_plan federation_row_plan(const federation *f);
ask_plan federation_plan(const federation *f, int k);
curator_policy federation_policy(const federation *f, int k);

/* What that costs. In any order: who is asked what, and when, may follow from
   answers. */
sotto_status federation_events(account_list *out, const ask_plan *plan,
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
    FEDERATION_TAKEN,     /* party: it has the model, and answers no more; over
                             a network with a keyed digest of it */
    /* before all that, over a network */
    FEDERATION_TAG,    /* party: keyed digest of its rows; whether private */
    FEDERATION_TAGS,   /* server: those of all parties */
    FEDERATION_AGREED, /* party: they are what they should be */
    /* and after it */
    FEDERATION_SEALS,   /* server: all parties' digests of the model */
    FEDERATION_COMPARED /* party: they are what they should be */
} federation_kind;

/* ---- party.c ---- */

typedef struct party party;

/* Takes the table over, as the curator does. k counts from 0. */
sotto_status party_open(party **out, const federation *f, int k,
                        sotto_table **table, sotto_error *error);
void party_close(party *p);

/* From now on its word that it has the model carries a digest under this key:
   others can compare theirs. */
void party_seal(party *p, const hash *key);

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

/* Passes over whom is to answer next: it is gone. Refused where nothing could
   come of the run. */
sotto_status server_skip(server *s, sotto_error *error);

/* An answer of party k to a round that was passed over. Nothing moves; a
   column that it shows is shown: the party does not show it again. */
sotto_status server_take_late(server *s, int k, const void *answer, size_t size,
                              sotto_error *error);

/* What it asks now: START, VECTOR or MODEL. */
federation_kind server_asks(const server *s);

/* The round that it is in; 0 before the first. */
int64_t server_round(const server *s);

/* Of party k's columns, in units of their bounds; and of all, to be freed. */
const double *server_weights(const server *s, int k);
double *server_all_weights(const server *s, int64_t *count);

/* How far it is. */
double server_share(const server *s);

/* Bytes and messages that came from party k. */
int64_t server_uplink(const server *s, int k, int64_t *messages);
const hash *server_transcript(const server *s);

/* What the paper's algorithm sends up in as many rounds: K T integers of 4
   bytes, and K T sketches of m numbers of 8. */
double federation_paper_uplink(const federation *f);

/* ---- result.c ---- */

/* Why a message is no model: it has as many finite weights as there are
   columns, and party k's are its own. Where rounds may be passed over a party
   cannot know which of its answers came in time, nor its weights. NULL: it is
   one. */
const char *federation_model_fault(const federation *f, int k,
                                   const double *own, const message *m);

/* What is stated, and what it costs: nothing, and no epsilon, of what is NOT
   PRIVATE. */
struct json_t;
typedef struct federation_promise {
    struct json_t *statement; /* NULL where there is none */
    double epsilon;           /* proven, of a whole row */
    double *slice;            /* of each party's part */
    double mu;
} federation_promise;

sotto_status federation_promise_make(federation_promise *out,
                                     const federation *f, int is_private,
                                     sotto_error *error);
void federation_promise_free(federation_promise *p);

/* Of weights as the parties have them, one party after the other. */
sotto_status federation_model(sotto_model **out, const federation *f,
                              const double *weight,
                              const federation_promise *promise,
                              sotto_error *error);

/* The same, with its promise; `is_private`: all parties' noise is real. */
sotto_status federation_model_of(sotto_model **out, const federation *f,
                                 const double *weight, int is_private,
                                 sotto_error *error);

/* ---- align.c ---- */

/*
 * What each party would send of these rows: HMAC-SHA256(k, party | n | ids in
 * their order, each behind its length), k from the secret and the session; one
 * k for parties whose noise is real, another for the others. Party j's are
 * out[2 j + is_private]: nobody else's are the same. Refuses an id that is
 * there twice.
 */
sotto_status align_tags(hash *out, const federation *f, const hash *secret,
                        const sotto_table *t, sotto_error *error);

/* What parties compare models with: HMAC-SHA256(k, party | weights). */
hash align_seal_key(const federation *f, const hash *secret);
hash align_seal(const hash *key, int k, const double *weight, int64_t count);

/* ---- store.c ---- */

typedef struct store store;

typedef enum store_type {
    STORE_TAG = 1, /* a party's */
    STORE_AGREED,  /* at the coordinator: its word; at a party: TAGS and it */
    STORE_REQUEST, /* at the coordinator */
    STORE_ANSWER,  /* at the coordinator; at a party: request and answer */
    STORE_SKIP,    /* at the coordinator: somebody is passed over */
    STORE_LATE,    /* at the coordinator: an answer after that */
    STORE_COMPARED /* as STORE_AGREED, of models */
} store_type;

typedef struct store_owner {
    int role; /* 0: the coordinator; k + 1: party k */
    hash session;
    hash data; /* keyed digest of what a party reads */
} store_owner;

typedef struct store_record {
    store_type type;
    int who;
    const void *bytes;
    size_t size;
} store_record;

typedef sotto_status (*store_reader)(void *context, const store_record *r,
                                     sotto_error *error);

/* Makes the folder where it is not there, reads what is in it, and keeps
   others out. */
sotto_status store_open(store **out, const char *folder,
                        const store_owner *owner, store_reader take,
                        void *context, sotto_error *error);
void store_close(store *s);

/* Only reads, whoever is at work there. */
sotto_status store_look(const char *folder, store_owner *owner,
                        store_reader take, void *context, sotto_error *error);

/* Returns when it is on the disk. */
sotto_status store_add(store *s, store_type type, int who, const void *bytes,
                       size_t size, sotto_error *error);

/* Two messages as one record: both, or none. */
sotto_status store_add_pair(store *s, store_type type, int who,
                            const void *first, size_t first_size,
                            const void *second, size_t second_size,
                            sotto_error *error);
int store_pair(const void *bytes, size_t size, const void **first,
               size_t *first_size, const void **second, size_t *second_size);

/* ---- coordinator.c ---- */

/* All parties said that their noise is real. */
int coordinator_is_private(const coordinator *c);
const server *coordinator_server(const coordinator *c);

/* ---- participant.c ---- */

/* The model's weights; NULL: not there yet. */
const double *participant_weights(const participant *p);

/* ---- statement.c ---- */

/* As a JSON object, to be freed whatever the status, with its epsilon, of a
   whole row, and those of each party's part. */
sotto_status federation_statement(const federation *f, struct json_t **out,
                                  double *epsilon, double *slice,
                                  sotto_error *error);

#endif
