/*
 * What `sotto plan --explain` says of `auto` and `newton`: the way, why, what
 * each question gets of the budget, and what noise to expect. Public, all of
 * it.
 */
#include "newton.h"

#include <math.h>

static void explain_line(const ask_item *item, double mu, text_buffer *t)
{
    double times = ask_mechanism_of(item->noise)->square;
    double share =
        times * item->level * item->level * (double)item->count / (mu * mu);
    text_format(t, "  %-22s %5lld  ", ask_name(item->kind),
                (long long)item->count);
    if (times == 0) /* not of mu^2 */
        text_format(t, "epsilon %9s each\n",
                    sotto_number_print_up(item->level, 5).text);
    else
        text_format(t, "%7s %%  %9s\n", sotto_number_fixed(100 * share, 2).text,
                    sotto_number_fixed(item->level, 5).text);
}

/* The questions of the rule, and of the selections as if none was refused. */
static void explain_questions(const solver_run *r, double mu, text_buffer *t)
{
    const newton_planned *n = r->state;
    ask_plan plan = r->plan;
    if (ask_planned(&r->plan, ASK_LATER)) {
        plan.items--;
        budget_split_add(&plan, &n->rule, r->plan.item[plan.items].level);
    }
    for (int i = 0; i < plan.items; i++)
        explain_line(&plan.item[i], mu, t);
    if (n->path != PATH_SELECT || n->rule.few > 0)
        return;
    double level = r->plan.item[r->plan.items - 1].level, all = 0;
    int64_t most = select_most(&n->whole);
    for (int64_t k = 0; k < most; k++)
        all += select_share(&n->rule, k);
    all *= level * level / (mu * mu);
    text_format(t, "  %-22s %5lld  %7s %%  at most, each 4/5 of the last\n",
                "choice, and partial", (long long)most,
                sotto_number_fixed(100 * all, 2).text);
    double rest =
        level * level / (mu * mu) * (1 - budget_split_shares(&n->rule));
    text_format(t, "  %-22s        %7s %%  at least, on what was chosen\n",
                "dense", sotto_number_fixed(100 * (rest - all), 2).text);
}

/* What nobody declared, and what it takes to do without. */
static void explain_bounds(const solver_run *r, text_buffer *t)
{
    const newton_planned *n = r->state;
    const newton_facts *f = &n->whole;
    const budget_split *rule = &n->rule;
    if (!r->smooth.reach) {
        text_put(t, "bounds      taken to be declared; --schema FILE says\n");
        return;
    }
    text_format(t, "bounds      %lld of %lld features have them",
                (long long)(f->features - f->unbounded - r->facts.scaled),
                (long long)f->features);
    if (r->facts.scaled > 0)
        text_put(t, "; the others are divided by their length in each row,\n"
                    "            which is free (--undeclared rows)");
    if (f->unbounded > 0 && rule->bounds > 0)
        text_format(t, "; the others are bought, %s, for %s %%%s",
                    rule->common_bound ? "one for all" : "one for each",
                    sotto_number_print(100 * rule->bounds, 2).text,
                    rule->common_bound ? "\n            (--undeclared rows is "
                                         "free, and another model)"
                                       : "");
    else if (f->unbounded > 0)
        text_format(t, "; nothing that is asked needs the others");
    text_put(t, "\n");
    if (f->target_unbounded)
        text_format(t, "            the target has none: bought for %s %%\n",
                    sotto_number_print(100 * rule->target_counts, 2).text);
}

/* The threshold, and that the rest depends on what is released. */
static void explain_levels(const solver_run *r, text_buffer *t)
{
    if (!r->facts.level_columns)
        return;
    double people = ask_people_shown(r->policy, &r->plan.item[0]);
    double share = solver_levels_share(&r->facts);
    text_format(
        t,
        "levels      of %lld column%s: those of about %s people and "
        "more, for %s %%;\n            each column is one feature here, "
        "and the rest is planned again when\n            its levels are "
        "known\n",
        (long long)r->facts.level_columns,
        r->facts.level_columns > 1 ? "s" : "",
        sotto_number_print(ceil(people), 6).text,
        sotto_number_print(100 * share, 2).text);
}

