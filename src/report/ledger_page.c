/*
 * One page for a ledger: whether it is whole, then for each data set what is
 * promised, what is spent, and what was booked.
 */
#include "account.h"
#include "ledger.h"
#include "page.h"

#include <math.h>
#include <string.h>

enum { LEDGER_PAGE_MOST = 100 }; /* entries of a data set */

/* ---- which data sets there are ---- */

typedef struct set_list {
    char (*id)[LEDGER_ID];
    int64_t count;
    text_buffer contents; /* a row of a table for each */
    int failed;
} set_list;

static void put_spent(text_buffer *t, const sotto_dataset *d)
{
    text_put(t, "<span class=\"w\">epsilon ");
    page_number_up(t, d->spent_epsilon, 3);
    if (d->has_cap) {
        text_put(t, " of ");
        page_number_up(t, d->cap_epsilon, 6);
    }
    text_put(t, "</span>");
}

static void put_contents(set_list *s, const sotto_dataset *d)
{
    text_buffer *t = &s->contents;
    text_format(t, "<tr><td><a href=\"#d%lld\">", (long long)s->count);
    report_escape(t, d->name);
    text_put(t, "</a><br><span class=\"soft\">");
    report_escape(t, d->unit);
    text_put(t, "; ");
    report_escape(t, d->adjacency);
    text_format(t, "</span></td><td class=\"n\">%lld</td><td>",
                (long long)d->charges);
    if (d->part)
        text_put(t, "by parts");
    else
        put_spent(t, d);
    text_put(t, d->has_cap ? "" : ", no cap");
    text_put(t, "</td></tr>\n");
}

/* Parts of one data set come one after the other. */
static int take_set(void *context, const sotto_dataset *d)
{
    set_list *s = context;
    if (s->count && !strcmp(s->id[s->count - 1], d->id))
        return 0;
    void *more = mem_resize(s->id, (size_t)s->count + 1, sizeof *s->id);
    if (!more) {
        s->failed = 1;
        return 1;
    }
    s->id = more;
    snprintf(s->id[s->count++], LEDGER_ID, "%s", d->id);
    put_contents(s, d);
    return 0;
}

/* ---- one data set ---- */

/* Where its parts are put, one after the other. */
typedef struct set_page {
    text_buffer *t, facts; /* what comes after the parts */
    int64_t number;        /* of the data set, from 1 on */
    int64_t position;      /* of its last entry */
    int begun;
} set_page;

/*
 * Of 100 guesses at even odds, in how many one can be right who has whatever
 * the cap lets through (Lemma L1: its whole profile, so that of epsilon 0).
 * Draws of noise take less than delta, and without them the cap is no smaller.
 */
static double most_guessed(const sotto_dataset *d)
{
    account_total all;
    double most = 1 - (1 - d->delta) / (1 + exp(d->cap_epsilon));
    if (account_cap(&all, d->cap_epsilon, d->delta, 0, NULL) == SOTTO_OK)
        most = fmin(most, (1 + account_total_delta(&all, 0) + d->delta) / 2);
    return 100 * most;
}

static const char whoever[] =
    ": of those below, and of those to come, whoever chooses them and whatever "
    "they have seen before.";

static void put_promise(text_buffer *t, const sotto_dataset *d)
{
    text_put(t, "<div class=\"card\"><p class=\"big\">epsilon ");
    page_number_up(t, d->cap_epsilon, 6);
    text_put(t, ", <span class=\"w\">delta ");
    page_number_up(t, d->delta, 3);
    text_format(t,
                "</span></p>\n<p>This is promised of all runs together%s "
                "Somebody who has everything that came out tries to tell "
                "whether one of those who are protected %s. Nobody can be "
                "right in more than <strong>",
                whoever, page_difference_of(d->adjacency));
    page_number_up(t, most_guessed(d), 3);
    text_put(t, " of 100</strong> cases; blind guesses are right in "
                "50.</p></div>\n");
}

/* Caps can be raised one by one: what they are is told at the bars. */
static void put_promises(text_buffer *t)
{
    text_format(t,
                "<div class=\"card\"><p class=\"big\">A cap for each part"
                "</p>\n<p>What is promised of a record is the cap of the part "
                "that it belongs to. It is promised of all runs together%s"
                "</p></div>\n",
                whoever);
}

