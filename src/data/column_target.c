/*
 * How the target is read: as a number, or as one of some classes.
 */
#include "column_plan.h"
#include "loss.h"
#include "number.h"

#include <string.h>

/* ---- which classes are declared ---- */

static sotto_status plan_listed_classes(column_plan *p,
                                        const sotto_options *options,
                                        sotto_error *error)
{
    size_t cursor = 0;
    char *word = NULL;
    int got;
    while ((got = option_next(options, OPTION_CLASSES, &cursor, &word)) > 0) {
        char **more =
            mem_resize(p->class_name, (size_t)p->classes + 1, sizeof *more);
        if (!more) {
            mem_free(word);
            return error_memory(error);
        }
        p->class_name = more;
        more[p->classes++] = word;
        if (p->classes > TABLE_MOST_CLASSES)
            return error_set(error, SOTTO_USAGE,
                             "--classes: expected at most %d classes",
                             TABLE_MOST_CLASSES);
    }
    return got < 0 ? error_memory(error) : SOTTO_OK;
}

/* Two names or more, all different and none empty. */
static sotto_status plan_classes_differ(const column_plan *p,
                                        sotto_error *error)
{
    int named = p->classes >= 2;
    for (int64_t i = 0; i < p->classes; i++)
        named &= *p->class_name[i] != 0;
    if (!named)
        return error_set(error, SOTTO_USAGE,
                         "--classes: expected two or more different names "
                         "A,B,..., of two the negative class first");
    for (int64_t i = 0; i < p->classes; i++)
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(p->class_name[i], p->class_name[k]))
                return error_set(error, SOTTO_USAGE,
                                 "--classes: \"%s\" is there twice; expected "
                                 "different names",
                                 show_name(p->class_name[i]).text);
    return SOTTO_OK;
}

/* Names of the classes: --classes, else the schema's, else none. */
static sotto_status plan_declared_classes(column_plan *p,
                                          const sotto_options *options,
                                          sotto_error *error)
{
    const column *c = p->target;
    if (option_given(options, OPTION_CLASSES)) {
        sotto_status status = plan_listed_classes(p, options, error);
        return status == SOTTO_OK ? plan_classes_differ(p, error) : status;
    }
    if (!c->classes)
        return SOTTO_OK;
    p->class_name = mem_texts(c->class_name, c->classes);
    p->classes = p->class_name ? c->classes : 0;
    return p->class_name ? SOTTO_OK : error_memory(error);
}

/* Classes that are all numbers are compared as such: no number twice. */
static sotto_status plan_class_values(column_plan *p, sotto_error *error)
{
    p->classes_numeric = 1;
    p->class_value = mem_zeroed((size_t)p->classes, sizeof *p->class_value);
    if (!p->class_value)
        return error_memory(error);
    for (int64_t i = 0; i < p->classes; i++)
        if (!number_whole(p->class_name[i], &p->class_value[i]))
            p->classes_numeric = 0;
    for (int64_t i = 0; i < p->classes && p->classes_numeric; i++)
        for (int64_t k = 0; k < i; k++)
            if (p->class_value[i] == p->class_value[k])
                return error_set(error, SOTTO_USAGE,
                                 "--classes: expected different classes, "
                                 "found one number written in two ways");
    return SOTTO_OK;
}

static sotto_status plan_classes(column_plan *p, const sotto_options *options,
                                 sotto_error *error)
{
    sotto_status status = plan_declared_classes(p, options, error);
    if (status != SOTTO_OK)
        return status;
    if (p->target->bounded)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": a target of classes has no bounds; "
                         "remove them from the schema",
                         show_name(p->target->name).text);
    p->target_is = p->classes > 2 ? TARGET_MANY : TARGET_CLASSES;
    return plan_class_values(p, error);
}

sotto_status table_refuse_no_target(int counted, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "no column is the target: give --target %s, or "
                     "declare it in the schema as \"type\": \"target\"",
                     counted ? "N (the number of its column, from 1)" : "NAME");
}

sotto_status plan_target(column_plan *p, const sotto_options *options,
                         sotto_error *error)
{
    const char *name = option_text(options, OPTION_LOSS);
    if (p->target && loss_named_has(name, loss_has_classes))
        return plan_classes(p, options, error);
    if (option_given(options, OPTION_CLASSES) && !p->target)
        return error_set(error, SOTTO_USAGE, "--classes needs --target");
    /* a plan is made of the schema alone, which need not have the target */
    if (option_given(options, OPTION_LOSS) && !p->target && !p->for_model &&
        !option_is(options, OPTION_SCHEMA, p->file))
        return table_refuse_no_target(p->naming == NAMES_COUNTED, error);
    if (option_given(options, OPTION_CLASSES))
        return loss_require(name, loss_has_classes, "--classes",
                            "reads a number", error);
    if (p->target && p->target->classes)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": the schema declares classes, but "
                         "--loss %s reads a number; give --loss %s",
                         show_name(p->target->name).text, name,
                         loss_those(loss_has_classes).text);
    p->target_is = p->target ? TARGET_NUMBER : TARGET_NONE;
    return SOTTO_OK;
}
