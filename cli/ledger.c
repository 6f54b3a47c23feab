/*
 * sotto ledger: one budget for a data set, over all runs. The actions, and
 * which options each of them takes.
 */
#include "ledger.h"

#include <string.h>

typedef struct ledger_action {
    const char *name;
    const char *options; /* beside those that all take */
    int plans;           /* takes what `sotto plan` takes, too */
    int takes_models;
    sotto_status (*run)(ledger_call *l, sotto_error *error);
} ledger_action;

#define LEDGER_ALL " ledger json quiet "
#define LEDGER_LISTS " event events set in-order draws "

static const ledger_action ledger_actions[] = {
    {"create",
     " dataset owner epsilon delta adjacency unit-column rows-per-person "
     "part-column parts public-parts ",
     0, 0, ledger_create},
    {"raise", " dataset parts epsilon delta ", 0, 0, ledger_raise},
    {"list", "", 0, 0, ledger_list},
    {"show", " dataset ", 0, 0, ledger_show},
    {"history", " dataset page ", 0, 0, ledger_history},
    {"quote", " dataset parts runs " LEDGER_LISTS, 1, 0, ledger_quote},
    {"verify", "", 0, 1, ledger_verify},
    {"export", " dataset output format ", 0, 0, ledger_export},
    {"backup", " output ", 0, 0, ledger_backup},
};
enum { LEDGER_ACTIONS = sizeof ledger_actions / sizeof *ledger_actions };

static const ledger_action *ledger_find(const char *name, sotto_error *error)
{
    const char *names[LEDGER_ACTIONS];
    for (int i = 0; i < LEDGER_ACTIONS; i++) {
        names[i] = ledger_actions[i].name;
        if (!strcmp(name, names[i]))
            return &ledger_actions[i];
    }
    const char *meant = sotto_nearest(name, names, LEDGER_ACTIONS);
    (void)cli_refuse(error,
                     "'sotto ledger' does one of create, raise, list, show, "
                     "history, quote, verify, export, backup%s%s%s; see 'sotto "
                     "help ledger'",
                     meant ? " (did you mean " : "", meant ? meant : "",
                     meant ? "?)" : "");
    return NULL;
}

static int ledger_has_word(const char *words, const char *name)
{
    char word[48];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(words, word) != NULL;
}

/* Events that are listed are the whole run: nothing of a training is asked
   then but its neighbours. */
static int ledger_takes(const ledger_action *a, const ledger_call *l,
                        const sotto_option *o)
{
    int lists = ledger_option(l, "event") || ledger_option(l, "events");
    if (ledger_has_word(LEDGER_ALL, o->name) ||
        ledger_has_word(a->options, o->name))
        return 1;
    if (a->plans && lists)
        return !strcmp(o->name, "adjacency");
    return a->plans && cli_takes(cli_find_verb("plan"), o);
}

/* An option that would be left aside is refused. */
static sotto_status ledger_check(const ledger_action *a, const ledger_call *l,
                                 sotto_error *error)
{
    if (l->c->arguments && !a->takes_models)
        return cli_refuse(error, "usage: sotto ledger %s [OPTIONS]", a->name);
    for (int64_t i = 0; sotto_option_at(i); i++) {
        const sotto_option *o = sotto_option_at(i);
        const char *value = sotto_options_get(l->c->options, o->name);
        if (value && value != o->default_value && !ledger_takes(a, l, o))
            return cli_refuse(error,
                              "'sotto ledger %s' does not use --%s%s; see "
                              "'sotto help ledger'",
                              a->name, o->name,
                              a->plans ? " where the events are listed" : "");
    }
    return SOTTO_OK;
}

/* What --ledger says, or the user's own. */
static sotto_status ledger_path(ledger_call *l, sotto_error *error)
{
    const char *given = ledger_option(l, "ledger");
    if (given && !strcmp(given, "none"))
        return cli_refuse(error, "--ledger: expected a file");
    if (!given)
        return sotto_ledger_own(&l->own, error);
    l->path = given;
    return SOTTO_OK;
}

sotto_status cli_ledger(const cli *c, sotto_error *error)
{
    cli rest = *c;
    rest.argument++;
    rest.arguments--;
    ledger_call l = {.c = &rest};
    const ledger_action *action = ledger_find(c->argument[0], error);
    if (!action)
        return SOTTO_USAGE;
    sotto_status status = ledger_check(action, &l, error);
    if (status == SOTTO_OK)
        status = ledger_path(&l, error);
    if (l.own)
        l.path = l.own;
    if (status == SOTTO_OK)
        status = action->run(&l, error);
    sotto_ledger_close(l.open);
    sotto_text_free(l.own);
    return status;
}
