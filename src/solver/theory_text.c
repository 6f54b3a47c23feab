/*
 * What theorems say, as text and as JSON. Errors at most so large are rounded
 * up, errors at least so large down, also for what arithmetic rounds.
 */
#include "json.h"
#include "theory.h"

#include <fenv.h>
#include <math.h>

static const double THEORY_MARGIN = 1e-10;

/* The value; NaN where a part of it was more or less than doubles hold: then
   what is left may lack a term, and a 0 may be none. */
static double theory_value(const theory_theorem *th, const theory_values *v,
                           double steps)
{
    fenv_t before;
    feholdexcept(&before);
    double x = th->value(v, steps);
    int lost = fetestexcept(FE_UNDERFLOW | FE_OVERFLOW);
    fesetenv(&before);
    return lost ? NAN : x;
}

/* Not below what a bound is, or not above where it is a lower one. */
static double theory_outward(const theory_theorem *th, const theory_values *v,
                             double steps)
{
    double x = theory_value(th, v, steps);
    return th->says == THEORY_RATE_LEAST ? x * (1 - THEORY_MARGIN)
                                         : x * (1 + THEORY_MARGIN);
}

static sotto_number theory_shown(const theory_theorem *th, double x)
{
    return th->says == THEORY_RATE_LEAST ? sotto_number_print_down(x, 6)
                                         : sotto_number_print_up(x, 6);
}

static const char *theory_words(const theory_theorem *th)
{
    return th->says == THEORY_RATE_LEAST ? "at least" : "at most";
}

/* What the number is. */
static const char *theory_what(const theory_theorem *th)
{
    return th->says == THEORY_RATE_STEPS ? "steps" : "error";
}

/* The number from `low` to `high` where a bound that falls and then rises is
   least. */
