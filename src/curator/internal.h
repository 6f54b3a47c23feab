/*
 * The curator's own header: what a curator holds, and its gate.
 */
#ifndef SOTTO_CURATOR_INTERNAL_H
#define SOTTO_CURATOR_INTERNAL_H

#include "curator.h"
#include "data.h"
#include "mechanisms.h"
#include "noise.h"
#include "questions.h"
#include "ranks.h"
#include "sketch.h"

#include <stdatomic.h>

/* How far a plan was carried out: the next question is not before this place.
   Items that are asked in turn are a group. Most groups are one item. */
typedef struct gate_place {
    int item;      /* within its group */
    int64_t round; /* of the group */
} gate_place;

/* The rows of the question that is being answered. */
typedef struct batch {
    uint32_t *row; /* the rows, in no particular order */
    int64_t count; /* a secret, like the rows */

    int64_t people;
    /* If rows say whose they are, person k has the rows
       row_of[start[k] .. start[k + 1]). */
    int64_t *start;
    uint32_t *row_of;
    uint32_t *picked; /* scratch: people */
    void *memory;     /* of all of these */
    size_t bytes;
    noise_stream *coins; /* NULL: the root throws them */
    uint32_t *drawn;     /* of all ranks' people; NULL: there are no others */
    uint32_t *by_number; /* people of this rank, by their number among all */
    void *drawn_memory;  /* of both */
    size_t drawn_bytes;
} batch;

/* Rows that are gathered at once, at most. */
enum { GATHERED_MOST = 512 };

/* What of a row stands beside its values. */
enum { OF_MARGIN, OF_WEIGHT, OF_ONES, OF_ORIGIN, OF_REACH, OF_ALL };

/* A few rows of a batch, side by side as the kernel takes them: what one
   thread works on. */
typedef struct gathered_room {
    float *x; /* of dense tables: the values of each column */
    float *row[OF_ALL];
    const float **value;
    atomic_flag taken;
} gathered_room;

typedef struct gathered {
    float *all; /* a copy of a dense table by rows; NULL: none is needed */
    size_t all_bytes;
    gathered_room *room; /* one for each thread */
    int rooms;
    int64_t rows, stride; /* of a room: rows, and floats of a column */
    const float **value;
    void *memory;
    size_t bytes;
} gathered;

/* A row's dual variable, and what its steps need of the row. */
typedef struct dual_row {
    double alpha;  /* hidden: it is in no answer */
    double target; /* a number; -1 or +1 for classes, whose rows are folded */
    double weight; /* 0: the row does not count */
    double norm;   /* the length of the row */
    double fits;   /* what makes the row no longer than the declared norm */
} dual_row;

typedef struct dual {
    dual_row *row;
    void *memory;
    size_t bytes;
} dual;

/* A party's columns as integers: what sketches and scores are made of. */
typedef struct sketches {
    int16_t *column; /* one after the other, each of `stride` rows */
    int16_t *label;
    double *target; /* if labels are known */
    int16_t *along; /* scratch: e_i of all rows */
    double *value;  /* scratch: one column as it is stored */
    void *memory;   /* of all of these */
    size_t bytes;
    int64_t stride, columns;
    int64_t *place; /* public: 2 bucket + (sign < 0) of each row */
    int64_t *score; /* scratch */
    size_t score_bytes;
} sketches;

struct curator {
    curator_policy policy;
    ask_plan plan;
    gate_place place; /* how far the plan was carried out */
    int64_t asked[ASK_KINDS];
    int64_t widest;     /* features for which draws were charged */
    double later_draws; /* of questions that ASK_LATER pays for */
    ask_item *told;     /* these questions, for the statement */
    int64_t told_items;

    sotto_table *table;
    sotto_ranks *ranks; /* that have the other rows; NULL: there are none */
    struct level_list *released; /* by column; NULL: none was asked for */
    const kernel *kernel;
    kernel_pool *pool;
    kernel_rows rows;
    float *memory; /* of margins, weights, slopes and so on below */
    size_t memory_bytes;
    float *weight; /* NULL: every row counts 1 */
    float *ones;   /* y for classes, else 1; 0 where there is no row */
    float *slope;  /* scratch */

