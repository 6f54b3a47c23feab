/*
 * sotto federate, as the program sotto has it: executes sotto-federate, the
 * same program with the federation in it, which lies in the same folder. So
 * no other verb loads the libraries of the network.
 */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The path of the program beside this one; NULL: it is not known. */
static const char *launch_path(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    char *name = strrchr(path, '/') + 1;
    size_t room = (size_t)(path + sizeof path - name);
    errno = ENAMETOOLONG;
    return snprintf(name, room, "sotto-federate") < (int)room ? path : NULL;
}

int cli_has_federation(void)
{
    const char *path = launch_path();
    return path && access(path, X_OK) == 0;
}

sotto_status cli_federate(const cli *c, sotto_error *error)
{
    const char *path = launch_path();
    if (path)
        execv(path, c->words);
    error->status = SOTTO_FAILED;
    snprintf(error->message, sizeof error->message,
             "cannot run sotto-federate, expected beside sotto: %s; it comes "
             "with the federation's part of sotto",
             strerror(errno));
    return SOTTO_FAILED;
}
