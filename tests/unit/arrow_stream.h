/*
 * A producer of Arrow C streams for tests: the columns of columns.h in every
 * layout that Arrow has for them, cut into batches, with offsets of batches and
 * of their children, and with junk wherever nobody may look. Every buffer is a
 * block of its own, of the size that it needs. What was not released, or
 * twice, is noticed.
 */
#ifndef SOTTO_TEST_ARROW_STREAM_H
#define SOTTO_TEST_ARROW_STREAM_H

#include "columns.h"

#include "data/arrow_abi.h"

#include <errno.h>

enum { MOST_BUFFERS = 5, LIST_MOST = 24 };

static int live_schemas, live_arrays, live_streams;

/* How a column is laid out: its format, and that of its dictionary's list. */
typedef struct layout {
    char format[3], list[3]; /* "": no dictionary */
} layout;

typedef struct producer {
    made **column;
    int columns, rows;
    layout layout[MOST_COLUMNS];
    uint8_t absent[MOST_ROWS]; /* rows that are null as a whole */
    int at;                    /* the next row */
    int batches;               /* handed out */
    int asked;                 /* calls of get_next */
    int fail_schema, fail_at;  /* fail_at: which call, from 1 */
    int code;
    void (*spoil)(struct ArrowArray *batch); /* or NULL */
    void (*spoil_schema)(struct ArrowSchema *top);
} producer;

static void *copied(const void *from, size_t size)
{
    void *out = malloc(size);
    assert_non_null(out);
    memcpy(out, from, size);
    return out;
}

/* ---- schemas ---- */

static void release_schema(struct ArrowSchema *s)
{
    assert_non_null(s->release);
    for (int64_t i = 0; i < s->n_children && s->children; i++)
        if (s->children[i]) {
            if (s->children[i]->release)
                s->children[i]->release(s->children[i]);
            free(s->children[i]);
        }
    if (s->dictionary) {
        if (s->dictionary->release)
            s->dictionary->release(s->dictionary);
        free(s->dictionary);
    }
    free(s->private_data); /* the list of children */
    free((void *)(uintptr_t)s->format);
    free((void *)(uintptr_t)s->name);
    memset(s, 0xee, sizeof *s);
    s->release = NULL;
    live_schemas--;
}

static void make_schema(struct ArrowSchema *s, const char *format,
                        const char *name)
{
    *s = (struct ArrowSchema){.format = strdup(format),
                              .name = name ? strdup(name) : NULL,
                              .flags = ARROW_FLAG_NULLABLE,
                              .release = release_schema};
    live_schemas++;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    producer *p = stream->private_data;
    if (p->fail_schema)
        return p->code;
    make_schema(out, "+s", "");
    out->n_children = p->columns;
    out->children = calloc((size_t)p->columns + 1, sizeof *out->children);
    out->private_data = out->children;
    for (int j = 0; j < p->columns; j++) {
        struct ArrowSchema *s = calloc(1, sizeof *s);
        make_schema(s, p->layout[j].format, p->column[j]->name);
        if (p->layout[j].list[0]) {
            s->dictionary = calloc(1, sizeof *s);
            make_schema(s->dictionary, p->layout[j].list, NULL);
        }
        out->children[j] = s;
    }
    if (p->spoil_schema)
        p->spoil_schema(out);
    return 0;
}

/* ---- arrays ---- */

/* What an array owns, whatever a test has made of its members. */
typedef struct owned {
    void *buffer[MOST_BUFFERS];
    const void *list[MOST_BUFFERS];
    struct ArrowArray **children;
    int64_t n_children;
    struct ArrowArray *dictionary;
} owned;

static void release_array(struct ArrowArray *a)
{
    owned *o = a->private_data;
    assert_non_null(a->release);
    for (int64_t i = 0; i < o->n_children; i++) {
        if (o->children[i]->release)
            o->children[i]->release(o->children[i]);
        free(o->children[i]);
    }
    if (o->dictionary) {
        if (o->dictionary->release)
            o->dictionary->release(o->dictionary);
        free(o->dictionary);
    }
    for (int i = 0; i < MOST_BUFFERS; i++)
        free(o->buffer[i]);
    free(o->children);
    free(o);
    memset(a, 0xee, sizeof *a);
    a->release = NULL;
    live_arrays--;
}

