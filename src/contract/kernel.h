/*
 * kernel: the inner loops of private training. Each turns the records into
 * integers, one record at a time, and sums the integers.
 *
 * Row locality (docs/privacy, Lemma K1): what record i adds is a bitwise
 * function of that record and of public values. So every loop, for every
 * instruction set and storage form, runs one and the same sequence of IEEE
 * operations for a row: multiply, add, compare, divide, each rounded to
 * nearest, never fused, never reordered.
 *
 *   slope    s_i = a_i l'(m_i)          a_i the row's weight
 *   part     v   = s_i (x_ij f_j)       f_j = KERNEL_CLIP / C_j
 *   integer  k   = rint(clip(v)),       |k| <= KERNEL_CLIP; not a number: 0
 *   sum      S_j = sum of k in 64-bit integers, in any order
 *   margin   m_i = m_i + d x_ij
 *
 * For two classes the table holds y x, and m is y times the margin; for a
 * number m starts at -y, so that it is the residual.
 *
 * The whole gradient, of which a record's part stays within a ball (Lemma K3):
 *
 *   scaled   z_ij = x_ij r_j
 *   reach    u_i  = KERNEL_CLIP (1 - 2^-20) / |z_i|, in double, then a float;
 *                   at most the largest float; 0 where a z_ij is infinite
 *   factor   t_i  = s_i f within [-u_i, u_i]; not a number: 0
 *   integer  k_ij = t_i z_ij cut towards 0,   |k_i| <= KERNEL_CLIP
 *   margin   m_i  = its start + w_1 x_i1 + w_2 x_i2 ... in this order
 */
#ifndef SOTTO_KERNEL_H
#define SOTTO_KERNEL_H

#include "base.h"
#include "loss.h"

#include <fenv.h>

/* The integer that a clipped part becomes, and the most any record can add
   to a sum. Public and fixed: nothing of it follows from the records. */
enum { KERNEL_CLIP = 1 << 21 };

/* At most this many rows can be summed without overflow: 2^21 2^41 < 2^63.
   No machine holds more, so it never binds. */
#define KERNEL_MOST_ROWS ((int64_t)1 << 41)

typedef enum kernel_isa {
    KERNEL_AUTO,
    KERNEL_SCALAR,
    KERNEL_AVX2,
    KERNEL_AVX512
} kernel_isa;

/* A column: dense (index NULL, one value for each row and zeros up to a
   multiple of 64, 64-byte aligned), or the rows where it is not zero. No
   value is a NaN. */
typedef struct kernel_column {
    const float *value;
    const uint32_t *index;
    int64_t count;
} kernel_column;

/* The rows: margins and weights, both padded with zeros to a multiple of 64
   rows and 64-byte aligned; weight is NULL where all rows count 1. */
typedef struct kernel_rows {
    int64_t rows, padded;
    float *margin;
    const float *weight;
    loss_kind loss;
    float delta; /* of huber */
} kernel_rows;

/*
 * What a whole gradient is asked of. Either all columns are dense, or there
 * are the entries of each row in the order of columns, and `ones`, the column
 * behind them (NULL: none). All padded as above.
 */
typedef struct kernel_ball {
    int64_t columns;           /* with `ones` */
    const float *const *value; /* of dense columns, `ones` too; or NULL */
    const int64_t *start;      /* of each row's entries */
    const uint32_t *row;       /* row i is start's row row[i]; NULL: i */
    const uint32_t *index;     /* their columns */
    const float *entry;
    const float *ones;
    const float *scale;  /* r_j */
    const float *reach;  /* u_i */
    const float *origin; /* margins at w = 0 */
    const float *at;     /* w; NULL: the margins are there already */
    const float *anchor; /* with `at`: slopes are those at w less those here;
                            NULL: as they are */
    float factor;        /* f */
} kernel_ball;

/* Some values of a dense column: u_i = (x_i s_i - centre) / bound, in double.
   None is a NaN. */
typedef struct kernel_values {
    const float *x;
    const float *sign; /* s_i, 1 or -1; NULL: 1 */
    int64_t count;
    double centre, bound;
} kernel_values;

/* How many octaves a float can be in. */
enum { KERNEL_OCTAVES = 256 };

/*
 * Rows in told coordinates, without NaN and infinities: tiles of KERNEL_TILE
 * rows. In a tile coordinate comes after coordinate, and of each the numbers of
 * all its rows side by side. Rows are padded as above. The margin is y times
 * z'w for two classes, z'w less the target for a number.
 */
