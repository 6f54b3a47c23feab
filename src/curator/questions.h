/*
 * What the curator knows of each kind of question: the row of the table in
 * questions.c.
 */
#ifndef SOTTO_CURATOR_QUESTIONS_H
#define SOTTO_CURATOR_QUESTIONS_H

#include "curator.h"

/* What an answer is. */
typedef enum question_form {
    FORM_NONE,   /* there is no such question: no noise protects it */
    FORM_NUMBER, /* one integer */
    FORM_VECTOR, /* several; their sensitivity is a Euclidean length */
    FORM_CHOICE, /* the place of a winner */
    FORM_BUDGET, /* questions of their own, which are told later */
    FORM_LEVELS  /* counts, as many as the records have levels */
} question_form;

/* How many vectors of length KERNEL_CLIP a record adds, at right angles to
   each other. */
typedef enum question_parts {
    PARTS_UNKNOWN,
    PARTS_ONE,
    PARTS_TWO,
    PARTS_FEATURES, /* one for each feature */
    PARTS_ASKED     /* for each that is asked about: the item's block */
} question_parts;

/* How far a replaced record moves the sum, in lengths of what one adds. */
typedef enum question_replaced {
    REPLACED_TWICE,
    REPLACED_ONCE,     /* every entry is from 0 up to that length by itself */
    REPLACED_DIAGONAL, /* what two records add meets at a right angle at most */
    REPLACED_MATRIX,   /* the same, but for the rounding of a matrix */
    REPLACED_CROSS     /* of one with the target */
} question_replaced;

/* How many values of noise, or a few more. The width of a table is its
   features and the intercept. */
typedef enum question_draws {
    DRAWS_UNKNOWN,
    DRAWS_ONE,
    DRAWS_TWO,
    DRAWS_WIDTH,
    DRAWS_COINS, /* the width, and the coins of a batch */
    DRAWS_TWO_WIDTHS,
    DRAWS_EDGES,       /* all that a question can have */
    DRAWS_WIDTH_EDGES, /* for each feature */
    DRAWS_MATRIX,
    DRAWS_CROSS,
    DRAWS_BUCKETS,
    DRAWS_CLASSES,
    DRAWS_WIDTH_CLASSES, /* for each class */
    DRAWS_CELLS,         /* the item's block */
    DRAWS_TOUCHED,       /* of the counts that two persons can be in */
    DRAWS_LATER
} question_draws;

/* Which rows an answer is a sum over. */
typedef enum question_rows {
    ROWS_ALL,
    ROWS_SAMPLED, /* of those whose coin shows 1, or of all */
    ROWS_BLOCK    /* of a public block; blocks take turns */
} question_rows;

/* What is made of the rows when a plan has such a question. */
typedef enum question_state {
    STATE_NONE,
    STATE_GATHERED,
    STATE_DUAL
} question_state;

/* What ask_item.block is a number of. */
typedef enum question_block {
    BLOCK_FEATURES, /* that are asked about at once; 0: all */
    BLOCK_ROWS,
    BLOCK_COORDINATES,
    BLOCK_BUCKETS,
    BLOCK_CLASSES,
    BLOCK_CELLS, /* or values, that are asked for at once */
    BLOCK_COUNTS
} question_block;

typedef struct question_row {
    ask_words words;
    question_form form;
    question_parts parts;
    question_replaced replaced;
    /* instead of parts, where they do not tell; NULL: they do */
    double (*special)(const curator_policy *policy, const ask_item *item,
                      int64_t features);
    question_draws draws;
    question_draws noisy_draws; /* of ASK_NOISY: one for each score */
    question_rows rows;
    question_state state;
    question_block block;
    int sketch;          /* of curators with buckets, which have no others */
    int any_classes;     /* it makes sense of more than two classes */
    int without_columns; /* it can be answered when a frame was told */
    int by_rows;  /* of others: it walks through rows, never along a column, so
                     that they may be on a disk */
    int by_ranks; /* a sum over rows, which may be at several ranks */
    double tolerance; /* of minimisers: how much of what one record can add to a
                       gradient may be left of it at one; 0: it is none */
    int perturbs;     /* noise goes into the sum, as a part of the objective */
} question_row;

/* Of ASK_LEVELS (levels.c). */
double levels_sensitivity(const curator_policy *policy, const ask_item *item,
                          int64_t features);

/* The row of a kind; of what is no kind, one that nothing protects. */
const question_row *question_of(ask_kind kind);

/* The part of a perturbed minimiser's mu^2 that pays for its last noise is
   the square of this. */
#define PERTURBED_LAST .125

#endif
