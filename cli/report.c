/*
 * sotto report: models as one page, for people.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The file's name without its folders: the page need not tell them. */
static const char *report_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

sotto_status cli_report(const cli *c, sotto_error *error)
{
    size_t count = (size_t)c->arguments;
    sotto_model **model = calloc(count, sizeof *model);
    const char **name = calloc(count, sizeof *name);
    char *page = NULL;
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status =
        model && name ? cli_json_check(c, error) : cli_memory(error);
    if (status == SOTTO_OK)
        status = cli_check_output(c, error);
    for (int i = 0; i < c->arguments && status == SOTTO_OK; i++) {
        status = sotto_model_read(&model[i], c->argument[i], error);
        name[i] = report_name(c->argument[i]);
    }
    if (status == SOTTO_OK)
        status = sotto_report(&page, (const sotto_model *const *)model, name,
                              c->arguments, error);
    if (status == SOTTO_OK)
        status = sotto_text_write(output, page, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        cli_json_output(output);
    if (status == SOTTO_OK && !cli_flag(c, "quiet") && strcmp(output, "-")) {
        cli_wrote(output);
        fprintf(stderr, ": open it in a browser\n");
    }
    sotto_text_free(page);
    for (int i = 0; model && i < c->arguments; i++)
        sotto_model_free(model[i]);
    free(model);
    free(name);
    return status;
}
