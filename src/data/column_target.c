/*
 * How the target is read: as a number, or as one of two classes.
 */
#include "column_plan.h"
#include "loss.h"
#include "number.h"

#include <string.h>

/* Names of the two classes: --classes, else the schema's, else none. */
static sotto_status plan_declared_classes(column_plan *p,
                                          const sotto_options *options,
                                          sotto_error *error)
{
    size_t cursor = 0;
    char *word = NULL;
    int got, count = 0;
    while ((got = option_next(options, OPTION_CLASSES, &cursor, &word)) > 0)
        if (count < 2)
            p->class_name[count++] = word;
        else {
            mem_free(word);
            count = 3;
        }
    if (got < 0)
        return error_memory(error);
    if (option_given(options, OPTION_CLASSES) &&
        (count != 2 || !strcmp(p->class_name[0], p->class_name[1]) ||
         !*p->class_name[0] || !*p->class_name[1]))
        return error_set(error, SOTTO_USAGE,
                         "--classes: expected two different names A,B, the "
                         "negative class first (more than two classes are "
                         "not supported yet)");
    if (count || !p->target->class_name[0])
        return SOTTO_OK;
    for (int i = 0; i < 2; i++) {
        p->class_name[i] = mem_text(p->target->class_name[i]);
        if (!p->class_name[i])
            return error_memory(error);
    }
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
                         "column \"%s\": a target of two classes has no "
                         "bounds; remove them from the schema",
                         show_name(p->target->name).text);
    p->target_is = TARGET_CLASSES;
    p->classes_declared = p->class_name[0] != NULL;
    p->classes_numeric = 1;
    for (int i = 0; i < 2 && p->classes_declared; i++)
        if (!number_whole(p->class_name[i], &p->class_value[i]))
            p->classes_numeric = 0;
    if (p->classes_declared && p->classes_numeric &&
        p->class_value[0] == p->class_value[1])
        return error_set(error, SOTTO_USAGE,
                         "--classes: expected two different classes, found "
                         "one number written in two ways");
    return SOTTO_OK;
}

sotto_status plan_target(column_plan *p, const sotto_options *options,
                         sotto_error *error)
{
    const char *name = option_text(options, OPTION_LOSS);
    if (p->target && loss_named_has(name, loss_has_classes))
        return plan_classes(p, options, error);
    if (option_given(options, OPTION_CLASSES) && !p->target)
        return error_set(error, SOTTO_USAGE, "--classes needs --target");
    if (option_given(options, OPTION_CLASSES))
        return loss_require(name, loss_has_classes, "--classes",
                            "reads a number", error);
    if (p->target && p->target->class_name[0])
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": the schema declares two classes, but "
                         "--loss %s reads a number; give --loss %s",
                         show_name(p->target->name).text, name,
                         loss_those(loss_has_classes).text);
    p->target_is = p->target ? TARGET_NUMBER : TARGET_NONE;
    return SOTTO_OK;
}
