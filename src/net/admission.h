/*
 * Who is connected to the coordinator, and until when.
 */
#ifndef SOTTO_NET_DOOR_H
#define SOTTO_NET_DOOR_H

#include "federate.h"

#include <pthread.h>
#include <stdatomic.h>

/* One connection. It is a stranger until its certificate is accepted. */
typedef struct caller {
    struct caller *older, *newer;
    int socket;
    int party; /* -1: a stranger */
    double until;
    atomic_int is_shut; /* its socket is; its thread may still run */
    char from[64];
} caller;

typedef struct door {
    pthread_mutex_t lock;
    caller *oldest, *newest;
    /* Told why a connection was shut, with the lock. */
    void (*tell)(void *context, const char *from, const char *why);
    void *context;
} door;

/* Somebody has connected. If there are too many strangers one of them is
   shut. NULL: out of memory, and this one is shut. */
caller *door_enter(door *d, int socket, const char *from, double now);

/* It is a party, and has until then. Whether another connection of that party
   was shut for it. */
int door_know(door *d, caller *c, int who, double until);

/* A party's connection has until then; a stranger gets no more time. */
void door_extend(door *d, caller *c, double until);

/* Shuts those whose time is over. Whether there was one. */
int door_sweep(door *d, double now);

/* It is gone; its socket is closed only after this. */
void door_leave(door *d, caller *c);

#endif
