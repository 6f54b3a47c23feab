/*
 * The curator's own header: what it holds, and its gate.
 */
#ifndef SOTTO_CURATOR_INTERNAL_H
#define SOTTO_CURATOR_INTERNAL_H

#include "curator.h"
#include "data.h"
#include "mechanisms.h"
#include "noise.h"
#include "questions.h"
#include "sketch.h"

/* Where a plan is: the next question is not before this one. Items that are
   asked in turn are a group; most groups are one item. */
typedef struct gate_place {
    int item;      /* within its group */
    int64_t round; /* of the group */
} gate_place;

/* Who is in the question that is being answered. */
typedef struct batch {
    uint32_t *row; /* the rows, in no particular order */
    int64_t count; /* a secret, like the rows */

    int64_t people;
    int64_t *start;   /* where rows say whose they are: person k's rows */
    uint32_t *row_of; /* are row_of[start[k] .. start[k + 1]) */
    uint32_t *picked; /* scratch: people */
    void *memory;     /* all of these */
    size_t bytes;
    noise_stream *coins;
} batch;

/* A few rows of a batch, side by side as the kernel takes them. */
typedef struct gathered {
    float *x;   /* of dense tables: each column's values */
    float *all; /* a dense table row after row, for small batches; or NULL */
    size_t all_bytes;
    float *row[5]; /* margin, weight, ones, origin, reach */
    const float **value;
    void *memory;
    size_t bytes;
} gathered;

/* A row's dual variable, and what its steps need of the row. */
typedef struct dual_row {
    double alpha;  /* hidden: no answer has it */
    double target; /* a number; -1 or +1 for classes, whose rows are folded */
    double weight; /* 0: the row counts for nothing */
    double norm, fits;
} dual_row;

typedef struct dual {
    dual_row *row;
    float *x; /* of dense tables: row after row */
    void *memory;
    size_t bytes;
} dual;

/* A party's columns as integers: what sketches and scores are made of. */
typedef struct sketches {
    int16_t *column; /* one after the other, each of `stride` rows */
    int16_t *label;
    double *target; /* where labels are known */
    int16_t *along; /* scratch: e_i of all rows */
    double *value;  /* scratch: one column as it is stored */
    void *memory;   /* all of these */
    size_t bytes;
    int64_t stride, columns;
    int64_t *place; /* public: 2 bucket + (sign < 0) of each row */
    int64_t *score; /* scratch: those that compete */
    size_t score_bytes;
} sketches;

struct curator {
    curator_policy policy;
    ask_plan plan;
    gate_place place; /* how far the plan is carried out */
    int64_t asked[ASK_KINDS];
    double later_draws; /* of what was told to be asked out of ASK_LATER */
    ask_item *told;     /* all of that, for the statement */
    int64_t told_items;

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

    float *origin;       /* margins where all weights are 0 */
    float *at;           /* the iterate; features and intercept */
    float *anchor;       /* where it once was; NULL: none was told */
    int margins_stale;   /* the margins are not those of `at` yet */
    float *reach;        /* of the rows, as kernel_ball has it, for `scale` */
    float *scale;        /* of the last gradient; 0: there was none */
    const float **value; /* a dense table's columns */

    float *factor; /* KERNEL_CLIP / clip, of features and the intercept; 0:
                      an infinite clip */
    int clips_told;
    double total;        /* what sums are divided by; 0: not known yet */
    double answer_noise; /* sd of the last answer's, in its units; public */

    /* told, but not done yet: it is done with the next question */
    int64_t pending;
    float pending_by;

    struct choice *choice; /* NULL: no scores were told */

    /* rows as told coordinates: `width` floats for each, and the square of
       their length; NULL: none told */
    float *kept;
    double *square;
    size_t kept_bytes, square_bytes;
    int64_t width;
    int mapped;
    int with_target; /* it is the last of them */

    noise_stream *noise;
    noise_stream *choices;  /* of selections: independent of releases */
    noise_buckets *buckets; /* of many scores; NULL: not yet, or few */
    int64_t *copied;        /* scores side by side; NULL: not yet */
    size_t copied_bytes;
    double bucket_rate;
    int bucket_shift;
    batch batch;       /* where the plan has questions about some rows only */
    gathered gathered; /* where it has ASK_BATCH */
    dual dual;         /* where it has ASK_DUAL */
    sketches sketches; /* where the policy has buckets */
};

/* ---- dual.c ---- */

sotto_status dual_make(curator *c, sotto_error *error);
void dual_free(curator *c);

/* ---- sketch.c ---- */

sotto_status sketch_check(const sotto_table *t, const curator_policy *policy,
                          const ask_plan *plan, sotto_error *error);
sotto_status sketch_make(curator *c, sotto_error *error);
void sketch_free(curator *c);