static double theory_between(const theory_theorem *th, const theory_values *v,
                             double low, double high)
{
    while (high - low >= 1) {
        double middle = floor((low + high) / 2);
        if (th->value(v, middle) <= th->value(v, middle + 1))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Where a bound is least: first of numbers 1 % apart, then near the best of
   them. It falls and then rises, roughly; so it may not be the very least. */
static double theory_best(const theory_theorem *th, const theory_values *v)
{
    double best = 1;
    for (double steps = 1; steps < 1e15; steps = ceil(steps * 1.01))
        if (th->value(v, steps) < th->value(v, best))
            best = steps;
    double near =
        theory_between(th, v, ceil(best / 1.02), floor(best * 1.02 + 1));
    return th->value(v, near) < th->value(v, best) ? near : best;
}

/* ---- what a theorem says, once as a list ---- */

typedef struct theory_line {
    double steps; /* NaN: it has none */
    double x;
    const char *is;
} theory_line;

enum {
    THEORY_LINES = 3,
    THEORY_EXPLAINED = 2 /* so many missing constants fit into a line */
};

static theory_line line_at(const theory_theorem *th, const theory_values *v,
                           double steps, const char *is)
{
    return (theory_line){steps, theory_outward(th, v, steps), is};
}

static double theory_chosen(const theory_theorem *th, const theory_values *v)
{
    double steps = th->chosen ? th->chosen(v) : NAN;
    return isnan(steps) || steps >= 1 ? rint(steps) : 1;
}

/* How many lines it has. */
static int theory_lines(theory_line *out, const theory_theorem *th,
                        const theory_values *v)
{
    int count = 0;
    double given = th->steps == THEORY_NONE ? NAN : v->at[th->steps];
    double chosen = theory_chosen(th, v);
    if (th->steps == THEORY_NONE)
        out[count++] = line_at(th, v, NAN, NULL);
    if (!isnan(given))
        out[count++] = line_at(th, v, given, "given");
    if (!isnan(chosen))
        out[count++] = line_at(th, v, chosen, th->chosen_is);
    if (th->has_best)
        out[count++] =
            line_at(th, v, theory_best(th, v), "the least bound found");
    return count;
}

/* Whether all are numbers: no bound is 0 because it was too small. */
static int lines_fine(const theory_line *line, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(line[i].x) || (line[i].steps > 1e300))
            return 0;
    return 1;
}

static const theory_constant *constant_of(const theory_paper *paper,
                                          theory_id id)
{
    const theory_constant *c = paper->constants;
    while (c->name && c->id != id)
        c++;
    return c;
}

int theory_missing(const theory_paper *paper, const theory_theorem *th,
                   const theory_values *v)
{
    int count = 0;
    for (const theory_constant *c = paper->constants; c->name; c++)
        count += (th->needs & THEORY_BIT(c->id)) && isnan(v->at[c->id]);
    return count;
}

int theory_lacks(text_buffer *out, const theory_paper *paper,
                 const theory_theorem *th, const theory_values *v)
{
    int put = 0, count = theory_missing(paper, th, v);
    const char *why = !count && th->silent ? th->silent(v) : NULL;
    for (const theory_constant *c = paper->constants; count && c->name; c++) {
        if (!(th->needs & THEORY_BIT(c->id)) || !isnan(v->at[c->id]))
            continue;
        text_format(out, "%s%s", put++ ? ", " : "it lacks ", c->name);
        if (count <= THEORY_EXPLAINED)
            text_format(out, " (%s)", c->meaning);
    }
    if (count > THEORY_EXPLAINED)
        text_put(out, "; 'sotto plan --paper list' says what each is");
    if (why)
        text_put(out, why);
    return count ? count : why != NULL;
}

/* ---- text ---- */

static void text_line(text_buffer *out, const theory_paper *paper,
                      const theory_theorem *th, const theory_line *line)
{
    text_format(out, "%-12s %s %s", theory_what(th), theory_words(th),
                theory_shown(th, line->x).text);
    if (th->says != THEORY_BOUND)
        text_put(out, " times a constant that the paper leaves out");
    else
        text_format(out, " for %s = %s (%s)",
                    constant_of(paper, th->steps)->name,
                    sotto_number_exact(line->steps).text, line->is);
    text_put(out, "\n");
}

static void text_theorem(text_buffer *out, const theory_paper *paper,
                         const theory_theorem *th, const theory_line *line,
                         int count, const char *lacks)
{
    text_format(out, "\n%s\n", th->name);
    if (lacks) {
        text_format(out, "says         nothing here: %s\n", lacks);
        return;
    }
    text_format(out, "formula      %s\nassumes      %s\nin print     %s\n",
                th->formula, th->assumes, th->note);
    for (int i = 0; i < count; i++)
        text_line(out, paper, th, &line[i]);
}

static void text_head(text_buffer *out, const theory_paper *paper,
                      const theory_values *v)
{
    text_format(out, "paper        %s: %s\n", paper->name, paper->title);
    for (const theory_constant *c = paper->constants; c->name; c++)
        if (!isnan(v->at[c->id]))
            text_format(out, "%-12s %s: %s\n", c->name,
                        sotto_number_exact(v->at[c->id]).text, c->meaning);
}

/* ---- JSON ---- */

/* Steps can be more than an integer holds. */
static json_t *json_steps(double steps)
{
    return steps < 1e17 ? json_integer((json_int_t)steps) : json_real(steps);
}

static json_t *json_line(const theory_paper *paper, const theory_theorem *th,
                         const theory_line *line)
{
    json_t *one = json_object();
    if (!isnan(line->steps)) {
        json_add(&one, constant_of(paper, th->steps)->name,
                 json_steps(line->steps));
        json_add_text(&one, "is", line->is);
    }
    json_add_number(&one, theory_what(th), line->x);
    return one;
}

static json_t *json_theorem(const theory_paper *paper, const theory_theorem *th,
                            const theory_line *line, int count,
                            const char *lacks)
{
    json_t *one = json_object(), *lines = json_array();
    json_add_text(&one, "theorem", th->name);
    json_add_text(&one, "formula", th->formula);
    json_add_text(&one, "assumes", th->assumes);
    json_add_text(&one, "in_print", th->note);
    json_add_text(&one, "says", theory_words(th));
    json_add(&one, "times_a_constant", json_boolean(th->says != THEORY_BOUND));
    for (int i = 0; !lacks && i < count; i++)
        json_append(&lines, json_line(paper, th, &line[i]));
    if (lacks)
        json_add_text(&one, "says_nothing", lacks);
    json_add(&one, "bounds", lines);
    return one;
}

static json_t *json_head(const theory_paper *paper, const theory_values *v)
{
    json_t *all = json_object(), *constants = json_object();
    json_add_text(&all, "paper", paper->name);
    json_add_text(&all, "title", paper->title);
    for (const theory_constant *c = paper->constants; c->name; c++)
        if (!isnan(v->at[c->id]))
            json_add_number(&constants, c->name, v->at[c->id]);
    json_add(&all, "constants", constants);
    return all;
}

/* ---- both ---- */

static sotto_status theory_end(char **out, text_buffer *text, json_t *root,
                               sotto_error *error)
{
    if (root)
        json_put(text, root);
    json_decref(root);
    *out = text_take(text);
    return *out ? SOTTO_OK : error_memory(error);
}

/* One theorem into one of the two; 0: a number is beyond all doubles. */
static int tell_one(text_buffer *text, json_t **list, const theory_paper *paper,
                    const theory_theorem *th, const theory_values *v)
{
    theory_line line[THEORY_LINES];
    text_buffer lacks = {0};
    int silent = theory_lacks(&lacks, paper, th, v);
    int count = silent ? 0 : theory_lines(line, th, v);
    const char *why = silent ? lacks.data ? lacks.data : "" : NULL;
    int fine = lines_fine(line, count);
    if (fine && list)
        json_append(list, json_theorem(paper, th, line, count, why));
    else if (fine)
        text_theorem(text, paper, th, line, count, why);
    text->failed |= lacks.failed;
    text_free(&lacks);
    return fine;
}

sotto_status theory_tell(char **out, const theory_paper *paper,
                         const theory_values *v, int json, sotto_error *error)
{
    text_buffer text = {0};
    json_t *root = json ? json_head(paper, v) : NULL;
    json_t *list = json ? json_array() : NULL;
    int fine = 1;
    if (!json)
        text_head(&text, paper, v);
    for (const theory_theorem *th = paper->theorems; th->name && fine; th++)
        fine = tell_one(&text, json ? &list : NULL, paper, th, v);
    if (json)
        json_add(&root, "theorems", list);
    if (fine && (!json || root))
        return theory_end(out, &text, root, error);
    text_free(&text);
    json_decref(root);
    return fine ? error_memory(error)
                : error_set(error, SOTTO_USAGE,
                            "--set: a bound is beyond all numbers; expected "
                            "constants of moderate size");
}

static json_t *json_paper(const theory_paper *paper)
{
    json_t *one = json_object(), *all = json_array(), *needs = json_array();
    json_add_text(&one, "name", paper->name);
    json_add_text(&one, "title", paper->title);
    for (const theory_theorem *th = paper->theorems; th->name; th++)
        json_append(&all, json_string(th->name));
    for (const theory_constant *c = paper->constants; c->name; c++) {
        json_t *constant = json_object();
        json_add_text(&constant, "name", c->name);
        json_add_text(&constant, "meaning", c->meaning);
        if (!isnan(c->standard))
            json_add_number(&constant, "standard", c->standard);
        json_append(&needs, constant);
    }
    json_add(&one, "theorems", all);
    json_add(&one, "constants", needs);
    return one;
}

static void text_paper(text_buffer *out, const theory_paper *paper)
{
    text_format(out, "%-12s %s\n", paper->name, paper->title);
    for (const theory_theorem *th = paper->theorems; th->name; th++)
        text_format(out, "             %s\n", th->name);
    for (const theory_constant *c = paper->constants; c->name; c++) {
        text_format(out, "  %-10s %s", c->name, c->meaning);
        if (!isnan(c->standard))
            text_format(out, " (default %s)",
                        sotto_number_exact(c->standard).text);
        text_put(out, "\n");
    }
}

sotto_status theory_list(char **out, int json, sotto_error *error)
{
    text_buffer text = {0};
    json_t *root = json ? json_object() : NULL;
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; theory_paper_at(i); i++)
        if (json)
            json_append(&list, json_paper(theory_paper_at(i)));
        else
            text_paper(&text, theory_paper_at(i));
    if (json)
        json_add(&root, "papers", list);
    if (json && !root) {
        text_free(&text);
        return error_memory(error);
    }
    return theory_end(out, &text, root, error);
}
