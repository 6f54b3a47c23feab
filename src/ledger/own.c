/*
 * Where the user's own ledger is. This is the one place where the library
 * looks at the environment, and only a caller that asks gets the answer.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const WITHOUT =
    "--ledger FILE names another ledger, --ledger none trains without one";

static sotto_status own_refuse(const char *folder, sotto_error *error)
{
    int cause = errno;
    return error_set(error, SOTTO_FAILED,
                     "%s: cannot make the folder of your ledger: %s; %s",
                     show_name(folder).text, strerror(cause), WITHOUT);
}

/* Makes the folder and those above it that are not there; only the user may
   look into them. `folder` ends in a slash. */
static sotto_status own_make(char *folder, sotto_error *error)
{
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        int bad = mkdir(folder, 0700) && errno != EEXIST && errno != EISDIR;
        *at = '/';
        struct stat about;
        if (bad && (stat(folder, &about) || !S_ISDIR(about.st_mode)))
            return own_refuse(folder, error);
    }
    return SOTTO_OK;
}

static sotto_status own_in(char **out, const char *base, const char *below,
                           sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, base);
    text_put(&t, below);
    size_t folder = t.length;
    text_put(&t, "ledger.db");
    char *path = text_take(&t), name = 0;
    if (!path)
        return error_memory(error);
    name = path[folder];
    path[folder] = 0;
    sotto_status status = own_make(path, error);
    path[folder] = name;
    if (status == SOTTO_OK)
        *out = path;
    else
        mem_free(path);
    return status;
}

/* A relative folder is to be ignored, as the XDG specification says. */
sotto_status sotto_ledger_own(char **out, sotto_error *error)
{
    const char *file = secure_getenv("SOTTO_LEDGER");
    const char *state = secure_getenv("XDG_STATE_HOME");
    const char *home = secure_getenv("HOME");
    *out = NULL;
    if (file && *file) {
        *out = mem_text(file);
        return *out ? SOTTO_OK : error_memory(error);
    }
    if (state && *state == '/')
        return own_in(out, state, "/sotto/", error);
    if (home && *home == '/')
        return own_in(out, home, "/.local/state/sotto/", error);
    return error_set(error, SOTTO_FAILED,
                     "there is no HOME, and so no ledger of your own; %s",
                     WITHOUT);
}
