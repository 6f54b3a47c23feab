/*
 * SHA-256, libsodium's.
 */
#include "internal.h"

#include <sodium.h>

_Static_assert(sizeof(hash) == crypto_hash_sha256_BYTES, "SHA-256");

hash hash_of(const void *bytes, size_t size)
{
    hash h;
    crypto_hash_sha256(h.byte, bytes, size);
    return h;
}

int hash_same(const hash *a, const hash *b)
{
    return !sodium_memcmp(a->byte, b->byte, sizeof a->byte);
}

void hash_text(const hash *h, char out[65])
{
    for (size_t i = 0; i < sizeof h->byte; i++)
        snprintf(out + 2 * i, 3, "%02x", h->byte[i]);
}

void hash_add(hash *so_far, const void *bytes, size_t size)
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, so_far->byte, sizeof so_far->byte);
    crypto_hash_sha256_update(&state, bytes, size);
    crypto_hash_sha256_final(&state, so_far->byte);
}
