/*
 * A private evaluation beside its model: each number with its intervals, the
 * ROC curve with its band, and how far probabilities can be believed.
 */
#include "evaluation.h"
#include "page.h"

#include <math.h>
#include <string.h>

/* The plot's own units; the page scales it. */
enum {
    SIDE = 300,
    LEFT = 52,
    TOP = 14,
    WIDTH = LEFT + SIDE + 20,
    HEIGHT = TOP + SIDE + 48,
    MOST_POINTS = 64,
    MOST_CLASSES = 20
};

#define NORMAL_90 1.6448536269514722

/* ---- numbers ---- */

/* As many digits as the standard error has any use for. */
static void put_value(text_buffer *t, double x, double sd)
{
    int decimals = sd > 0 ? (int)ceil(1 - log10(sd)) : 0;
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    if (fabs(x) < 1e7 && sd > 1e-7)
        text_put(t, sotto_number_fixed(x, decimals).text);
    else
        page_number(t, x, 5);
}

static void put_interval(text_buffer *t, const json_t *one, const char *key,
                         double sd)
{
    const json_t *list = json_object_get(one, key);
    text_put(t, "<td class=\"n\">");
    put_value(t, json_number_value(json_array_get(list, 0)), sd);
    text_put(t, " to ");
    put_value(t, json_number_value(json_array_get(list, 1)), sd);
    text_put(t, "</td>");
}

static void put_estimate(text_buffer *t, const char *name, const char *class,
                         const json_t *one)
{
    const json_t *value = json_object_get(one, "value");
    double sd = json_number_value(json_object_get(one, "sd"));
    if (!one)
        return;
    text_format(t, "<tr><td>%s", name);
    if (class) {
        text_put(t, " of \u201c");
        report_escape(t, class);
        text_put(t, "\u201d");
    }
    text_put(t, "</td>");
    if (json_is_number(value)) {
        text_put(t, "<td class=\"n\">");
        put_value(t, json_number_value(value), sd);
        text_put(t, "</td>");
        put_interval(t, one, "interval_90", sd);
        put_interval(t, one, "interval_95", sd);
    } else {
        const char *why = json_string_value(json_object_get(one, "why"));
        text_put(t, "<td colspan=\"3\">not known: ");
        report_escape(t, why ? why : "");
        text_put(t, "</td>");
    }
    text_put(t, "</tr>\n");
}

