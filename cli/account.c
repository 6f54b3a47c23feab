/*
 * sotto account: prices of event lists, calibration, the papers' formulas.
 */
#include "cli.h"

#include <math.h>
#include <string.h>

static const char *account_option(const cli *c, const char *name)
{
    return sotto_options_get(c->options, name);
}

/* The number of an option that is set; it was checked when it was. */
static double account_number(const cli *c, const char *name)
{
    const char *text = account_option(c, name);
    return text ? cli_number(text) : NAN;
}

/* NAME=X in --set, or a standard. */
static double account_setting(const cli *c, const char *name, double standard)
{
    const char *at = account_option(c, "set");
    size_t length = strlen(name);
    for (; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (!strncmp(at, name, length) && at[length] == '=')
            return cli_number(at + length + 1);
    return standard;
}

/* Rounded up: a printed price is still an upper bound. */
static void account_show(const char *name, double x)
{
    printf("%-12s %s\n", name, sotto_number_print_up(x, 6).text);
}

/* How long the number is that the text starts with; 0: it starts with none. */
static size_t account_number_at(const char *text)
{
    static const char digits[] = "0123456789";
    size_t length = strspn(text, digits);
    if (!length)
        return 0;
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, digits);
    size_t sign = text[length] == 'e' && strchr("+-", text[length + 1]);
    size_t exponent =
        text[length] == 'e' ? strspn(text + length + 1 + sign, digits) : 0;
    return exponent ? length + 1 + sign + exponent : length;
}

/* A list of events with each number in as few digits as read back the same. */
static void account_show_events(const char *text)
{
    printf("%-12s ", "events");
    while (*text) {
        char number[64];
        double x;
        size_t length = account_number_at(text);
        snprintf(number, sizeof number, "%.*s", (int)length, text);
        if (length && length < sizeof number && strpbrk(number, ".e") &&
            sotto_number_parse(number, &x))
            fputs(sotto_number_exact(x).text, stdout);
        else
            printf("%.*s", (int)(length ? length : 1), text);
        text += length ? length : 1;
    }
    printf("\n");
}

static void account_show_price(const cli *c, const sotto_price *price,
                               const char *text)
{
    account_show_events(text);
    printf("%-12s %s\n", "adjacency", account_option(c, "adjacency"));
    account_show("epsilon", price->epsilon);
    account_show("delta", price->delta);
    printf("%-12s %s\n", "method", price->method);
    if (price->note)
        printf("%-12s %s\n", "note", price->note);
}

static void account_json_item(const char *name, double x, const char *end)
{
    printf("  \"%s\": ", name);
    cli_json_number(stdout, x);
    printf("%s\n", end);
}

static void account_json_price(const cli *c, const sotto_price *price,
                               const char *text)
{
    printf("  \"events\": ");
    cli_json_text(stdout, text);
    printf(",\n  \"adjacency\": \"%s\",\n", account_option(c, "adjacency"));
    account_json_item("epsilon", price->epsilon, ",");
    account_json_item("delta", price->delta, ",");
    printf("  \"method\": ");
    cli_json_text(stdout, price->method);
    if (price->note) {
        printf(",\n  \"note\": ");
        cli_json_text(stdout, price->note);
    }
}

/* delta(0) as the share of right guesses in a 50:50 membership test. */
static sotto_status account_guess(const sotto_events *events, double *out,
                                  sotto_error *error)
{
    sotto_price zero;
    sotto_status status = sotto_events_delta(events, 0, &zero, error);
    *out = (1 + zero.delta) / 2;
    return status;
}

/* Both rounded up: delta is not larger at a larger epsilon. */
static void account_curve_line(double epsilon, double delta)
{
    printf("%-12s %s\n", sotto_number_print_up(epsilon, 5).text,
           sotto_number_print_up(delta, 5).text);
}