enum { KERNEL_TILE = 16 };
typedef struct kernel_kept {
    int64_t width;
    float *value;
    float *length;       /* |z_i|, as a float */
    const float *sign;   /* y of two classes; NULL: 1 */
    const float *origin; /* less the target; NULL: 0 */
    const float *at;     /* w; NULL: the margins are there already */
} kernel_kept;

/* Of a loss: where its secants begin, and the bound of its curvature. */
typedef struct kernel_bend {
    float centre, most;
} kernel_bend;

/* The first coordinate of a row; the next is KERNEL_TILE further. */
static inline float *kernel_kept_row(const kernel_kept *k, int64_t row)
{
    return k->value + row / KERNEL_TILE * KERNEL_TILE * k->width +
           row % KERNEL_TILE;
}

/* A few rows of a batch side by side: value j of row i is x[j stride + i]. At
   most 512 rows, so that their integers fit 32 bits. */
typedef struct kernel_gathered {
    const float *x;
    int64_t rows, columns, stride;
} kernel_gathered;

/* The reaches u_i of rows [from, to) into out, at their places; between enter
   and leave too. */
void kernel_reach(const kernel_rows *r, const kernel_ball *b, int64_t from,
                  int64_t to, float *out);

/* out[i stride + k] becomes value i of line k: moved, and no more. */
void kernel_turn(const float *const *line, int64_t lines, int64_t length,
                 float *out, int64_t stride);

/*
 * One set of loops. All sets give the same bits; all must be called between
 * kernel_enter and kernel_leave.
 */
typedef struct kernel {
    const char *name;

    /* Moves the margins by d times the column `moved` (NULL: not at all),
       and sums the integers of `asked` (NULL: 0) at the new ones. */
    int64_t (*step)(const kernel_rows *r, const kernel_column *moved, float d,
                    const kernel_column *asked, float factor);

    /* The slopes s_i of all rows into out (padded). */
    void (*slopes)(const kernel_rows *r, float *out);

    /* The slopes of these rows only. */
    void (*slopes_at)(const kernel_rows *r, const uint32_t *row, int64_t count,
                      float *out);

    /* Sums the integers of a column at given slopes. */
    int64_t (*sum)(const float *slope, int64_t padded,
                   const kernel_column *asked, float factor);

    /* By how much a row's integers change when its slope does: of each of
       its entries, given as the products x f. */
    void (*changes)(const float *part, int64_t count, float before, float after,
                    int32_t *out);

    /* Puts the margins of rows [from, to) at w, where it is given. Both are
       multiples of 64. */
    void (*move)(const kernel_rows *r, const kernel_ball *b, int64_t from,
                 int64_t to);

    /* The same, and adds the integers k_ij of each column to out[j]. */
    void (*gradient)(const kernel_rows *r, const kernel_ball *b, int64_t from,
                     int64_t to, int64_t *out);

    /* Of numbers u: adds up the integers of u KERNEL_CLIP, rounded to a
       float. */
    int64_t (*total)(const double *part, int64_t count);

    /* Loops over rows [from, to) in told coordinates; both are multiples of
       64.

       Sets coordinate j to (x - centre) by, in double and then a float, of
       values x that begin with row `from`, times the signs beside them (NULL:
       none). What is not finite becomes 0. */
    void (*kept_fill)(const kernel_kept *k, int64_t j, const float *x,
                      const float *sign, double centre, double by, int64_t from,
                      int64_t to);

    /* Puts the margins of these rows at the point. */
    void (*kept_margins)(const kernel_rows *r, const kernel_kept *k,
                         int64_t from, int64_t to);

    /* The same, if there is a point, and adds to out[j] the integers t_i z_ij
       cut towards 0: t_i = s_i f within KERNEL_CLIP (1 - 2^-20) / |z_i|. */
    void (*kept_gradient)(const kernel_rows *r, const kernel_kept *k,
                          float factor, int64_t from, int64_t to, int64_t *out);

    /* Finds the lengths. */
    void (*kept_lengths)(const kernel_kept *k, int64_t from, int64_t to);

    /* Rows become A' z, each sum in the order of j; what is not finite becomes
       0. Their lengths, too. At most KERNEL_WIDEST coordinates. */
    void (*kept_map)(const kernel_kept *k, const float *map, int64_t from,
                     int64_t to);

    /* Adds (w_i z_ia) z_ib, for b > a with sqrt(2) rounded down between, cut
       towards 0, to the place of (a, b) in the upper half of a matrix. w is
       that of row `from`, and so on. No product may be above KERNEL_CLIP. */
    void (*kept_matrix)(const kernel_kept *k, const float *w, int64_t from,
                        int64_t to, int64_t *out);

    /* How sharply the loss bends at the margins of all rows, from 0 to 1; not a
       number: 0. The curvature, or the slope's secant from the centre. */
    void (*bends)(const kernel_rows *r, int secant, const kernel_bend *bend,
                  float *out);

    /* The margins of `count` rows, a multiple of KERNEL_TILE up to 64, for each
       class: those of class c begin at out + c count. `at` has for each
       coordinate one number for each class. */
    void (*kept_class_margins)(const kernel_kept *k, int64_t row, int64_t count,
                               const float *at, int64_t classes, float *out);

    /* Softmax of such margins, of each row as loss_portable_softmax has it, bit
       by bit: class after class, too. */
    void (*class_chances)(const float *margin, int64_t count, int64_t classes,
                          double *out);

    /* loss_portable_logistic of `count` margins, a multiple of KERNEL_TILE, bit
       by bit. */
    void (*logistic)(const float *margin, int64_t count, double *out);

    /* Adds t_i z_ij cut towards 0 to out[j classes + c], with the factors of
       class c at t + c count. */
    void (*kept_class_cut)(const kernel_kept *k, int64_t row, int64_t count,
                           const float *t, int64_t classes, int64_t *out);

    /* Makes size_i the larger of itself and |u_i|, or adds u_i^2 to it. */
    void (*sizes)(const kernel_values *v, int squares, double *size);

    /* Adds up the integers of clip(u_i) or its square, times the share:
       KERNEL_CLIP times it, rounded to a float. clip is to [-1, 1]; share is
       from 0 to 1; NULL: 1. */
    int64_t (*mean)(const kernel_values *v, int squares, const double *share);

    /* Adds weight_i (NULL: KERNEL_CLIP), at least 0, to the octave of x_i:
       (the bits of |x_i|, less `from`) / 2^23, modulo KERNEL_OCTAVES. `from` is
       below 2^23. At most 2^31 values. */
    void (*octaves)(const float *x, const int32_t *weight, int64_t count,
                    uint32_t from, int64_t *out);

    /* Values beyond the bound become the bound; a NaN becomes 0. */
    void (*clamp)(float *x, int64_t count, float bound);

    /* Of gathered rows: x'w of each, the sum in the order of columns and in
       double. */
    void (*dots)(const kernel_gathered *g, const double *w, double *out);

    /* Adds t_i x_ij, cut towards 0, to out[j]. What is added is at most
       KERNEL_CLIP. */
    void (*cuts)(const kernel_gathered *g, const double *t, int64_t *out);
} kernel;

