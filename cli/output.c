/*
 * Where a verb writes to: what would fail after long work, or lose what was
 * paid for, is refused before it.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the output is there and is this input; "-" is stdin. */
static int cli_is_input(const char *output, const char *input)
{
    struct stat first, second;
    int is_stdin = input && !strcmp(input, "-");
    return input && !stat(output, &first) && S_ISREG(first.st_mode) &&
           !(is_stdin ? fstat(0, &second) : stat(input, &second)) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The folder that a file is in. */
static void cli_folder(const char *path, char out[4096])
{
    char *real = realpath(path, NULL); /* where a link leads */
    snprintf(out, 4096, "%s", real ? real : path);
    free(real);
    char *slash = strrchr(out, '/');
    if (slash)
        slash[slash == out] = 0;
    else
        snprintf(out, 4096, ".");
}

/* What a file must not be replaced by accident for, or NULL. */
static const char *cli_is_precious(const char *path)
{
    static const struct {
        const char *begins, *what;
    } known[] = {{"SQLite format 3", "a ledger"}, {"sotto-ed25519-", "a key"}};
    char first[16] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t got = fread(first, 1, sizeof first - 1, file);
    fclose(file);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (got >= strlen(known[i].begins) &&
            !memcmp(first, known[i].begins, strlen(known[i].begins)))
            return known[i].what;
    return NULL;
}

/* It is written to, and not replaced, wherever it leads. */
static int cli_is_stream(const char *output)
{
    struct stat about;
    return !strcmp(output, "-") ||
           (!strncmp(output, "/dev/", 5) &&
            (stat(output, &about) || !S_ISREG(about.st_mode)));
}

sotto_status cli_check_place(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    const char *plan = sotto_options_get(c->options, "schema");
    char folder[4096];
    struct stat status;
    if (!output)
        return cli_refuse(error, "expected -o FILE (- is stdout)");
    int is_input = cli_is_input(output, plan);
    for (int i = 0; i < c->arguments; i++)
        is_input |= cli_is_input(output, c->argument[i]);
    if (is_input)
        return cli_refuse(error, "-o: this is a file to be read; expected "
                                 "another name");
    int there = !stat(output, &status);
    if (cli_is_stream(output) ||
        (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return SOTTO_OK;
    const char *precious =
        there && S_ISREG(status.st_mode) ? cli_is_precious(output) : NULL;
    if (precious)
        return cli_refuse(error, "-o: this file is %s; expected another name",
                          precious);
    cli_folder(output, folder);
    if ((there && S_ISDIR(status.st_mode)) ||
        output[strlen(output) - 1] == '/' || access(folder, W_OK | X_OK)) {
        error->status = SOTTO_FAILED;
        snprintf(error->message, sizeof error->message,
                 "-o: expected the name of a file, in a folder that is there "
                 "and can be written to");
        return SOTTO_FAILED;
    }
    return SOTTO_OK;
}

/* A model or an evaluation, as sotto writes them; either is NULL otherwise. */
static int cli_is_release(const char *path, sotto_model **model,
                          sotto_evaluation **evaluation)
{
    sotto_error ignored;
    FILE *file = fopen(path, "rb");
    int first = file ? getc(file) : EOF;
    *model = NULL;
    *evaluation = NULL;
    if (file)
        fclose(file);
    return first == '{' &&
           sotto_release_read(model, evaluation, path, &ignored) == SOTTO_OK;
}

/* What would be lost with the file that is there. */
static sotto_status cli_check_old(const char *output, int only_release,
                                  sotto_error *error)
{
    sotto_model *model;
    sotto_evaluation *evaluation;
    double epsilon, delta;
    int is_release = cli_is_release(output, &model, &evaluation);
    int is_private =
        evaluation ? sotto_evaluation_privacy(evaluation, &epsilon, &delta)
        : model    ? sotto_model_privacy(model, &epsilon, &delta)
                   : 0;
    sotto_status status = SOTTO_OK;
    if (is_private)
        status = cli_refuse(error,
                            "-o: this file is a private %s, whose privacy is "
                            "paid for; remove it, or give another name",
                            evaluation ? "evaluation" : "model");
    else if (only_release && !is_release)
        status = cli_refuse(error, "-o: the file that is there is no model; "
                                   "remove it, or give another name");
    sotto_model_free(model);
    sotto_evaluation_free(evaluation);
    return status;
}

/* Whether there is a file with something in it. */
static int cli_is_filled(const char *output)
{
    struct stat about;
    return !cli_is_stream(output) && !stat(output, &about) &&
           S_ISREG(about.st_mode) && about.st_size > 0;
}

static sotto_status cli_check_both(const cli *c, int only_release,
                                   sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status = cli_check_place(c, error);
    return status == SOTTO_OK && cli_is_filled(output)
               ? cli_check_old(output, only_release, error)
               : status;
}

static int cli_begins(const char *path, const char *begins)
{
    char first[32];
    size_t length = strlen(begins);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t got = fread(first, 1, length, file);
    fclose(file);
    return got == length && !memcmp(first, begins, length);
}

sotto_status cli_check_own(const cli *c, const char *begins, const char *what,
                           sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status = cli_check_output(c, error);
    if (status != SOTTO_OK || !cli_is_filled(output) ||
        cli_begins(output, begins))
        return status;
    return cli_refuse(error,
                      "-o: the file that is there is no %s of sotto; remove "
                      "it, or give another name",
                      what);
}

sotto_status cli_check_output(const cli *c, sotto_error *error)
{
    return cli_check_both(c, 0, error);
}

sotto_status cli_check_release(const cli *c, sotto_error *error)
{
    return cli_check_both(c, 1, error);
}

sotto_status cli_write_model(const cli *c, const sotto_model *m,
                             sotto_error *error)
{
    sotto_booking booking;
    const char *output = sotto_options_get(c->options, "output");
    sotto_status status = sotto_model_write(m, output, error);
    if (status != SOTTO_OK && sotto_model_statement(m))
        cli_add_spent(error, sotto_model_booking(m, &booking));
    return status;
}
