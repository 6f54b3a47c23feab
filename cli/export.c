/*
 * sotto export: a model as another program's file.
 */
#include "cli.h"

#include <string.h>

/* Classes that LIBLINEAR cannot hold have other names there. */
static void export_remark_labels(const sotto_model *m, const char *text)
{
    const char *low = sotto_model_class(m, 0), *high = sotto_model_class(m, 1);
    double value;
    for (int k = 0; sotto_model_classes(m) > 2 && sotto_model_class(m, k); k++)
        if (!sotto_number_parse(sotto_model_class(m, k), &value)) {
            fprintf(stderr, "sotto: remark: labels 1, 2, ... stand for the "
                            "classes in the order of the model\n");
            return;
        }
    if (!low || sotto_model_classes(m) > 2 || !strstr(text, "\nlabel 1 -1\n") ||
        (!strcmp(low, "-1") && !strcmp(high, "1")))
        return;
    fprintf(stderr, "sotto: remark: label 1 stands for the class \"");
    cli_print_name(stderr, high, 100);
    fprintf(stderr, "\", -1 for \"");
    cli_print_name(stderr, low, 100);
    fprintf(stderr, "\"\n");
}

/* Of a multinomial model LIBLINEAR has no probabilities. */
static void export_remark(const sotto_model *m, const char *text,
                          const char *format)
{
    if (strcmp(format, "liblinear"))
        return;
    export_remark_labels(m, text);
    if (sotto_model_classes(m) > 2 && !sotto_model_one_versus_rest(m))
        fprintf(stderr, "sotto: remark: labels are those of this model; "
                        "probabilities are not: 'liblinear-predict -b 1' "
                        "knows one-versus-rest only, and refuses\n");
}

sotto_status cli_export(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    char *text = NULL;
    const char *format = sotto_options_get(c->options, "format");
    const char *output = sotto_options_get(c->options, "output");
    if (!format)
        return cli_refuse(error, "expected --format liblinear or --format sql");
    sotto_status status = cli_json_check(c, error);
    if (status == SOTTO_OK)
        status = cli_check_output(c, error);
    if (status == SOTTO_OK)
        status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status = sotto_model_export(&text, model, format, error);
    if (status == SOTTO_OK)
        status = sotto_text_write(output, text, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        cli_json_output(output);
    if (status == SOTTO_OK && !cli_flag(c, "quiet"))
        export_remark(model, text, format);
    sotto_text_free(text);
    sotto_model_free(model);
    return status;
}
