/*
 * The coordinator's list of connections, each with its deadline.
 */
#ifndef SOTTO_NET_ADMISSION_H
#define SOTTO_NET_ADMISSION_H

#include "federate.h"

#include <pthread.h>
#include <stdatomic.h>

/* One connection. It is a stranger until its certificate is accepted. */
typedef struct connection {
    struct connection *older, *newer;
    int socket;
    int party;          /* -1: a stranger */
    double until;       /* its deadline */
    atomic_int is_shut; /* its socket is shut down; its thread may still run */
    char from[64];
} connection;

typedef struct admission {
    pthread_mutex_t lock;
    connection *oldest, *newest;
    /* Called with the lock, with the reason why a connection was shut down. */
    void (*report)(void *context, const char *from, const char *why);
    void *context;
} admission;

/* Adds a new connection, a stranger. If there are too many, one of them is shut
   down. NULL: out of memory; this one is shut down. */
connection *admission_add(admission *a, int socket, const char *from,
                          double now);

/* It is party `who`, with this deadline. Returns whether another connection of
   that party was shut down for it. */
int admission_identify(admission *a, connection *c, int who, double until);

/* A new deadline for a party's connection; a stranger keeps its own. */
void admission_extend(admission *a, connection *c, double until);

/* Shuts down connections that are past their deadlines. Returns whether there
   was one. */
int admission_expire(admission *a, double now);

/* The connection has ended. Its socket is closed after this call. */
void admission_remove(admission *a, connection *c);

#endif
