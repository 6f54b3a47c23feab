/*
 * sotto convert: a data file becomes a table that is read without parsing.
 */
#include "cli.h"

static void convert_remark(void *context, const char *line)
{
    if (!cli_flag(context, "quiet"))
        fprintf(stderr, "sotto: remark: %s\n", line);
}

sotto_status cli_convert(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    cli own = *c;
    sotto_progress_callback callback = {.remark = convert_remark,
                                        .context = &own};
    sotto_status status = cli_check_own(c, "\x89SOTTO\r\n", "table", error);
    if (status == SOTTO_OK)
        status = sotto_table_convert(c->argument, c->arguments, output,
                                     c->options, &callback, error);
    if (status != SOTTO_OK)
        return status;
    if (cli_flag(c, "json"))
        cli_json_output(output);
    if (!cli_flag(c, "quiet")) {
        cli_wrote(output);
        fprintf(stderr, ": as sensitive as the records; only you may read "
                        "it\n");
    }
    return SOTTO_OK;
}
