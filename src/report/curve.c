/*
 * The price at every delta: epsilon(delta) as a plot, and its numbers.
 */
#include "page.h"

#include <math.h>
#include <stdlib.h>

/* The plot's own units; the page scales it. */
enum {
    WIDTH = 640,
    HEIGHT = 300,
    LEFT = 62,
    RIGHT = 34,
    TOP = 16,
    BOTTOM = 52
};

static int falling(const void *a, const void *b)
{
    const page_point *x = a, *y = b;
    return (x->delta < y->delta) - (x->delta > y->delta);
}

static int is_point(page_point p)
{
    return p.delta > 0 && p.delta < 1 && p.epsilon >= 0 && isfinite(p.epsilon);
}

int page_curve_points(const json_t *statement, page_point out[])
{
    const json_t *curve = json_object_get(statement, "curve");
    page_point own = {json_number_value(json_object_get(statement, "delta")),
                      json_number_value(json_object_get(statement, "epsilon"))};
    int count = 0, seen = 0;
    for (size_t i = 0;
         i < json_array_size(curve) && count < PAGE_MOST_POINTS - 1; i++) {
        const json_t *at = json_array_get(curve, i);
        page_point p = {json_number_value(json_object_get(at, "delta")),
                        json_number_value(json_object_get(at, "epsilon"))};
        seen |= p.delta == own.delta;
        if (is_point(p))
            out[count++] = p;
    }
    if (!seen && is_point(own))
        out[count++] = own;
    qsort(out, (size_t)count, sizeof *out, falling);
    return count;
}

/* ---- the plot ---- */

typedef struct axes {
    double least, most; /* log10 of delta */
    double top;         /* epsilon */
} axes;

static double x_of(const axes *a, double delta)
{
    double share = (a->most - log10(delta)) / (a->most - a->least);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double y_of(const axes *a, double epsilon)
{
    return HEIGHT - BOTTOM - epsilon / a->top * (HEIGHT - TOP - BOTTOM);
}

/* 1, 2 or 5 times a power of ten: about four steps up to x. */
static double tick(double x)
{
    double power = pow(10, floor(log10(x / 4))), times = x / 4 / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static void put_axes(text_buffer *t, const axes *a)
{
    double step = tick(a->top);
    for (int i = 0; i * step <= a->top * (1 + 1e-9); i++) {
        double y = y_of(a, i * step);
        text_format(t,
                    "<path class=\"axis\" d=\"M%d %sH%d\"/><text x=\"%d\" "
                    "y=\"%s\" text-anchor=\"end\">",
                    LEFT, PAGE_AT(y), WIDTH - RIGHT, LEFT - 8, PAGE_AT(y + 5));
        page_number(t, i * step, 3);
        text_put(t, "</text>\n");
    }
    for (int e = (int)a->most; e >= (int)a->least; e -= 2)
        text_format(t,
                    "<text x=\"%s\" y=\"%d\" text-anchor=\"middle\">1e%d"
                    "</text>\n",
                    PAGE_AT(x_of(a, pow(10, e))), HEIGHT - BOTTOM + 22, e);
    text_format(t,
                "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"end\">"
                "delta (smaller to the right)</text>\n",
                WIDTH - RIGHT, HEIGHT - 6);
    text_format(t, "<text class=\"soft\" x=\"4\" y=\"%d\">epsilon</text>\n",
                HEIGHT - 6);
}

static void put_plot(text_buffer *t, const page_point *p, int count,
                     page_point own)
{
    axes a = {floor(log10(p[count - 1].delta)), ceil(log10(p[0].delta)), 0};
    for (int i = 0; i < count; i++)
        a.top = fmax(a.top, p[i].epsilon * 1.08);
    a.top = a.top > 1e-30 ? fmin(a.top, 1e300) : 1; /* ticks are doubles */
    a.least -= a.most == a.least;
    text_format(t,
                "<figure>\n<svg class=\"plot\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"epsilon for each delta\">\n",
                WIDTH, HEIGHT);
    put_axes(t, &a);
    text_put(t, "<path class=\"curve\" d=\"");
    for (int i = 0; i < count; i++)
        text_format(t, "%c%s %s", i ? 'L' : 'M', PAGE_AT(x_of(&a, p[i].delta)),
                    PAGE_AT(y_of(&a, p[i].epsilon)));
    text_put(t, "\"/>\n");
    for (int i = 0; i < count; i++)
        text_format(t, "<circle class=\"dot\" cx=\"%s\" cy=\"%s\" r=\"3\"/>",
                    PAGE_AT(x_of(&a, p[i].delta)),
                    PAGE_AT(y_of(&a, p[i].epsilon)));
    if (is_point(own))
        text_format(t, "<circle class=\"here\" cx=\"%s\" cy=\"%s\" r=\"6\"/>",
                    PAGE_AT(x_of(&a, own.delta)),
                    PAGE_AT(y_of(&a, own.epsilon)));
    text_put(t, "\n</svg>\n<figcaption>Every point is proven, all of them at "
                "once; lines between them only guide the eye. The ring is the "
                "point that the statement names.</figcaption>\n</figure>\n");
}

void page_curve(text_buffer *t, const json_t *statement)
{
    page_point p[PAGE_MOST_POINTS];
    page_point own = {json_number_value(json_object_get(statement, "delta")),
                      json_number_value(json_object_get(statement, "epsilon"))};
    int count = page_curve_points(statement, p);
    text_put(t, "<h3>The same promise, read at other deltas</h3>\n");
    if (count == 0) {
        text_put(t, "<p>The statement has no point that can be drawn.</p>\n");
        return;
    }
    put_plot(t, p, count, own);
    text_put(
        t,
        "<table class=\"narrow\"><caption>The numbers of the plot, rounded up"
        "</caption><tr><th class=\"n\">delta</th><th class=\"n\">"
        "epsilon</th></tr>\n");
    for (int i = 0; i < count; i++) {
        text_put(t, "<tr><td class=\"n\">");
        page_number_up(t, p[i].delta, 3);
        text_put(t, "</td><td class=\"n\">");
        page_number_up(t, p[i].epsilon, 4);
        text_put(t, "</td></tr>\n");
    }
    text_put(t, "</table>\n");
}
