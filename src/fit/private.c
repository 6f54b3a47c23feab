/*
 * Private training: the policy and the plan are made of public quantities,
 * the accountant turns the budget into noise, and then the curator takes the
 * records and the solver asks what was planned.
 */
#include "curator.h"
#include "fit.h"
#include "number.h"
#include "solver.h"

#include <math.h>
#include <string.h>

/* ---- what is needed ---- */

static sotto_status check_settings(const sotto_options *options,
                                   sotto_error *error)
{
    double clip = option_given(options, OPTION_CLIP)
                      ? option_number(options, OPTION_CLIP)
                      : 1;
    if (option_given(options, OPTION_PASSES) &&
        option_given(options, OPTION_STEPS))
        return error_set(error, SOTTO_USAGE,
                         "expected one of --passes and --steps");
    if (!isinf(clip) && !(clip >= 1e-25 && clip <= 1e25))
        return error_set(error, SOTTO_USAGE,
                         "--clip: expected a number from 1e-25 to 1e25, or inf "
                         "without privacy");
    if (option_is(options, OPTION_LOSS, "hinge"))
        return error_set(error, SOTTO_USAGE,
                         "--solver cd: the hinge loss is not smooth; expected "
                         "squared, logistic, squared-hinge or huber");
    return SOTTO_OK;
}

/* What may be spent is written beside the model, before the first question. */
static sotto_status check_output(const sotto_options *options,
                                 sotto_error *error)
{
    const char *output = option_text(options, OPTION_OUTPUT);
    if (!output)
        return SOTTO_OK; /* a plan, or a caller of the library */
    if (!strcmp(output, "-") || !strncmp(output, "/dev/", 5) ||
        !strncmp(output, "/proc/", 6))
        return error_set(error, SOTTO_PRIVACY,
                         "private training needs -o FILE: what it may spend is "
                         "written beside it");
    return fit_check_spent(output, error);
}

sotto_status fit_check_private(const sotto_options *options, sotto_error *error)
{
    if (!option_given(options, OPTION_SOLVER))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --solver cd: none is chosen by itself yet");
    if (option_is(options, OPTION_SOLVER, "exact"))
        return error_set(error, SOTTO_PRIVACY,
                         "--solver exact is not private: expected --epsilon "
                         "inf with it, or no --epsilon");
    if (option_private(options) && !(option_given(options, OPTION_DELTA) &&
                                     option_number(options, OPTION_DELTA) > 0))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --delta: the probability with which the "
                         "guarantee may fail, well below 1 / rows");
    sotto_status status = check_settings(options, error);
    if (status != SOTTO_OK)
        return status;
    if (option_private(options) && option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_PRIVACY,
                         "--clip inf is not private: expected a finite clip");
    if (option_private(options) && !option_given(options, OPTION_INSECURE_SEED))
        return check_output(options, error);
    return SOTTO_OK;
}

/* ---- policy ---- */

/* What is public about a table, or about one that is only planned for. */
typedef struct public_facts {
    int64_t features;
    double rows; /* 0: not public */
    double weight_bound;
    int has_people;
} public_facts;

/*
 * The number of rows is public where neighbours have as many: a record is
 * another one or blanked, each person has one row, and no row can be made to
 * be dropped.
 */
static public_facts facts_of(const sotto_table *t, account_adjacency adjacency,
                             const sotto_options *options)
{
    public_facts f = {t->features, 0, t->weight_bound, t->unit != NULL};
    if (option_given(options, OPTION_ROWS))
        f.rows = option_number(options, OPTION_ROWS);
    else if (adjacency != ACCOUNT_ADD_REMOVE && !t->weight && !t->unit &&
             option_integer(options, OPTION_ROWS_PER_PERSON) == 1 &&
             !t->drops_rows)
        f.rows = (double)t->rows;
    return f;
}

static account_adjacency adjacency_of(const sotto_options *options)
{
    account_adjacency adjacency = ACCOUNT_ADD_REMOVE;
    if (option_given(options, OPTION_ADJACENCY))
        account_adjacency_named(option_text(options, OPTION_ADJACENCY),
                                &adjacency);
    return adjacency;
}

