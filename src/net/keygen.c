/*
 * Makes certificates for a trial: an authority, one certificate for each role,
 * and the consortium secret. Each organisation gets a folder. The agreement is
 * written again with everybody's key in it.
 */
#include "json.h"
#include "keys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAYS = 398, DAY = 86400 };

/* A key and its certificate. */
typedef struct pair {
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t certificate;
} pair;

static sotto_status failed(int code, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED, "cannot make a certificate: %s",
                     gnutls_strerror(code));
}

/* ---- certificates ---- */

/* What all certificates have. */
static int begin(pair *p, const char *name)
{
    unsigned char serial[16], id[32];
    size_t size = sizeof id;
    time_t now = time(NULL);
    randombytes_buf(serial, sizeof serial);
    serial[0] = (unsigned char)((serial[0] & 0x7f) | 1);
    int code = gnutls_x509_privkey_init(&p->key);
    if (!code)
        code = gnutls_x509_crt_init(&p->certificate);
    if (!code)
        code =
            gnutls_x509_privkey_generate(p->key, GNUTLS_PK_EDDSA_ED25519, 0, 0);
    if (!code)
        code = gnutls_x509_crt_set_version(p->certificate, 3);
    if (!code)
        code = gnutls_x509_crt_set_key(p->certificate, p->key);
    if (!code)
        code =
            gnutls_x509_crt_set_serial(p->certificate, serial, sizeof serial);
    if (!code)
        code = gnutls_x509_crt_set_activation_time(p->certificate, now - DAY);
    if (!code)
        code = gnutls_x509_crt_set_expiration_time(p->certificate,
                                                   now + (time_t)DAYS * DAY);
    if (!code)
        code = gnutls_x509_crt_set_dn_by_oid(p->certificate,
                                             GNUTLS_OID_X520_COMMON_NAME, 0,
                                             name, (unsigned)strlen(name));
    if (!code)
        code = gnutls_x509_crt_get_key_id(p->certificate, 0, id, &size);
    if (!code)
        code = gnutls_x509_crt_set_subject_key_id(p->certificate, id, size);
    return code;
}

static int make_authority(pair *p)
{
    int code = begin(p, "sotto consortium authority");
    if (!code)
        code = gnutls_x509_crt_set_basic_constraints(p->certificate, 1, 0);
    if (!code)
        code = gnutls_x509_crt_set_key_usage(
            p->certificate, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN);
    if (!code)
        code = gnutls_x509_crt_sign2(p->certificate, p->certificate, p->key,
                                     GNUTLS_DIG_SHA512, 0);
    return code;
}

/* The host is a name or an address. */
static int add_host(gnutls_x509_crt_t c, const char *host)
{
    unsigned char address[4];
    if (inet_pton(AF_INET, host, address) == 1)
        return gnutls_x509_crt_set_subject_alt_name(
            c, GNUTLS_SAN_IPADDRESS, address, sizeof address, GNUTLS_FSAN_SET);
    return gnutls_x509_crt_set_subject_alt_name(
        c, GNUTLS_SAN_DNSNAME, host, (unsigned)strlen(host), GNUTLS_FSAN_SET);
}

/* A certificate of the coordinator, which has a host, or of a party, which has
   none. The role is in the name and in the purpose. */
