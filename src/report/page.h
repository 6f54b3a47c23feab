/*
 * What the files of the page share.
 */
#ifndef SOTTO_REPORT_PAGE_H
#define SOTTO_REPORT_PAGE_H

#include "json.h"
#include "model.h"
#include "report.h"

/* ---- page.c ---- */

void page_begin(text_buffer *t, const char *title, const char *heading);

/* What the page was made from: "the model". */
void page_end(text_buffer *t, const char *source);

/* A number for people: so many digits, no more than it has. */
void page_number(text_buffer *t, double x, int digits);

/* The same of a price or a risk: never below x. */
void page_number_up(text_buffer *t, double x, int digits);

/* The same of what may still be spent: never above x. */
void page_number_down(text_buffer *t, double x, int digits);

/* The lower or upper end of an interval: outward, to the second digit of its
   error. */
void page_number_end(text_buffer *t, double x, double error, int up);

/* A coordinate of a drawing, as text until the end of the call it is for. */
#define PAGE_AT(x) sotto_number_fixed(x, 1).text

/* ---- curve.c ---- */

typedef struct page_point {
    double delta, epsilon;
} page_point;

enum { PAGE_MOST_POINTS = 32 };

/* The statement's curve and its own point, delta falling; how many. */
int page_curve_points(const json_t *statement, page_point out[]);

/* epsilon over delta, and its numbers beneath. */
void page_curve(text_buffer *t, const json_t *statement);

/* ---- question_list.c ---- */

/* Every question, and what it would cost alone. */
sotto_status page_questions(text_buffer *t, const json_t *statement,
                            sotto_error *error);

/* ---- weights.c ---- */

/* The weights as bars, with their intervals where there are some. */
sotto_status page_weights(text_buffer *t, const sotto_model *m,
                          sotto_error *error);

/* ---- evaluation.c ---- */

/* How good a model is, as a private evaluation says; its statement is checked
   first. */
sotto_status page_evaluation(text_buffer *t, const struct sotto_evaluation *e,
                             const char *name, sotto_error *error);

/* ---- together.c ---- */

/* A table of the models, and what all of them cost together, or why that is
   not said. */
void page_together(text_buffer *t, const sotto_model *const *model,
                   const char *const *name, json_t *const *state,
                   int64_t count);

/* ---- ledger_entries.c ---- */

/* The latest entries of a data set as a table: `most` of all there are. */
sotto_status page_entries(text_buffer *t, sotto_ledger *ledger,
                          const char *dataset, int64_t most, int64_t all,
                          sotto_error *error);
/* ---- officer.c ---- */

/* What the data protection officer files; a model without a statement gets a
   warning. */
sotto_status page_officer(text_buffer *t, const sotto_model *m,
                          const json_t *statement, sotto_error *error);

/* ---- bounds.c ---- */

/* Where the bounds of columns came from, and how many of each there are. */
void page_bounds(text_buffer *t, const json_t *statement, const json_t *schema);

/* ---- words.c ---- */

/* What the model's own numbers say against it, and all that is stated. */
void page_statement(text_buffer *t, const sotto_model *m,
                    const json_t *statement);

/* What two data sets differ in that nobody can tell apart well. */
const char *page_difference(const json_t *statement);

/* The same for the name of an adjacency. */
const char *page_difference_of(const char *adjacency);

/* "a person", or "a row", with its column and how many rows of a person
   count. */
void page_put_unit(text_buffer *t, const json_t *statement);

/* A text of the statement, or "". */
const char *page_text(const json_t *statement, const char *key);

#endif
