/*
 * The list of solvers, and what their rows say about options: which of them a
 * solver uses, and what they are where they are not given.
 */
#include "planning.h"

#include "number.h"

#include <assert.h>
#include <string.h>

/* Runs in fit: it reads the records itself. Here are its options. */
static const solver_option exact_options[] = {
    {OPTION_TOLERANCE, "1e-10",
     "stop when the objective is certainly this close to its minimum, relative "
     "to it"},
    {OPTION_PENALTY_UNITS, "fit",
     "the weights that --l1 and --l2 penalise. spread: of columns divided by "
     "their standard deviation; fit: of columns as bounds map them to "
     "[-1, 1]"},
    {0}};

const solver_row solver_exact = {
    .summary = "the minimiser, NOT PRIVATE; the default with --epsilon inf",
    .options = exact_options};

const solver_need solver_needs_smooth = {loss_is_smooth, "is not smooth"};

typedef struct list_row {
    const char *name;
    const solver_row *row;
} list_row;

#define LIST_ROW(id, name) {name, &solver_##id},
static const list_row list[] = {SOLVER_LIST(LIST_ROW)};
#define LIST_SOLVERS (sizeof list / sizeof *list)

const solver_row *solver_at(int64_t i)
{
    return i >= 0 && i < (int64_t)LIST_SOLVERS ? list[i].row : NULL;
}

const char *solver_name(const solver_row *row)
{
    size_t i = 0;
    while (list[i].row != row)
        i++;
    return list[i].name;
}

const solver_row *solver_of(const sotto_options *options)
{
    for (size_t i = 0; i < LIST_SOLVERS; i++)
        if (option_is(options, OPTION_SOLVER, list[i].name))
            return list[i].row;
    return &solver_auto;
}

/* ---- options ---- */

/* The i-th that the solver uses, or NULL past the end; those that are for
   comparison with its paper are the last. */
static const solver_option *option_of(const solver_row *row, int64_t i,
                                      int *for_comparison)
{
    const solver_option *o = row->options;
    *for_comparison = 0;
    for (; i > 0 && o->meaning; i--)
        o++;
    if (!o->meaning && row->paper_options) {
        *for_comparison = 1;
        for (o = row->paper_options; i > 0 && o->meaning; i--)
            o++;
    }
    return o->meaning ? o : NULL;
}

static const solver_option *find_option(const solver_row *row, option_id id)
{
    int ignored;
    const solver_option *o;
    for (int64_t i = 0; (o = option_of(row, i, &ignored)); i++)
        if (o->option == id)
            return o;
    return NULL;
}

const char *solver_text(const sotto_options *options, const solver_row *row,
                        option_id id)
{
    const solver_option *o = find_option(row, id);
    assert(o);
    return option_given(options, id) ? option_text(options, id)
                                     : o->default_value;
}

int solver_is(const sotto_options *options, const solver_row *row, option_id id,
              const char *word)
{
    return !strcmp(solver_text(options, row, id), word);
}

double solver_number(const sotto_options *options, const solver_row *row,
                     option_id id)
{
    double x = 0;
    if (option_given(options, id))
        return option_number(options, id);
    int whole = number_whole(solver_text(options, row, id), &x);
    assert(whole);
    (void)whole;
    return x;
}

/* Also those of `sotto plan`, for which there is a function. */
int solver_uses(const solver_row *row, option_id id)
{
    return id == OPTION_EXPLAIN  ? row->explain != NULL
           : id == OPTION_MEMORY ? row->by_rows
                                 : find_option(row, id) != NULL;
}

static int is_solvers(option_id id)
{
    for (size_t i = 0; i < LIST_SOLVERS; i++)
        if (find_option(list[i].row, id))
            return 1;
    return 0;
}

/* "cd, sgd": the solvers that use it. */
static void put_users(option_id id, text_buffer *t)
{
    for (size_t i = 0; i < LIST_SOLVERS; i++)
        if (solver_uses(list[i].row, id))
            text_format(t, "%s%s", t->length ? ", " : "", list[i].name);
}

sotto_status solver_refuse(const solver_row *row, option_id id,
                           sotto_error *error)
{
    text_buffer users = {0};
    int memory = id == OPTION_MEMORY;
    put_users(id, &users);
    sotto_status status =
        users.failed
            ? error_memory(error)
            : error_set(error, SOTTO_USAGE, "--%s is %s --solver %s%s: %s",
                        sotto_option_at(id)->name,
                        memory ? "not for" : "ignored by", solver_name(row),
                        memory ? ", which needs the rows in memory; it is for"
                               : "; it is used by",
                        users.data);
    text_free(&users);
    return status;
}

static sotto_status check_loss(const sotto_options *options,
                               const solver_row *row, sotto_error *error)
{
    char who[64];
    snprintf(who, sizeof who, "--solver %s", solver_name(row));
    return !row->needs
               ? SOTTO_OK
               : loss_require(option_text(options, OPTION_LOSS),
                              row->needs->has, who, row->needs->lacks, error);
}

sotto_status solver_check_options(const sotto_options *options,
                                  const solver_row *row, sotto_error *error)
{
    for (option_id id = 0; id < OPTION_COUNT; id++)
        if (option_given(options, id) && is_solvers(id) &&
            !find_option(row, id))
            return solver_refuse(row, id, error);
    if (find_option(row, OPTION_PASSES) &&
        option_given(options, OPTION_PASSES) &&
        option_given(options, OPTION_STEPS))
        return error_set(error, SOTTO_USAGE,
                         "expected one of --passes and --steps");
    return check_loss(options, row, error);
}

/* ---- for sotto.h ---- */

int sotto_solver_at(int64_t i, sotto_solver *out)
{
    const solver_row *row = solver_at(i);
    if (!row)
        return 0;
    *out = (sotto_solver){list[i].name, row->summary, row->for_comparison};
    return 1;
}

int sotto_solver_option_at(const char *solver, int64_t i,
                           sotto_solver_option *out)
{
    size_t k = 0;
    int paper;
    while (k < LIST_SOLVERS && strcmp(list[k].name, solver))
        k++;
    const solver_option *o =
        k < LIST_SOLVERS && i >= 0 ? option_of(list[k].row, i, &paper) : NULL;
    if (!o)
        return 0;
    *out = (sotto_solver_option){sotto_option_at(o->option)->name,
                                 o->default_value, o->meaning, paper};
    return 1;
}
