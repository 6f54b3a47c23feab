/* libFuzzer: messages of parties. The sum is put right first, or hardly an
   input would get past it. What is read must be written again as it was. */
#include "federate/internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    message m;
    sotto_error error = {SOTTO_OK, ""};
    text_buffer t = {0}, again = {0};
    hash sum = hash_of(bytes, size);
    text_add(&t, (const char *)bytes, size);
    text_add(&t, (const char *)sum.byte, sizeof sum.byte);
    if (message_read(&m, t.data, t.length, &error) == SOTTO_OK) {
        message_write(&m, &again);
        if (again.length != t.length || memcmp(again.data, t.data, t.length))
            abort();
        message_free(&m);
    } else if (!error.message[0])
        abort();
    text_free(&t);
    text_free(&again);
    return 0;
}
