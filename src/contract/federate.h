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

#include <sotto_federate.h>

/* ---- hash.c ---- */

typedef struct hash {
    unsigned char byte[32];
} hash;

/* SHA-256. */
hash hash_of(const void *bytes, size_t size);
int hash_same(const hash *a, const hash *b); /* in constant time */
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
    char *schema;         /* of what it reads, as JSON */
    char *schema_with_id; /* NULL: no id was agreed upon */
    int has_key;
    hash key; /* SHA-256 of its certificate's public key */
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
    hash file;       /* SHA-256 of the agreement's bytes */

    double epsilon, delta; /* asked for; infinite: without noise */
    double range;          /* eta of a choice */
    double mu_labels, mu_sketch;
    int insecure;
    uint64_t noise_seed;
    hash session;

    /* What a run over a network has agreed upon, too. */
    int64_t agreed_rows;                 /* 0: not agreed upon */
    double agreed_epsilon, agreed_delta; /* epsilon 0: not agreed upon */
    double spent_epsilon, spent_delta;   /* on the same people before */
    char *id;                            /* the column that names a row */
    char *host;                          /* the coordinator's; NULL: none */
    int64_t port;
    int has_keys; /* the coordinator's and the authority's are there */
    hash coordinator_key, authority_key;
    int absent_skips; /* who is gone is passed over, or ends the run */
    int64_t patience; /* seconds without a word until somebody is gone */
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

/* ---- network.c ---- */

/* Refuses what lacks what a run over a network needs; its keys, too, if
   `with_keys`. */
sotto_status federation_check_agreed(const federation *f, const char *name,
                                     int with_keys, sotto_error *error);

/* The same; takes rows and budget from the agreement, and settles it. */
sotto_status federation_settle_agreed(federation *f, const char *name,
                                      int with_keys, sotto_error *error);

/* The party whose certificate has this key; -1: none. */
int federation_whose(const federation *f, const hash *key);

/* The most bytes that a message to the coordinator, and from it, can have. */
size_t federation_most_up(const federation *f);
size_t federation_most_down(const federation *f);

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

/* What party k's curator is asked, and for whom. */
ask_plan federation_plan(const federation *f, int k);
curator_policy federation_policy(const federation *f, int k);

/* What is asked of one whole row, and of party k's part of it. */
typedef struct federation_questions {
    account_question question[3];
    const char *name[3];
    int count;
    double draws;
} federation_questions;
federation_questions federation_row_questions(const federation *f);
federation_questions federation_slice_questions(const federation *f, int k);

/* What that costs. */
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
typedef struct federation_promise {
    char *statement;
    double epsilon; /* proven, of a whole row */
    double *slice;  /* of each party's part */
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

/* HMAC of a file, and of how it is read. */
sotto_status align_data(hash *out, const federation *f, const hash *secret,
                        const char *path, const char *how, sotto_error *error);

/* The consortium secret, from a file that only its owner can read. */
sotto_status align_secret(hash *out, const char *path, sotto_error *error);

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

/* ---- log.c ---- */

/* Lines for people: what was sent to whom. Into FOLDER/log, with the time,
   and to a teller. No line has anything of a record. */
typedef struct logbook {
    FILE *file;
    const sotto_teller *teller;
} logbook;

sotto_status log_open(logbook *out, const char *folder,
                      const sotto_teller *teller, sotto_error *error);
void log_line(logbook *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_close(logbook *log);

/* ---- hub.c: the coordinator, who keeps what it hears ---- */

typedef struct hub hub;

sotto_status hub_open(hub **out, const federation *f, const char *folder,
                      logbook *log, sotto_error *error);
void hub_close(hub *h);

/* What party k says; the same again is nothing new. SOTTO_PEER: refused. */
sotto_status hub_take(hub *h, int k, const void *bytes, size_t size,
                      sotto_error *error);

typedef enum hub_word { HUB_WAIT, HUB_ASK, HUB_OVER } hub_word;

/* What it has for party k: with HUB_ASK a message, to be freed. */
sotto_status hub_next(hub *h, int k, hub_word *word, text_buffer *out,
                      sotto_error *error);

/* For whom all wait; -1: it is over. */
int hub_waits_for(const hub *h);

/* Who has the model and has not compared it with the others'; -1: nobody. */
int hub_waits_to_compare(const hub *h);

/* How often something new was said, or somebody was passed over. */
int64_t hub_events(const hub *h);

/* Whether that one has been passed over before and not been heard since. */
int hub_is_silent(const hub *h, int k);
sotto_status hub_skip(hub *h, sotto_error *error);

/* All parties said that their noise is real. */
int hub_is_private(const hub *h);
const server *hub_server(const hub *h);

/* The model, once it is over. */
sotto_status hub_model(const hub *h, sotto_model **out, sotto_error *error);

/* ---- member.c: a party, who keeps what it says ---- */

typedef struct member member;

/* Takes the table over; ids are looked at and forgotten. */
sotto_status member_open(member **out, const federation *f, int k,
                         sotto_table **table, const hash *secret,
                         const hash *data, const char *folder, logbook *log,
                         sotto_error *error);
void member_close(member *m);

/* What it says, until it has taken the next request. */
const text_buffer *member_word(const member *m);
sotto_status member_take(member *m, const void *bytes, size_t size,
                         sotto_error *error);

/* The model's weights; NULL: not there yet. */
const double *member_weights(const member *m);

/* Whether it has them, and all parties have the same. */
int member_is_over(const member *m);
sotto_status member_model(const member *m, sotto_model **out,
                          sotto_error *error);

/* ---- statement.c ---- */

/* And its epsilon, of a whole row, and those of each party's part. */
sotto_status federation_statement(const federation *f, text_buffer *out,
                                  double *epsilon, double *slice,
                                  sotto_error *error);

#endif
