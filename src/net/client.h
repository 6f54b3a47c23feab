/*
 * A party's line to the coordinator.
 */
#ifndef SOTTO_NET_LINE_H
#define SOTTO_NET_LINE_H

#include "keys.h"

#include <curl/curl.h>

typedef struct line {
    const federation *f;
    const net_keys *keys;
    CURL *curl;
    struct curl_slist *headers;
    char url[300], pin[80];
    text_buffer reply;
    size_t most;
} line;

/* Connects to nobody yet. What it is given must outlive it. */
sotto_status line_open(line *l, const federation *f, const net_keys *keys,
                       sotto_error *error);
void line_close(line *l);

/* Says a word, and waits for the reply; *code is HTTP's, 0 if nobody was
   reached. */
CURLcode line_say(line *l, const text_buffer *word, long *code);

/* Why there is no point in trying again; NULL: there is. */
const char *line_fault(const line *l, CURLcode result);

/* ---- diagnose.c ---- */

/* What is wrong with the certificate of whoever is there, in words: libcurl has
   refused it, and does not say why. `authority` is PEM. */
const char *probe_fault(const federation *f, const char *authority);

#endif
