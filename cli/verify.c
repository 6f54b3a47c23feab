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

/* What the ledger was not asked for, the statement may say. */
static void verify_not_asked(const sotto_model *m)
{
    sotto_booking booking;
    printf("ledger     %s\n",
           sotto_model_booking(m, &booking)
               ? "not asked (--ledger FILE)"
               : "untracked: no ledger knows of this run; nobody has counted "
                 "what else was released about these people");
}

/* The cap of the data set as it is, or of one of its parts. */
static int verify_cap_now(void *context, const sotto_dataset *d)
{
    const sotto_booking *b = context;
    if (d->part) {
        printf("\n           now epsilon %s at delta %s, of part ",
               sotto_number_print_up(d->cap_epsilon, 6).text,
               sotto_number_print_up(d->delta, 6).text);
        cli_print_name(stdout, d->part, 80);
    } else if (d->cap_epsilon != b->cap_epsilon || d->delta != b->delta) {
        printf("; raised since, to epsilon %s at delta %s, for this run, too",
               sotto_number_print_up(d->cap_epsilon, 6).text,
               sotto_number_print_up(d->delta, 6).text);
    } else {
        printf("; not raised since");
    }
    return 0;
}

/* A cap that was raised since holds for the model, too. The booking is what
   the ledger has: the statement was compared with it. */
static sotto_status verify_cap(const sotto_model *m, sotto_ledger *ledger,
                               sotto_error *error)
{
    sotto_booking b = {.dataset = ""};
    if (!sotto_model_booking(m, &b) || !*b.dataset || !(b.cap_epsilon > 0)) {
        printf("cap        none: nothing is promised of all runs together\n");
        return SOTTO_OK;
    }
    printf("cap        epsilon %s at delta %s when it was booked",
           sotto_number_print_up(b.cap_epsilon, 6).text,
           sotto_number_print_up(b.delta, 6).text);
    sotto_status status =
        sotto_ledger_datasets(ledger, b.dataset, verify_cap_now, &b, error);
    printf("\n");
    return status;
}

static sotto_status verify_ledger(const cli *c, const sotto_model *m,
                                  verified *v, sotto_error *error)
{
    const char *path = sotto_options_get(c->options, "ledger");
    sotto_ledger *ledger = NULL;
    if (!path) {
        if (!cli_flag(c, "json"))
            verify_not_asked(m);
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
    if (status == SOTTO_OK && !cli_flag(c, "json"))
        status = verify_cap(m, ledger, error);
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
        return cli_refuse(error,
                          "expected --key FILE, the public key of "
                          "whoever signed the model ('sotto show' prices "
                          "the statement of one that is not signed)");
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
