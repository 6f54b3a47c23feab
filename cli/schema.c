/*
 * sotto schema: writes a schema to fill in, from the header of a data file.
 */
#include "cli.h"

#include <string.h>
#include <sys/stat.h>

static void schema_hint(const char *output)
{
    cli_wrote(output);
    fprintf(stderr,
            ": fill in what is known without looking at the records\n"
            "  number    \"bounds\": [0, 120], \"missing\": 40\n"
            "  category  \"levels\": [\"f\", \"m\"], \"missing\": \"none\"\n"
            "  target    \"classes\": [\"no\", \"yes\"] or \"bounds\"\n"
            "  weight    \"bounds\": [0, 10];  unit, drop: nothing\n");
}

sotto_status cli_schema(const cli *c, sotto_error *error)
{
    char *template;
    const char *output = sotto_options_get(c->options, "output");
    /* -o must not overwrite a schema that was filled in, nor the data */
    int is_file = output && strcmp(output, "-");
    struct stat status_of;
    if (is_file && !stat(output, &status_of) && S_ISREG(status_of.st_mode))
        return cli_refuse(error, "-o: the file exists; remove it, or give "
                                 "another name");
    sotto_status status =
        sotto_schema_template(&template, c->argument[0], c->options, error);
    if (status != SOTTO_OK)
        return status;
    status = sotto_text_write(output ? output : "-", template, error);
    sotto_text_free(template);
    if (status == SOTTO_OK && is_file && cli_flag(c, "json"))
        cli_json_output(output);
    if (status == SOTTO_OK && is_file && !cli_flag(c, "quiet"))
        schema_hint(output);
    return status;
}
