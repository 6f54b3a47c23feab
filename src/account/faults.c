/*
 * What is known by now of the versions that made statements: a row for each
 * fault that a price can come from and that pricing the listed questions
 * again does not show. A statement to which a row applies is refused.
 */
#include "internal.h"
#include "json.h"

#include <string.h>

static const struct {
    const char *first, *last; /* versions, both included */
    const char *question;     /* that it asks, or NULL: any */
    const char *lacks;        /* a key that it does not have, or NULL */
    const char *fault;        /* and what to do about it */
} known[] = {
    {"0.1.0", "0.1.0", NULL, "draws",
     "that is of before 0.1.0 was finished: its statements do not list the "
     "order and the draws that they were priced by; train it again"},
};

/* "1.2.3" as a number, or -1. */
static int64_t version_number(const char *text)
{
    int64_t all = 0;
    for (int part = 0; part < 3; part++) {
        int64_t number = 0;
        const char *begin = text;
        for (; *text >= '0' && *text <= '9' && number < 100000; text++)
            number = 10 * number + *text - '0';
        if (text == begin || number >= 100000 || *text != (part < 2 ? '.' : 0))
            return -1;
        text++;
        all = 100000 * all + number;
    }
    return all;
}

static int asks(const json_t *statement, const char *question)
{
    const json_t *list = json_object_get(statement, "questions");
    for (size_t i = 0; question && i < json_array_size(list); i++) {
        const json_t *q = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(q, "question"));
        if (name && !strcmp(name, question))
            return 1;
    }
    return !question;
}

const char *account_known_fault(const json_t *statement)
{
    const char *made_by =
        json_string_value(json_object_get(statement, "sotto"));
    int64_t version = made_by ? version_number(made_by) : -1;
    if (version < 0)
        return "which is no version of it; expected a model as 'sotto train' "
               "wrote it";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (version >= version_number(known[i].first) &&
            version <= version_number(known[i].last) &&
            asks(statement, known[i].question) &&
            !(known[i].lacks && json_object_get(statement, known[i].lacks)))
            return known[i].fault;
    return NULL;
}
