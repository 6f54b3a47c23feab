/*
 * A schema to fill in, made from the header alone, or from names and types of
 * columns in memory: no row is looked at, so nothing in it can come from a
 * record.
 */
#include "memory.h"

#include <string.h>

static const schema none_declared;

/* What a column holds that is read as a number unless somebody says more. A
   type tells more than a header does (`kind` may be NULL). */
static const char *template_feature(const column_kind *kind)
{
    if (kind && (kind->kind == VIEW_TEXTS || kind->kind == VIEW_CODES))
        return "{\"type\": \"category\", \"levels\": null, \"missing\": "
               "\"refuse\"}";
    if (kind && (kind->kind == VIEW_BITS ||
                 (kind->kind == VIEW_NUMBERS && kind->type == SOTTO_BOOL)))
        return "{\"type\": \"number\", \"bounds\": [0, 1], \"missing\": "
               "\"refuse\"}";
    if (kind && kind->kind == VIEW_OTHER)
        return "{\"type\": \"drop\"}";
    return "{\"type\": \"number\", \"bounds\": null, \"missing\": "
           "\"refuse\"}";
}

/* The classes and the weight's bounds are there where options said them. */
static void template_target(text_buffer *t, const column_plan *p)
{
    text_put(t, "{\"type\": \"target\", \"classes\": ");
    for (int64_t k = 0; k < p->classes; k++) {
        text_put(t, k ? ", " : "[");
        text_json(t, p->class_name[k]);
    }
    text_put(t, p->classes ? "]}" : "null}");
}

static void template_weight(text_buffer *t, const column *c)
{
    text_put(t, "{\"type\": \"weight\", \"bounds\": [");
    text_number(t, c->low);
    text_put(t, ", ");
    text_number(t, c->high);
    text_put(t, "]}");
}

static void template_role(text_buffer *t, const column_plan *p, const column *c,
                          const column_kind *kind)
{
    switch (c->role) {
    case COLUMN_TARGET:
        template_target(t, p);
        return;
    case COLUMN_WEIGHT:
        template_weight(t, c);
        return;
    case COLUMN_UNIT:
        text_put(t, "{\"type\": \"unit\"}");
        return;
    case COLUMN_DROP:
    case COLUMN_PART:
        text_put(t, "{\"type\": \"drop\"}");
        return;
    case COLUMN_NUMBER:
    case COLUMN_CATEGORY:
    case COLUMN_DATE: /* only what a schema says, which is kept */
    case COLUMN_BOOLEAN:
        text_put(t, template_feature(kind));
        return;
    }
}

/* What a schema that there is already says of a column; NULL: nothing, or the
   options say something else. */
static const column *template_kept(const schema *old, const column_plan *p,
                                   const column *c)
{
    for (int64_t i = 0; i < old->columns; i++) {
        const column *kept = &old->column[i];
        if (strcmp(kept->name, c->name))
            continue;
        int said = kept->role == COLUMN_TARGET && p->classes;
        return !said && (c->role == COLUMN_NUMBER || c->role == kept->role)
                   ? kept
                   : NULL;
    }
    return NULL;
}

/* Whether an option names another column for the role of this one. */
static int template_replaced(const column_plan *p, const column *kept,
                             const column *c)
{
    return c->role != kept->role &&
           ((kept->role == COLUMN_TARGET && p->target) ||
            (kept->role == COLUMN_WEIGHT && p->has_weight) ||
            (kept->role == COLUMN_UNIT && p->has_unit));
}

/* What is declared already stays, and what its default covers is left to
   that; the rest is to be filled in. */
static void template_columns(text_buffer *t, const column_plan *p,
                             const column_kind *kind, const schema *old)
{
    static const column left_out = {.role = COLUMN_DROP};
    const char *before = "";
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i], *kept = template_kept(old, p, c);
        if (!kept && old->has_default && c->role == COLUMN_NUMBER)
            continue;
        text_format(t, "%s    ", before);
        text_json(t, c->name);
        text_put(t, ": ");
        if (kept)
            schema_put_column(t,
                              template_replaced(p, kept, c) ? &left_out : kept);
        else
            template_role(t, p, c, kind ? &kind[i] : NULL);
        before = ",\n";
    }
    text_put(t, *before ? "\n" : "");
}