static void make_array(struct ArrowArray *a, int64_t length, int64_t offset,
                       int64_t buffers)
{
    owned *o = calloc(1, sizeof *o);
    *a = (struct ArrowArray){.length = length,
                             .offset = offset,
                             .n_buffers = buffers,
                             .buffers = o->list,
                             .release = release_array,
                             .private_data = o};
    live_arrays++;
}

static void give_buffer(struct ArrowArray *a, int i, void *buffer)
{
    owned *o = a->private_data;
    o->buffer[i] = buffer;
    o->list[i] = buffer;
}

/* Bytes that are no good, exactly so many. */
static char *junk(size_t size)
{
    char *out = malloc(size ? size : 1);
    for (size_t i = 0; i < size; i++)
        out[i] = (char)random_below(256);
    return out;
}

static void set_bit(char *bits, int64_t i, int to)
{
    bits[i >> 3] = (char)((bits[i >> 3] & ~(1 << (i & 7))) | to << (i & 7));
}

/* Bits for `size` elements, of which those from `first` on are known. Without
   a 0 among them there may be none at all. */
static void give_valid(struct ArrowArray *a, int64_t size, int64_t first,
                       const uint8_t *missing, int64_t rows)
{
    char *bits = junk((size_t)(size + 7) / 8);
    int64_t nulls = 0;
    for (int64_t i = 0; i < rows; i++) {
        set_bit(bits, first + i, !missing[i]);
        nulls += missing[i] != 0;
    }
    if (nulls || random_below(2))
        give_buffer(a, 0, bits);
    else
        free(bits);
    a->null_count = nulls || random_below(2) ? -1 : 0;
}

/* ---- texts ---- */

typedef struct slots {
    const char *text[MOST_ROWS + LIST_MOST];
    int64_t count;
} slots;

static void give_offsets(struct ArrowArray *a, const slots *s, int wide)
{
    text_buffer bytes = {0};
    size_t width = wide ? 8 : 4;
    char *offsets = malloc((size_t)(s->count + 1) * width);
    text_put(&bytes, "??"); /* the first does not begin at 0 */
    for (int64_t i = 0; i <= s->count; i++) {
        int64_t at = (int64_t)bytes.length;
        int32_t narrow = (int32_t)at;
        memcpy(offsets + (size_t)i * width,
               wide ? (const void *)&at : (const void *)&narrow, width);
        if (i < s->count)
            text_put(&bytes, s->text[i]);
    }
    give_buffer(a, 1, offsets);
    give_buffer(a, 2, copied(bytes.data, bytes.length));
    text_free(&bytes);
}

/* Short texts are in the view; longer ones are in two buffers in turn. */
static void give_views(struct ArrowArray *a, const slots *s)
{
    text_buffer bytes[2] = {{0}, {0}};
    int64_t sizes[2];
    char *views = junk((size_t)s->count * 16);
    for (int64_t i = 0; i < s->count; i++) {
        int32_t length = (int32_t)strlen(s->text[i]), which = (int32_t)(i & 1);
        char *at = views + i * 16;
        memcpy(at, &length, 4);
        if (length <= 12) {
            memcpy(at + 4, s->text[i], (size_t)length);
            continue;
        }
        int32_t from = (int32_t)bytes[which].length;
        memcpy(at + 4, s->text[i], 4);
        memcpy(at + 8, &which, 4);
        memcpy(at + 12, &from, 4);
        text_put(&bytes[which], s->text[i]);
    }
    give_buffer(a, 1, views);
    for (int k = 0; k < 2; k++) {
        sizes[k] = (int64_t)bytes[k].length;
        if (sizes[k])
            give_buffer(a, 2 + k, copied(bytes[k].data, bytes[k].length));
        text_free(&bytes[k]);
    }
    a->n_buffers = 5;
    give_buffer(a, 4, copied(sizes, sizeof sizes));
}