/* Keys the streams of an insecure seed for this round; others go on. */
sotto_status curator_key_noise(curator *c, uint64_t round, sotto_error *error);

/* ---- batch.c ---- */

sotto_status batch_make(curator *c, sotto_error *error);

/*
 * Throws everybody's coin of this rate, which must be one that coins can have
 * (noise_coin_rate), and lists the rows of those for whom it shows 1. All of
 * them where it is 1.
 */
sotto_status batch_draw(curator *c, double rate, sotto_error *error);

/* The rows of a public block. */
void batch_block(curator *c, int64_t which, int64_t size);

void batch_free(curator *c);

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
static inline int is_moderate(double x)
{
    return x >= 0x1p-100 && x <= 0x1p100;
}

/* Integers of at most KERNEL_CLIP are summed in 32 bits for so many rows. */
enum { FRAME_BLOCK = 512 };

void frame_free(curator *c);

/* Records do not belong into a core dump. */
void keep_out_of_dumps(void *memory, size_t bytes);

/* Zeros for what depends on records: no dump has them, and they are wiped
   when they are given back. NULL: out of memory. */
void *secret_take(size_t bytes);
void secret_give(void *memory, size_t bytes);

/* Does what was told and waits for the next question. */
void curator_catch_up(curator *c);

/* ---- choice.c ---- */

/* Coordinates j[n] move by d[n], one after the other: margins, and what
   follows from them. */
void choice_move(curator *c, const int64_t *j, const double *d, int64_t count);

/* The slopes are about to be written over: sums are not followed from what
   will stand there. */
void choice_forget_sums(curator *c);
void choice_free(curator *c);

/* ---- gate.c ---- */
/* ---- gradient.c ---- */

/* The rows as the kernel takes them for a whole gradient. */
kernel_ball gradient_ball(const curator *c);

/* ---- sampled.c ---- */

sotto_status sampled_make(curator *c, sotto_error *error);
void sampled_free(curator *c);

/* Adds the integers of the rows in the batch; with an anchor, those of
   differences. */
void sampled_sum(curator *c, const float *anchor, float factor, int64_t *out);

/* One question: how the exact integers are summed. How much one person can
   change them is the gate's business. */
typedef struct gate_question {
    ask_kind kind;
    size_t answers;
    void (*sum)(curator *c, const void *what, int64_t *out);
    const void *what;
    int64_t features;         /* that it is about, where a plan says how many */
    int64_t *objective_noise; /* of ASK_PERTURBED: as many as answers; the gate
                                 draws it before it calls the sum */
    double curvature_change;  /* of ASK_PERTURBED: by how much one record can
                                 change the logarithm of the determinant of
                                 the objective's curvature */
} gate_question;

/*
 * The gate: check, charge, sum, noise, release. Over the plan: SOTTO_BUDGET,
 * and no record was looked at. *noise is the sd of what was added.
 */
sotto_status gate_release(curator *c, const gate_question *q, int64_t *out,
                          double *noise, sotto_error *error);

/*
 * The same for a choice: check, charge, scores, noise, the winner's number.
 * One person changes each score by at most gate_sensitivity.
 */
typedef struct gate_contest {
    ask_kind kind;
    size_t count, stride; /* scores are that far apart */
    const int64_t *(*scores)(curator *c, const void *what);
    const void *what;
    int kept; /* changes of scores are told, from one choice to the next */
} gate_contest;

sotto_status gate_choose(curator *c, const gate_contest *q, int64_t *winner,
                         sotto_error *error);

/* Charges a question of this kind, and answers nothing. */
sotto_status gate_spend(curator *c, ask_kind kind, sotto_error *error);

/* For the next choice: any scores may have changed, or this one has. */
void gate_scores_changed(curator *c);
static inline void gate_score_changed(curator *c, size_t j, int64_t from,
                                      int64_t to)
{
    if (c->buckets && noise_buckets_differ(c->bucket_shift, from, to))
        noise_buckets_move(c->buckets, j, from, to);
}

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
double gate_sensitivity(const curator_policy *policy, const ask_item *item,
                        int64_t features);

/*
 * Of ASK_PERTURBED: the noise multiplier of objective noise is 1 over this,
 * where one record can change the logarithm of the curvature's determinant by
 * `curvature_change`; 0 or less: no noise would do. Rounded down.
 */
double objective_noise_level(const curator_policy *policy, const ask_item *item,
                             double curvature_change);

/* What noise is made for: the level, or the range that is within it. */
double gate_drawn_level(const ask_item *item);

/* Whether the samplers can draw noise of this level. */
int gate_can_draw(const ask_item *item, double sensitivity);
/* The items that are asked in turn with item i: from *first, so many. */
int gate_group(const ask_plan *plan, int i, int *first);

#endif
