/* libFuzzer: the number parser against strtod. */
#include "number.h"

#include <ctype.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = calloc(size + 65, 1);
    memcpy(text, bytes, size);
    const char *s = text;
    char *end;
    double value = 0, expected;
    number_kind kind = number_parse(&s, &value);
    expected = strtod(text, &end);
    size_t sign = text[0] == '-' || text[0] == '+';
    int hexadecimal = text[sign] == '0' && (text[sign + 1] | 0x20) == 'x';
    if (kind == NUMBER_OK && !hexadecimal &&
        (s != end || memcmp(&value, &expected, sizeof value)))
        abort();
    if (kind == NUMBER_BAD && end != text && !isspace((unsigned char)text[0]))
        abort();
    free(text);
    return 0;
}
