/*
 * sotto ledger: what a ledger says about its data sets, copied, so that the
 * ledger can be asked more while they are printed.
 */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

/* ---- copies ---- */

static void sets_keep(ledger_sets *s, const char **text)
{
    if (*text && !(*text = strdup(*text)))
        s->failed = 1;
}

static void sets_free_one(sotto_dataset *d)
{
    free((char *)d->name);
    free((char *)d->id);
    free((char *)d->owner);
    free((char *)d->unit);
    free((char *)d->adjacency);
    free((char *)d->part);
    free((char *)d->created);
    free((char *)d->head);
}

void ledger_sets_free(ledger_sets *s)
{
    for (int64_t i = 0; i < s->count; i++)
        sets_free_one(&s->set[i]);
    free(s->set);
    *s = (ledger_sets){0};
}

static int sets_take(void *context, const sotto_dataset *d)
{
    ledger_sets *s = context;
    sotto_dataset *more =
        realloc(s->set, ((size_t)s->count + 1) * sizeof *more);
    if (!more) {
        s->failed = 1;
        return 1;
    }
    s->set = more;
    sotto_dataset *copy = &s->set[s->count++];
    *copy = *d;
    sets_keep(s, &copy->name);
    sets_keep(s, &copy->id);
    sets_keep(s, &copy->owner);
    sets_keep(s, &copy->unit);
    sets_keep(s, &copy->adjacency);
    sets_keep(s, &copy->part);
    sets_keep(s, &copy->created);
    sets_keep(s, &copy->head);
    return s->failed;
}

sotto_status ledger_read(ledger_call *l, ledger_sets *out, const char *name,
                         sotto_error *error)
{
    *out = (ledger_sets){0};
    sotto_status status =
        l->open ? SOTTO_OK : sotto_ledger_open(&l->open, l->path, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_datasets(l->open, name, sets_take, out, error);
    if (out->failed)
        status = cli_memory(error);
    return status;
}

/* ---- which of them ---- */

int ledger_is_next(const ledger_sets *s, int64_t i)
{
    return i == 0 || strcmp(s->set[i].id, s->set[i - 1].id) != 0;
}

sotto_status ledger_pick(ledger_call *l, ledger_sets *out, sotto_error *error)
{
    const char *name = sotto_options_get(l->c->options, "dataset");
    sotto_status status = ledger_read(l, out, name, error);
    int64_t different = 0;
    for (int64_t i = 0; i < out->count; i++)
        different += ledger_is_next(out, i);
    if (status == SOTTO_OK && !different)
        return cli_refuse(error, "the ledger has no data set yet; 'sotto "
                                 "ledger create' makes one");
    if (status == SOTTO_OK && different > 1)
        return cli_refuse(error,
                          "--dataset: expected the %s of one of the data sets "
                          "that 'sotto ledger list' prints",
                          name ? "id" : "name");
    return status;
}

/* ---- for programs ---- */

void ledger_json_text(const char *key, const char *text)
{
    printf(", \"%s\": ", key);
    if (text)
        cli_json_text(stdout, text);
    else
        printf("null");
}

static void sets_json_price(const sotto_dataset *d)
{
    if (d->has_cap)
        cli_json_member("cap_epsilon", d->cap_epsilon);
    else
        printf(", \"cap_epsilon\": null");
    cli_json_member("delta", d->delta);
    cli_json_member("spent_epsilon", d->spent_epsilon);
    cli_json_member("share", d->share);
    cli_json_member("left_epsilon", d->left_epsilon);
    cli_json_member("more_like_last", d->more_like_last);
}

static void sets_json_one(const sotto_dataset *d)
{
    printf("\"name\": ");
    cli_json_text(stdout, d->name);
    printf(", \"is_path\": %s", d->is_path ? "true" : "false");
    ledger_json_text("id", d->id);
    ledger_json_text("part", d->part);
    ledger_json_text("owner", d->owner);
    ledger_json_text("unit", d->unit);
    ledger_json_text("adjacency", d->adjacency);
    ledger_json_text("created", d->created);
    sets_json_price(d);
    printf(", \"charges\": %lld, \"unfinished\": %lld, \"position\": %lld",
           (long long)d->charges, (long long)d->unfinished,
           (long long)d->position);
    ledger_json_text("head", d->head);
}

sotto_status ledger_json_sets(ledger_call *l, const ledger_sets *s,
                              ledger_more more, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    printf("{\"not_for_release\": true, \"ledger\": ");
    cli_json_text(stdout, l->path);
    printf(", \"datasets\": [");
    for (int64_t i = 0; i < s->count && status == SOTTO_OK; i++) {
        printf(i ? ",\n  {" : "\n  {");
        sets_json_one(&s->set[i]);
        if (more)
            status = more(l, &s->set[i], error);
        printf("}");
    }
    printf("]}\n");
    return status;
}

void ledger_print_price(double epsilon, double delta)
{
    printf("epsilon %s at delta %s", sotto_number_print_up(epsilon, 6).text,
           sotto_number_print_up(delta, 6).text);
}
