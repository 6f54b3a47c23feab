/*
 * sotto doctor: reads a file as training would and shows the operator a
 * summary of what was read. All of it depends on the records, so it is not
 * for release.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DOCTOR_BINS = 16,
    DOCTOR_MOST = 40,
    DOCTOR_NAME = 24,
    DOCTOR_CLASSES = 50
};

typedef struct doctor_summary {
    double least, mean, most;
    int64_t bin[DOCTOR_BINS];
} doctor_summary;

static doctor_summary doctor_summarise(const double *x, int64_t rows)
{
    doctor_summary s = {INFINITY, 0, -INFINITY, {0}};
    for (int64_t i = 0; i < rows; i++) {
        s.least = fmin(s.least, x[i]);
        s.most = fmax(s.most, x[i]);
        s.mean += x[i] / (double)rows;
    }
    for (int64_t i = 0; i < rows && s.most > s.least; i++) {
        /* halves: the difference of two doubles may overflow */
        double share = (x[i] / 2 - s.least / 2) / (s.most / 2 - s.least / 2);
        int bin = (int)(share * DOCTOR_BINS);
        s.bin[bin < DOCTOR_BINS ? bin : DOCTOR_BINS - 1]++;
    }
    return s;
}

/* A histogram in one line of block characters. */
static void doctor_bars(const doctor_summary *s)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582",
                                       "\u2583", "\u2584", "\u2585",
                                       "\u2586", "\u2587", "\u2588"};
    int64_t highest = 1;
    for (int i = 0; i < DOCTOR_BINS; i++)
        if (s->bin[i] > highest)
            highest = s->bin[i];
    for (int i = 0; i < DOCTOR_BINS; i++)
        fputs(bars[(s->bin[i] * 8 + highest - 1) / highest], stdout);
}

/* Prints a name, padded to the width of its column. */
static void doctor_name(const char *name)
{
    printf("  ");
    int width = cli_print_name(stdout, name, DOCTOR_NAME);
    printf("%*s ", DOCTOR_NAME - width, "");
}

static void doctor_line(const char *name, const doctor_summary *s,
                        const char *bounds)
{
    doctor_name(name);
    printf("%12s %12s %12s  ", sotto_number_print(s->least, 5).text,
           sotto_number_print(s->mean, 5).text,
           sotto_number_print(s->most, 5).text);
    doctor_bars(s);
    printf("  %s\n", bounds);
}

static void doctor_bounds(const sotto_table *t, int64_t j, char out[80])
{
    double low, high;
    out[0] = 0;
    if (sotto_table_feature_bounds(t, j, &low, &high))
        snprintf(out, 80, "[%s, %s]", sotto_number_print(low, 5).text,
                 sotto_number_print(high, 5).text);
}

static void doctor_shape(const cli *c, const sotto_table *t)
{
    double cells =
        (double)sotto_table_rows(t) * (double)sotto_table_features(t);
    cli_print_name(stdout, c->argument[0], 1000);
    if (c->arguments > 1)
        printf(" and %d more", c->arguments - 1);
    printf(": %lld rows, %lld features, ", (long long)sotto_table_rows(t),
           (long long)sotto_table_features(t));
    if (sotto_table_is_sparse(t))
        printf("sparse: %lld entries (%s %%)\n",
               (long long)sotto_table_entries(t),
               sotto_number_print(
                   100 * (double)sotto_table_entries(t) / fmax(cells, 1), 3)
                   .text);
    else
        printf("dense\n");
}

/* Prints a range in words. */
static void doctor_range(const char *what, const doctor_summary *s)
{
    printf("%s from %s to %s, mean %s\n", what,
           sotto_number_print(s->least, 5).text,
           sotto_number_print(s->most, 5).text,
           sotto_number_print(s->mean, 5).text);
}

/* The rows of each class, a line for each; of many the first 50. */
static void doctor_classes(const sotto_table *t, const double *x)
{
    int64_t classes = sotto_table_classes(t), rows[DOCTOR_CLASSES] = {0};
    int64_t shown = classes < DOCTOR_CLASSES ? classes : DOCTOR_CLASSES;
    for (int64_t i = 0; i < sotto_table_rows(t); i++)
        if (x[i] < (double)shown)
            rows[(int64_t)x[i]]++;
    printf("target: %lld classes\n", (long long)classes);
    for (int k = 0; k < shown; k++) {
        printf("  \"");
        cli_print_name(stdout, sotto_table_class(t, k), DOCTOR_NAME);
        if (rows[k])
            printf("\": %lld row%s\n", (long long)rows[k],
                   rows[k] == 1 ? "" : "s");
        else
            printf("\": no row\n");
    }
    if (shown < classes)
        printf("  ... and %lld more\n", (long long)(classes - shown));
}

static void doctor_target(const sotto_table *t, double *x)
{
    if (!sotto_table_target(t, x)) {
        printf("target: none (--target NAME)\n");
        return;
    }
    doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
    int64_t positive = 0;
    for (int64_t i = 0; i < sotto_table_rows(t); i++)
        positive += x[i] > 0;
    if (sotto_table_classes(t) > 2)
        doctor_classes(t, x);
    else if (sotto_table_class(t, 0)) {
        printf("target: two classes, \"");
        cli_print_name(stdout, sotto_table_class(t, 0), DOCTOR_NAME);
        printf("\" %lld rows, \"", (long long)(sotto_table_rows(t) - positive));
        cli_print_name(stdout, sotto_table_class(t, 1), DOCTOR_NAME);
        printf("\" %lld rows\n", (long long)positive);
    } else
        doctor_range("target: a number", &s);
}

