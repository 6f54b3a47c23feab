/*
 * What the coordinator's files share: whom it has heard, and how far it is.
 */
#ifndef SOTTO_FEDERATE_COORDINATOR_H
#define SOTTO_FEDERATE_COORDINATOR_H

#include "internal.h"

/* Of one party. */
typedef struct peer {
    text_buffer tag; /* its message; empty: not there */
    int is_private, agreed;
    hash *message; /* of each that it has sent */
    int64_t messages, room;
    int silent;    /* passed over, and not heard since */
    int excluded;  /* its beginning was passed over */
    int has_model; /* and said so, with a digest of it */
    hash seal;
    int compared;            /* all parties' digests are the same */
    int saw_tags, saw_seals; /* they were sent to it: for the log */
} peer;

struct coordinator {
    const federation *f;
    server *server;
    store *store;
    logbook *log;
    peer *peer;
    unsigned char *skipped; /* of each round */
    int asked;              /* the present request is stored */
    int64_t events;         /* that were new */
};

sotto_status coordinator_refuse(const char *what, sotto_error *error);
const char *coordinator_name(const coordinator *c, int k, shown *room);

/* ---- peers.c ---- */

/* Whether it said that before, and whether that was the last it said. */
int peer_has_sent(const peer *p, const hash *name, int *is_last);
sotto_status peer_remember(peer *p, const void *bytes, size_t size,
                           sotto_error *error);
void peer_free(peer *p);

/* The first that has not said what is to be said before the start; -1. */
int coordinator_missing(const coordinator *c);
int coordinator_has_tags(const coordinator *c);

/* What is new before the start, and after the end. */
sotto_status coordinator_take_tag(coordinator *c, int k, const message *m,
                                  const void *bytes, size_t size,
                                  sotto_error *error);
sotto_status coordinator_take_agreed(coordinator *c, int k, const message *m,
                                     sotto_error *error);
sotto_status coordinator_take_compared(coordinator *c, int k, const message *m,
                                       sotto_error *error);

/* What all have said, for one of them. */
sotto_status coordinator_write_tags(coordinator *c, int k, text_buffer *out,
                                    sotto_error *error);
sotto_status coordinator_write_seals(coordinator *c, int k, text_buffer *out,
                                     sotto_error *error);

#endif
