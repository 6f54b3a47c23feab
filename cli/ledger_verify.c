/*
 * sotto ledger verify: the chains and the sums of a ledger from the
 * beginning, and the entries that models name.
 */
#include "ledger_call.h"

#include <stdlib.h>
#include <string.h>

typedef struct verify_model {
    const char *name;
    int64_t position;
} verify_model;

/* The entry that the statement of a model, or of an evaluation, names. */
static sotto_status verify_find(ledger_call *l, verify_model *found,
                                sotto_error *error)
{
    sotto_model *m;
    sotto_evaluation *e;
    sotto_status status = sotto_release_read(&m, &e, found->name, error);
    if (status == SOTTO_OK)
        status = e ? sotto_evaluation_check(e, error)
                   : sotto_model_check(m, error);
    const char *statement = e   ? sotto_evaluation_statement(e)
                            : m ? sotto_model_statement(m)
                                : NULL;
    if (status == SOTTO_OK && !statement) {
        (void)cli_refuse(error, "it is NOT PRIVATE: it has no statement, and no "
                                "ledger has it");
        status = error->status = SOTTO_PRIVACY;
    }
    if (status == SOTTO_OK)
        status = sotto_ledger_find(l->open, statement, &found->position, error);
    sotto_model_free(m);
    sotto_evaluation_free(e);
    return status;
}

/* One line with the name of the model in it, made safe to print; errors of
   reading have it. */
static void verify_name_it(sotto_error *error, const char *name)
{
    char shown[81];
    size_t i = 0;
    for (; name[i] && i < sizeof shown - 1; i++)
        shown[i] = name[i] >= 32 && name[i] < 127 ? name[i] : '?';
    shown[i] = 0;
    if (error->status == SOTTO_OK || !strncmp(error->message, shown, i))
        return;
    sotto_error own = *error;
    snprintf(error->message, sizeof error->message, "%s: %.390s", shown,
             own.message);
}

static void verify_tell(const verify_model *m, const sotto_error *error)
{
    if (error->status != SOTTO_OK) {
        printf("NOT VERIFIED: %s\n", error->message);
        return;
    }
    cli_print_name(stdout, m->name, 1000);
    printf(": entry %lld of its data set, as it was booked\n",
           (long long)m->position);
}

/* All of them. The error is about the first that is wrong, or, where there is
   none, about the first that cannot be read. */
static sotto_status verify_models(ledger_call *l, verify_model *model,
                                  sotto_error *error)
{
    sotto_status first = SOTTO_OK;
    for (int i = 0; i < l->c->arguments; i++) {
        sotto_error own = {SOTTO_OK, ""};
        model[i].name = l->c->argument[i];
        sotto_status status = verify_find(l, &model[i], &own);
        verify_name_it(&own, model[i].name);
        if (!cli_flag(l->c, "json"))
            verify_tell(&model[i], &own);
        if (status != SOTTO_OK && first != SOTTO_PRIVACY &&
            (first == SOTTO_OK || status == SOTTO_PRIVACY)) {
            first = status;
            *error = own;
        }
    }
    return first;
}

static void verify_json(const ledger_call *l, const verify_model *model,
                        int64_t checked)
{
    printf("{\"ledger\": ");
    cli_json_text(stdout, l->path);
    printf(", \"checked\": %lld, \"models\": [", (long long)checked);
    for (int i = 0; i < l->c->arguments; i++) {
        printf("%s{\"model\": ", i ? ", " : "");
        cli_json_text(stdout, model[i].name);
        printf(", \"position\": %lld}", (long long)model[i].position);
    }
    printf("]}\n");
}

sotto_status ledger_verify(ledger_call *l, sotto_error *error)
{
    int64_t checked = 0;
    verify_model *model = calloc((size_t)l->c->arguments + 1, sizeof *model);
    sotto_status status =
        model ? sotto_ledger_open(&l->open, l->path, error) : cli_memory(error);
    if (status == SOTTO_OK)
        status = sotto_ledger_verify(l->open, &checked, error);
    int json = cli_flag(l->c, "json");
    if (status == SOTTO_OK && !json) {
        cli_print_name(stdout, l->path, 1000);
        printf(": %lld entr%s, every chain and every sum is right\n",
               (long long)checked, checked == 1 ? "y" : "ies");
    }
    if (status == SOTTO_OK)
        status = verify_models(l, model, error);
    if (status == SOTTO_OK && json)
        verify_json(l, model, checked);
    free(model);
    return status;
}