static void give_texts(struct ArrowArray *a, const slots *s, const char *format)
{
    if (format[0] == 'v')
        give_views(a, s);
    else
        give_offsets(a, s, format[0] == 'U');
}

static const char long_word[] = "somebody with a long name";

/* ---- dictionaries: another list for each batch ---- */

static void shuffle(const char **text, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int k = (int)random_below(i + 1);
        const char *t = text[i];
        text[i] = text[k];
        text[k] = t;
    }
}

static int code_width(char format)
{
    return format == 'c' || format == 'C'   ? 1
           : format == 's' || format == 'S' ? 2
           : format == 'i' || format == 'I' ? 4
                                            : 8;
}

/* NULL in the list: a null entry. */
static int64_t code_of(const char *const *list, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (list[i] && text ? !strcmp(list[i], text) : !list[i] && !text)
            return i;
    fail_msg("%s is not listed", text);
    return -1;
}

static int make_list(const char **list)
{
    int count = 0;
    for (int i = 0; i < 11; i++)
        list[count++] = words[i];
    list[count++] = long_word;
    list[count++] = NULL;
    list[count++] = "nobody has this";
    list[count++] = "nor this, which is longer";
    shuffle(list, count);
    return count;
}

static void give_list(struct ArrowArray *a, const char *const *list, int count,
                      const char *format)
{
    owned *o = a->private_data;
    int64_t offset = random_below(4), tail = random_below(3);
    static slots s;
    uint8_t missing[LIST_MOST] = {0};
    s.count = 0;
    for (int64_t i = 0; i < offset + count + tail; i++) {
        int inside = i >= offset && i < offset + count;
        const char *text = inside ? list[i - offset] : "out of the list";
        s.text[s.count++] = text ? text : "a null entry's text";
        if (inside)
            missing[i - offset] = !text;
    }
    a->dictionary = o->dictionary = calloc(1, sizeof *a);
    make_array(o->dictionary, count, offset, 3);
    give_valid(o->dictionary, s.count, offset, missing, count);
    give_texts(o->dictionary, &s, format);
}

/* A missing value is a 0 among the bits, or the code of a null entry. */
static void give_codes(struct ArrowArray *a, const made *c, const layout *l,
                       int from, int64_t first, int64_t rows, int64_t size,
                       uint8_t *missing)
{
    const char *list[LIST_MOST];
    int count = make_list(list), width = code_width(l->format[0]);
    char *codes = junk((size_t)(size * width));
    for (int64_t i = 0; i < rows; i++) {
        const char *text = c->field[from + i];
        int by_entry = missing[i] && random_below(2);
        if (missing[i] && !by_entry)
            continue;
        missing[i] = 0;
        int64_t code = code_of(list, count, by_entry ? NULL : text);
        memcpy(codes + (first + i) * width, &code, (size_t)width);
    }
    give_buffer(a, 1, codes);
    give_list(a, list, count, l->list);
}

/* ---- one column of a batch ---- */

static void give_numbers(struct ArrowArray *a, const made *c, int from,
                         int64_t first, int64_t rows, int64_t size)
{
    size_t width = made_size[c->type];
    char *values = junk(c->type == SOTTO_BOOL ? (size_t)(size + 7) / 8
                                              : (size_t)size * width);
    for (int64_t i = 0; i < rows; i++)
        if (c->type == SOTTO_BOOL)
            set_bit(values, first + i, (int)c->whole[from + i]);
        else
            put_element(values + (size_t)(first + i) * width, c,
                        (int)(from + i));
    give_buffer(a, 1, values);
}

