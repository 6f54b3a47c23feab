/*
 * Random words: libsodium's ChaCha20, keyed by getrandom for each stream.
 * docs/privacy, "Random bits", says what the guarantee makes of it.
 */
#include "stream.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- keys ---- */

/* The only abort of the library: without entropy there is no noise, and a
   status could be overlooked. */
static void noise_entropy(unsigned char *out, size_t bytes)
{
    while (bytes) {
        ssize_t got = getrandom(out, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || (size_t)got > bytes)
            abort();
        out += got;
        bytes -= (size_t)got;
    }
}

static void noise_put64(unsigned char *out, uint64_t n)
{
    for (int i = 0; i < 8; i++)
        out[i] = (unsigned char)(n >> 8 * i);
}

void noise_forget(noise_pool *pool)
{
    mem_wipe(pool->kept, sizeof pool->kept);
    pool->kept_at = pool->kept_end = 0;
}

static void noise_start(noise_stream *stream)
{
    stream->pool->block = 0;
    stream->pool->at = stream->pool->end = 0;
    noise_forget(stream->pool);
    stream->pool->keyed = 1;
    stream->owner = getpid();
}

static void noise_rekey(noise_stream *stream)
{
    noise_entropy(stream->pool->key, sizeof stream->pool->key);
    noise_put64(stream->pool->nonce, stream->purpose);
    noise_start(stream);
}

void noise_begin(noise_stream *stream)
{
    if (!stream->pool->keyed || (stream->watch && stream->owner != getpid()))
        noise_rekey(stream);
}

/* ---- words ---- */

/* Bytes as words, the least significant first, on any machine. */
static void noise_order(uint64_t *words)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (int i = 0; i < NOISE_BUFFER; i++)
        words[i] = __builtin_bswap64(words[i]);
#else
    (void)words;
#endif
}

#ifdef NOISE_SCRIPTED
static void noise_refill_script(noise_stream *stream)
{
    size_t count = stream->script_left;
    if (!count)
        abort();
    if (count > NOISE_BUFFER)
        count = NOISE_BUFFER;
    memcpy(stream->pool->words, stream->script, count * sizeof(uint64_t));
    stream->script += count;
    stream->script_left -= count;
    stream->pool->at = 0;
    stream->pool->end = (int)count;
}
#endif

void noise_refill(noise_stream *stream)
{
#ifdef NOISE_SCRIPTED
    if (stream->script) {
        noise_refill_script(stream);
        return;
    }
#endif
    noise_pool *pool = stream->pool;
    if (!pool->keyed) /* a fork within a call, by a signal handler */
        noise_rekey(stream);
    unsigned char *bytes = (unsigned char *)pool->words;
    memset(bytes, 0, sizeof pool->words);
    crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof pool->words, pool->nonce,
                                  pool->block, pool->key);
    noise_order(pool->words);
    pool->block += sizeof pool->words / 64;
    pool->at = 0;
    pool->end = NOISE_BUFFER;
}

void noise_take(noise_stream *stream, uint64_t *out, size_t count)
{
    noise_pool *pool = stream->pool;
    while (count) {
        if (pool->at == pool->end)
            noise_refill(stream);
        size_t part = (size_t)(pool->end - pool->at);
        part = part < count ? part : count;
        memcpy(out, pool->words + pool->at, part * sizeof *out);
        pool->at += (int)part;
        out += part;
        count -= part;
    }
}

void noise_words(noise_stream *stream, uint64_t *out, size_t count)
{
    noise_begin(stream);
    noise_take(stream, out, count);
}

/* ---- life ---- */

static sotto_status noise_make(noise_stream **out, noise_purpose purpose,
                               sotto_error *error)
{
    *out = NULL;
    if (sodium_init() < 0)
        return error_set(error, SOTTO_FAILED,
                         "noise: libsodium cannot be initialised");
    noise_stream *stream = mem_zeroed(1, sizeof *stream);
    noise_pool *pool = mem_map(sizeof *pool);
    if (!stream || !pool) {
        mem_free(stream);
        if (pool)
            mem_unmap(pool, sizeof *pool);
        return error_memory(error);
    }
    madvise(pool, sizeof *pool, MADV_DONTDUMP);
    stream->pool = pool;
    stream->purpose = purpose;
    *out = stream;
    return SOTTO_OK;
}

sotto_status noise_open(noise_stream **out, noise_purpose purpose,
                        sotto_error *error)
{
    sotto_status status = noise_make(out, purpose, error);
    if (status != SOTTO_OK)
        return status;
    (*out)->watch = !mem_wiped_on_fork((*out)->pool, sizeof *(*out)->pool);
    noise_rekey(*out);
    return SOTTO_OK;
}

sotto_status noise_open_insecure(noise_stream **out, uint64_t seed,
                                 noise_purpose purpose, uint64_t position,
                                 sotto_error *error)
{
    sotto_status status = noise_make(out, purpose, error);
    if (status != SOTTO_OK)
        return status;
    noise_pool *pool = (*out)->pool;
    (*out)->insecure = 1;
    memcpy(pool->key, "sotto: insecure!", 16);
    noise_put64(pool->key + 16, seed);
    noise_put64(pool->key + 24, purpose);
    noise_put64(pool->nonce, position);
    noise_start(*out);
    return SOTTO_OK;
}

int noise_is_private(const noise_stream *stream)
{
    return !stream->insecure;
}

void noise_close(noise_stream *stream)
{
    if (!stream)
        return;
    mem_wipe(stream->pool, sizeof *stream->pool);
    mem_unmap(stream->pool, sizeof *stream->pool);
    mem_free(stream);
}

/* ---- given words: not in the library that is shipped ---- */

#ifdef NOISE_SCRIPTED
sotto_status noise_open_scripted(noise_stream **out, const uint64_t *words,
                                 size_t count, sotto_error *error)
{
    sotto_status status = noise_make(out, NOISE_RELEASE, error);
    if (status != SOTTO_OK)
        return status;
    (*out)->insecure = 1;
    (*out)->script = words;
    (*out)->script_left = count;
    noise_start(*out);
    return SOTTO_OK;
}

size_t noise_scripted_used(const noise_stream *stream, size_t count)
{
    const noise_pool *pool = stream->pool;
    return count - stream->script_left - (size_t)(pool->end - pool->at);
}

void noise_scripted_watch(noise_stream *stream)
{
    madvise(stream->pool, sizeof *stream->pool, MADV_KEEPONFORK);
    stream->watch = 1;
}
#endif
