/*
 * For many features of which few matter: some are chosen, one after another,
 * and a private Newton method is run on those.
 *
 *   1 response, bounds and widths of the columns, as newton_shape.c has them
 *   2 for t = 0, 1, ...: the feature with the best noisy score
 *                        |g_j|, in units of its clip, is chosen among those
 *                        that have not moved (the clips are so narrow, about
 *                        a sign, that l1 cannot be compared with it);
 *                        its partial derivative is asked for; the feature is
 *                        taken if that is above l1 and its noise, and moves
 *                        by its coordinate's model;
 *     until two were not taken, or the shares, which fall by 4/5
 *     each time, are too small
 *   3 newton on the features that were taken, from where they are, with all
 *     that is left
 *
 * When to stop depends on answers, and with it what is left: the questions
 * come out of one ASK_LATER, and choices are booked as Gaussians
 * (docs/privacy, Lemmas A14 and C19).
 *
 * Where the budget is worth very few selections, that costs more than it
 * gives back. Then their number is fixed, all is planned beforehand, and
 * choices are by permute-and-flip: of k of them each has 1 / k of their
 * epsilon, which for small k is more than mu / sqrt(k) gives.
 */
#include "feature_selection.h"

#include <math.h>
#include <string.h>

/* Of what the start leaves choices, derivatives and the fit had .49, .16 and
   .35 where choices were paid by eta^2 / 4 (measured). Now they cost pi / 2
   times that (Lemma A14). Where variances a_i / f_i add up the best shares are
   as sqrt(a_i), so that of choices is multiplied by sqrt(pi / 2). */
#define POOL .69    /* for selections, */
#define CHOICES .79 /* and of that for choosing */
#define FALLS .8    /* from one to the next */
#define LEAST_PART .002
#define MOST_PER_STRENGTH .2
/* In usual slopes. A slope of classes is bounded: there little more than a
   sign is left, which does not depend on a column's scale. */
#define CHOICE_CLIP_NUMBERS .3
#define CHOICE_CLIP_CLASSES .15
#define RELEASE_CLIP_NUMBERS 3.
#define RELEASE_CLIP_CLASSES 2.
#define USUAL_SLOPE_CLASSES .335
#define USUAL_SLOPE_PART .67   /* of that at the constant: the same */
#define USUAL_SLOPE_NUMBERS .7 /* in widths of the target */
enum { MOST_REFUSED = 2 };

/* Very few: n epsilon / ln p that a selection takes (measured), what of
   epsilon is for choosing, and what of the rest is for derivatives. */
#define PER_SELECTION 35
#define MOST_FEW 3
#define FEW_CHOICES .35
#define FEW_RELEASES .16

int64_t select_most(const newton_facts *f)
{
    double most = fmax(1, MOST_PER_STRENGTH * newton_strength(f));
    double last = log(LEAST_PART / (1 - FALLS)) / log(FALLS);
    return (int64_t)fmin(fmin(most, last + 1), (double)f->features);
}

double select_share(const budget_split *start, int64_t t)
{
    double pool = POOL * (1 - budget_split_shares(start));
    return pool * (1 - FALLS) * pow(FALLS, (double)t);
}

/* ---- very few ---- */

int64_t select_few(const newton_facts *f)
{
    double both = f->replace_one ? 1 : 2;
    double x = f->rows * f->epsilon * both / f->rows_per_person;
    double many = x / (PER_SELECTION * log((double)f->features + 2));
    if (!(f->epsilon > 0) || many >= MOST_FEW)
        return 0;
    return (int64_t)fmin(fmax(1, rint(many)), (double)f->features);
}

/* What comes before and between the choices has the rest of the budget, */
static double few_mu(const newton_facts *f)
{
    return (1 - FEW_CHOICES) * f->mu;
}

/* of which each derivative has this share, */
static double few_release(const budget_split *start)
{
    return FEW_RELEASES * (1 - budget_split_shares(start)) / (double)start->few;
}

