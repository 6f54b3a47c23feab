/*
 * Records for a fit: read by the parts of their data set, and only when the
 * run is booked.
 */
#include "private.h"
#include "ranks.h"

#include <limits.h>
#include <stdlib.h>

sotto_status booking_options(sotto_options **out, const sotto_options *options,
                             sotto_error *error)
{
    char *column, **value;
    int64_t values;
    const char *dataset = option_text(options, OPTION_DATASET);
    *out = NULL;
    if (!dataset || !booking_names_ledger(options))
        return SOTTO_OK;
    sotto_status status =
        ledger_parts(option_text(options, OPTION_LEDGER), dataset, &column,
                     &value, &values, error);
    if (status == SOTTO_OK && !column && option_given(options, OPTION_PARTS))
        status = error_set(error, SOTTO_USAGE,
                           "data set \"%s\" has no parts: leave out --parts",
                           show_name(dataset).text);
    if (status == SOTTO_OK && column)
        status = sotto_options_new(out, error);
    if (*out)
        sotto_options_set_ranks(*out, option_ranks(options));
    for (int i = 0; *out && status == SOTTO_OK && i < OPTION_COUNT; i++)
        status = option_copy(*out, options, (option_id)i, error);
    if (*out && status == SOTTO_OK)
        status = sotto_options_set(*out, "part-column", column, error);
    int all = *out && !option_given(options, OPTION_PARTS);
    for (int64_t i = 0; all && status == SOTTO_OK && i < values; i++)
        status = sotto_options_set(*out, "parts", value[i], error);
    mem_free(column);
    mem_free_texts(value, values);
    return status;
}

static sotto_status read_rows(sotto_table **out, const row_source *from,
                              const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error)
{
    return from->path ? table_read_files(out, from->path, from->files, options,
                                         before, context, error)
                      : table_from_after(out, from->columns, options, before,
                                         context, error);
}

static void free_any(void *booking)
{
    booking_free(booking);
}

/* The paths that several files are booked under, each for itself. One file is
   booked as its caller says, and a data set with a name once. */
static sotto_status canonical_paths(before_rows *before, const row_source *from,
                                    sotto_error *error)
{
    if (from->files < 2 || option_given(before->options, OPTION_DATASET) ||
        !option_given(before->options, OPTION_DATASET_PATH))
        return SOTTO_OK;
    before->path = mem_zeroed((size_t)from->files, sizeof *before->path);
    if (!before->path)
        return error_memory(error);
    before->paths = from->files;
    for (int64_t i = 0; i < from->files; i++) {
        char real[PATH_MAX];
        /* one that is not there is refused when it is opened */
        int found = realpath(from->path[i], real) != NULL;
        before->path[i] = mem_text(found ? real : from->path[i]);
        if (!before->path[i])
            return error_memory(error);
    }
    return SOTTO_OK;
}

/* Reads behind this hook. What it booked goes to the table. */
static sotto_status read_behind(sotto_table **out, const row_source *from,
                                before_rows *before, table_before_rows *hook,
                                void *context, sotto_error *error)
{
    sotto_status status =
        read_rows(out, from, before->reading, hook, context, error);
    if (status == SOTTO_OK) {
        (*out)->booking = before->booking;
        (*out)->free_booking = free_any;
    } else if (before->booking) {
        booking_remind(error);
        booking_free(before->booking);
    }
    return status;
}

/* Books before the rows are read, and hands the booking to the table. */
static sotto_status read_booked(sotto_table **out, const row_source *from,
                                before_rows *before, table_before_rows *book,
                                sotto_error *error)
{
    sotto_status status = canonical_paths(before, from, error);
    if (status == SOTTO_OK)
        status = read_behind(out, from, before, book, before, error);
    mem_free_texts(before->path, before->paths);
    return status;
}

/* By ranks: all plan, then the root books where that is wanted, and only then
   does any of them look at a row. */
static sotto_status read_by_ranks(sotto_table **out, const row_source *from,
                                  before_rows *before, table_before_rows *book,
                                  table_before_rows *check, sotto_error *error)
{
    const sotto_options *options = before->options;
    int books = booking_wanted(options) && ranks_is_root(option_ranks(options));
    sotto_status status = SOTTO_OK;
    if (!from->path)
        status = error_set(error, SOTTO_USAGE,
                           "several ranks read files: expected one");
    if (status == SOTTO_OK && option_given(before->reading, OPTION_PART_COLUMN))
        status = error_set(error, SOTTO_USAGE,
                           "a data set with parts is read by one process: "
                           "expected one without, or one process");
    if (status == SOTTO_OK && books)
        status = canonical_paths(before, from, error);
    if (status == SOTTO_OK)
        status = fit_compare_ranks(options, before->model, from->path,
                                   from->files, error);
    before_ranks all = {before, books, book, check};
    if (status == SOTTO_OK)
        status = read_behind(out, from, before, ranks_before_rows, &all, error);
    mem_free_texts(before->path, before->paths);
    return status;
}

sotto_status booking_read(sotto_table **out, const row_source *from,
                          before_rows *before, table_before_rows *book,
                          table_before_rows *check, sotto_error *error)
{
    if (ranks_several(option_ranks(before->options)))
        return read_by_ranks(out, from, before, book, check, error);
    return booking_wanted(before->options)
               ? read_booked(out, from, before, book, error)
               : read_rows(out, from, before->reading, check, before, error);
}

/* What no run takes is refused before a row is read, booked or not. */
static sotto_status check_shape(void *context, const sotto_table *shape,
                                sotto_error *error)
{
    const before_rows *before = context;
    private_run r = fit_new_run(before->options);
    if (!shape->y)
        return table_refuse_no_target(shape->counted, error);
    r.run.facts = fit_facts(shape, r.run.options);
    fit_begin_run(&r);
    sotto_status status = fit_check_classes(&r, error);
    if (status == SOTTO_OK)
        status = fit_check_levels(&r, error);
    fit_end_run(&r);
    return status;
}

static sotto_status read_for_fit(sotto_table **out, const row_source *from,
                                 const sotto_options *options,
                                 sotto_error *error)
{
    sotto_options *with_parts;
    *out = NULL;
    sotto_status status = SOTTO_OK;
    with_parts = NULL;
    if (ranks_is_root(option_ranks(options))) /* the ledger is the root's */
        status = booking_options(&with_parts, options, error);
    before_rows before = {.options = options,
                          .reading = with_parts ? with_parts : options};
    int by_ranks = ranks_several(option_ranks(options));
    if (status == SOTTO_OK && (by_ranks || booking_wanted(options)))
        status = sotto_fit_check(options, error);
    if (status == SOTTO_OK)
        status = booking_read(out, from, &before, booking_before_rows,
                              by_ranks                  ? ranks_plan_before_rows
                              : option_private(options) ? check_shape
                                                        : NULL,
                              error);
    sotto_options_free(with_parts);
    return status;
}

sotto_status sotto_fit_read(sotto_table **out, const char *path,
                            const sotto_options *options, sotto_error *error)
{
    return read_for_fit(out, &(row_source){&path, 1, NULL}, options, error);
}

sotto_status sotto_fit_read_files(sotto_table **out, const char *const *paths,
                                  int64_t count, const sotto_options *options,
                                  sotto_error *error)
{
    return read_for_fit(out, &(row_source){paths, count, NULL}, options, error);
}

sotto_status sotto_fit_from(sotto_table **out, sotto_columns *columns,
                            const sotto_options *options, sotto_error *error)
{
    return read_for_fit(out, &(row_source){NULL, 0, columns}, options, error);
}
