/*
 * sotto federate over a network: what is agreed upon, keys, the coordinator,
 * a party, and how far they are.
 */
#include "cli.h"

#include <signal.h>
#include <sotto_federate.h>
#include <string.h>

static void consortium_log(void *context, const char *line)
{
    (void)context;
    fprintf(stderr, "%s\n", line);
}

/* The hash alone on stdout, so that a script can take it. */
static sotto_status consortium_config(const cli *c, sotto_error *error)
{
    char hash[65], *text = NULL;
    int as_json = cli_flag(c, "json");
    sotto_status status =
        sotto_federation_describe(c->argument[1], as_json, hash, &text, error);
    if (status == SOTTO_OK && as_json)
        fputs(text, stdout);
    if (status == SOTTO_OK && !as_json) {
        printf("%s\n", hash);
        if (!cli_flag(c, "quiet"))
            fputs(text, stderr);
    }
    sotto_text_free(text);
    return status;
}

static sotto_status consortium_status(const cli *c, sotto_error *error)
{
    char *text = NULL;
    const char *state = sotto_options_get(c->options, "state");
    if (!state)
        return cli_refuse(error, "expected --state FOLDER");
    sotto_status status = sotto_federation_status(
        c->argument[1], state, cli_flag(c, "json"), &text, error);
    if (status == SOTTO_OK)
        fputs(text, stdout);
    sotto_text_free(text);
    return status;
}

static sotto_status consortium_keygen(const cli *c, sotto_error *error)
{
    const char *folder = sotto_options_get(c->options, "output");
    if (!folder || !strcmp(folder, "-"))
        return cli_refuse(error, "expected -o FOLDER, which is made");
    sotto_status status =
        sotto_federation_keygen(c->argument[1], folder, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        cli_json_output(folder);
    if (status == SOTTO_OK && !cli_flag(c, "quiet")) {
        cli_wrote(folder);
        fprintf(stderr,
                ": config.json for all; a folder for each organisation, which "
                "is its secret; authority/, to be kept away\n");
    }
    return status;
}

static void consortium_end(const cli *c, const sotto_model *model)
{
    double epsilon, delta;
    if (cli_flag(c, "json"))
        cli_json_privacy(model);
    if (cli_flag(c, "quiet"))
        return;
    cli_wrote(sotto_options_get(c->options, "output"));
    if (sotto_model_privacy(model, &epsilon, &delta))
        fprintf(stderr,
                "\na whole row, against outsiders and the coordinator: "
                "epsilon %s, delta %s\n",
                sotto_number_print_up(epsilon, 6).text,
                sotto_number_print_up(delta, 6).text);
    else
        fprintf(stderr, "\nNOT PRIVATE: without noise, or with noise that can "
                        "be repeated\n");
}

/* A coordinator has no records, and so nothing to book. */
static sotto_status consortium_set_ledger(const cli *c, sotto_error *error)
{
    const char *data = sotto_options_get(c->options, "data");
    return data && strcmp(data, "-") && strcmp(c->argument[0], "serve")
               ? cli_set_ledger(c, data, error)
               : SOTTO_OK;
}

/* A coordinator, or a party. */
static sotto_status consortium_run(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_log_callback callback = {cli_flag(c, "quiet") ? NULL : consortium_log,
                                   NULL};
    sotto_status status = cli_json_check(c, error);
    if (status == SOTTO_OK)
        status = cli_check_place(c, error);
    if (status == SOTTO_OK)
        status = consortium_set_ledger(c, error);
    signal(SIGPIPE, SIG_IGN); /* it goes on when nobody reads its stderr */
    if (status == SOTTO_OK)
        status = strcmp(c->argument[0], "serve")
                     ? sotto_federation_join(c->argument[1], c->options,
                                             &callback, &model, error)
                     : sotto_federation_serve(c->argument[1], c->options,
                                              &callback, &model, error);
    if (status == SOTTO_OK)
        status = sotto_model_write(
            model, sotto_options_get(c->options, "output"), error);
    if (status == SOTTO_OK)
        consortium_end(c, model);
    sotto_model_free(model);
    return status;
}

sotto_status cli_consortium(const cli *c, sotto_error *error)
{
    static const struct {
        const char *name;
        sotto_status (*run)(const cli *c, sotto_error *error);
    } roles[] = {{"config", consortium_config},
                 {"status", consortium_status},
                 {"keygen", consortium_keygen},
                 {"serve", consortium_run},
                 {"join", consortium_run}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (!strcmp(c->argument[0], roles[i].name))
            return roles[i].run(c, error);
    const char *names[] = {"simulate", "config", "keygen",
                           "serve",    "join",   "status"};
    const char *meant = sotto_nearest(c->argument[0], names, 6);
    return cli_refuse(error,
                      "expected 'sotto federate simulate DATA', or "
                      "config, keygen, serve, join or status with a "
                      "CONFIG%s%s%s",
                      meant ? "; did you mean " : "", meant ? meant : "",
                      meant ? "?" : "");
}
