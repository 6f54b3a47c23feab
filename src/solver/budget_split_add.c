/*
 * The rule of budget_split.c as questions of a plan, in their order.
 */
#include "newton.h"

#include <math.h>

static void add(ask_plan *plan, ask_item item, double share, double mu)
{
    item.level = mu * sqrt(share / (double)item.count);
    if (share > 0)
        plan->item[plan->items++] = item;
}

static void add_one(ask_plan *plan, ask_kind kind, double share, double mu,
                    int64_t features)
{
    add(plan, (ask_item){.kind = kind, .count = 1, .block = features}, share,
        mu);
}

static void add_quantile(ask_plan *plan, ask_kind kind, double share, double mu)
{
    add(plan, (ask_item){.kind = kind, .count = 1, .noise = ASK_RANGE}, share,
        mu);
}

static void add_rounds(ask_plan *plan, const budget_split *r, double mu)
{
    int64_t counts[] = {r->first_rounds, r->rounds - r->first_rounds};
    double shares[] = {r->first, 1 - r->first};
    for (int i = 0; i < 2; i++) {
        double part = (double)counts[i] / (double)r->rounds;
        add(plan,
            (ask_item){.kind = r->wide ? ASK_GRADIENT : ASK_WHITENED,
                       .count = counts[i],
                       .and_next = r->lengths > 0},
            r->gradients * shares[i], mu);
        add(plan, (ask_item){.kind = ASK_LENGTHS, .count = counts[i]},
            r->lengths * part, mu);
    }
}

/* The same, with how sharply the loss bends in the midst and at the end of the
   first rounds. */
static void add_class_rounds(ask_plan *plan, const budget_split *r, double mu)
{
    int64_t half = r->first_rounds / 2;
    int64_t counts[] = {half, r->first_rounds - half,
                        r->rounds - r->first_rounds};
    for (int i = 0; i < 3; i++) {
        double part = (double)counts[i] / (double)r->rounds;
        double share =
            i == 2 ? 1 - r->first
                   : r->first * (double)counts[i] / (double)r->first_rounds;
        add(plan,
            (ask_item){.kind = ASK_CLASS_GRADIENT,
                       .count = counts[i],
                       .block = r->classes,
                       .and_next = 1},
            r->gradients * share, mu);
        add(plan, (ask_item){.kind = ASK_LENGTHS, .count = counts[i]},
            r->lengths * part, mu);
        if (i < 2)
            add_one(plan, ASK_CLASS_BEND, r->class_bend / 2, mu, r->classes);
    }
}

static void add_stages(ask_plan *plan, const budget_split *r, double mu)
{
    for (int i = 0; i < NEWTON_STAGES; i++) {
        newton_stage now = newton_stage_of(r, i);
        add_one(plan, ASK_CURVATURE, now.curvature, mu, r->features);
        add_one(plan, ASK_LENGTH_COUNTS, now.length_counts, mu, 0);
        add(plan, (ask_item){.kind = ASK_WHITENED, .count = now.rounds},
            now.gradients, mu);
    }
}

void budget_split_add(ask_plan *plan, const budget_split *r, double mu)
{
    int64_t p = r->features;
    add_one(plan, ASK_TARGET_COUNTS, r->target_counts, mu, 0);
    if (r->classes)
        add_one(plan, ASK_CLASS_COUNTS, r->target_mean, mu, r->classes);
    else
        add_one(plan, ASK_TARGET_MEAN, r->target_mean, mu, 0);
    add_one(plan, ASK_TARGET_MEAN, r->target_rest, mu, 0);
    add_quantile(plan, ASK_TARGET_QUANTILE, r->target_scale, mu);
    if (r->common_bound)
        add_one(plan, ASK_ROW_COUNTS, r->bounds, mu, 0);
    else
        add_one(plan, ASK_COLUMN_COUNTS, r->bounds, mu, r->unbounded);
    add_one(plan, ASK_ROW_COUNTS, r->row_counts, mu, 0);
    add_quantile(plan, ASK_ROW_QUANTILE, r->row_scale, mu);
    add_one(plan, ASK_COLUMN_COUNTS, r->column_counts, mu, p);
    add_one(plan, ASK_COLUMN_MEANS, r->column_means, mu, p);
    add_one(plan, ASK_COLUMN_SQUARES, r->column_squares, mu, p);
    add_one(plan, ASK_ROW_COUNTS, r->row_lengths, mu, 0);
    add_one(plan, ASK_MATRIX, r->matrix, mu, p);
    if (r->stages)
        add_stages(plan, r, mu);
    else if (r->classes && r->rounds > 0)
        add_class_rounds(plan, r, mu);
    else if (r->rounds > 0)
        add_rounds(plan, r, mu);
    add(plan, (ask_item){.kind = ASK_CHANGE, .count = r->stages ? 2 : 1},
        r->guard, mu);
}