static void doctor_weights(const sotto_table *t, double *x)
{
    if (!sotto_table_weights(t, x))
        return;
    doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
    doctor_range("weights:", &s);
}

static void doctor_text(const cli *c, const sotto_table *t, double *x)
{
    int64_t features = sotto_table_features(t);
    int64_t shown = features < DOCTOR_MOST ? features : DOCTOR_MOST;
    printf("NOT FOR RELEASE: what follows comes from the records.\n");
    doctor_shape(c, t);
    doctor_target(t, x);
    doctor_weights(t, x);
    printf("\n  %-*s %12s %12s %12s  %-*s  %s\n", DOCTOR_NAME, "feature",
           "least", "mean", "most", DOCTOR_BINS, "how spread",
           "declared bounds");
    for (int64_t j = 0; j < shown; j++) {
        char buffer[24], bounds[80];
        sotto_table_feature(t, j, x);
        doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
        doctor_bounds(t, j, bounds);
        doctor_line(sotto_table_feature_name(t, j, buffer), &s, bounds);
    }
    if (shown < features)
        printf("  ... and %lld more\n", (long long)(features - shown));
}

static void doctor_json_feature(const sotto_table *t, int64_t j, double *x)
{
    char buffer[24];
    double centre, half, low, high;
    sotto_table_feature(t, j, x);
    doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
    sotto_table_feature_map(t, j, &centre, &half);
    printf("%s\n  {\"name\": ", j ? "," : "");
    cli_json_text(stdout, sotto_table_feature_name(t, j, buffer));
    cli_json_member("least", s.least);
    cli_json_member("mean", s.mean);
    cli_json_member("most", s.most);
    cli_json_member("centre", centre);
    cli_json_member("half", half);
    if (sotto_table_feature_bounds(t, j, &low, &high)) {
        printf(", \"bounds\": [");
        cli_json_number(stdout, low);
        printf(", ");
        cli_json_number(stdout, high);
        printf("]");
    }
    printf("}");
}

static void doctor_json_files(const cli *c)
{
    for (int i = 0; c->arguments > 1 && i < c->arguments; i++) {
        fputs(i ? ", " : ", \"files\": [", stdout);
        cli_json_text(stdout, c->argument[i]);
    }
    fputs(c->arguments > 1 ? "]" : "", stdout);
}

static void doctor_json(const cli *c, const sotto_table *t, double *x)
{
    int64_t features = sotto_table_features(t);
    int64_t shown = features < DOCTOR_MOST || !sotto_table_is_sparse(t)
                        ? features
                        : DOCTOR_MOST;
    printf("{\"not_for_release\": true, \"file\": ");
    cli_json_text(stdout, c->argument[0]);
    doctor_json_files(c);
    printf(", \"rows\": %lld, \"features\": %lld, \"entries\": %lld, "
           "\"sparse\": %s",
           (long long)sotto_table_rows(t), (long long)features,
           (long long)sotto_table_entries(t),
           sotto_table_is_sparse(t) ? "true" : "false");
    cli_json_dropped(sotto_table_dropped(t));
    if (sotto_table_target(t, x)) {
        doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
        cli_json_member("target_mean", s.mean);
    }
    if (sotto_table_weights(t, x)) {
        doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
        cli_json_member("weight_mean", s.mean);
    }
    for (int k = 0; sotto_table_class(t, k); k++) {
        printf("%s", k ? ", " : ", \"classes\": [");
        cli_json_text(stdout, sotto_table_class(t, k));
    }
    printf("%s", sotto_table_class(t, 0) ? "]" : "");
    printf(", \"features_listed\": %lld, \"feature\": [", (long long)shown);
    for (int64_t j = 0; j < shown; j++)
        doctor_json_feature(t, j, x);
    printf("\n]}\n");
}

static sotto_status doctor_show(const cli *c, const sotto_table *t,
                                sotto_error *error)
{
    double *x = calloc((size_t)sotto_table_rows(t) + 1, sizeof *x);
    if (!x)
        return cli_memory(error);
    cli_remarks(c, t);
    cli_remark_dropped(c, t);
    if (cli_flag(c, "json"))
        doctor_json(c, t, x);
    else
        doctor_text(c, t, x);
    free(x);
    return SOTTO_OK;
}

sotto_status cli_doctor(const cli *c, sotto_error *error)
{
    sotto_table *t;
    /* with doubles, so that the file's own values are shown, not rounded
       ones */
    sotto_status status =
        sotto_options_set(c->options, "precision", "double", error);
    if (status == SOTTO_OK)
        status = sotto_table_read_files(&t, c->argument, c->arguments,
                                        c->options, error);
    if (status != SOTTO_OK)
        return status;
    status = doctor_show(c, t, error);
    sotto_table_free(t);
    return status;
}