static int make_member(pair *p, const pair *authority, const char *name,
                       const char *host)
{
    int code = begin(p, name);
    if (!code)
        code = gnutls_x509_crt_set_basic_constraints(p->certificate, 0, -1);
    if (!code)
        code = gnutls_x509_crt_set_key_usage(p->certificate,
                                             GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (!code)
        code = gnutls_x509_crt_set_key_purpose_oid(
            p->certificate,
            host ? GNUTLS_KP_TLS_WWW_SERVER : GNUTLS_KP_TLS_WWW_CLIENT, 0);
    if (!code && host)
        code = add_host(p->certificate, host);
    if (!code)
        code = gnutls_x509_crt_sign2(p->certificate, authority->certificate,
                                     authority->key, GNUTLS_DIG_SHA512, 0);
    return code;
}

static void pair_free(pair *p)
{
    if (p->key)
        gnutls_x509_privkey_deinit(p->key);
    if (p->certificate)
        gnutls_x509_crt_deinit(p->certificate);
    *p = (pair){0};
}

/* ---- files ---- */

static sotto_status make_folder(const char *path, sotto_error *error)
{
    return mkdir(path, 0700)
               ? error_set(error, SOTTO_FAILED, "%s: cannot make it: %s",
                           show_name(path).text, strerror(errno))
               : SOTTO_OK;
}

/* Writes a new file. If it is secret only its owner can read it. */
static sotto_status write_file(const char *folder, const char *name,
                               const void *bytes, size_t size, int is_secret,
                               sotto_error *error)
{
    char *path = net_path(folder, name);
    if (!path)
        return error_memory(error);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  is_secret ? 0600 : 0644);
    int bad = to < 0 || write(to, bytes, size) != (ssize_t)size || fsync(to);
    int cause = errno;
    if (to >= 0)
        close(to);
    sotto_status status =
        bad ? error_set(error, SOTTO_FAILED, "%s: cannot write: %s",
                        show_name(path).text, strerror(cause))
            : SOTTO_OK;
    mem_free(path);
    return status;
}

static sotto_status write_certificate(const char *folder, const char *name,
                                      const pair *p, sotto_error *error)
{
    gnutls_datum_t text = {0};
    int code =
        gnutls_x509_crt_export2(p->certificate, GNUTLS_X509_FMT_PEM, &text);
    if (code)
        return failed(code, error);
    sotto_status status =
        write_file(folder, name, text.data, text.size, 0, error);
    gnutls_free(text.data);
    return status;
}

static sotto_status write_key(const char *folder, const pair *p,
                              sotto_error *error)
{
    gnutls_datum_t text = {0};
    int code = gnutls_x509_privkey_export2_pkcs8(
        p->key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, &text);
    if (code)
        return failed(code, error);
    sotto_status status =
        write_file(folder, NET_KEY, text.data, text.size, 1, error);
    mem_wipe(text.data, text.size);
    gnutls_free(text.data);
    return status;
}

static sotto_status write_secret(const char *folder, const hash *secret,
                                 sotto_error *error)
{
    char text[66];
    hash_text(secret, text);
    text[64] = '\n';
    sotto_status status = write_file(folder, NET_SECRET, text, 65, 1, error);
    mem_wipe(text, sizeof text);
    return status;
}

/* ---- a consortium ---- */

typedef struct making {
    const char *folder;
    const federation *f;
    pair authority;
    hash secret;
    json_t *root;
    sotto_error *error;
} making;

static sotto_status set_key(json_t *object, const char *key, const pair *p,
                            sotto_error *error)
{
    hash id;
    char text[65];
    if (!net_key_of(p->certificate, &id))
        return failed(GNUTLS_E_INTERNAL_ERROR, error);
    hash_text(&id, text);
    return json_object_set_new(object, key, json_string(text))
               ? error_memory(error)
               : SOTTO_OK;
}

/* One organisation's folder: k is -1 for the coordinator. */
static sotto_status make_one(making *m, int k)
{
    pair p = {0};
    char name[200];
    const char *called = k < 0 ? "coordinator" : m->f->party[k].name;
    char *folder = net_path(m->folder, called);
    json_t *entry =
        k < 0 ? json_object_get(m->root, "coordinator")
              : json_array_get(json_object_get(m->root, "parties"), (size_t)k);
    if (!folder)
        return error_memory(m->error);
    snprintf(name, sizeof name, "sotto %s%s", k < 0 ? "" : "party ", called);
    int code = make_member(&p, &m->authority, name, k < 0 ? m->f->host : NULL);
    sotto_status status =
        code ? failed(code, m->error) : make_folder(folder, m->error);
    if (status == SOTTO_OK)
        status =
            write_certificate(folder, NET_AUTHORITY, &m->authority, m->error);
    if (status == SOTTO_OK)
        status = write_certificate(folder, NET_CERTIFICATE, &p, m->error);
    if (status == SOTTO_OK)
        status = write_key(folder, &p, m->error);
    if (status == SOTTO_OK && k >= 0)
        status = write_secret(folder, &m->secret, m->error);
    if (status == SOTTO_OK)
        status = set_key(entry, "key", &p, m->error);
    pair_free(&p);
    mem_free(folder);
    return status;
}

