/*
 * Where a run is booked, and what is told of that afterwards.
 */
#include "cli.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Neither a run without noise nor one whose noise can be repeated is booked. A
   party's budget is in the agreement; the library looks there. */
static int is_booked(const cli *c)
{
    const char *epsilon = sotto_options_get(c->options, "epsilon");
    int is_party = sotto_options_get(c->options, "data") != NULL;
    return (is_party || (epsilon && strcmp(epsilon, "inf"))) &&
           !sotto_options_get(c->options, "insecure-seed");
}

sotto_status cli_set_who(const cli *c, sotto_error *error)
{
    const struct passwd *user = getpwuid(geteuid());
    return user && *user->pw_name
               ? sotto_options_set(c->options, "who", user->pw_name, error)
               : SOTTO_OK;
}

/* A file that is not there is refused when it is read. */
static sotto_status set_path(const cli *c, const char *data, sotto_error *error)
{
    struct stat about;
    int piped =
        !strcmp(data, "-") || (!stat(data, &about) && !S_ISREG(about.st_mode));
    if (piped && !sotto_options_get(c->options, "dataset"))
        return cli_refuse(error, "stdin and pipes have no path to be booked "
                                 "under: expected --dataset NAME, one that "
                                 "'sotto ledger create' made, or --ledger "
                                 "none");
    char *real = piped ? NULL : realpath(data, NULL);
    sotto_status status = sotto_options_set(c->options, "dataset-path",
                                            real ? real : data, error);
    free(real);
    return status;
}

static sotto_status set_own(const cli *c, const char *data, sotto_error *error)
{
    char *own;
    sotto_status status = sotto_ledger_own(&own, error);
    if (status == SOTTO_OK)
        status = sotto_options_set(c->options, "ledger", own, error);
    int none = status == SOTTO_OK && !strcmp(own, "none");
    sotto_text_free(own);
    return status == SOTTO_OK && !none ? set_path(c, data, error) : status;
}

sotto_status cli_set_ledger(const cli *c, const char *data, sotto_error *error)
{
    const char *ledger = sotto_options_get(c->options, "ledger");
    int none = ledger && !strcmp(ledger, "none");
    const char *dataset = sotto_options_get(c->options, "dataset");
    if (none && (dataset || sotto_options_get(c->options, "parts")))
        return cli_refuse(error, "--dataset and --parts go with a ledger, not "
                                 "with --ledger none");
    if (!is_booked(c) || none)
        return SOTTO_OK;
    if (ledger && !dataset)
        return cli_refuse(error, "--ledger FILE: expected --dataset NAME, one "
                                 "that 'sotto ledger create' made there");
    sotto_status status = cli_set_who(c, error);
    progress_books();
    if (status == SOTTO_OK && !ledger)
        status = set_own(c, data, error);
    return status;
}

static int count_set(void *context, const sotto_dataset *d)
{
    int64_t *sets = context;
    *sets += d->is_path;
    return 0;
}

/* How many counts a file has in a ledger; what cannot be read has been said,
   or is said elsewhere. */
static int64_t counts_of(const char *ledger, const char *path)
{
    sotto_ledger *open;
    sotto_error ignored;
    int64_t sets = 0;
    if (sotto_ledger_open(&open, ledger, &ignored) != SOTTO_OK)
        return 0;
    if (sotto_ledger_datasets(open, path, count_set, &sets, &ignored) !=
        SOTTO_OK)
        sets = 0;
    sotto_ledger_close(open);
    return sets;
}

void cli_remark_counts(const cli *c)
{
    const char *ledger = sotto_options_get(c->options, "ledger");
    const char *path = sotto_options_get(c->options, "dataset-path");
    if (ledger && path && !sotto_options_get(c->options, "dataset") &&
        counts_of(ledger, path) > 1)
        fprintf(stderr,
                "sotto: remark: other runs on this file are counted apart, "
                "because their unit or adjacency is another one; they are "
                "about the same people ('sotto ledger list' shows every "
                "count)\n");
}

void cli_add_spent(sotto_error *error, int booked)
{
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, "%s",
             booked ? "; the run is booked and stays charged"
                    : "; what the run cost is spent all the same");
}

void cli_print_booking(FILE *to, const char *label, const sotto_model *m)
{
    sotto_booking booking;
    cli_print_booked(to, label,
                     sotto_model_booking(m, &booking) ? &booking : NULL);
}

void cli_print_booked(FILE *to, const char *label, const sotto_booking *booking)
{
    fputs(label, to);
    if (!booking) {
        fprintf(to, "untracked: no ledger knows of this run\n");
        return;
    }
    sotto_booking b = *booking;
    if (*b.dataset) {
        fprintf(to, "data set ");
        cli_print_name(to, b.dataset, 80);
        fprintf(to, ": ");
    }
    if (b.cap_epsilon > 0)
        fprintf(to, "epsilon %s of %s is spent, at delta %s (entry %lld)\n",
                sotto_number_print_up(b.spent_epsilon, 3).text,
                sotto_number_print(b.cap_epsilon, 6).text,
                sotto_number_print_up(b.delta, 6).text, (long long)b.position);
    else /* its first entry made it; the others are runs */
        fprintf(to,
                "the runs on this %s, for this unit and adjacency, are what a "
                "cap of epsilon %s would have let through, at delta %s (%lld "
                "so far)\n",
                *b.dataset ? "data set" : "file",
                sotto_number_print_up(b.spent_epsilon, 3).text,
                sotto_number_print_up(b.delta, 6).text,
                (long long)b.position - 1);
}
