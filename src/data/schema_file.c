/*
 * A schema's bytes: from a file or memory to JSON.
 */
#include "json.h"
#include "schema.h"
#include "source.h"

#include <string.h>

enum { SCHEMA_PART = 1 << 16 };

/* All that is left of the source. Its size is limited, because a small gzip
   file can inflate to very much. */
static sotto_status schema_gather(text_buffer *t, source *s, const char *path,
                                  sotto_error *error)
{
    char part[SCHEMA_PART];
    size_t got = 1;
    while (got) {
        sotto_status status = source_take(s, part, sizeof part, &got, error);
        if (status == SOTTO_OK)
            status = file_check_whole(path, part, got, t->length + got,
                                      FILE_MOST, error);
        if (status != SOTTO_OK)
            return status;
        text_add(t, part, got);
        if (t->failed)
            return error_memory(error);
    }
    return SOTTO_OK;
}

static sotto_status schema_bytes(const char *path, text_buffer *out,
                                 sotto_error *error)
{
    source *s = NULL;
    sotto_status status = source_open(&s, path, 0, error);
    if (status == SOTTO_OK && source_left(s) > 0)
        status = file_check_whole(path, NULL, 0, (size_t)source_left(s),
                                  FILE_MOST, error);
    if (status == SOTTO_OK)
        status = schema_gather(out, s, path, error);
    source_close(s);
    return status;
}

/* jansson's reason without the text it quotes: the file may be one of
   records, given by mistake. */
static const char *schema_reason(json_error_t *problem)
{
    char *quoted = strstr(problem->text, " near ");
    if (quoted)
        *quoted = 0;
    return problem->text;
}

static sotto_status schema_parse_all(schema *out, const char *name,
                                     const char *bytes, size_t size,
                                     schema_faults *faults, sotto_error *error)
{
    json_error_t problem;
    *out = (schema){.faults = faults};
    size_t mark = size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
    json_t *root = json_read(bytes + mark, size - mark, &problem);
    if (!root && json_out_of_memory(size))
        return error_memory(error);
    if (!root)
        return error_set(error, SOTTO_USAGE,
                         "%s: line %d, column %d: expected a schema in JSON: "
                         "%s",
                         show_name(name).text, problem.line, problem.column,
                         schema_reason(&problem));
    sotto_status status = schema_from_json(out, name, root, error);
    json_decref(root);
    if (status != SOTTO_OK)
        schema_free(out);
    return status;
}

sotto_status schema_parse(schema *out, const char *name, const char *bytes,
                          size_t size, sotto_error *error)
{
    return schema_parse_all(out, name, bytes, size, NULL, error);
}

sotto_status schema_load_all(schema *out, const char *path,
                             schema_faults *faults, sotto_error *error)
{
    text_buffer text = {0};
    *out = (schema){0};
    sotto_status status = schema_bytes(path, &text, error);
    if (status == SOTTO_OK)
        status =
            schema_parse_all(out, path, text.data, text.length, faults, error);
    text_free(&text);
    return status;
}

sotto_status schema_load(schema *out, const char *path, sotto_error *error)
{
    return schema_load_all(out, path, NULL, error);
}
