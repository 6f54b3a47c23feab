/*
 * sotto plan: what private training would ask and cost, from public
 * quantities alone.
 */
#include "cli.h"

#include <string.h>

void cli_remark_price(const cli *c, double epsilon, double delta)
{
    const char *asked = sotto_options_get(c->options, "epsilon");
    if (cli_flag(c, "quiet") || !asked || !(epsilon > cli_number(asked)))
        return;
    fprintf(stderr,
            "sotto: remark: the paper's noise costs epsilon %s at delta %s, "
            "more than the %s asked for\n",
            sotto_number_print_up(epsilon, 6).text,
            sotto_number_print_up(delta, 6).text, asked);
}

int cli_remarked(const cli *c, const char *words)
{
    sotto_error remark;
    for (int64_t i = 0; sotto_fit_remark(c->options, NULL, i, &remark); i++)
        if (!strcmp(remark.message, words))
            return 1;
    return 0;
}

void cli_remark_options(const cli *c)
{
    sotto_error remark;
    if (cli_flag(c, "quiet"))
        return;
    for (int64_t i = 0; sotto_fit_remark(c->options, NULL, i, &remark); i++)
        fprintf(stderr, "sotto: remark: %s\n", remark.message);
}

void cli_remark_more(const cli *c, const sotto_table *t, int said)
{
    sotto_error remark;
    if (cli_flag(c, "quiet"))
        return;
    for (int64_t i = 0; sotto_fit_remark(c->options, t, i, &remark); i++)
        if (!said || !cli_remarked(c, remark.message))
            fprintf(stderr, "sotto: remark: %s\n", remark.message);
}

/* A number that stands in the statement, whose first keys these are. */
static double plan_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? cli_number(at + strlen(key)) : 0;
}

/* A paper's theorems, of constants alone: nothing is planned. */
static sotto_status plan_theorems(const cli *c, sotto_error *error)
{
    char *text;
    sotto_status status = sotto_theorems(&text, c->options, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        printf("%s\n", text);
    else if (status == SOTTO_OK)
        fputs(text, stdout);
    sotto_text_free(text);
    return status;
}

sotto_status cli_plan(const cli *c, sotto_error *error)
{
    char *text;
    if (sotto_options_get(c->options, "paper"))
        return plan_theorems(c, error);
    sotto_status status = sotto_fit_plan(&text, c->options, error);
    if (status == SOTTO_OK && cli_flag(c, "explain") && cli_flag(c, "json")) {
        printf("{\"explanation\": ");
        cli_json_text(stdout, text);
        printf("}\n");
    } else if (status == SOTTO_OK) {
        printf("%s\n", text);
        cli_remark_options(c);
        cli_remark_price(c, plan_number(text, "\"epsilon\": "),
                         plan_number(text, "\"delta\": "));
    }
    sotto_text_free(text);
    return status;
}