/* and what comes last this. */
static newton_facts few_last(const newton_facts *f, const budget_split *start)
{
    newton_facts last = *f;
    last.mu =
        few_mu(f) * sqrt((1 - FEW_RELEASES) * (1 - budget_split_shares(start)));
    last.features = start->few;
    last.goes_on = 1;
    return last;
}

void select_add_few(ask_plan *plan, const newton_facts *f,
                    const budget_split *start)
{
    newton_facts last = few_last(f, start);
    budget_split fit = budget_split_dense(&last);
    budget_split_add(plan, start, few_mu(f));
    plan->item[plan->items++] =
        (ask_item){.kind = f->classes ? ASK_CLASS_CHOICE : ASK_CHOICE,
                   .count = start->few,
                   .block = f->classes,
                   .noise = ASK_FLIP,
                   .level = FEW_CHOICES * f->epsilon / (double)start->few,
                   .and_next = 1};
    plan->item[plan->items++] =
        (ask_item){.kind = f->classes ? ASK_CLASS_PARTIAL : ASK_PARTIAL,
                   .count = start->few,
                   .block = f->classes,
                   .level = few_mu(f) * sqrt(few_release(start))};
    budget_split_add(plan, &fit, last.mu);
}

/* ---- what all selections need ---- */

sotto_status select_tell_later(const selection *s, const ask_plan *plan,
                               sotto_error *error)
{
    return s->start.few > 0 ? SOTTO_OK
                            : curator_tell_plan(s->curator, plan, error);
}

double select_unit(const selection *s, int64_t j)
{
    if (s->settings->by_spread)
        return s->from.columns.spread[j];
    return s->settings->unit ? s->settings->unit[j] : 1;
}

/* ---- 1 ---- */

static sotto_status select_tell(selection *s, const newton_columns *k,
                                sotto_error *error)
{
    const solver_problem *p = s->problem;
    double *clip = mem_zeroed((size_t)(2 * k->count) + 2, sizeof *clip);
    double *choice = clip + k->count + 1;
    if (!clip)
        return error_memory(error);
    for (int64_t j = 0; j <= k->count; j++) {
        double scale = j < k->count ? k->scale[j] : 1;
        clip[j] = within(s->release_clip * scale, 1e-30, 1e30);
        choice[j] = within(s->choice_clip * scale, 1e-30, 1e30);
    }
    ask_scores scores = {.rule = ASK_UNTRUNCATED,
                         .clip = choice,
                         .low = -INFINITY,
                         .high = INFINITY,
                         .fresh = 1};
    sotto_status status = curator_tell_clips(s->curator, clip, error);
    if (status == SOTTO_OK && p->intercept)
        curator_tell(s->curator, k->count, s->from.response.constant);
    if (status == SOTTO_OK)
        status = curator_tell_scores(s->curator, &scores, error);
    mem_free(clip);
    return status;
}

static sotto_status select_start(selection *s, newton_columns *k,
                                 sotto_error *error)
{
    const solver_problem *p = s->problem;
    newton_response *response = &s->from.response;
    int classes = loss_has_classes(p->loss.kind);
    ask_plan plan = {0};
    budget_split_add(&plan, &s->start, s->settings->level);
    s->spent = budget_split_shares(&s->start);
    sotto_status status = select_tell_later(s, &plan, error);
    if (status == SOTTO_OK)
        status =
            p->classes
                ? newton_ask_classes(response, s->curator, p, s->rates, error)
                : newton_ask_response(response, s->curator, p, &s->start,
                                      s->settings->target_reach, error);
    if (status == SOTTO_OK)
        status = newton_ask_bounds(k, s->curator, &s->start, s->settings->reach,
                                   error);
    if (status == SOTTO_OK)
        status = newton_ask_columns(k, s->curator, &s->start, error);
    double slope = p->classes ? USUAL_SLOPE_PART * response->slope
                   : classes  ? USUAL_SLOPE_CLASSES
                              : USUAL_SLOPE_NUMBERS * response->width;
    s->choice_clip =
        slope * (classes ? CHOICE_CLIP_CLASSES : CHOICE_CLIP_NUMBERS);
    s->release_clip =
        slope * (classes ? RELEASE_CLIP_CLASSES : RELEASE_CLIP_NUMBERS);
    if (status != SOTTO_OK)
        return status;
    return p->classes ? select_classes_tell(s, k, error)
                      : select_tell(s, k, error);
}

