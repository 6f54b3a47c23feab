/*
 * sotto show: a model for people, its largest weights as bars.
 */
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void show_privacy(const sotto_model *m)
{
    int colours = cli_colours(stdout);
    double epsilon, delta;
    if (sotto_model_privacy(m, &epsilon, &delta)) {
        printf("privacy    epsilon %s, delta %s\n",
               sotto_number_print_up(epsilon, 6).text,
               sotto_number_print_up(delta, 6).text);
        cli_print_unit(stdout, "unit       ", m);
        cli_print_booking(stdout, "ledger     ", m);
        return;
    }
    printf("%sNOT PRIVATE%s: made without noise; it may reveal the records it "
           "was learned from.\n",
           colours ? "\x1b[1;31m" : "", colours ? "\x1b[0m" : "");
}

/* What the model's own numbers say against it. */
static void show_remarks(const sotto_model *m)
{
    sotto_error remark;
    for (int64_t i = 0; sotto_model_remark(m, i, &remark); i++)
        printf("\nremark     %s\n", remark.message);
}

static void show_penalty(const sotto_model *m)
{
    double l1 = sotto_model_setting(m, "l1"), l2 = sotto_model_setting(m, "l2");
    double low = sotto_model_setting(m, "box-low");
    double high = sotto_model_setting(m, "box-high");
    double radius = sotto_model_setting(m, "radius");
    printf("penalty   ");
    if (l1 > 0)
        printf(" l1 %s", sotto_number_print(l1, 6).text);
    if (l2 > 0)
        printf(" l2 %s", sotto_number_print(l2, 6).text);
    double units = sotto_model_setting(m, "penalty-units");
    int penalised = l1 > 0 || l2 > 0;
    if (penalised && !isnan(units))
        printf(units > 1   ? " in units of the columns' spread"
               : units > 0 ? " in the units of the file"
                           : " in the units of the fit");
    const char *between = penalised ? "," : "";
    if (isfinite(low) || isfinite(high))
        printf("%s box [%s, %s] in the units of the fit", between,
               sotto_number_print(low, 6).text,
               sotto_number_print(high, 6).text);
    else if (isfinite(radius))
        printf("%s L1 ball of radius %s in the units of the fit", between,
               sotto_number_print(radius, 6).text);
    else if (!penalised)
        printf(" none");
    printf("\n");
}

static void show_signature(const sotto_model *m)
{
    const char *key = sotto_model_signer(m);
    if (key)
        printf("signature  by the key %.16s (see 'sotto verify')\n", key);
}

/* A class in a list: a name that could be mistaken there is quoted. */
static void show_class(const char *name)
{
    size_t length = strlen(name);
    int quoted = !length || strpbrk(name, ",\"") || name[0] == ' ' ||
                 name[length - 1] == ' ';
    fputs(quoted ? "\"" : "", stdout);
    cli_print_name(stdout, name, SHOW_NAME);
    fputs(quoted ? "\"" : "", stdout);
}

static void show_problem(const sotto_model *m)
{
    printf("loss       %s", sotto_model_loss(m));
    if (sotto_model_setting(m, "huber-delta") > 0)
        printf(
            " (delta %s)",
            sotto_number_print(sotto_model_setting(m, "huber-delta"), 6).text);
    printf("\n");
    show_penalty(m);
    if (sotto_model_setting(m, "scaled-rows") > 0)
        printf("rows       features without bounds are divided by their "
               "common length in each row\n");
    if (sotto_model_classes(m) > 2) {
        printf("classes    %lld, %s\n", (long long)sotto_model_classes(m),
               sotto_model_one_versus_rest(m)
                   ? "each learned against the others; the largest score "
                     "counts"
                   : "learned at once (multinomial); the largest score counts");
        for (int k = 0; k < sotto_model_classes(m) && k < SHOW_CLASSES; k++) {
            printf(k ? ", " : "           ");
            show_class(sotto_model_class(m, k));
        }
        printf(sotto_model_classes(m) > SHOW_CLASSES ? ", ...\n" : "\n");
    } else if (sotto_model_class(m, 0)) {
        printf("classes    ");
        show_class(sotto_model_class(m, 0));
        printf(" (score below 0), ");
        show_class(sotto_model_class(m, 1));
        printf(" (above)\n");
    }
}

