/*
 * What the files of choices share: the sums of all coordinates, which follow
 * the iterate, and what they are worth.
 */
#ifndef SOTTO_CURATOR_CHOICE_H
#define SOTTO_CURATOR_CHOICE_H

#include "internal.h"

/* What is known of a coordinate, besides its sum. */
typedef struct choice_cell {
    int64_t score;
    int64_t low, high; /* the penalty's subgradients at its weight */
} choice_cell;

struct choice {
    ask_rule rule;
    double l1, l2, low, high;
    double *smoothness; /* of GS_R and GS_Q */
    int64_t cells, features;
    int64_t *sum;
    int64_t *scored; /* the sums that scores are of: `sum`, or */
    int64_t *all;    /* where ranks share the rows, those over all ranks */
    int64_t *sent;   /* and those that were sent last; NULL: others are sent */
    choice_cell *cell;
    size_t sum_bytes, cell_bytes;
    float *own;          /* factors for choices, where they are not those */
    const float *factor; /* of releases: KERNEL_CLIP / clip */

    /* the weights that are not 0: coordinate j's is weight[mark[j] - 1] */
    uint32_t *mark;
    double *weight;
    uint32_t weights, room;

    double total; /* what sums are divided by: public */
    double unit;  /* the total that penalties are counted in */
    int distance; /* the rule is UNTRUNCATED or GS_S */
    int fresh;    /* what has moved, and the intercept, is not chosen */
    int boxed;
    int sloped;  /* the curator's slopes are those of the margins */
    int counted; /* and the sums are those of the slopes */
    int failed;  /* out of memory: no more choices */

    float *part; /* x_ij f_j, as the entries by row are; NULL: dense */
    size_t part_bytes;
    int32_t *change; /* scratch, for one row */
    float *slope;    /* scratch, for the rows of one column */
    size_t change_bytes, slope_bytes;
    int64_t *vertex; /* scores of vertices; NULL: none are planned */
    size_t vertex_bytes;
};

typedef struct choice choice;

/* The same with more than two classes (class_choice.c). */
struct class_choice {
    float *margin, *slope; /* rows x classes */
    double *reach;         /* rows */
    double *one;           /* scratch, for one record: margins, slopes */
    int64_t *score;        /* features */
    int64_t *own, *sent;   /* where ranks share the rows: sums of all features,
                              by classes; of those here, which were sent last, */
    int64_t *all;          /* and of all ranks, at the root */
    int64_t *sum;          /* scratch: of one feature, by classes, */
    int32_t *part;         /* and of a block of its rows */
    void *memory;          /* of all of these */
    size_t bytes;
    double *factor; /* B / clip, of each feature; public, as is */
    int *moved;     /* which features were told to move */
    int sloped;     /* the slopes are those of the margins */
};

typedef struct class_choice class_choice;

/* Whether a question can be put: scores were told, and memory has lasted. The
   unit of all penalties becomes the present one. */
sotto_status choice_ready(curator *c, sotto_error *error);

/* Counts all sums from the curator's slopes. */
void choice_sums(curator *c);

/* Makes the sums those of the present slopes: all, or where these are few,
   these alone. Either way they have the same bits. */
void choice_count(curator *c, const int64_t *some, int64_t count);

/* Coordinate j's sum with the derivative of the L2 penalty; as far as its own
   sum may go. */
int64_t choice_slope(const choice *k, int64_t j);

#endif