static void put_numbers(text_buffer *t, const json_t *root)
{
    static const char *const names[][2] = {
        {"accuracy", "accuracy"}, {"auc", "AUC"},
        {"log_loss", "log-loss"}, {"r2", "R2"},
        {"mse", "MSE"},           {"mae", "MAE"}};
    const json_t *numbers = json_object_get(root, "numbers");
    const json_t *list = json_object_get(root, "by_class");
    const json_t *classes = json_object_get(root, "classes");
    text_put(t, "<table><tr><th>number</th><th class=\"n\">value</th>"
                "<th class=\"n\">90 % interval</th><th class=\"n\">95 % "
                "interval</th></tr>\n");
    put_estimate(t, "rows", NULL, json_object_get(root, "rows"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_estimate(t, names[i][1], NULL,
                     json_object_get(numbers, names[i][0]));
    for (size_t k = 0; k < json_array_size(list) && k < MOST_CLASSES; k++) {
        const json_t *one = json_array_get(list, k);
        const char *name = json_string_value(json_array_get(classes, k));
        put_estimate(t, "recall", name ? name : "",
                     json_object_get(one, "recall"));
        put_estimate(t, "precision", name ? name : "",
                     json_object_get(one, "precision"));
    }
    text_put(t, "</table>\n");
}

/* ---- plots ---- */

typedef struct curve {
    double x[MOST_POINTS], x_sd[MOST_POINTS];
    double y[MOST_POINTS], y_sd[MOST_POINTS];
    double line[MOST_POINTS]; /* that is drawn */
    int points;
} curve;

static double within(double share)
{
    return fmin(fmax(share, 0), 1);
}

static double x_of(double share)
{
    return LEFT + within(share) * SIDE;
}

static double y_of(double share)
{
    return TOP + (1 - within(share)) * SIDE;
}

static double at(const json_t *series, const char *key, size_t i)
{
    const json_t *value = json_array_get(json_object_get(series, key), i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Points of which a number is missing are left out. */
static void add_point(curve *c, double x, double x_sd, double y, double y_sd,
                      double line)
{
    if (!isfinite(x) || !isfinite(y) || !isfinite(x_sd) || !isfinite(y_sd) ||
        !isfinite(line) || c->points == MOST_POINTS)
        return;
    c->x[c->points] = x;
    c->x_sd[c->points] = x_sd;
    c->y[c->points] = y;
    c->y_sd[c->points] = y_sd;
    c->line[c->points++] = line;
}

static void begin_plot(text_buffer *t, const char *label, const char *x,
                       const char *y)
{
    text_format(t,
                "<figure>\n<svg class=\"square\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"%s\">\n",
                WIDTH, HEIGHT, label);
    for (int i = 0; i <= 4; i++) {
        double share = i / 4.;
        text_format(t, "<path class=\"axis\" d=\"M%d %sH%d\"/>", LEFT,
                    PAGE_AT(y_of(share)), LEFT + SIDE);
        text_format(t,
                    "<path class=\"axis\" d=\"M%s %dV%d\"/>"
                    "<text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%s"
                    "</text>\n",
                    PAGE_AT(x_of(share)), TOP, TOP + SIDE, PAGE_AT(x_of(share)),
                    TOP + SIDE + 20, sotto_number_print(share, 3).text);
        text_format(t, "<text x=\"%d\" y=\"%s\" text-anchor=\"end\">%s</text>",
                    LEFT - 6, PAGE_AT(y_of(share) + 5),
                    sotto_number_print(share, 3).text);
    }
    text_format(t, "<path class=\"axis even\" d=\"M%d %dL%d %d\"/>\n", LEFT,
                TOP + SIDE, LEFT + SIDE, TOP);
    text_format(t,
                "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s"
                "</text>\n",
                LEFT + SIDE, HEIGHT - 8, x);
    text_format(t,
                "<text class=\"soft\" transform=\"translate(14 %d) "
                "rotate(-90)\">%s</text>\n",
                TOP + SIDE, y);
}

static void put_point(text_buffer *t, int first, double x, double y)
{
    text_format(t, "%c%s %s", first ? 'M' : 'L', PAGE_AT(x_of(x)),
                PAGE_AT(y_of(y)));
}

/* Above and below the curve by as much as 90 % need, to both sides. */
static void put_band(text_buffer *t, const curve *c)
{
    text_put(t, "<path class=\"band\" d=\"");
    put_point(t, 1, 0, 0);
    for (int i = 0; i < c->points; i++)
        put_point(t, 0, c->x[i] - NORMAL_90 * c->x_sd[i],
                  c->y[i] + NORMAL_90 * c->y_sd[i]);
    put_point(t, 0, 1, 1);
    for (int i = c->points - 1; i >= 0; i--)
        put_point(t, 0, c->x[i] + NORMAL_90 * c->x_sd[i],
                  c->y[i] - NORMAL_90 * c->y_sd[i]);
    text_put(t, "Z\"/>\n");
}

static void put_roc(text_buffer *t, const json_t *roc)
{
    curve c = {.points = 0};
    size_t count = json_array_size(json_object_get(roc, "fpr"));
    for (size_t i = 0; i < count; i++)
        add_point(&c, at(roc, "fpr", i), at(roc, "fpr_sd", i),
                  at(roc, "tpr", i), at(roc, "tpr_sd", i), at(roc, "tpr", i));
    if (!c.points)
        return;
    begin_plot(t, "ROC curve with its band", "rows of the other class above it",
               "rows of the class above the threshold");
    put_band(t, &c);
    text_put(t, "<path class=\"curve\" d=\"");
    put_point(t, 1, 0, 0);
    for (int i = 0; i < c.points; i++)
        put_point(t, 0, c.x[i], c.line[i]);
    put_point(t, 0, 1, 1);
    text_put(t,
             "\"/>\n</svg>\n<figcaption>The ROC curve: what share of either "
             "class scores above a threshold, for each threshold. Each point "
             "is within the band with 90 % or more. A model that knows "
             "nothing is on the diagonal.</figcaption>\n</figure>\n");
}

static void put_calibration(text_buffer *t, const json_t *from)
{
    curve c = {.points = 0};
    size_t count = json_array_size(json_object_get(from, "predicted"));
    for (size_t i = 0; i < count; i++)
        add_point(&c, at(from, "predicted", i), 0, at(from, "observed", i),
                  at(from, "sd", i), at(from, "monotone", i));
    if (!c.points)
        return;
    begin_plot(t, "calibration curve", "predicted probability",
               "observed share");
    for (int i = 0; i < c.points; i++)
        text_format(t,
                    "<path class=\"error\" d=\"M%s %sV%s\"/><circle "
                    "class=\"dot\" cx=\"%s\" cy=\"%s\" r=\"3\"/>\n",
                    PAGE_AT(x_of(c.x[i])),
                    PAGE_AT(y_of(c.y[i] - NORMAL_90 * c.y_sd[i])),
                    PAGE_AT(y_of(c.y[i] + NORMAL_90 * c.y_sd[i])),
                    PAGE_AT(x_of(c.x[i])), PAGE_AT(y_of(c.y[i])));
    text_put(t, "<path class=\"curve\" d=\"");
    for (int i = 0; i < c.points; i++)
        put_point(t, i == 0, c.x[i], c.line[i]);
    text_put(t, "\"/>\n</svg>\n<figcaption>Calibration: of the rows with about "
                "this probability, how many are of the class. On the diagonal "
                "probabilities can be taken as they are. Bars are intervals of "
                "90 %; the line is the nearest one that never "
                "falls.</figcaption>\n</figure>\n");
}

/* ---- the section ---- */

static void put_promise(text_buffer *t, const sotto_evaluation *e)
{
    if (!e->statement) {
        text_put(t, "<div class=\"card bad\"><div class=\"big\">NOT "
                    "PRIVATE</div><p>These numbers have noise that can be "
                    "repeated. They must not be published.</p></div>\n");
        return;
    }
    text_put(t, "<p>These numbers come from records that stay private. They "
                "may be published: epsilon ");
    page_number_up(t, e->epsilon, 4);
    text_put(t, ", delta ");
    page_number_up(t, e->delta, 3);
    text_put(t, ". The figures for the data protection officer above are the "
                "model's alone: where the same people are in both files, this "
                "adds to them. Intervals cover the noise and the "
                "choice of the rows together; they do not cover what a "
                "mean loses where very large errors are cut.</p>\n");
}

sotto_status page_evaluation(text_buffer *t, const sotto_evaluation *e,
                             const char *name, sotto_error *error)
{
    sotto_status status = sotto_evaluation_check(e, error);
    if (status != SOTTO_OK)
        return status;
    text_put(t, "<h3>How good it is: ");
    report_escape(t, name);
    text_put(t, "</h3>\n");
    put_promise(t, e);
    put_numbers(t, e->root);
    put_roc(t, json_object_get(e->root, "roc"));
    put_calibration(t, json_object_get(e->root, "calibration"));
    return SOTTO_OK;
}
