/*
 * The curator's own header: what it holds, and its gate.
 */
#ifndef SOTTO_CURATOR_INSIDE_H
#define SOTTO_CURATOR_INSIDE_H

#include "curator.h"
#include "data.h"
#include "noise.h"

/* Where a plan is: the next question is not before this one. Items that are
   asked in turn are a group; most groups are one item. */
typedef struct gate_place {
    int item;      /* within its group */
    int64_t round; /* of the group */
} gate_place;

struct curator {
    curator_policy policy;
    ask_plan plan;
    gate_place place; /* how far the plan is carried out */
    int64_t asked[ASK_KINDS];

    sotto_table *table;
    const kernel *kernel;
    kernel_pool *pool;
    kernel_rows rows;
    float *memory; /* margins, weights, the intercept's column */
    size_t memory_bytes;
    float *weight; /* NULL: every row counts 1 */
    float *ones;   /* y for classes, else 1; 0 where there is no row */
    float *slope;  /* scratch */

    /* frequent columns of a sparse table, written out: faster, and the same
       sums; NULL for the others, and frequent is NULL where there is none */
    const float **frequent;
    float *written;
    size_t written_bytes;

    double *clip;  /* features and intercept; 0: not told yet */
    float *factor; /* KERNEL_CLIP / clip */
    double total;  /* what sums are divided by; 0: not known yet */

    /* told, but not done yet: it is done with the next question */
    int64_t moved;
    float by;

    /* rows as told coordinates: `width` floats for each, and the square of
       their length; NULL: none told */
    float *kept;
    double *square;
    size_t kept_bytes, square_bytes;
    int64_t width;
    int mapped;

    noise_stream *noise;
};

/* Makes the columns fit for the kernel; 0: out of memory. */
int columns_make(curator *c);

/* Column j, the intercept's behind the features. */
kernel_column columns_get(const curator *c, int64_t j);

void columns_free(curator *c);

/* Feature j of every row, as it is in the file: not folded. */
void columns_write(const curator *c, int64_t j, float *out);

/* What row i weighs, as a part of the largest weight: from 0 to 1. */
double row_share(const curator *c, int64_t i);

/* Numbers that may be told: then no square of a product with a float over- or
   underflows in double. */
int is_moderate(double x);

void frame_free(curator *c);

/* Records do not belong into a core dump. */
void keep_out_of_dumps(void *memory, size_t bytes);

/* Does what was told and waits for the next question. */
void curator_catch_up(curator *c);

/* One question: how the exact integers are summed. How much one person can
   change them is the gate's business. */
typedef struct gate_question {
    ask_kind kind;
    size_t answers;
    void (*sum)(curator *c, const void *what, int64_t *out);
    const void *what;
} gate_question;

/*
 * The gate: check, charge, sum, noise, release. Over the plan: SOTTO_BUDGET,
 * and no record was looked at. *noise is the sd of what was added.
 */
sotto_status gate_release(curator *c, const gate_question *q, int64_t *out,
                          double *noise, sotto_error *error);

/*
 * For runs that are NOT PRIVATE and told an infinite clip: a sum as it is,
 * neither clipped nor put on the grid. Refused where noise was planned.
 */
sotto_status gate_release_unclipped(curator *c, ask_kind kind,
                                    double (*sum)(curator *c, const void *what),
                                    const void *what, double *out,
                                    sotto_error *error);

/* How much all rows of one person can change the sums of a question: their
   Euclidean length, in integers. */
double gate_sensitivity(const curator_policy *policy, ask_kind kind,
                        int64_t features);

/* The items that are asked in turn with item i: from *first, so many. */
int gate_group(const ask_plan *plan, int i, int *first);

#endif
