/*
 * stream: words of a keyed ChaCha20 stream, buffered.
 *
 * What must not survive a fork (key and buffer) is in a pool of its own that
 * the system wipes in a child; a pool of zeros is one that has no key yet.
 */
#ifndef SOTTO_STREAM_H
#define SOTTO_STREAM_H

#include "noise.h"

#include <sys/types.h>

enum { NOISE_BUFFER = 1024 }; /* words; 128 blocks of ChaCha20 */
enum { NOISE_KEPT = 64 };     /* values drawn in advance, an even number */

typedef struct noise_pool {
    uint64_t words[NOISE_BUFFER];
    unsigned char key[32], nonce[8];
    uint64_t block; /* the next one */
    int at, end;    /* words[at .. end) were not used yet */
    int keyed;

    /* Gaussian values of this sigma for callers who want one at a time:
       kept[kept_at .. kept_end) were given to nobody yet, the others are 0 */
    double kept_sigma;
    int64_t kept[NOISE_KEPT];
    int kept_at, kept_end;
} noise_pool;

struct noise_stream {
    noise_pool *pool;
    noise_purpose purpose;
    int insecure;
    int watch; /* the system does not wipe: compare process ids */
    pid_t owner;
#ifdef NOISE_SCRIPTED
    const uint64_t *script;
    size_t script_left;
#endif
};

/*
 * At the beginning of every public call: in a child the stream has no key,
 * or another owner, and gets a new key before any word is used. Within a
 * call no fork can happen to the thread that makes it.
 */
void noise_begin(noise_stream *stream);

void noise_refill(noise_stream *stream);

/* Wipes the values that were drawn in advance. */
void noise_forget(noise_pool *pool);

static inline uint64_t noise_word(noise_stream *stream)
{
    noise_pool *pool = stream->pool;
    if (pool->at == pool->end)
        noise_refill(stream);
    return pool->words[pool->at++];
}

/* The next `count` words at once: they are copied, so that further words can
   be drawn while these are used. */
void noise_take(noise_stream *stream, uint64_t *out, size_t count);

/* How many words the loops over many items take at a time. */
enum { NOISE_BLOCK = 256 };

static inline size_t noise_block(size_t left)
{
    return left < NOISE_BLOCK ? left : NOISE_BLOCK;
}

#ifdef NOISE_SCRIPTED
/* In the copy of this module that tests are linked with, and nowhere else:
   a stream of given words, which are borrowed; it aborts when they end. */
sotto_status noise_open_scripted(noise_stream **out, const uint64_t *words,
                                 size_t count, sotto_error *error);
/* How many of them were used. */
size_t noise_scripted_used(const noise_stream *stream, size_t count);
/* Makes a stream do as on a system that cannot wipe pools in a child. */
void noise_scripted_watch(noise_stream *stream);
#endif

#endif
