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

/* Its date, its parts, by whom; what depends on the records comes last. */
static void put_details(text_buffer *t, const sotto_entry *e)
{
    text_add(t, e->time, strnlen(e->time, 10)); /* its date */
    if (e->who) {
        text_put(t, ", by ");
        report_escape(t, e->who);
    }
    if (e->parts) {
        text_put(t, "; ");
        report_escape(t, e->parts);
    }
    if (!strcmp(e->kind, "charge") && !e->finished)
        text_put(t, "; did not finish");
}

static void put_number(text_buffer *t, int is_charge, double x, int digits)
{
    text_put(t, "<td class=\"n\">");
    if (is_charge)
        page_number_up(t, x, digits);
    text_put(t, "</td>");
}

static int put_entry(void *context, const sotto_entry *e)
{
    text_buffer *t = context;
    int is_charge = !strcmp(e->kind, "charge");
    text_format(t, "<tr><td class=\"n\">%lld</td><td>", (long long)e->position);
    if (is_charge)
        report_escape(t, e->purpose ? e->purpose : "A run");
    else
        put_cap(t, e);
    text_put(t, "<br><span class=\"soft\">");
    put_details(t, e);
    text_put(t, "</span></td>");
    put_number(t, is_charge, e->mu, 4);
    put_number(t, is_charge, e->delta0, 2);
    text_put(t, "</tr>\n");
    return 0;
}

sotto_status page_entries(text_buffer *t, sotto_ledger *ledger,
                          const char *dataset, int64_t most, int64_t all,
                          sotto_error *error)
{
    text_put(t, "<table><caption>What was booked, latest first. A run is "
                "booked before it reads a record.</caption>\n<tr><th "
                "class=\"n\">#</th><th>what for</th><th class=\"n\">mu</th><th "
                "class=\"n\">delta0</th></tr>\n");
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
