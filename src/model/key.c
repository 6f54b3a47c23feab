/*
 * Key files: made whole or not at all, never in the place of another, and
 * secret ones read by their owner alone.
 */
#include "key.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

_Static_assert(KEY_BYTES == crypto_sign_SEEDBYTES &&
                   KEY_BYTES == crypto_sign_PUBLICKEYBYTES,
               "Ed25519");

#define SECRET_WORD "sotto-ed25519-secret-1"
#define PUBLIC_WORD "sotto-ed25519-public-1"
enum { KEY_MOST = 4096 }; /* bytes of what may be a key file */

sotto_status key_ready(sotto_error *error)
{
    return sodium_init() < 0 ? error_set(error, SOTTO_FAILED,
                                         "libsodium cannot be used here: the "
                                         "system gives no random numbers")
                             : SOTTO_OK;
}

int key_is_hex(const char *text, size_t digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

/* ---- made ---- */

static sotto_status write_key(const char *path, const char *word,
                              const unsigned char bytes[KEY_BYTES], int mode,
                              sotto_error *error)
{
    char hex[KEY_TEXT];
    int taken = 0;
    text_buffer line = {.is_secret = 1};
    sodium_bin2hex(hex, sizeof hex, bytes, KEY_BYTES);
    text_put(&line, word);
    text_put(&line, " ");
    text_put(&line, hex);
    text_put(&line, "\n");
    mem_wipe(hex, sizeof hex);
    sotto_status status =
        line.failed ? error_memory(error)
                    : file_create_as(path, &line, mode, &taken, error);
    text_free(&line);
    return taken ? error_set(error, SOTTO_USAGE,
                             "%s: there is a file of this name, and a key "
                             "never replaces one; give the new key another "
                             "name",
                             show_name(path).text)
                 : status;
}

/* The public one first: a secret key never stands without it. */
static sotto_status write_pair(const char *path, const char *public_path,
                               const unsigned char seed[KEY_BYTES],
                               sotto_error *error)
{
    unsigned char public[crypto_sign_PUBLICKEYBYTES];
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    crypto_sign_seed_keypair(public, secret, seed);
    mem_wipe(secret, sizeof secret);
    sotto_status status =
        write_key(public_path, PUBLIC_WORD, public, 0644, error);
    if (status != SOTTO_OK)
        return status;
    status = write_key(path, SECRET_WORD, seed, 0600, error);
    if (status != SOTTO_OK)
        unlink(public_path);
    return status;
}

sotto_status sotto_key_new(const char *path, sotto_error *error)
{
    unsigned char seed[KEY_BYTES];
    text_buffer public_path = {0};
    if (!*path || !strcmp(path, "-"))
        return error_set(error, SOTTO_USAGE,
                         "expected the name of a file for the new key");
    sotto_status status = key_ready(error);
    if (status != SOTTO_OK)
        return status;
    text_put(&public_path, path);
    text_put(&public_path, ".pub");
    randombytes_buf(seed, sizeof seed);
    status = public_path.failed
                 ? error_memory(error)
                 : write_pair(path, public_path.data, seed, error);
    mem_wipe(seed, sizeof seed);
    text_free(&public_path);
    return status;
}

/* ---- read ---- */

/* The hex of a line that begins with the word, or NULL; it ends the line with
   a NUL. */
static const char *key_in(char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    if (size > 0 && text[size - 1] == '\n')
        text[--size] = 0;
    return size > length && !memcmp(text, word, length) &&
                   text[length] == ' ' &&
                   key_is_hex(text + length + 1, KEY_TEXT - 1)
               ? text + length + 1
               : NULL;
}

static sotto_status take_secret(unsigned char seed[KEY_BYTES], const char *name,
                                char *text, size_t size, sotto_error *error)
{
    const char *hex = key_in(text, size, SECRET_WORD);
    return hex && !sodium_hex2bin(seed, KEY_BYTES, hex, KEY_TEXT - 1, NULL,
                                  NULL, NULL)
               ? SOTTO_OK
               : error_set(error, SOTTO_USAGE,
                           "%s: not a secret key; expected a file as 'sotto "
                           "key new' writes it",
                           show_name(name).text);
}

static sotto_status take_public(char key[KEY_TEXT], const char *name,
                                char *text, size_t size, sotto_error *error)
{
    const char *hex = key_in(text, size, PUBLIC_WORD);
    if (hex) {
        memcpy(key, hex, KEY_TEXT);
        return SOTTO_OK;
    }
    if (key_in(text, size, SECRET_WORD))
        return error_set(error, SOTTO_USAGE,
                         "%s: this is a secret key, which stays with its "
                         "owner; expected the public one, %s.pub",
                         show_name(name).text, show_name(name).text);
    return error_set(error, SOTTO_USAGE,
                     "%s: not a public key; expected the .pub file that "
                     "'sotto key new' has written",
                     show_name(name).text);
}

/* A copy that can be cut, of at most as much as a key file may have; the caller
   wipes it. */
static sotto_status copy_key(char **out, size_t *size, const char *text,
                             sotto_error *error)
{
    *size = strnlen(text, KEY_MOST + 1);
    if (*size > KEY_MOST)
        return error_set(error, SOTTO_USAGE, "the key: too large");
    *out = mem_text_n(text, *size);
    return *out ? SOTTO_OK : error_memory(error);
}

sotto_status key_parse_secret(unsigned char seed[KEY_BYTES], const char *text,
                              sotto_error *error)
{
    char *copy = NULL;
    size_t size;
    sotto_status status = copy_key(&copy, &size, text, error);
    if (status == SOTTO_OK)
        status = take_secret(seed, "the key", copy, size, error);
    mem_free_wiped(copy, copy ? size : 0);
    return status;
}

sotto_status key_parse_public(char key[KEY_TEXT], const char *text,
                              sotto_error *error)
{
    char *copy = NULL;
    size_t size;
    sotto_status status = copy_key(&copy, &size, text, error);
    if (status == SOTTO_OK)
        status = take_public(key, "the key", copy, size, error);
    mem_free_wiped(copy, copy ? size : 0);
    return status;
}

/* Whether it is the other half: then its mode is no fault. */
static int is_public(const char *path)
{
    char key[KEY_TEXT];
    return key_read_public(key, path, NULL) == SOTTO_OK;
}

sotto_status key_read_secret(unsigned char seed[KEY_BYTES], const char *path,
                             sotto_error *error)
{
    char *text = NULL;
    size_t size = 0;
    sotto_status status = file_read_secret(path, KEY_MOST, &text, &size, error);
    if (status == SOTTO_PRIVACY && is_public(path))
        return error_set(error, SOTTO_USAGE,
                         "%s: this is a public key, by which nothing can be "
                         "signed; expected the secret one beside it",
                         show_name(path).text);
    if (status != SOTTO_OK)
        return status;
    status = take_secret(seed, path, text, size, error);
    mem_free_wiped(text, size);
    return status;
}

sotto_status key_read_public(char key[KEY_TEXT], const char *path,
                             sotto_error *error)
{
    char *text = NULL;
    size_t size = 0;
    sotto_status status = file_read(path, KEY_MOST, &text, &size, error);
    if (status != SOTTO_OK)
        return status;
    status = take_public(key, path, text, size, error);
    mem_free_wiped(text, size);
    return status;
}

sotto_status sotto_key_check(const char *path, sotto_error *error)
{
    unsigned char seed[KEY_BYTES];
    sotto_status status = key_ready(error);
    if (status == SOTTO_OK)
        status = key_read_secret(seed, path, error);
    mem_wipe(seed, sizeof seed);
    return status;
}
