/*
 * A fit by several ranks: what they cannot do, what has to be the same at all
 * of them, and who books (contract/ranks.h, ADR 23).
 */
#include "ranks.h"
#include "evaluation.h"
#include "private.h"

#include <math.h>
#include <string.h>

sotto_status fit_check_ranks(const sotto_options *options, sotto_error *error)
{
    const solver_row *solver = solver_of(options);
    if (!ranks_several(option_ranks(options)))
        return SOTTO_OK;
    if (solver->for_comparison)
        return error_set(error, SOTTO_USAGE,
                         "--solver %s is for comparison, and for one process: "
                         "expected another solver with several ranks",
                         solver_name(solver));
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--clip inf adds up rows in their order: expected a "
                         "finite clip with several ranks");
    return SOTTO_OK;
}

/* What may differ: where things are, who is told what, and how many threads. */
static int may_differ(option_id id)
{
    static const option_id some[] = {
        OPTION_OUTPUT,       OPTION_THREADS, OPTION_ISA,    OPTION_LEDGER,
        OPTION_DATASET,      OPTION_WHO,     OPTION_SIGN,   OPTION_PROGRESS,
        OPTION_DATASET_PATH, OPTION_QUIET,   OPTION_PURPOSE};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i] == id)
            return 1;
    return 0;
}

/* A file that an option names is the same where its text is. */
static uint64_t word_of_option(uint64_t word, const sotto_options *options,
                               option_id id)
{
    const char *text = option_text(options, id);
    const char *content = option_content(options, id);
    word = ranks_word(word, &id, sizeof id);
    if (text)
        word = ranks_word(word, text, strlen(text));
    return content ? ranks_word(word, content, strlen(content)) : word;
}

static sotto_status add_schema(uint64_t *word, const sotto_options *options,
                               sotto_error *error)
{
    char *text = NULL;
    size_t size;
    if (!option_given(options, OPTION_SCHEMA))
        return SOTTO_OK;
    sotto_status status =
        option_read(options, OPTION_SCHEMA, &text, &size, error);
    if (status == SOTTO_OK)
        *word = ranks_word(*word, text, size);
    mem_free(text);
    return status;
}

static sotto_status add_model(uint64_t *word, const sotto_model *m,
                              sotto_error *error)
{
    char hash[EVALUATION_HASH];
    sotto_status status = m ? evaluation_hash(hash, m, error) : SOTTO_OK;
    if (m && status == SOTTO_OK)
        *word = ranks_word(*word, hash, sizeof hash);
    return status;
}

sotto_status fit_compare_ranks(const sotto_options *options,
                               const sotto_model *model,
                               const char *const *path, int64_t files,
                               sotto_error *error)
{
    uint64_t word = (uint64_t)files;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!may_differ((option_id)i))
            word = word_of_option(word, options, (option_id)i);
    sotto_status status = add_schema(&word, options, error);
    if (status == SOTTO_OK)
        status = add_model(&word, model, error);
    for (int64_t i = 0; i < files; i++)
        word = ranks_word(word, path[i], strlen(path[i]));
    return ranks_compare(option_ranks(options), status, word, error);
}

/* What takes no time, at every rank. */
static sotto_status check_shape(const sotto_options *options,
                                const sotto_table *shape, sotto_error *error)
{
    const int64_t size[] = {shape->features, shape->classes, shape->sparse};
    ranks_note(option_ranks(options), size, sizeof size);
    if (shape->levels.columns)
        return error_set(error, SOTTO_USAGE,
                         "levels are asked for by one process: expected all "
                         "levels in the schema with several ranks");
    return shape->y ? booking_check_rows(options, shape, error)
                    : table_refuse_no_target(shape->counted, error);
}

/* The plan is made of public facts, so that it would be the same at all ranks:
   the root's is enough here. Each makes its own when the rows have come. */
sotto_status ranks_plan_before_rows(void *context, const sotto_table *shape,
                                    sotto_error *error)
{
    const before_rows *before = context;
    private_run r = fit_new_run(before->options);
    sotto_status status = fit_plan_for(&r, shape, error);
    if (status == SOTTO_OK)
        status = curator_check_table(shape, &r.policy, &r.run.plan, error);
    fit_end_run(&r);
    return status;
}

sotto_status ranks_before_rows(void *context, const sotto_table *shape,
                               sotto_error *error)
{
    const before_ranks *all = context;
    const sotto_options *options = all->before->options;
    sotto_ranks *g = option_ranks(options);
    sotto_status status = check_shape(options, shape, error);
    status = sotto_ranks_agree(g, status, error);
    if (status == SOTTO_OK && ranks_is_root(g)) /* to book is to plan */
        status =
            (all->books ? all->book : all->check)(all->before, shape, error);
    /* no rank looks at a row before this */
    return sotto_ranks_agree(g, status, error);
}
