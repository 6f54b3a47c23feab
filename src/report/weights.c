/*
 * The weights: bars that can be compared, their numbers, and how far each may
 * be off, or why that is not known.
 */
#include "declared.h"
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30, NAME = 30 };
enum { WIDTH = 640, ROW = 46, BAR = 12, CAP = 4 };

typedef struct weight {
    int64_t feature, class; /* class: of three and more */
    double value, range;    /* the bar is value x range */
} weight;

typedef struct chart {
    const sotto_model *model;
    weight *list;
    int64_t used, shown;
    int ranges;    /* every feature has a declared range */
    int intervals; /* a weight or the intercept has one */
    int moved;     /* of which some middle is not the weight */
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

/* The weight's, with the bar's range; 0: there is none that can be drawn. */
static int interval_of(const chart *c, const weight *w, sotto_interval *out)
{
    int given = sotto_model_interval(c->model, w->feature, out);
    for (int side = 0; side < 2; side++)
        out->at_90[side] *= w->range;
    return given && isfinite(out->at_90[1] - out->at_90[0]);
}

static int has_zero(const sotto_interval *one)
{
    return one->at_90[0] <= 0 && one->at_90[1] >= 0;
}

/* A line from end to end, with caps, across the middle of the bar. */
static void put_error(text_buffer *t, const sotto_interval *one, double low,
                      double high, double y)
{
    double unit = WIDTH / (high - low);
    double from = (one->at_90[0] - low) * unit,
           to = (one->at_90[1] - low) * unit;
    text_format(t, "<path class=\"error\" fill=\"none\" d=\"M%s %sH%s",
                PAGE_AT(from), PAGE_AT(y), PAGE_AT(to));
    for (int side = 0; side < 2; side++)
        text_format(t, "M%s %sV%s", PAGE_AT(side ? to : from), PAGE_AT(y - CAP),
                    PAGE_AT(y + CAP));
    text_put(t, "\"/>");
}

static void put_row(text_buffer *t, const chart *c, int64_t i, double low,
                    double high)
{
    const weight *w = &c->list[i];
    double x = w->value * w->range, y = (double)(i * ROW);
    sotto_interval one;
    int given = interval_of(c, w, &one), faint = given && has_zero(&one);
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
    const char *kind[2][2] = {{"plus", "plus faint"}, {"minus", "minus faint"}};
    put_bar(t, kind[x < 0][faint], x, low, high, y + 22, BAR);
    if (given)
        put_error(t, &one, low, high, y + 22 + (double)BAR / 2);
    text_put(t, "\n");
}

static void put_chart(text_buffer *t, const chart *c)
{
    double low = 0, high = 0;
    for (int64_t i = 0; i < c->shown; i++) {
        sotto_interval one;
        double x = c->list[i].value * c->list[i].range;
        int given = interval_of(c, &c->list[i], &one);
        low = fmin(low, given ? fmin(x, one.at_90[0]) : x);
        high = fmax(high, given ? fmax(x, one.at_90[1]) : x);
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
    if (c->intervals)
        text_put(t, "<span class=\"key noise\"></span>90 % interval; a bar is "
                    "faint where it cannot be told from 0");
    text_put(t, "</figcaption>\n</figure>\n");
}

/* ---- numbers ---- */

static void put_cell(text_buffer *t, double x, int digits)
{
    text_put(t, "<td class=\"n\">");
    page_number(t, x, digits);
    text_put(t, "</td>");
}

static void put_pair(text_buffer *t, const double pair[2], double error)
{
    text_put(t, "<td class=\"n pair\">");
    page_number_end(t, pair[0], error, 0);
    text_put(t, " to ");
    page_number_end(t, pair[1], error, 1);
    text_put(t, "</td>");
}

/* The cells of coefficient j, the last of which is the intercept. */
static void put_interval(text_buffer *t, const chart *c, int64_t j)
{
    sotto_interval one;
    if (!c->intervals)
        return;
    if (!sotto_model_interval(c->model, j, &one)) {
        text_format(t, "<td colspan=\"3\">no interval: %s</td>", one.none);
        return;
    }
    put_cell(t, one.error, 3);
    put_pair(t, one.at_90, one.error);
    put_pair(t, one.at_95, one.error);
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
                c->intervals ? "<th class=\"n\">standard error</th><th "
                               "class=\"n\">90 %</th><th class=\"n\">95 "
                               "%</th>"
                             : "");
    for (int64_t i = 0; i < c->shown; i++) {
        text_put(t, "<tr><td>");
        put_name(t, c, &c->list[i], 1 << 20);
        text_put(t, "</td>");
        put_class(t, c, c->list[i].class);
        put_cell(t, c->list[i].value, 4);
        put_interval(t, c, c->list[i].feature);
        text_put(t, "</tr>\n");
    }
    int64_t width = c->model->classes > 2 ? c->model->classes : 1;
    for (int64_t k = 0; k < width; k++) {
        text_put(t, k ? "</tr>\n<tr><td>(intercept)</td>"
                      : "<tr><td>(intercept)</td>");
        put_class(t, c, k);
        put_cell(t, sotto_model_class_intercept(c->model, k), 4);
        put_interval(t, c, c->model->features);
    }
    text_put(t, "</tr>\n</table>\n");
}

/* ---- words ---- */

static void put_why(text_buffer *t, const chart *c, const char *none)
{
    if (!c->model->statement) {
        text_put(t, "<p>No noise is in these weights, or noise that can be "
                    "repeated: that is why the model is NOT PRIVATE.</p>\n");
        return;
    }
    if (c->intervals)
        text_format(
            t,
            "<p><strong>What an interval is.</strong> It is about the weight "
            "that the same penalised loss would have on the whole population "
            "that the rows are a sample of, without noise. Of 100 intervals "
            "of 90 %%, each of one weight, about 90 have it. They cover the "
            "noise, and that rows are drawn at random; not that people who "
            "are in the data differ from those who are not. They are made of "
            "the released answers alone and cost nothing.%s</p>\n",
            !c->moved ? ""
                      : " Levels of a category add up to the intercept's "
                        "column, so that rows do not tell what their weights "
                        "have in common. There an interval is about the weight "
                        "that the penalty prefers of those with the same "
                        "predictions, and the weight itself may be outside.");
    else
        text_format(
            t,
            "<p><strong>No interval:</strong> %s. It would have to cover that "
            "the people in the data are a sample, the noise of all steps, "
            "which later steps undo in part, and the bias of clipping. A "
            "weight may be far off all the same, and even its sign may be "
            "noise.</p>\n",
            none);
}

sotto_status page_weights(text_buffer *t, const sotto_model *m,
                          sotto_error *error)
{
    chart c = {.model = m};
    sotto_interval one, first;
    sotto_status status = find_weights(&c, error);
    if (status != SOTTO_OK)
        return status;
    sotto_model_interval(m, 0, &first);
    for (int64_t j = 0; j <= m->features; j++) {
        int given = sotto_model_interval(m, j, &one);
        c.intervals |= given;
        c.moved |= given && one.moved != 0;
    }
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
    put_why(t, &c, first.none);
    mem_free(c.list);
    return t->failed ? error_memory(error) : SOTTO_OK;
}
