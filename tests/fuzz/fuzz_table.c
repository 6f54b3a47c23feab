/* libFuzzer: tables on a disk, as they are and with checksums that fit. */
#include "../unit/table_repair.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const fuzz_setting any[] = {{"threads", "1"}, {0}};
    char *own = malloc(size + 1);
    fuzz_read("t.sotto", bytes, size, any);
    if (size)
        memcpy(own, bytes, size);
    repair(own, size);
    fuzz_read("t.sotto", (const uint8_t *)own, size, any);
    free(own);
    return 0;
}
