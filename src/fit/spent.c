/*
 * MODEL.spent: what a run that no ledger knows of may spend, on the disk before
 * the first record is asked about. A run that ends well replaces it by the
 * statement in the model; one that was killed leaves it, because what was
 * answered cannot be taken back.
 */
#include "fit.h"
#include "json.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPENT_VERSION = 1 };

/* "model.json.spent" beside the file that is written, wherever a link leads;
   NULL when out of memory. */
static char *spent_path(const char *model)
{
    text_buffer t = {0};
    char *file = file_follow(model);
    if (file)
        text_put(&t, file);
    text_put(&t, ".spent");
    if (t.failed || !file)
        text_free(&t);
    mem_free(file);
    return t.data;
}

static sotto_status spent_refuse(const char *path, sotto_error *error)
{
    return error_set(error, SOTTO_BUDGET,
                     "%s: a run that did not finish has spent privacy, or one "
                     "is at work; see 'sotto show', count it, and move the "
                     "file away to go on",
                     show_name(path).text);
}

sotto_status fit_check_spent(const char *model, sotto_error *error)
{
    struct stat about;
    char *path = spent_path(model);
    if (!path)
        return error_memory(error);
    sotto_status status = SOTTO_OK;
    if (!strcmp(model, "-") || !strncmp(path, "/dev/", 5) ||
        !strncmp(path, "/proc/", 6))
        status = error_set(error, SOTTO_PRIVACY,
                           "a private run without a ledger needs -o FILE, not "
                           "stdout or a device: what it may spend is written "
                           "beside it");
    else if (!lstat(path, &about))
        status = spent_refuse(path, error);
    else if (!lstat(model, &about) && S_ISLNK(about.st_mode) &&
             stat(model, &about))
        status = error_set(error, SOTTO_USAGE,
                           "%s: the link leads to no file; expected the name "
                           "of the file itself, beside which what was spent "
                           "is written",
                           show_name(model).text);
    mem_free(path);
    return status;
}

/* What the statement says, under the same keys; and the events. */
static json_t *spent_value(const json_t *statement, const account_list *events)
{
    static const char *const keys[] = {
        "epsilon",     "delta",           "unit",
        "unit_column", "rows_per_person", "rows_per_person_is"};
    text_buffer plan = {0};
    json_t *out = json_pack("{s:i}", "sotto_spent", SPENT_VERSION);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(statement, keys[i]);
        if (value)
            json_add(&out, keys[i], json_incref(value));
    }
    json_add_text(&out, "adjacency", account_adjacency_name(events->adjacency));
    json_add_text(&out, "order", events->ordered ? "given" : "any");
    json_add_number(&out, "draws", events->draws);
    account_print(events, &plan);
    json_add_text(&out, "plan", plan.failed ? NULL : plan.data);
    text_free(&plan);
    return out;
}

sotto_status fit_write_spent(const char *model, const json_t *statement,
                             const account_list *events, sotto_error *error)
{
    text_buffer t = {0};
    char *path = spent_path(model);
    json_t *value = spent_value(statement, events);
    json_put_members(&t, value,
                     (json_layout){"\n  ", ",\n  ", "\n", json_put_value});
    text_put(&t, "\n");
    int taken = 0;
    sotto_status status = !path || !value || t.failed
                              ? error_memory(error)
                              : file_create(path, &t, &taken, error);
    if (taken) /* of two runs one is refused */
        status = spent_refuse(path, error);
    json_decref(value);
    text_free(&t);
    mem_free(path);
    return status;
}

sotto_status fit_settle_spent(const char *model, sotto_error *error)
{
    char *path = spent_path(model);
    if (!path)
        return error_memory(error);
    int failed = unlink(path) && errno != ENOENT;
    int cause = errno;
    shown name = show_name(path);
    mem_free(path);
    return failed ? error_set(error, SOTTO_FAILED, "%s: cannot remove: %s",
                              name.text, strerror(cause))
                  : SOTTO_OK;
}