    /* Frequent columns of a sparse table are written out, which is faster and
       makes the same sums. frequent[j] is NULL for other columns, and
       frequent is NULL if there are none. */
    const float **frequent;
    float *written;
    size_t written_bytes;

    float *origin;       /* margins where all weights are 0 */
    float *at;           /* the iterate; features and intercept */
    float *anchor;       /* NULL: none was told */
    int margins_stale;   /* the margins are not those of the iterate yet */
    float *reach;        /* of the rows, as of kernel_ball, for `scale` */
    float *scale;        /* of the last gradient; 0: there was none */
    const float **value; /* the columns of a dense table */

    float *factor; /* KERNEL_CLIP / clip, of features and the intercept; 0:
                      an infinite clip */
    int clips_told;
    double total; /* what sums are divided by; 0: not known yet */
    double total_mean, total_precision; /* of all answers about it */
    double answer_noise; /* the sd in the last answer, in its units; public */

    /* A move that was told and waits for the next question: the kernel then
       does both in one pass over the rows. */
    int64_t pending;
    float pending_by;

    struct choice *choice; /* NULL: no scores were told */

    /* The rows in told coordinates, in tiles as kernel_kept has them, and their
       lengths. NULL: no frame was told. */
    float *kept;
    float *length;
    size_t kept_bytes, length_bytes;
    int64_t width;
    int with_target; /* as the last coordinate */
    float *map;      /* that was told and waits for the next pass; NULL: none */
    float *point;    /* that was told; NULL: none */
    int at_point;    /* the margins are those of the point */
    float *class_at; /* the weights of all classes there: `width` times as many
                        as there are classes. NULL: none were told */

    struct class_choice *class_choice; /* NULL: none was told */

    struct windows *windows; /* of columns on a disk; NULL: in memory */

    curator_tape *tape;     /* of an audit; NULL: there is none */
    noise_stream *noise;    /* NULL: the root draws it; so it is with */
    noise_stream *choices;  /* a stream of its own, independent of releases */
    noise_buckets *buckets; /* of many scores; NULL: not yet, or few scores */
    int64_t *copied;        /* scores side by side; NULL: not yet */
    size_t copied_bytes;
    double bucket_rate;
    int bucket_shift;
    batch batch;       /* if the plan has questions about some rows only */
    gathered gathered; /* if it has gradients of batches, or dual steps */
    dual dual;         /* if it has dual steps */
    sketches sketches; /* if the policy has buckets */
};

/* ---- curator.c ---- */

/* Asks the system to leave this memory out of core dumps. */
void keep_out_of_dumps(void *memory, size_t bytes);

/* Memory for what depends on records: zeros, left out of dumps. secret_give
   wipes it. NULL: out of memory. */
void *secret_take(size_t bytes);
void secret_give(void *memory, size_t bytes);

/* Opens new streams of an insecure seed for this round. Private streams go
   on. */
sotto_status curator_key_noise(curator *c, uint64_t round, sotto_error *error);

/* A stream of its own for the noise of levels, whose number is a secret: what
   comes after it does not depend on how much was drawn. */
sotto_status curator_open_level_noise(const curator *c, noise_stream **out,
                                      sotto_error *error);

/* Makes what goes with each row anew: the table has other features now. */
sotto_status curator_widen_rows(curator *c, sotto_error *error);

/* ---- levels.c ---- */

void levels_free(curator *c);

/* Who is counted, and from which noisy count on a level is shown. */
account_counted levels_counted(const curator_policy *policy);

/* ---- answers.c ---- */

/* Carries out the move that waits, and makes stale margins anew. */
void curator_catch_up(curator *c);

/* ---- columns.c ---- */

/* Makes the columns fit for the kernel; 0: out of memory. */
int columns_make(curator *c);
void columns_free(curator *c);

/* Column j. The intercept's comes after the features. */
kernel_column columns_get(const curator *c, int64_t j);

/* The first entry of a list whose row is not before this one. */
int64_t columns_entry(const kernel_column *x, int64_t row);

/* Feature j of rows [from, to), as it is in the file: not folded. */
void columns_write_some(const curator *c, int64_t j, int64_t from, int64_t to,
                        float *out);

/* ---- batch.c ---- */

sotto_status batch_make(curator *c, sotto_error *error);
void batch_free(curator *c);

