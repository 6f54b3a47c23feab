/*
 * The table of questions: one row for each kind, with all that the curator,
 * the accountant and people need to know of it. Privacy rests on it. What a
 * row leaves out refuses the most: nothing protects a kind without a form, and
 * a sensitivity or a number of draws that no rule gives is infinite.
 */
#include "mechanisms.h"
#include "sketch.h"

#include <math.h>
#include <string.h>

static int is_replace_one(const curator_policy *policy)
{
    return policy->adjacency == ACCOUNT_REPLACE_ONE;
}

/* ---- sensitivities that no common rule gives ---- */

/* Every row of the block after the one that differs may differ too. */
static double of_sequence(const curator_policy *policy, const ask_item *item,
                          int64_t features)
{
    (void)features;
    return KERNEL_CLIP * (2 * (double)item->block - !is_replace_one(policy));
}

/* From one end of what they can be to the other. */
static double of_primal(const curator_policy *policy, const ask_item *item,
                        int64_t features)
{
    (void)policy, (void)features;
    return 2. * KERNEL_CLIP * sqrt((double)item->block) * (1 + 0x1p-50);
}

/* One bucket by a column's integer. */
static double of_sketch(const curator_policy *policy, const ask_item *item,
                        int64_t features)
{
    (void)item, (void)features;
    return (double)ASK_UNIT * (double)policy->rows_per_person *
           (is_replace_one(policy) ? 2 : 1);
}

/* A score by a column's integer times a told one. */
static double of_along(const curator_policy *policy, const ask_item *item,
                       int64_t features)
{
    return ASK_UNIT * of_sketch(policy, item, features);
}

/*
 * Lemma C20: how far certified minimisers may be from those that are meant, in
 * units of which one record moves these by KERNEL_CLIP; from both sides.
 * Rounding moves each coordinate by less than 1, and noise in the objective
 * by 1/2.
 */
static double minimiser_error(ask_kind kind, int64_t features)
{
    const question_row *q = question_of(kind);
    double rounded = q->perturbs ? 2 : 1;
    return 2 * (KERNEL_CLIP * q->tolerance + rounded * sqrt((double)features));
}

static double of_minimiser(const curator_policy *policy, const ask_item *item,
                           int64_t features)
{
    double sensitivity = KERNEL_CLIP * (double)policy->rows_per_person;
    return (sensitivity * (is_replace_one(policy) ? 2 : 1) +
            minimiser_error(item->kind, features)) *
           (1 + 0x1p-40);
}

/* At its own part of the level. */
static double of_perturbed(const curator_policy *policy, const ask_item *item,
                           int64_t features)
{
    (void)policy;
    return minimiser_error(item->kind, features) / PERTURBED_LAST *
           (1 + 0x1p-40);
}

/* ---- the table; beside each kind is the lemma of docs/privacy that
   bounds what one record adds ---- */

