/*
 * The names of losses, and messages that list those with a property.
 */
#include "loss.h"

#include <string.h>

#define LOSS_NAME(id, name, ...) [LOSS_##id] = name,
static const char *const names[] = {LOSS_ALL_LIST(LOSS_NAME)};

/* Those that an option names come first. */
#define LOSS_ONE(...) +1
enum { LOSS_COUNT = 0 LOSS_LIST(LOSS_ONE) };

int loss_named(const char *name, loss_kind *out)
{
    for (int i = 0; i < LOSS_COUNT; i++)
        if (!strcmp(names[i], name)) {
            *out = (loss_kind)i;
            return 1;
        }
    return 0;
}

const char *loss_name(loss_kind kind)
{
    return names[kind];
}

loss_list loss_those(loss_property has)
{
    loss_list list = {""};
    int left = 0;
    for (int i = 0; i < LOSS_COUNT; i++)
        left += has((loss_kind)i);
    for (int i = 0; i < LOSS_COUNT; i++) {
        if (!has((loss_kind)i))
            continue;
        strcat(list.text, names[i]);
        left--;
        strcat(list.text, left > 1 ? ", " : left == 1 ? " or " : "");
    }
    return list;
}

int loss_named_has(const char *name, loss_property has)
{
    loss_kind kind;
    return loss_named(name, &kind) && has(kind);
}

sotto_status loss_require(const char *name, loss_property has, const char *who,
                          const char *lacks, sotto_error *error)
{
    if (loss_named_has(name, has))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "%s: the %s loss %s; expected --loss %s", who, name, lacks,
                     loss_those(has).text);
}
