/*
 * Text that grows. A failure is remembered, so that a long series of calls
 * needs one check at its end.
 */
#include "base.h"

#include <stdarg.h>
#include <string.h>

static int text_reserve(text_buffer *t, size_t more)
{
    size_t need = t->length + more + 1;
    if (t->failed || need < more)
        return !(t->failed = 1);
    if (need <= t->room)
        return 1;
    size_t room = t->room ? t->room : 64;
    while (room < need)
        room *= 2;
    char *data = mem_resize(t->data, room, 1);
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
    mem_free(t->data);
    *t = (text_buffer){0};
}