/* clang-format off */
static const question_row questions[ASK_KINDS] = {
    [ASK_TOTAL] = { /* Lemma K2 */
        .by_ranks = 1,
        .words = {.name = "total", .meaning = "how many rows there are"},
        .form = FORM_NUMBER, .parts = PARTS_ONE, .replaced = REPLACED_ONCE,
        .draws = DRAWS_ONE, .any_classes = 1, .without_columns = 1},
    [ASK_MOMENTS] = { /* Lemma K2 */
        .by_ranks = 1,
        .words = {.name = "moments",
                  .meaning = "how large each feature is, on average"},
        .form = FORM_VECTOR, .parts = PARTS_FEATURES, .replaced = REPLACED_ONCE,
        .draws = DRAWS_WIDTH, .any_classes = 1},
    [ASK_PARTIAL] = { /* Lemma K2 */
        .by_ranks = 1,
        .words = {.name = "partial",
                  .meaning = "which way, and how steeply, one weight should "
                             "move"},
        .form = FORM_NUMBER, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_ONE},
    [ASK_GRADIENT] = { /* Lemma K3 */
        .by_ranks = 1,
        .words = {.name = "gradient",
                  .meaning = "the same of all weights at once",
                  .noise_adds_up = 1},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_WIDTH, .by_rows = 1},
    [ASK_CHOICE] = { /* Lemma C8 */
        .by_ranks = 1,
        .words = {.name = "choice",
                  .meaning = "which weight is most worth moving",
                  .picks_weight = 1},
        .form = FORM_CHOICE, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_ONE, .noisy_draws = DRAWS_WIDTH},
    [ASK_BATCH] = { /* Lemma C3 */
        .by_ranks = 1,
        .words = {.name = "batch",
                  .meaning = "the same, of a secret random part of the rows",
                  .noise_adds_up = 1},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_COINS, .rows = ROWS_SAMPLED, .state = STATE_GATHERED,
        .by_rows = 1},
    [ASK_DIFFERENCE] = { /* Lemma C4 */
        .by_ranks = 1,
        .words = {.name = "batch difference",
                  .meaning = "the same, less what was known already",
                  .noise_adds_up = 1},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_COINS, .rows = ROWS_SAMPLED, .state = STATE_GATHERED,
        .by_rows = 1},
    [ASK_DUAL] = { /* Lemma C5 */
        .by_ranks = 1,
        .words = {.name = "dual",
                  .meaning = "how far a random part of the rows pulls the "
                             "weights",
                  .noise_adds_up = 1},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_WIDTH, .rows = ROWS_SAMPLED, .state = STATE_DUAL},
    [ASK_SEQUENCE] = { /* Lemma C6 */
        .words = {.name = "sequence",
                  .meaning = "how far a block of rows pulls the weights",
                  .noise_adds_up = 1},
        .form = FORM_VECTOR, .special = of_sequence, .draws = DRAWS_WIDTH,
        .rows = ROWS_BLOCK, .state = STATE_DUAL, .block = BLOCK_ROWS},
    [ASK_PRIMAL] = { /* Lemma C7 */
        .words = {.name = "primal",
                  .meaning = "how far some weights should go",
                  .noise_adds_up = 1},
        .form = FORM_VECTOR, .special = of_primal, .draws = DRAWS_WIDTH,
        .block = BLOCK_COORDINATES},
    [ASK_ROW_COUNTS] = { /* Lemma C13 */
        .by_ranks = 1,
        .words = {.name = "row sizes",
                  .meaning = "how many rows are how large"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_DIAGONAL,
        .draws = DRAWS_EDGES, .any_classes = 1, .by_rows = 1},
    [ASK_TARGET_COUNTS] = { /* Lemma C13 */
        .by_ranks = 1,
        .words = {.name = "target sizes",
                  .meaning = "how many targets are how large"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_DIAGONAL,
        .draws = DRAWS_EDGES, .without_columns = 1},
    [ASK_COLUMN_COUNTS] = { /* Lemma C13 */
        .by_ranks = 1,
        .words = {.name = "column sizes",
                  .meaning = "how many values of each feature are how large"},
        .form = FORM_VECTOR, .parts = PARTS_ASKED,
        .replaced = REPLACED_DIAGONAL, .draws = DRAWS_WIDTH_EDGES,
        .any_classes = 1, .by_rows = 1},
    [ASK_ROW_QUANTILE] = { /* Lemma C14 */
        .by_ranks = 1,
        .words = {.name = "row quantile", .meaning = "how large most rows are"},
        .form = FORM_CHOICE, .parts = PARTS_ONE, .replaced = REPLACED_ONCE,
        .draws = DRAWS_ONE, .any_classes = 1, .by_rows = 1},
    [ASK_TARGET_QUANTILE] = { /* Lemma C14 */
        .by_ranks = 1,
        .words = {.name = "target quantile",
                  .meaning = "how far most targets are from their middle"},
        .form = FORM_CHOICE, .parts = PARTS_ONE, .replaced = REPLACED_ONCE,
        .draws = DRAWS_ONE, .without_columns = 1},
    [ASK_TARGET_MEAN] = { /* Lemma C13 */
        .by_ranks = 1,
        .words = {.name = "target mean", .meaning = "the mean of the target"},
        .form = FORM_NUMBER, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_ONE, .without_columns = 1},
    [ASK_COLUMN_MEANS] = { /* Lemma C13 */
        .by_ranks = 1,
        .words = {.name = "column means",
                  .meaning = "the mean of each feature"},
        .form = FORM_VECTOR, .parts = PARTS_ASKED, .replaced = REPLACED_TWICE,
        .draws = DRAWS_WIDTH, .any_classes = 1, .by_rows = 1},
    [ASK_COLUMN_SQUARES] = { /* Lemma C13 */
        .by_ranks = 1,
        .words = {.name = "column squares",
                  .meaning = "the spread of each feature"},
        .form = FORM_VECTOR, .parts = PARTS_ASKED, .replaced = REPLACED_ONCE,
        .draws = DRAWS_WIDTH, .any_classes = 1, .by_rows = 1},
    [ASK_MATRIX] = { /* Lemma C17 */
        .by_ranks = 1,
        .words = {.name = "second-moment matrix",
                  .meaning = "how features go together"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_MATRIX,
        .draws = DRAWS_MATRIX, .any_classes = 1, .without_columns = 1},
    [ASK_CROSS] = { /* Lemma C18 */
        .by_ranks = 1,
        .words = {.name = "cross moments",
                  .meaning = "how features go together, and with the target"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_CROSS,
        .draws = DRAWS_CROSS, .without_columns = 1},
    [ASK_CURVATURE] = { /* Lemma C24 */
        .by_ranks = 1,
        .words = {.name = "curvature matrix",
                  .meaning = "how sharply the loss bends, in all directions"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_MATRIX,
        .draws = DRAWS_MATRIX, .without_columns = 1},
    [ASK_WHITENED] = { /* Lemma C17 */
        .by_ranks = 1,
        .words = {.name = "whitened gradient",
                  .meaning = "which way all weights should move, in "
                             "directions that do not overlap"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_WIDTH, .without_columns = 1},
    [ASK_LENGTHS] = { /* Lemma C17 */
        .by_ranks = 1,
        .words = {.name = "gradient lengths",
                  .meaning = "how far single rows pull, on average"},
        .form = FORM_VECTOR, .parts = PARTS_TWO, .replaced = REPLACED_ONCE,
        .draws = DRAWS_TWO, .any_classes = 1, .without_columns = 1},
    [ASK_LENGTH_COUNTS] = { /* Lemma C25 */
        .by_ranks = 1,
        .words = {.name = "sizes of gradients",
                  .meaning = "how many rows pull how far"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_DIAGONAL,
        .draws = DRAWS_EDGES, .any_classes = 1, .without_columns = 1},
    [ASK_CHANGE] = { /* Lemma C17 */
        .by_ranks = 1,
        .words = {.name = "change of the loss",
                  .meaning = "whether the model is better than none"},
        .form = FORM_NUMBER, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_ONE, .any_classes = 1, .without_columns = 1},
    [ASK_MINIMISER] = { /* Lemma C20 */
        .words = {.name = "minimiser",
                  .meaning = "which weights fit best, all told"},
        .form = FORM_VECTOR, .special = of_minimiser, .draws = DRAWS_WIDTH,
        .tolerance = 0x1p-12},
    [ASK_PERTURBED] = { /* Lemma C22 */
        .words = {.name = "perturbed minimiser",
                  .meaning = "which weights fit best, where chance has a say "
                             "in what fits",
                  .mechanism = "Gaussian, in the objective and "
                               "on its minimiser",
                  .by_price = 1},
        .form = FORM_VECTOR, .special = of_perturbed, .draws = DRAWS_TWO_WIDTHS,
        .tolerance = 0x1p-16, .perturbs = 1},
    [ASK_LATER] = { /* Lemma C19 */
        .by_ranks = 1,
        .words = {.name = "chosen from answers",
                  .meaning = "questions chosen as it went, within a budget "
                             "that was fixed beforehand",
                  .by_price = 1},
        .form = FORM_BUDGET, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_LATER, .any_classes = 1, .without_columns = 1},
    [ASK_VERTEX] = { /* Lemma C11 */
        .by_ranks = 1,
        .words = {.name = "vertex",
                  .meaning = "which weight is most worth moving, and which "
                             "way",
                  .picks_weight = 1},
        .form = FORM_CHOICE, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_TWO_WIDTHS, .noisy_draws = DRAWS_TWO_WIDTHS},
    [ASK_LABELS] = { /* Lemma P1 */
        .words = {.name = "labels", .meaning = "a sketch of the targets"},
        .form = FORM_VECTOR, .special = of_sketch, .draws = DRAWS_BUCKETS,
        .sketch = 1, .block = BLOCK_BUCKETS},
    [ASK_SKETCH] = { /* Lemma P1 */
        .words = {.name = "sketch", .meaning = "a sketch of one column"},
        .form = FORM_VECTOR, .special = of_sketch, .draws = DRAWS_BUCKETS,
        .sketch = 1, .block = BLOCK_BUCKETS},
    [ASK_ALONG] = { /* Lemma P2 */
        .words = {.name = "sketched vertex",
                  .meaning = "which column to go along, and which way"},
        .form = FORM_CHOICE, .special = of_along, .draws = DRAWS_ONE,
        .sketch = 1, .noisy_draws = DRAWS_TWO_WIDTHS},
    [ASK_CLASS_COUNTS] = { /* Lemma C26 */
        .by_ranks = 1,
        .words = {.name = "class counts",
                  .meaning = "how many rows each class has"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_DIAGONAL,
        .draws = DRAWS_CLASSES, .block = BLOCK_CLASSES, .any_classes = 1,
        .without_columns = 1},
    [ASK_CLASS_GRADIENT] = { /* Lemma C26 */
        .by_ranks = 1,
        .words = {.name = "gradient of classes",
                  .meaning = "which way the weights of all classes should "
                             "move, in directions that do not overlap"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_WIDTH_CLASSES, .block = BLOCK_CLASSES,
        .any_classes = 1, .without_columns = 1},
    [ASK_LEVELS] = {
        .words = {.name = "levels",
                  .meaning = "which levels many people have"},
        .form = FORM_LEVELS, /* Lemma C27 */ .special = levels_sensitivity,
        .draws = DRAWS_TOUCHED, .block = BLOCK_COUNTS, .any_classes = 1},
    [ASK_CLASS_BEND] = { /* Lemma C26 */
        .by_ranks = 1,
        .words = {.name = "curvature of classes",
                  .meaning = "how sharply the loss bends, on average"},
        .form = FORM_VECTOR, .parts = PARTS_TWO, .replaced = REPLACED_ONCE,
        .draws = DRAWS_TWO, .block = BLOCK_CLASSES, .any_classes = 1,
        .without_columns = 1},
    [ASK_CLASS_CHOICE] = { /* Lemma C28 */
        .by_ranks = 1,
        .words = {.name = "choice of classes",
                  .meaning = "which feature most deserves other weights, in "
                             "all classes together",
                  .picks_weight = 1},
        .form = FORM_CHOICE, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_ONE, .block = BLOCK_CLASSES, .any_classes = 1},
    [ASK_CLASS_PARTIAL] = { /* Lemma C28 */
        .by_ranks = 1,
        .words = {.name = "partial of classes",
                  .meaning = "which way, and how steeply, one feature's "
                             "weights of all classes should move"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_TWICE,
        .draws = DRAWS_CLASSES, .block = BLOCK_CLASSES, .any_classes = 1},
    [ASK_OUTCOMES] = { /* Lemma C31 */
        .by_ranks = 1,
        .words = {.name = "outcomes",
                  .meaning = "how many rows get which score, or error, from "
                             "the model"},
        .form = FORM_VECTOR, .parts = PARTS_ONE, .replaced = REPLACED_DIAGONAL,
        .draws = DRAWS_CELLS, .block = BLOCK_CELLS},
    [ASK_ERRORS] = { /* Lemma C31 */
        .by_ranks = 1,
        .words = {.name = "errors",
                  .meaning = "how wrong the model is, on average"},
        .form = FORM_VECTOR, .parts = PARTS_ASKED, .replaced = REPLACED_TWICE,
        .draws = DRAWS_CELLS, .block = BLOCK_CELLS},
};
/* clang-format on */

const question_row *question_of(ask_kind kind)
{
    static const question_row none = {.words = {.name = "no question"}};
    return (size_t)kind < ASK_KINDS ? &questions[kind] : &none;
}

int question_walks(ask_kind kind)
{
    return question_of(kind)->without_columns || question_of(kind)->by_rows;
}

const char *ask_name(ask_kind kind)
{
    return question_of(kind)->words.name;
}

const ask_words *ask_words_named(const char *name)
{
    for (size_t i = 0; i < ASK_KINDS; i++)
        if (!strcmp(questions[i].words.name, name))
            return &questions[i].words;
    return NULL;
}

/* ---- sensitivity ---- */

static double part_count(const question_row *q, double asked, double features)
{
    switch (q->parts) {
    case PARTS_UNKNOWN:
        break;
    case PARTS_ONE:
        return 1;
    case PARTS_TWO:
        return 2;
    case PARTS_FEATURES:
        return features;
    case PARTS_ASKED:
        return asked;
    }
    return INFINITY;
}

/* How far a replaced record moves a sum, in lengths of what one adds. */
static double replace_one_factor(const question_row *q, double asked)
{
    switch (q->replaced) {
    case REPLACED_TWICE:
        break;
    case REPLACED_ONCE:
        return 1;
    case REPLACED_DIAGONAL:
        return sqrt(2);
    case REPLACED_MATRIX: /* and what cutting to integers takes off the angle */
        return sqrt(2) * (1 + (asked + 3) / KERNEL_CLIP);
    case REPLACED_CROSS:
        return sqrt(2) * (1 + (asked + 4) / KERNEL_CLIP);
    }
    return 2;
}

/* Of a sample it is what one person adds, for replace-one too: the accountant
   knows that another one may be there instead (Lemmas A21, C23). */
double gate_sensitivity(const curator_policy *policy, const ask_item *item,
                        int64_t features)
{
    const question_row *q = question_of(item->kind);
    if (q->special)
        return q->special(policy, item, features);
    double asked = (double)(item->block ? item->block : features);
    double sensitivity = KERNEL_CLIP * (double)policy->rows_per_person;
    double parts = part_count(q, asked, (double)features), times = 1;
    if (is_replace_one(policy) && item->noise != ASK_SAMPLED)
        times = replace_one_factor(q, asked);
    if (parts > 1)
        sensitivity *= sqrt(parts) * (1 + 0x1p-50);
    if (times > 1 && times < 2)
        times *= 1 + 0x1p-50;
    return sensitivity * times;
}
