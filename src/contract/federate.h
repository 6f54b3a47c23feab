/*
 * federate: several parties hold different columns of the same people's rows.
 * A server that holds no data leads them to a linear model. This room is pure
 * logic: messages come in, messages go out. The room net sends them.
 *
 * A party and the server are state machines. The bytes of a request determine
 * the bytes of its answer. The answer is kept: the same request gets the same
 * answer again, and another request in its place is refused. The state can be
 * rebuilt from the requests and answers that were kept.
 *
 * A party trusts nobody. It reads its own columns through its own curator,
 * counts its own questions and clips what the server tells it. So what it
 * sends is private by itself (docs/privacy/federate.md).
 *
 * This header has what the room net calls; internal.h has the rest.
 */
#ifndef SOTTO_FEDERATE_H
#define SOTTO_FEDERATE_H

#include "base.h"

#include <sotto_federate.h>

/* ---- hash.c ---- */

typedef struct hash {
    unsigned char byte[32];
} hash;

/* SHA-256. The comparison takes the same time whatever the bytes are. */
hash hash_of(const void *bytes, size_t size);
int hash_same(const hash *a, const hash *b);
void hash_text(const hash *h, char out[65]);

/* ---- config.c: the agreement, a file that all parties have ---- */

typedef struct federation_party {
    char *name;
    char *schema;         /* of its columns, as JSON */
    char *schema_with_id; /* and of the id; NULL: no id was agreed upon */
    int has_key;
    hash key; /* SHA-256 of its certificate's public key */
    int64_t features;
    char **feature; /* their names */
    double *centre, *half;
    double constant; /* one more column of this number; 0: none */
    double radius;   /* its weights are within this, in the L1 norm */
    int64_t cap;     /* F_k: it sends sketches of so many columns at most */
    int64_t turns;   /* T_k: how often it is asked for a vertex */
} federation_party;

typedef struct federation {
    federation_party *party;
    int parties;
    int movers; /* K: parties with a cap above 0; they take turns */

    char *target;
    double target_centre, target_half;
    int label_party;
    int labels_known; /* every party has the labels in its own file */
    double label_rms; /* their declared size: for clips, if they are known */

    int64_t rows;    /* n */
    int64_t rounds;  /* T */
    int64_t buckets; /* m */
    uint64_t seed;   /* of the sketch and the schedule: public */
    int permuted;    /* turns are permutations, not independent draws */
    int *turn;       /* of each round: the party whose turn it is */
    double share[3]; /* of the budget: vertices, labels, sketches */
    char *schema;    /* of all columns, for the model */
    hash file;       /* SHA-256 of the agreement's bytes */

    double epsilon, delta; /* the budget; infinite: without noise */
    double range;          /* eta of a choice */
    double mu_labels, mu_sketch;
    int insecure; /* noise comes from noise_seed and can be repeated */
    uint64_t noise_seed;
    hash session; /* identifies this run in every message */

    /* For a run over a network. */
    int64_t agreed_rows;                 /* 0: not agreed upon */
    double agreed_epsilon, agreed_delta; /* epsilon 0: not agreed upon */
    double spent_epsilon, spent_delta;   /* on the same people, before */
    char *id;                            /* the column that names a row */
    char *host;                          /* the coordinator's; NULL: none */
    int64_t port;
    int has_keys; /* the coordinator's and the authority's are there */
    hash coordinator_key, authority_key;
    int absent_skips; /* a silent party is skipped; 0: it ends the run */
    int64_t patience; /* after so many seconds without a message */
} federation;

/* Reads a file. Rows and budget may not stand in it; the run sets them. */
sotto_status federation_read(federation *out, const char *path,
                             sotto_error *error);
void federation_free(federation *f);

/* ---- network.c ---- */

/* Refuses an agreement that does not have all that a run over a network
   needs: rows, budget, id, coordinator and, if `with_keys`, keys. */
sotto_status federation_check_agreed(const federation *f, const char *name,
                                     int with_keys, sotto_error *error);

/* The same check; then sets rows and budget, and what follows from them. */
sotto_status federation_settle_agreed(federation *f, const char *name,
                                      int with_keys, sotto_error *error);

