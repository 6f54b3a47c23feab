/*
 * A party's line to the coordinator.
 */
#ifndef SOTTO_NET_CLIENT_H
#define SOTTO_NET_CLIENT_H

#include "keys.h"

#include <curl/curl.h>

typedef struct client {
    const federation *f;
    const net_keys *keys;
    CURL *curl;
    struct curl_slist *headers;
    char url[300], pin[80];
    text_buffer reply;
    size_t most;
} client;

/* Connects to nobody yet. What it is given must outlive it. */
sotto_status client_open(client *c, const federation *f, const net_keys *keys,
                         sotto_error *error);
void client_close(client *c);

/* Says a word, and waits for the reply; *code is HTTP's, 0 if nobody was
   reached. */
CURLcode client_post(client *c, const text_buffer *word, long *code);

/* Why there is no point in trying again; NULL: there is. */
const char *client_fault(const client *c, CURLcode result);

/* ---- diagnose.c ---- */

/* What is wrong with the certificate of whoever is there, in words: libcurl has
   refused it, and does not say why. `authority` is PEM. */
const char *diagnose_certificate(const federation *f, const char *authority);

#endif
