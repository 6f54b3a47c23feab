/*
 * Keyed digests, HMAC-SHA256 under the consortium secret. With them the parties
 * check that all have the same people in the same order, that all have the same
 * model in the end, and that a state folder belongs to the data file. A hash
 * without a key would not do: ids can be guessed, and then recognised by their
 * hash. The coordinator does not have the secret.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(hash) == crypto_auth_hmacsha256_BYTES, "HMAC-SHA256");
typedef crypto_auth_hmacsha256_state mac;

static void mac_begin(mac *m, const hash *key)
{
    crypto_auth_hmacsha256_init(m, key->byte, sizeof key->byte);
}

static void mac_add(mac *m, const void *bytes, size_t size)
{
    crypto_auth_hmacsha256_update(m, bytes, size);
}

/* Eight bytes, the lowest first. */
static void mac_number(mac *m, uint64_t value)
{
    unsigned char byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (unsigned char)(value >> 8 * i);
    mac_add(m, byte, sizeof byte);
}

static hash mac_end(mac *m)
{
    hash h;
    crypto_auth_hmacsha256_final(m, h.byte);
    mem_wipe(m, sizeof *m);
    return h;
}

/* A key for one purpose in one session. */
static hash derived(const hash *secret, const char *purpose,
                    const hash *session)
{
    mac m;
    mac_begin(&m, secret);
    mac_add(&m, purpose, strlen(purpose) + 1);
    mac_add(&m, session->byte, sizeof session->byte);
    return mac_end(&m);
}

/* ---- rows ---- */

typedef struct tagging {
    mac *of;
    int count;
} tagging;

static void add_id(void *context, const char *bytes, size_t size)
{
    const tagging *all = context;
    for (int i = 0; i < all->count; i++) {
        mac_number(&all->of[i], size);
        mac_add(&all->of[i], bytes, size);
    }
}

static void begin_tags(const tagging *all, const federation *f,
                       const hash *secret)
{
    static const char *const purpose[] = {"sotto rows, noise can be repeated",
                                          "sotto rows"};
    for (int i = 0; i < all->count; i++) {
        hash key = derived(secret, purpose[i % 2], &f->session);
        mac_begin(&all->of[i], &key);
        mem_wipe(&key, sizeof key);
        mac_number(&all->of[i], (uint64_t)i / 2 + 1);
        mac_number(&all->of[i], (uint64_t)f->rows);
    }
}

sotto_status align_tags(hash *out, const federation *f, const hash *secret,
                        const sotto_table *t, sotto_error *error)
{
    int64_t rows = sotto_table_rows(t);
    if (rows != f->rows)
        return error_set(error, SOTTO_DATA,
                         "the data have another number of rows than the %lld "
                         "that were agreed upon",
                         (long long)f->rows);
    tagging all = {mem_zeroed(2 * (size_t)f->parties, sizeof(mac)),
                   2 * f->parties};
    if (!all.of)
        return error_memory(error);
    begin_tags(&all, f, secret);
    int64_t people = sotto_table_ids(t, add_id, &all);
    for (int i = 0; i < all.count; i++)
        out[i] = mac_end(&all.of[i]);
    mem_free(all.of);
    return people == rows
               ? SOTTO_OK
               : error_set(error, SOTTO_DATA,
                           "column \"%s\": an id is there twice; expected one "
                           "row of each person",
                           show_name(f->id).text);
}

/* ---- models ---- */

hash align_seal_key(const federation *f, const hash *secret)
{
    return derived(secret, "sotto model", &f->session);
}

hash align_seal(const hash *key, int k, const double *weight, int64_t count)
{
    mac m;
    mac_begin(&m, key);
    mac_number(&m, (uint64_t)k + 1);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &weight[i], sizeof bits);
        mac_number(&m, bits);
    }
    return mac_end(&m);
}

/* ---- the data ---- */

static sotto_status add_file(mac *m, const char *path, sotto_error *error)
{
    static const size_t part = 1 << 16;
    char *bytes = mem_zeroed(part, 1);
    int from = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;
    if (bytes && from >= 0)
        while ((got = read(from, bytes, part)) > 0)
            mac_add(m, bytes, (size_t)got);
    int cause = errno;
    if (from >= 0)
        close(from);
    mem_free_wiped(bytes, part);
    if (!bytes)
        return error_memory(error);
    return got < 0 ? error_set(error, SOTTO_FAILED, "%s: cannot read: %s",
                               show_name(path).text, strerror(cause))
                   : SOTTO_OK;
}

sotto_status align_data(hash *out, const federation *f, const hash *secret,
                        const char *path, const char *how, sotto_error *error)
{
    hash key = derived(secret, "sotto data", &f->session);
    mac m;
    mac_begin(&m, &key);
    mem_wipe(&key, sizeof key);
    mac_number(&m, (uint64_t)f->insecure);
    mac_number(&m, f->insecure ? f->noise_seed : 0);
    mac_add(&m, how, strlen(how) + 1);
    sotto_status status = add_file(&m, path, error);
    *out = mac_end(&m);
    return status;
}

/* ---- the secret ---- */

sotto_status align_secret(hash *out, const char *path, sotto_error *error)
{
    char *text = NULL;
    size_t size = 0, used = 0;
    sotto_status status = file_read_secret(path, 1000, &text, &size, error);
    if (status != SOTTO_OK)
        return status;
    const char *end = NULL;
    int bad = sodium_hex2bin(out->byte, sizeof out->byte, text, size, "\n",
                             &used, &end) ||
              used != sizeof out->byte || (end && (*end && *end != '\n'));
    mem_free_wiped(text, size);
    if (bad)
        mem_wipe(out, sizeof *out);
    return bad ? error_set(error, SOTTO_USAGE,
                           "%s: expected 64 digits 0-9a-f and a newline",
                           show_name(path).text)
               : SOTTO_OK;
}
