/*
 * Key files, which all that signs shares. A key is one line of text:
 *
 *   sotto-ed25519-secret-1 89abcdef...   the seed; for its owner alone
 *   sotto-ed25519-public-1 01234567...   the same name with .pub
 */
#ifndef SOTTO_MODEL_KEY_H
#define SOTTO_MODEL_KEY_H

#include "base.h"

enum {
    KEY_BYTES = 32, /* of a seed, and of a public key */
    KEY_TEXT = 65   /* in hex, and its NUL */
};

/* The caller wipes the seed. */
sotto_status key_read_secret(unsigned char seed[KEY_BYTES], const char *path,
                             sotto_error *error);

/* In hex. */
sotto_status key_read_public(char key[KEY_TEXT], const char *path,
                             sotto_error *error);

/* The same from the text of such a file. */
sotto_status key_parse_secret(unsigned char seed[KEY_BYTES], const char *text,
                              sotto_error *error);
sotto_status key_parse_public(char key[KEY_TEXT], const char *text,
                              sotto_error *error);

/* Whether it is so many digits of hex in lower case, and nothing else. */
int key_is_hex(const char *text, size_t digits);

/* libsodium must be asked once before it is used. */
sotto_status key_ready(sotto_error *error);

#endif
