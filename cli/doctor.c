/*
 * sotto doctor: reads a file as training would and shows the operator a
 * summary of what was read. All of it depends on the records, so it is not
 * for release.
 */
#include "doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOCTOR_BINS = 16, DOCTOR_MOST = 40 };

typedef struct doctor_summary {
    double least, mean, most;
    int64_t bin[DOCTOR_BINS];
} doctor_summary;

/* Of every DOCTOR_APART-th value, so that none waits for the one before. */
enum { DOCTOR_APART = 4 };

typedef struct doctor_part {
    double least[DOCTOR_APART], sum[DOCTOR_APART], most[DOCTOR_APART];
} doctor_part;

static void doctor_add(doctor_part *p, int k, double x, double rows)
{
    p->least[k] = x < p->least[k] ? x : p->least[k];
    p->most[k] = x > p->most[k] ? x : p->most[k];
    p->sum[k] += x / rows; /* the sum of large numbers may overflow */
}

static void doctor_range_of(doctor_summary *s, const double *x, int64_t rows)
{
    doctor_part p;
    int64_t i = 0;
    for (int k = 0; k < DOCTOR_APART; k++) {
        p.least[k] = INFINITY;
        p.most[k] = -INFINITY;
        p.sum[k] = 0;
    }
    for (; i + DOCTOR_APART <= rows; i += DOCTOR_APART)
        for (int k = 0; k < DOCTOR_APART; k++)
            doctor_add(&p, k, x[i + k], (double)rows);
    for (; i < rows; i++)
        doctor_add(&p, 0, x[i], (double)rows);
    for (int k = 0; k < DOCTOR_APART; k++) {
        s->least = fmin(s->least, p.least[k]);
        s->most = fmax(s->most, p.most[k]);
        s->mean += p.sum[k];
    }
}

static int doctor_bin(const doctor_summary *s, double x)
{
    /* halves: the difference of two doubles may overflow */
    double share = (x / 2 - s->least / 2) / (s->most / 2 - s->least / 2);
    int bin = (int)(share * DOCTOR_BINS);
    return bin < DOCTOR_BINS ? bin : DOCTOR_BINS - 1;
}

