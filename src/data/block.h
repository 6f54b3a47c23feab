/*
 * block: the rows of one piece of the file. Workers fill blocks side by
 * side; afterwards the blocks, in the order of the file, become the table.
 */
#ifndef SOTTO_BLOCK_H
#define SOTTO_BLOCK_H

#include "column_plan.h"
#include "source.h"

/* What is wrong with a row, and where; formatted once all is read. */
typedef struct fault {
    const char *expected; /* NULL: no fault */
    const column *at;     /* NULL: no column to name */
    int64_t line;         /* from 1, within the piece */
    int64_t place;        /* the column: a field of CSV, a character of
                             svmlight; 0: unknown */
} fault;

typedef struct block {
    struct block *next;
    int64_t number;     /* from 0, in the order of the file */
    int64_t lines;      /* physical lines of the piece */
    const source *from; /* the file of the piece; NULL: there is one only */
    int64_t room;       /* rows it can take */
    int64_t rows;
    int64_t dropped; /* bad records, where they may be counted */
    fault fault;
    /* dense: columns of the features, `stride` elements from one to the next;
       what is behind the rows is zero */
    void *x;
    int64_t stride;
    size_t x_bytes; /* 0: another block, or nobody yet, owns the memory */
    size_t spilled_at, spilled; /* where it is on the disk, its bytes there */
    /* sparse: the entries themselves are in the store */
    int64_t *end; /* entries up to the end of row i */
    int64_t entries;
    int64_t largest; /* largest index seen, 1-based */
    double *y, *weight;
    unsigned char *bad; /* by row, where bad rows are marked */
    text_buffer unit;   /* the rows' persons, one after the other */
    size_t *unit_end;   /* where row i's ends */
    text_buffer level;  /* texts of categories whose levels are asked for, row
                           after row; empty: none */
    size_t *level_end;  /* where those of a row end, column after column */
    int spans_lines;    /* a quoted field holds a newline */
    /* lines where the undeclared classes -1 and 0 were first seen, or 0 */
    int64_t line_minus, line_zero;
} block;

/* The entries of all blocks of a sparse table, in the order of the file. */
typedef struct entry_store {
    uint32_t *index;
    void *value; /* float, or double where is_double */
    size_t element;
    size_t count, room;
} entry_store;

/* Rows are gathered by so many and then turned into columns. */
enum { WORKER_ROWS = 16 };

/* The range of a column, and the most that float32 loses of a value; for a
   remark to the operator. */
typedef struct column_range {
    double low, high, lost;
} column_range;

int range_new(column_range **out, int64_t features);
void range_add(column_range *range, const double *values, int count);

/* What another worker has seen is added. */
void range_merge(column_range *range, const column_range *other,
                 int64_t features);

/* Bytes of one stored value. */
static inline size_t plan_element(const column_plan *p)
{
    return p->is_double ? sizeof(double) : sizeof(float);
}

typedef struct worker {
    const column_plan *plan;
    block *block;
    int failed;                  /* out of memory */
    int has_nul;                 /* the piece holds a NUL byte somewhere */
    const char *text, *text_end; /* the piece */
    int64_t row; /* of a file without lines: the row being read, from 1 */
    /* dense: the rows being gathered, feature j of row r at j * 16 + r */
    double *x;
    double sign[WORKER_ROWS];
    int filled;
    column_range *range; /* by feature; NULL where bad rows are dropped: no
                            remark may depend on the rows then */
    /* the row being read */
    double y, weight;
    text_buffer unit;    /* a copy: the field may lie in the scratch */
    text_buffer *level;  /* copies of the row's levels that are asked for */
    text_buffer scratch; /* an unescaped field */
    text_buffer plain;   /* a number without the marks of its file */
    /* sparse: entries of the piece being read */
    uint32_t *index;
    double *value;
    size_t entry_room;
} worker;

int worker_open(worker *w, const column_plan *p, int sparse);
void worker_close(worker *w);

