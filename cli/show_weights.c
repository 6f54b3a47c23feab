/*
 * The weights of `sotto show`: bars, numbers and intervals.
 */
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOW_MOST = 30, SHOW_BAR = 24, SHOW_MOST_OF_CLASS = 10 };
enum { SHOW_INTERVAL = 22, SHOW_REASONS = 16 };

/* Classes that have weights of their own. */
static int64_t show_width(const sotto_model *m)
{
    return sotto_model_classes(m) > 2 ? sotto_model_classes(m) : 1;
}

/* Largest first; equal ones in the order of the file. */
static int show_compare(const void *a, const void *b)
{
    const show_weight *x = a, *y = b;
    double size = fabs(y->weight) - fabs(x->weight);
    return size > 0   ? 1
           : size < 0 ? -1
           : x->feature != y->feature
               ? (x->feature > y->feature) - (x->feature < y->feature)
               : (x->class > y->class) - (x->class < y->class);
}

/* With its sign, also when it is above 0, in a column of its own. */
static void show_number(double x)
{
    char text[sizeof(sotto_number) + 1];
    snprintf(text, sizeof text, "%s%s", signbit(x) ? "" : "+",
             sotto_number_print(x, 5).text);
    printf(" %12s", text);
}

/* Light where the weight cannot be told from 0. */
static void show_bar(double share, int light)
{
    int length = (int)(share * SHOW_BAR + .5);
    printf("  ");
    for (int i = 0; i < length; i++)
        fputs(light ? "\u2591" : "\u2588", stdout);
    printf("\n");
}

/* ---- intervals ---- */

/* Whether a weight, or the intercept, has one. */
static int show_has_intervals(const sotto_model *m)
{
    sotto_interval one;
    int any = 0;
    for (int64_t j = 0; j <= sotto_model_features(m) && !any; j++)
        any = sotto_model_interval(m, j, &one);
    return any;
}

/* Whether the middle of an interval is not its weight. */
static int show_is_moved(const sotto_model *m)
{
    sotto_interval one;
    int any = 0;
    for (int64_t j = 0; j <= sotto_model_features(m) && !any; j++)
        any = sotto_model_interval(m, j, &one) && one.moved != 0;
    return any;
}

/* 90 %, in a column of that width. Returns whether it has 0 in it. */
static int show_interval(const sotto_model *m, int64_t j, int width)
{
    sotto_interval one;
    char text[2 * sizeof(sotto_number) + 8] = "no interval";
    int given = sotto_model_interval(m, j, &one);
    if (given)
        snprintf(text, sizeof text, "%s to %s",
                 sotto_number_end(one.at_90[0], one.error, 0).text,
                 sotto_number_end(one.at_90[1], one.error, 1).text);
    printf("  %-*s", width, text);
    return given && one.at_90[0] <= 0 && one.at_90[1] >= 0;
}

/* Each reason once, with the columns that it is of. */
static void show_reasons(const sotto_model *m)
{
    const char *said[SHOW_REASONS] = {0};
    int count = 0;
    for (int64_t j = 0; j <= sotto_model_features(m); j++) {
        sotto_interval one;
        int i = 0;
        if (sotto_model_interval(m, j, &one))
            continue;
        while (i < count && strcmp(said[i], one.none))
            i++;
        if (i == count && count < SHOW_REASONS) {
            said[count++] = one.none;
            printf("\nno interval: %s", one.none);
        }
    }
    printf(count ? "\n" : "");
}

/* What the column of intervals is; or why there is none. */
static void show_about_intervals(const sotto_model *m)
{
    sotto_interval first;
    if (show_has_intervals(m))
        printf(
            "intervals  90 %%, of noise and sampling together, for the "
            "minimiser on the population\n%s",
            show_is_moved(m)
                ? "           (levels of a category add up: intervals are of "
                  "the weights that the\n           penalty prefers of those "
                  "with the same predictions)\n"
                : "");
    else if (sotto_model_statement(m)) {
        sotto_model_interval(m, 0, &first);
        printf("intervals  no interval: %s\n", first.none);
    }
}

/* ---- for people ---- */

/* The largest weights of one class, or of the one score that there is; bars
   are in units of `largest`. */
