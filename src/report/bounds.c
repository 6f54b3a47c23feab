/*
 * How far values go, and who said so: declared in the schema, or estimated
 * from the records with noise that is part of the price.
 */
#include "page.h"

#include <string.h>

/* Columns by where their bounds came from. */
typedef struct counts {
    int64_t declared, levels, found, others, estimated, none;
    int target_declared, target_estimated;
} counts;

static void count_column(counts *c, const json_t *column)
{
    const char *type = page_text(column, "type");
    int bounded = json_array_size(json_object_get(column, "bounds")) == 2;
    int bought = json_is_true(json_object_get(column, "bought"));
    if (!strcmp(type, "target"))
        c->target_declared = bounded;
    else if (!strcmp(type, "category")) {
        c->levels++;
        c->others += json_is_true(json_object_get(column, "other"));
    } else if (!strcmp(type, "boolean") || (!strcmp(type, "date") && !bounded))
        c->levels++;
    else if (bought)
        c->estimated++;
    else if (bounded)
        c->declared++;
    else if (!strcmp(type, "number"))
        c->none++;
}

static counts count_all(const json_t *statement, const json_t *schema)
{
    counts c = {0};
    const json_t *bought = json_object_get(statement, "bought_bounds");
    json_t *columns = json_object_get(schema, "columns"), *column;
    const char *name;
    json_object_foreach(columns, name, column) count_column(&c, column);
    c.target_estimated = json_is_number(json_object_get(bought, "target"));
    c.found = json_integer_value(
        json_object_get(json_object_get(statement, "levels"), "columns"));
    c.levels -= c.found < c.levels ? c.found : c.levels;
    return c;
}

/* "declared: 3 columns and the target", on a line of its own. */
static int put_line(text_buffer *t, int lines, const char *how, int64_t columns,
                    int target)
{
    if (!columns && !target)
        return lines;
    text_format(t, "%s%s: ", lines ? "<br>" : "", how);
    if (columns)
        text_format(t, "%lld column%s", (long long)columns,
                    columns == 1 ? "" : "s");
    if (target)
        text_put(t, columns ? " and the target" : "the target");
    return lines + 1;
}

void page_bounds(text_buffer *t, const json_t *statement, const json_t *schema)
{
    counts c = count_all(statement, schema);
    int rest = json_array_size(json_object_get(
                   json_object_get(schema, "default"), "bounds")) == 2;
    int lines =
        put_line(t, 0, "declared in the schema", c.declared, c.target_declared);
    if (rest) {
        text_put(t, lines ? "; all others by its default"
                          : "declared in the schema, by its default");
        lines++;
    }
    lines = put_line(t, lines, "levels found privately, within this epsilon",
                     c.found, 0);
    lines = put_line(t, lines, "levels declared", c.levels, 0);
    if (c.others)
        text_format(t, ", %lld of them with a level for all others",
                    (long long)c.others);
    lines = put_line(t, lines, "estimated privately, within this epsilon",
                     c.estimated, c.target_estimated && !c.target_declared);
    lines = put_line(t, lines, "none, and none needed", rest ? 0 : c.none, 0);
    if (!lines)
        text_put(t, "none were declared");
}