static curator_policy make_policy(const public_facts *f, const fit_task *task,
                                  const sotto_options *options)
{
    static const char *const isas[] = {[KERNEL_AUTO] = "auto",
                                       [KERNEL_SCALAR] = "scalar",
                                       [KERNEL_AVX2] = "avx2",
                                       [KERNEL_AVX512] = "avx512"};
    curator_policy p = {
        .adjacency = adjacency_of(options),
        .rows_per_person = option_integer(options, OPTION_ROWS_PER_PERSON),
        .has_people = f->has_people,
        .rows = f->rows,
        .loss = task->loss,
        .weight_bound = f->weight_bound,
        .intercept = task->intercept,
        .without_noise = !option_private(options),
        .insecure = option_given(options, OPTION_INSECURE_SEED)};
    if (p.insecure)
        p.seed = (uint64_t)option_integer(options, OPTION_INSECURE_SEED);
    for (int i = 0; i < 4; i++)
        if (option_is(options, OPTION_ISA, isas[i]))
            p.isa = (kernel_isa)i;
    p.threads = (int)option_integer(options, OPTION_THREADS);
    if (p.threads == 0)
        p.threads = thread_limit();
    return p;
}

/* ---- smoothness ---- */

typedef struct smoothness {
    double *m;     /* features, and the intercept */
    double *reach; /* how far each feature goes */
    double share;  /* of the budget; 0: nothing is asked */
    const char *how;
} smoothness;

static sotto_status read_smoothness(smoothness *s, const char *path,
                                    int64_t features, sotto_error *error)
{
    char *text = NULL;
    size_t size;
    sotto_status status = file_read(path, (size_t)1 << 30, &text, &size, error);
    if (status != SOTTO_OK)
        return status;
    int64_t count = 0;
    for (char *word = strtok(text, " \t\r\n,"); word;
         word = strtok(NULL, " \t\r\n,")) {
        double x;
        if (!number_whole(word, &x) || !(x > 0) || count > features) {
            mem_free(text);
            return error_set(error, SOTTO_USAGE,
                             "%s: expected %lld numbers above 0, one for each "
                             "feature (and one for the intercept)",
                             show_name(path).text, (long long)features);
        }
        s->m[count++] = x;
    }
    mem_free(text);
    if (count < features)
        return error_set(error, SOTTO_USAGE,
                         "%s: expected %lld numbers, one for each feature",
                         show_name(path).text, (long long)features);
    return SOTTO_OK;
}

static sotto_status need_bounds(const sotto_table *t, smoothness *s,
                                sotto_error *error)
{
    char buffer[24];
    for (int64_t j = 0; j < t->features; j++) {
        s->reach[j] = t->reach ? t->reach[j] : INFINITY;
        if (!isfinite(s->reach[j]))
            return error_set(
                error, SOTTO_PRIVACY,
                "column \"%s\" has no bounds: declare them in a schema, or "
                "give --smoothness FILE",
                show_name(sotto_table_feature_name(t, j, buffer)).text);
    }
    return SOTTO_OK;
}

static const char *smoothness_word(const sotto_options *options)
{
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    return !how || !strcmp(how, "bounds") ? "from declared bounds"
           : !strncmp(how, "private:", 8) ? "estimated privately"
                                          : "a file, declared by the operator";
}

/* The part of the budget that "private:0.1" says; 0 for others. */
static sotto_status moments_share(const sotto_options *options, double *share,
                                  sotto_error *error)
{
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    *share = 0;
    if (!how || strncmp(how, "private", 7))
        return SOTTO_OK;
    if (how[7] != ':' || !number_whole(how + 8, share) ||
        !(*share > 0 && *share < .99))
        return error_set(error, SOTTO_USAGE,
                         "--smoothness private:SHARE: expected a share of the "
                         "budget between 0 and 0.99");
    return SOTTO_OK;
}

/* "bounds", "private:0.1" or a file; the intercept's feature is always 1. */
static sotto_status find_smoothness(smoothness *s, const sotto_table *t,
                                    const fit_task *task,
                                    const sotto_options *options,
                                    sotto_error *error)
{
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    double curvature = loss_curvature_bound(&task->loss) * t->weight_bound;
    size_t count = (size_t)t->features + 1;
    s->m = mem_zeroed(count, sizeof *s->m);
    s->reach = mem_zeroed(count, sizeof *s->reach);
    if (!s->m || !s->reach)
        return error_memory(error);
    s->m[t->features] = curvature;
    s->how = smoothness_word(options);
    if (how && strcmp(how, "bounds") && strncmp(how, "private", 7))
        return read_smoothness(s, how, t->features, error);
    sotto_status status = need_bounds(t, s, error);
    for (int64_t j = 0; status == SOTTO_OK && j < t->features; j++)
        s->m[j] = curvature * s->reach[j] * s->reach[j];
    if (status == SOTTO_OK)
        status = moments_share(options, &s->share, error);
    return status;
}

