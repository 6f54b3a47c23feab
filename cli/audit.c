/*
 * sotto audit: do not believe us. Whether trainings on two invented neighbours
 * can be told apart better than the claim allows.
 */
#include "cli.h"

#include <math.h>
#include <string.h>

static void audit_line(const char *label)
{
    printf("%-11s ", label);
}

static const char *audit_share(double share, sotto_number *room)
{
    *room = sotto_number_fixed(100 * share, 1);
    return room->text;
}

static void audit_claim(const sotto_audit_result *r)
{
    audit_line("claim");
    printf("epsilon %s at delta %s (mu %s)\n",
           sotto_number_print_up(r->epsilon, 6).text,
           sotto_number_print_up(r->delta, 6).text,
           sotto_number_print_up(r->mu, 3).text);
}

static void audit_power(const sotto_audit_result *r)
{
    sotto_number share;
    audit_line("power");
    printf("at best so many trainings certify %s %% of mu, where noise is as "
           "claimed;\n            ",
           audit_share(r->mu > 0 ? r->expected_mu / r->mu : 0, &share));
    if (isfinite(r->found_from))
        printf("a fault is found, as a rule, from %s times mu on\n",
               sotto_number_print(r->found_from, 2).text);
    else
        printf("no fault can be found by so few: give more --trials\n");
}

static void audit_tell_test(const sotto_audit_result *r)
{
    sotto_number share;
    double held = (double)r->held;
    audit_claim(r);
    audit_line("audited");
    printf("%lld pairs of invented neighbours, by %lld trainings on each side; "
           "the best by %lld more\n",
           (long long)r->pairs, (long long)r->tried, (long long)r->held);
    audit_line("best test");
    printf("%s, by the %s:\n            ", r->pair,
           r->by_model ? "model" : "answers");
    printf("right for %s %% of the one side, ",
           audit_share((double)r->hits / held, &share));
    printf("wrong for %s %% of the other\n",
           audit_share((double)r->alarms / held, &share));
    audit_line("certified");
    if (r->gaussian)
        printf("epsilon at least %s (mu %s) at 95 %%; if noise need not be "
               "Gaussian, %s\n",
               sotto_number_print_down(r->certified_epsilon, 3).text,
               sotto_number_print_down(r->certified_mu, 3).text,
               sotto_number_print_down(r->certified_any, 3).text);
    else
        printf("epsilon at least %s at 95 %%\n",
               sotto_number_print_down(r->certified_any, 3).text);
    audit_power(r);
}

static void audit_tell_deep(const sotto_audit_result *r)
{
    audit_claim(r);
    audit_line("replayed");
    printf("%lld pairs of invented neighbours, %lld questions\n",
           (long long)r->neighbours, (long long)r->questions);
    audit_line("differing");
    printf("%lld\n", (long long)r->differing);
    audit_line("moved");
    printf("a sum moved by %s times what it may at most (%s)\n",
           sotto_number_print_up(r->moved, 6).text, r->question);
}

/* Whether no result of so few trainings could have spoken against it. */
static int audit_says_nothing(const sotto_audit_result *r, int deep)
{
    return !deep && !isfinite(r->found_from);
}

static void audit_json(const sotto_audit_result *r, int deep)
{
    printf("{\"epsilon\": %s, \"delta\": %s, \"mu\": %s, \"broken\": %s",
           sotto_number_exact(r->epsilon).text,
           sotto_number_exact(r->delta).text, sotto_number_exact(r->mu).text,
           r->broken                     ? "true"
           : audit_says_nothing(r, deep) ? "null"
                                         : "false");
    if (deep) {
        printf(", \"neighbours\": %lld, \"questions\": %lld, \"differing\": "
               "%lld, \"moved\": %s, \"question\": ",
               (long long)r->neighbours, (long long)r->questions,
               (long long)r->differing, sotto_number_exact(r->moved).text);
        cli_json_text(stdout, r->question);
        printf("}\n");
        return;
    }
    printf(", \"pairs\": %lld, \"tried\": %lld, \"pair\": ",
           (long long)r->pairs, (long long)r->tried);
    cli_json_text(stdout, r->pair);
    printf(", \"by\": \"%s\", \"held\": %lld, \"hits\": %lld, \"alarms\": %lld",
           r->by_model ? "model" : "answers", (long long)r->held,
           (long long)r->hits, (long long)r->alarms);
    printf(", \"certified_mu\": %s, \"certified_epsilon\": %s, "
           "\"certified_any\": %s",
           r->gaussian ? sotto_number_exact(r->certified_mu).text : "null",
           r->gaussian ? sotto_number_exact(r->certified_epsilon).text : "null",
           sotto_number_exact(r->certified_any).text);
    printf(", \"expected_mu\": %s, \"found_from\": %s}\n",
           sotto_number_exact(r->expected_mu).text,
           isfinite(r->found_from) ? sotto_number_exact(r->found_from).text
                                   : "null");
}

/* Code 5: what the program says of itself is not so. Code 2: nothing was found,
   and nothing could have been. */
static sotto_status audit_verdict(const cli *c, const sotto_audit_result *r,
                                  sotto_error *error)
{
    if (r->broken) {
        cli_refuse(error, "the claim is broken: %s",
                   cli_flag(c, "deep")
                       ? r->fault
                       : "neighbours are told apart better than it allows "
                         "(wrong less than once in ten million audits)");
        return error->status = SOTTO_PRIVACY;
    }
    if (audit_says_nothing(r, cli_flag(c, "deep")))
        return cli_refuse(error, "no verdict: so few trainings find no fault; "
                                 "give more --trials");
    if (!cli_flag(c, "json")) {
        audit_line("verdict");
        printf("nothing speaks against the claim\n");
    }
    return SOTTO_OK;
}

sotto_status cli_audit(const cli *c, sotto_error *error)
{
    cli_progress progress;
    sotto_audit_result result;
    sotto_progress_callback callback = {.call = progress_show,
                                        .context = &progress};
    int deep = cli_flag(c, "deep");
    progress_begin(&progress, c);
    progress_stage(&progress, deep ? "replaying" : "auditing");
    sotto_status status = sotto_audit(&result, c->options, &callback, error);
    progress_end(&progress);
    if (status != SOTTO_OK)
        return status;
    if (cli_flag(c, "json"))
        audit_json(&result, deep);
    else if (deep)
        audit_tell_deep(&result);
    else
        audit_tell_test(&result);
    return audit_verdict(c, &result, error);
}