static void put_no_promise(text_buffer *t, const sotto_dataset *d)
{
    text_format(t,
                "<div class=\"card\"><p class=\"big\">No cap</p>\n<p>The runs "
                "on this %s are what a cap of epsilon <strong>",
                d->is_path ? "file" : "data set");
    page_number_up(t, d->spent_epsilon, 3);
    text_put(t, "</strong> at delta <strong>");
    page_number_up(t, d->delta, 3);
    text_put(t, "</strong> would have let through. That is no promise of all "
                "of them together: nothing stops the next run. <code>sotto "
                "ledger create</code> makes a data set with a cap.</p></div>"
                "\n");
}

static void put_fact(text_buffer *t, const char *name, const char *value)
{
    if (!value)
        return;
    text_format(t, "<tr><th>%s</th><td>", name);
    report_escape(t, value);
    text_put(t, "</td></tr>\n");
}

static void put_facts(text_buffer *t, const sotto_dataset *d)
{
    text_put(t, "<table><caption>The data set</caption>\n");
    put_fact(t, "Who is protected", d->unit);
    put_fact(t, "Adjacency", d->adjacency);
    put_fact(t, "Who answers for it", d->owner);
    put_fact(t, "Made", d->created);
    text_format(t, "<tr><th>Runs</th><td>%lld", (long long)d->charges);
    if (d->unfinished)
        text_format(t,
                    ", of which %lld did not finish; they count all the "
                    "same",
                    (long long)d->unfinished);
    text_put(t, "</td></tr>\n");
    put_fact(t, "Id", d->id);
    put_fact(t, "Head of the chain", d->head);
    text_put(t, "</table>\n");
}

/* ---- the bar of a part ---- */

static void put_left(text_buffer *t, const sotto_dataset *d)
{
    int had_run = isfinite(d->more_like_last);
    text_put(t, "Left: ");
    if (had_run)
        text_format(t, "%s more run%s like the last",
                    sotto_number_fixed(d->more_like_last, 0).text,
                    d->more_like_last == 1 ? "" : "s");
    if (d->left_epsilon > 0) {
        text_put(t, had_run ? ", or one of Gaussian answers up to epsilon "
                            : "one run of Gaussian answers up to epsilon ");
        page_number_down(t, d->left_epsilon, 3);
    } else
        text_put(t, had_run ? "; no other one fits" : "nothing");
    text_put(t, ".");
}

static void put_bar(text_buffer *t, const sotto_dataset *d)
{
    double share = fmin(fmax(d->share, 0), 1);
    text_put(t, "<figure><p>");
    if (d->part) {
        text_put(t, "<strong>");
        report_escape(t, d->part);
        text_put(t, "</strong>: ");
    }
    put_spent(t, d);
    text_put(t, " at delta ");
    page_number_up(t, d->delta, 3);
    text_format(t,
                ", %s %% of the budget</p>\n<svg class=\"bar\" viewBox=\"0 0 "
                "700 20\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                "<rect class=\"room\" width=\"700\" height=\"20\"/>",
                sotto_number_fixed(ceil(100 * share), 0).text);
    if (share > 0)
        text_format(t, "<rect class=\"plus\" width=\"%s\" height=\"20\"/>",
                    PAGE_AT(fmax(700 * share, 2)));
    text_put(t, "</svg>\n<figcaption>");
    put_left(t, d);
    text_put(t, "</figcaption></figure>\n");
}

static void put_begin(set_page *p, const sotto_dataset *d)
{
    text_format(p->t, "<section id=\"d%lld\">\n<h2>", (long long)p->number);
    report_escape(p->t, d->name);
    text_put(p->t, "</h2>\n");
    if (d->has_cap && d->part)
        put_promises(p->t);
    else if (d->has_cap)
        put_promise(p->t, d);
    else
        put_no_promise(p->t, d);
    put_facts(&p->facts, d);
    p->begun = 1;
}

