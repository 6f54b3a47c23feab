/*
 * What the files of federate share and no other room sees: messages, the
 * protocol, noise and prices, and what is kept on the disk.
 */
#ifndef SOTTO_FEDERATE_INTERNAL_H
#define SOTTO_FEDERATE_INTERNAL_H

#include "account.h"
#include "curator.h"
#include "federate.h"
#include "ledger.h"
#include "sketch.h"

/* ---- hash.c ---- */

/* A hash of all messages so far, in their order: H(before, bytes). */
void hash_add(hash *so_far, const void *bytes, size_t size);

/* ---- message.c: a message is a value with one byte form ---- */

/*
 * A message carries up to four arrays. This layer knows their form only; what
 * they mean is said by its kind (federation_kind).
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

/* SOTTO_PEER: the bytes are not a message. */
sotto_status message_read(message *out, const void *bytes, size_t size,
                          sotto_error *error);
void message_free(message *m);

/* The elements of a field; NULL: it is of another type or count. */
const void *message_get(const message *m, int field, message_type type,
                        int64_t count);

/* ---- config.c ---- */

/* As federation_read, from memory. */
sotto_status federation_parse(federation *out, const char *name,
                              const char *bytes, size_t size,
                              sotto_error *error);

/* The number of party k's columns, with the constant. */
int64_t federation_columns(const federation *f, int k);

/* ---- schedule.c ---- */

/* Draws whose turn each round is, from the public seed. */
sotto_status federation_schedule(federation *f, sotto_error *error);

/* The step size of round t = 0, 1, ...: 2K / (t + 2K). */
double federation_step(const federation *f, int64_t t);

/* Party k's weights after its answer in a round, counted from 1:
   x_k <- (1 - gamma) x_k - gamma s eta_k e_i. */
void federation_move(const federation *f, int k, double *weight, int64_t round,
                     int64_t column, int sign);

/* ---- levels.c: from the budget to noise ---- */

/* Makes schedule, noise and session, once rows and budget are set. */
sotto_status federation_settle(federation *f, sotto_error *error);

/* Sets the number of rows. Schedule and noise do not depend on it. */
void federation_set_rows(federation *f, int64_t rows);

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

/* "good" if n mu^2 is large enough for a useful model, by measurements
   (docs/parties.md); else "experimental". */
const char *federation_class(const federation *f, double mu);

/* ---- the messages of the protocol c* ---- */

typedef enum federation_kind {
    FEDERATION_START = 1, /* server: start */
    FEDERATION_READY,     /* party: it has started */
    FEDERATION_LABELS,    /* party: the same, with the labels' noisy sketch */
    FEDERATION_VECTOR,    /* server: u, one number for each bucket */
    FEDERATION_VERTEX,    /* party: (column, sign), and the column's noisy
                             sketch when it is new */
    FEDERATION_MODEL,     /* server: all weights */
    FEDERATION_TAKEN,     /* party: it has the model, and answers no more; over
                             a network with a keyed digest of the model */
    /* over a network, before the start: all have the same rows */
    FEDERATION_TAG,    /* party: keyed digest of its rows; is its noise real? */
    FEDERATION_TAGS,   /* server: the digests of all parties */
    FEDERATION_AGREED, /* party: they are the digests of its own rows */
    /* over a network, at the end: all have the same model */
    FEDERATION_SEALS,   /* server: all parties' digests of the model */
    FEDERATION_COMPARED /* party: they are the digests of its own model */
} federation_kind;

/* ---- party.c ---- */

typedef struct party party;

/* Takes the table over, as the curator does. k counts from 0. */
sotto_status party_open(party **out, const federation *f, int k,
                        sotto_table **table, sotto_error *error);
void party_close(party *p);

/* From now on FEDERATION_TAKEN carries a digest of the model under this key,
   with which others can compare theirs. */
void party_seal(party *p, const hash *key);

/*
 * The answer to a request; its bytes are borrowed until the party is closed.
 * SOTTO_PEER: the request is against the protocol. SOTTO_BUDGET: it is over a
 * cap. In both cases no record was read and nothing is to be sent.
 */
sotto_status party_answer(party *p, const void *request, size_t size,
                          const text_buffer **answer, sotto_error *error);

/* Repeats an exchange that was kept, after a restart. It is charged again in
   this process, and no record is read. */
sotto_status party_replay(party *p, const void *request, size_t size,
                          const void *answer, size_t answer_size,
                          sotto_error *error);

const hash *party_transcript(const party *p);
int party_is_private(const party *p);

/* ---- server.c ---- */

typedef struct server server;

sotto_status server_open(server **out, const federation *f, sotto_error *error);
void server_close(server *s);

/* The next request, and the party it is for (from 0; -1: the run is over). It
   stays the same until its answer has been taken. */
sotto_status server_next(server *s, int *to, const text_buffer **request,
                         sotto_error *error);