/* The child has the batch's offset before its rows, and its own before that. */
static struct ArrowArray *make_child(const producer *p, int j, int from,
                                     int64_t rows, int64_t batch_offset)
{
    const made *c = p->column[j];
    const layout *l = &p->layout[j];
    int64_t own = random_below(11), tail = random_below(4);
    int64_t first = own + batch_offset, size = first + rows + tail;
    static slots s;
    uint8_t missing[MOST_ROWS];
    struct ArrowArray *a = calloc(1, sizeof *a);
    make_array(a, size - own, own, c->is_text && !l->list[0] ? 3 : 2);
    for (int64_t i = 0; i < rows; i++)
        missing[i] = c->masked && c->missing[from + i];
    if (l->list[0])
        give_codes(a, c, l, from, first, rows, size, missing);
    else if (c->is_text) {
        s.count = size;
        for (int64_t i = 0; i < size; i++)
            s.text[i] = i >= first && i < first + rows
                            ? c->field[from + i - first]
                            : "not in a row";
        give_texts(a, &s, l->format);
    } else
        give_numbers(a, c, from, first, rows, size);
    give_valid(a, size, first, missing, rows);
    return a;
}

static void make_batch(producer *p, struct ArrowArray *out, int64_t rows)
{
    int64_t offset = random_below(3) ? 0 : random_below(9);
    make_array(out, rows, offset, 1);
    owned *o = out->private_data;
    o->children = calloc((size_t)p->columns + 1, sizeof *o->children);
    out->children = o->children;
    out->n_children = o->n_children = p->columns;
    for (int j = 0; j < p->columns; j++)
        o->children[j] = make_child(p, j, p->at, rows, offset);
    give_valid(out, offset + rows, offset, p->absent + p->at, rows);
}

/* ---- the stream ---- */

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    producer *p = stream->private_data;
    if (++p->asked == p->fail_at) {
        memset(out, 0xee, sizeof *out); /* it is not handed over */
        return p->code;
    }
    if (p->at == p->rows && (p->batches || random_below(2))) {
        *out = (struct ArrowArray){0};
        return 0;
    }
    int64_t left = p->rows - p->at, rows = random_below(4);
    rows = rows == 0   ? 0 /* an empty one */
           : rows == 1 ? random_below(left + 1)
                       : (left + 2) / 3;
    rows = rows > left ? left : rows;
    make_batch(p, out, rows);
    p->at += (int)rows;
    p->batches++;
    if (p->spoil)
        p->spoil(out);
    return 0;
}

static const char *last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the SECRET of row 3";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    assert_non_null(stream->release);
    memset(stream, 0xee, sizeof *stream);
    stream->release = NULL;
    live_streams--;
}

static struct ArrowArrayStream stream_of(producer *p)
{
    live_streams++;
    return (struct ArrowArrayStream){get_schema, get_next, last_error,
                                     release_stream, p};
}

__attribute__((unused)) static void assert_all_released(void)
{
    assert_int_equal(live_streams, 0);
    assert_int_equal(live_schemas, 0);
    assert_int_equal(live_arrays, 0);
}

/* ---- layouts ---- */

static layout random_layout(const made *c)
{
    static const char of_type[TYPES + 1] = "fgcsilCSILb";
    static const char *const texts[] = {"u", "U", "vu"};
    static const char codes[] = "cCsSiIlL";
    layout l = {"", ""};
    int64_t pick = random_below(6);
    if (!c->is_text)
        l.format[0] = of_type[c->type];
    else if (pick < 3)
        strcpy(l.format, texts[pick]);
    else {
        l.format[0] = codes[random_below(8)];
        strcpy(l.list, texts[pick - 3]);
    }
    return l;
}

__attribute__((unused)) static void make_producer(producer *p, made **columns,
                                                  int count, int rows)
{
    *p = (producer){
        .column = columns, .columns = count, .rows = rows, .code = EIO};
    for (int j = 0; j < count; j++)
        p->layout[j] = random_layout(columns[j]);
}

/* A row that is null as a whole has no field in CSV either. */
__attribute__((unused)) static void make_absent(producer *p, int i)
{
    p->absent[i] = 1;
    for (int j = 0; j < p->columns; j++)
        p->column[j]->field[i][0] = 0;
}

#endif