/* ---- 2 ---- */

/* The two questions of one selection. */
static sotto_status select_ask(selection *s, double share, int64_t *j,
                               double *gradient, sotto_error *error)
{
    double level = s->settings->level;
    int64_t classes = s->problem->classes;
    ask_plan plan = {
        .items = 2,
        .item = {{.kind = classes ? ASK_CLASS_CHOICE : ASK_CHOICE,
                  .count = 1,
                  .block = classes,
                  .noise = ASK_RANGE,
                  .level = level * sqrt(CHOICES * share)},
                 {.kind = classes ? ASK_CLASS_PARTIAL : ASK_PARTIAL,
                  .count = 1,
                  .block = classes,
                  .level = level * sqrt((1 - CHOICES) * share)}}};
    sotto_status status = select_tell_later(s, &plan, error);
    s->spent += share;
    if (status == SOTTO_OK && classes)
        return select_classes_ask(s, j, gradient, error);
    if (status == SOTTO_OK)
        status = curator_ask_choice(s->curator, j, error);
    return status == SOTTO_OK
               ? curator_ask_partial(s->curator, *j, gradient, error)
               : status;
}

double select_sd(const selection *s, double share)
{
    double x = s->start.strength * (s->start.few > 0 ? 1 - FEW_CHOICES : 1);
    return 2 * s->release_clip / (x * sqrt(share));
}

/* Whether feature j is taken, by its derivative g in the column's own units,
   which had this share; then it moves by as much as its model says. One that
   a box or rounding holds at 0 could be chosen again, and is not taken. */
static int select_take(selection *s, double share, int64_t j,
                       const double *gradient)
{
    const solver_problem *p = s->problem;
    double scale = s->from.columns.scale[j], g = *gradient / scale;
    double l1 = p->l1 * select_unit(s, j) / scale;
    double l2 =
        p->l2 * (select_unit(s, j) / scale) * (select_unit(s, j) / scale);
    double sd = select_sd(s, share);
    double over = fabs(g) - l1;
    if (!(over >= select_sure(p) * sd))
        return 0;
    double step = copysign(over, -g) / (loss_usual_curvature(&p->loss) + l2);
    double to = within(step / scale, p->low, p->high);
    double moved = curator_tell(s->curator, j, to);
    if (moved == 0)
        return 0;
    s->taken[s->count] = j;
    s->weight[s->count++] = moved;
    return 1;
}

static sotto_status select_features(selection *s, int64_t most,
                                    solver_progress progress, void *context,
                                    sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int refused = 0;
    int most_refused = s->start.few > 0 ? (int)most : MOST_REFUSED;
    for (int64_t t = 0; t < most && refused < most_refused; t++) {
        double share = select_share(&s->start, t);
        int64_t j;
        status = select_ask(s, share, &j, s->gradient, error);
        if (status != SOTTO_OK)
            return status;
        double release =
            s->start.few > 0 ? few_release(&s->start) : (1 - CHOICES) * share;
        refused += !(s->problem->classes ? select_classes_take : select_take)(
            s, release, j, s->gradient);
        solver_stage at = {.5 * (double)(t + 1) / (double)most, "selection",
                           t + 1, most};
        status = solver_tell(progress, context, at, error);
        if (status != SOTTO_OK)
            return status;
    }
    return status;
}