sotto_status server_take(server *s, const void *answer, size_t size,
                         sotto_error *error);

/* Skips the party that is to answer next. Refused if the run could not go on
   without it. */
sotto_status server_skip(server *s, sotto_error *error);

/* An answer of party k to a round in which it was skipped. The weights do not
   move. A sketch in it is kept, since the party sends each sketch once. */
sotto_status server_take_late(server *s, int k, const void *answer, size_t size,
                              sotto_error *error);

/* What it asks now: START, VECTOR or MODEL. */
federation_kind server_asks(const server *s);

/* The round that it is in; 0 before the first. */
int64_t server_round(const server *s);

/* The weights of all parties' columns, in units of their bounds, to be freed.
 */
double *server_all_weights(const server *s, int64_t *count);

/* How much of the run is done, from 0 to 1. */
double server_share(const server *s);

/* Bytes and messages that came from party k. */
int64_t server_uplink(const server *s, int k, int64_t *messages);
const hash *server_transcript(const server *s);

/* What the paper's algorithm sends up in as many rounds: K T integers of 4
   bytes, and K T sketches of m numbers of 8. */
double federation_paper_uplink(const federation *f);

/* ---- result.c ---- */

/* Why a message is not the model; NULL: it is. A model has one finite weight
   for each column, and for party k's columns those that its own answers make.
   If parties may be skipped, a party cannot know which of its answers came in
   time; then its own weights are not compared. */
const char *federation_model_fault(const federation *f, int k,
                                   const double *own, const message *m);

/* The statement of privacy and its price. A run that is NOT PRIVATE has no
   statement, and its epsilon is infinite. */
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

/* A model of the weights of all parties, one party after the other. */
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
 * The tag that each party would send for these rows: HMAC-SHA256(key, party |
 * n | ids in their order, each after its length). The key comes from the secret
 * and the session; parties whose noise is real have another one than the
 * others. Party j's tag is out[2 j + is_private]; the party is in it, so that
 * nobody can send another's tag as its own. Refuses an id that occurs twice.
 */
sotto_status align_tags(hash *out, const federation *f, const hash *secret,
                        const sotto_table *t, sotto_error *error);

/* The digest by which parties compare models: HMAC-SHA256(key, party |
   weights). */
hash align_seal_key(const federation *f, const hash *secret);
hash align_seal(const hash *key, int k, const double *weight, int64_t count);

/* ---- booking.c ---- */

/* Whether the run is to be booked: its noise is real, and there is a
   ledger. */
int federation_books(const federation *f, const sotto_options *options);

/* Books a plan for the records in the file `data`, which is not read. `run`
   is its id; NULL: one is made. */
sotto_status federation_book(ledger_receipt *out, const federation *f,
                             const ask_plan *plan, const char *run,
                             const char *data, const sotto_options *options,
                             sotto_error *error);

/* ---- store.c ---- */

typedef struct store store;

typedef enum store_type {
    STORE_TAG = 1, /* FEDERATION_TAG */
    STORE_AGREED,  /* AGREED; a party stores TAGS with it */
    STORE_REQUEST, /* what the coordinator asks; a party has none of these */
    STORE_ANSWER,  /* an answer; a party stores the request with it */
    STORE_SKIP,    /* the coordinator skipped a party */
    STORE_LATE,    /* an answer that came after that */
    STORE_COMPARED /* COMPARED; a party stores SEALS with it */
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

/* Opens the folder, or makes it; hands out all records that are in it; and
   locks it. */
sotto_status store_open(store **out, const char *folder,
                        const store_owner *owner, store_reader take,
                        void *context, sotto_error *error);
void store_close(store *s);

/* Syncs the name of the folder, in the folder that it is in. */
sotto_status store_sync_folder(const char *folder, sotto_error *error);

/* Reads all records without the lock, while somebody else may write. */
sotto_status store_look(const char *folder, store_owner *owner,
                        store_reader take, void *context, sotto_error *error);

/* Adds a record. When it returns the record is on the disk. */
sotto_status store_add(store *s, store_type type, int who, const void *bytes,
                       size_t size, sotto_error *error);

/* Two messages as one record, so that both are kept or none; and back. */
sotto_status store_add_pair(store *s, store_type type, int who,
                            const void *first, size_t first_size,
                            const void *second, size_t second_size,
                            sotto_error *error);
int store_pair(const void *bytes, size_t size, const void **first,
               size_t *first_size, const void **second, size_t *second_size);

/* ---- coordinator.c ---- */

/* Whether all parties said that their noise is real. */
int coordinator_is_private(const coordinator *c);

/* ---- federation_statement.c ---- */

/* As a JSON object, to be freed whatever the status, with its epsilon, of a
   whole row, and those of each party's part. */
sotto_status federation_statement(const federation *f, struct json_t **out,
                                  double *epsilon, double *slice,
                                  sotto_error *error);

#endif