static sotto_status account_curve(const sotto_events *events, int json,
                                  double epsilon, sotto_error *error)
{
    printf(json ? ",\n  \"curve\": [" : "\n%-12s delta\n", "epsilon");
    double top = fmax(fmin(epsilon * 1.6, 500), .1);
    for (int i = 0; i <= 16; i++) {
        sotto_price at;
        double e = top * i / 16;
        sotto_status status = sotto_events_delta(events, e, &at, error);
        if (status != SOTTO_OK)
            return status;
        if (json)
            printf("%s[%s, %s]", i ? ", " : "", sotto_number_print(e, 17).text,
                   sotto_number_print(at.delta, 17).text);
        else
            account_curve_line(e, at.delta);
    }
    printf(json ? "]" : "");
    return SOTTO_OK;
}

static sotto_status account_save(const cli *c, const sotto_events *events,
                                 sotto_error *error)
{
    char *json;
    const char *path = account_option(c, "save");
    if (!path)
        return SOTTO_OK;
    sotto_status status = sotto_events_json(&json, events, error);
    if (status != SOTTO_OK)
        return status;
    status = sotto_text_write(path, json, error);
    sotto_text_free(json);
    return status;
}

/* What is printed for a list and its price; z is NaN when there is none. */
static sotto_status account_report(const cli *c, const sotto_events *events,
                                   const sotto_price *price, double z,
                                   sotto_error *error)
{
    char *text;
    double guess, repeated = NAN;
    int json = cli_flag(c, "json");
    sotto_status status = account_guess(events, &guess, error);
    if (status == SOTTO_OK && account_option(c, "repeat"))
        status = sotto_events_repeated(events, "geometric",
                                       account_number(c, "repeat"),
                                       price->delta, &repeated, error);
    if (status == SOTTO_OK)
        status = sotto_events_text(&text, events, error);
    if (status != SOTTO_OK)
        return status;
    if (json) {
        printf("{\n");
        if (!isnan(z))
            account_json_item("z", z, ",");
        if (!isnan(repeated))
            account_json_item("repeated_epsilon", repeated, ",");
        account_json_item("guess", guess, ",");
        account_json_price(c, price, text);
    } else {
        if (!isnan(z))
            account_show("z", z);
        account_show_price(c, price, text);
        account_show("guess", guess);
        if (!isnan(repeated))
            account_show("repeated", repeated);
    }
    sotto_text_free(text);
    if (cli_flag(c, "curve"))
        status = account_curve(events, json, price->epsilon, error);
    printf(json ? "\n}\n" : "");
    return status;
}

static sotto_status account_calibrate(const cli *c, sotto_error *error)
{
    sotto_events *events;
    sotto_price price;
    double z;
    sotto_calibration target = {.plan = account_option(c, "calibrate"),
                                .settings = account_option(c, "set"),
                                .adjacency = account_option(c, "adjacency"),
                                .in_order = cli_flag(c, "in-order"),
                                .draws = account_number(c, "draws"),
                                .epsilon = account_number(c, "epsilon"),
                                .delta = account_number(c, "delta")};
    if (isnan(target.epsilon) || isnan(target.delta))
        return cli_refuse(error, "--calibrate: expected --epsilon and --delta");
    sotto_status status =
        sotto_events_calibrate(&events, &target, &z, &price, error);
    if (status != SOTTO_OK)
        return status;
    status = account_save(c, events, error);
    if (status == SOTTO_OK)
        status = account_report(c, events, &price, z, error);
    sotto_events_free(events);
    return status;
}

/* What the options say about a list. */
static void account_declare(const cli *c, sotto_events *events)
{
    if (cli_flag(c, "in-order"))
        sotto_events_in_order(events, 1);
    if (account_number(c, "draws") > 0)
        sotto_events_draws(events, account_number(c, "draws"));
}

/* Joined lists are in order where the file's list is and --in-order says so
   of the others, too. */
