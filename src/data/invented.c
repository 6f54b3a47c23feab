/*
 * Records that nobody has, for audits. They are made of the plan of the
 * columns, which is public, written as a file would have them, and read by the
 * readers of files: so they go through every map that a record goes through.
 */
#include "date.h"
#include "loss.h"
#include "reader.h"

#include <math.h>
#include <string.h>

/* Where nobody declared a bound: larger than anything a record has. */
#define UNBOUNDED 1e30

typedef struct inventor {
    const column_plan *plan;
    const invented *what;
    double kink; /* where the loss of a number has one, in stored units */
    text_buffer text;
} inventor;

/* ---- a value, as a place between -1 and 1 ---- */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Of a common row, or of one that is anything: often at an end. */
static double any_place(const inventor *v, int64_t row, int64_t at)
{
    uint64_t word = mixed(v->what->seed * 0x9e3779b97f4a7c15u +
                          mixed((uint64_t)row * 1000003 + (uint64_t)at));
    double place = (double)(word >> 11) * 0x1p-52 - 1;
    int end = row >= v->what->common && word % 4 == 0;
    return end ? (place < 0 ? -1 : 1) : place;
}

static double place_of(const inventor *v, int64_t row, int64_t at)
{
    static const double fixed[INVENTED_RECORDS] = {1, -1, 1, 0, .5, 1, 0};
    if (row < v->what->common || v->what->record == INVENTED_ANY)
        return any_place(v, row, at);
    return fixed[v->what->record];
}

static int is_common(const inventor *v, int64_t row)
{
    return row < v->what->common;
}

/* Of the target the opposite differs from the first. */
static double target_place(const inventor *v, int64_t row, int64_t at)
{
    return !is_common(v, row) && v->what->record == INVENTED_OPPOSITE
               ? -1
               : place_of(v, row, at);
}

static double value_at(int bounded, double low, double high, double place,
                       int common)
{
    if (bounded && fabs(place) >= 1) /* beyond: it must be clamped */
        return place > 0 ? high + 1000 * (high - low)
                         : low - 1000 * (high - low);
    if (bounded)
        return low + (place + 1) / 2 * (high - low);
    return common || fabs(place) < 1 ? place : place * UNBOUNDED;
}

static void put_number(inventor *v, double x)
{
    text_put(&v->text, sotto_number_exact(x).text);
}

/* ---- values as a field has them ---- */

static void put_quoted(text_buffer *t, const char *text)
{
    text_put(t, "\"");
    for (; *text; text++)
        text_add(t, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    text_put(t, "\"");
}

/* The level that is declared last is left to those who are alone with it. */
static void put_level(inventor *v, const column *c, int64_t row, double place)
{
    int lone = !is_common(v, row) && v->what->record == INVENTED_LONE;
    int64_t listed = c->levels - (c->other != 0);
    int64_t usual = listed > 1 ? listed - 1 : listed;
    int64_t at = (int64_t)((place + 1) / 2 * (double)usual);
    at = lone ? listed - 1 : at >= usual ? usual - 1 : at;
    if (!is_common(v, row) && v->what->record == INVENTED_EMPTY &&
        c->missing != MISSING_REFUSE)
        return; /* a missing value */
    if (c->asks_levels)
        put_quoted(&v->text, lone ? "alone" : place > 0 ? "many" : "more");
    else if (c->other && (lone || listed == 0))
        put_quoted(&v->text, "a word that nobody declared");
    else if (listed > 0)
        put_quoted(&v->text, c->level[at]);
}

static void put_date(inventor *v, const column *c, double place, int common)
{
    double day = c->bounded && !common && fabs(place) >= 1
                     ? (place > 0 ? c->high + 400 : c->low - 400)
                 : c->bounded ? value_at(1, c->low, c->high, place, common)
                              : 365 * place;
    date_put(&v->text, c->format, c->since + (int64_t)day);
}

/* The class that has the last say is the record's own; common rows have all of
   them in turn. */
static int64_t class_at(const inventor *v, int64_t row, double place)
{
    int64_t classes = v->plan->classes ? v->plan->classes : 2;
    if (is_common(v, row))
        return row % classes;
    return place >= 0 ? classes - 1 : 0;
}

static void put_target(inventor *v, const column *c, int64_t row, double place)
{
    const column_plan *p = v->plan;
    int64_t k = class_at(v, row, place);
    if (plan_has_classes(p) && p->classes)
        put_quoted(&v->text, p->class_name[k]);
    else if (plan_has_classes(p))
        put_number(v, k ? 1 : -1);
    else {
        int kink = !is_common(v, row) && v->what->record == INVENTED_KINK;
        put_number(v, value_at(c->bounded, c->low, c->high,
                               kink ? v->kink : place, is_common(v, row)));
    }
}

static void put_person(inventor *v, int64_t row)
{
    int64_t common = v->what->common;
    text_format(&v->text, "p%lld", (long long)(row < common ? row : common));
}

static void put_field(inventor *v, const column *c, int64_t row, int64_t i)
{
    double place = place_of(v, row, i);
    int common = is_common(v, row);
    switch (c->role) {
    case COLUMN_NUMBER:
        put_number(v, value_at(c->bounded, c->low, c->high, place, common));
        break;
    case COLUMN_CATEGORY:
        put_level(v, c, row, place);
        break;
    case COLUMN_DATE:
        put_date(v, c, place, common);
        break;
    case COLUMN_BOOLEAN:
        put_quoted(&v->text, c->level[place > 0 ? 0 : c->truths]);
        break;
    case COLUMN_TARGET:
        put_target(v, c, row, target_place(v, row, i));
        break;
    case COLUMN_WEIGHT: /* a record that is to be seen weighs all it can */
        put_number(v, value_at(1, 0, c->high, common ? place : 1, common));
        break;
    case COLUMN_UNIT:
        put_person(v, row);
        break;
    case COLUMN_PART:
        put_quoted(&v->text, c->levels ? c->level[0] : "");
        break;
    case COLUMN_DROP:
        text_put(&v->text, "0");
        break;
    }
}

/* ---- files ---- */

static void put_csv(inventor *v, int64_t rows)
{
    const column_plan *p = v->plan;
    for (int64_t i = 0; i < p->columns; i++) {
        text_put(&v->text, i ? "," : "");
        put_quoted(&v->text, p->column[i].name);
    }
    text_put(&v->text, "\n");
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < p->columns; i++) {
            put_field(v, &p->column[i], row, i);
            text_put(&v->text, i + 1 < p->columns ? "," : "\n");
        }
}

