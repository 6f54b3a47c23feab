/*
 * Synthetic sets: the ones of the papers, and text-like ones whose words
 * follow Zipf's law.
 *
 * A set is a function of its name, its sizes and its seed. The first rows do
 * not depend on how many follow, and no format changes a value. Rows are
 * made and written one at a time.
 */
#include "generate.h"

#include <math.h>
#include <string.h>

enum { GENERATE_LASSO_ACTIVE = 10, GENERATE_ZIPF_ACTIVE = 40 };

/* A sparse set with more values than this is not written densely. */
static const double GENERATE_DENSE_LIMIT = 1e8;

typedef struct generate_state {
    generate_random random;
    generate_zipf zipf;
    int64_t features, per_row;
    double parameter; /* of the set: its noise, sigma or offset */
    int64_t active;   /* weights that are not 0: */
    uint32_t *place;  /* their columns, increasing */
    double *weight;
    generate_row row;
} generate_state;

typedef struct generate_set {
    const char *name, *help;
    int64_t rows, features; /* defaults */
    int sparse;
    double parameter;
    int (*prepare)(generate_state *source); /* 0: out of memory */
    void (*make)(generate_state *source);   /* the next row */
} generate_set;

/* ---- what the sets have in common ---- */

/* Room for `active` weights and for a row of `count` values. */
static int generate_room(generate_state *s, int64_t active, int64_t count,
                         int sparse)
{
    s->active = active;
    s->row.count = count;
    s->place = mem_zeroed((size_t)active, sizeof *s->place);
    s->weight = mem_zeroed((size_t)active, sizeof *s->weight);
    s->row.value = mem_zeroed((size_t)count, sizeof *s->row.value);
    if (sparse)
        s->row.index = mem_zeroed((size_t)count, sizeof *s->row.index);
    return s->place && s->weight && s->row.value && (!sparse || s->row.index);
}

/* Distinct places for the active weights, from `draw`, in order. */
static void generate_places(generate_state *s,
                            uint32_t (*draw)(generate_state *s))
{
    for (int64_t found = 0; found < s->active;) {
        uint32_t place = draw(s);
        int64_t i = 0;
        while (i < found && s->place[i] != place)
            i++;
        if (i == found)
            s->place[found++] = place;
    }
    generate_sort(s->place, s->active);
}

/* ---- dense sets: independent standard normal columns ---- */

/* Fills the row, rounded to float first, and returns its x'w. */
static double generate_normal_row(generate_state *s)
{
    double sum = 0;
    for (int64_t j = 0; j < s->features; j++)
        s->row.value[j] = (float)generate_normal(&s->random);
    for (int64_t a = 0; a < s->active; a++)
        sum += s->weight[a] * (double)s->row.value[s->place[a]];
    return sum;
}

static uint32_t generate_any_place(generate_state *s)
{
    return (uint32_t)(generate_uniform(&s->random) * (double)s->features);
}

static int generate_lasso_prepare(generate_state *s)
{
    int64_t active = s->features < GENERATE_LASSO_ACTIVE
                         ? s->features
                         : GENERATE_LASSO_ACTIVE;
    if (!generate_room(s, active, s->features, 0))
        return 0;
    generate_places(s, generate_any_place);
    for (int64_t a = 0; a < active; a++)
        s->weight[a] = generate_uniform(&s->random);
    return 1;
}

static void generate_lasso_make(generate_state *s)
{
    double clean = generate_normal_row(s);
    s->row.target = clean + s->parameter * generate_normal(&s->random);
}

static int generate_lognormal_prepare(generate_state *s)
{
    if (!generate_room(s, s->features, s->features, 0))
        return 0;
    for (int64_t j = 0; j < s->features; j++) {
        s->place[j] = (uint32_t)j;
        s->weight[j] = generate_exp(s->parameter * generate_normal(&s->random));
    }
    return 1;
}

static void generate_lognormal_make(generate_state *s)
{
    double clean = generate_normal_row(s);
    s->row.target = clean + generate_normal(&s->random) < 0 ? -1 : 1;
}

/* ---- text-like sets ---- */

/* The largest place that a weight of a text-like set may have, from 1. */
static double generate_reach(const generate_state *s)
{
    double reach = floor(0.2 * (double)s->features);
    return reach < 1 ? 1 : reach;
}

