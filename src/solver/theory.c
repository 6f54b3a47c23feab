/*
 * sotto_theorems: reads the constants that --set gives, and says what a
 * paper's theorems promise of them. Reads no record.
 */
#include "theory.h"

#include "number.h"
#include "option.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- which paper ---- */

static sotto_status refuse_paper(const char *name, sotto_error *error)
{
    suggestion near = {.written = name};
    text_buffer all = {0};
    for (size_t i = 0; theory_paper_at(i); i++) {
        const char *one = theory_paper_at(i)->name;
        suggest_try(&near, one, strlen(one));
        text_format(&all, "%s%s", i ? ", " : "", one);
    }
    sotto_status status =
        all.failed ? error_memory(error)
                   : error_set(error, SOTTO_USAGE,
                               "--paper: expected list or one of %s%s",
                               all.data, suggest_hint(&near).text);
    text_free(&all);
    return status;
}

static const theory_paper *paper_named(const char *name)
{
    const theory_paper *paper = NULL;
    for (size_t i = 0; (paper = theory_paper_at(i)); i++)
        if (!strcmp(paper->name, name))
            break;
    return paper;
}

/* ---- its constants ---- */

static int by_option(const theory_constant *c)
{
    return c->id == THEORY_EPSILON || c->id == THEORY_DELTA;
}

static sotto_status refuse_name(const theory_paper *paper, sotto_error *error)
{
    text_buffer all = {0};
    for (const theory_constant *c = paper->constants; c->name; c++)
        if (!by_option(c))
            text_format(&all, "%s%s", all.length ? ", " : "", c->name);
    sotto_status status =
        all.failed ? error_memory(error)
                   : error_set(error, SOTTO_USAGE,
                               "--set: expected NAME=X with a number and one "
                               "of the names that %s has: %s",
                               paper->name, all.data);
    text_free(&all);
    return status;
}

static sotto_status refuse_value(const theory_constant *is, sotto_error *error)
{
    const char *from = is->from ? "from" : "above";
    const char *kind = is->whole ? "whole number" : "number";
    if (isinf(is->high))
        return error_set(error, SOTTO_USAGE,
                         "--set %s: expected a finite %s %s %s: it is %s",
                         is->name, kind, from,
                         sotto_number_print(is->low, 6).text, is->meaning);
    return error_set(error, SOTTO_USAGE,
                     "--set %s: expected a %s %s %s and at most %s: it is %s",
                     is->name, kind, from, sotto_number_print(is->low, 6).text,
                     sotto_number_print(is->high, 6).text, is->meaning);
}

static int value_fits(const theory_constant *is, double x)
{
    return isfinite(x) && (is->from ? x >= is->low : x > is->low) &&
           x <= is->high && (!is->whole || x == rint(x));
}

/* Products of several constants of such sizes are no more than doubles hold,
   nor less. 0 is fine where a constant may be 0. */
static int size_fits(double x)
{
    return x == 0 || !(x < 1e-100 || x > 1e100);
}

/* "mu1=0.1" */
static sotto_status read_constant(theory_values *v, int *given,
                                  const theory_paper *paper, const char *word,
                                  sotto_error *error)
{
    double x;
    const char *sign = strchr(word, '=');
    const theory_constant *is = paper->constants;
    for (; sign && is->name; is++)
        if (!by_option(is) && strlen(is->name) == (size_t)(sign - word) &&
            !strncmp(is->name, word, strlen(is->name)))
            break;
    if (!sign || !is->name || !number_whole(sign + 1, &x))
        return refuse_name(paper, error);
    if (given[is->id]++)
        return error_set(error, SOTTO_USAGE,
                         "--set: a name is given two values");
    if (!value_fits(is, x))
        return refuse_value(is, error);
    if (!size_fits(x))
        return error_set(error, SOTTO_USAGE,
                         "--set %s: expected a number from 1e-100 to 1e100%s: "
                         "it is %s",
                         is->name, is->from && is->low == 0 ? ", or 0" : "",
                         is->meaning);
    v->at[is->id] = x;
    return SOTTO_OK;
}

static sotto_status read_constants(theory_values *v, const theory_paper *paper,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    int given[THEORY_COUNT] = {0};
    size_t cursor = 0;
    char *word;
    int more;
    while ((more = option_next(options, OPTION_SET, &cursor, &word)) > 0) {
        sotto_status status = read_constant(v, given, paper, word, error);
        mem_free(word);
        if (status != SOTTO_OK)
            return status;
    }
    return more < 0 ? error_memory(error) : SOTTO_OK;
}

