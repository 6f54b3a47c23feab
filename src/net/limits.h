/*
 * How long the network waits, in seconds, and how many it lets in. These
 * numbers stand here and nowhere else in the code; docs/federation.md has the
 * same table for people, and a test compares the two.
 */
#ifndef SOTTO_NET_LIMITS_H
#define SOTTO_NET_LIMITS_H

enum {
    NET_HELLO = 10,      /* to connect, shake hands and show a certificate */
    NET_HOLD = 15,       /* a request waits for a question to answer it with */
    NET_IDLE = 60,       /* a connection without a byte, or without a request */
    NET_REQUEST = 60,    /* a request in all, as the coordinator counts */
    NET_REPLY = 120,     /* a request in all, as a party counts */
    NET_BYTES = 10000,   /* and one second more for so many bytes */
    NET_STRANGERS = 128, /* connections of those who are not known yet */
    NET_OF_PARTY = 4     /* connections of one party */
};

#endif
