/*
 * What is promised, and what is public about the records: of the options and
 * the schema, never of the records.
 */
#include "private.h"
#include "ranks.h"

static account_adjacency fit_adjacency(const sotto_options *options)
{
    account_adjacency adjacency = ACCOUNT_ADD_REMOVE;
    if (option_given(options, OPTION_ADJACENCY))
        account_adjacency_named(option_text(options, OPTION_ADJACENCY),
                                &adjacency);
    return adjacency;
}

/* What the options say, whatever the table is. */
static void add_options(solver_facts *f, const sotto_options *options)
{
    f->adjacency = fit_adjacency(options);
    f->rows_per_person = option_integer(options, OPTION_ROWS_PER_PERSON);
    f->without_noise = !option_private(options);
}

/*
 * The number of rows is public where neighbours have as many: a record is
 * another one or blanked, each person has one row, and no row can be made to
 * be dropped.
 */
solver_facts fit_facts(const sotto_table *t, const sotto_options *options)
{
    solver_facts f = {.features = t->features,
                      .classes = t->classes > 2 ? t->classes : 0,
                      .weight_bound = t->weight_bound,
                      .has_people = t->unit != NULL,
                      .target_reach = t->target_reach,
                      .scaled = t->scaled,
                      .level_columns = t->levels.columns};
    add_options(&f, options);
    if (option_given(options, OPTION_ROWS))
        f.rows = option_number(options, OPTION_ROWS);
    else if (f.adjacency != ACCOUNT_ADD_REMOVE && !t->weight && !t->unit &&
             f.rows_per_person == 1 && !t->drops_rows)
        f.rows = (double)table_all_rows(t);
    return f;
}

/* How many classes the option lists; 0: not more than two. */
static int64_t listed_classes(const sotto_options *options)
{
    size_t cursor = 0;
    char *word;
    int64_t count = 0;
    while (option_next(options, OPTION_CLASSES, &cursor, &word) > 0) {
        mem_free(word);
        count++;
    }
    return count > 2 ? count : 0;
}

/* The same of a table that is only planned for. */
solver_facts fit_planned_facts(const sotto_options *options)
{
    solver_facts f = {.weight_bound = 1,
                      .has_people = option_given(options, OPTION_UNIT_COLUMN),
                      .only_planned = 1,
                      .target_reach = 1};
    add_options(&f, options);
    f.classes = listed_classes(options);
    if (option_given(options, OPTION_FEATURES))
        f.features = option_integer(options, OPTION_FEATURES);
    if (option_given(options, OPTION_ROWS))
        f.rows = option_number(options, OPTION_ROWS);
    else if (f.adjacency != ACCOUNT_ADD_REMOVE && !f.has_people &&
             f.rows_per_person == 1)
        f.rows = 1; /* public, whatever it will be */
    return f;
}

void fit_add_declared(solver_facts *f, const sotto_table *t,
                      const sotto_options *options)
{
    f->features = t->features;
    f->weight_bound = t->weight_bound;
    f->scaled = t->scaled;
    f->level_columns = t->levels.columns;
    f->classes = t->classes > 2 ? t->classes : 0;
    f->has_people = t->unit != NULL;
    if (!option_given(options, OPTION_ROWS) && (t->weight || t->unit))
        f->rows = 0;
}

curator_policy fit_policy(const solver_facts *f, const fit_task *task,
                          const solver_row *solver,
                          const sotto_options *options)
{
    static const char *const isas[] = {[KERNEL_AUTO] = "auto",
                                       [KERNEL_SCALAR] = "scalar",
                                       [KERNEL_AVX2] = "avx2",
                                       [KERNEL_AVX512] = "avx512"};
    curator_policy p = {
        .adjacency = f->adjacency,
        .rows_per_person = f->rows_per_person,
        .has_people = f->has_people,
        .classes = f->classes,
        .one_versus_rest = f->classes && task->one_versus_rest,
        .level_columns = f->level_columns,
        .rows = f->rows,
        .loss = solver->asked_loss ? solver->asked_loss(options, task->loss)
                                   : task->loss,
        .weight_bound = f->weight_bound,
        .intercept = task->intercept,
        .without_noise = f->without_noise,
        .insecure = option_given(options, OPTION_INSECURE_SEED)};
    if (solver->shortens_rows)
        p.norm_bound = solver_number(options, solver, OPTION_NORM_BOUND);
    if (p.insecure)
        p.seed = (uint64_t)option_integer(options, OPTION_INSECURE_SEED);
    for (int i = 0; i < 4; i++)
        if (option_is(options, OPTION_ISA, isas[i]))
            p.isa = (kernel_isa)i;
    p.threads = (int)option_integer(options, OPTION_THREADS);
    if (p.threads == 0)
        p.threads = thread_limit();
    if (option_ranks(options))
        p.ranks = option_ranks(options)->calls.ranks;
    return p;
}

const char *fit_rows_come_from(const sotto_options *options)
{
    return option_given(options, OPTION_ROWS)
               ? "declared by the operator"
               : "public: neighbours have as many";
}

sotto_status fit_check_classes(const private_run *r, sotto_error *error)
{
    const solver_run *run = &r->run;
    if (!run->facts.classes)
        return SOTTO_OK;
    if (!loss_has_classes(run->problem.loss.kind))
        return loss_require(loss_name(run->problem.loss.kind), loss_has_classes,
                            "--classes", "is of a number", error);
    if (run->solver->any_classes)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "private training takes more than two classes with "
                     "--solver auto or newton; %lld are declared",
                     (long long)run->facts.classes);
}

private_run fit_new_run(const sotto_options *options)
{
    return (private_run){
        .run = {.options = options, .solver = solver_of(options)},
        .task = fit_read_task(options)};
}
