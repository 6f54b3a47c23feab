/*
 * A second look at a certificate that libcurl has refused: for words alone. It
 * shakes hands, says nothing, and decides nothing.
 */
#include "client.h"
#include "limits.h"

#include <gnutls/gnutls.h>
#include <poll.h>
#include <string.h>

typedef struct probe {
    CURL *curl;
    curl_socket_t socket;
    gnutls_certificate_credentials_t trust;
    gnutls_session_t session;
} probe;

/* A connection, without TLS yet. */
static int reach(probe *p, const federation *f)
{
    char url[300];
    snprintf(url, sizeof url, "http://%s:%lld/", f->host, (long long)f->port);
    p->curl = curl_easy_init();
    return p->curl && !curl_easy_setopt(p->curl, CURLOPT_URL, url) &&
           !curl_easy_setopt(p->curl, CURLOPT_CONNECT_ONLY, 1L) &&
           !curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(p->curl, CURLOPT_PROXY, "") &&
           !curl_easy_setopt(p->curl, CURLOPT_CONNECTTIMEOUT,
                             (long)NET_HELLO) &&
           !curl_easy_perform(p->curl) &&
           !curl_easy_getinfo(p->curl, CURLINFO_ACTIVESOCKET, &p->socket) &&
           p->socket != CURL_SOCKET_BAD;
}

static int shake_hands(probe *p, const federation *f, const char *authority)
{
    gnutls_datum_t pem = {(unsigned char *)(uintptr_t)authority,
                          (unsigned)strlen(authority)};
    if (gnutls_certificate_allocate_credentials(&p->trust) ||
        gnutls_certificate_set_x509_trust_mem(p->trust, &pem,
                                              GNUTLS_X509_FMT_PEM) < 1 ||
        gnutls_init(&p->session,
                    GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) ||
        gnutls_set_default_priority(p->session) ||
        gnutls_credentials_set(p->session, GNUTLS_CRD_CERTIFICATE, p->trust))
        return 0;
    (void)gnutls_server_name_set(p->session, GNUTLS_NAME_DNS, f->host,
                                 strlen(f->host));
    gnutls_transport_set_int(p->session, (int)p->socket);
    double until = net_now() + NET_HELLO;
    int code;
    while ((code = gnutls_handshake(p->session)) &&
           !gnutls_error_is_fatal(code) && net_now() < until) {
        int out = gnutls_record_get_direction(p->session);
        struct pollfd wait = {(int)p->socket, out ? POLLOUT : POLLIN, 0};
        (void)poll(&wait, 1, 1000);
    }
    return !code;
}

static const char *words(const probe *p, const federation *f)
{
    unsigned status = 0;
    if (gnutls_certificate_verify_peers3(p->session, f->host, &status))
        return NULL;
    const char *why = net_certificate_fault(
        status &
        ~(unsigned)(GNUTLS_CERT_UNEXPECTED_OWNER | GNUTLS_CERT_INVALID));
    return !why && (status & GNUTLS_CERT_UNEXPECTED_OWNER)
               ? "a certificate for another host name"
               : why;
}

const char *probe_fault(const federation *f, const char *authority)
{
    probe p = {.socket = CURL_SOCKET_BAD};
    const char *why = NULL;
    if (reach(&p, f) && shake_hands(&p, f, authority))
        why = words(&p, f);
    if (p.session)
        gnutls_deinit(p.session);
    if (p.trust)
        gnutls_certificate_free_credentials(p.trust);
    curl_easy_cleanup(p.curl);
    return why ? why
               : "a certificate from another authority, for another host, or "
                 "out of its time";
}
