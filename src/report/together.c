/*
 * What several models cost together: their ledger's total, where one has all of
 * them; the sum of their promises where these are about the same thing; and
 * otherwise why there is no such number.
 *
 * If each of two mechanisms is (epsilon_i, delta_i)-private for the same
 * neighbours, both together are (sum, sum)-private. "The same neighbours" is
 * the unit (its column and how many rows of a person count), the adjacency,
 * and, where parties made a model, of what and against whom it is promised.
 */
#include "account.h"
#include "page.h"

#include <math.h>
#include <string.h>

/* ---- are they about the same thing? ---- */

/* The column of the unit: "" without one, NULL where it is not named. */
static const char *column_of(const json_t *statement)
{
    const json_t *column = json_object_get(statement, "unit_column");
    int enforced =
        !strncmp(page_text(statement, "rows_per_person_is"), "enforced", 8);
    int person = !strcmp(page_text(statement, "unit"), "person");
    if (json_is_string(column))
        return json_string_value(column);
    return person && enforced ? NULL : "";
}

/* Statements of parties of earlier versions do not say it: one. */
static json_int_t rows_of(const json_t *statement)
{
    const json_t *rows = json_object_get(statement, "rows_per_person");
    return rows ? json_integer_value(rows) : 1;
}

/* Whether the statement says whose promise it is, and about what. */
static int says_whose(const json_t *statement)
{
    account_adjacency adjacency;
    const char *unit = page_text(statement, "unit");
    return (!strcmp(unit, "row") || !strcmp(unit, "person")) &&
           column_of(statement) && rows_of(statement) > 0 &&
           account_adjacency_named(page_text(statement, "adjacency"),
                                   &adjacency);
}

static int same_text(const json_t *a, const json_t *b, const char *key)
{
    return !strcmp(page_text(a, key), page_text(b, key));
}

/* Why two promises that say whose they are cannot be added; NULL: they can. */
static const char *why_not(const json_t *a, const json_t *b)
{
    if (!same_text(a, b, "unit"))
        return "Some protect a row, others a person. A promise for one row "
               "says less to a person with k rows: all k of them together "
               "cost up to k times its epsilon, and more of its delta.";
    if (strcmp(column_of(a), column_of(b)))
        return "They tell people apart by different columns, so that they do "
               "not protect the same people.";
    if (rows_of(a) != rows_of(b))
        return "They count on different numbers of rows per person.";
    if (!same_text(a, b, "adjacency"))
        return "Their neighbours differ in different things (adjacency): what "
               "one of them hides is not what the other hides.";
    if (!same_text(a, b, "of") || !same_text(a, b, "against"))
        return "Some were made by parties, and promise nothing against these "
               "parties; others promise it against everybody.";
    return NULL;
}

/* The first reason that there is among all of them, or NULL. */
static const char *why_no_sum(json_t *const *state, int64_t count)
{
    const char *why = NULL;
    for (int64_t i = 0; i < count; i++)
        if (!says_whose(state[i]))
            return "One of them does not name its unit or its adjacency: it "
                   "was made by an earlier version, or by another program.";
    for (int64_t i = 1; i < count && !why; i++)
        why = why_not(state[0], state[i]);
    return why;
}

/* ---- the sum ---- */

/* a + b, or the next double above where it would be rounded down. */
static double add_up(double a, double b)
{
    double sum = a + b, part = sum - a;
    double lost = (a - (sum - part)) + (b - part);
    return lost > 0 ? nextafter(sum, INFINITY) : sum;
}

/* Two runs at one position are of two chains: a copy of the ledger was put
   back. */
static int is_one_chain(json_t *const *state, int64_t count)
{
    int one = 1;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++) {
            const json_t *a = json_object_get(state[i], "ledger");
            const json_t *b = json_object_get(state[j], "ledger");
            int here = json_equal(json_object_get(a, "position"),
                                  json_object_get(b, "position"));
            one &= same_text(a, b, "id") && same_text(a, b, "dataset") &&
                   (!here || same_text(a, b, "head"));
        }
    return one;
}

/*
 * The ledger of the latest run, where all of them are booked under one capped
 * data set without parts, and promise it against everybody; or NULL. Its total
 * is of one chain, so that it counts each of them, and all others.
 */
static const json_t *common_ledger(json_t *const *state, int64_t count)
{
    const json_t *latest = NULL;
    json_int_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        const json_t *ledger = json_object_get(state[i], "ledger");
        json_int_t at = json_integer_value(json_object_get(ledger, "position"));
        if (!*page_text(ledger, "id") || json_object_get(ledger, "parts") ||
            *page_text(state[i], "against") || at < 1)
            return NULL;
        latest = at > most ? ledger : latest;
        most = at > most ? at : most;
    }
    int capped = json_is_number(json_object_get(latest, "cap")) &&
                 json_is_number(json_object_get(latest, "spent_epsilon"));
    return capped && is_one_chain(state, count) ? latest : NULL;
}

