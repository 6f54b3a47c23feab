/*
 * What private training refuses because of its options alone, before a record
 * is read.
 */
#include "private.h"
#include "ranks.h"

#include <math.h>

static sotto_status check_clip(const sotto_options *options, sotto_error *error)
{
    double clip = option_given(options, OPTION_CLIP)
                      ? option_number(options, OPTION_CLIP)
                      : 1;
    if (!isinf(clip) && !(clip >= 1e-25 && clip <= 1e25))
        return error_set(error, SOTTO_USAGE,
                         "--clip: expected a number from 1e-25 to 1e25, or inf "
                         "without privacy");
    if (isinf(clip) && option_private(options))
        return error_set(error, SOTTO_PRIVACY,
                         "--clip inf is not private: expected a finite clip");
    return SOTTO_OK;
}

/* The iterate starts at 0, and a weight that no step has touched stays there.
 */
static sotto_status check_box(const sotto_options *options, sotto_error *error)
{
    double low, high;
    if (option_pair(options, OPTION_BOX, &low, &high) &&
        !(low <= 0 && high >= 0))
        return error_set(error, SOTTO_USAGE,
                         "--box: --solver %s starts at 0; expected a box with "
                         "0 in it",
                         solver_name(solver_of(options)));
    return SOTTO_OK;
}

sotto_status fit_check_private(const sotto_options *options, sotto_error *error)
{
    if (option_is(options, OPTION_SOLVER, "exact"))
        return error_set(error, SOTTO_PRIVACY,
                         "--solver exact is not private: expected --epsilon "
                         "inf with it, or no --epsilon");
    if (option_private(options) && !(option_given(options, OPTION_DELTA) &&
                                     option_number(options, OPTION_DELTA) > 0))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --delta%s: the probability with which the "
                         "guarantee may fail, well below 1 / rows, as 1e-6",
                         option_given(options, OPTION_DELTA)
                             ? " above 0 (noise that is Gaussian cannot "
                               "promise 0)"
                             : "");
    const solver_row *row = solver_of(options);
    sotto_status status = check_clip(options, error);
    if (status == SOTTO_OK)
        status = solver_check_options(options, row, error);
    if (status == SOTTO_OK && row->check)
        status = row->check(options, error);
    if (status == SOTTO_OK)
        status = check_box(options, error);
    if (status == SOTTO_OK)
        status = fit_check_ranks(options, error);
    if (status != SOTTO_OK || !ranks_is_root(option_ranks(options)))
        return status;
    /* Without a ledger, what may be spent is written beside the model. There
       is none where a run is only planned, or the library's caller keeps the
       model. */
    const char *output = option_text(options, OPTION_OUTPUT);
    return output && option_private(options) && !booking_wanted(options) &&
                   !option_given(options, OPTION_INSECURE_SEED)
               ? fit_check_spent(output, error)
               : SOTTO_OK;
}
