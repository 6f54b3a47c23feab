/*
 * sotto doctor without a file: what this build has, and whether it does what
 * its proofs suppose. No record is read and nothing is booked.
 */
#include "doctor.h"

#include <string.h>

/* Whether an option is there that says how to read a file. */
static int options_of_files(const cli *c)
{
    for (int i = 2; c->words[0] && c->words[1] && c->words[i]; i++)
        if (strcmp(c->words[i], "--json") && strcmp(c->words[i], "--quiet"))
            return 1;
    return 0;
}

static void put_check(int as_json, int64_t i, const char *name,
                      sotto_status status, const sotto_error *why)
{
    if (!as_json) {
        printf("  %-6s %s\n", status == SOTTO_OK ? "ok" : "FAILED",
               status == SOTTO_OK ? name : why->message);
        return;
    }
    printf("%s\n  {\"check\": ", i ? "," : "");
    cli_json_text(stdout, name);
    printf(", \"passed\": %s}", status == SOTTO_OK ? "true" : "false");
}

/* The first check that fails is what the program ends with; all are made. */
sotto_status doctor_self_test(const cli *c, sotto_error *error)
{
    int as_json = cli_flag(c, "json");
    sotto_status first = SOTTO_OK;
    if (options_of_files(c))
        return cli_refuse(error, "usage: sotto doctor DATA... [OPTIONS]");
    if (as_json)
        printf("{\"sotto\": \"%s\", \"instruction_set\": \"%s\", "
               "\"federation\": %s, \"checks\": [",
               sotto_version(), sotto_instruction_set(),
               cli_has_federation() ? "true" : "false");
    else
        printf("sotto %s\n  loops over rows by %s\n  federation: %s\n",
               sotto_version(), sotto_instruction_set(),
               cli_has_federation() ? "sotto-federate is there"
                                    : "sotto-federate is not installed");
    for (int64_t i = 0;; i++) {
        const char *name;
        sotto_error why;
        sotto_status status = sotto_self_test(i, &name, &why);
        if (!name)
            break;
        put_check(as_json, i, name, status, &why);
        if (status != SOTTO_OK && first == SOTTO_OK)
            *error = why;
        first = first == SOTTO_OK ? status : first;
    }
    if (as_json)
        printf("\n]}\n");
    return first;
}
