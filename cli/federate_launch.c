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

/* The path of the program beside this one; 0: it is not known. */
static int launch_path(char out[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (length <= 0)
        return 0;
    out[length] = 0;
    char *name = strrchr(out, '/') + 1;
    size_t room = (size_t)(out + PATH_MAX - name);
    errno = ENAMETOOLONG;
    return snprintf(name, room, "sotto-federate") < (int)room;
}

int cli_has_federation(void)
{
    char path[PATH_MAX];
    return launch_path(path) && access(path, X_OK) == 0;
}

sotto_status cli_federate(const cli *c, sotto_error *error)
{
    char path[PATH_MAX];
    if (launch_path(path))
        execv(path, c->words);
    error->status = SOTTO_FAILED;
    snprintf(error->message, sizeof error->message,
             "cannot run sotto-federate, expected beside sotto: %s; it comes "
             "with the federation's part of sotto",
             strerror(errno));
    return SOTTO_FAILED;
}
