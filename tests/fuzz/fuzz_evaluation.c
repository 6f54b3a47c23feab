/* libFuzzer: the file of a private evaluation. The checksum is put right first,
   or hardly an input would get past it. What is read is told in words, and must
   be written again as it was. */
#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void round_trip(const sotto_evaluation *e)
{
    sotto_evaluation *back = NULL;
    sotto_error error;
    char *first = NULL, *second = NULL, *words = NULL;
    if (sotto_evaluation_text(&first, e, &error) ||
        sotto_evaluation_parse(&back, first, &error) ||
        sotto_evaluation_text(&second, back, &error) || strcmp(first, second) ||
        sotto_evaluation_words(&words, back, &error))
        abort();
    sotto_text_free(first);
    sotto_text_free(second);
    sotto_text_free(words);
    sotto_evaluation_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sotto_evaluation *e = NULL;
    sotto_error error = {SOTTO_OK, ""};
    sotto_estimate number;
    text_buffer t = {0};
    text_add(&t, (const char *)bytes, size);
    text_format(&t, "\"checksum\": \"crc32:%08lx\"\n}\n",
                crc32_z(0, bytes, size));
    if (sotto_evaluation_parse(&e, t.data, &error) == SOTTO_OK) {
        round_trip(e);
        sotto_evaluation_number(e, "auc", &number);
        if (sotto_evaluation_check(e, &error) && !error.message[0])
            abort();
    } else if (!error.message[0])
        abort();
    text_free(&t);
    sotto_evaluation_free(e);
    return 0;
}
