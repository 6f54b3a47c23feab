/*
 * Columns that stay on the disk. There are addresses for all values, and memory
 * only for rows that were brought: a window is read into its place, and its
 * pages go back to the system when it was worked on. The system hands pages to
 * others only as zeros. A block's checksum is compared when it is first read;
 * after each window it is seen to that nobody has written to the file.
 */
#include "number.h"
#include "table_file.h"

#include <string.h>

struct table_stream {
    source *s;
    table_file f;
    char *folder;
    unsigned char *checked; /* of each block */
    char *room;
    size_t room_bytes;
    int64_t window;
};

/* ---- how much memory ---- */

sotto_status table_memory(size_t *out, const sotto_options *options,
                          sotto_error *error)
{
    static const char units[] = "KMGT";
    const char *text = option_text(options, OPTION_MEMORY);
    char digits[32];
    double number, unit = 1;
    *out = 0;
    if (!text)
        return SOTTO_OK;
    size_t length = strlen(text);
    const char *at = length ? strchr(units, text[length - 1]) : NULL;
    for (const char *u = units; at && u <= at; u++)
        unit *= 1024;
    length -= at != NULL;
    int fine = length > 0 && length < sizeof digits;
    if (fine) {
        memcpy(digits, text, length);
        digits[length] = 0;
        fine = number_whole(digits, &number) && number > 0 &&
               number * unit >= 1 && number * unit < 0x1p60;
    }
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "--memory: expected a size, as 500M or 2G");
    *out = (size_t)(number * unit);
    return SOTTO_OK;
}

/* Two windows of columns, and two of what may be made of them: of a block. */
static size_t block_memory(int64_t features, int64_t block)
{
    return 4 * (size_t)block * ((size_t)features + 2) * sizeof(float);
}

/* The program itself, buffers, and matrices of as many columns. */
size_t table_least_memory(int64_t features, int threads)
{
    int64_t block = table_block_rows(features);
    size_t width = (size_t)features + 2;
    size_t square = width <= 4096 ? width * width * sizeof(double) : 0;
    return ((size_t)24 << 20) + 2 * (size_t)block * width * sizeof(float) +
           square * ((size_t)threads + 2) + block_memory(features, block);
}

/* What stays in memory of each row: six floats of the curator's, the target,
   the length and a size; weights, and the person's number and count. Ranks
   bring people together, and each may be a person (rank_people.c). */
static size_t row_memory(const sotto_table *t)
{
    return 6 * sizeof(float) + sizeof(double) + sizeof(float) + sizeof(double) +
           (t->weight ? sizeof(double) : 0) +
           (t->unit ? (t->ranks ? 24 : 2) * sizeof(int64_t) : 0);
}

/* Whatever the number of rows takes, nothing is said: it is a secret. Then the
   shortest window is as good as it gets. */
static void choose_window(struct table_stream *s, const sotto_table *t,
                          size_t memory)
{
    const size_t enough = (size_t)1 << 25; /* longer windows are not faster */
    const table_layout *l = &s->f.layout;
    size_t least = table_least_memory(l->features, s->f.threads) +
                   (size_t)t->rows * row_memory(t);
    size_t left = memory > least ? memory - least : 0;
    size_t block = block_memory(l->features, l->block);
    size_t most =
        enough / ((size_t)l->block * (size_t)l->features * sizeof(float));
    size_t blocks = 1 + left / block;
    blocks = blocks > most ? most : blocks;
    s->window = l->block * (int64_t)(blocks ? blocks : 1);
}

/* ---- life ---- */

static int take_room(struct table_stream *s, sotto_table *t)
{
    size_t values;
    const table_layout *l = &s->f.layout;
    t->stride =
        (t->rows + TABLE_PAGE_ROWS - 1) / TABLE_PAGE_ROWS * TABLE_PAGE_ROWS;
    if (!size_multiply((size_t)t->features, (size_t)t->stride, &values) ||
        !size_multiply(values, sizeof(float), &t->x_bytes))
        return 0;
    s->room_bytes =
        (size_t)l->block * (size_t)l->features * sizeof(float) + TABLE_SUM;
    s->room = mem_map(s->room_bytes);
    s->checked = mem_zeroed((size_t)table_blocks(l), 1);
    char *real = file_follow(source_name(s->s)); /* the disk of the table */
    s->folder = real ? file_folder(real) : NULL;
    mem_free(real);
    t->x = mem_reserve(t->x_bytes);
    return t->x && s->room && s->checked && s->folder;
}

sotto_status table_stream_open(sotto_table *t, source *s, const table_file *f,
                               size_t memory, sotto_error *error)
{
    t->stream = mem_zeroed(1, sizeof *t->stream);
    if (!t->stream)
        return error_memory(error);
    *t->stream = (struct table_stream){.s = s, .f = *f};
    choose_window(t->stream, t, memory);
    return take_room(t->stream, t) ? SOTTO_OK : error_memory(error);
}

void table_forget_columns(sotto_table *t)
{
    mem_unmap(t->x, t->x_bytes);
    t->x = NULL;
    t->x_bytes = 0;
}

void table_stream_close(sotto_table *t)
{
    struct table_stream *s = t->stream;
    table_forget_columns(t);
    source_drop(s->room, s->room ? s->room_bytes : 0, s->room_bytes);
    mem_free(s->checked);
    mem_free(s->folder);
    source_close(s->s);
    mem_free(s);
    t->stream = NULL;
}

/* ---- windows ---- */

int64_t table_window(const sotto_table *t)
{
    return t->stream->window;
}

const char *table_folder(const sotto_table *t)
{
    return t->stream->folder;
}

sotto_status table_bring(const sotto_table *t, int64_t from, int64_t to,
                         sotto_error *error)
{
    struct table_stream *s = t->stream;
    int64_t block = s->f.layout.block, end = to < t->rows ? to : t->rows;
    sotto_status status = SOTTO_OK;
    from += s->f.from; /* which is where a block begins */
    end += s->f.from;
    for (int64_t b = from / block; b * block < end && status == SOTTO_OK; b++) {
        status = table_load_block(&s->f, t, b, s->checked[b], s->room, error);
        s->checked[b] = status == SOTTO_OK;
    }
    return status == SOTTO_OK ? source_check_same(s->s, error) : status;
}

void table_send_back(const sotto_table *t, int64_t from, int64_t to)
{
    int64_t end = to < t->rows ? to : t->stride;
    for (int64_t j = 0; j < t->features; j++)
        mem_discard(t->x, (size_t)(j * t->stride + from) * sizeof(float),
                    (size_t)(j * t->stride + end) * sizeof(float));
}
