/*
 * Where a model's run was booked: what its statement says about the ledger.
 */
#include "json.h"
#include "model.h"

#include <string.h>

static void copy_text(char *out, size_t room, const json_t *ledger,
                      const char *key)
{
    const char *text = json_string_value(json_object_get(ledger, key));
    snprintf(out, room, "%s", text ? text : "");
}

int model_booking(const char *statement, sotto_booking *out)
{
    json_t *root =
        statement ? json_read(statement, strlen(statement), NULL) : NULL;
    const json_t *ledger = json_object_get(root, "ledger");
    int booked = json_is_object(ledger);
    *out = (sotto_booking){0};
    if (booked) {
        copy_text(out->dataset, sizeof out->dataset, ledger, "dataset");
        copy_text(out->head, sizeof out->head, ledger, "head");
        out->position = json_integer_value(json_object_get(ledger, "position"));
        out->cap_epsilon = json_number_value(json_object_get(ledger, "cap"));
        out->delta = json_number_value(json_object_get(ledger, "delta"));
        out->spent_epsilon =
            json_number_value(json_object_get(ledger, "spent_epsilon"));
    }
    json_decref(root);
    return booked;
}

int sotto_model_booking(const sotto_model *m, sotto_booking *out)
{
    return model_booking(m->statement, out);
}
