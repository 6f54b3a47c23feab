/*
 * Whose promise a statement is: the unit in words. Everything that shows a
 * promise to people says it with these.
 */
#include "json.h"
#include "model.h"

#include <string.h>

/* Statements of earlier versions have no "unit_column". */
static void put_people(text_buffer *t, const json_t *statement)
{
    const json_t *column = json_object_get(statement, "unit_column");
    if (json_is_string(column))
        text_format(t, "a person: all rows with the same \"%s\"",
                    show_name(json_string_value(column)).text);
    else
        text_put(t, "a person: all rows with the same value in a column that "
                    "the statement does not name");
}

void model_put_unit(text_buffer *t, const json_t *statement)
{
    const char *unit = json_string_value(json_object_get(statement, "unit"));
    const char *how =
        json_string_value(json_object_get(statement, "rows_per_person_is"));
    long long rows =
        json_integer_value(json_object_get(statement, "rows_per_person"));
    if (!unit || strcmp(unit, "person"))
        text_put(t, "a row, not all rows of a person");
    else if (how && !strncmp(how, "enforced", 8)) {
        put_people(t, statement);
        text_format(t,
                    rows == 1 ? ", of which %lld is used"
                              : ", of which at most %lld are used",
                    rows);
    } else
        text_format(t,
                    "a person with at most %lld rows, as the operator declared",
                    rows);
}

static sotto_status model_unit(char **out, const char *statement,
                               sotto_error *error)
{
    text_buffer t = {0};
    json_t *root = json_read(statement, strlen(statement), NULL);
    *out = NULL;
    if (!root) /* a model has it as JSON */
        return error_memory(error);
    model_put_unit(&t, root);
    json_decref(root);
    if (t.failed) {
        text_free(&t);
        return error_memory(error);
    }
    *out = t.data;
    return SOTTO_OK;
}

sotto_status sotto_model_unit(char **out, const sotto_model *m,
                              sotto_error *error)
{
    *out = NULL;
    if (!m->statement)
        return error_set(error, SOTTO_PRIVACY,
                         "the model is NOT PRIVATE: it has no unit");
    return model_unit(out, m->statement, error);
}
