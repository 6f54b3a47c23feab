/*
 * What the coordinator's files share: whom it has heard, and how far it is.
 */
#ifndef SOTTO_FEDERATE_HUB_H
#define SOTTO_FEDERATE_HUB_H

#include "internal.h"

/* Of one party. */
typedef struct guest {
    text_buffer tag; /* its message; empty: not there */
    int is_private, agreed;
    hash *taken; /* of its messages */
    int64_t takens, room;
    int silent;    /* passed over, and not heard since */
    int never;     /* its beginning was passed over */
    int has_model; /* and said so, with a digest of it */
    hash seal;
    int compared;            /* all parties' digests are the same */
    int saw_tags, saw_seals; /* they were sent to it: for the log */
} guest;

struct hub {
    const federation *f;
    server *server;
    store *store;
    logbook *log;
    guest *guest;
    unsigned char *skipped; /* of each round */
    int asked;              /* the present request is stored */
    int64_t events;         /* that were new */
};

sotto_status hub_refuse(const char *what, sotto_error *error);
const char *hub_name(const hub *h, int k, shown *room);

/* ---- peers.c ---- */

/* Whether it said that before, and whether that was the last it said. */
int guest_said(const guest *g, const hash *name, int *is_last);
sotto_status guest_remember(guest *g, const void *bytes, size_t size,
                            sotto_error *error);
void guest_free(guest *g);

/* The first that has not said what is to be said before the start; -1. */
int hub_missing(const hub *h);
int hub_has_tags(const hub *h);

/* What is new before the start, and after the end. */
sotto_status hub_take_tag(hub *h, int k, const message *m, const void *bytes,
                          size_t size, sotto_error *error);
sotto_status hub_take_agreed(hub *h, int k, const message *m,
                             sotto_error *error);
sotto_status hub_take_compared(hub *h, int k, const message *m,
                               sotto_error *error);

/* What all have said, for one of them. */
sotto_status hub_write_tags(hub *h, int k, text_buffer *out,
                            sotto_error *error);
sotto_status hub_write_seals(hub *h, int k, text_buffer *out,
                             sotto_error *error);

#endif
