/*
 * sotto key: a pair of keys, to sign models by and to check them.
 */
#include "cli.h"

#include <string.h>

static void key_tell(const char *path)
{
    cli_wrote(path);
    fprintf(stderr, ": the secret key, to sign by ('sotto train --sign'); "
                    "nobody else may have it\n");
    cli_wrote(path);
    fprintf(stderr, ".pub: the public key, for those who check ('sotto verify "
                    "--key')\n");
}

sotto_status cli_key(const cli *c, sotto_error *error)
{
    const char *path = c->argument[1];
    if (strcmp(c->argument[0], "new"))
        return cli_refuse(error, "usage: sotto key new FILE");
    sotto_status status = sotto_key_new(path, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        cli_json_output(path);
    if (status == SOTTO_OK && !cli_flag(c, "quiet"))
        key_tell(path);
    return status;
}
