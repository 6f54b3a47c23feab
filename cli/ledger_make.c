/*
 * sotto ledger create, raise, export and backup: what makes something.
 */
#include "ledger_call.h"

#include <string.h>

/* ---- create ---- */

/* An option of a command line, as a shell reads it. */
static void make_word(const char *option, const char *word)
{
    char quoted[1024];
    size_t n = 0;
    for (const char *at = word; *at && n < sizeof quoted - 8; at++) {
        const char *one = *at == '\'' ? "'\\''" : (char[2]){*at, 0};
        memcpy(quoted + n, one, strlen(one));
        n += strlen(one);
    }
    quoted[n] = 0;
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789-_./,:@%+";
    const char *quote = word[strspn(word, plain)] ? "'" : "";
    printf(" --%s %s", option, quote);
    cli_print_name(stdout, quoted, sizeof quoted);
    printf("%s", quote);
}

/* What a run of this data set is started with. */
static void make_train(const ledger_call *l, const sotto_dataset *d)
{
    static const char *const same[] = {"adjacency", "unit-column",
                                       "rows-per-person", "parts"};
    printf("to train   sotto train DATA");
    if (!l->own)
        make_word("ledger", l->path);
    make_word("dataset", d->name);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char *value = ledger_option(l, same[i]);
        if (value && value != sotto_option_named(same[i])->default_value)
            make_word(same[i], value);
    }
    printf("%s ...\n", d->part ? " --bad-rows drop" : "");
}

static void make_text(const ledger_call *l, const ledger_sets *s)
{
    const sotto_dataset *d = &s->set[0];
    printf("made       ");
    cli_print_name(stdout, d->name, 200);
    printf(" in ");
    cli_print_name(stdout, l->path, 1000);
    printf("\ncap        ");
    if (d->has_cap) {
        ledger_print_price(d->cap_epsilon, d->delta);
        printf(": all runs together keep it%s",
               d->part ? ", in each part" : "");
    } else
        printf("none: runs are counted, and none is refused");
    printf("\nunit       ");
    cli_print_name(stdout, d->unit, 200);
    printf("\nneighbours %s\n", d->adjacency);
    for (int64_t i = 0; d->part && i < s->count; i++) {
        printf(i ? ", " : "parts      ");
        cli_print_name(stdout, s->set[i].part, 200);
    }
    printf("%s", d->part ? "\n" : "");
    make_train(l, d);
}

sotto_status ledger_create(ledger_call *l, sotto_error *error)
{
    ledger_sets s = {0};
    sotto_status status = cli_set_who(l->c, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_create(l->path, l->c->options, error);
    if (status == SOTTO_OK)
        status = ledger_read(l, &s, ledger_option(l, "dataset"), error);
    if (status == SOTTO_OK && cli_flag(l->c, "json"))
        status = ledger_json_sets(l, &s, NULL, error);
    else if (status == SOTTO_OK && !cli_flag(l->c, "quiet"))
        make_text(l, &s);
    ledger_sets_free(&s);
    return status;
}

/* ---- raise ---- */

static void make_raised(const sotto_dataset *before, const sotto_dataset *now)
{
    if (before->cap_epsilon == now->cap_epsilon && before->delta == now->delta)
        return; /* a part whose cap stays */
    cli_print_name(stdout, now->name, 200);
    if (now->part) {
        printf(", part ");
        cli_print_name(stdout, now->part, 200);
    }
    printf(": the cap was ");
    ledger_print_price(before->cap_epsilon, before->delta);
    printf(" and is ");
    ledger_print_price(now->cap_epsilon, now->delta);
    printf("\n");
}

sotto_status ledger_raise(ledger_call *l, sotto_error *error)
{
    ledger_sets before, now = {0};
    const char *name = ledger_option(l, "dataset");
    sotto_status status = ledger_pick(l, &before, error);
    if (status == SOTTO_OK && !name)
        status = sotto_options_set(l->c->options, "dataset", before.set[0].id,
                                   error);
    if (status == SOTTO_OK)
        status = cli_set_who(l->c, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_raise(l->open, l->c->options, error);
    if (status == SOTTO_OK)
        status = ledger_read(l, &now, ledger_option(l, "dataset"), error);
    if (status == SOTTO_OK && cli_flag(l->c, "json"))
        status = ledger_json_sets(l, &now, NULL, error);
    else if (status == SOTTO_OK && !cli_flag(l->c, "quiet")) {
        for (int64_t i = 0; i < now.count && i < before.count; i++)
            make_raised(&before.set[i], &now.set[i]);
        printf("The new cap now holds for all runs before it, too: nobody is "
               "promised the old one any more.\n");
    }
    ledger_sets_free(&before);
    ledger_sets_free(&now);
    return status;
}

/* ---- export and backup ---- */

/* Before long work; the ledger itself is no place to write to. */
static sotto_status make_check(const ledger_call *l, sotto_error *error)
{
    const char *read[] = {l->path};
    cli files = *l->c;
    files.argument = read;
    files.arguments = 1;
    sotto_status status = cli_json_check(&files, error);
    return status == SOTTO_OK ? cli_check_output(&files, error) : status;
}

static sotto_status make_done(const ledger_call *l, sotto_status status,
                              const char *hint)
{
    const char *output = ledger_option(l, "output");
    if (status == SOTTO_OK && cli_flag(l->c, "json"))
        cli_json_output(output);
    if (status == SOTTO_OK && !cli_flag(l->c, "quiet") && strcmp(output, "-")) {
        cli_wrote(output);
        fprintf(stderr, "%s\n", hint);
    }
    return status;
}

/* By --format, or by the name of the file; NULL: neither says it. */
static const char *make_format(const ledger_call *l)
{
    static const char *const known[] = {"json", "csv", "html"};
    const char *format = ledger_option(l, "format");
    const char *output = ledger_option(l, "output");
    const char *dot = strrchr(output, '.');
    const char *said = format ? format : dot ? dot + 1 : "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(said, known[i]))
            return known[i];
    return NULL;
}

sotto_status ledger_export(ledger_call *l, sotto_error *error)
{
    char *text = NULL;
    sotto_status status = make_check(l, error);
    if (status != SOTTO_OK)
        return status;
    const char *format = make_format(l);
    const char *dataset = ledger_option(l, "dataset");
    int page = format && !strcmp(format, "html");
    if (!format)
        return cli_refuse(error, "expected -o FILE that ends in .json, .csv or "
                                 ".html, or one of them as --format");
    status = sotto_ledger_open(&l->open, l->path, error);
    if (status == SOTTO_OK)
        status =
            page ? sotto_ledger_page(&text, l->open, dataset, error)
                 : sotto_ledger_export(&text, l->open, dataset, format, error);
    if (status == SOTTO_OK)
        status = cli_write_secret(ledger_option(l, "output"), text, error);
    sotto_text_free(text);
    return make_done(l, status, page ? ": open it in a browser" : "");
}

sotto_status ledger_backup(ledger_call *l, sotto_error *error)
{
    sotto_status status = make_check(l, error);
    const char *output = ledger_option(l, "output");
    if (status == SOTTO_OK && !strcmp(output, "-"))
        status = cli_refuse(error, "-o: expected the name of a file");
    if (status == SOTTO_OK)
        status = sotto_ledger_open(&l->open, l->path, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_backup(l->open, output, error);
    return make_done(l, status, "");
}
