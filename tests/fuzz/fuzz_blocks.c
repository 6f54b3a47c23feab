/* libFuzzer: blocks and samplings; the first byte says which the rest is.
   What is read covers every feature once, and draws every block. */
#include "blocks.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { FEATURES = 12 };

static void fuzz_look(const bcfw_blocks *b)
{
    int64_t seen[FEATURES] = {0}, before = -1;
    for (int64_t i = 0; i < b->domain.blocks; i++) {
        before = -1;
        for (int64_t n = 0; n < b->block[i].count; n++) {
            int64_t j = b->block[i].coordinate[n];
            if (j <= before || j >= FEATURES)
                abort();
            seen[j]++;
            before = j;
        }
    }
    for (int j = 0; j < FEATURES; j++)
        if (seen[j] != 1)
            abort();
    double least = bcfw_least(&b->domain, &b->sampling);
    if (!(least > 0 && least <= 1 + 1e-9) ||
        bcfw_most(&b->domain, &b->sampling) < 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sotto_options *options;
    sotto_error error = {0};
    bcfw_blocks blocks;
    char path[64];
    if (size == 0)
        return 0;
    int file = memfd_create("blocks", 0);
    if (file < 0 || write(file, bytes + 1, size - 1) != (ssize_t)size - 1)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (sotto_options_new(&options, &error) ||
        sotto_options_set(options, "radius", "1", &error) ||
        sotto_options_set(options, "blocks", bytes[0] % 2 ? path : "5",
                          &error) ||
        sotto_options_set(options, "sampling", bytes[0] % 2 ? "serial" : path,
                          &error))
        abort();
    solver_run r = {.options = options,
                    .solver = &solver_bcfw,
                    .facts = {.features = FEATURES}};
    if (blocks_read(&blocks, &r, &error) == SOTTO_OK)
        fuzz_look(&blocks);
    else if (!error.message[0])
        abort();
    blocks_free(&blocks);
    sotto_options_free(options);
    close(file);
    return 0;
}
