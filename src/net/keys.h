/*
 * What the files of net share: PEM files, and whose key is whose.
 */
#ifndef SOTTO_NET_KEYS_H
#define SOTTO_NET_KEYS_H

#include "federate.h"

#include <gnutls/x509.h>

/* The files that the option `keys` names the folder of. */
#define NET_AUTHORITY "authority.pem"
#define NET_CERTIFICATE "certificate.pem"
#define NET_KEY "key.pem"
#define NET_SECRET "consortium.secret"

/* One organisation's files. */
typedef struct net_keys {
    char *authority_path, *certificate_path, *key_path, *secret_path;
    char *authority, *certificate, *key; /* as PEM */
    size_t key_size;
    hash authority_key, own_key;
} net_keys;

/* Reads them, and checks that the authority is that of the agreement. */
sotto_status net_keys_read(net_keys *out, const federation *f,
                           const char *folder, sotto_error *error);
void net_keys_free(net_keys *k);

/* FOLDER/NAME; NULL: out of memory. */
char *net_path(const char *folder, const char *name);

/* SHA-256 of the public key; 0: there is none. */
int net_key_of(gnutls_x509_crt_t certificate, hash *out);

/* What gnutls finds wrong with a certificate; NULL: nothing. */
const char *net_certificate_fault(unsigned status);

/* Seconds on a clock that never jumps. */
double net_now(void);

#endif
