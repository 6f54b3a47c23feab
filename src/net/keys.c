/*
 * PEM files of one organisation.
 */
#include "keys.h"

#include <string.h>
#include <time.h>

enum { MOST_PEM = 1 << 20 };

double net_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char *net_path(const char *folder, const char *name)
{
    text_buffer t = {0};
    text_put(&t, folder);
    text_put(&t, "/");
    text_put(&t, name);
    return text_take(&t);
}

int net_key_of(gnutls_x509_crt_t certificate, hash *out)
{
    size_t size = sizeof out->byte;
    return !gnutls_x509_crt_get_key_id(certificate, GNUTLS_KEYID_USE_SHA256,
                                       out->byte, &size) &&
           size == sizeof out->byte;
}

const char *net_certificate_fault(unsigned status)
{
    if (status & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA |
                  GNUTLS_CERT_SIGNATURE_FAILURE))
        return "a certificate from another authority";
    if (status & GNUTLS_CERT_EXPIRED)
        return "a certificate that has expired";
    if (status & GNUTLS_CERT_NOT_ACTIVATED)
        return "a certificate that is not valid yet";
    if (status &
        (GNUTLS_CERT_PURPOSE_MISMATCH | GNUTLS_CERT_SIGNER_CONSTRAINTS_FAILURE))
        return "a certificate for another role";
    return status ? "a certificate that is not valid" : NULL;
}

static int key_in_pem(const char *pem, hash *out)
{
    gnutls_datum_t text = {(unsigned char *)(uintptr_t)pem,
                           (unsigned)strlen(pem)};
    gnutls_x509_crt_t c;
    if (gnutls_x509_crt_init(&c))
        return 0;
    int fine = !gnutls_x509_crt_import(c, &text, GNUTLS_X509_FMT_PEM) &&
               net_key_of(c, out);
    gnutls_x509_crt_deinit(c);
    return fine;
}

/* Whether the private key belongs to this public key. */
static int key_fits(const char *pem, const hash *public_key)
{
    gnutls_datum_t text = {(unsigned char *)(uintptr_t)pem,
                           (unsigned)strlen(pem)};
    gnutls_x509_privkey_t key;
    hash id;
    size_t size = sizeof id.byte;
    if (gnutls_x509_privkey_init(&key))
        return 0;
    int fine = !gnutls_x509_privkey_import2(key, &text, GNUTLS_X509_FMT_PEM,
                                            NULL, 0) &&
               !gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256,
                                               id.byte, &size) &&
               hash_same(&id, public_key);
    gnutls_x509_privkey_deinit(key);
    return fine;
}

static sotto_status read_pem(char **out, const char *path, sotto_error *error)
{
    size_t size;
    return file_read(path, MOST_PEM, out, &size, error);
}

static sotto_status check(const net_keys *k, const federation *f,
                          sotto_error *error)
{
    if (!hash_same(&k->authority_key, &f->authority_key))
        return error_set(error, SOTTO_PEER,
                         "%s: this is not the authority of the agreement",
                         show_name(k->authority_path).text);
    if (!key_fits(k->key, &k->own_key))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected the private key, as PEM, of the "
                         "certificate beside it",
                         show_name(k->key_path).text);
    return SOTTO_OK;
}

static sotto_status read_files(net_keys *k, sotto_error *error)
{
    sotto_status status = read_pem(&k->authority, k->authority_path, error);
    if (status == SOTTO_OK)
        status = read_pem(&k->certificate, k->certificate_path, error);
    if (status == SOTTO_OK)
        status = file_read_secret(k->key_path, MOST_PEM, &k->key, &k->key_size,
                                  error);
    if (status != SOTTO_OK)
        return status;
    const char *bad =
        !key_in_pem(k->authority, &k->authority_key) ? k->authority_path
        : !key_in_pem(k->certificate, &k->own_key)   ? k->certificate_path
                                                     : NULL;
    return bad ? error_set(error, SOTTO_USAGE,
                           "%s: expected a certificate as PEM",
                           show_name(bad).text)
               : SOTTO_OK;
}

sotto_status net_keys_read(net_keys *k, const federation *f, const char *folder,
                           sotto_error *error)
{
    *k = (net_keys){.authority_path = net_path(folder, NET_AUTHORITY),
                    .certificate_path = net_path(folder, NET_CERTIFICATE),
                    .key_path = net_path(folder, NET_KEY),
                    .secret_path = net_path(folder, NET_SECRET)};
    sotto_status status = k->authority_path && k->certificate_path &&
                                  k->key_path && k->secret_path
                              ? read_files(k, error)
                              : error_memory(error);
    return status == SOTTO_OK ? check(k, f, error) : status;
}

void net_keys_free(net_keys *k)
{
    mem_free_wiped(k->key, k->key_size);
    mem_free(k->certificate);
    mem_free(k->authority);
    mem_free(k->authority_path);
    mem_free(k->certificate_path);
    mem_free(k->key_path);
    mem_free(k->secret_path);
    *k = (net_keys){0};
}
