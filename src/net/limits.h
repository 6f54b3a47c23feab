/*
 * The network's limits: times in seconds, and numbers of connections. They
 * stand nowhere else in the code. docs/federation.md has the same table for
 * people; a test compares the two.
 */
#ifndef SOTTO_NET_LIMITS_H
#define SOTTO_NET_LIMITS_H

enum {
    NET_HELLO = 10,   /* to connect, with the TLS handshake and a certificate */
    NET_HOLD = 15,    /* a reply waits for something to send (long polling) */
    NET_IDLE = 60,    /* a connection without a byte, or without a request */
    NET_REQUEST = 60, /* a request in all, as the coordinator counts */
    NET_REPLY = 120,  /* a request in all, as a party counts */
    NET_BYTES = 10000,   /* and one second more for so many bytes */
    NET_STRANGERS = 128, /* connections without a party's certificate yet */
    NET_OF_PARTY = 4     /* connections of one party */
};

#endif
