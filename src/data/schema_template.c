/*
 * A schema to fill in, made from the header alone: no row is looked at, so
 * nothing in it can come from a record.
 */
#include "reader.h"

static void template_column(text_buffer *t, const column *c)
{
    text_put(t, "    ");
    text_json(t, c->name);
    text_put(t, ": ");
    if (c->role == COLUMN_TARGET)
        text_put(t, "{\"type\": \"target\", \"classes\": null}");
    else if (c->role == COLUMN_DROP)
        text_put(t, "{\"type\": \"drop\"}");
    else
        text_put(t, "{\"type\": \"number\", \"bounds\": null, "
                    "\"missing\": \"refuse\"}");
}

static void template_columns(text_buffer *t, const column_plan *p)
{
    text_put(t, "{\n  \"sotto_schema\": 1,\n  \"missing_values\": [],\n"
                "  \"columns\": {\n");
    for (int64_t i = 0; i < p->columns; i++) {
        template_column(t, &p->column[i]);
        text_put(t, i + 1 < p->columns ? ",\n" : "\n");
    }
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
    status = plan_columns(&p, source_name(s), format->columns == COLUMNS_NAMED,
                          h.name, h.count, options, error);
    header_free(&h);
    if (status != SOTTO_OK)
        return status;
    template_columns(t, &p);
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
