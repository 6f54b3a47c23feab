/*
 * sotto schema: a template from the header of a data file.
 */
#include "cli.h"

sotto_status cli_schema(const cli *c, sotto_error *error)
{
    char *template;
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status =
        sotto_schema_template(&template, c->argument[0], c->options, error);
    if (status != SOTTO_OK)
        return status;
    status = sotto_text_write(output ? output : "-", template, error);
    sotto_text_free(template);
    if (status == SOTTO_OK && output && !cli_flag(c, "quiet"))
        fprintf(stderr,
                "wrote %s: fill in the bounds from what is known without "
                "looking at the records\n",
                output);
    return status;
}
