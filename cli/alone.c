/*
 * The program by itself: no other rank (mpi/ranks.c has the others).
 */
#include "cli.h"

void cli_ranks_start(int *argc, char ***argv, sotto_error *error)
{
    (void)argc;
    (void)argv;
    (void)error;
}

int cli_ranks_is_root(void)
{
    return 1;
}

sotto_status cli_ranks_join(const cli *c, const verb *v, sotto_error *error)
{
    (void)c;
    (void)v;
    (void)error;
    return SOTTO_OK;
}

void cli_ranks_root_speaks(void)
{
}

sotto_status cli_ranks_leave(sotto_status status, sotto_error *error)
{
    (void)error;
    return status;
}