/* ---- for programs ---- */

/* , "name": x, where there is such a thing. */
static void show_json_setting(const sotto_model *m, const char *name,
                              const char *key)
{
    cli_json_member(key, sotto_model_setting(m, name));
}

static void show_json_classes(const sotto_model *m)
{
    if (sotto_model_class(m, 0))
        cli_json_classes(m);
    else
        printf(", \"classes\": null");
}

/* All of a model but its columns; infinite bounds are null. */
static void show_json(const sotto_model *m, const show_weight *list,
                      int64_t used)
{
    const char *statement = sotto_model_statement(m);
    printf("{\"not_private\": %s, \"privacy\": %s, \"loss\": \"%s\"",
           statement ? "false" : "true", statement ? statement : "null",
           sotto_model_loss(m));
    show_json_setting(m, "huber-delta", "huber_delta");
    show_json_setting(m, "l1", "l1");
    show_json_setting(m, "l2", "l2");
    show_json_setting(m, "box-low", "box_low");
    show_json_setting(m, "box-high", "box_high");
    show_json_setting(m, "radius", "radius");
    printf(", \"scaled_rows\": %s",
           sotto_model_setting(m, "scaled-rows") > 0 ? "true" : "false");
    show_json_classes(m);
    show_json_weights(m, list, used);
}

static void show_text(const sotto_model *m, const show_weight *list,
                      int64_t used)
{
    show_privacy(m);
    show_signature(m);
    show_problem(m);
    show_weights(m, list, used);
    show_remarks(m);
    if (sotto_model_statement(m))
        printf("\nstatement  %s\n", sotto_model_statement(m));
}

static sotto_status show_spent(const cli *c, sotto_error *error)
{
    char *text;
    sotto_status status =
        sotto_spent_text(&text, c->argument[0], cli_flag(c, "json"), error);
    if (status == SOTTO_OK)
        printf("%s", text);
    sotto_text_free(text);
    return status;
}

/* Its statement is priced again before anybody is shown it. */
static sotto_status show_evaluation(const cli *c, const sotto_evaluation *e,
                                    sotto_error *error)
{
    char *text = NULL;
    sotto_status status = sotto_evaluation_check(e, error);
    if (status == SOTTO_OK && cli_flag(c, "json")) {
        status = sotto_evaluation_text(&text, e, error);
        if (status == SOTTO_OK)
            fputs(text, stdout);
    } else if (status == SOTTO_OK) {
        status = cli_print_evaluation(e, error);
        if (status == SOTTO_OK && sotto_evaluation_statement(e))
            printf("\nstatement  %s\n", sotto_evaluation_statement(e));
    }
    sotto_text_free(text);
    return status;
}

/* So is a model's. */
static sotto_status show_model(const cli *c, const sotto_model *m,
                               sotto_error *error)
{
    int64_t used = 0;
    sotto_status status = sotto_model_check(m, error);
    if (status != SOTTO_OK)
        return status;
    show_weight *list = show_list(m, &used);
    if (!list)
        return cli_memory(error);
    if (cli_flag(c, "json"))
        show_json(m, list, used);
    else
        show_text(m, list, used);
    free(list);
    return SOTTO_OK;
}

sotto_status cli_show(const cli *c, sotto_error *error)
{
    sotto_model *m;
    sotto_evaluation *e;
    size_t length = strlen(c->argument[0]);
    if (length > 6 && !strcmp(c->argument[0] + length - 6, ".spent"))
        return show_spent(c, error);
    sotto_status status = sotto_release_read(&m, &e, c->argument[0], error);
    if (status == SOTTO_OK)
        status = e ? show_evaluation(c, e, error) : show_model(c, m, error);
    sotto_model_free(m);
    sotto_evaluation_free(e);
    return status;
}
