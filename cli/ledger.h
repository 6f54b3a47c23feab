/*
 * What the files of `sotto ledger` share: the ledger that is open, and copies
 * of what it says about its data sets.
 */
#ifndef SOTTO_CLI_LEDGER_H
#define SOTTO_CLI_LEDGER_H

#include "cli.h"

/* An action, while it runs. */
typedef struct ledger_call {
    const cli *c;       /* its arguments are those after the action */
    const char *path;   /* of the ledger */
    char *own;          /* the same where it is the user's own; else NULL */
    sotto_ledger *open; /* NULL: not yet */
} ledger_call;

/* The text of an option, or NULL. */
static inline const char *ledger_option(const ledger_call *l, const char *name)
{
    return sotto_options_get(l->c->options, name);
}

/* The data sets, and the parts of those that have any, in their order. */
typedef struct ledger_sets {
    sotto_dataset *set; /* texts are its own */
    int64_t count;
    int failed; /* out of memory */
} ledger_sets;

/* ---- ledger_sets.c ---- */

/* Opens the ledger where it is not open yet, and copies what it says about
   one data set, or about all of them. A name that is not there is refused. */
sotto_status ledger_read(ledger_call *l, ledger_sets *out, const char *name,
                         sotto_error *error);
void ledger_sets_free(ledger_sets *s);

/* The same of the data set that --dataset names, or of the only one. */
sotto_status ledger_pick(ledger_call *l, ledger_sets *out, sotto_error *error);

/* Whether row i is about another data set than the row before it. */
int ledger_is_next(const ledger_sets *s, int64_t i);

/* {"ledger": PATH, "datasets": [...]}: what create, raise, list and show
   print for programs. `more` adds members to a data set; or NULL. */
typedef sotto_status (*ledger_more)(ledger_call *l, const sotto_dataset *d,
                                    sotto_error *error);
sotto_status ledger_json_sets(ledger_call *l, const ledger_sets *s,
                              ledger_more more, sotto_error *error);

/* , "key": "text" or null. */
void ledger_json_text(const char *key, const char *text);

/* "epsilon 3 at delta 1e-06". */
void ledger_print_price(double epsilon, double delta);

/* ---- the actions: ledger_make.c, ledger_show.c, ... ---- */

sotto_status ledger_create(ledger_call *l, sotto_error *error);
sotto_status ledger_raise(ledger_call *l, sotto_error *error);
sotto_status ledger_export(ledger_call *l, sotto_error *error);
sotto_status ledger_backup(ledger_call *l, sotto_error *error);
sotto_status ledger_verify(ledger_call *l, sotto_error *error);
sotto_status ledger_list(ledger_call *l, sotto_error *error);
sotto_status ledger_show(ledger_call *l, sotto_error *error);
sotto_status ledger_history(ledger_call *l, sotto_error *error);
sotto_status ledger_quote(ledger_call *l, sotto_error *error);

/* So many entries of a data set, latest first, as a table or as a list in
   JSON, after leaving out the first `skip`. */
sotto_status ledger_entries(ledger_call *l, const char *dataset, int64_t skip,
                            int64_t most, int json, sotto_error *error);

#endif
