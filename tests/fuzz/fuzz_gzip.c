/* libFuzzer: gzip streams. The bytes are tried as a stream, and compressed
   and then read, which must give the same as reading them plain. */
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t fuzz_deflate(const uint8_t *bytes, size_t size, uint8_t *to,
                           size_t room)
{
    z_stream z = {0};
    if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
        abort();
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = (unsigned)size;
    z.next_out = to;
    z.avail_out = (unsigned)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&z);
    return z.total_out;
}

static sotto_status fuzz_status(const void *bytes, size_t size, double *sum)
{
    sotto_options *options;
    sotto_error error;
    sotto_table *t = NULL;
    if (sotto_options_new(&options, &error) != SOTTO_OK ||
        sotto_options_set(options, "features", "99", &error) != SOTTO_OK)
        abort();
    sotto_status status =
        table_read_memory(&t, "a.svm", bytes, size, options, &error);
    *sum = status == SOTTO_OK ? fuzz_look(t) : 0;
    sotto_table_free(t);
    sotto_options_free(options);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const fuzz_setting settings[] = {{"features", "99"}, {0}};
    fuzz_read("a.svm.gz", bytes, size, settings);
    if (size >= 2 && !memcmp(bytes, "\x1f\x8b", 2))
        return 0;
    uint8_t *zipped = malloc(size + 1024);
    size_t length = fuzz_deflate(bytes, size, zipped, size + 1024);
    double plain, unzipped;
    sotto_status a = fuzz_status(bytes, size, &plain);
    sotto_status b = fuzz_status(zipped, length, &unzipped);
    if (a != b || memcmp(&plain, &unzipped, sizeof plain))
        abort();
    free(zipped);
    return 0;
}
