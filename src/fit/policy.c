/*
 * What is promised, and what is public about the records: of the options and
 * the schema, never of the records.
 */
#include "private.h"

account_adjacency fit_adjacency(const sotto_options *options)
{
    account_adjacency adjacency = ACCOUNT_ADD_REMOVE;
    if (option_given(options, OPTION_ADJACENCY))
        account_adjacency_named(option_text(options, OPTION_ADJACENCY),
                                &adjacency);
    return adjacency;
}

/*
 * The number of rows is public where neighbours have as many: a record is
 * another one or blanked, each person has one row, and no row can be made to
 * be dropped.
 */
public_facts fit_facts(const sotto_table *t, const sotto_options *options)
{
    account_adjacency adjacency = fit_adjacency(options);
    public_facts f = {t->features,     0, t->weight_bound,
                      t->unit != NULL, 0, t->target_reach,
                      t->scaled};
    if (option_given(options, OPTION_ROWS))
        f.rows = option_number(options, OPTION_ROWS);
    else if (adjacency != ACCOUNT_ADD_REMOVE && !t->weight && !t->unit &&
             option_integer(options, OPTION_ROWS_PER_PERSON) == 1 &&
             !t->drops_rows)
        f.rows = (double)t->rows;
    return f;
}

/* The same of a table that is only planned for. */
public_facts fit_planned_facts(const sotto_options *options)
{
    public_facts f = {.weight_bound = 1,
                      .has_people = option_given(options, OPTION_UNIT_COLUMN),
                      .only_planned = 1,
                      .target_reach = 1};
    if (option_given(options, OPTION_FEATURES))
        f.features = option_integer(options, OPTION_FEATURES);
    if (option_given(options, OPTION_ROWS))
        f.rows = option_number(options, OPTION_ROWS);
    else if (fit_adjacency(options) != ACCOUNT_ADD_REMOVE && !f.has_people &&
             option_integer(options, OPTION_ROWS_PER_PERSON) == 1)
        f.rows = 1; /* public, whatever it will be */
    return f;
}

curator_policy fit_policy(const public_facts *f, const fit_task *task,
                          const sotto_options *options)
{
    static const char *const isas[] = {[KERNEL_AUTO] = "auto",
                                       [KERNEL_SCALAR] = "scalar",
                                       [KERNEL_AVX2] = "avx2",
                                       [KERNEL_AVX512] = "avx512"};
    curator_policy p = {
        .adjacency = fit_adjacency(options),
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

const char *fit_rows_come_from(const sotto_options *options)
{
    return option_given(options, OPTION_ROWS)
               ? "declared by the operator"
               : "public: neighbours have as many";
}
