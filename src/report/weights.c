/*
 * The weights: bars that can be compared, their numbers, and the noise that
 * entered them last.
 */
#include "declared.h"
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30, NAME = 30 };
enum { WIDTH = 640, ROW = 46, BAR = 12, THIN = 5 };

typedef struct weight {
    int64_t feature, class; /* class: of three and more */
    double value, range;    /* the bar is value x range */
} weight;

typedef struct chart {
    const sotto_model *model;
    weight *list;
    int64_t used, shown;
    int ranges; /* every feature has a declared range */
} chart;

/* ---- what can be compared ---- */

/* How far a feature goes by its declaration: 1 for the levels of a category or
   a date, which are 0 or 1; NaN for a number without bounds. */
static sotto_status range_of(double *range, const json_t *columns,
                             const char *name, sotto_error *error)
{
    json_t *column = json_object_get(columns, name);
    *range = 1;
    return column ? declared_range(range, column, error) : SOTTO_OK;
}

static sotto_status find_ranges(chart *c, sotto_error *error)
{
    const char *text = c->model->schema ? c->model->schema : "{}";
    json_t *schema = json_read(text, strlen(text), NULL);
    if (!schema) /* the model has it as JSON */
        return error_memory(error);
    const json_t *columns = json_object_get(schema, "columns");
    sotto_status status = SOTTO_OK;
    c->ranges = c->model->name != NULL;
    for (int64_t i = 0; status == SOTTO_OK && i < c->used; i++) {
        char buffer[24];
        weight *w = &c->list[i];
        status = range_of(
            &w->range, columns,
            sotto_model_feature_name(c->model, w->feature, buffer), error);
        c->ranges &= isfinite(w->range * w->value);
    }
    for (int64_t i = 0; !c->ranges && i < c->used; i++)
        c->list[i].range = 1;
    json_decref(schema);
    return status;
}

/* Longest bar first; equal ones in the order of the file. */
static int compare(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    double size = fabs(y->value * y->range) - fabs(x->value * x->range);
    return size > 0   ? 1
           : size < 0 ? -1
           : x->feature != y->feature
               ? (x->feature > y->feature) - (x->feature < y->feature)
               : (x->class > y->class) - (x->class < y->class);
}

static sotto_status find_weights(chart *c, sotto_error *error)
{
    const sotto_model *m = c->model;
    c->list = mem_zeroed((size_t)model_weights(m), sizeof *c->list);
    if (!c->list)
        return error_memory(error);
    for (int64_t j = 0; j < model_weights(m); j++)
        if (m->weight[j] != 0)
            c->list[c->used++] =
                (weight){j % m->features, j / m->features, m->weight[j], 1};
    sotto_status status = find_ranges(c, error);
    if (status != SOTTO_OK) {
        mem_free(c->list);
        return status;
    }
    qsort(c->list, (size_t)c->used, sizeof *c->list, compare);
    c->shown = c->used < MOST ? c->used : MOST;
    return SOTTO_OK;
}

/* ---- bars ---- */

static void put_name(text_buffer *t, const chart *c, const weight *w, int most)
{
    char buffer[24], cut[4 * NAME + 8];
    const char *name = sotto_model_feature_name(c->model, w->feature, buffer);
    size_t length = 0;
    int characters = 0;
    while (name[length] && characters < most) {
        length++;
        while (((unsigned char)name[length] & 0xc0) == 0x80)
            length++;
        characters++;
    }
    if (!name[length] || length > 4 * NAME) {
        report_escape(t, name);
        return;
    }
    memcpy(cut, name, length);
    cut[length] = 0;
    report_escape(t, cut);
    text_put(t, "\u2026");
}

/* From 0 to x, where the chart goes from `low` to `high`. */
static void put_bar(text_buffer *t, const char *kind, double x, double low,
                    double high, double y, int thick)
{
    double unit = WIDTH / (high - low), zero = -low * unit;
    double from = fmin(zero, zero + x * unit), length = fabs(x) * unit;
    text_format(t,
                "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" "
                "height=\"%d\"/>",
                kind, PAGE_AT(from), PAGE_AT(y),
                PAGE_AT(fmin(fmax(length, 1), WIDTH)), thick);
}

static double noise_of(const sotto_model *m, const weight *w)
{
    return sotto_model_noise(m, w->class * m->features + w->feature);
}

static void put_row(text_buffer *t, const chart *c, int64_t i, double low,
                    double high)
{
    const weight *w = &c->list[i];
    double x = w->value * w->range, y = (double)(i * ROW);
    double noise = noise_of(c->model, w) * w->range;
    text_format(t, "<text x=\"0\" y=\"%s\">", PAGE_AT(y + 16));
    put_name(t, c, w, NAME);
    if (c->model->classes > 2) {
        text_put(t, " \u2192 ");
        report_escape(t, c->model->class_name[w->class]);
    }
    text_format(t, "</text><text x=\"%d\" y=\"%s\" text-anchor=\"end\">", WIDTH,
                PAGE_AT(y + 16));
    text_put(t, x > 0 ? "+" : "");
    page_number(t, x, 3);
    text_put(t, "</text>");
    put_bar(t, x < 0 ? "minus" : "plus", x, low, high, y + 22, BAR);
    if (noise > 0)
        put_bar(t, "noise", copysign(fmin(noise, x < 0 ? -low : high), x), low,
                high, y + 22 + BAR + 1, THIN);
    text_put(t, "\n");
}

