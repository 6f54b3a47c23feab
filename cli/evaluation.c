/*
 * sotto evaluate --epsilon: how good a model is, as numbers that may be
 * published.
 */
#include "cli.h"

#include <string.h>

sotto_status cli_print_evaluation(const sotto_evaluation *e, sotto_error *error)
{
    char *words;
    double epsilon, delta;
    if (sotto_evaluation_privacy(e, &epsilon, &delta))
        printf("private    epsilon %s, delta %s\n\n",
               sotto_number_print_up(epsilon, 6).text,
               sotto_number_print_up(delta, 6).text);
    else
        printf("NOT PRIVATE: with noise that can be repeated\n\n");
    sotto_status status = sotto_evaluation_words(&words, e, error);
    if (status == SOTTO_OK)
        fputs(words, stdout);
    sotto_text_free(words);
    return status;
}

/* What is told when the file is where it belongs. */
static sotto_status evaluation_tell(const cli *c, const sotto_evaluation *e,
                                    const char *text, sotto_error *error)
{
    sotto_booking booking;
    sotto_status status = SOTTO_OK;
    int there = !strcmp(sotto_options_get(c->options, "output"), "-");
    if (!there && cli_flag(c, "json"))
        fputs(text, stdout);
    else if (!there)
        status = cli_print_evaluation(e, error);
    if (status != SOTTO_OK || cli_flag(c, "quiet"))
        return status;
    cli_wrote(sotto_options_get(c->options, "output"));
    fprintf(stderr, sotto_evaluation_statement(e)
                        ? ": an evaluation, as releasable as a private model\n"
                        : ": an evaluation with noise that can be repeated: "
                          "NOT PRIVATE\n");
    cli_print_booked(stderr, "",
                     sotto_evaluation_booking(e, &booking) ? &booking : NULL);
    cli_remark_counts(c);
    return SOTTO_OK;
}

static sotto_status evaluation_check(const cli *c, sotto_error *error)
{
    if (!sotto_options_get(c->options, "output") &&
        !sotto_options_get(c->options, "delta"))
        return cli_refuse(error,
                          "a private evaluation needs more than --epsilon: "
                          "expected --delta D, well below 1 / rows, and -o "
                          "FILE, too");
    sotto_status status = cli_set_ledger(c, c->argument[1], error);
    if (status == SOTTO_OK)
        status = cli_check_release(c, error);
    if (status == SOTTO_OK)
        status = cli_json_check(c, error);
    return status;
}

static sotto_status evaluation_write(const cli *c, const sotto_evaluation *e,
                                     char **text, sotto_error *error)
{
    sotto_booking booking;
    sotto_status status = sotto_evaluation_text(text, e, error);
    if (status == SOTTO_OK)
        status = sotto_text_write(sotto_options_get(c->options, "output"),
                                  *text, error);
    if (status != SOTTO_OK && sotto_evaluation_statement(e))
        cli_add_spent(error, sotto_evaluation_booking(e, &booking));
    return status;
}

/* Two prices add up where somebody is in both files. Only the owner knows. */
static void remark_dataset(const cli *c, const sotto_model *model)
{
    sotto_booking was;
    const char *now = sotto_options_get(c->options, "dataset");
    if (cli_flag(c, "quiet") || !sotto_model_booking(model, &was) ||
        !*was.dataset || (now && !strcmp(now, was.dataset)))
        return;
    fprintf(stderr, "sotto: remark: the model was trained under data set \"");
    cli_print_name(stderr, was.dataset, 1000);
    fprintf(stderr, "\", and this run is booked elsewhere: if anybody is in "
                    "both, give --ledger FILE --dataset NAME of that one, so "
                    "that the two prices are added up\n");
}

/* At a rank that is not the first: reads and answers, and writes nothing. */
static sotto_status evaluation_follow(const cli *c, const sotto_model *model,
                                      sotto_error *error)
{
    sotto_evaluation *e = NULL;
    sotto_status status = sotto_evaluation_make(
        &e, model, c->argument + 1, c->arguments - 1, c->options, error);
    sotto_evaluation_free(e);
    return status;
}

sotto_status cli_evaluate_privately(const cli *c, const sotto_model *model,
                                    sotto_error *error)
{
    sotto_evaluation *e = NULL;
    char *text = NULL;
    const char *output = sotto_options_get(c->options, "output");
    if (!cli_ranks_is_root())
        return evaluation_follow(c, model, error);
    sotto_status status = evaluation_check(c, error);
    if (status == SOTTO_OK) {
        remark_dataset(c, model);
        cli_remark_options(c);
    }
    if (status == SOTTO_OK)
        status = sotto_evaluation_make(&e, model, c->argument + 1,
                                       c->arguments - 1, c->options, error);
    if (status == SOTTO_OK)
        status = evaluation_write(c, e, &text, error);
    if (status == SOTTO_OK && sotto_evaluation_statement(e))
        status = sotto_evaluation_settle(e, output, error);
    if (status == SOTTO_OK)
        status = evaluation_tell(c, e, text, error);
    sotto_text_free(text);
    sotto_evaluation_free(e);
    return status;
}
