/*
 * sotto generate: synthetic data sets.
 */
#include "cli.h"

sotto_status cli_generate(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    if (c->arguments == 0) {
        for (int64_t i = 0; sotto_generate_name(i); i++)
            printf("%-14s %s\n", sotto_generate_name(i),
                   sotto_generate_help(i));
        return SOTTO_OK;
    }
    if (!output) {
        error->status = SOTTO_USAGE;
        snprintf(error->message, sizeof error->message,
                 "expected -o FILE (- is stdout)");
        return SOTTO_USAGE;
    }
    sotto_status status =
        sotto_generate(c->argument[0], output, c->options, error);
    if (status == SOTTO_OK && !cli_flag(c, "quiet"))
        fprintf(stderr, "wrote %s\n", output);
    return status;
}