/* The party whose certificate has this key; -1: none. */
int federation_whose(const federation *f, const hash *key);

/* The most bytes that a message to the coordinator, and from it, can have. */
size_t federation_most_up(const federation *f);
size_t federation_most_down(const federation *f);

/* ---- align.c ---- */

/* HMAC of a data file and of the options it is read with. */
sotto_status align_data(hash *out, const federation *f, const hash *secret,
                        const char *path, const char *how, sotto_error *error);

/* The consortium secret, from a file that only its owner can read. */
sotto_status align_secret(hash *out, const char *path, sotto_error *error);

/* ---- log.c ---- */

/* Lines for people: what was sent to whom. They go to FOLDER/log, with the
   time, and to a callback. No line has anything of a record. */
typedef struct logbook {
    FILE *file;
    const sotto_log_callback *callback;
} logbook;

sotto_status log_open(logbook *out, const char *folder,
                      const sotto_log_callback *callback, sotto_error *error);
void log_line(logbook *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_close(logbook *log);

/* ---- booking.c: a party's own ledger ---- */

enum { FEDERATION_RUN = 33 }; /* of a run, in hex, and its NUL */

/*
 * Books all that party k may be asked, where the options name a ledger: once
 * for a state folder, however often the party is killed and comes back. The
 * caller has read no record and has connected to nobody. `run` is "" where
 * there is nothing to book.
 */
sotto_status federation_book_party(char run[FEDERATION_RUN],
                                   const federation *f, int k,
                                   const sotto_options *options, logbook *log,
                                   sotto_error *error);

/* From now on it answers: without its messages the folder is of no use. */
sotto_status federation_book_begun(const char *run,
                                   const sotto_options *options,
                                   sotto_error *error);

/* Marks the run as finished: the model is there. */
void federation_book_end(const char *run, const sotto_options *options,
                         logbook *log);

/* ---- coordinator.c: the server, with every message on the disk ---- */

typedef struct coordinator coordinator;

sotto_status coordinator_open(coordinator **out, const federation *f,
                              const char *folder, logbook *log,
                              sotto_error *error);
void coordinator_close(coordinator *c);

/* Takes a message of party k. A message that is repeated changes nothing.
   SOTTO_PEER: it is refused. */
sotto_status coordinator_take(coordinator *c, int k, const void *bytes,
                              size_t size, sotto_error *error);

typedef enum coordinator_reply {
    COORDINATOR_WAIT,
    COORDINATOR_ASK,
    COORDINATOR_OVER
} coordinator_reply;

/* What to reply to party k. With COORDINATOR_ASK *out is a message for it. */
sotto_status coordinator_next(coordinator *c, int k, coordinator_reply *reply,
                              text_buffer *out, sotto_error *error);

/* The party that must answer now; -1: the run is over. */
int coordinator_waits_for(const coordinator *c);

/* A party that has the model and has not confirmed that it is the same as
   everybody's; -1: there is none. */
int coordinator_waits_to_compare(const coordinator *c);

/* A counter that changes with every new message and every skip. */
int64_t coordinator_events(const coordinator *c);

/* Whether party k was skipped and has sent nothing since. */
int coordinator_is_silent(const coordinator *c, int k);

/* Skips the party that must answer now. */
sotto_status coordinator_skip(coordinator *c, sotto_error *error);

/* The model, when the run is over. */
sotto_status coordinator_model(const coordinator *c, sotto_model **out,
                               sotto_error *error);

/* ---- participant.c: a party, with every message on the disk ---- */

typedef struct participant participant;

/* Takes the table over. Ids become keyed digests, and are then forgotten. */
sotto_status participant_open(participant **out, const federation *f, int k,
                              sotto_table **table, const hash *secret,
                              const hash *data, const char *folder,
                              logbook *log, sotto_error *error);
void participant_close(participant *p);

/* The message to send, until the next request has been taken. */
const text_buffer *participant_message(const participant *p);
sotto_status participant_take(participant *p, const void *bytes, size_t size,
                              sotto_error *error);

/* Whether it has the model, and every party has the same one. */
int participant_is_over(const participant *p);
sotto_status participant_model(const participant *p, sotto_model **out,
                               sotto_error *error);

#endif
