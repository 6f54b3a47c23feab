/* libFuzzer: Arrow streams. The input says which columns there are, how long
   batches and arrays claim to be, and what is in their buffers; a buffer is as
   long as what it claims needs, where that is possible, because nobody can
   check that. Everything that was handed over must come back once. */
#include "fuzz.h"

#include "data/arrow_abi.h"

#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { COLUMNS = 4, BUFFERS = 5, LONGEST = 40, TEXT = 64 };

typedef struct input {
    const uint8_t *at, *end;
    char format[COLUMNS][4], list[COLUMNS][4];
    char name[COLUMNS][2];
} input;

static int live;

static uint8_t take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* Mostly small; now and then what no length is. */
static int64_t number(input *in)
{
    static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 8};
    uint8_t b = take(in);
    return b >= 252 ? odd[b - 252] : b % 8;
}

static void fill(input *in, void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = take(in);
}

/* ---- schemas: in static memory ---- */

static struct ArrowSchema schemas[COLUMNS], lists[COLUMNS];
static struct ArrowSchema *schema_list[COLUMNS];

static void release_schema(struct ArrowSchema *s)
{
    if (!s->release)
        abort();
    s->release = NULL;
    live--;
}

static void nothing(struct ArrowSchema *s)
{
    s->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    static const char *const formats[] = {"c", "C",  "s", "S",  "i",  "I",
                                          "l", "L",  "f", "g",  "b",  "u",
                                          "U", "vu", "z", "+l", "tdD"};
    input *in = stream->private_data;
    for (int j = 0; j < COLUMNS; j++) {
        int which = take(in) % 17, listed = take(in) % 6;
        strcpy(in->format[j], formats[which]);
        strcpy(in->list[j], listed < 3 ? "" : formats[8 + listed]);
        in->name[j][0] = (char)('a' + j);
        lists[j] =
            (struct ArrowSchema){.format = in->list[j], .release = nothing};
        schemas[j] =
            (struct ArrowSchema){.format = in->format[j],
                                 .name = in->name[j],
                                 .dictionary = *in->list[j] ? &lists[j] : NULL,
                                 .release = nothing};
        schema_list[j] = &schemas[j];
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = COLUMNS,
                                .children = schema_list,
                                .release = release_schema};
    live++;
    return take(in) == 255 ? (release_schema(out), EIO) : 0;
}

/* ---- arrays ---- */

typedef struct owned {
    struct ArrowArray *child[COLUMNS], *list;
    const void *buffer[BUFFERS];
} owned;

static void release_array(struct ArrowArray *a)
{
    owned *o = a->private_data;
    if (!a->release)
        abort();
    a->release = NULL;
    for (int j = 0; j < COLUMNS; j++)
        if (o->child[j]) {
            if (o->child[j]->release)
                o->child[j]->release(o->child[j]);
            free(o->child[j]);
        }
    if (o->list) {
        o->list->release(o->list);
        free(o->list);
    }
    for (int i = 0; i < BUFFERS; i++)
        free((void *)(uintptr_t)o->buffer[i]);
    free(o);
    live--;
}

static owned *make_array(input *in, struct ArrowArray *a)
{
    owned *o = calloc(1, sizeof *o);
    *a = (struct ArrowArray){.length = number(in),
                             .offset = number(in),
                             .null_count = take(in) % 3 - 1,
                             .buffers = o->buffer,
                             .release = release_array,
                             .private_data = o};
    live++;
    return o;
}

static void *some(input *in, size_t size)
{
    void *out = malloc(size);
    fill(in, out, size);
    return out;
}

/* Offsets that may decrease, but stay within the bytes. */
static void *some_offsets(input *in, size_t count, size_t width)
{
    char *out = calloc(count, width);
    for (size_t i = 0; i < count; i++)
        out[i * width] = (char)(take(in) % TEXT);
    return out;
}

static void give_buffers(input *in, struct ArrowArray *a, owned *o,
                         const char *format)
{
    int64_t sizes[2] = {take(in) % 32, take(in) % 32};
    a->n_buffers = take(in) % 16 ? 5 : take(in) % 5;
    o->buffer[0] = take(in) % 2 ? some(in, LONGEST / 8) : NULL;
    if (take(in) == 255)
        return;
    if (*format == 'u' || *format == 'U') {
        o->buffer[1] = some_offsets(in, LONGEST + 1, *format == 'u' ? 4 : 8);
        o->buffer[2] = take(in) % 8 ? some(in, TEXT) : NULL;
    } else if (*format == 'v') {
        o->buffer[1] = some(in, LONGEST * 16);
        o->buffer[2] = some(in, (size_t)sizes[0] + 1);
        o->buffer[3] = take(in) % 4 ? some(in, (size_t)sizes[1] + 1) : NULL;
        if (a->n_buffers == 5) {
            o->buffer[4] = malloc(sizeof sizes);
            memcpy((void *)(uintptr_t)o->buffer[4], sizes, sizeof sizes);
        }
        a->n_buffers = 5; /* the sizes are the last of them */
    } else
        o->buffer[1] = some(in, LONGEST * 8);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    input *in = stream->private_data;
    uint8_t how = take(in);
    *out = (struct ArrowArray){0};
    if (in->at == in->end || how == 0)
        return 0;
    if (how == 1)
        return EIO;
    owned *top = make_array(in, out);
    out->children = top->child;
    out->n_children = take(in) % 32 ? COLUMNS : number(in);
    out->n_buffers = 1;
    top->buffer[0] = take(in) % 4 ? NULL : some(in, LONGEST / 8);
    for (int j = 0; j < COLUMNS; j++) {
        struct ArrowArray *a = top->child[j] = calloc(1, sizeof *a);
        owned *o = make_array(in, a);
        give_buffers(in, a, o, in->format[j]);
        if (*in->list[j] && take(in) % 16) {
            a->dictionary = o->list = calloc(1, sizeof *a);
            give_buffers(in, o->list, make_array(in, o->list), in->list[j]);
        }
    }
    return 0;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    if (!stream->release)
        abort();
    stream->release = NULL;
    live--;
}

/* ---- read ---- */

static void read_stream(const uint8_t *bytes, size_t size,
                        const fuzz_setting *settings)
{
    input in = {.at = bytes, .end = bytes + size};
    struct ArrowArrayStream stream = {get_schema, get_next, NULL,
                                      release_stream, &in};
    sotto_columns *list = NULL;
    sotto_table *t = NULL;
    sotto_error error = {0};
    sotto_options *o = fuzz_options(settings);
    live++;
    sotto_status status = sotto_columns_stream(&list, &stream, &error);
    if (status == SOTTO_OK)
        status = sotto_table_from(&t, list, o, &error);
    volatile double seen = t ? fuzz_look(t) : 0;
    (void)seen;
    if (!t != (status != SOTTO_OK) || (status && !error.message[0]))
        abort();
    sotto_table_free(t);
    sotto_columns_free(list);
    sotto_options_free(o);
    if (live || stream.release)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const fuzz_setting stop[] = {{"threads", "1"}, {"drop", "d"}, {0}};
    static const fuzz_setting drop[] = {
        {"threads", "1"}, {"bad-rows", "drop"}, {"unit-column", "b"},
        {"target", "a"},  {"keep-ids", "yes"},  {0}};
    read_stream(bytes, size, stop);
    read_stream(bytes, size, drop);
    return 0;
}