static uint32_t generate_log_uniform_place(generate_state *s)
{
    double reach = generate_reach(s), u = generate_uniform(&s->random);
    double place = floor(generate_exp(u * generate_log(reach + 1)));
    place = place < 1 ? 1 : place > reach ? reach : place;
    return (uint32_t)place - 1;
}

static int generate_zipf_prepare(generate_state *s)
{
    double reach = generate_reach(s);
    int64_t active =
        reach < GENERATE_ZIPF_ACTIVE ? (int64_t)reach : GENERATE_ZIPF_ACTIVE;
    if (!generate_room(s, active, s->per_row, 1))
        return 0;
    generate_zipf_open(&s->zipf, s->parameter, (double)s->features);
    generate_places(s, generate_log_uniform_place);
    for (int64_t a = 0; a < active; a++)
        s->weight[a] = generate_uniform(&s->random) < 0.5 ? -4 : 4;
    return 1;
}

/* The row's words: distinct, increasing. */
static void generate_words(generate_state *s)
{
    uint32_t *index = s->row.index;
    int64_t kept = 1;
    for (int64_t i = 0; i < s->per_row; i++)
        index[i] = generate_word(&s->random, &s->zipf);
    generate_sort(index, s->per_row);
    for (int64_t i = 1; i < s->per_row; i++)
        if (index[i] != index[i - 1])
            index[kept++] = index[i];
    s->row.count = kept;
}

/* Values from .2 to 1, brought to the norm 3. */
static void generate_word_values(generate_state *s)
{
    float *value = s->row.value;
    double square = 0;
    for (int64_t i = 0; i < s->row.count; i++) {
        value[i] = (float)(0.2 + 0.8 * generate_uniform(&s->random));
        square += (double)value[i] * (double)value[i];
    }
    double scale = 3 / sqrt(square);
    for (int64_t i = 0; i < s->row.count; i++)
        value[i] = (float)((double)value[i] * scale);
}

static void generate_zipf_make(generate_state *s)
{
    generate_words(s);
    generate_word_values(s);
    double margin = 0;
    int64_t i = 0, a = 0;
    while (i < s->row.count && a < s->active) {
        if (s->row.index[i] == s->place[a])
            margin += s->weight[a++] * (double)s->row.value[i++];
        else if (s->row.index[i] < s->place[a])
            i++;
        else
            a++;
    }
    double u = generate_uniform(&s->random);
    s->row.target = u < 1 / (1 + generate_exp(-margin)) ? 1 : -1;
}

/* ---- the table of sets ---- */

/* clang-format off */
static const generate_set generate_table[] = {
    {"sparse-lasso",
     "the Sparse LASSO set of the DP-CD paper (Mangold et al., 2022): normal "
     "columns, 10 of which matter, with weights uniform in (0, 1); the "
     "target has normal noise of deviation 0.1",
     1000, 1000, 0, 0.1, generate_lasso_prepare, generate_lasso_make},
    {"square",
     "the square set of the DP-GCD paper (Mangold et al., 2023): made as "
     "sparse-lasso is, from other random numbers",
     1000, 1000, 0, 0.1, generate_lasso_prepare, generate_lasso_make},
    {"log1",
     "the log1 set of the DP-GCD paper (Mangold et al., 2023): normal "
     "columns, log-normal weights with sigma 1, and the sign of the sum "
     "plus standard normal noise as the class -1 or 1",
     1000, 100, 0, 1, generate_lognormal_prepare, generate_lognormal_make},
    {"log2",
     "the log2 set of the DP-GCD paper (Mangold et al., 2023): as log1 with "
     "sigma 2, so that fewer weights matter",
     1000, 100, 0, 2, generate_lognormal_prepare, generate_lognormal_make},
    {"zipf-heavy",
     "rows like texts, of norm 3: word j is drawn as (j + 10)^-1.1, so that "
     "the first words are in most rows; classes -1 and 1 from a logistic "
     "model in which 40 words matter",
     10000, 100000, 1, 10, generate_zipf_prepare, generate_zipf_make},
    {"zipf-flat",
     "as zipf-heavy, with word j drawn as (j + 1000)^-1.1, so that no word "
     "is in more than a few rows of a hundred",
     10000, 100000, 1, 1000, generate_zipf_prepare, generate_zipf_make},
};
/* clang-format on */

