/* libFuzzer: what parties agree upon. */
#include "federate/internal.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    federation f;
    sotto_error error = {SOTTO_OK, ""};
    if (federation_parse(&f, "p", (const char *)bytes, size, &error) ==
        SOTTO_OK) {
        f.rows = 10;
        f.epsilon = INFINITY;
        if (f.rounds <= 10000 && federation_settle(&f, &error) != SOTTO_OK)
            abort();
        federation_free(&f);
    } else if (!error.message[0])
        abort();
    return 0;
}