/* ---- 3 ---- */

typedef struct second_half {
    solver_progress progress;
    void *context;
} second_half;

static int half_done(void *context, const solver_stage *at)
{
    const second_half *h = context;
    solver_stage whole = *at;
    whole.share = .5 + at->share / 2;
    return h->progress(h->context, &whole);
}

static sotto_status select_fit(selection *s, solver_answer *out,
                               solver_progress progress, void *context,
                               sotto_error *error)
{
    const newton_columns *all = &s->from.columns;
    newton_from from = {.response = s->from.response, .start = s->weight};
    double left = sqrt(1 - s->spent) * (1 - 0x1p-40);
    newton_settings set = *s->settings;
    second_half half = {progress, context};
    ask_plan plan = {0};
    double *memory = newton_columns_make(&from.columns, s->count);
    if (!memory)
        return error_memory(error);
    from.columns.feature = s->taken;
    for (int64_t j = 0; j < s->count; j++)
        from.columns.bound[j] = all->bound[s->taken[j]];
    set.facts.features = s->count;
    set.facts.mu *= left;
    set.facts.goes_on = 1;
    if (s->start.few > 0)
        set.facts = few_last(&s->settings->facts, &s->start);
    set.rule = budget_split_dense(&set.facts);
    budget_split_add(&plan, &set.rule, s->settings->level * left);
    sotto_status status = select_tell_later(s, &plan, error);
    if (status == SOTTO_OK)
        status = newton_on_columns(out, s->curator, s->problem, &set, &from,
                                   progress ? half_done : NULL, &half, error);
    mem_free(memory);
    return status;
}

/* Room for so many features; 0: out of memory. */
static int take_memory(selection *s, int64_t most)
{
    size_t classes = s->problem->classes ? (size_t)s->problem->classes : 1;
    s->taken = mem_zeroed((size_t)most + 1, sizeof *s->taken);
    s->weight = mem_zeroed(((size_t)most + 2 + NEWTON_OF_CLASS) * classes,
                           sizeof *s->weight);
    if (!s->taken || !s->weight)
        return 0;
    s->gradient = s->weight + ((size_t)most + 1) * classes;
    s->rates = s->gradient + classes;
    return 1;
}

/* The model without features: the best constant. */
static void release_constant(const selection *s, solver_answer *out)
{
    const solver_problem *p = s->problem;
    out->intercept = p->intercept ? s->from.response.released : 0;
    for (int64_t k = 0; p->intercept && k < p->classes; k++)
        out->class_intercept[k] = s->from.response.class_released[k];
}

sotto_status select_run(solver_answer *out, curator *c, const solver_problem *p,
                        const newton_settings *set, solver_progress progress,
                        void *context, sotto_error *error)
{
    selection s = {
        .problem = p, .settings = set, .curator = c, .start = set->rule};
    int64_t most = set->rule.few > 0 ? set->rule.few : select_most(&set->facts);
    double *memory = newton_columns_make(&s.from.columns, p->features);
    size_t classes = p->classes ? (size_t)p->classes : 1;
    sotto_status status =
        take_memory(&s, most) && memory ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK) {
        memset(out->weight, 0,
               (size_t)p->features * classes * sizeof *out->weight);
        status = solver_tell(progress, context,
                             (solver_stage){.name = "bounds"}, error);
    }
    if (status == SOTTO_OK)
        status = select_start(&s, &s.from.columns, error);
    if (status == SOTTO_OK)
        status = select_features(&s, most, progress, context, error);
    if (status == SOTTO_OK)
        release_constant(&s, out);
    if (status == SOTTO_OK)
        status = s.count > 0
                     ? select_fit(&s, out, progress, context, error)
                     : solver_tell(progress, context,
                                   (solver_stage){1, "selection", most, most},
                                   error);
    mem_free(memory);
    mem_free(s.taken);
    mem_free(s.weight);
    return status;
}