/* ---- explained ---- */

/* The events as they were written: with their order and draws, so that they
   cost what the run's statement would have said. A file without an order is
   of an earlier version; any order costs no less. */
static sotto_status spent_events(account_list *out, const json_t *root,
                                 sotto_error *error)
{
    account_adjacency adjacency;
    const char *plan = json_string_value(json_object_get(root, "plan"));
    const char *word = json_string_value(json_object_get(root, "adjacency"));
    const json_t *order = json_object_get(root, "order");
    const char *how = order ? json_string_value(order) : "any";
    const json_t *draws = json_object_get(root, "draws");
    double many = json_number_value(draws);
    if (!plan || !word || !account_adjacency_named(word, &adjacency) || !how ||
        (strcmp(how, "any") && strcmp(how, "given")) ||
        !json_is_number(draws) || !(many >= 0 && many <= 1e18))
        return SOTTO_USAGE;
    sotto_status status = account_parse(out, plan, "", NAN, adjacency, error);
    out->draws = many;
    out->ordered = !strcmp(how, "given");
    return status;
}

static void spent_put_text(text_buffer *t, const json_t *root,
                           const char *adjacency, double epsilon, double delta)
{
    text_format(t,
                "A run that did not finish: no model came of it, but it "
                "may have spent\nepsilon %s at delta %s (%s), which "
                "counts in full.\n",
                sotto_number_print_up(epsilon, 6).text,
                sotto_number_print_up(delta, 6).text, adjacency);
    if (json_object_get(root, "unit")) { /* earlier versions had none */
        text_put(t, "The unit is ");
        model_put_unit(t, root);
        text_put(t, ".\n");
    }
    text_format(t, "What it planned to ask:\n  %s\n",
                json_string_value(json_object_get(root, "plan")));
}

static void spent_put_json(text_buffer *t, const json_t *root,
                           const char *adjacency, double epsilon, double delta)
{
    json_t *out = json_pack("{s:b, s:f, s:f, s:s}", "finished", 0, "epsilon",
                            epsilon, "delta", delta, "adjacency", adjacency);
    if (json_object_get(root, "unit")) {
        text_buffer unit = {0};
        model_put_unit(&unit, root);
        json_add_text(&out, "unit", unit.failed ? NULL : unit.data);
        text_free(&unit);
    }
    json_add(&out, "plan", json_incref(json_object_get(root, "plan")));
    json_put(t, out);
    text_put(t, "\n");
    json_decref(out);
}

static sotto_status spent_explain(text_buffer *t, const json_t *root,
                                  int as_json, sotto_error *error)
{
    account_list list = {0};
    account_price price;
    double delta = json_number_value(json_object_get(root, "delta"));
    sotto_status status = spent_events(&list, root, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&list, delta, &price, error);
    if (status == SOTTO_OK)
        (as_json ? spent_put_json : spent_put_text)(
            t, root, account_adjacency_name(list.adjacency), price.epsilon,
            delta);
    account_free(&list);
    return status;
}

sotto_status sotto_spent_text(char **out, const char *path, int as_json,
                              sotto_error *error)
{
    char *bytes = NULL;
    size_t size;
    text_buffer t = {0};
    *out = NULL;
    sotto_status status = file_read(path, FILE_MOST, &bytes, &size, error);
    if (status != SOTTO_OK)
        return status;
    json_t *root = json_read(bytes, size, NULL);
    mem_free(bytes);
    status = SOTTO_USAGE;
    if (json_integer_value(json_object_get(root, "sotto_spent")) ==
        SPENT_VERSION)
        status = spent_explain(&t, root, as_json, error);
    if (status == SOTTO_USAGE)
        error_set(error, SOTTO_USAGE,
                  "%s: expected what a run leaves as MODEL.spent",
                  show_name(path).text);
    json_decref(root);
    if (status == SOTTO_OK && t.failed)
        status = error_memory(error);
    if (status == SOTTO_OK)
        *out = t.data;
    else
        text_free(&t);
    return status;
}
