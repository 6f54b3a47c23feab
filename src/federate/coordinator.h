/*
 * What coordinator.c and peers.c share: what is known of each party, and how
 * far the run is.
 */
#ifndef SOTTO_FEDERATE_COORDINATOR_H
#define SOTTO_FEDERATE_COORDINATOR_H

#include "internal.h"

/* What the coordinator knows of one party. */
typedef struct peer {
    text_buffer tag; /* its FEDERATION_TAG; empty: not sent yet */
    int is_private, agreed;
    hash *message; /* of each that it has sent */
    int64_t messages, room;
    int silent;    /* it was skipped, and has sent nothing since */
    int excluded;  /* it was skipped at the start: it has no part */
    int has_model; /* it said so, with a digest of the model */
    hash seal;
    int compared;            /* it said that all digests are the same */
    int saw_tags, saw_seals; /* it has been sent them; for the log */
} peer;

struct coordinator {
    const federation *f;
    server *server;
    store *store;
    logbook *log;
    peer *peer;
    unsigned char *skipped; /* of each round: its party was skipped */
    int asked;              /* the present request has been stored */
    int64_t events;         /* counts new messages and skips */
};

sotto_status coordinator_refuse(const char *what, sotto_error *error);
const char *coordinator_name(const coordinator *c, int k, shown *room);

/* ---- peers.c ---- */

/* Whether it has sent this message before; *is_last: as its last one. */
int peer_has_sent(const peer *p, const hash *name, int *is_last);
sotto_status peer_remember(peer *p, const void *bytes, size_t size,
                           sotto_error *error);
void peer_free(peer *p);

/* A party that has not sent its tag, or not agreed to all tags; -1: none. */
int coordinator_missing(const coordinator *c);
int coordinator_has_tags(const coordinator *c);

/* Messages before the start, and after the end. */
sotto_status coordinator_take_tag(coordinator *c, int k, const message *m,
                                  const void *bytes, size_t size,
                                  sotto_error *error);
sotto_status coordinator_take_agreed(coordinator *c, int k, const message *m,
                                     sotto_error *error);
sotto_status coordinator_take_compared(coordinator *c, int k, const message *m,
                                       sotto_error *error);

/* What all parties have sent, as a message for party k. */
sotto_status coordinator_write_tags(coordinator *c, int k, text_buffer *out,
                                    sotto_error *error);
sotto_status coordinator_write_seals(coordinator *c, int k, text_buffer *out,
                                     sotto_error *error);

#endif