static int put_part(void *context, const sotto_dataset *d)
{
    set_page *p = context;
    if (!p->begun)
        put_begin(p, d);
    if (d->has_cap)
        put_bar(p->t, d);
    p->position = d->position;
    return 0;
}

static sotto_status put_set(text_buffer *t, sotto_ledger *ledger,
                            const char *id, int64_t number, sotto_error *error)
{
    set_page p = {.t = t, .number = number};
    sotto_status status =
        sotto_ledger_datasets(ledger, id, put_part, &p, error);
    text_put(t, p.facts.data ? p.facts.data : "");
    t->failed |= p.facts.failed;
    text_free(&p.facts);
    text_put(t, "<h3>The runs</h3>\n");
    if (status == SOTTO_OK)
        status =
            page_entries(t, ledger, id, LEDGER_PAGE_MOST, p.position, error);
    text_put(t, "</section>\n");
    return status;
}

/* ---- the page ---- */

/* A ledger that is not right gets a page that says so. */
static sotto_status put_verified(text_buffer *t, sotto_ledger *ledger,
                                 sotto_error *error)
{
    int64_t entries = 0;
    sotto_error found = {SOTTO_OK, ""};
    sotto_status status = sotto_ledger_verify(ledger, &entries, &found);
    if (status == SOTTO_OK) {
        text_format(t,
                    "<p><strong>Verified:</strong> the chains of hashes and "
                    "the sums of all %lld entries were checked from the "
                    "beginning when this page was made.</p>\n",
                    (long long)entries);
        return SOTTO_OK;
    }
    if (status != SOTTO_PRIVACY)
        return error_set(error, status, "%s", found.message);
    text_put(t, "<div class=\"card bad\" role=\"alert\"><p class=\"big\">NOT "
                "VERIFIED</p>\n<p>");
    report_escape(t, found.message);
    text_put(t, ".</p>\n<p>Somebody or something has changed this ledger. "
                "Nothing on this page can be relied upon.</p></div>\n");
    return SOTTO_OK;
}

static const char not_covered[] =
    "<h2>What is not covered</h2>\n<p>A cap is about one data set of one "
    "ledger. People whose records are in two data sets, or in copies of a "
    "file that are booked elsewhere, have the sum of both. Runs with <code "
    "class=\"w\">--ledger none</code> are in no ledger. Bounds that somebody "
    "took "
    "from the records, and how long a run took, are not covered either.</p>\n"
    "<p><strong>Not for release.</strong> This page is for those who may see "
    "the ledger: whether a run finished may depend on the records.</p>\n";

static sotto_status put_page(text_buffer *t, sotto_ledger *ledger,
                             const set_list *sets, sotto_error *error)
{
    page_begin(t, "A privacy ledger",
               "What was spent of the privacy of these data");
    sotto_status status = put_verified(t, ledger, error);
    if (sets->count > 1) {
        text_put(t, "<table><caption>The data sets</caption><tr><th>data set"
                    "</th><th class=\"n\">runs</th><th>spent</th></tr>\n");
        text_put(t, sets->contents.data ? sets->contents.data : "");
        text_put(t, "</table>\n");
    } else if (!sets->count)
        text_put(t, "<p>There is no data set in it yet.</p>\n");
    for (int64_t i = 0; i < sets->count && status == SOTTO_OK; i++)
        status = put_set(t, ledger, sets->id[i], i + 1, error);
    text_put(t, not_covered);
    page_end(t, "the ledger");
    return status == SOTTO_OK && t->failed ? error_memory(error) : status;
}

sotto_status sotto_ledger_page(char **out, sotto_ledger *ledger,
                               const char *dataset_or_null, sotto_error *error)
{
    text_buffer t = {0};
    set_list sets = {0};
    *out = NULL;
    sotto_status status =
        sotto_ledger_datasets(ledger, dataset_or_null, take_set, &sets, error);
    if (sets.failed || sets.contents.failed)
        status = error_memory(error);
    if (status == SOTTO_OK)
        status = put_page(&t, ledger, &sets, error);
    mem_free(sets.id);
    text_free(&sets.contents);
    if (status == SOTTO_OK)
        *out = t.data;
    else
        text_free(&t);
    return status;
}
