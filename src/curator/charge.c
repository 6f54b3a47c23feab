/*
 * What a plan is charged: its questions as the accountant knows them, and the
 * events that they are priced as.
 */
#include "internal.h"

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