static void explain_noise(const solver_run *r, text_buffer *t)
{
    const newton_planned *n = r->state;
    const newton_facts *f = &n->whole;
    const budget_split *rule = &n->rule;
    double x = newton_strength(f), d = (double)(f->features + f->intercept);
    if (rule->matrix > 0) {
        text_format(t, "centres     %s\n",
                    rule->column_means > 0 ? "asked for" : "not asked for");
        text_format(
            t,
            "matrix      directions below %s of the mean variance "
            "are hidden\n",
            sotto_number_print(
                sqrt(2) * .7 * d / (x * sqrt(rule->matrix)) * sqrt(2 * d), 2)
                .text);
    }
    if (rule->gradients > 0)
        text_format(
            t, "noise       at least %s of the spread of the slopes\n",
            sotto_number_print(2 * sqrt(d) / (x * sqrt(rule->gradients)), 2)
                .text);
    if (x < 100)
        text_put(t,
                 "warning     strength < 100: close to the intercept alone\n");
}

void auto_explain(const solver_run *r, text_buffer *t)
{
    const newton_planned *n = r->state;
    const newton_facts *f = &n->whole;
    double x = newton_strength(f), sum = 0;
    for (int i = 0; i < r->plan.items; i++)
        if (r->plan.item[i].noise != ASK_FLIP)
            sum += r->plan.item[i].level * r->plan.item[i].level *
                   (double)r->plan.item[i].count;
    text_format(t, "path        %s (%s)\n", auto_path_name(n->path), n->why);
    if (f->loss.kind != r->problem.loss.kind)
        text_format(t,
                    "loss        %s, with a bend of width %s about its corner, "
                    "in what is asked\n",
                    loss_name(r->problem.loss.kind),
                    sotto_number_print(f->loss.delta, 2).text);
    if (n->rule.few > 0)
        text_put(t, "            n epsilon / (35 ln p) < 3: very few choices, "
                    "with pure noise\n");
    text_format(t, "mu          %s\n", sotto_number_fixed(sqrt(sum), 5).text);
    text_format(t,
                "strength    %s: n mu%s, doubled where a record is added, "
                "removed or blanked\n",
                sotto_number_fixed(x, 1).text,
                f->rows_per_person > 1 ? " over the rows of a person" : "");
    text_format(t, "p/strength  %s\n",
                sotto_number_fixed((double)f->features / x, 4).text);
    if (n->rule.stages)
        text_format(t,
                    "rounds      %lld, in %d stages, each with a clip of its "
                    "own\n",
                    (long long)n->rule.rounds, NEWTON_STAGES);
    else if (n->rule.rounds > 0)
        text_format(t,
                    "rounds      %lld, of which the last %lld are averaged\n",
                    (long long)n->rule.rounds,
                    (long long)(n->rule.rounds - n->rule.first_rounds));
    if (n->path == PATH_DENSE && budget_split_by_rate(f))
        text_put(t,
                 "            which of two plans is taken depends on the rarer "
                 "class, which is asked first:\n            with less than "
                 "30 % of the rows the one below, else stages\n");
    if (f->classes)
        text_format(t,
                    "classes     %lld%s: one gradient of all of them a round, "
                    "shortened as a whole\n",
                    (long long)f->classes,
                    r->problem.one_versus_rest ? ", each against all others"
                                               : "");
    text_put(t, "\n  question               times  of budget      level\n");
    explain_questions(r, sqrt(sum), t);
    text_format(
        t,
        "\nthe intercept is known to about %s of the target's "
        "bound\n",
        sotto_number_print(2 / (x * sqrt(fmax(n->rule.target_mean, .01))), 2)
            .text);
    explain_bounds(r, t);
    explain_levels(r, t);
    explain_noise(r, t);
}
