/*
 * The log: lines for people.
 */
#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

sotto_status log_open(logbook *out, const char *folder,
                      const sotto_log_callback *callback, sotto_error *error)
{
    text_buffer t = {0};
    *out = (logbook){.callback = callback};
    text_put(&t, folder);
    text_put(&t, "/log");
    if (t.failed) {
        text_free(&t);
        return error_memory(error);
    }
    if (!mkdir(folder, 0700) || errno == EEXIST)
        out->file = fopen(t.data, "ae");
    text_free(&t);
    if (out->file)
        return SOTTO_OK;
    return error_set(error, SOTTO_FAILED, "%s: cannot write a log there: %s",
                     show_name(folder).text, strerror(errno));
}

void log_line(logbook *log, const char *format, ...)
{
    char line[600], when[32];
    struct tm parts;
    time_t now = time(NULL);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    if (log->file && gmtime_r(&now, &parts) &&
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts)) {
        fprintf(log->file, "%s %s\n", when, line);
        fflush(log->file); /* if the disk is full lines are lost, but no message
                              is */
    }
    if (log->callback && log->callback->log)
        log->callback->log(log->callback->context, line);
}

void log_close(logbook *log)
{
    if (log->file)
        fclose(log->file);
    *log = (logbook){0};
}
