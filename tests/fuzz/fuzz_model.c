/* libFuzzer: the model file, and the SQL that is made of it. The checksum is
   put right first, or hardly an input would get past it. What is read must be
   written again as it was, and so must what is signed then, since its signature
   is about those bytes. */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void round_trip(const sotto_model *m)
{
    sotto_model *back = NULL;
    sotto_error error;
    text_buffer first = {0}, second = {0};
    if (model_text(m, &first, &error) ||
        model_parse(&back, "m", first.data, first.length, &error) ||
        model_text(back, &second, &error) || strcmp(first.data, second.data))
        abort();
    text_free(&first);
    text_free(&second);
    sotto_model_free(back);
}

/* The end of a text or name in quotes; in SQL two quotes are one inside. */
static const char *past_quotes(const char *s)
{
    char quote = *s;
    for (s++; *s != quote || s[1] == quote; s += *s == quote ? 2 : 1)
        if (!*s)
            abort();
    return s + 1;
}

/* It is one statement: no name and no word of the model gets out of its
   quotes. Behind the remarks only the last semicolon is outside of them. */
static void export_as_sql(const sotto_model *m)
{
    char *text = NULL;
    sotto_error error = {SOTTO_OK, ""};
    if (sotto_model_export(&text, m, "sql", &error)) {
        if (!error.message[0] || text)
            abort();
        return;
    }
    const char *s = text;
    while (!strncmp(s, "--", 2))
        s = strchr(s, '\n') + 1;
    while (*s && *s != ';' && strncmp(s, "--", 2) && *s != '\\')
        s = *s == '\'' || *s == '"' ? past_quotes(s) : s + 1;
    if (strcmp(s, ";\n"))
        abort();
    sotto_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sotto_model *m = NULL;
    sotto_error error = {SOTTO_OK, ""};
    text_buffer t = {0};
    text_add(&t, (const char *)bytes, size);
    text_format(&t, "\"checksum\": \"crc32:%08lx\"\n}\n",
                crc32_z(0, bytes, size));
    if (model_parse(&m, "m", t.data, t.length, &error) == SOTTO_OK) {
        static const unsigned char seed[32] = {7};
        round_trip(m);
        export_as_sql(m);
        if (model_sign(m, seed, &error))
            abort();
        round_trip(m);
        if (sotto_model_check(m, &error) && !error.message[0])
            abort();
    } else if (!error.message[0])
        abort();
    text_free(&t);
    sotto_model_free(m);
    return 0;
}