/* Throws a coin of this rate for every person, and lists the rows of those for
   whom it shows 1. Coins must be able to have the rate (noise_coin_rate). */
sotto_status batch_draw(curator *c, double rate, sotto_error *error);

/* Lists the rows of a public block. */
void batch_block(curator *c, int64_t which, int64_t size);

/* ---- gradient.c ---- */

/* The rows as the kernel takes them for a whole gradient. */
kernel_ball gradient_ball(const curator *c);

/* ---- sampled.c ---- */

sotto_status sampled_make(curator *c, sotto_error *error);

/* Adds up the integers of the rows in the batch. With an anchor they are those
   of differences. */
void sampled_sum(curator *c, const float *anchor, float factor, int64_t *out);

/* ---- dual.c ---- */

sotto_status dual_make(curator *c, sotto_error *error);
void dual_free(curator *c);

/* ---- sketch.c ---- */

sotto_status sketch_check(const sotto_table *t, const curator_policy *policy,
                          const ask_plan *plan, sotto_error *error);
sotto_status sketch_make(curator *c, sotto_error *error);
void sketch_free(curator *c);

/* ---- rows.c ---- */

/* A loop over rows [from, to), by any thread: it writes to these rows and to
   its sums only. */
typedef void rows_part(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum);

/* Runs it over all rows, by all threads, and adds its sums to out. `rows` is
   the number of rows of the table, or with padding, or of entries. */
void rows_sum(const curator *c, int64_t rows, rows_part *part, const void *what,
              size_t sums, int64_t *out);

/* The same for a loop that needs more of the rows than what stays in memory of
   each: their columns, or what is kept of them (which it may change). Where
   they are on a disk they come window by window, and the next is read
   meanwhile. A failure is told by rows_status. `rows` is not the number of
   entries. */
enum { NEEDS_COLUMNS = 1, NEEDS_KEPT = 2, CHANGES_KEPT = 4 };
void rows_walk(const curator *c, int needs, int64_t rows, rows_part *part,
               const void *what, size_t sums, int64_t *out);

/* ---- windows.c ---- */

/* Columns that stay on a disk, window by window; NULL where they are in
   memory. 0: out of memory. */
int windows_make(curator *c);
void windows_free(curator *c);

/* Rows in a window. */
int64_t windows_rows(const curator *c);

/* Brings rows [from, to) of what is needed, and sends them back. Where bringing
   fails the curator answers no more. */
void windows_bring(const curator *c, int needs, int64_t from, int64_t to);
void windows_send_back(const curator *c, int needs, int64_t from, int64_t to);

/* Values are at most so large in size when they are brought. */
void windows_clamp(curator *c, const double *bound);

/* A file for what is kept of the rows, and addresses without memory for it. */
sotto_status windows_keep(curator *c, sotto_error *error);
void windows_forget_kept(curator *c);

/* Whether all rows that were asked for could be brought. It must be seen to
   before a sum is used. */
sotto_status rows_status(const curator *c, sotto_error *error);

/* Notes that a column was to be read at once, which no question may do. */
void windows_refuse(const curator *c);

/* Whether a question goes by rows alone, so that they may be on a disk. */
int question_walks(ask_kind kind);

/* The weight of row i, as a share of the largest possible one: 0 to 1. */
double row_share(const curator *c, int64_t i);

/* The integer of a part from -1 to 1; 0 for a NaN. */
static inline int64_t integer_of(double part)
{
    return kernel_integer((float)(part * KERNEL_CLIP));
}

/* The shares of a few rows, and their integers. */
typedef struct rows_weight {
    double share[KERNEL_FEW];
    int64_t integer[KERNEL_FEW];
} rows_weight;

/* Of the first rows of [from, to), as many as fit; how many these are. */
int64_t rows_few(const curator *c, int64_t from, int64_t to, rows_weight *out);

/* ---- gathered.c ---- */

/* Rooms for rows of a batch, and where that is asked for the copy by rows. */
sotto_status gathered_make(curator *c, int by_rows, sotto_error *error);
void gathered_free(curator *c);

/* A room for whoever asks, until it is given back. */
gathered_room *gathered_take(const curator *c);
void gathered_give(gathered_room *room);

/* Puts rows of the copy into a room. */
void gathered_turn(const curator *c, gathered_room *room, const uint32_t *row,
                   int64_t count);

