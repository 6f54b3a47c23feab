/*
 * A table from a disk holds the records of other files. A run on it is booked
 * under what runs on those files are booked under, so that all of them add up.
 */
#include "private.h"

#include <string.h>

static sotto_status refuse_dataset(const char *has, const char *given,
                                   sotto_error *error)
{
    shown own = show_name(has);
    return error_set(error, SOTTO_PRIVACY,
                     "the table's records are data set \"%s\"%s%s%s: expected "
                     "--ledger FILE --dataset \"%s\"",
                     own.text, given ? ", not \"" : "",
                     given ? show_name(given).text : "", given ? "\"" : "",
                     own.text);
}

sotto_status booking_by_source(before_rows *before, const sotto_table *shape,
                               sotto_error *error)
{
    const char *given = option_text(before->options, OPTION_DATASET);
    if (shape->dataset && !(given && !strcmp(given, shape->dataset)))
        return refuse_dataset(shape->dataset, given, error);
    if (given || !shape->sources)
        return SOTTO_OK;
    before->path = mem_texts(shape->source, shape->sources);
    before->paths = before->path ? shape->sources : 0;
    return before->path ? SOTTO_OK : error_memory(error);
}
