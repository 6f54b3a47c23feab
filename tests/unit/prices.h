/*
 * Lists of events from plans, and their prices, for tests. Include it after
 * cmocka.h.
 */
#ifndef SOTTO_TEST_PRICES_H
#define SOTTO_TEST_PRICES_H

#include "account.h"

#include <math.h>

static inline account_list list_for(const char *plan,
                                    account_adjacency adjacency)
{
    account_list list;
    sotto_error error = {0};
    if (account_parse(&list, plan, NULL, NAN, adjacency, &error))
        fail_msg("%s: %s", plan, error.message);
    return list;
}

static inline double delta_for(const char *plan, account_adjacency adjacency,
                               double epsilon)
{
    account_list list = list_for(plan, adjacency);
    account_price price;
    sotto_error error = {0};
    if (account_delta(&list, epsilon, &price, &error))
        fail_msg("%s: %s", plan, error.message);
    account_free(&list);
    return price.delta;
}

static inline double epsilon_for(const char *plan, account_adjacency adjacency,
                                 double delta)
{
    account_list list = list_for(plan, adjacency);
    account_price price;
    sotto_error error = {0};
    if (account_epsilon(&list, delta, &price, &error))
        fail_msg("%s: %s", plan, error.message);
    account_free(&list);
    return price.epsilon;
}

#endif
