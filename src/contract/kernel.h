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

/* The reaches u_i of all rows into out, between enter and leave too. */
void kernel_reach(const kernel_rows *r, const kernel_ball *b, float *out);

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

    /* Rows of `width` floats, one behind another. Adds t_i z_ij, cut towards
       0, to out[j]. What is added is below KERNEL_CLIP. At most KERNEL_FEW
       rows. */
    void (*cut)(const float *row, int64_t width, const double *t, int64_t count,
                int64_t *out);

    /* Rows become A' z, each sum in the order of j and in double; what is not
       finite as a float becomes 0. A has kernel_wide(width) numbers for each
       j, with zeros behind the last. */
    void (*map)(const double *map, int64_t width, float *row, int64_t count);

    /* Adds, with y_i = t_i z_i, (KERNEL_CLIP (1 - 2^-30)) y_ia y_ib, for b > a
       times sqrt(2) rounded down, cut towards 0, to the place of (a, b) in the
       upper half of a matrix. What is added is below KERNEL_CLIP. At most
       KERNEL_FEW rows. */
    void (*matrix)(const float *row, int64_t width, const double *t,
                   int64_t count, int64_t *out);
} kernel;

/* So many integers of at most KERNEL_CLIP fit 32 bits, with room to spare. */
enum { KERNEL_FEW = 64 };

/* The widest rows that `map` and `matrix` take. */
enum { KERNEL_WIDEST = 4096 };

/* The doubles that a row of so many numbers takes: a multiple of 16. */
static inline int64_t kernel_wide(int64_t width)
{
    return (width + 15) / 16 * 16;
}

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
    uint32_t control;
} kernel_mode;
kernel_mode kernel_enter(void);
void kernel_leave(kernel_mode before);

#endif