/* ---- plan and noise ---- */

/* The parts of mu^2 that each question gets: all of them are Gaussian. */
typedef struct shares {
    double total, moments, partial; /* the last for each of its steps */
} shares;

static sotto_status exact_noise(ask_plan *plan, const curator_policy *policy,
                                const shares *s, int64_t features,
                                const sotto_options *options,
                                sotto_error *error)
{
    char settings[200], text[80] = "K*GAUSS(c/z)";
    int64_t steps = plan->count[ASK_PARTIAL];
    snprintf(settings, sizeof settings, "a=%.17g,b=%.17g,c=%.17g,K=%lld",
             sqrt(s->total), sqrt(s->moments), sqrt(s->partial),
             (long long)steps);
    strcat(text, s->total > 0 ? "+GAUSS(a/z)" : "");
    strcat(text, s->moments > 0 ? "+GAUSS(b/z)" : "");
    account_target target = {.plan = text,
                             .settings = settings,
                             .adjacency = policy->adjacency,
                             .ordered = 1,
                             .draws = (double)steps + 1 +
                                      curator_draws(ASK_MOMENTS, features),
                             .epsilon = option_number(options, OPTION_EPSILON),
                             .delta = option_number(options, OPTION_DELTA)};
    account_list events = {0};
    account_price price;
    double z;
    sotto_status status =
        account_calibrate(&events, &z, &price, &target, error);
    account_free(&events);
    if (status != SOTTO_OK)
        return status;
    z *= 1 + 0x1p-40; /* so that rounding below cannot make it dearer */
    plan->mu[ASK_TOTAL] = sqrt(s->total) / z;
    plan->mu[ASK_MOMENTS] = sqrt(s->moments) / z;
    plan->mu[ASK_PARTIAL] = sqrt(s->partial) / z;
    return SOTTO_OK;
}

/* The DP-CD paper's own formulas; the statement gives what they cost. */
static sotto_status paper_noise(ask_plan *plan, const shares *s,
                                const sotto_options *options,
                                sotto_error *error)
{
    int theorem = option_is(options, OPTION_CALIBRATION, "theorem");
    double z;
    if (s->total > 0 || s->moments > 0)
        return error_set(error, SOTTO_USAGE,
                         "--calibration: the paper knows no questions but "
                         "partial derivatives; expected --rows N or another "
                         "adjacency, and --smoothness bounds or FILE");
    for (int64_t i = 0; account_paper_at(i); i++)
        if (!strcmp(account_paper_at(i)->name,
                    theorem ? "dp-cd-3.1" : "dp-cd-18")) {
            sotto_status status = account_paper_multiplier(
                i, (double)plan->count[ASK_PARTIAL], 1,
                option_number(options, OPTION_EPSILON),
                option_number(options, OPTION_DELTA), &z, error);
            plan->mu[ASK_PARTIAL] = status == SOTTO_OK ? 1 / z : 0;
            return status;
        }
    return error_set(error, SOTTO_FAILED, "the paper's formula is not there");
}

static sotto_status make_plan(ask_plan *plan, const curator_policy *policy,
                              double moments, int64_t steps_in_round,
                              int64_t features, const sotto_options *options,
                              sotto_error *error)
{
    double asked =
        (double)steps_in_round * option_number(options, OPTION_ROUNDS);
    if (asked > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--rounds, --steps, --passes: at most 1e9 questions "
                         "in all");
    int64_t steps = (int64_t)asked;
    shares s = {policy->rows > 0 ? 0 : .01, moments, 0};
    s.partial = (1 - s.total - s.moments) / (double)steps;
    *plan = (ask_plan){{s.total > 0, s.moments > 0, steps}, {0}};
    if (!option_private(options))
        return SOTTO_OK;
    sotto_status status =
        option_is(options, OPTION_CALIBRATION, "exact")
            ? exact_noise(plan, policy, &s, features, options, error)
            : paper_noise(plan, &s, options, error);
    return status == SOTTO_OK ? curator_check(policy, plan, features, error)
                              : status;
}

/* ---- settings ---- */

/* Steps in a round: given, or so many passes over all coordinates. */
static int64_t steps_of(const sotto_options *options, int64_t coordinates)
{
    if (option_given(options, OPTION_STEPS))
        return option_integer(options, OPTION_STEPS);
    return coordinates * (option_given(options, OPTION_PASSES)
                              ? option_integer(options, OPTION_PASSES)
                              : 20);
}

