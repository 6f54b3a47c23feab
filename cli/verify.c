/*
 * sotto verify: whether a model is what somebody signed, whether its questions
 * cost what its statement says, and whether a ledger has the run.
 */
#include "cli.h"

/* What holds, so far as it was looked at. */
typedef struct verified {
    double epsilon, delta;
    int64_t position; /* 0: no ledger was asked */
} verified;

static sotto_status verify_signature(const cli *c, const sotto_model *m,
                                     sotto_error *error)
{
    const char *key = sotto_options_get(c->options, "key");
    sotto_status status = sotto_model_verify(m, key, error);
    if (status == SOTTO_OK && !cli_flag(c, "json"))
        printf("signature  by the key %.16s\n", sotto_model_signer(m));
    return status;
}

static sotto_status verify_statement(const cli *c, const sotto_model *m,
                                     verified *v, sotto_error *error)
{
    if (!sotto_model_privacy(m, &v->epsilon, &v->delta)) {
        cli_refuse(error, "NOT PRIVATE: the model promises nothing that could "
                          "be verified");
        return error->status = SOTTO_PRIVACY;
    }
    sotto_status status = sotto_model_check(m, error);
    if (status == SOTTO_OK && !cli_flag(c, "json")) {
        printf("statement  priced again: epsilon %s, delta %s\n",
               sotto_number_print_up(v->epsilon, 6).text,
               sotto_number_print_up(v->delta, 6).text);
        cli_print_unit(stdout, "unit       ", m);
    }
    return status;
}

static sotto_status verify_ledger(const cli *c, const sotto_model *m,
                                  verified *v, sotto_error *error)
{
    const char *path = sotto_options_get(c->options, "ledger");
    sotto_ledger *ledger = NULL;
    if (!path) {
        if (!cli_flag(c, "json"))
            printf("ledger     not asked (--ledger FILE)\n");
        return SOTTO_OK;
    }
    int64_t entries;
    sotto_status status = sotto_ledger_open(&ledger, path, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_verify(ledger, &entries, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_find(ledger, sotto_model_statement(m),
                                   &v->position, error);
    if (status == SOTTO_OK && !cli_flag(c, "json"))
        printf("ledger     %lld entries, all right; has the run, at position "
               "%lld\n",
               (long long)entries, (long long)v->position);
    sotto_ledger_close(ledger);
    return status;
}

static void verify_json(const sotto_model *m, const verified *v)
{
    printf("{\"signed_by\": \"%s\"", sotto_model_signer(m));
    cli_json_member("epsilon", v->epsilon);
    cli_json_member("delta", v->delta);
    if (v->position)
        printf(", \"position\": %lld}\n", (long long)v->position);
    else
        printf(", \"position\": null}\n");
}

sotto_status cli_verify(const cli *c, sotto_error *error)
{
    sotto_model *m = NULL;
    verified v = {0};
    if (!sotto_options_get(c->options, "key"))
        return cli_refuse(error, "expected --key FILE, the public key of "
                                 "whoever signed the model");
    sotto_status status = sotto_model_read(&m, c->argument[0], error);
    if (status == SOTTO_USAGE) /* it is there, and is no whole model */
        status = error->status = SOTTO_PRIVACY;
    if (status == SOTTO_OK)
        status = verify_signature(c, m, error);
    if (status == SOTTO_OK)
        status = verify_statement(c, m, &v, error);
    if (status == SOTTO_OK)
        status = verify_ledger(c, m, &v, error);
    if (status == SOTTO_OK && cli_flag(c, "json"))
        verify_json(m, &v);
    sotto_model_free(m);
    return status;
}
