/*
 * The entries of a data set of a ledger, as a table.
 */
#include "page.h"

#include <string.h>

static void put_cap(text_buffer *t, const sotto_entry *e)
{
    int raised = !strcmp(e->kind, "raised");
    text_put(t, raised ? "Cap raised" : "Created");
    if (e->cap_epsilon > 0) {
        text_put(t, raised ? " to epsilon " : " with a cap of epsilon ");
        page_number_up(t, e->cap_epsilon, 6);
        text_put(t, " at delta ");
        page_number_up(t, e->delta, 3);
    } else
        text_put(t, " without a cap");
    if (raised)
        text_put(t, ": it now holds for all runs before it, too");
}

/* What for, in which parts, by whom. */
static void put_words(text_buffer *t, const sotto_entry *e)
{
    if (strcmp(e->kind, "charge"))
        put_cap(t, e);
    else if (e->purpose)
        report_escape(t, e->purpose);
    if (e->parts) {
        text_put(t, " <span class=\"soft\">[");
        report_escape(t, e->parts);
        text_put(t, "]</span>");
    }
    if (e->who) {
        text_put(t, " <span class=\"soft\">by ");
        report_escape(t, e->who);
        text_put(t, "</span>");
    }
}

static void put_charge(text_buffer *t, const sotto_entry *e)
{
    if (strcmp(e->kind, "charge")) {
        text_put(t, "<td class=\"n\"></td><td class=\"n\"></td><td></td>");
        return;
    }
    text_put(t, "<td class=\"n\">");
    page_number_up(t, e->mu, 4);
    text_put(t, "</td><td class=\"n\">");
    page_number_up(t, e->delta0, 2);
    text_format(t, "</td><td>%s</td>", e->finished ? "yes" : "no");
}

static int put_entry(void *context, const sotto_entry *e)
{
    text_buffer *t = context;
    text_format(t, "<tr><td class=\"n\">%lld</td><td class=\"w\">",
                (long long)e->position);
    text_add(t, e->time, strnlen(e->time, 10)); /* its date */
    text_put(t, "</td><td>");
    put_words(t, e);
    text_put(t, "</td>");
    put_charge(t, e);
    text_put(t, "</tr>\n");
    return 0;
}

sotto_status page_entries(text_buffer *t, sotto_ledger *ledger,
                          const char *dataset, int64_t most, int64_t all,
                          sotto_error *error)
{
    text_put(t, "<table><caption>What was booked, latest first. A run is "
                "booked before it reads a record.</caption>\n<tr><th "
                "class=\"n\">#</th><th>date</th><th>what for</th><th "
                "class=\"n\">mu</th><th class=\"n\">delta0</th><th>finished"
                "</th></tr>\n");
    sotto_status status =
        sotto_ledger_entries(ledger, dataset, 0, most, put_entry, t, error);
    text_put(t, "</table>\n");
    if (status == SOTTO_OK && all > most)
        text_format(t,
                    "<p class=\"soft\">%lld earlier entries are not on this "
                    "page; <code>sotto ledger history</code> and <code>sotto "
                    "ledger export</code> have them.</p>\n",
                    (long long)(all - most));
    return status;
}