enum { GENERATE_SETS = sizeof generate_table / sizeof *generate_table };

const char *sotto_generate_name(int64_t i)
{
    return i >= 0 && i < GENERATE_SETS ? generate_table[i].name : NULL;
}

const char *sotto_generate_help(int64_t i)
{
    return i >= 0 && i < GENERATE_SETS ? generate_table[i].help : NULL;
}

static sotto_status generate_find(const char *name, const generate_set **out,
                                  sotto_error *error)
{
    text_buffer names = {0};
    suggestion nearest = {.written = name};
    *out = NULL;
    for (int i = 0; i < GENERATE_SETS; i++)
        if (!strcmp(generate_table[i].name, name)) {
            *out = &generate_table[i];
            return SOTTO_OK;
        }
    for (int i = 0; i < GENERATE_SETS; i++) {
        text_put(&names, i ? ", " : "");
        text_put(&names, generate_table[i].name);
        suggest_try(&nearest, generate_table[i].name,
                    strlen(generate_table[i].name));
    }
    sotto_status status = SOTTO_FAILED;
    if (names.failed)
        error_memory(error);
    else
        status = error_set(error, SOTTO_USAGE,
                           "there is no synthetic set %s; the sets are %s%s",
                           show_name(name).text, names.data,
                           suggest_hint(&nearest).text);
    text_free(&names);
    return status;
}

/* ---- one call, one file ---- */

/* A sparse set that would be mostly zeros, and very many, is a mistake. */
static sotto_status generate_refuse(const generate_set *set,
                                    const file_format *format, int64_t rows,
                                    int64_t features, sotto_error *error)
{
    if (!set->sparse || format->sparse ||
        (double)rows * (double)features <= GENERATE_DENSE_LIMIT)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "%s with %lld rows and %lld features is too large for a "
                     "format that writes every 0: use .svm (--format "
                     "svmlight)",
                     set->name, (long long)rows, (long long)features);
}

static sotto_status generate_rows(const generate_set *set, generate_state *s,
                                  generate_writer *writer, int64_t rows,
                                  sotto_error *error)
{
    for (int64_t i = 0; i < rows; i++) {
        set->make(s);
        sotto_status status = generate_writer_add(writer, &s->row, error);
        if (status != SOTTO_OK)
            return status;
    }
    return generate_writer_commit(writer, error);
}

static int64_t generate_size(const sotto_options *options, option_id id,
                             int64_t by_default)
{
    return option_given(options, id) ? option_integer(options, id) : by_default;
}

static void generate_state_open(generate_state *s, const generate_set *set,
                                const sotto_options *options)
{
    *s = (generate_state){0};
    s->features = generate_size(options, OPTION_FEATURES, set->features);
    s->per_row = option_integer(options, OPTION_PER_ROW);
    s->parameter = set->parameter;
    generate_seed(&s->random, set->name,
                  (uint64_t)option_integer(options, OPTION_SEED));
}

static void generate_state_free(generate_state *s)
{
    mem_free(s->place);
    mem_free(s->weight);
    mem_free(s->row.index);
    mem_free(s->row.value);
}

static sotto_status generate_run(const generate_set *set, generate_state *s,
                                 const char *path, const sotto_options *options,
                                 sotto_error *error)
{
    const file_format *format;
    generate_writer *writer = NULL;
    int64_t rows = generate_size(options, OPTION_ROWS, set->rows);
    sotto_status status = format_to_write(
        &format, path, set->sparse ? &format_svmlight : &format_csv, options,
        error);
    if (status == SOTTO_OK)
        status = generate_refuse(set, format, rows, s->features, error);
    if (status == SOTTO_OK && !set->prepare(s))
        status = error_memory(error);
    if (status == SOTTO_OK)
        status = generate_writer_new(&writer, path, format, rows, s->features,
                                     error);
    if (status == SOTTO_OK)
        status = generate_rows(set, s, writer, rows, error);
    generate_writer_free(writer);
    return status;
}

sotto_status sotto_generate(const char *name, const char *path,
                            const sotto_options *options, sotto_error *error)
{
    const generate_set *set;
    generate_state s;
    sotto_status status = generate_find(name, &set, error);
    if (status != SOTTO_OK)
        return status;
    generate_state_open(&s, set, options);
    status = generate_run(set, &s, path, options, error);
    generate_state_free(&s);
    return status;
}
