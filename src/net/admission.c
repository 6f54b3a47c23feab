/*
 * Which connections the coordinator admits. A stranger is a connection that has
 * not shown a party's certificate yet. If there are too many strangers, the
 * oldest one of the address that has the most is shut down. So a silent flood
 * keeps nobody out, and a party's connection is never shut down for a
 * stranger's. Each connection has a deadline, however slowly bytes come in.
 *
 * A connection is shut down through its socket: its thread then reads the end
 * of the stream. The socket is closed only after admission_remove, so that its
 * number cannot belong to another connection meanwhile.
 */
#include "admission.h"
#include "limits.h"

#include <string.h>
#include <sys/socket.h>

/* With the lock. */
static void shut_down(const admission *a, connection *c, const char *why)
{
    c->is_shut = 1;
    shutdown(c->socket, SHUT_RDWR);
    if (a->report)
        a->report(a->context, c->from, why);
}

static int is_stranger(const connection *c)
{
    return c->party < 0 && !c->is_shut;
}

/* How many strangers there are; with `like`, from the same address. */
static int count_strangers(const admission *a, const connection *like)
{
    int count = 0;
    for (const connection *c = a->oldest; c; c = c->newer)
        count += is_stranger(c) && (!like || !strcmp(c->from, like->from));
    return count;
}

/* The oldest stranger of the address that has the most of them. */
static connection *connection_to_evict(const admission *a)
{
    connection *found = NULL;
    int most = 0;
    for (connection *c = a->oldest; c; c = c->newer) {
        int count = is_stranger(c) ? count_strangers(a, c) : 0;
        if (count > most) {
            most = count;
            found = c;
        }
    }
    return found;
}

connection *admission_add(admission *a, int socket, const char *from,
                          double now)
{
    connection *c = mem_zeroed(1, sizeof *c);
    if (!c) {
        shutdown(socket, SHUT_RDWR);
        return NULL;
    }
    c->socket = socket;
    c->party = -1;
    c->until = now + NET_HELLO;
    snprintf(c->from, sizeof c->from, "%s", from);
    pthread_mutex_lock(&a->lock);
    c->older = a->newest;
    *(a->newest ? &a->newest->newer : &a->oldest) = c;
    a->newest = c;
    connection *other = count_strangers(a, NULL) > NET_STRANGERS
                            ? connection_to_evict(a)
                            : NULL;
    if (other)
        shut_down(a, other, "it has to make room for another stranger");
    pthread_mutex_unlock(&a->lock);
    return c;
}

/* The oldest connection of a party that has too many. With the lock. */
static connection *oldest_beyond_limit(const admission *a, int who)
{
    int count = 0;
    connection *oldest = NULL;
    for (connection *c = a->newest; c; c = c->older)
        if (c->party == who && !c->is_shut) {
            count++;
            oldest = c;
        }
    return count > NET_OF_PARTY ? oldest : NULL;
}

int admission_identify(admission *a, connection *c, int who, double until)
{
    pthread_mutex_lock(&a->lock);
    c->party = who;
    c->until = until;
    connection *other = oldest_beyond_limit(a, who);
    if (other)
        shut_down(a, other, "the party has newer connections");
    pthread_mutex_unlock(&a->lock);
    return other != NULL;
}

void admission_extend(admission *a, connection *c, double until)
{
    pthread_mutex_lock(&a->lock);
    if (c->party >= 0)
        c->until = until;
    pthread_mutex_unlock(&a->lock);
}

int admission_expire(admission *a, double now)
{
    int count = 0;
    pthread_mutex_lock(&a->lock);
    for (connection *c = a->oldest; c; c = c->newer)
        if (!c->is_shut && c->until <= now) {
            shut_down(a, c,
                      c->party < 0 ? "it did not say in time who it is"
                                   : "its request took too long");
            count++;
        }
    pthread_mutex_unlock(&a->lock);
    return count != 0;
}

void admission_remove(admission *a, connection *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&a->lock);
    *(c->older ? &c->older->newer : &a->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &a->newest) = c->older;
    pthread_mutex_unlock(&a->lock);
    mem_free(c);
}
