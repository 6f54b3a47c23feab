/*
 * Which party a client is. Its certificate must come from the authority, be
 * valid now, be for a party, and have a key that stands in the agreement.
 * libmicrohttpd only asks for the certificate. We verify it here, so that we
 * can say what is wrong with it.
 */
#include "authenticate.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>

const char *remote_address(struct MHD_Connection *c, char out[64])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    const void *from = NULL;
    if (a && a->sa_family == AF_INET)
        from = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
    if (a && a->sa_family == AF_INET6)
        from = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    if (!from || !inet_ntop(a->sa_family, from, out, 64))
        snprintf(out, 64, "somewhere");
    return out;
}

/* NULL: the chain is the authority's, valid now, and for a client. */
static const char *verify_chain(gnutls_session_t session)
{
    unsigned status = 0, count = 0;
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID,
        .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    if (gnutls_protocol_get_version(session) != GNUTLS_TLS1_3)
        return "expected TLS 1.3";
    if (!gnutls_certificate_get_peers(session, &count) || !count)
        return "no certificate";
    if (gnutls_certificate_verify_peers(session, &purpose, 1, &status))
        return "a certificate that cannot be verified";
    return net_certificate_fault(status);
}

static const char *find_party(const federation *f, gnutls_session_t session,
                              int *whose)
{
    unsigned count = 0;
    gnutls_x509_crt_t c;
    hash key;
    const gnutls_datum_t *list = gnutls_certificate_get_peers(session, &count);
    if (!list || !count || gnutls_x509_crt_init(&c))
        return "no certificate";
    int fine = !gnutls_x509_crt_import(c, &list[0], GNUTLS_X509_FMT_DER) &&
               net_key_of(c, &key);
    gnutls_x509_crt_deinit(c);
    if (!fine)
        return "a certificate that cannot be read";
    *whose = federation_whose(f, &key);
    if (*whose >= 0)
        return NULL;
    return hash_same(&key, &f->coordinator_key)
               ? "a certificate for another role: the coordinator's"
               : "a certificate that is no party's of the agreement";
}

const char *authenticate_party(struct MHD_Connection *c, const federation *f,
                               int *whose)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    *whose = -1;
    if (!info || !info->tls_session)
        return "no TLS";
    const char *why = verify_chain(info->tls_session);
    return why ? why : find_party(f, info->tls_session, whose);
}
