/*
 * Which options each solver heeds. One that would be passed over without a
 * word is refused: whoever gave it believes that it counts.
 */
#include "private.h"

#include <string.h>

typedef struct heeded {
    option_id option;
    const char *solvers; /* " cd gcd ": those that heed it */
} heeded;

/* Options that are not here are heeded by all. */
static const heeded table[] = {
    {OPTION_PENALTY_UNITS, " auto newton "},
    {OPTION_PATH, " auto "},
    {OPTION_CLIP,
     " cd gcd gd sgd svrg scd scd-paper scd-seq scd-primal fw bcfw ssp "
     "output "},
    {OPTION_STEPS,
     " cd gcd gd sgd svrg scd scd-paper scd-seq scd-primal fw bcfw "},
    {OPTION_PASSES, " cd sgd scd scd-paper scd-seq scd-primal "},
    {OPTION_ROUNDS, " cd svrg "},
    {OPTION_ORDER, " cd "},
    {OPTION_STEP_SIZE, " cd gcd gd sgd svrg "},
    {OPTION_SMOOTHNESS, " cd gcd gd sgd ssp svrg "},
    {OPTION_DIFFERENCE_CLIP, " svrg "},
    {OPTION_CALIBRATION, " cd gcd "},
    {OPTION_AVERAGE, " cd gd sgd scd scd-paper scd-seq "},
    {OPTION_BATCH_RATE, " sgd svrg scd scd-paper scd-seq scd-primal "},
    {OPTION_MOMENTUM, " gd sgd "},
    {OPTION_DECAY, " gd sgd "},
    {OPTION_RULE, " gcd "},
    {OPTION_SELECTION_SHARE, " gcd "},
    {OPTION_RADIUS, " fw bcfw "},
    {OPTION_INTERCEPT_RADIUS, " fw bcfw "},
    {OPTION_BLOCKS, " bcfw "},
    {OPTION_SAMPLING, " bcfw "},
    {OPTION_CANDIDATES, " bcfw "},
    {OPTION_NORM_BOUND, " scd scd-paper scd-seq output objective "},
    {OPTION_TOLERANCE, " exact "}};

static int heeds(const heeded *h, const char *solver)
{
    char word[24];
    snprintf(word, sizeof word, " %s ", solver);
    return strstr(h->solvers, word) != NULL;
}

sotto_status fit_check_heeded(const sotto_options *options, const char *solver,
                              sotto_error *error)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (option_given(options, table[i].option) &&
            !heeds(&table[i], solver)) {
            const char *name = sotto_option_at(table[i].option)->name;
            int length = (int)strlen(table[i].solvers) - 2;
            return error_set(error, SOTTO_USAGE,
                             "--%s does not go with --solver %s, which would "
                             "not heed it; it is for: %.*s",
                             name, solver, length, table[i].solvers + 1);
        }
    return SOTTO_OK;
}
