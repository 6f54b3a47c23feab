/*
 * sotto federate: parties that hold different columns of the same rows.
 */
#include "cli.h"

#include <sotto_federate.h>
#include <string.h>

/* What is to be expected, before anything is asked: of public numbers. */
static void federate_announce(const sotto_simulation_facts *f)
{
    fprintf(stderr,
            "%lld parties, %lld rows, %lld columns, labels %s: %lld rounds, "
            "%lld sketches of %lld numbers at most\nexpected: %s%s\n",
            (long long)f->parties, (long long)f->rows, (long long)f->columns,
            f->labels_known ? "known to all" : "private", (long long)f->rounds,
            (long long)f->cap, (long long)f->buckets, f->expected,
            strcmp(f->expected, "good")
                ? " (so few rows, or so small a budget, make a poor model; "
                  "see docs/parties.md)"
                : "");
}

static void federate_price(const sotto_simulation *s,
                           const sotto_simulation_facts *f,
                           const sotto_model *m)
{
    double epsilon, delta;
    if (!sotto_model_privacy(m, &epsilon, &delta)) {
        fprintf(stderr, "NOT PRIVATE: without noise, or with noise that can be "
                        "repeated\n");
        return;
    }
    fprintf(stderr,
            "a whole row, against outsiders and the server: epsilon "
            "%s, delta %s\n",
            sotto_number_print_up(f->epsilon, 6).text,
            sotto_number_print_up(f->delta, 6).text);
    for (int64_t k = 0; k < f->parties; k++) {
        sotto_simulation_party p;
        sotto_simulation_describe_party(s, k, &p);
        fprintf(stderr, "  the part of ");
        cli_print_name(stderr, p.name, 40);
        fprintf(stderr, "%s, against all others: epsilon %s\n",
                p.has_labels ? " and the label" : "",
                sotto_number_print_up(p.epsilon, 6).text);
    }
}

static void federate_bytes(const sotto_simulation *s,
                           const sotto_simulation_facts *f)
{
    fprintf(stderr, "sent to the server:");
    for (int64_t k = 0; k < f->parties; k++) {
        sotto_simulation_party p;
        sotto_simulation_describe_party(s, k, &p);
        fprintf(stderr, "%s ", k ? "," : "");
        cli_print_name(stderr, p.name, 40);
        fprintf(stderr, " %lld bytes in %lld messages", (long long)p.uplink,
                (long long)p.messages);
    }
    fprintf(stderr,
            "\n%lld bytes in all; the paper's algorithm, K T (m + 1) numbers: "
            "%s\ntranscript %s\n",
            (long long)f->uplink, sotto_number_fixed(f->paper_uplink, 0).text,
            f->transcript);
}

static void federate_json_party(const sotto_simulation_party *p)
{
    printf("{\"name\": ");
    cli_json_text(stdout, p->name);
    printf(", \"columns\": %lld, \"cap\": %lld, \"turns\": %lld, \"labels\": "
           "%s, \"epsilon\": ",
           (long long)p->columns, (long long)p->cap, (long long)p->turns,
           p->has_labels ? "true" : "false");
    cli_json_number(stdout, p->epsilon);
    printf(", \"uplink_bytes\": %lld, \"messages\": %lld}",
           (long long)p->uplink, (long long)p->messages);
}

static void federate_json(const sotto_simulation *s,
                          const sotto_simulation_facts *f, const sotto_model *m)
{
    printf("{\"expected\": \"%s\", \"not_private\": %s, \"epsilon\": ",
           f->expected, sotto_model_statement(m) ? "false" : "true");
    cli_json_number(stdout, f->epsilon);
    cli_json_member("delta", f->delta);
    printf(", \"labels\": \"%s\", \"rounds\": %lld, \"cap\": %lld, "
           "\"buckets\": %lld, \"parties\": [",
           f->labels_known ? "known" : "private", (long long)f->rounds,
           (long long)f->cap, (long long)f->buckets);
    for (int64_t k = 0; k < f->parties; k++) {
        sotto_simulation_party p;
        sotto_simulation_describe_party(s, k, &p);
        printf("%s", k ? ", " : "");
        federate_json_party(&p);
    }
    printf("], \"uplink_bytes\": %lld, \"uplink_bytes_paper\": %s, "
           "\"downlink_bytes\": %lld, \"messages\": %lld, \"transcript\": "
           "\"%s\", \"privacy\": %s}\n",
           (long long)f->uplink, sotto_number_fixed(f->paper_uplink, 0).text,
           (long long)f->downlink, (long long)f->messages, f->transcript,
           sotto_model_statement(m) ? sotto_model_statement(m) : "null");
}

static void federate_tell(const cli *c, const sotto_simulation *s,
                          const sotto_model *m)
{
    sotto_simulation_facts facts;
    sotto_simulation_describe(s, &facts);
    if (cli_flag(c, "json"))
        federate_json(s, &facts, m);
    if (cli_flag(c, "quiet"))
        return;
    cli_wrote(sotto_options_get(c->options, "output"));
    fprintf(stderr, "\n");
    federate_price(s, &facts, m);
    if (sotto_model_statement(m))
        cli_print_booking(stderr, "", m);
    federate_bytes(s, &facts);
}

static sotto_status federate_run(const cli *c, sotto_simulation *s,
                                 sotto_model **model, sotto_error *error)
{
    cli_progress progress;
    sotto_simulation_facts facts;
    sotto_simulation_describe(s, &facts);
    if (!cli_flag(c, "quiet"))
        federate_announce(&facts);
    progress_begin(&progress, c);
    progress_stage(&progress, "asking");
    sotto_progress_callback callback = {.call = progress_show,
                                        .context = &progress};
    sotto_status status = sotto_simulation_run(s, model, &callback, error);
    progress_end(&progress);
    return status;
}

int cli_has_federation(void)
{
    return 1;
}

sotto_status cli_federate(const cli *c, sotto_error *error)
{
    sotto_simulation *s = NULL;
    sotto_model *model = NULL;
    const char *output = sotto_options_get(c->options, "output");
    if (strcmp(c->argument[0], "simulate"))
        return cli_consortium(c, error);
    sotto_status status = cli_json_check(c, error);
    if (status == SOTTO_OK)
        status = cli_check_release(c, error);
    if (status == SOTTO_OK)
        status = cli_set_ledger(c, c->argument[1], error);
    if (status == SOTTO_OK)
        status = sotto_simulation_open(&s, c->argument[1], c->options, error);
    if (status == SOTTO_OK)
        status = federate_run(c, s, &model, error);
    if (status == SOTTO_OK)
        status = cli_write_model(c, model, error);
    if (status == SOTTO_OK && sotto_model_statement(model))
        status = sotto_fit_settle(model, output, error);
    if (status == SOTTO_OK)
        federate_tell(c, s, model);
    sotto_model_free(model);
    sotto_simulation_free(s);
    return status;
}
