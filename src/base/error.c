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

shown show_name(const char *name)
{
    shown s;
    size_t i = 0;
    for (; name[i] && i < sizeof s.text - 1; i++) {
        unsigned char c = (unsigned char)name[i];
        s.text[i] = (char)(c < 32 || c == 127 ? '?' : c);
    }
    s.text[i] = 0;
    if (name[i])
        memcpy(s.text + i - 3, "...", 3);
    return s;
}

const char *sotto_version(void)
{
    return SOTTO_VERSION;
}