static void put_chart(text_buffer *t, const chart *c)
{
    double low = 0, high = 0;
    for (int64_t i = 0; i < c->shown; i++) {
        low = fmin(low, c->list[i].value * c->list[i].range);
        high = fmax(high, c->list[i].value * c->list[i].range);
    }
    text_format(t,
                "<figure>\n<svg class=\"plot\" viewBox=\"0 0 %d %lld\" "
                "role=\"img\" aria-label=\"weights as bars\">\n",
                WIDTH, (long long)c->shown * ROW + 4);
    for (int64_t i = 0; i < c->shown; i++)
        put_row(t, c, i, low, high);
    text_format(t, "<path class=\"axis\" d=\"M%s 20V%lld\"/>\n",
                PAGE_AT(-low * WIDTH / (high - low)),
                (long long)c->shown * ROW);
    text_put(t, "</svg>\n<figcaption><span class=\"key plus\"></span>raises "
                "the score<span class=\"key minus\"></span>lowers it");
    if (c->model->noise)
        text_put(t, "<span class=\"key noise\"></span>standard deviation of "
                    "the last noise in it");
    text_put(t, "</figcaption>\n</figure>\n");
}

/* ---- numbers ---- */

static void put_cell(text_buffer *t, double x, int digits)
{
    text_put(t, "<td class=\"n\">");
    if (isnan(x))
        text_put(t, "not known");
    else
        page_number(t, x, digits);
    text_put(t, "</td>");
}

/* The class that a weight is of, where it is of one. */
static void put_class(text_buffer *t, const chart *c, int64_t k)
{
    if (c->model->classes <= 2)
        return;
    text_put(t, "<td>");
    report_escape(t, c->model->class_name[k]);
    text_put(t, "</td>");
}

static void put_numbers(text_buffer *t, const chart *c)
{
    text_format(t,
                "<table><caption>The numbers of the bars, in the units of the "
                "file%s</caption><tr><th>feature</th>%s<th class=\"n\">weight"
                "</th>%s</tr>\n",
                c->used > c->shown ? "; the longest bars only" : "",
                c->model->classes > 2 ? "<th>class</th>" : "",
                c->model->noise ? "<th class=\"n\">sd of the last noise</th>"
                                : "");
    for (int64_t i = 0; i < c->shown; i++) {
        text_put(t, "<tr><td>");
        put_name(t, c, &c->list[i], 1 << 20);
        text_put(t, "</td>");
        put_class(t, c, c->list[i].class);
        put_cell(t, c->list[i].value, 4);
        if (c->model->noise)
            put_cell(t, noise_of(c->model, &c->list[i]), 3);
        text_put(t, "</tr>\n");
    }
    int64_t width = c->model->classes > 2 ? c->model->classes : 1;
    for (int64_t k = 0; k < width; k++) {
        text_put(t, k ? "</tr>\n<tr><td>(intercept)</td>"
                      : "<tr><td>(intercept)</td>");
        put_class(t, c, k);
        put_cell(t, sotto_model_class_intercept(c->model, k), 4);
        if (c->model->noise)
            put_cell(t, NAN, 3);
    }
    text_put(t, "</tr>\n</table>\n");
}

/* ---- words ---- */

static void put_why(text_buffer *t, const sotto_model *m)
{
    if (!m->statement) {
        text_put(t, "<p>No noise is in these weights, or noise that can be "
                    "repeated: that is why the model is NOT PRIVATE.</p>\n");
        return;
    }
    if (m->noise)
        text_put(t,
                 "<p>The standard deviation is that of the last noise that "
                 "entered a weight, in the last step that moved it, before the "
                 "penalty drew it back and before steps were averaged, both of "
                 "which make it less. The noise of earlier steps is in the "
                 "weight as well, so that all of it together may be several "
                 "times as large. For the intercept in the units of the "
                 "file it is not known: the noise of all weights is in "
                 "it.</p>\n");
    else
        text_put(t,
                 "<p>The noise in single weights is not known for the way this "
                 "model was made: noise decided which weights moved (or moved "
                 "what weights are computed from), and is not what was added "
                 "to them.</p>\n");
    text_put(t,
             "<p><strong>Why there is no confidence interval.</strong> One "
             "would have to cover three errors: that the people in the data "
             "are a sample, the noise of all steps, earlier ones included, "
             "which later steps undo in part, and the bias of clipping and of "
             "the penalty. The model has the size of the last noise alone. An "
             "interval made of it would be too short, by a factor that only "
             "the records know.</p>\n");
}

sotto_status page_weights(text_buffer *t, const sotto_model *m,
                          sotto_error *error)
{
    chart c = {.model = m};
    sotto_status status = find_weights(&c, error);
    if (status != SOTTO_OK)
        return status;
    text_format(t,
                "<h3>What it has learned</h3>\n<p>%lld of %lld weights are not "
                "0. ",
                (long long)c.used, (long long)model_weights(m));
    text_put(t, c.ranges
                    ? "A bar is how far the score moves when the feature goes "
                      "from its lower declared bound to its upper one (or a "
                      "category's level from no to yes), so that bars can be "
                      "compared.</p>\n"
                    : "A bar is the weight in the units of the file: bars of "
                      "features in different units cannot be compared.</p>\n");
    if (c.used > 0)
        put_chart(t, &c);
    put_numbers(t, &c);
    put_why(t, m);
    mem_free(c.list);
    return t->failed ? error_memory(error) : SOTTO_OK;
}
