/*
 * sotto export: a model as another program's file.
 */
#include "cli.h"

sotto_status cli_export(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    char *text = NULL;
    const char *format = sotto_options_get(c->options, "format");
    const char *output = sotto_options_get(c->options, "output");
    if (!format)
        return cli_refuse(error, "expected --format liblinear");
    sotto_status status = cli_check_output(c, c->argument[0], error);
    if (status == SOTTO_OK)
        status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status = sotto_model_export(&text, model, format, error);
    if (status == SOTTO_OK)
        status = sotto_text_write(output, text, error);
    sotto_text_free(text);
    sotto_model_free(model);
    return status;
}
