/*
 * Finds out why libcurl has refused a certificate, for the error message alone:
 * a second TLS handshake, in which nothing is sent and nothing decided.
 */
#include "client.h"
#include "limits.h"

#include <gnutls/gnutls.h>
#include <poll.h>
#include <string.h>

typedef struct handshake {
    CURL *curl;
    curl_socket_t socket;
    gnutls_certificate_credentials_t trust;
    gnutls_session_t session;
} handshake;

/* A connection, without TLS yet. */
static int reach(handshake *h, const federation *f)
{
    char url[300];
    snprintf(url, sizeof url, "http://%s:%lld/", f->host, (long long)f->port);
    h->curl = curl_easy_init();
    return h->curl && !curl_easy_setopt(h->curl, CURLOPT_URL, url) &&
           !curl_easy_setopt(h->curl, CURLOPT_CONNECT_ONLY, 1L) &&
           !curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(h->curl, CURLOPT_PROXY, "") &&
           !curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT,
                             (long)NET_HELLO) &&
           !curl_easy_perform(h->curl) &&
           !curl_easy_getinfo(h->curl, CURLINFO_ACTIVESOCKET, &h->socket) &&
           h->socket != CURL_SOCKET_BAD;
}

static int shake_hands(handshake *h, const federation *f, const char *authority)
{
    gnutls_datum_t pem = {(unsigned char *)(uintptr_t)authority,
                          (unsigned)strlen(authority)};
    if (gnutls_certificate_allocate_credentials(&h->trust) ||
        gnutls_certificate_set_x509_trust_mem(h->trust, &pem,
                                              GNUTLS_X509_FMT_PEM) < 1 ||
        gnutls_init(&h->session,
                    GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) ||
        gnutls_set_default_priority(h->session) ||
        gnutls_credentials_set(h->session, GNUTLS_CRD_CERTIFICATE, h->trust))
        return 0;
    (void)gnutls_server_name_set(h->session, GNUTLS_NAME_DNS, f->host,
                                 strlen(f->host));
    gnutls_transport_set_int(h->session, (int)h->socket);
    double until = net_now() + NET_HELLO;
    int code;
    while ((code = gnutls_handshake(h->session)) &&
           !gnutls_error_is_fatal(code) && net_now() < until) {
        int out = gnutls_record_get_direction(h->session);
        struct pollfd wait = {(int)h->socket, out ? POLLOUT : POLLIN, 0};
        (void)poll(&wait, 1, 1000);
    }
    return !code;
}

static const char *certificate_fault(const handshake *h, const federation *f)
{
    unsigned status = 0;
    if (gnutls_certificate_verify_peers3(h->session, f->host, &status))
        return NULL;
    const char *why = net_certificate_fault(
        status &
        ~(unsigned)(GNUTLS_CERT_UNEXPECTED_OWNER | GNUTLS_CERT_INVALID));
    return !why && (status & GNUTLS_CERT_UNEXPECTED_OWNER)
               ? "a certificate for another host name"
               : why;
}

const char *diagnose_certificate(const federation *f, const char *authority)
{
    handshake h = {.socket = CURL_SOCKET_BAD};
    const char *why = NULL;
    if (reach(&h, f) && shake_hands(&h, f, authority))
        why = certificate_fault(&h, f);
    if (h.session)
        gnutls_deinit(h.session);
    if (h.trust)
        gnutls_certificate_free_credentials(h.trust);
    curl_easy_cleanup(h.curl);
    return why ? why
               : "a certificate from another authority, for another host, "
                 "expired, or not valid yet";
}
