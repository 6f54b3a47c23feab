/*
 * Remarks about options: what they quietly mean, said before anything is
 * spent. Public, of options and declarations alone.
 */
#include "fit.h"

static int has_people(const sotto_options *options, const sotto_table *t)
{
    sotto_table *declared = NULL;
    sotto_error ignored;
    if (option_given(options, OPTION_UNIT_COLUMN))
        return 1;
    if (t)
        return t->unit != NULL;
    if (!option_given(options, OPTION_SCHEMA) ||
        table_declared(&declared, options, &ignored) != SOTTO_OK)
        return 0;
    int people = declared->unit != NULL;
    sotto_table_free(declared);
    return people;
}

static int keeps_one_row(const sotto_options *options, const sotto_table *t,
                         sotto_error *remark)
{
    if (option_exact(options) ||
        option_given(options, OPTION_ROWS_PER_PERSON) ||
        !has_people(options, t))
        return 0;
    error_set(remark, SOTTO_OK,
              "of each person one row is used, the first in the file; "
              "--rows-per-person K uses K of them, with K times the noise");
    return 1;
}

static int has_large_delta(const sotto_options *options, sotto_error *remark)
{
    return option_private(options) && option_given(options, OPTION_ROWS) &&
           option_given(options, OPTION_DELTA) &&
           model_remark_delta(option_number(options, OPTION_ROWS),
                              option_number(options, OPTION_DELTA), remark);
}

int sotto_fit_remark(const sotto_options *options, const sotto_table *table,
                     int64_t i, sotto_error *remark)
{
    if (keeps_one_row(options, table, remark) && i-- == 0)
        return 1;
    return has_large_delta(options, remark) && i == 0;
}