static doctor_summary doctor_summarise(const double *x, int64_t rows)
{
    doctor_summary s = {INFINITY, 0, -INFINITY, {0}};
    int64_t bin[DOCTOR_APART][DOCTOR_BINS] = {{0}}, i = 0;
    doctor_range_of(&s, x, rows);
    if (!(s.most > s.least))
        return s;
    for (; i + DOCTOR_APART <= rows; i += DOCTOR_APART)
        for (int k = 0; k < DOCTOR_APART; k++)
            bin[k][doctor_bin(&s, x[i + k])]++;
    for (; i < rows; i++)
        bin[0][doctor_bin(&s, x[i])]++;
    for (int k = 0; k < DOCTOR_BINS; k++)
        s.bin[k] = bin[0][k] + bin[1][k] + bin[2][k] + bin[3][k];
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

static void doctor_line(const char *name, const doctor_summary *s)
{
    doctor_name(name);
    printf("%12s %12s %12s  ", sotto_number_print(s->least, 5).text,
           sotto_number_print(s->mean, 5).text,
           sotto_number_print(s->most, 5).text);
    doctor_bars(s);
    printf("  ");
}

/* How many values are at either bound, where those beyond it were clamped
   to. */
typedef struct doctor_ends {
    int64_t low, high;
} doctor_ends;

static doctor_ends doctor_at_bounds(const double *x, int64_t rows, double low,
                                    double high)
{
    /* they went through a map, and back */
    double near = 1e-12 * (fabs(low) + fabs(high));
    doctor_ends at = {0};
    for (int64_t i = 0; i < rows; i++) {
        at.low += x[i] <= low + near;
        at.high += x[i] >= high - near;
    }
    return at;
}

/* "; 12 at 0 or below, 3 at 20 or above". Of a column of 0 and 1 that says
   nothing. */
static void doctor_put_ends(doctor_ends at, int64_t rows, double low,
                            double high)
{
    int is_flag = low == 0 && high == 1 && at.low + at.high == rows;
    if (at.low == rows || at.high == rows)
        printf("; ALL at %s or %s: are the bounds right?",
               sotto_number_print(at.low ? low : high, 5).text,
               at.low ? "below" : "above");
    else if (at.low && !is_flag)
        printf("; %lld at %s or below", (long long)at.low,
               sotto_number_print(low, 5).text);
    if (at.high && at.high < rows && !is_flag)
        printf("%s %lld at %s or above", at.low ? "," : ";", (long long)at.high,
               sotto_number_print(high, 5).text);
}

/* The bounds, and what of the values they say little about: those that may
   have been clamped, and levels that no row has. */
static void doctor_bounds(const sotto_table *t, int64_t j, const double *x,
                          const doctor_summary *s)
{
    double low, high;
    int64_t rows = sotto_table_rows(t);
    int bounded = sotto_table_feature_bounds(t, j, &low, &high);
    int empty = s->least == 0 && s->most == 0;
    if (bounded)
        printf("[%s, %s]", sotto_number_print(low, 5).text,
               sotto_number_print(high, 5).text);
    if (empty && (!bounded || sotto_table_is_sparse(t)))
        printf("%s(0 in all rows)", bounded ? " " : "");
    else if (bounded && rows)
        doctor_put_ends(doctor_at_bounds(x, rows, low, high), rows, low, high);
    printf("\n");
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

static void doctor_target(const sotto_table *t, const int64_t *class_rows,
                          double *x)
{
    if (!sotto_table_target(t, x)) {
        printf("target: none (--target NAME)\n");
        return;
    }
    if (sotto_table_classes(t)) {
        doctor_classes(t, class_rows);
        return;
    }
    doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
    doctor_range("target: a number", &s);
}

static void doctor_weights(const sotto_table *t, double *x)
{
    if (!sotto_table_weights(t, x))
        return;
    doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
    doctor_range("weights:", &s);
}

static int doctor_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many people there are, and how many rows --rows-per-person would leave
   out. */
enum { DOCTOR_CAPS = 4 };
static const int64_t doctor_cap[DOCTOR_CAPS] = {1, 2, 5, 10};

typedef struct doctor_crowd {
    int64_t people, beyond[DOCTOR_CAPS];
} doctor_crowd;

static int doctor_people(const sotto_table *t, double *x, doctor_crowd *out)
{
    int64_t rows = sotto_table_rows(t), own = 0;
    *out = (doctor_crowd){0};
    if (!sotto_table_people(t, x))
        return 0;
    qsort(x, (size_t)rows, sizeof *x, doctor_compare);
    for (int64_t i = 0; i < rows; i++) {
        own = i > 0 && x[i] == x[i - 1] ? own + 1 : 1;
        out->people += own == 1;
        for (int k = 0; k < DOCTOR_CAPS; k++)
            out->beyond[k] += own > doctor_cap[k];
    }
    return 1;
}

static void doctor_units(const sotto_table *t, double *x)
{
    doctor_crowd all;
    if (!doctor_people(t, x, &all))
        return;
    printf("people: %lld; rows beyond the first ", (long long)all.people);
    for (int k = 0; k < DOCTOR_CAPS; k++)
        printf("%s%lld", k ? ", " : "", (long long)doctor_cap[k]);
    printf(" of each: ");
    for (int k = 0; k < DOCTOR_CAPS; k++)
        printf("%s%lld", k ? ", " : "", (long long)all.beyond[k]);
    printf("\n");
}

static void doctor_text(const cli *c, const sotto_table *t,
                        const int64_t *class_rows, double *x)
{
    int64_t features = sotto_table_features(t);
    int64_t shown = features < DOCTOR_MOST ? features : DOCTOR_MOST;
    printf("NOT FOR RELEASE: what follows comes from the records.\n");
    doctor_shape(c, t);
    doctor_target(t, class_rows, x);
    doctor_weights(t, x);
    doctor_units(t, x);
    printf("\n  %-*s %12s %12s %12s  %-*s  %s\n", DOCTOR_NAME, "feature",
           "least", "mean", "most", DOCTOR_BINS, "how spread",
           "declared bounds");
    for (int64_t j = 0; j < shown; j++) {
        char buffer[24];
        sotto_table_feature(t, j, x);
        doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
        doctor_line(sotto_table_feature_name(t, j, buffer), &s);
        doctor_bounds(t, j, x, &s);
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
        doctor_ends at = doctor_at_bounds(x, sotto_table_rows(t), low, high);
        printf("], \"at_bounds\": %lld, \"at_low\": %lld, \"at_high\": %lld",
               (long long)(at.low + at.high), (long long)at.low,
               (long long)at.high);
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

static void doctor_json(const cli *c, const sotto_table *t,
                        const int64_t *class_rows, double *x)
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
    if (sotto_table_classes(t) <= 2 && sotto_table_target(t, x)) {
        doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
        cli_json_member("target_mean", s.mean);
    }
    if (sotto_table_weights(t, x)) {
        doctor_summary s = doctor_summarise(x, sotto_table_rows(t));
        cli_json_member("weight_mean", s.mean);
    }
    doctor_crowd all;
    if (doctor_people(t, x, &all))
        printf(", \"people\": %lld", (long long)all.people);
    doctor_json_classes(t, class_rows);
    printf(", \"features_listed\": %lld, \"feature\": [", (long long)shown);
    for (int64_t j = 0; j < shown; j++)
        doctor_json_feature(t, j, x);
    printf("\n]}\n");
}

static sotto_status doctor_show(const cli *c, const sotto_table *t,
                                sotto_error *error)
{
    double *x = calloc((size_t)sotto_table_rows(t) + 1, sizeof *x);
    int64_t *class_rows = x ? doctor_class_rows(t, x) : NULL;
    if (!class_rows) {
        free(x);
        return cli_memory(error);
    }
    cli_remarks(c, t);
    cli_remark_dropped(c, t, sotto_table_rows(t));
    if (cli_flag(c, "json"))
        doctor_json(c, t, class_rows, x);
    else
        doctor_text(c, t, class_rows, x);
    free(class_rows);
    free(x);
    return SOTTO_OK;
}

sotto_status cli_doctor(const cli *c, sotto_error *error)
{
    sotto_table *t;
    if (c->arguments == 0)
        return doctor_self_test(c, error);
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