/* So many integers of at most KERNEL_CLIP fit 32 bits, with room to spare. */
enum { KERNEL_FEW = 64 };

/* The widest rows that kept_map takes. */
enum { KERNEL_WIDEST = 4096 };

/*
 * Threads that help with steps on long columns and with loops over rows, for
 * as long as the pool lives. NULL is a pool too: the caller does all by itself,
 * as it does where the system gives no threads, where columns are short or
 * sparse, and in the child of a process that forked.
 */
typedef struct kernel_pool kernel_pool;
kernel_pool *kernel_pool_open(int threads);
void kernel_pool_close(kernel_pool *p);

/* k->step(...), with the pool's help; the same bits. */
int64_t kernel_pool_step(kernel_pool *p, const kernel *k, const kernel_rows *r,
                         const kernel_column *moved, float d,
                         const kernel_column *asked, float factor);

/* A loop over rows [from, to) that adds to sums of integers. Calls for other
   rows may be made at the same time, by other threads. */
typedef void kernel_loop(const void *what, int64_t from, int64_t to,
                         int64_t *sum);

/* Runs it over all rows, in parts of a multiple of 64 rows but for the last,
   with the pool's help, and adds its sums to out: integers, so that it does not
   matter who adds them. */
void kernel_pool_rows(kernel_pool *p, int64_t rows, kernel_loop *loop,
                      const void *what, size_t sums, int64_t *out);

/* What a part v becomes: rint(clip(v)), 0 for a NaN. For loops that are run
   once. */
int32_t kernel_integer(float v);

/* The loops for this instruction set, or NULL where the machine lacks it. */
const kernel *kernel_get(kernel_isa isa);

/* Puts rounding and denormals as IEEE has them, whatever the caller set;
   kernel_leave puts back what was. */
typedef struct kernel_mode {
#if defined(__x86_64__)
    uint32_t control;
#else
    fenv_t all;
#endif
} kernel_mode;
kernel_mode kernel_enter(void);
void kernel_leave(kernel_mode before);

#endif