static cd_order order_of(const sotto_options *options)
{
    return option_is(options, OPTION_ORDER, "uniform")  ? CD_UNIFORM
           : option_is(options, OPTION_ORDER, "cyclic") ? CD_CYCLIC
                                                        : CD_PERMUTED;
}

/* Without --clip: a record's slope is about 1, and then its part of
   coordinate j about sqrt(M_j / curvature). */
static cd_settings make_settings(const sotto_options *options,
                                 const fit_task *task, const smoothness *s,
                                 int64_t features)
{
    int64_t coordinates = features + task->intercept;
    double sum = 0;
    for (int64_t j = 0; j < coordinates; j++)
        sum += s->m[j];
    double usual = sqrt(sum / loss_curvature_bound(&task->loss));
    return (cd_settings){.rounds = option_integer(options, OPTION_ROUNDS),
                         .steps = steps_of(options, coordinates),
                         .step_size = option_number(options, OPTION_STEP_SIZE),
                         .clip = option_given(options, OPTION_CLIP)
                                     ? option_number(options, OPTION_CLIP)
                                     : usual,
                         .average = option_given(options, OPTION_AVERAGE)
                                        ? option_number(options, OPTION_AVERAGE)
                                        : .5,
                         .order = order_of(options),
                         .smoothness = s->m};
}

/* ---- the run ---- */

typedef struct private_run {
    fit_task task;
    fit_maps maps;
    smoothness smooth;
    curator_policy policy;
    ask_plan plan;
    cd_settings settings;
    curator *curator;
    double *weight;
    const sotto_watch *watch;
} private_run;

static int run_look(void *context, double share)
{
    const private_run *r = context;
    sotto_progress progress = {share, NAN};
    return r->watch->look(r->watch->context, &progress);
}

static sotto_status run_solver(private_run *r, sotto_model *m,
                               sotto_error *error)
{
    solver_problem p = {r->task.loss,     r->task.l1,   r->task.l2,
                        r->task.low,      r->task.high, m->features,
                        r->task.intercept};
    solver_answer answer = {.weight = r->weight};
    double total, curvature = loss_curvature_bound(&r->task.loss);
    sotto_status status = SOTTO_OK;
    if (r->plan.count[ASK_TOTAL])
        status = curator_ask_total(r->curator, &total, error);
    if (status == SOTTO_OK && r->plan.count[ASK_MOMENTS]) {
        status = curator_ask_moments(r->curator, r->smooth.reach, r->smooth.m,
                                     error);
        for (int64_t j = 0; status == SOTTO_OK && j < m->features; j++)
            r->smooth.m[j] *= curvature;
    }
    if (status == SOTTO_OK)
        status = cd_run(&answer, r->curator, &p, &r->settings,
                        r->watch && r->watch->look ? run_look : NULL, r, error);
    if (status == SOTTO_OK)
        fit_set_weights(m, &r->maps, r->weight, answer.intercept);
    return status;
}

static const char *rows_come_from(const sotto_options *options)
{
    return option_given(options, OPTION_ROWS)
               ? "declared by the operator"
               : "public: neighbours have as many";
}

/* Before anything is asked: what cannot be stated is not begun. It is put
   into the model when the run is over. */
static sotto_status run_state(private_run *r, sotto_model *m,
                              const sotto_options *options, sotto_error *error)
{
    text_buffer t = {0};
    double delta = option_number(options, OPTION_DELTA);
    curator_terms terms = {&r->policy, &r->plan,      m->features,
                           delta,      r->smooth.how, rows_come_from(options)};
    sotto_status status = curator_statement(&terms, &t, &m->epsilon, error);
    if (status == SOTTO_OK && !t.failed)
        m->statement = model_form(t.data);
    m->delta = delta;
    text_free(&t);
    return status == SOTTO_OK && !m->statement ? error_memory(error) : status;
}

/* On the disk before the first record is asked about. */
static sotto_status declare_spending(const private_run *r, int64_t features,
                                     const sotto_options *options,
                                     sotto_error *error)
{
    const char *output = option_text(options, OPTION_OUTPUT);
    account_list events;
    if (!output)
        return SOTTO_OK; /* a caller of the library who keeps it in memory */
    sotto_status status =
        curator_events(&events, &r->plan, r->policy.adjacency, features, error);
    if (status == SOTTO_OK)
        status = fit_write_spent(output, option_number(options, OPTION_EPSILON),
                                 option_number(options, OPTION_DELTA), &events,
                                 error);
    account_free(&events);
    return status;
}