/* What the ledger has counted. */
static void put_ledger(text_buffer *t, const json_t *ledger)
{
    text_put(t, "<p>All of them are booked under one data set of one ledger");
    if (*page_text(ledger, "dataset")) {
        text_put(t, ", <strong>");
        report_escape(t, page_text(ledger, "dataset"));
        text_put(t, "</strong>");
    }
    text_put(
        t, ". With the latest of them the total of all its runs, also of those "
           "that are not on this page, is epsilon <strong>");
    page_number_up(
        t, json_number_value(json_object_get(ledger, "spent_epsilon")), 3);
    text_put(t, "</strong> of a cap of epsilon <strong>");
    page_number_up(t, json_number_value(json_object_get(ledger, "cap")), 4);
    text_put(t, "</strong>, at delta <strong>");
    page_number_up(t, json_number_value(json_object_get(ledger, "delta")), 3);
    text_put(t, "</strong>. The cap is what all runs on this data set keep "
                "together, unless it was raised since, or an older copy of the "
                "ledger was put back. So the statements say; <code>sotto "
                "ledger verify</code> compares them with the ledger.</p>\n");
}

/* Data sets of different names may be about the same people. */
static void put_assumed(text_buffer *t, const json_t *statement)
{
    if (!json_is_object(json_object_get(statement, "ledger")))
        text_put(t, "The models do not say which data they were made of. ");
    text_put(t, "It is assumed that they are about the same people");
    if (*column_of(statement)) {
        text_put(t, ", and that \u201c");
        report_escape(t, column_of(statement));
        text_put(t, "\u201d means the same person in all of them");
    } else if (rows_of(statement) > 1)
        text_format(t, ", who have at most %lld rows in the data of each",
                    (long long)rows_of(statement));
    else
        text_put(t, ", and that what is theirs is one row in the data of each");
    text_put(t, "; were some about other people, less would be true.");
    if (*page_text(statement, "against"))
        text_put(t, " It is promised against everybody but the parties of any "
                    "of them.");
}

static void put_sum(text_buffer *t, const sotto_model *const *model,
                    json_t *const *state, int64_t count)
{
    double epsilon = 0, delta = 0;
    for (int64_t i = 0; i < count; i++) {
        epsilon = add_up(epsilon, model[i]->epsilon);
        delta = add_up(delta, model[i]->delta);
    }
    if (!(isfinite(epsilon) && delta < 1)) {
        text_put(t, "<p>Together they promise nothing: their deltas add up to "
                    "1 or more, or their epsilons without end.</p>\n");
        return;
    }
    const json_t *ledger = common_ledger(state, count);
    if (ledger)
        put_ledger(t, ledger);
    text_put(t, ledger ? "<p class=\"soft\">Without the ledger, what is "
                         "promised of all of them together is epsilon <strong>"
                       : "<p>What is promised of all of them together is "
                         "epsilon <strong>");
    page_number_up(t, epsilon, 4);
    text_put(t, "</strong> at delta <strong>");
    page_number_up(t, delta, 3);
    text_put(t, "</strong> (");
    report_escape(t, page_text(state[0], "adjacency"));
    text_put(t, "). The unit is ");
    page_put_unit(t, state[0]);
    text_put(t, ledger ? ". Epsilons are added up there, and so are deltas, "
                         "of the models on this page alone. "
                       : ". Epsilons add up, and so do deltas; <code>sotto "
                         "account</code> can prove a smaller total where noise "
                         "is Gaussian. ");
    put_assumed(t, state[0]);
    text_put(t, "</p>\n");
}

static void put_promise(text_buffer *t, const sotto_model *const *model,
                        json_t *const *state, int64_t count)
{
    int none = 0;
    for (int64_t i = 0; i < count; i++)
        none += !model[i]->statement;
    const char *why = none ? NULL : why_no_sum(state, count);
    if (none)
        text_format(t,
                    "<div class=\"card bad\" role=\"alert\"><p class=\"big\">"
                    "NOT PRIVATE</p><p>%d of these models %s no promise at "
                    "all. Whoever has all of them has no promise "
                    "either.</p></div>\n",
                    none, none == 1 ? "makes" : "make");
    else if (why)
        text_format(t,
                    "<p><strong>These promises are not added up.</strong> %s "
                    "What they cost together is more than each of them says, "
                    "and cannot be said in one number: keep a list of "
                    "them.</p>\n",
                    why);
    else
        put_sum(t, model, state, count);
}

/* ---- the table ---- */

static void put_row(text_buffer *t, const sotto_model *m, const char *name,
                    const json_t *statement, int64_t number)
{
    text_format(t, "<tr><td><a href=\"#m%lld\">", (long long)number);
    report_escape(t, name);
    text_put(t, "</a>");
    if (!m->statement) {
        text_put(t, "</td><td class=\"n\" colspan=\"2\"><strong>NOT PRIVATE"
                    "</strong></td></tr>\n");
        return;
    }
    text_put(t, "<br><span class=\"soft\">");
    page_put_unit(t, statement);
    text_put(t, "; ");
    report_escape(t, page_text(statement, "adjacency"));
    text_put(t, "</span></td><td class=\"n\">");
    page_number_up(t, m->epsilon, 4);
    text_put(t, "</td><td class=\"n\">");
    page_number_up(t, m->delta, 3);
    text_put(t, "</td></tr>\n");
}

void page_together(text_buffer *t, const sotto_model *const *model,
                   const char *const *name, json_t *const *state, int64_t count)
{
    text_put(t, "<table><caption>The models of this page, and whom each "
                "protects</caption><tr><th>model</th><th class=\"n\">epsilon"
                "</th><th class=\"n\">delta</th></tr>\n");
    for (int64_t i = 0; i < count; i++)
        put_row(t, model[i], name[i], state[i], i + 1);
    text_put(t, "</table>\n");
    put_promise(t, model, state, count);
}
