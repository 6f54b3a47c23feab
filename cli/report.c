/*
 * sotto report: models as one page, for people.
 */
#include "cli.h"

#include <string.h>

/* The file's name without its folders: those are nobody's business. */
static const char *report_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

sotto_status cli_report(const cli *c, sotto_error *error)
{
    sotto_model *model[CLI_MOST_ARGUMENTS] = {NULL};
    const char *name[CLI_MOST_ARGUMENTS];
    char *page = NULL;
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status = cli_json_check(c, error);
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
        fprintf(stderr, "wrote ");
        cli_print_name(stderr, output, 1000);
        fprintf(stderr, ": open it in a browser\n");
    }
    sotto_text_free(page);
    for (int i = 0; i < c->arguments; i++)
        sotto_model_free(model[i]);
    return status;
}