/* Runs a loop over places [from, to) of the batch, by all threads, and adds
   its sums to out. */
void gathered_sum(const curator *c, rows_part *part, const void *what,
                  size_t sums, int64_t *out);

/* ---- shape.c ---- */

/* The range of a histogram that a size is in. Edges fall. */
int64_t shape_range(const double *edge, int64_t edges, double size);

/* Whether a number may be told: then no square of its product with a float
   over- or underflows in double. */
static inline int is_moderate(double x)
{
    return x >= 0x1p-100 && x <= 0x1p100;
}

/* ---- frame.c ---- */

/* Integers of at most KERNEL_CLIP are summed in 32 bits for so many rows. */
enum { FRAME_BLOCK = 512 };

void frame_free(curator *c);

/* The rows that are kept; with the point, if margins are not those of it. */
kernel_kept frame_kept(const curator *c);

/* Runs a loop over all rows that are kept, with the padding, by all threads. A
   map that waits is carried out. */
void frame_pass(curator *c, rows_part *part, const void *what, size_t sums,
                int64_t *out);

/* Puts the margins at the point that was told. */
void frame_margins(curator *c);

/* A quotient of told numbers as a float, and several told numbers; NULL: out of
   memory. To the nearest, whatever the caller's mode is. */
float frame_quotient(double over, double under);
float *frame_floats(const double *from, int64_t count);

/* Whether there is a frame without a target, and these numbers may be told. */
int frame_takes(const curator *c, const double *number, int64_t count);

/* ---- class_loss.c ---- */

/* Of a record of class y, by its margins: the loss; its derivatives by them;
   how sharply it bends, from 0 to 1 but for rounding. `scratch` has room for as
   many numbers as there are classes. */
double class_value(const curator *c, int64_t y, const double *margin,
                   double *scratch);
void class_slopes(const curator *c, int64_t y, const double *margin,
                  double *slope);
double class_bend(const curator *c, int64_t y, const double *margin,
                  double *scratch);

/* ---- classes.c ---- */

/* The length of each record's slopes by the margins of all classes, into
   c->slope. */
void classes_slopes(curator *c);
void classes_forget(curator *c);

/* The class of record i; 0 for a number that is none, which readers let not
   through. */
static inline int64_t class_of(const curator *c, int64_t i)
{
    double y = c->table->y[i];
    return y >= 0 && y < (double)c->policy.classes ? (int64_t)y : 0;
}

/* ---- class_choice.c ---- */

void class_choice_free(curator *c);

/* ---- choice.c ---- */

/* Moves coordinates j[n] by d[n], one after the other: the margins, and the
   sums and scores that follow from them. */
void choice_move(curator *c, const int64_t *j, const double *d, int64_t count);

void choice_free(curator *c);

/* ---- gate.c ---- */

/* A question whose answer is a sum. It says how exact integers are summed. How
   much one person can change them stands in questions.c. */
typedef struct gate_question {
    ask_kind kind;
    size_t answers;
    void (*sum)(curator *c, const void *what, int64_t *out);
    const void *what;
    int64_t features;         /* that it is about, if the plan says how many */
    int64_t *objective_noise; /* of ASK_PERTURBED: as many as answers; the gate
                                 draws it before it calls the sum */
    double curvature_change;  /* of ASK_PERTURBED: by how much one record can
                                 change the logarithm of the determinant of
                                 the objective's curvature */
} gate_question;

/*
 * Checks, charges, sums, adds noise, and releases. If the plan has no such
 * question left: SOTTO_BUDGET, and no record is read. *noise is the sd of the
 * noise.
 */
sotto_status gate_release(curator *c, const gate_question *q, int64_t *out,
                          double *noise, sotto_error *error);

/* Counts, as many as the records have levels: how they are made, to be given
   back by secret_give. */
typedef struct gate_counts {
    ask_kind kind;
    sotto_status (*count)(curator *c, int64_t **out, size_t *counts,
                          sotto_error *error);
} gate_counts;

/*
 * Checks, charges, counts, adds noise, and makes 0 of every count below the
 * threshold. How many counts there are is a secret: only those above 0 may be
 * told. To be given back by secret_give whatever the status.
 */
