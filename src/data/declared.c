/*
 * What a schema says of a file that is not there: the table that would be
 * read, without a row. All of it is public.
 */
#include "reader.h"

#include <string.h>

/* A name as a field of a header. */
static void put_field(text_buffer *t, const char *name)
{
    text_put(t, t->length > 0 ? ",\"" : "\"");
    for (; *name; name++) {
        if (*name == '"')
            text_put(t, "\"");
        text_add(t, name, 1);
    }
    text_put(t, "\"");
}

static int is_listed(const schema *s, const char *name)
{
    for (int64_t i = 0; i < s->columns; i++)
        if (!strcmp(s->column[i].name, name))
            return 1;
    return 0;
}

/* The columns that are listed, those that options name, and so many more. */
static void put_header(text_buffer *t, const schema *s,
                       const sotto_options *options, int64_t more)
{
    static const option_id named[] = {OPTION_TARGET, OPTION_WEIGHTS,
                                      OPTION_UNIT_COLUMN};
    for (int64_t i = 0; i < s->columns; i++)
        put_field(t, s->column[i].name);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (option_given(options, named[i]) &&
            !is_listed(s, option_text(options, named[i])))
            put_field(t, option_text(options, named[i]));
    for (int64_t i = 0; i < more; i++) {
        char name[40];
        snprintf(name, sizeof name, "(not listed) %lld", (long long)i + 1);
        put_field(t, name);
    }
    text_put(t, "\n");
}

static sotto_status read_header(sotto_table **out, const schema *s,
                                const sotto_options *options, int64_t more,
                                sotto_error *error)
{
    const char *path = option_text(options, OPTION_SCHEMA);
    text_buffer t = {0};
    put_header(&t, s, options, more);
    sotto_status status =
        t.failed
            ? error_memory(error)
            : table_read_header(out, path, t.data, t.length, options, error);
    text_free(&t);
    return status;
}

/* Features that are not listed are as the schema's default says; so many of
   them are in the header already. */
static sotto_status read_more(sotto_table **out, const schema *s,
                              const sotto_options *options, int there,
                              sotto_error *error)
{
    enum { MOST = 1 << 24 };
    int64_t wanted = option_integer(options, OPTION_FEATURES);
    int64_t found = (*out)->features;
    if (wanted == found)
        return SOTTO_OK;
    sotto_table_free(*out);
    *out = NULL;
    if (wanted < found || !s->has_standard)
        return error_set(error, SOTTO_USAGE,
                         "--features %lld: the schema declares %lld%s",
                         (long long)wanted, (long long)found,
                         wanted < found ? "" : ", and has no \"default\"");
    if (wanted - found > MOST)
        return error_set(error, SOTTO_USAGE,
                         "--features: at most %d that the schema does not "
                         "list",
                         MOST);
    return read_header(out, s, options, wanted - found + there, error);
}

sotto_status table_declared(sotto_table **out, const sotto_options *options,
                            sotto_error *error)
{
    schema s;
    *out = NULL;
    if (option_is(options, OPTION_FORMAT, "svmlight"))
        return table_read_memory(out, option_text(options, OPTION_SCHEMA), "",
                                 0, options, error);
    sotto_status status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    /* with a default alone, the first column is one of those not listed */
    int given = option_given(options, OPTION_FEATURES);
    int alone = s.columns == 0 && given && s.has_standard;
    status = read_header(out, &s, options, alone, error);
    if (status == SOTTO_OK && given)
        status = read_more(out, &s, options, alone, error);
    schema_free(&s);
    return status;
}
