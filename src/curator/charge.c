/*
 * What a plan is charged: its questions as the accountant knows them, the
 * draws of noise that they take, and the events that they are priced as.
 */
#include "internal.h"

#include <math.h>

account_question curator_question(const ask_item *item)
{
    const ask_mechanism *m = ask_mechanism_of(item->noise);
    return (account_question){.kind = m->event,
                              .level = m->charge(item->level),
                              .rate = item->rate,
                              .shown = item->shown,
                              .times = item->count,
                              .blocks = item->blocks,
                              .and_next = item->and_next};
}

double curator_multiplier(const ask_item *item)
{
    int choice = (mechanism_of(item->noise)->protects & 1u << FORM_CHOICE) != 0;
    return (choice ? 2 : 1) / gate_drawn_level(item);
}

int64_t curator_priced_count(const ask_item *item)
{
    account_question q = curator_question(item);
    return account_priced_count(&q);
}

double curator_draws(const ask_item *item, int64_t features)
{
    const question_row *q = question_of(item->kind);
    double width = (double)features + 1;
    int per_score = mechanism_of(item->noise)->per_score;
    switch (per_score ? q->noisy_draws : q->draws) {
    case DRAWS_UNKNOWN:
        break;
    case DRAWS_ONE:
        return 1;
    case DRAWS_TWO:
        return 2;
    case DRAWS_WIDTH:
        return width;
    case DRAWS_COINS:
        return width + 1;
    case DRAWS_TWO_WIDTHS:
        return 2 * width;
    case DRAWS_EDGES:
        return ASK_MOST_EDGES + 1;
    case DRAWS_WIDTH_EDGES:
        return width * (ASK_MOST_EDGES + 1);
    case DRAWS_MATRIX:
        return width * (width + 1) / 2;
    case DRAWS_CROSS:
        return (width + 1) * (width + 2) / 2;
    case DRAWS_BUCKETS:
    case DRAWS_CLASSES:
    case DRAWS_CELLS:
        return (double)item->block;
    case DRAWS_TOUCHED:
        return 2 * (double)item->block;
    case DRAWS_WIDTH_CLASSES:
        return width * (double)item->block;
    case DRAWS_LATER: /* curator_tell_plan sees to it */
        return width * (width + 1000) + 10000 + 2 * width * (double)item->block;
    }
    return INFINITY;
}

sotto_status curator_events(account_list *out, const ask_plan *plan,
                            account_adjacency adjacency, int64_t features,
                            sotto_error *error)
{
    account_question asked[ASK_MOST_ITEMS];
    int64_t count = 0;
    *out = (account_list){.adjacency = adjacency, .ordered = !plan->any_order};
    sotto_status status = plan_check_size(plan, error);
    if (status != SOTTO_OK)
        return status;
    for (int i = 0, first, size; i < plan->items; i = first + size) {
        size = gate_group(plan, i, &first);
        if (!plan->item[first].count || plan->item[first].level == 0)
            continue;
        for (int k = first; k < first + size; k++) {
            asked[count++] = curator_question(&plan->item[k]);
            out->draws += curator_draws(&plan->item[k], features) *
                          (double)plan->item[k].count;
        }
    }
    status = account_ask(out, asked, count, error);
    if (status != SOTTO_OK)
        account_free(out);
    return status;
}
