/*
 * A schema to fill in, made from the header alone, or from names and types of
 * columns in memory: no row is looked at, so nothing in it can come from a
 * record.
 */
#include "memory.h"

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

static const char *template_role(const column *c, const column_kind *kind)
{
    switch (c->role) {
    case COLUMN_TARGET:
        return "{\"type\": \"target\", \"classes\": null}";
    case COLUMN_WEIGHT:
        return "{\"type\": \"weight\", \"bounds\": null}";
    case COLUMN_UNIT:
        return "{\"type\": \"unit\"}";
    case COLUMN_DROP:
    case COLUMN_PART:
        return "{\"type\": \"drop\"}";
    case COLUMN_NUMBER:
    case COLUMN_CATEGORY:
        break;
    }
    return template_feature(kind);
}

static void template_columns(text_buffer *t, const column_plan *p,
                             const column_kind *kind)
{
    for (int64_t i = 0; i < p->columns; i++) {
        text_put(t, "    ");
        text_json(t, p->column[i].name);
        text_format(t, ": %s%s",
                    template_role(&p->column[i], kind ? &kind[i] : NULL),
                    i + 1 < p->columns ? ",\n" : "\n");
    }
}

static void template_named(text_buffer *t, const column_plan *p,
                           const column_kind *kind)
{
    text_put(t, "{\n  \"sotto_schema\": 1,\n  \"missing_values\": [],\n"
                "  \"columns\": {\n");
    template_columns(t, p, kind);
    text_put(t, "  }\n}\n");
}

/* Without a header (svmlight): one declaration for all features. */
static void template_numbered(text_buffer *t)
{
    text_put(t, "{\n  \"sotto_schema\": 1,\n"
                "  \"default\": {\"type\": \"number\", \"bounds\": null},\n"
                "  \"columns\": {}\n}\n");
}

static sotto_status template_write(text_buffer *t, source *s,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    const file_format *format;
    file_header h;
    column_plan p;
    sotto_status status = format_detect(&format, s, options, 0, error);
    if (status != SOTTO_OK)
        return status;
    if (!format->header) {
        template_numbered(t);
        return SOTTO_OK;
    }
    status = format->header(s, options, &h, error);
    if (status != SOTTO_OK)
        return status;
    status = plan_columns(&p, source_name(s),
                          format->columns == COLUMNS_NAMED ? NAMES_HEADER
                                                           : NAMES_COUNTED,
                          h.name, h.count, options, error);
    header_free(&h);
    if (status != SOTTO_OK)
        return status;
    template_named(t, &p, NULL);
    plan_free(&p);
    return SOTTO_OK;
}

sotto_status sotto_schema_template(char **out, const char *path,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    source *s = NULL;
    text_buffer t = {0};
    *out = NULL;
    sotto_status status = source_open(&s, path, 0, error);
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
    template_columns(t, p, kind);
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
        template_named(&t, &p, c->kind);
    else if (c->count)
        template_beside(&t, &p, c->kind);
    else
        template_numbered(&t);
    plan_free(&p);
    *out = text_take(&t);
    return *out ? SOTTO_OK : error_memory(error);
}
