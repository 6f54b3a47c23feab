/*
 * sotto ledger list and show: what is spent and what is left, for people.
 */
#include "ledger.h"

#include <math.h>
#include <string.h>

enum { SHOW_NAME = 28, SHOW_BAR = 24, SHOW_LATEST = 5, SHOW_LINE = 200 };

/* "2.71 of 3 at delta 1e-06", or what is spent where there is no cap. */
static void show_spent(const sotto_dataset *d)
{
    printf("epsilon %s", sotto_number_print_up(d->spent_epsilon, 3).text);
    if (d->has_cap)
        printf(" of %s", sotto_number_print_up(d->cap_epsilon, 6).text);
    printf(" at delta %s", sotto_number_print_up(d->delta, 6).text);
}

/* ---- list ---- */

/* Of the parts of a data set: the one with the most spent. */
static const sotto_dataset *list_fullest(const ledger_sets *s, int64_t from)
{
    const sotto_dataset *fullest = &s->set[from];
    for (int64_t i = from + 1; i < s->count && !ledger_is_next(s, i); i++)
        if (s->set[i].share > fullest->share)
            fullest = &s->set[i];
    return fullest;
}

/* Of a path that is too long the end says more than its beginning. */
static void list_name(const sotto_dataset *d)
{
    size_t length = strlen(d->name);
    const char *at = d->name;
    if (d->is_path && length > SHOW_NAME) {
        at += length - (SHOW_NAME - 2);
        while (((unsigned char)*at & 0xc0) == 0x80)
            at++; /* not inside a UTF-8 sequence */
        printf("..");
    }
    int width = SHOW_NAME - (at > d->name ? 2 : 0);
    int used = cli_print_name(stdout, at, width);
    printf("%*s", used < width ? width - used : 0, "");
}

static void list_line(const ledger_sets *s, int64_t i)
{
    const sotto_dataset *d = list_fullest(s, i);
    list_name(d);
    printf("  %5lld run%s  ", (long long)d->charges,
           d->charges == 1 ? " " : "s");
    show_spent(d);
    if (!d->has_cap)
        printf(", no cap");
    if (d->part) {
        printf(" in part ");
        cli_print_name(stdout, d->part, SHOW_NAME);
        printf(", the fullest");
    }
    printf("; ");
    cli_print_name(stdout, d->unit, SHOW_LINE);
    printf("; %s", d->adjacency);
    if (d->is_path) /* which may have several */
        printf("; id %s", d->id);
    printf("\n");
}

sotto_status ledger_list(ledger_call *l, sotto_error *error)
{
    ledger_sets s;
    sotto_status status = ledger_read(l, &s, NULL, error);
    if (status == SOTTO_OK && cli_flag(l->c, "json"))
        status = ledger_json_sets(l, &s, NULL, error);
    else if (status == SOTTO_OK)
        for (int64_t i = 0; i < s.count; i++)
            if (ledger_is_next(&s, i))
                list_line(&s, i);
    ledger_sets_free(&s);
    return status;
}

/* ---- show: a data set or a part ---- */

/* Nothing spent is no bar, and a full bar is nothing left. */
static void show_bar(const sotto_dataset *d)
{
    int full = (int)floor(d->share * SHOW_BAR);
    full += !full && d->share > 0;
    for (int i = 0; i < SHOW_BAR; i++)
        fputs(i < full ? "\u2588" : "\u2591", stdout);
}

