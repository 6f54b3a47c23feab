/*
 * A party's HTTPS client.
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

/* Does not connect yet. Agreement and keys must outlive the client. */
sotto_status client_open(client *c, const federation *f, const net_keys *keys,
                         sotto_error *error);
void client_close(client *c);

/* Posts a message and waits for the reply. *code is the HTTP status; 0: the
   coordinator was not reached. */
CURLcode client_post(client *c, const text_buffer *word, long *code);

/* Why trying again is of no use; NULL: it may help. */
const char *client_fault(const client *c, CURLcode result);

/* ---- diagnose.c ---- */

/* What is wrong with the certificate that the host shows. libcurl has refused
   it and does not say why. `authority` is PEM. */
const char *diagnose_certificate(const federation *f, const char *authority);

#endif
