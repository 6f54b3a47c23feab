/*
 * Text that grows. A failure is remembered, so that a long series of calls
 * needs one check at its end.
 */
#include "base.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static int text_reserve(text_buffer *t, size_t more)
{
    size_t need = t->length + more + 1;
    if (t->failed || need < more || need > SIZE_MAX / 2)
        return !(t->failed = 1);
    if (need <= t->room)
        return 1;
    size_t room = t->room ? t->room : 64;
    while (room < need)
        room *= 2;
    char *data = t->is_secret ? mem_resize_wiped(t->data, t->room, room)
                              : mem_resize(t->data, room, 1);
    if (!data)
        return !(t->failed = 1);
    t->data = data;
    t->room = room;
    return 1;
}

void text_add(text_buffer *t, const char *bytes, size_t length)
{
    if (!text_reserve(t, length))
        return;
    memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = 0;
}

void text_put(text_buffer *t, const char *string)
{
    text_add(t, string, strlen(string));
}

void text_format(text_buffer *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && text_reserve(t, (size_t)length)) {
        vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void text_free(text_buffer *t)
{
    int is_secret = t->is_secret;
    mem_free_wiped(t->data, is_secret ? t->room : 0);
    *t = (text_buffer){.is_secret = is_secret};
}

char *text_take(text_buffer *t)
{
    if (t->failed)
        text_free(t);
    return t->data;
}

void text_number(text_buffer *t, double x)
{
    if (x == 0) /* a "-0" would be read back as a whole number */
        text_put(t, signbit(x) ? "-0.0" : "0");
    else
        text_put(t, sotto_number_exact(x).text);
}

void text_json(text_buffer *t, const char *string)
{
    text_put(t, "\"");
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            text_format(t, "\\%c", c);
        else if (c < 32)
            text_format(t, "\\u%04x", c);
        else
            text_add(t, string, 1);
    }
    text_put(t, "\"");
}

/* How many bytes the sequence that starts with c has, and the range of its
   second byte; 0 when no sequence starts with c (RFC 3629, section 4). */
static int text_utf8_length(unsigned char c, unsigned char *low,
                            unsigned char *high)
{
    *low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    *high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (c < 0x80)
        return 1;
    if (c >= 0xc2 && c <= 0xdf)
        return 2;
    if (c >= 0xe0 && c <= 0xef)
        return 3;
    return c >= 0xf0 && c <= 0xf4 ? 4 : 0;
}

int text_is_utf8(const char *bytes, size_t length)
{
    const unsigned char *s = (const unsigned char *)bytes, *end = s + length;
    while (s < end) {
        unsigned char low, high;
        int size = text_utf8_length(*s, &low, &high);
        if (!size || end - s < size)
            return 0;
        for (int i = 1; i < size; i++) {
            if (s[i] < low || s[i] > high)
                return 0;
            low = 0x80;
            high = 0xbf;
        }
        s += size;
    }
    return 1;
}
