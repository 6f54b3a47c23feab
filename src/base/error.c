/*
 * The caller's error: one line, always terminated, cut rather than lost.
 */
#include "base.h"

#include <stdarg.h>
#include <string.h>

sotto_status error_set(sotto_error *error, sotto_status status,
                       const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

sotto_status error_memory(sotto_error *error)
{
    return error_set(error, SOTTO_FAILED,
                     "out of memory: this machine has too little for it");
}

/* Control characters, of one byte or (U+0080 to U+009F) of two, could
   reach a terminal. */
static void show_bytes(char *to, const char *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)from[i];
        unsigned char next = (unsigned char)(c == 0xc2 ? from[i + 1] : 0);
        to[i] = (char)(c < 32 || c == 127 ? '?' : c);
        if (next >= 0x80 && next <= 0x9f && i + 1 < count) {
            to[i] = '?';
            to[++i] = '?';
        }
    }
}

/* A long name loses its middle: a path's last part says most. */
shown show_name(const char *name)
{
    shown s = {{0}};
    size_t length = strlen(name), room = sizeof s.text - 1, head = room / 3;
    if (length <= room) {
        show_bytes(s.text, name, length);
        return s;
    }
    const char *tail = name + length - (room - head - 3);
    while (head && ((unsigned char)name[head] & 0xc0) == 0x80)
        head--; /* not inside a UTF-8 sequence */
    while (((unsigned char)*tail & 0xc0) == 0x80)
        tail++;
    show_bytes(s.text, name, head);
    memcpy(s.text + head, "...", 3);
    show_bytes(s.text + head + 3, tail, strlen(tail));
    return s;
}

const char *sotto_version(void)
{
    return SOTTO_VERSION;
}
