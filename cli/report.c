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

/* The files: models, and evaluations of them. */
typedef struct report_files {
    sotto_model **model;
    sotto_evaluation **evaluation;
    const char **model_name, **evaluation_name;
    int64_t models, evaluations;
} report_files;

static sotto_status report_read(report_files *f, const char *path,
                                sotto_error *error)
{
    sotto_model **model = &f->model[f->models];
    sotto_evaluation **evaluation = &f->evaluation[f->evaluations];
    sotto_status status = sotto_release_read(model, evaluation, path, error);
    if (*evaluation)
        f->evaluation_name[f->evaluations++] = report_name(path);
    else if (*model)
        f->model_name[f->models++] = report_name(path);
    return status;
}

static int report_make_room(report_files *f, size_t count)
{
    f->model = calloc(count, sizeof *f->model);
    f->evaluation = calloc(count, sizeof *f->evaluation);
    f->model_name = calloc(count, sizeof *f->model_name);
    f->evaluation_name = calloc(count, sizeof *f->evaluation_name);
    return f->model && f->evaluation && f->model_name && f->evaluation_name;
}

static void report_free(report_files *f)
{
    for (int64_t i = 0; i < f->models; i++)
        sotto_model_free(f->model[i]);
    for (int64_t i = 0; i < f->evaluations; i++)
        sotto_evaluation_free(f->evaluation[i]);
    free(f->model);
    free(f->evaluation);
    free(f->model_name);
    free(f->evaluation_name);
}

static sotto_status report_page(char **page, const report_files *f,
                                sotto_error *error)
{
    return sotto_report_evaluated(
        page, (const sotto_model *const *)f->model, f->model_name, f->models,
        (const sotto_evaluation *const *)f->evaluation, f->evaluation_name,
        f->evaluations, error);
}

sotto_status cli_report(const cli *c, sotto_error *error)
{
    report_files f = {0};
    char *page = NULL;
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status = report_make_room(&f, (size_t)c->arguments)
                              ? cli_json_check(c, error)
                              : cli_memory(error);
    if (status == SOTTO_OK)
        status = cli_check_own(c, "<!DOCTYPE html>", "page", error);
    for (int i = 0; i < c->arguments && status == SOTTO_OK; i++)
        status = report_read(&f, c->argument[i], error);
    if (status == SOTTO_OK)
        status = report_page(&page, &f, error);
    if (status == SOTTO_OK)
        status = sotto_text_write(output, page, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        cli_json_output(output);
    if (status == SOTTO_OK && !cli_flag(c, "quiet") && strcmp(output, "-")) {
        cli_wrote(output);
        fprintf(stderr, ": open it in a browser\n");
    }
    sotto_text_free(page);
    report_free(&f);
    return status;
}