/* Half of a common row is empty, and so is all of an empty one. */
static void put_sparse_row(inventor *v, int64_t row)
{
    const column_plan *p = v->plan;
    put_target(v, p->target ? p->target : &p->column[0], row,
               target_place(v, row, -1));
    for (int64_t j = 0; j < p->features; j++) {
        double place = place_of(v, row, j);
        int bounded = p->low && isfinite(p->low[j]) && isfinite(p->high[j]);
        double x = value_at(bounded, bounded ? p->low[j] : 0,
                            bounded ? p->high[j] : 0, place, is_common(v, row));
        if ((is_common(v, row) && place < 0) || place == 0)
            continue;
        text_format(&v->text, " %lld:", (long long)j + 1);
        put_number(v, x);
    }
    text_put(&v->text, "\n");
}

/* These rows count for nothing. The neighbour's have weights, too. */
static sotto_status blank_rows(sotto_table *t, const invented *what,
                               sotto_error *error)
{
    int given = t->weight != NULL;
    if (!given)
        t->weight = mem_zeroed((size_t)t->rows + 1, sizeof *t->weight);
    if (!t->weight)
        return error_memory(error);
    for (int64_t i = 0; i < t->rows; i++) {
        if (!given)
            t->weight[i] = 1;
        if (what->blank > 0 && i >= what->common)
            t->weight[i] = 0;
    }
    return SOTTO_OK;
}

static sotto_status read_back(sotto_table **out, inventor *v, const char *name,
                              const sotto_options *options, sotto_error *error)
{
    sotto_status status =
        v->text.failed ? error_memory(error)
                       : table_read_memory(out, name, v->text.data,
                                           v->text.length, options, error);
    text_free(&v->text);
    if (status == SOTTO_OK && v->what->blank)
        status = blank_rows(*out, v->what, error);
    if (status == SOTTO_OK)
        (*out)->invented = 1;
    return status;
}

static double kink_of(const sotto_options *options)
{
    return loss_named_has(option_text(options, OPTION_LOSS), loss_has_delta)
               ? fmin(.999, option_number(options, OPTION_HUBER_DELTA))
               : 0;
}

sotto_status table_invent(sotto_table **out, const invented *what,
                          const sotto_options *options, sotto_error *error)
{
    column_plan plan;
    int numbered;
    *out = NULL;
    sotto_status status =
        declared_plan(&plan, &numbered, what->features, options, error);
    if (status != SOTTO_OK)
        return status;
    inventor v = {.plan = &plan, .what = what, .kink = kink_of(options)};
    int64_t rows = what->common + what->times;
    if (numbered)
        for (int64_t row = 0; row < rows; row++)
            put_sparse_row(&v, row);
    else
        put_csv(&v, rows);
    status = read_back(out, &v, numbered ? "invented.svm" : "invented.csv",
                       options, error);
    plan_free(&plan);
    if (status != SOTTO_OK) {
        sotto_table_free(*out);
        *out = NULL;
    }
    return status;
}