/* Ready for a block of up to `rows` rows; 0 when out of memory. */
int worker_begin_dense(worker *w, int64_t rows);
int worker_begin_sparse(worker *w, int64_t rows, size_t entries);

/* As worker_begin_dense, within memory for more rows than these. */
int worker_begin_within(worker *w, int64_t rows, void *x, int64_t stride);

/* Elements from a column to the next in a table of so many rows. */
int64_t block_stride(int64_t rows);

/* Makes the entries by column from those by row; 0: out of memory. */
int block_by_column(sotto_table *t, int is_double, int threads);

/* The row in w->x, w->y, ... is complete. */
void worker_row_dense(worker *w);
void worker_row_sparse(worker *w, int64_t entries);

/* The record is bad: 1 when the next may be read, 0 when it ends the reading.
   Where bad rows are marked it becomes a row of zeros (`entries`: those of the
   rows before it), elsewhere it is absent. */
int worker_bad_dense(worker *w);
int worker_bad_sparse(worker *w, int64_t entries);

/* The piece is done. */
void worker_end_dense(worker *w);
void worker_end_sparse(worker *w);

void block_free(block *b);

/* ---- scale.c ---- */

/* Divides the features of each row that have no bounds by their length:
   scale_dense of gathered rows, scale_sparse of the entries of one row. */
void scale_dense(const column_plan *p, double *x, int rows);
void scale_sparse(const column_plan *p, const uint32_t *index, double *value,
                  int64_t entries);

/* Records a fault of the row at `where` in the piece's text. */
void worker_fault(worker *w, const char *expected, const column *at,
                  const char *where, int64_t place);

/* Adds the entries of the worker's block; 0 when out of memory. */
int store_append(entry_store *s, const worker *w);
int store_resize(entry_store *s, size_t room);
void store_free(entry_store *s);

/* ---- block_spill.c: blocks that wait on the disk ---- */

typedef struct spilled_part {
    int64_t rows, stride;
    size_t at, bytes;
} spilled_part;

typedef struct block_spill {
    spill_file file;
    size_t end; /* of what has a place: by atomic addition */
    int failed;
    sotto_error error; /* the first failure's */
    spilled_part *part; /* in the order of the rows */
    int64_t parts;
} block_spill;

sotto_status block_spill_open(block_spill *s, const char *folder,
                              sotto_error *error);
void block_spill_close(block_spill *s);

/* Moves a full block's columns to the disk; 0: s->error says why not. */
int block_spill_out(block_spill *s, block *b);

/* The blocks are all there, in this order; 0: out of memory. */
int block_spill_list(block_spill *s, const block *first);

/* Takes the rows back, as floats: the next `rows`, column after column. */
typedef struct spill_reader {
    const block_spill *from;
    int64_t next; /* part */
    float *x;     /* the part before it, */
    size_t room;
    int64_t rows, stride, taken; /* of which so many rows were taken */
} spill_reader;

sotto_status spill_take(spill_reader *r, float *to, int64_t features,
                        int64_t rows, sotto_error *error);
void spill_reader_close(spill_reader *r);

/* The blocks, in order, as one table; what they hold is given back on the
   way. A sparse table takes over the store. Columns that are on the disk stay
   there, and x is NULL. */
sotto_status block_assemble(sotto_table *t, const column_plan *p, block *first,
                            entry_store *store, sotto_error *error);

/* ---- level_texts.c: levels that are asked for ---- */

int level_open(worker *w);
void level_close(worker *w);

/* The row's text in this column, or none (a size of 0): where its levels are
   asked for it is kept, and otherwise nothing is. */
void level_note(worker *w, const column *c, const char *bytes, size_t size);

/* The row is complete. */
void level_row(worker *w);

/* Numbers the texts of each column in the order of their bytes. */
sotto_status level_assemble(sotto_table *t, const column_plan *p,
                            const block *first, sotto_error *error);

/* Wipes all that is secret of them. */
void level_forget(sotto_table *t);

/* Numbers the people: rows with equal texts get equal numbers. */
sotto_status unit_number(int64_t *out, const block *first, sotto_error *error);

#endif
