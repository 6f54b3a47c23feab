/*
 * How far long work is, on stderr: a bar on a terminal, or lines of JSON. It
 * depends on the records, so it is for the operator, not for release.
 */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PROGRESS_WIDTH = 30,
    PROGRESS_REST = 33 /* what a line of 80 has beside it */
};

/* On a terminal ^C, or a bar, stands in the line already. */
static volatile sig_atomic_t progress_line_begun;

static double progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(cli_progress *p, const cli *c)
{
    const char *how = sotto_options_get(c->options, "progress");
    *p = (cli_progress){PROGRESS_NONE, "", 0, 0};
    if (!strcmp(how, "json"))
        p->how = PROGRESS_JSON;
    else if (!strcmp(how, "bar") ||
             (!strcmp(how, "auto") && isatty(STDERR_FILENO) &&
              !cli_flag(c, "quiet")))
        p->how = PROGRESS_BAR;
}

static void progress_bar(cli_progress *p, double share, const char *more)
{
    int done = (int)(share * PROGRESS_WIDTH);
    fprintf(stderr, "\r%-8s [", p->stage);
    for (int i = 0; i < PROGRESS_WIDTH; i++)
        putc(i < done ? '#' : '.', stderr);
    fprintf(stderr, "] %3d %%%s\x1b[K", (int)(100 * share), more);
    p->drawn = 1;
    progress_line_begun = 1;
}

void progress_stage(cli_progress *p, const char *stage)
{
    p->stage = stage;
    p->shown = 0;
    if (p->how == PROGRESS_BAR)
        progress_bar(p, 0, "");
    else if (p->how == PROGRESS_JSON)
        fprintf(stderr, "{\"stage\": \"%s\"}\n", stage);
}

/* "  rounds 3 of 10", or its word alone where the numbers have no room. */
static void progress_part(char out[40], const sotto_progress *at)
{
    int length = at->total
                     ? snprintf(out, 40, "  %s %lld of %lld", at->stage,
                                (long long)at->round, (long long)at->total)
                     : PROGRESS_REST;
    if (length >= PROGRESS_REST)
        snprintf(out, 40, "  %s", at->stage);
}

/* Ten times a second is enough for eyes; JSON gets every look. */
int progress_show(void *context, const sotto_progress *at)
{
    cli_progress *p = context;
    char more[40] = "";
    double now = progress_now();
    int has_gap = isfinite(at->gap); /* private training has none */
    if (has_gap)
        snprintf(more, sizeof more, "  gap %s",
                 sotto_number_print(at->gap, 2).text);
    else
        progress_part(more, at);
    if (p->how == PROGRESS_BAR && now - p->shown > .1) {
        progress_bar(p, at->share, more);
        p->shown = now;
    } else if (p->how == PROGRESS_JSON) {
        fprintf(stderr, "{\"stage\": \"%s\", \"share\": %s", p->stage,
                sotto_number_fixed(at->share, 3).text);
        if (has_gap)
            fprintf(stderr, ", \"gap\": %s", sotto_number_exact(at->gap).text);
        fprintf(stderr, ", \"part\": \"%s\"", at->stage);
        if (at->round)
            fprintf(stderr, ", \"round\": %lld", (long long)at->round);
        if (at->total)
            fprintf(stderr, ", \"total\": %lld", (long long)at->total);
        fputs("}\n", stderr);
    }
    return 0;
}

void progress_end(cli_progress *p)
{
    if (p->drawn)
        fputs("\r\x1b[K", stderr);
    p->drawn = 0;
}

static volatile sig_atomic_t progress_may_be_booked;

void progress_books(void)
{
    progress_may_be_booked = 1;
}

static void progress_interrupted(int signal_number)
{
    static const char plain[] = "\nsotto: interrupted\n";
    static const char booked[] =
        "\nsotto: interrupted; if the run was booked, it stays charged (see "
        "'sotto ledger show')\n";
    const char *message = progress_may_be_booked ? booked : plain;
    size_t skip = !progress_line_begun;
    size_t size = progress_may_be_booked ? sizeof booked : sizeof plain;
    cli_ranks_root_speaks();
    (void)!write(STDERR_FILENO, message + skip, size - 1 - skip);
    _exit(128 + signal_number);
}

void progress_catch_interrupts(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before;
    struct sigaction action = {.sa_handler = progress_interrupted};
    progress_line_begun = isatty(STDERR_FILENO);
    sigfillset(&action.sa_mask); /* one line, whatever else comes */
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        if (!sigaction(caught[i], NULL, &before) &&
            before.sa_handler != SIG_IGN) /* as after nohup */
            sigaction(caught[i], &action, NULL);
}
