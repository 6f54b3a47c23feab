/*
 * sotto generate: synthetic data sets.
 */
#include "cli.h"

#include <string.h>
#include <unistd.h>

static void generate_list(int json)
{
    if (json) {
        printf("{");
        cli_reference_sets();
        printf("}\n");
        return;
    }
    for (int64_t i = 0; sotto_generate_name(i); i++)
        printf("%-14s %s\n", sotto_generate_name(i), sotto_generate_help(i));
}

/* What is there may be worth keeping. No file is read, and a SET is none. */
static sotto_status generate_check(const cli *c, const char *output,
                                   sotto_error *error)
{
    cli files = *c;
    files.arguments = 0;
    if (!output)
        return cli_refuse(error, "expected -o FILE (- is stdout)");
    sotto_status status = cli_json_check(c, error);
    return status == SOTTO_OK && !access(output, F_OK)
               ? cli_check_output(&files, error)
               : status;
}

sotto_status cli_generate(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    int json = cli_flag(c, "json");
    if (c->arguments == 0) {
        generate_list(json);
        return SOTTO_OK;
    }
    sotto_status status = generate_check(c, output, error);
    if (status == SOTTO_OK)
        status = sotto_generate(c->argument[0], output, c->options, error);
    if (status == SOTTO_OK && json)
        cli_json_output(output);
    if (status == SOTTO_OK && strcmp(output, "-") && !cli_flag(c, "quiet")) {
        cli_wrote(output);
        fprintf(stderr, "\n");
    }
    return status;
}