static sotto_status run_begin(private_run *r, sotto_model **out,
                              sotto_table **table, const sotto_options *options,
                              sotto_error *error)
{
    const sotto_table *t = *table;
    if (option_private(options) && !t->read_privately)
        return error_set(error, SOTTO_PRIVACY,
                         "the table was not read for private training: its "
                         "shape may come from the records; set epsilon before "
                         "reading");
    sotto_status status =
        find_smoothness(&r->smooth, t, &r->task, options, error);
    r->weight = mem_zeroed((size_t)t->features, sizeof *r->weight);
    if (status == SOTTO_OK && !r->weight)
        status = error_memory(error);
    if (status == SOTTO_OK)
        status = fit_copy_maps(&r->maps, t, error);
    if (status == SOTTO_OK)
        status = fit_begin(out, &r->task, t, error);
    if (status != SOTTO_OK)
        return status;
    public_facts facts = facts_of(t, adjacency_of(options), options);
    r->policy = make_policy(&facts, &r->task, options);
    r->settings = make_settings(options, &r->task, &r->smooth, t->features);
    status = make_plan(&r->plan, &r->policy, r->smooth.share, r->settings.steps,
                       t->features, options, error);
    if (status == SOTTO_OK)
        status = curator_open(&r->curator, table, &r->policy, &r->plan, error);
    if (status != SOTTO_OK || !curator_is_private(r->curator))
        return status;
    status = run_state(r, *out, options, error);
    return status == SOTTO_OK
               ? declare_spending(r, (*out)->features, options, error)
               : status;
}

/* ---- only planned ---- */

sotto_status sotto_fit_plan(char **out, const sotto_options *options,
                            sotto_error *error)
{
    fit_task task = fit_read_task(options);
    public_facts facts = {.weight_bound = 1};
    text_buffer t = {0};
    ask_plan plan;
    double share, epsilon;
    *out = NULL;
    sotto_status status = sotto_fit_check(options, error);
    if (status == SOTTO_OK && !option_private(options))
        status = error_set(error, SOTTO_USAGE,
                           "a plan is of private training: expected a finite "
                           "--epsilon");
    if (status == SOTTO_OK && !option_given(options, OPTION_FEATURES))
        status = error_set(error, SOTTO_USAGE,
                           "expected --features P: how many there will be");
    if (status == SOTTO_OK)
        status = moments_share(options, &share, error);
    if (status != SOTTO_OK)
        return status;
    facts.features = option_integer(options, OPTION_FEATURES);
    facts.has_people = option_given(options, OPTION_UNIT_COLUMN);
    if (option_given(options, OPTION_ROWS))
        facts.rows = option_number(options, OPTION_ROWS);
    else if (adjacency_of(options) != ACCOUNT_ADD_REMOVE && !facts.has_people &&
             option_integer(options, OPTION_ROWS_PER_PERSON) == 1)
        facts.rows = 1; /* public, whatever it will be */
    curator_policy policy = make_policy(&facts, &task, options);
    int64_t steps = steps_of(options, facts.features + task.intercept);
    status =
        make_plan(&plan, &policy, share, steps, facts.features, options, error);
    curator_terms terms = {&policy,
                           &plan,
                           facts.features,
                           option_number(options, OPTION_DELTA),
                           smoothness_word(options),
                           rows_come_from(options)};
    if (status == SOTTO_OK)
        status = curator_statement(&terms, &t, &epsilon, error);
    if (status == SOTTO_OK && !t.failed)
        *out = model_form(t.data);
    text_free(&t);
    return status == SOTTO_OK && !*out ? error_memory(error) : status;
}

sotto_status fit_private(sotto_model **out, sotto_table **table,
                         const sotto_options *options, const sotto_watch *watch,
                         sotto_error *error)
{
    private_run r = {.task = fit_read_task(options), .watch = watch};
    sotto_status status = run_begin(&r, out, table, options, error);
    if (status == SOTTO_OK)
        status = run_solver(&r, *out, error);
    curator_close(r.curator);
    fit_free_maps(&r.maps);
    mem_free(r.smooth.m);
    mem_free(r.smooth.reach);
    mem_free(r.weight);
    if (status != SOTTO_OK) {
        sotto_model_free(*out);
        *out = NULL;
    }
    return status;
}