sotto_status cli_events(const cli *c, const char *adjacency, sotto_events **out,
                        sotto_error *error)
{
    sotto_events *file = NULL, *plan = NULL;
    sotto_status status = SOTTO_OK;
    if (account_option(c, "event"))
        status = sotto_events_plan(&plan, account_option(c, "event"),
                                   account_option(c, "set"), adjacency, error);
    if (status == SOTTO_OK && account_option(c, "events"))
        status = sotto_events_read(&file, account_option(c, "events"), error);
    if (status == SOTTO_OK)
        account_declare(c, plan ? plan : file);
    if (status == SOTTO_OK && file && plan)
        status =
            sotto_events_append(file, plan, cli_flag(c, "in-order"), error);
    *out = file ? file : plan;
    if (file)
        sotto_events_free(plan);
    return status == SOTTO_OK ? sotto_events_ask(*out, adjacency, error)
                              : status;
}

static sotto_status account_price(const cli *c, sotto_error *error)
{
    sotto_events *events;
    sotto_price price;
    double epsilon = account_number(c, "epsilon");
    double delta = account_number(c, "delta");
    if (isnan(epsilon) == isnan(delta))
        return cli_refuse(error, "expected --delta D or --epsilon E: the other "
                                 "one is the answer");
    sotto_status status =
        cli_events(c, account_option(c, "adjacency"), &events, error);
    if (status == SOTTO_OK)
        status = isnan(delta)
                     ? sotto_events_delta(events, epsilon, &price, error)
                     : sotto_events_epsilon(events, delta, &price, error);
    if (status == SOTTO_OK)
        status = account_save(c, events, error);
    if (status == SOTTO_OK)
        status = account_report(c, events, &price, NAN, error);
    sotto_events_free(events);
    return status;
}

/* The rest of an object: what a paper is called, and what it says. */
static void account_json_paper(const sotto_paper *paper)
{
    printf("\"name\": ");
    cli_json_text(stdout, paper->name);
    printf(", \"formula\": ");
    cli_json_text(stdout, paper->formula);
    printf(", \"guarantee\": ");
    cli_json_text(stdout, paper->guarantee);
    printf("}");
}

static void account_papers(int json)
{
    printf(json ? "{\"papers\": [" : "");
    for (int64_t i = 0; sotto_paper_at(i); i++)
        if (json) {
            printf(i ? ",\n  {" : "\n  {");
            account_json_paper(sotto_paper_at(i));
        } else
            printf("%-11s %s\n%-11s %s\n", sotto_paper_at(i)->name,
                   sotto_paper_at(i)->formula, "",
                   sotto_paper_at(i)->guarantee);
    printf(json ? "\n]}\n" : "");
}

static void account_multiplier(const sotto_paper *paper, double multiplier,
                               int json)
{
    if (json) {
        printf("{\"multiplier\": ");
        cli_json_number(stdout, multiplier);
        printf(", ");
        account_json_paper(paper);
        printf("\n");
        return;
    }
    account_show("multiplier", multiplier);
    printf("%-12s %s\n%-12s %s\n", "formula", paper->formula, "guarantee",
           paper->guarantee);
}

static sotto_status account_paper(const cli *c, sotto_error *error)
{
    const char *name = account_option(c, "paper");
    int json = cli_flag(c, "json");
    double multiplier;
    if (!strcmp(name, "list")) {
        account_papers(json);
        return SOTTO_OK;
    }
    sotto_status status = sotto_paper_multiplier(
        name, account_setting(c, "T", NAN), account_setting(c, "q", NAN),
        account_number(c, "epsilon"), account_number(c, "delta"), &multiplier,
        error);
    for (int64_t i = 0; status == SOTTO_OK && sotto_paper_at(i); i++)
        if (!strcmp(sotto_paper_at(i)->name, name))
            account_multiplier(sotto_paper_at(i), multiplier, json);
    return status;
}

sotto_status cli_account(const cli *c, sotto_error *error)
{
    int lists = account_option(c, "event") || account_option(c, "events");
    if (account_option(c, "paper"))
        return account_paper(c, error);
    if (!account_option(c, "adjacency"))
        return cli_refuse(error, "--adjacency: expected add-remove, "
                                 "replace-one or zero-out; see 'sotto help "
                                 "account'");
    if (lists == !!account_option(c, "calibrate"))
        return cli_refuse(error, "expected --event, --events or --calibrate; "
                                 "see 'sotto help account'");
    return lists ? account_price(c, error) : account_calibrate(c, error);
}
