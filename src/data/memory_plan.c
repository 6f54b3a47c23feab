/*
 * What becomes of columns in memory, from their names, their kinds and the
 * options; what is checked about their structure; and what is said of a bad
 * row.
 */
#include "memory.h"
#include "row_value.h"

static const char memory_name[] = "the table";

/* ---- the plan ---- */

static sotto_status memory_check_options(const sotto_columns *c,
                                         const sotto_options *options,
                                         sotto_error *error)
{
    int numbered = option_given(options, OPTION_FEATURES);
    if (option_given(options, OPTION_DECLARED) && numbered != c->has_sparse)
        return error_set(error, SOTTO_DATA,
                         "%s: the model's features have %s: expected %s",
                         memory_name, numbered ? "numbers, not names" : "names",
                         numbered ? "sparse features" : "columns with names");
    static const option_id of_files[] = {OPTION_FORMAT, OPTION_NO_HEADER,
                                         OPTION_DELIMITER, OPTION_DECIMAL,
                                         OPTION_THOUSANDS};
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
        if (option_given(options, of_files[i]))
            return error_set(error, SOTTO_USAGE, "--%s is for files",
                             sotto_option_at(of_files[i])->name);
    if (numbered && !c->has_sparse)
        return error_set(error, SOTTO_USAGE,
                         "--features is for svmlight: the columns say it");
    if (numbered &&
        option_integer(options, OPTION_FEATURES) != c->sparse.features)
        return error_set(error, SOTTO_DATA,
                         "%s: expected %lld features, found %lld", memory_name,
                         (long long)option_integer(options, OPTION_FEATURES),
                         (long long)c->sparse.features);
    return read_check_parts(options, error);
}

/* A type that cannot be read is none of the table's business where the column
   is left out. */
static sotto_status memory_check_kinds(const column_plan *p,
                                       const sotto_columns *c,
                                       sotto_error *error)
{
    for (int64_t i = 0; i < p->columns; i++)
        if (c->kind[i].kind == VIEW_OTHER && p->column[i].role != COLUMN_DROP)
            return error_set(
                error, SOTTO_DATA,
                "%s: column \"%s\": expected numbers, booleans "
                "or texts, found the type %s; convert it, or "
                "--drop it",
                memory_name, show_name(c->name[i]).text,
                show_name(c->kind[i].other ? c->kind[i].other : "unknown")
                    .text);
    return SOTTO_OK;
}

sotto_status memory_plan_any(column_plan *p, const sotto_columns *c,
                             const sotto_options *options, sotto_error *error)
{
    sotto_status status = memory_check_options(c, options, error);
    if (status != SOTTO_OK)
        return status;
    if (c->has_sparse)
        status = plan_beside(p, memory_name, c->sparse.features, c->name,
                             c->count, options, error);
    else
        status = plan_columns(p, memory_name,
                              c->counted ? NAMES_COUNTED : NAMES_LISTED,
                              c->name, c->count, options, error);
    if (status != SOTTO_OK)
        return status;
    p->row_word = "row";
    if (c->counted && !p->for_model)
        p->width = c->count;
    return SOTTO_OK;
}

/* Whether float32 holds every number of this kind, so that no remark about
   digits can come of it. The kind is public. */
static int memory_kind_fits_float(const column_kind *k)
{
    if (k->kind == VIEW_BITS)
        return 1;
    if (k->kind != VIEW_NUMBERS)
        return 0;
    switch (k->type) {
    case SOTTO_F32:
    case SOTTO_I8:
    case SOTTO_I16:
    case SOTTO_U8:
    case SOTTO_U16:
    case SOTTO_BOOL:
        return 1;
    case SOTTO_F64:
    case SOTTO_I32:
    case SOTTO_I64:
    case SOTTO_U32:
    case SOTTO_U64:
        return 0;
    }
    return 0;
}

/* Ranges cost a tenth of the reading: they are measured where they can tell
   something. */
static int memory_loses_nothing(const column_plan *p, const sotto_columns *c)
{
    for (int64_t i = 0; i < p->columns; i++)
        if (p->column[i].role == COLUMN_NUMBER && !p->column[i].bounded &&
            !memory_kind_fits_float(&c->kind[i]))
            return 0;
    return 1;
}

sotto_status memory_plan(column_plan *p, const sotto_columns *c,
                         const sotto_options *options, sotto_error *error)
{
    sotto_status status = memory_plan_any(p, c, options, error);
    if (status != SOTTO_OK)
        return status;
    status = memory_check_kinds(p, c, error);
    if (status != SOTTO_OK)
        plan_free(p);
    else
        p->exact |= memory_loses_nothing(p, c);
    return status;
}

sotto_status memory_check_views(const column_plan *p, const sotto_columns *c,
                                int64_t rows, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < p->columns && status == SOTTO_OK; i++)
        if (p->column[i].role != COLUMN_DROP)
            status =
                view_check(&c->view[i], &c->kind[i], c->name[i], rows, error);
    return status;
}

sotto_status memory_fault(const column_plan *p, const block *first,
                          sotto_error *error)
{
    int64_t rows = 0;
    const block *b = first;
    for (; b && !b->fault.expected; b = b->next)
        rows += b->lines;
    if (!b)
        return SOTTO_OK;
    text_buffer where = {0}, allowed = {0};
    if (b->fault.at)
        text_format(&where, ", column \"%s\"",
                    show_name(b->fault.at->name).text);
    value_list_allowed(p, &b->fault, &allowed);
    sotto_status status = error_set(
        error, SOTTO_DATA, "%s: row %lld%s: %s%s%s", memory_name,
        (long long)(rows + b->fault.line), where.data ? where.data : "",
        b->fault.expected, allowed.data ? allowed.data : "", value_way_out(p));
    text_free(&where);
    text_free(&allowed);
    return status;
}
