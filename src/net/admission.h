/*
 * Who is connected to the coordinator, and until when.
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
    int party; /* -1: a stranger */
    double until;
    atomic_int is_shut; /* its socket is; its thread may still run */
    char from[64];
} connection;

typedef struct admission {
    pthread_mutex_t lock;
    connection *oldest, *newest;
    /* Told why a connection was shut, with the lock. */
    void (*report)(void *context, const char *from, const char *why);
    void *context;
} admission;

/* Somebody has connected. If there are too many strangers one of them is
   shut. NULL: out of memory, and this one is shut. */
connection *admission_add(admission *a, int socket, const char *from,
                          double now);

/* It is a party, and has until then. Whether another connection of that party
   was shut for it. */
int admission_identify(admission *a, connection *c, int who, double until);

/* A party's connection has until then; a stranger gets no more time. */
void admission_extend(admission *a, connection *c, double until);

/* Shuts those whose time is over. Whether there was one. */
int admission_expire(admission *a, double now);

/* It is gone; its socket is closed only after this. */
void admission_remove(admission *a, connection *c);

#endif
