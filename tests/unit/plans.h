/* Plans of one or two questions, for tests. */
#ifndef SOTTO_TESTS_PLANS_H
#define SOTTO_TESTS_PLANS_H

#include "plan.h"

static inline ask_item some(ask_kind kind, int64_t count, double level)
{
    return (ask_item){.kind = kind, .count = count, .level = level};
}

static inline ask_plan plan_one(ask_item item)
{
    return (ask_plan){.item = {item}, .items = 1};
}

static inline ask_plan plan_two(ask_item first, ask_item second)
{
    return (ask_plan){.item = {first, second}, .items = 2};
}

#endif