static void template_named(text_buffer *t, const column_plan *p,
                           const column_kind *kind, const schema *old)
{
    text_put(t, "{\n  \"sotto_schema\": 1,\n  \"missing_values\": [");
    for (int64_t i = 0; i < old->missing_words; i++) {
        text_put(t, i ? ", " : "");
        text_json(t, old->missing[i]);
    }
    text_put(t, "],\n");
    if (old->width) /* of this file */
        text_format(t, "  \"width\": %lld,\n", (long long)p->columns);
    if (old->has_default) {
        text_put(t, "  \"default\": ");
        schema_put_column(t, &old->default_column);
        text_put(t, ",\n");
    }
    text_put(t, "  \"columns\": {\n");
    template_columns(t, p, kind, old);
    text_put(t, "  }\n}\n");
}

/* Without a header (svmlight): one declaration for all features. */
static void template_numbered(text_buffer *t)
{
    text_put(t, "{\n  \"sotto_schema\": 1,\n"
                "  \"default\": {\"type\": \"number\", \"bounds\": null},\n"
                "  \"columns\": {}\n}\n");
}

/* The options that the plan is made by: without a schema, which need not fit
   the file, and with a loss of classes where there are some. */
static sotto_status template_options(sotto_options **out,
                                     const sotto_options *options,
                                     sotto_error *error)
{
    sotto_status status = sotto_options_new(out, error);
    for (option_id id = 0; id < OPTION_COUNT && status == SOTTO_OK; id++)
        if (id != OPTION_SCHEMA)
            status = option_copy(*out, options, id, error);
    if (status == SOTTO_OK && option_given(options, OPTION_CLASSES) &&
        !option_given(options, OPTION_LOSS))
        status = sotto_options_set(*out, "loss", "logistic", error);
    return status;
}

static sotto_status template_of_header(text_buffer *t, const char *file,
                                       plan_naming naming, file_header *h,
                                       const sotto_options *options,
                                       sotto_error *error)
{
    column_plan p;
    schema old;
    sotto_options *plain = NULL;
    sotto_status status = plan_schema(&old, options, error);
    if (status != SOTTO_OK)
        return status;
    status = template_options(&plain, options, error);
    if (status == SOTTO_OK)
        status =
            plan_columns(&p, file, naming, h->name, h->count, plain, error);
    if (status == SOTTO_OK) {
        template_named(t, &p, NULL, &old);
        plan_free(&p);
    }
    sotto_options_free(plain);
    schema_free(&old);
    return status;
}

static sotto_status template_write(text_buffer *t, source *s,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    const file_format *format;
    file_header h;
    sotto_status status = format_detect(&format, s, options, 0, error);
    if (status != SOTTO_OK)
        return status;
    if (!format->header && option_given(options, OPTION_SCHEMA))
        return error_set(error, SOTTO_USAGE,
                         "--schema: %s has no header, whose columns could be "
                         "added to a schema",
                         show_name(source_name(s)).text);
    if (!format->header) {
        template_numbered(t);
        return SOTTO_OK;
    }
    status = format->header(s, options, &h, error);
    if (status != SOTTO_OK)
        return status;
    status = template_of_header(t, source_name(s), read_naming(format, &h), &h,
                                options, error);
    header_free(&h);
    return status;
}

sotto_status sotto_schema_template(char **out, const char *path,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    source *s = NULL;
    text_buffer t = {0};
    *out = NULL;
    sotto_status status =
        source_open(&s, path, format_by_name_only(options), error);
    if (status != SOTTO_OK)
        return status;
    status = template_write(&t, s, options, error);
    source_close(s);
    if (status != SOTTO_OK) {
        text_free(&t);
        return status;
    }
    *out = text_take(&t);
    return *out ? SOTTO_OK : error_memory(error);
}

/* Sparse features have one declaration, the columns beside them their own. */
static void template_beside(text_buffer *t, const column_plan *p,
                            const column_kind *kind)
{
    text_put(t, "{\n  \"sotto_schema\": 1,\n"
                "  \"default\": {\"type\": \"number\", \"bounds\": null},\n"
                "  \"columns\": {\n");
    template_columns(t, p, kind, &none_declared);
    text_put(t, "  }\n}\n");
}

sotto_status sotto_schema_template_from(char **out, const sotto_columns *c,
                                        const sotto_options *options,
                                        sotto_error *error)
{
    column_plan p;
    text_buffer t = {0};
    *out = NULL;
    sotto_status status = memory_plan_any(&p, c, options, error);
    if (status != SOTTO_OK)
        return status;
    if (!c->has_sparse)
        template_named(&t, &p, c->kind, &none_declared);
    else if (c->count)
        template_beside(&t, &p, c->kind);
    else
        template_numbered(&t);
    plan_free(&p);
    *out = text_take(&t);
    return *out ? SOTTO_OK : error_memory(error);
}