sotto_status gate_show(curator *c, const gate_counts *q, int64_t **out,
                       size_t *counts, sotto_error *error);

/* A question whose answer is a choice. One person changes each score by at most
   gate_sensitivity. */
typedef struct gate_contest {
    ask_kind kind;
    size_t count, stride; /* of the scores */
    const int64_t *(*scores)(curator *c, const void *what);
    const void *what;
    /* where ranks share the rows: the sums that scores are made of, of the
       rows here, and how many. Then the scores, of the sums over all ranks
       that have taken their place. */
    int64_t *(*sums)(curator *c, const void *what);
    size_t sums_count;
    /* NULL: the sums are sent as they are, and those over all ranks take their
       place. Else they change little, and `total` gets those: ranks_sum_changes
     */
    int64_t *before, *total;
    const int64_t *(*scored)(curator *c, const void *what);
    int kept; /* changes of scores are told from one choice to the next */
} gate_contest;

/* Checks, charges, computes scores, adds noise, and gives the winner's place.
 */
sotto_status gate_choose(curator *c, const gate_contest *q, int64_t *winner,
                         sotto_error *error);

/* Charges a question of this kind, and answers nothing. */
sotto_status gate_spend(curator *c, ask_kind kind, sotto_error *error);

/* Tells the next choice that any score may have changed, or that this one
   has. */
void gate_scores_changed(curator *c);
static inline void gate_score_changed(curator *c, size_t j, int64_t from,
                                      int64_t to)
{
    if (c->buckets && noise_buckets_differ(c->bucket_shift, from, to))
        noise_buckets_move(c->buckets, j, from, to);
}

/*
 * For runs that are NOT PRIVATE and told an infinite clip: a sum that is
 * neither clipped nor rounded to the grid. It is refused where noise was
 * planned.
 */
sotto_status gate_release_unclipped(curator *c, ask_kind kind,
                                    double (*sum)(curator *c, const void *what),
                                    const void *what, double *out,
                                    sotto_error *error);

/* ---- tape.c: for audits; only where c->tape is not NULL ---- */

/* An answer: the sums without noise, and what is released, which is kept or
   replaced. Then the same of a choice, of words that were drawn, of who is in
   a batch, and of counts that are shown. */
sotto_status tape_release(curator *c, const ask_item *item, const int64_t *sums,
                          int64_t *out, size_t count, sotto_error *error);
sotto_status tape_choose(curator *c, const ask_item *item,
                         const gate_contest *q, const int64_t *scores,
                         size_t *place, sotto_error *error);
sotto_status tape_words(curator_tape *t, int64_t *word, size_t count,
                        sotto_error *error);
void tape_hidden(curator_tape *t, int64_t *noise, size_t count);
sotto_status tape_picks(curator *c, uint32_t *who, size_t *picked,
                        sotto_error *error);
sotto_status tape_levels(curator *c, int64_t *noisy, size_t counts,
                         sotto_error *error);

/* ---- questions.c ---- */

/* How much all rows of one person can change the sums of a question: a
   Euclidean length, in integers, rounded up. */
double gate_sensitivity(const curator_policy *policy, const ask_item *item,
                        int64_t features);

/* ---- minimiser.c ---- */

/*
 * Of ASK_PERTURBED: the noise multiplier of objective noise is 1 over this,
 * where one record can change the logarithm of the curvature's determinant by
 * `curvature_change`. It is rounded down. 0 or less: no noise is enough.
 */
double objective_noise_level(const curator_policy *policy, const ask_item *item,
                             double curvature_change);

/* ---- plan.c ---- */

/* Refuses a plan that says it has more items than it can hold: a solver made
   it. */
sotto_status plan_check_size(const ask_plan *plan, sotto_error *error);

/* Ranks that share the rows cannot answer it. */
sotto_status plan_refuse_ranks(ask_kind kind, sotto_error *error);

/* The level that noise is drawn for: that of the item, or of ASK_RANGE the
   range that its mu pays for. */
double gate_drawn_level(const ask_item *item);

/* Whether the samplers can draw noise of this level. */
int gate_can_draw(const ask_item *item, double sensitivity);

/* How many items are asked in turn with item i. *first is the first of them. */
int gate_group(const ask_plan *plan, int i, int *first);

#endif
