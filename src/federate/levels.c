/*
 * From the budget to noise, and what is spent of whom.
 *
 * One whole row is in every party's columns and in the labels: all choices,
 * all sketches and the labels' sketch together are what it costs. A party's
 * own part of a row costs what that party answers.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* F: what all parties together show at most. */
static int64_t all_caps(const federation *f)
{
    int64_t sum = 0;
    for (int k = 0; k < f->parties; k++)
        sum += f->party[k].cap;
    return sum;
}

static int shows_labels(const federation *f, int k)
{
    return !f->labels_known && k == f->label_party;
}

/* ---- events ---- */

static void add_question(federation_questions *all, const char *name,
                         account_kind kind, double level, int64_t times)
{
    if (!times)
        return;
    all->name[all->count] = name;
    all->question[all->count++] =
        (account_question){.kind = kind, .level = level, .times = times};
}

static federation_questions questions_of(const federation *f, int64_t vertices,
                                         int64_t sketches, int labels)
{
    double drawn = (double)(sketches + labels) * (double)f->buckets;
    federation_questions all = {.draws = (double)vertices + drawn};
    add_question(&all, "vertex", ACCOUNT_RANGE, f->range, vertices);
    add_question(&all, "sketch", ACCOUNT_GAUSS, f->mu_sketch, sketches);
    add_question(&all, "labels", ACCOUNT_GAUSS, f->mu_labels, labels);
    return all;
}

federation_questions federation_row_questions(const federation *f)
{
    return questions_of(f, f->rounds, all_caps(f), !f->labels_known);
}

federation_questions federation_slice_questions(const federation *f, int k)
{
    return questions_of(f, f->party[k].turns, f->party[k].cap,
                        shows_labels(f, k));
}

/* In any order: who is asked what, and when, may follow from answers. */
static sotto_status make_events(account_list *out,
                                const federation_questions *all,
                                sotto_error *error)
{
    *out = (account_list){.adjacency = ACCOUNT_ZERO_OUT, .draws = all->draws};
    sotto_status status = account_ask(out, all->question, all->count, error);
    if (status != SOTTO_OK)
        account_free(out);
    return status;
}

sotto_status federation_events(account_list *out, const federation *f,
                               sotto_error *error)
{
    federation_questions all = federation_row_questions(f);
    return make_events(out, &all, error);
}

sotto_status federation_slice(account_list *out, const federation *f, int k,
                              sotto_error *error)
{
    federation_questions all = federation_slice_questions(f, k);
    return make_events(out, &all, error);
}

/* ---- calibration ---- */

/* Shares of rho: choices of range eta cost eta^2 / 8, Gaussians mu^2 / 2. */
static void share_out(federation *f)
{
    double sketches = f->share[2] + (f->labels_known ? f->share[1] : 0);
    f->range = sqrt(8 * f->share[0] / (double)f->rounds);
    f->mu_labels = f->labels_known ? 0 : sqrt(2 * f->share[1]);
    f->mu_sketch = sqrt(2 * sketches / (double)all_caps(f));
}

static void divide(void *of, double by)
{
    federation *f = of;
    f->range /= by;
    f->mu_labels /= by;
    f->mu_sketch /= by;
}

static sotto_status find_multiplier(const federation *f, double *z,
                                    sotto_error *error)
{
    federation_questions all = federation_row_questions(f);
    account_target target = {.adjacency = ACCOUNT_ZERO_OUT,
                             .draws = all.draws,
                             .epsilon = f->epsilon,
                             .delta = f->delta};
    return account_multiplier(z, all.question, all.count, &target, error);
}

static sotto_status row_price(void *of, double *epsilon, sotto_error *error)
{
    const federation *f = of;
    account_list events;
    account_price price = {0};
    sotto_status status = federation_events(&events, f, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&events, f->delta, &price, error);
    account_free(&events);
    *epsilon = price.epsilon;
    return status;
}

static sotto_status find_levels(federation *f, sotto_error *error)
{
    double z;
    f->range = f->mu_labels = f->mu_sketch = 0;
    if (isinf(f->epsilon))
        return SOTTO_OK;
    share_out(f);
    sotto_status status = find_multiplier(f, &z, error);
    if (status != SOTTO_OK)
        return status;
    account_levels levels = {f, row_price, divide};
    return account_divide(&levels, z, f->epsilon, error);
}

/*
 * The agreement's bytes, all of them: what sha256sum prints of the file. Where
 * rows and budget do not stand in it they are hashed behind it: another number
 * of rows, or another budget, is another session.
 */
static void make_session(federation *f)
{
    uint64_t all[3] = {(uint64_t)f->rows};
    f->session = f->file;
    if (f->agreed_rows && f->agreed_epsilon > 0)
        return;
    memcpy(all + 1, (const double[]){f->epsilon, f->delta}, 2 * sizeof *all);
    hash_add(&f->session, all, sizeof all);
}

sotto_status federation_settle(federation *f, sotto_error *error)
{
    sotto_status status = federation_schedule(f, error);
    if (status == SOTTO_OK)
        status = find_levels(f, error);
    if (status == SOTTO_OK)
        make_session(f);
    return status;
}

/* ---- what a curator needs to know ---- */

ask_plan federation_plan(const federation *f, int k)
{
    const federation_party *p = &f->party[k];
    ask_plan plan = {.any_order = 1};
    if (shows_labels(f, k))
        plan.item[plan.items++] = (ask_item){.kind = ASK_LABELS,
                                             .count = 1,
                                             .level = f->mu_labels,
                                             .block = f->buckets};
    plan.item[plan.items++] = (ask_item){.kind = ASK_ALONG,
                                         .count = p->turns,
                                         .level = f->range,
                                         .noise = ASK_GUMBEL};
    plan.item[plan.items++] = (ask_item){.kind = ASK_SKETCH,
                                         .count = p->cap,
                                         .level = f->mu_sketch,
                                         .block = f->buckets};
    return plan;
}

curator_policy federation_policy(const federation *f, int k)
{
    return (curator_policy){.adjacency = ACCOUNT_ZERO_OUT,
                            .rows_per_person = 1,
                            .rows = (double)f->rows,
                            .loss = {LOSS_SQUARED, 0},
                            .weight_bound = 1,
                            .without_noise = isinf(f->epsilon),
                            .insecure = f->insecure,
                            .seed = f->noise_seed,
                            .buckets = f->buckets,
                            .sketch_seed = f->seed,
                            .constant = f->party[k].constant,
                            .labels_known = f->labels_known,
                            .party = (uint64_t)k + 1};
}

/* ---- what is to be expected ---- */

sotto_status federation_mu(const federation *f, double *mu, sotto_error *error)
{
    account_question one = {.kind = ACCOUNT_GAUSS, .level = 1, .times = 1};
    account_target target = {.adjacency = ACCOUNT_ZERO_OUT,
                             .epsilon = f->epsilon,
                             .delta = f->delta};
    *mu = INFINITY;
    if (isinf(f->epsilon))
        return SOTTO_OK;
    sotto_status status = account_multiplier(mu, &one, 1, &target, error);
    *mu = 1 / *mu;
    return status;
}

/* Measured: docs/parties.md. */
const char *federation_class(const federation *f, double mu)
{
    int64_t columns = 0;
    for (int k = 0; k < f->parties; k++)
        columns += federation_columns(f, k);
    double least = f->labels_known ? 5e3 : 4e4;
    return (double)f->rows * mu * mu >= least && columns <= 1000
               ? "good"
               : "experimental";
}

double federation_paper_uplink(const federation *f)
{
    return (double)f->movers * (double)f->rounds * (4 + 8 * (double)f->buckets);
}
