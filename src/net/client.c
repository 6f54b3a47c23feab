/*
 * A party's HTTPS client. The coordinator must show a certificate from the
 * authority, for its host, with the key that stands in the agreement; nothing
 * is sent to anybody else. A reply is bounded in bytes and in time.
 */
#include "client.h"
#include "limits.h"

#include <sodium.h>
#include <string.h>

/* A reply that is too long is refused before it is kept. */
static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    client *c = context;
    size_t got = size * count;
    if (got > c->most - c->reply.length)
        return 0;
    text_add(&c->reply, bytes, got);
    return c->reply.failed ? 0 : got;
}

static void set_url_and_pin(client *c)
{
    char base64[64];
    snprintf(c->url, sizeof c->url, "https://%s:%lld/v1/word", c->f->host,
             (long long)c->f->port);
    sodium_bin2base64(base64, sizeof base64, c->f->coordinator_key.byte,
                      sizeof c->f->coordinator_key.byte,
                      sodium_base64_VARIANT_ORIGINAL);
    snprintf(c->pin, sizeof c->pin, "sha256//%s", base64);
}

sotto_status client_open(client *c, const federation *f, const net_keys *keys,
                         sotto_error *error)
{
    *c = (client){.f = f, .keys = keys};
    c->curl = curl_easy_init();
    c->headers = curl_slist_append(
        curl_slist_append(NULL, "Content-Type: application/octet-stream"),
        "Expect:");
    if (!c->curl || !c->headers)
        return error_memory(error);
    set_url_and_pin(c);
    c->most = federation_most_down(c->f);
    long longest =
        NET_REPLY + (long)((c->most + federation_most_up(f)) / NET_BYTES);
    CURL *h = c->curl;
    CURLcode bad = curl_easy_setopt(h, CURLOPT_URL, c->url);
    bad |= curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "https");
    bad |=
        curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    bad |= curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
    bad |= curl_easy_setopt(h, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_3);
    bad |= curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
    bad |= curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
    bad |= curl_easy_setopt(h, CURLOPT_CAINFO, c->keys->authority_path);
    bad |= curl_easy_setopt(h, CURLOPT_CAPATH, NULL); /* no other authority */
    bad |= curl_easy_setopt(h, CURLOPT_PINNEDPUBLICKEY, c->pin);
    bad |= curl_easy_setopt(h, CURLOPT_SSLCERT, c->keys->certificate_path);
    bad |= curl_easy_setopt(h, CURLOPT_SSLKEY, c->keys->key_path);
    bad |= curl_easy_setopt(h, CURLOPT_HTTPHEADER, c->headers);
    bad |= curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    bad |= curl_easy_setopt(h, CURLOPT_TCP_KEEPALIVE, 1L);
    bad |= curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT, (long)NET_HELLO);
    bad |= curl_easy_setopt(h, CURLOPT_TIMEOUT, longest);
    bad |= curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, receive);
    bad |= curl_easy_setopt(h, CURLOPT_WRITEDATA, c);
    bad |= curl_easy_setopt(h, CURLOPT_POST, 1L);
    return bad ? error_set(error, SOTTO_FAILED,
                           "libcurl lacks what a party needs (TLS 1.3, pinned "
                           "keys)")
               : SOTTO_OK;
}

CURLcode client_post(client *c, const text_buffer *word, long *code)
{
    text_free(&c->reply);
    *code = 0;
    curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)word->length);
    curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, word->data);
    CURLcode result = curl_easy_perform(c->curl);
    if (result == CURLE_OK)
        curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, code);
    return result;
}

const char *client_fault(const client *c, CURLcode result)
{
    switch (result) {
    case CURLE_PEER_FAILED_VERIFICATION:
        return diagnose_certificate(c->f, c->keys->authority);
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return "a certificate for another role: it is not the coordinator's "
               "of the agreement";
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
        return "the files of --keys cannot be used";
    case CURLE_WRITE_ERROR:
        return "it sends more bytes than any message has";
    default:
        return NULL;
    }
}

void client_close(client *c)
{
    curl_easy_cleanup(c->curl);
    curl_slist_free_all(c->headers);
    text_free(&c->reply);
}