/* Standards, and what options say; a paper without a budget refuses one. */
static sotto_status begin_constants(theory_values *v, const theory_paper *paper,
                                    const sotto_options *options,
                                    sotto_error *error)
{
    int budget = 0;
    for (int i = 0; i < THEORY_COUNT; i++)
        v->at[i] = NAN;
    for (const theory_constant *c = paper->constants; c->name; c++) {
        option_id id = c->id == THEORY_EPSILON ? OPTION_EPSILON : OPTION_DELTA;
        v->at[c->id] = c->standard;
        budget |= by_option(c);
        if (by_option(c) && option_given(options, id))
            v->at[c->id] = option_number(options, id);
    }
    if (!budget && (option_given(options, OPTION_EPSILON) ||
                    option_given(options, OPTION_DELTA)))
        return error_set(error, SOTTO_USAGE,
                         "--paper %s: no epsilon or delta is in its theorem; "
                         "leave them out",
                         paper->name);
    if (isinf(v->at[THEORY_EPSILON]) || v->at[THEORY_DELTA] == 0)
        return error_set(error, SOTTO_USAGE,
                         "--paper %s: expected a finite --epsilon and a "
                         "--delta above 0",
                         paper->name);
    if (!size_fits(v->at[THEORY_EPSILON]) || !size_fits(v->at[THEORY_DELTA]))
        return error_set(error, SOTTO_USAGE,
                         "--paper %s: expected --epsilon from 1e-100 to 1e100 "
                         "and --delta from 1e-100 on",
                         paper->name);
    return SOTTO_OK;
}

/* ---- whether some theorem says something ---- */

/* Refuses where none says anything: of the theorem that lacks least. */
static sotto_status check_some(const theory_paper *paper,
                               const theory_values *v, sotto_error *error)
{
    const theory_theorem *near = paper->theorems;
    for (const theory_theorem *th = paper->theorems; th->name; th++) {
        int lacks = theory_missing(paper, th, v);
        if (!lacks && !(th->silent && th->silent(v)))
            return SOTTO_OK;
        if (lacks < theory_missing(paper, near, v))
            near = th;
    }
    text_buffer why = {0};
    theory_lacks(&why, paper, near, v);
    sotto_status status =
        why.failed ? error_memory(error)
                   : error_set(error, SOTTO_USAGE,
                               "--paper %s: %s says nothing here: %s",
                               paper->name, near->name, why.data);
    text_free(&why);
    return status;
}

/* Options that are about data or a solver mean nothing here. */
static sotto_status refuse_others(const sotto_options *options,
                                  sotto_error *error)
{
    static const option_id used[] = {OPTION_PAPER, OPTION_SET,  OPTION_EPSILON,
                                     OPTION_DELTA, OPTION_JSON, OPTION_QUIET};
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t at = 0;
        while (at < sizeof used / sizeof *used && (int)used[at] != i)
            at++;
        if (at == sizeof used / sizeof *used &&
            option_given(options, (option_id)i))
            return error_set(error, SOTTO_USAGE,
                             "--paper: a theorem is of constants alone, which "
                             "--set, --epsilon and --delta give; leave out "
                             "--%s",
                             sotto_option_at(i)->name);
    }
    return SOTTO_OK;
}

sotto_status sotto_theorems(char **out, const sotto_options *options,
                            sotto_error *error)
{
    theory_values v;
    const char *name = option_text(options, OPTION_PAPER);
    int json = option_given(options, OPTION_JSON);
    *out = NULL;
    sotto_status status = refuse_others(options, error);
    if (status != SOTTO_OK)
        return status;
    if (name && !strcmp(name, "list"))
        return theory_list(out, json, error);
    const theory_paper *paper = paper_named(name ? name : "");
    if (!paper)
        return refuse_paper(name ? name : "", error);
    status = begin_constants(&v, paper, options, error);
    if (status == SOTTO_OK)
        status = read_constants(&v, paper, options, error);
    if (status == SOTTO_OK)
        status = check_some(paper, &v, error);
    return status == SOTTO_OK ? theory_tell(out, paper, &v, json, error)
                              : status;
}
