/*
 * Whether prices come out here as an independent calculation had them: not
 * below, and above by no more than the grids allow. For compilers and
 * mathematical libraries that nobody has tried.
 */
#include "account.h"

#include <math.h>

static const struct {
    const char *name, *plan;
    double delta, epsilon, slack; /* the truth, and how far above is fine */
} checks[] = {
    /* mpmath, 30 digits */
    {"price of Gaussian noise", "GAUSS(1)", 1e-6, 4.886554117462212, 1e-9},
    {"price of many answers", "GAUSS(.025)*100", 1e-9, 1.3956157138577186,
     1e-9},
    /* sums of the loss's distribution on a finer grid, rounded down */
    {"price of samples", "SUBSAMPLED_GAUSS(.01, 1)*1000", 1e-6, 2.12451, 2e-5},
};

const char *account_check_name(size_t i)
{
    return i < sizeof checks / sizeof *checks ? checks[i].name : NULL;
}

sotto_status account_check(size_t i, sotto_error *error)
{
    account_list list;
    account_price price = {0};
    sotto_status status = account_parse(&list, checks[i].plan, NULL, NAN,
                                        ACCOUNT_ADD_REMOVE, error);
    if (status != SOTTO_OK)
        return status;
    status = account_epsilon(&list, checks[i].delta, &price, error);
    account_free(&list);
    if (status == SOTTO_OK &&
        !(price.epsilon >= checks[i].epsilon * (1 - 1e-12) &&
          price.epsilon <= checks[i].epsilon * (1 + checks[i].slack)))
        status =
            error_set(error, SOTTO_FAILED,
                      "%s: epsilon %s where %s is right: do not train "
                      "with this build",
                      checks[i].name, sotto_number_print(price.epsilon, 9).text,
                      sotto_number_print(checks[i].epsilon, 9).text);
    return status;
}