static sotto_status make_authority_folder(making *m)
{
    char *folder = net_path(m->folder, "authority");
    int code = make_authority(&m->authority);
    sotto_status status = !folder ? error_memory(m->error)
                          : code  ? failed(code, m->error)
                                  : make_folder(m->folder, m->error);
    if (status == SOTTO_OK)
        status = make_folder(folder, m->error);
    if (status == SOTTO_OK)
        status =
            write_certificate(folder, NET_AUTHORITY, &m->authority, m->error);
    if (status == SOTTO_OK)
        status = write_key(folder, &m->authority, m->error);
    mem_free(folder);
    return status == SOTTO_OK
               ? set_key(m->root, "authority", &m->authority, m->error)
               : status;
}

/* Numbers are printed as short as possible; their values stay the same. */
static char *config_text(const json_t *root)
{
    locale_t before = locale_plain();
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_t *again = text ? json_loads(text, 0, NULL) : NULL;
    if (!again || !json_equal(again, root)) {
        free(text);
        text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    }
    locale_restore(before);
    json_decref(again);
    return text;
}

static sotto_status write_config(making *m)
{
    char *text = config_text(m->root);
    if (!text)
        return error_memory(m->error);
    sotto_status status =
        write_file(m->folder, "config.json", text, strlen(text), 0, m->error);
    free(text);
    return status;
}

/* A party's name is used for its folder and in its certificate. */
static sotto_status check_names(const federation *f, sotto_error *error)
{
    static const char fine[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    for (int k = 0; k < f->parties; k++) {
        const char *name = f->party[k].name;
        if (strspn(name, fine) != strlen(name) || *name == '.' ||
            *name == '-' || strlen(name) > 40 || !strcmp(name, "coordinator") ||
            !strcmp(name, "authority") || !strcmp(name, "config.json"))
            return error_set(error, SOTTO_USAGE,
                             "party %s: its folder cannot have this name; "
                             "expected letters, digits and ._-",
                             show_name(name).text);
    }
    return SOTTO_OK;
}

static sotto_status make_all(making *m)
{
    sotto_status status = check_names(m->f, m->error);
    if (status == SOTTO_OK && sodium_init() < 0)
        status = error_set(m->error, SOTTO_FAILED, "no random numbers");
    randombytes_buf(m->secret.byte, sizeof m->secret.byte);
    if (status == SOTTO_OK)
        status = make_authority_folder(m);
    for (int k = -1; status == SOTTO_OK && k < m->f->parties; k++)
        status = make_one(m, k);
    if (status == SOTTO_OK)
        status = write_config(m);
    mem_wipe(&m->secret, sizeof m->secret);
    pair_free(&m->authority);
    return status;
}

sotto_status sotto_federation_keygen(const char *config, const char *folder,
                                     sotto_error *error)
{
    federation f;
    char *bytes = NULL;
    size_t size;
    sotto_status status = federation_read(&f, config, error);
    if (status == SOTTO_OK)
        status = federation_check_agreed(&f, config, 0, error);
    if (status == SOTTO_OK)
        status = file_read(config, FILE_MOST, &bytes, &size, error);
    if (status == SOTTO_OK) {
        making m = {.folder = folder, .f = &f, .error = error};
        m.root = json_read(bytes, size, NULL);
        status = m.root ? make_all(&m) : error_memory(error);
        json_decref(m.root);
    }
    mem_free(bytes);
    federation_free(&f);
    return status;
}