static void show_weights_of(const sotto_model *m, const show_weight *list,
                            int64_t used, int64_t class, double largest)
{
    int64_t most = show_width(m) > 1 ? SHOW_MOST_OF_CLASS : SHOW_MOST;
    int64_t count = 0;
    int intervals = show_has_intervals(m);
    for (int64_t i = 0; i < used; i++) {
        char buffer[24];
        if (list[i].class != class || count++ >= most)
            continue;
        printf("  ");
        int width = cli_print_name(
            stdout, sotto_model_feature_name(m, list[i].feature, buffer),
            SHOW_NAME);
        printf("%*s", SHOW_NAME - width, "");
        show_number(list[i].weight);
        show_bar(fabs(list[i].weight) / largest,
                 intervals && show_interval(m, list[i].feature, SHOW_INTERVAL));
    }
    if (count > most)
        printf("  ... and %lld more\n", (long long)(count - most));
    printf("  %-*s", SHOW_NAME, "(intercept)");
    show_number(sotto_model_class_intercept(m, class));
    if (intervals)
        show_interval(m, sotto_model_features(m), 0);
    printf("\n");
    if (intervals)
        show_reasons(m);
}

void show_weights(const sotto_model *m, const show_weight *list, int64_t used)
{
    double largest = used ? fabs(list[0].weight) : 1;
    int64_t width = show_width(m);
    printf("weights    %lld of %lld are not 0 (numbers and bars in the units "
           "of the file)\n",
           (long long)used, (long long)(sotto_model_features(m) * width));
    show_about_intervals(m);
    printf("\n");
    for (int64_t k = 0; k < width && k < SHOW_CLASSES; k++) {
        if (width > 1) {
            printf(k ? "\nclass      " : "class      ");
            cli_print_name(stdout, sotto_model_class(m, (int)k), SHOW_NAME);
            printf("\n");
        }
        show_weights_of(m, list, used, k, largest);
    }
    if (width > SHOW_CLASSES)
        printf("\n... and %lld more classes\n",
               (long long)(width - SHOW_CLASSES));
}

/* ---- for programs ---- */

static void show_json_pair(const char *key, const double pair[2])
{
    printf(", \"%s\": [", key);
    cli_json_number(stdout, pair[0]);
    printf(", ");
    cli_json_number(stdout, pair[1]);
    printf("]");
}

/* Members of an object. */
static void show_json_interval(const sotto_model *m, int64_t j,
                               const char *before)
{
    sotto_interval one;
    if (!sotto_model_interval(m, j, &one)) {
        printf("%s\"no_interval\": ", before);
        cli_json_text(stdout, one.none);
        return;
    }
    printf("%s\"error\": ", before);
    cli_json_number(stdout, one.error);
    show_json_pair("interval_90", one.at_90);
    show_json_pair("interval_95", one.at_95);
}

void show_json_weights(const sotto_model *m, const show_weight *list,
                       int64_t used)
{
    printf(", \"features\": %lld, \"nonzero\": %lld, \"intercept\": ",
           (long long)sotto_model_features(m), (long long)used);
    for (int64_t k = 0; k < show_width(m); k++) {
        printf("%s", k ? ", " : show_width(m) > 1 ? "[" : "");
        cli_json_number(stdout, sotto_model_class_intercept(m, k));
    }
    printf("%s", show_width(m) > 1 ? "]" : "");
    if (show_width(m) == 1) {
        printf(", \"intercept_interval\": {");
        show_json_interval(m, sotto_model_features(m), "");
        printf("}");
    }
    printf(", \"weights\": [");
    for (int64_t i = 0; i < used; i++) {
        char buffer[24];
        printf(i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        cli_json_text(stdout,
                      sotto_model_feature_name(m, list[i].feature, buffer));
        if (show_width(m) > 1) {
            printf(", \"class\": ");
            cli_json_text(stdout, sotto_model_class(m, (int)list[i].class));
        }
        cli_json_member("weight", list[i].weight);
        if (show_width(m) == 1)
            show_json_interval(m, list[i].feature, ", ");
        printf("}");
    }
    printf("]}\n");
}

show_weight *show_list(const sotto_model *m, int64_t *used)
{
    int64_t features = sotto_model_features(m), width = show_width(m);
    show_weight *list = calloc((size_t)(features * width), sizeof *list);
    double *weight = calloc((size_t)features, sizeof *weight);
    for (int64_t k = 0; list && weight && k < width; k++) {
        sotto_model_class_weights(m, k, weight);
        for (int64_t j = 0; j < features; j++)
            if (weight[j] != 0)
                list[(*used)++] = (show_weight){weight[j], j, k};
    }
    if (!weight) {
        free(list);
        list = NULL;
    }
    free(weight);
    if (list)
        qsort(list, (size_t)*used, sizeof *list, show_compare);
    return list;
}
