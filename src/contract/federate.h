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

#include "base.h"

#include <sotto_federate.h>

/* ---- hash.c ---- */

typedef struct hash {
    unsigned char byte[32];
} hash;

/* SHA-256. */
hash hash_of(const void *bytes, size_t size);
int hash_same(const hash *a, const hash *b); /* in constant time */
void hash_text(const hash *h, char out[65]);

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
void federation_free(federation *f);

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

/* ---- align.c ---- */

/* HMAC of a file, and of how it is read. */
sotto_status align_data(hash *out, const federation *f, const hash *secret,
                        const char *path, const char *how, sotto_error *error);

/* The consortium secret, from a file that only its owner can read. */
sotto_status align_secret(hash *out, const char *path, sotto_error *error);

/* ---- log.c ---- */

/* Lines for people: what was sent to whom. Into FOLDER/log, with the time,
   and to a callback. No line has anything of a record. */
typedef struct logbook {
    FILE *file;
    const sotto_log_callback *callback;
} logbook;

sotto_status log_open(logbook *out, const char *folder,
                      const sotto_log_callback *callback, sotto_error *error);
void log_line(logbook *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_close(logbook *log);

/* ---- coordinator.c: the coordinator, who keeps what it hears ---- */

typedef struct coordinator coordinator;

sotto_status coordinator_open(coordinator **out, const federation *f,
                              const char *folder, logbook *log,
                              sotto_error *error);
void coordinator_close(coordinator *c);

/* What party k says; the same again is nothing new. SOTTO_PEER: refused. */
sotto_status coordinator_take(coordinator *c, int k, const void *bytes,
                              size_t size, sotto_error *error);

typedef enum coordinator_reply {
    COORDINATOR_WAIT,
    COORDINATOR_ASK,
    COORDINATOR_OVER
} coordinator_reply;

/* What it has for party k: with COORDINATOR_ASK a message, to be freed. */
sotto_status coordinator_next(coordinator *c, int k, coordinator_reply *reply,
                              text_buffer *out, sotto_error *error);

/* For whom all wait; -1: it is over. */
int coordinator_waits_for(const coordinator *c);

/* Who has the model and has not compared it with the others'; -1: nobody. */
int coordinator_waits_to_compare(const coordinator *c);

/* How often something new was said, or somebody was passed over. */
int64_t coordinator_events(const coordinator *c);

/* Whether that one has been passed over before and not been heard since. */
int coordinator_is_silent(const coordinator *c, int k);
sotto_status coordinator_skip(coordinator *c, sotto_error *error);

/* The model, once it is over. */
sotto_status coordinator_model(const coordinator *c, sotto_model **out,
                               sotto_error *error);

/* ---- participant.c: a party, who keeps what it says ---- */

typedef struct participant participant;

/* Takes the table over; ids are looked at and forgotten. */
sotto_status participant_open(participant **out, const federation *f, int k,
                              sotto_table **table, const hash *secret,
                              const hash *data, const char *folder,
                              logbook *log, sotto_error *error);
void participant_close(participant *p);

/* What it says, until it has taken the next request. */
const text_buffer *participant_message(const participant *p);
sotto_status participant_take(participant *p, const void *bytes, size_t size,
                              sotto_error *error);

/* Whether it has the model, and all parties have the same. */
int participant_is_over(const participant *p);
sotto_status participant_model(const participant *p, sotto_model **out,
                               sotto_error *error);

#endif
