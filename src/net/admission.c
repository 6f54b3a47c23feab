/*
 * Who is connected to the coordinator. Strangers share a number of places that
 * parties do not need: one more than fit, and the oldest stranger of the
 * address that has the most of them is shut. So whoever connects and stays
 * silent keeps nobody out, and a party's connection is never shut for a
 * stranger's. Each connection has a time by which it must be done, whatever
 * trickles in.
 *
 * A connection is shut by shutting its socket down: its thread then finds the
 * end of the stream. The socket itself is closed after door_leave, so that the
 * number cannot be somebody else's meanwhile.
 */
#include "admission.h"
#include "limits.h"

#include <string.h>
#include <sys/socket.h>

/* With the lock. */
static void shut(const door *d, caller *c, const char *why)
{
    c->is_shut = 1;
    shutdown(c->socket, SHUT_RDWR);
    if (d->tell)
        d->tell(d->context, c->from, why);
}

static int is_stranger(const caller *c)
{
    return c->party < 0 && !c->is_shut;
}

/* How many strangers there are; `like`: from the same address. */
static int count_strangers(const door *d, const caller *like)
{
    int count = 0;
    for (const caller *c = d->oldest; c; c = c->newer)
        count += is_stranger(c) && (!like || !strcmp(c->from, like->from));
    return count;
}

/* The oldest stranger of the address that has the most of them. */
static caller *who_must_go(const door *d)
{
    caller *found = NULL;
    int most = 0;
    for (caller *c = d->oldest; c; c = c->newer) {
        int count = is_stranger(c) ? count_strangers(d, c) : 0;
        if (count > most) {
            most = count;
            found = c;
        }
    }
    return found;
}

caller *door_enter(door *d, int socket, const char *from, double now)
{
    caller *c = mem_zeroed(1, sizeof *c);
    if (!c) {
        shutdown(socket, SHUT_RDWR);
        return NULL;
    }
    c->socket = socket;
    c->party = -1;
    c->until = now + NET_HELLO;
    snprintf(c->from, sizeof c->from, "%s", from);
    pthread_mutex_lock(&d->lock);
    c->older = d->newest;
    *(d->newest ? &d->newest->newer : &d->oldest) = c;
    d->newest = c;
    caller *other =
        count_strangers(d, NULL) > NET_STRANGERS ? who_must_go(d) : NULL;
    if (other)
        shut(d, other, "it has to make room for another stranger");
    pthread_mutex_unlock(&d->lock);
    return c;
}

/* The oldest connection of a party that has too many. With the lock. */
static caller *one_too_many(const door *d, int who)
{
    int count = 0;
    caller *oldest = NULL;
    for (caller *c = d->newest; c; c = c->older)
        if (c->party == who && !c->is_shut) {
            count++;
            oldest = c;
        }
    return count > NET_OF_PARTY ? oldest : NULL;
}

int door_know(door *d, caller *c, int who, double until)
{
    pthread_mutex_lock(&d->lock);
    c->party = who;
    c->until = until;
    caller *other = one_too_many(d, who);
    if (other)
        shut(d, other, "the party has newer connections");
    pthread_mutex_unlock(&d->lock);
    return other != NULL;
}

void door_extend(door *d, caller *c, double until)
{
    pthread_mutex_lock(&d->lock);
    if (c->party >= 0)
        c->until = until;
    pthread_mutex_unlock(&d->lock);
}

int door_sweep(door *d, double now)
{
    int count = 0;
    pthread_mutex_lock(&d->lock);
    for (caller *c = d->oldest; c; c = c->newer)
        if (!c->is_shut && c->until <= now) {
            shut(d, c,
                 c->party < 0 ? "it did not say in time who it is"
                              : "its request took too long");
            count++;
        }
    pthread_mutex_unlock(&d->lock);
    return count != 0;
}

void door_leave(door *d, caller *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&d->lock);
    *(c->older ? &c->older->newer : &d->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &d->newest) = c->older;
    pthread_mutex_unlock(&d->lock);
    mem_free(c);
}
