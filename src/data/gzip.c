/*
 * zlib, fed piece by piece. Concatenated members are one stream. Messages tell
 * a file that is cut off from one that is damaged.
 */
#include "gzip.h"

enum { GZIP_MOST = 1 << 30 }; /* zlib counts in unsigned int */

/* zlib's allocations go through base as well. What was inflated last stays in
   them, so each begins with its size, to be wiped. */
typedef union gzip_block {
    size_t bytes;
    max_align_t aligned;
} gzip_block;

static void *gzip_allocate(void *opaque, unsigned count, unsigned size)
{
    size_t bytes = sizeof(gzip_block) + (size_t)count * size;
    gzip_block *block = mem_zeroed(bytes, 1);
    (void)opaque;
    if (!block)
        return NULL;
    block->bytes = bytes;
    return block + 1;
}

static void gzip_release(void *opaque, void *memory)
{
    gzip_block *block = (gzip_block *)memory - 1;
    (void)opaque;
    mem_wipe(block, block->bytes);
    mem_free(block);
}

sotto_status gzip_open(gzip_stream *g, const char *name, gzip_feed feed,
                       void *context, sotto_error *error)
{
    *g = (gzip_stream){.name = name, .feed = feed, .context = context};
    g->z.zalloc = gzip_allocate;
    g->z.zfree = gzip_release;
    if (inflateInit2(&g->z, 15 + 16) != Z_OK)
        return error_memory(error);
    g->is_open = 1;
    return SOTTO_OK;
}

void gzip_close(gzip_stream *g)
{
    if (g->is_open)
        inflateEnd(&g->z);
    g->is_open = 0;
}

/* Makes sure that there is input; *ended when there is none left. */
static sotto_status gzip_fill(gzip_stream *g, int *ended, sotto_error *error)
{
    const char *bytes = NULL;
    size_t size = 0;
    *ended = 0;
    if (g->z.avail_in)
        return SOTTO_OK;
    sotto_status status = g->feed(g->context, &bytes, &size, error);
    g->z.next_in = (unsigned char *)(uintptr_t)bytes;
    g->z.avail_in = (unsigned)size;
    *ended = size == 0;
    return status;
}

static sotto_status gzip_failed(const gzip_stream *g, int code,
                                sotto_error *error)
{
    if (code == Z_MEM_ERROR)
        return error_memory(error);
    return error_set(error, SOTTO_DATA,
                     "%s: %s; expected a whole gzip stream: copy the file "
                     "again",
                     show_name(g->name).text,
                     code == Z_BUF_ERROR ? "the gzip data are cut off"
                                         : "the gzip data are damaged");
}

/* After one member another may follow (concatenated files); zeros after the
   last one are padding. */
static sotto_status gzip_next_member(gzip_stream *g, sotto_error *error)
{
    for (;;) {
        sotto_status status = gzip_fill(g, &g->ended, error);
        if (status != SOTTO_OK || g->ended)
            return status;
        if (*g->z.next_in)
            break;
        g->z.next_in++;
        g->z.avail_in--;
    }
    inflateReset(&g->z);
    return SOTTO_OK;
}

sotto_status gzip_read(gzip_stream *g, char *to, size_t size, size_t *got,
                       sotto_error *error)
{
    size_t chunk = size < GZIP_MOST ? size : GZIP_MOST;
    g->z.next_out = (unsigned char *)to;
    g->z.avail_out = (unsigned)chunk;
    while (g->z.avail_out == chunk && !g->ended) {
        int ended;
        sotto_status status = gzip_fill(g, &ended, error);
        if (status != SOTTO_OK)
            return status;
        int code = ended ? Z_BUF_ERROR : inflate(&g->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            status = gzip_next_member(g, error);
        else if (code != Z_OK)
            status = gzip_failed(g, code, error);
        if (status != SOTTO_OK)
            return status;
    }
    *got = chunk - g->z.avail_out;
    return SOTTO_OK;
}
