/*
 * sotto ledger history: the entries of a data set, latest first, by pages.
 */
#include "ledger.h"

#include <string.h>

enum { HISTORY_PAGE = 50, HISTORY_WHO = 12, HISTORY_TEXT = 60 };

typedef struct history {
    int json;
    int64_t printed;
} history;

/* ---- an entry ---- */

static void history_heading(void)
{
    printf("  %5s  %-16s  %-*s  %-9s  %-9s  %-8s  %s\n", "entry", "time (UTC)",
           HISTORY_WHO, "who", "mu", "delta0", "finished", "what for");
}

static void history_who(const char *who)
{
    int used = cli_print_name(stdout, who ? who : "-", HISTORY_WHO);
    printf("%*s", used < HISTORY_WHO ? HISTORY_WHO - used : 0, "");
}

static void history_cap(const sotto_entry *e)
{
    int raised = !strcmp(e->kind, "raised");
    printf("%s", raised ? "cap raised" : "created");
    if (e->cap_epsilon > 0) {
        printf("%s", raised ? " to " : " with a cap of ");
        ledger_print_price(e->cap_epsilon, e->delta);
    } else
        printf(" without a cap");
    printf("%s", raised ? ", also for all runs before it" : "");
}

static void history_line(const sotto_entry *e)
{
    int charge = !strcmp(e->kind, "charge");
    printf("  %5lld  %.16s  ", (long long)e->position, e->time);
    history_who(e->who);
    printf("  %-9s  %-9s  %-8s  ",
           charge ? sotto_number_print_up(e->mu, 4).text : "-",
           charge ? sotto_number_print_up(e->delta0, 2).text : "-",
           !charge       ? "-"
           : e->finished ? "yes"
                         : "no");
    if (!charge)
        history_cap(e);
    else
        cli_print_name(stdout, e->purpose ? e->purpose : "-", HISTORY_TEXT);
    if (e->parts) {
        printf(" [");
        cli_print_name(stdout, e->parts, HISTORY_TEXT);
        printf("]");
    }
    printf("\n");
}

static void history_json(const sotto_entry *e)
{
    int charge = !strcmp(e->kind, "charge");
    printf("{\"position\": %lld", (long long)e->position);
    ledger_json_text("kind", e->kind);
    ledger_json_text("time", e->time);
    ledger_json_text("who", e->who);
    ledger_json_text("purpose", e->purpose);
    ledger_json_text("parts", e->parts);
    ledger_json_text("run", e->run);
    ledger_json_text("plan", e->plan);
    if (charge) {
        cli_json_member("mu", e->mu);
        cli_json_member("delta0", e->delta0);
        cli_json_member("draws", e->draws);
        printf(", \"finished\": %s", e->finished ? "true" : "false");
    } else {
        cli_json_member("cap_epsilon", e->cap_epsilon);
        cli_json_member("delta", e->delta);
    }
    ledger_json_text("head", e->head);
    printf("}");
}

static int history_take(void *context, const sotto_entry *e)
{
    history *h = context;
    if (h->json) {
        printf("%s", h->printed ? ",\n    " : "\n    ");
        history_json(e);
    } else {
        if (!h->printed)
            history_heading();
        history_line(e);
    }
    h->printed++;
    return 0;
}

sotto_status ledger_entries(ledger_call *l, const char *dataset, int64_t skip,
                            int64_t most, int json, sotto_error *error)
{
    history h = {.json = json};
    printf(json ? "[" : "");
    sotto_status status = sotto_ledger_entries(l->open, dataset, skip, most,
                                               history_take, &h, error);
    printf(json ? "]" : "");
    return status;
}

/* ---- a page of them ---- */

static sotto_status history_page(ledger_call *l, const sotto_dataset *d,
                                 int64_t page, int64_t pages,
                                 sotto_error *error)
{
    int json = cli_flag(l->c, "json");
    if (json) {
        printf("{\"not_for_release\": true, \"ledger\": ");
        cli_json_text(stdout, l->path);
        ledger_json_text("dataset", d->name);
        printf(", \"page\": %lld, \"pages\": %lld, \"entries\": ",
               (long long)page, (long long)pages);
    } else {
        cli_print_name(stdout, d->name, 4 * HISTORY_TEXT);
        printf(": %lld entr%s, latest first, page %lld of %lld\n\n",
               (long long)d->position, d->position == 1 ? "y" : "ies",
               (long long)page, (long long)pages);
    }
    sotto_status status = ledger_entries(l, d->id, (page - 1) * HISTORY_PAGE,
                                         HISTORY_PAGE, json, error);
    if (json)
        printf("}\n");
    else if (status == SOTTO_OK && page < pages)
        printf("\n--page %lld has the entries before these\n",
               (long long)page + 1);
    return status;
}

sotto_status ledger_history(ledger_call *l, sotto_error *error)
{
    ledger_sets s;
    int64_t page =
        (int64_t)cli_number(sotto_options_get(l->c->options, "page"));
    sotto_status status = ledger_pick(l, &s, error);
    if (status == SOTTO_OK) {
        int64_t pages = (s.set[0].position + HISTORY_PAGE - 1) / HISTORY_PAGE;
        status = page > pages ? cli_refuse(error, "--page: expected 1 to %lld",
                                           (long long)pages)
                              : history_page(l, &s.set[0], page, pages, error);
    }
    ledger_sets_free(&s);
    return status;
}
