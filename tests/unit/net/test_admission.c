/*
 * Which connections the coordinator closes, and when. The test has a clock of
 * its own. Strangers (connections without a party's certificate) displace each
 * other only, never a party, and sending slowly gains no time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/admission.h"
#include "net/limits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Both ends of a connection. */
typedef struct peer {
    int here, there;
    connection *connection;
} peer;

static int told;

static void count_told(void *context, const char *from, const char *why)
{
    assert_ptr_equal(context, &told);
    assert_true(*from && *why);
    told++;
}

static admission new_door(void)
{
    told = 0;
    return (admission){.lock = PTHREAD_MUTEX_INITIALIZER,
                       .report = count_told,
                       .context = &told};
}

static peer come(admission *d, const char *from, double now)
{
    int both[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
    peer g = {both[0], both[1], admission_add(d, both[0], from, now)};
    assert_non_null(g.connection);
    return g;
}

/* Whether the peer can still be heard. */
static int is_open(const peer *g)
{
    char byte;
    ssize_t got = recv(g->there, &byte, 1, MSG_DONTWAIT);
    assert_int_equal(got == 0, g->connection->is_shut);
    return got != 0;
}

static int count_open(const peer *g, int count)
{
    int open = 0;
    for (int i = 0; i < count; i++)
        open += is_open(&g[i]);
    return open;
}

static void leave(admission *d, peer *g, int count)
{
    for (int i = 0; i < count; i++) {
        admission_remove(d, g[i].connection);
        close(g[i].here);
        close(g[i].there);
    }
}

/* 450 strangers connect: the allowed number stays, and so do all parties. */
static void test_crowd(void **state)
{
    (void)state;
    enum { CROWD = 450, PARTIES = 3 };
    admission d = new_door();
    peer known[PARTIES], crowd[CROWD];
    for (int k = 0; k < PARTIES; k++) {
        known[k] = come(&d, "10.0.0.1", 0);
        assert_false(admission_identify(&d, known[k].connection, k, 100));
    }
    for (int i = 0; i < CROWD; i++)
        crowd[i] = come(&d, "10.0.0.1", 0);
    assert_int_equal(count_open(known, PARTIES), PARTIES);
    assert_int_equal(count_open(crowd, CROWD), NET_STRANGERS);
    assert_int_equal(count_open(crowd, CROWD - NET_STRANGERS), 0);
    assert_int_equal(told, CROWD - NET_STRANGERS);
    leave(&d, crowd, CROWD);
    leave(&d, known, PARTIES);
    assert_null(d.oldest);
    assert_null(d.newest);
}

/* One address holds most of the places. It loses a place before another
   address does, even if that one's stranger came first. */
static void test_addresses(void **state)
{
    (void)state;
    enum { CROWD = 2 * NET_STRANGERS };
    admission d = new_door();
    peer few[2], crowd[CROWD];
    for (int i = 0; i < 2; i++)
        few[i] = come(&d, "10.0.0.2", 0);
    for (int i = 0; i < CROWD; i++)
        crowd[i] = come(&d, "10.0.0.1", 0);
    assert_int_equal(count_open(few, 2), 2);
    assert_int_equal(count_open(crowd, CROWD), NET_STRANGERS - 2);
    leave(&d, few, 2);
    leave(&d, crowd, CROWD);
}

/* A stranger's time limit runs from its connection, whatever it sends. Each
   request of a party has its own limit, and between requests its connection may
   wait. */
static void test_times(void **state)
{
    (void)state;
    admission d = new_door();
    peer g[2] = {come(&d, "10.0.0.1", 5), come(&d, "10.0.0.1", 5)};
    assert_false(admission_identify(&d, g[1].connection, 0, 5 + NET_REQUEST));
    admission_extend(&d, g[0].connection,
                     1e9); /* it was answered, and refused */
    assert_false(admission_expire(&d, 5 + NET_HELLO - .001));
    assert_int_equal(count_open(g, 2), 2);
    assert_true(admission_expire(&d, 5 + NET_HELLO));
    assert_false(is_open(&g[0]));
    assert_true(is_open(&g[1]));
    assert_false(admission_expire(&d, 5 + NET_REQUEST - .001));
    admission_extend(&d, g[1].connection, 60 + NET_IDLE);
    assert_false(admission_expire(&d, 60 + NET_IDLE - .001));
    assert_true(is_open(&g[1]));
    assert_true(admission_expire(&d, 60 + NET_IDLE));
    assert_false(is_open(&g[1]));
    assert_false(admission_expire(&d, 1e9)); /* once is enough */
    assert_int_equal(told, 2);
    leave(&d, g, 2);
}

/* A party may have a few connections; the oldest is closed for a new one,
   and other parties' stay. One connection with many requests counts once. */
static void test_party(void **state)
{
    (void)state;
    enum { MANY = NET_OF_PARTY + 3 };
    admission d = new_door();
    peer other = come(&d, "10.0.0.1", 0), g[MANY];
    assert_false(admission_identify(&d, other.connection, 1, 100));
    for (int i = 0; i < MANY; i++) {
        g[i] = come(&d, "10.0.0.1", 0);
        for (int again = 0; again < 3; again++)
            assert_int_equal(admission_identify(&d, g[i].connection, 0, 100),
                             !again && i >= NET_OF_PARTY);
    }
    assert_true(is_open(&other));
    assert_int_equal(count_open(g, MANY), NET_OF_PARTY);
    assert_int_equal(count_open(g, MANY - NET_OF_PARTY), 0);
    leave(&d, g, MANY);
    leave(&d, &other, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_party),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