static const char *show_count(double n, char buffer[32])
{
    static const char *const word[] = {
        "no",    "one",   "two",  "three", "four",   "five",  "six",
        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (n >= 0 && n <= 12)
        return word[(int)n];
    snprintf(buffer, 32, "%s", sotto_number_fixed(n, 0).text);
    return buffer;
}

/* What one could still do. */
static void show_left(const sotto_dataset *d)
{
    char buffer[32];
    int had_run = isfinite(d->more_like_last), more = d->more_like_last > 0;
    if (had_run)
        printf("%s more run%s like the last",
               show_count(d->more_like_last, buffer),
               d->more_like_last > 1 ? "s" : "");
    if (d->left_epsilon > 0)
        printf("%sone run of Gaussian answers up to --epsilon %s --delta %s",
               !had_run ? ""
               : more   ? ", or "
                        : ", but ",
               sotto_number_print_down(d->left_epsilon, 3).text,
               sotto_number_print_up(d->delta, 6).text);
    else
        printf("%s", had_run ? ", and no other one" : "nothing");
    printf("\n");
}

static void show_budget(const sotto_dataset *d)
{
    if (d->part) {
        printf("part       ");
        cli_print_name(stdout, d->part, SHOW_LINE);
        printf("\n");
    }
    printf("spent      ");
    if (!d->has_cap) {
        printf("the runs on this %s are what a cap of ",
               d->is_path ? "file" : "data set");
        ledger_print_price(d->spent_epsilon, d->delta);
        printf(" would have let through\n");
        return;
    }
    show_bar(d);
    printf("  ");
    show_spent(d);
    printf(", %s %% of the budget\n",
           sotto_number_fixed(ceil(100 * d->share), 0).text);
    printf("left       ");
    show_left(d);
}

static void show_head(const sotto_dataset *d)
{
    int colours = cli_colours(stdout);
    printf("%s", colours ? "\x1b[1m" : "");
    cli_print_name(stdout, d->name, SHOW_LINE);
    printf("%s\nunit       ", colours ? "\x1b[0m" : "");
    cli_print_name(stdout, d->unit, SHOW_LINE);
    printf("\nneighbours %s\n", d->adjacency);
    if (d->owner) {
        printf("owner      ");
        cli_print_name(stdout, d->owner, SHOW_LINE);
        printf("\n");
    }
    printf("cap        ");
    if (d->has_cap && !d->part) /* caps of parts can be raised one by one */
        ledger_print_price(d->cap_epsilon, d->delta);
    else
        printf("%s", d->part ? "one for each part" : "none");
    printf("; made %s\n", d->created);
}

/* ---- show: all of a data set ---- */

static sotto_status show_runs(ledger_call *l, const sotto_dataset *d,
                              sotto_error *error)
{
    printf("id         %s\nchain      %lld entr%s, head %s\n\n", d->id,
           (long long)d->position, d->position == 1 ? "y" : "ies", d->head);
    sotto_status status = ledger_entries(l, d->id, 0, SHOW_LATEST, 0, error);
    if (status == SOTTO_OK && d->position > SHOW_LATEST)
        printf("  ... and %lld more: sotto ledger history\n",
               (long long)(d->position - SHOW_LATEST));
    return status;
}

static sotto_status show_text(ledger_call *l, const ledger_sets *s,
                              sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < s->count && status == SOTTO_OK; i++) {
        if (ledger_is_next(s, i)) {
            printf("%s", i ? "\n" : "");
            show_head(&s->set[i]);
        }
        show_budget(&s->set[i]);
        if (i + 1 == s->count || ledger_is_next(s, i + 1))
            status = show_runs(l, &s->set[i], error);
    }
    return status;
}

static sotto_status show_json_runs(ledger_call *l, const sotto_dataset *d,
                                   sotto_error *error)
{
    printf(", \"entries\": ");
    return ledger_entries(l, d->id, 0, SHOW_LATEST, 1, error);
}

sotto_status ledger_show(ledger_call *l, sotto_error *error)
{
    ledger_sets s;
    sotto_status status =
        ledger_read(l, &s, sotto_options_get(l->c->options, "dataset"), error);
    if (status == SOTTO_OK && cli_flag(l->c, "json"))
        status = ledger_json_sets(l, &s, show_json_runs, error);
    else if (status == SOTTO_OK)
        status = show_text(l, &s, error);
    ledger_sets_free(&s);
    return status;
}
