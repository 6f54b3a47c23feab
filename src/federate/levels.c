/*
 * From the budget to noise, and what a row costs.
 *
 * A whole row has columns of every party, and a label. It is charged for all
 * choices, all sketches and the labels' sketch. The part of a row that one
 * party holds is charged for what that party answers.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* F: how many columns all parties together send sketches of, at most. */
static int64_t all_caps(const federation *f)
{
    int64_t sum = 0;
    for (int k = 0; k < f->parties; k++)
        sum += f->party[k].cap;
    return sum;
}

/* ---- what is asked ---- */

ask_plan federation_asked(const federation *f, int64_t vertices,
                          int64_t sketches, int64_t labels)
{
    ask_plan plan = {.items = labels ? 3 : 2, .any_order = 1};
    plan.item[0] = (ask_item){.kind = ASK_ALONG,
                              .count = vertices,
                              .level = f->range,
                              .noise = ASK_GUMBEL};
    plan.item[1] = (ask_item){.kind = ASK_SKETCH,
                              .count = sketches,
                              .level = f->mu_sketch,
                              .block = f->buckets};
    plan.item[2] = (ask_item){.kind = ASK_LABELS,
                              .count = labels,
                              .level = f->mu_labels,
                              .block = f->buckets};
    return plan;
}

ask_plan federation_row_plan(const federation *f)
{
    return federation_asked(f, f->rounds, all_caps(f), !f->labels_known);
}

ask_plan federation_plan(const federation *f, int k)
{
    int labels = !f->labels_known && k == f->label_party;
    return federation_asked(f, f->party[k].turns, f->party[k].cap, labels);
}

sotto_status federation_events(account_list *out, const ask_plan *plan,
                               sotto_error *error)
{
    return curator_events(out, plan, ACCOUNT_ZERO_OUT, 0, error);
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

static sotto_status find_levels(federation *f, sotto_error *error)
{
    f->range = f->mu_labels = f->mu_sketch = 0;
    if (isinf(f->epsilon))
        return SOTTO_OK;
    share_out(f);
    ask_plan plan = federation_row_plan(f);
    sotto_status status = curator_calibrate(&plan, ACCOUNT_ZERO_OUT, 0,
                                            f->epsilon, f->delta, error);
    f->range = plan.item[0].level;
    f->mu_sketch = plan.item[1].level;
    f->mu_labels = f->labels_known ? 0 : plan.item[2].level;
    return status;
}

/*
 * The session is SHA-256 of the agreement's bytes: what sha256sum prints of the
 * file. If the file does not have rows and budget they are hashed after it:
 * another number of rows, or another budget, is another session.
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

void federation_set_rows(federation *f, int64_t rows)
{
    f->rows = rows;
    make_session(f);
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

/* The limits were measured: docs/parties.md. */
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
