/*
 * From a file to a table: find the format, make the plan, let workers parse
 * the pieces, and put the blocks together in the order of the file.
 */
#include "reader.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; refused by older kernels */
#endif

/* ---- lines ---- */

size_t read_cut_lines(const char *text, size_t size, const void *context)
{
    (void)context;
    const char *last = memrchr(text, '\n', size);
    return last ? (size_t)(last - text) + 1 : 0;
}

int64_t read_count_lines(const char *text, size_t size)
{
    int64_t lines = 0;
    while (size) {
        /* short runs with a byte counter: the compiler makes vectors of it */
        size_t run = size < 240 ? size : 240;
        unsigned char count = 0;
        for (size_t i = 0; i < run; i++)
            count = (unsigned char)(count + (text[i] == '\n'));
        lines += count;
        text += run;
        size -= run;
    }
    return lines;
}

/* ---- the format ---- */

sotto_status read_skip_mark(source *s, sotto_error *error)
{
    const char *bytes;
    char mark[3];
    size_t size;
    sotto_status status = source_peek(s, 3, &bytes, &size, error);
    if (status != SOTTO_OK)
        return status;
    if (size >= 2 &&
        (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
        return error_set(error, SOTTO_DATA,
                         "%s: expected UTF-8, found UTF-16; convert it with "
                         "iconv -f UTF-16 -t UTF-8",
                         show_name(source_name(s)).text);
    if (size == 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
        return source_take(s, mark, 3, &size, error);
    return SOTTO_OK;
}

static int read_ends_with(const char *name, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && !memcmp(name + length - size, ending, size);
}

static int read_format_of_name(const char *name, read_format *out)
{
    static const struct {
        const char *ending;
        read_format format;
    } endings[] = {{".csv", READ_CSV},           {".tsv", READ_CSV},
                   {".svm", READ_SVMLIGHT},      {".libsvm", READ_SVMLIGHT},
                   {".svmlight", READ_SVMLIGHT}, {".npy", READ_NPY}};
    size_t length = strlen(name);
    if (read_ends_with(name, length, ".gz"))
        length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (read_ends_with(name, length, endings[i].ending)) {
            *out = endings[i].format;
            return 1;
        }
    return 0;
}

sotto_status read_detect(source *s, const sotto_options *options,
                         read_format *out, sotto_error *error)
{
    const char *bytes;
    size_t size;
    if (option_given(options, OPTION_FORMAT)) {
        *out = option_is(options, OPTION_FORMAT, "csv")        ? READ_CSV
               : option_is(options, OPTION_FORMAT, "svmlight") ? READ_SVMLIGHT
                                                               : READ_NPY;
        return SOTTO_OK;
    }
    sotto_status status = source_peek(s, 6, &bytes, &size, error);
    if (status != SOTTO_OK)
        return status;
    if (size == 6 && !memcmp(bytes, "\x93NUMPY", 6) &&
        !option_is(options, OPTION_BAD_ROWS, "drop"))
        *out = READ_NPY;
    else if (!read_format_of_name(source_name(s), out))
        return error_set(error, SOTTO_USAGE,
                         "%s: the name does not say the format; expected "
                         ".csv, .tsv, .svm or .npy, or --format",
                         show_name(source_name(s)).text);
    return SOTTO_OK;
}

/* ---- pieces, parsed side by side ---- */

typedef struct loader {
    source *s;
    plan *p;
    int sparse;
    reader_parse parse;
    source_cut cut;
    size_t want, limit;
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t turned;
    block *first, *last;
    int64_t handed_out; /* pieces so far */
    int64_t turn;       /* whose entries the store takes next */
    int stop;           /* hand out no more pieces */
    int given_up;       /* a fault or failure: there will be no table */
    entry_store store;
    sotto_status status;
    sotto_error *error;
    column_range *range;
} loader;

/* The next piece and its block, in the order of the file; 0 at the end. */
static int loader_next(loader *l, piece *out, block **b)
{
    int got = 0;
    pthread_mutex_lock(&l->lock);
    *b = NULL;
    if (!l->stop)
        l->status =
            source_next(l->s, l->want, l->limit, l->cut, l->p, out, l->error);
    if (!l->stop && l->status == SOTTO_OK && out->size) {
        *b = mem_zeroed(1, sizeof **b);
        if (*b) {
            *(l->last ? &l->last->next : &l->first) = *b;
            l->last = *b;
            (*b)->number = l->handed_out++;
            got = 1;
        } else {
            l->status = error_memory(l->error);
            source_release(l->s, out);
        }
    }
    l->stop |= !got;
    l->given_up |= l->status != SOTTO_OK;
    pthread_cond_broadcast(&l->turned);
    pthread_mutex_unlock(&l->lock);
    return got;
}

/* After a fault in a row, or when memory is out. */
static void loader_give_up(loader *l, int memory)
{
    pthread_mutex_lock(&l->lock);
    if (memory && l->status == SOTTO_OK)
        l->status = error_memory(l->error);
    l->stop = l->given_up = 1;
    pthread_cond_broadcast(&l->turned);
    pthread_mutex_unlock(&l->lock);
}

/* Entries go to the store in the order of the file: wait for it. */
static int loader_store(loader *l, const worker *w)
{
    int stored = 0;
    pthread_mutex_lock(&l->lock);
    while (l->turn != w->block->number && !l->given_up)
        pthread_cond_wait(&l->turned, &l->lock);
    int mine = !l->given_up;
    pthread_mutex_unlock(&l->lock);
    if (!mine)
        return 1;
    stored = store_append(&l->store, w);
    pthread_mutex_lock(&l->lock);
    l->turn++;
    pthread_cond_broadcast(&l->turned);
    pthread_mutex_unlock(&l->lock);
    return stored;
}

static void loader_merge_ranges(loader *l, const worker *w)
{
    if (!w->range)
        return;
    pthread_mutex_lock(&l->lock);
    for (int64_t j = 0; j < l->p->features; j++) {
        l->range[j].low = fmin(l->range[j].low, w->range[j].low);
        l->range[j].high = fmax(l->range[j].high, w->range[j].high);
        l->range[j].lost = fmax(l->range[j].lost, w->range[j].lost);
    }
    pthread_mutex_unlock(&l->lock);
}

/* Asks for the pages of a mapped piece in one go. */
static void loader_populate(const piece *p)
{
    uintptr_t from = (uintptr_t)p->text & ~(uintptr_t)4095;
    if (!p->buffer)
        madvise((void *)from, (uintptr_t)p->text + p->size - from,
                MADV_POPULATE_READ);
}

static void loader_work(void *context, int number)
{
    loader *l = context;
    worker w;
    piece p;
    (void)number;
    int ready = worker_open(&w, l->p, l->sparse);
    if (!ready)
        loader_give_up(l, 1);
    while (ready && loader_next(l, &p, &w.block)) {
        loader_populate(&p);
        w.text = p.text;
        w.text_end = p.text + p.size;
        w.has_nul = memchr(p.text, 0, p.size) != NULL;
        l->parse(&w, &p);
        source_release(l->s, &p);
        if (w.failed)
            w.block->fault = (fault){0}; /* not the row's */
        int bad = w.block->fault.expected != NULL;
        if (!w.failed && !bad && l->sparse)
            w.failed = !loader_store(l, &w);
        if (w.failed || bad) {
            loader_give_up(l, w.failed);
            break;
        }
    }
    if (ready)
        loader_merge_ranges(l, &w);
    worker_close(&w);
}

/* The first fault in the order of the file, as one line. */
static sotto_status loader_fault(const loader *l, int64_t lines,
                                 sotto_error *error)
{
    const block *b = l->first;
    while (b && !b->fault.expected) {
        lines += b->lines;
        b = b->next;
    }
    if (!b)
        return SOTTO_OK;
    const fault *f = &b->fault;
    text_buffer where = {0};
    if (f->place > 0)
        text_format(&where, ", column %lld", (long long)f->place);
    if (f->at)
        text_format(&where, " (\"%s\")", show_name(f->at->name).text);
    /* damage inside a gzip stream is only certain at its end */
    sotto_status status = error_set(
        error, SOTTO_DATA, "%s: line %lld%s: %s%s", show_name(l->p->file).text,
        (long long)(lines + f->line), where.data ? where.data : "", f->expected,
        source_is_gzip(l->s)
            ? " (or the gzip data are damaged: check with gzip -t)"
            : "");
    text_free(&where);
    return status;
}

static int64_t read_first_line(const block *first, int zero)
{
    int64_t lines = 0;
    for (const block *b = first; b; b = b->next) {
        int64_t line = zero ? b->line_zero : b->line_minus;
        if (line)
            return lines + line;
        lines += b->lines;
    }
    return 0;
}

/* Two classes that turn out to be three: -1, 0 and 1. With --bad-rows drop
   each row is taken on its own, and -1 and 0 are both the negative class. */
static sotto_status read_check_classes(plan *p, const block *first,
                                       int64_t lines, sotto_error *error)
{
    int64_t minus = read_first_line(first, 0);
    int64_t zero = read_first_line(first, 1);
    p->zero_seen = zero && !p->drop_bad;
    if (p->drop_bad || !minus || !zero)
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA,
                     "%s: %s %lld: column \"%s\": expected two classes, "
                     "found -1, 0 and 1 among the labels; declare the two "
                     "with --classes A,B",
                     show_name(p->file).text, p->row_word,
                     (long long)(lines + (minus > zero ? minus : zero)),
                     show_name(p->target->name).text);
}

/* A table has rows and features, unless their number is private. */
static sotto_status read_check_shape(const sotto_table *t, const plan *p,
                                     int64_t lines, sotto_error *error)
{
    if (t->features == 0)
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: no row has a feature; expected "
                         "index:value",
                         show_name(p->file).text);
    if (t->rows == 0 && !p->is_private && !p->drop_bad)
        return error_set(
            error, SOTTO_DATA, "%s: %s %lld: expected at least one row%s",
            show_name(p->file).text, p->row_word, (long long)lines + 1,
            lines ? " after the header" : "");
    return SOTTO_OK;
}

sotto_status read_finish(sotto_table *t, plan *p, block *first,
                         entry_store *store, int64_t lines,
                         const column_range *range, sotto_error *error)
{
    for (const block *b = first; b && !p->features; b = b->next)
        if (b->largest > t->features)
            t->features = b->largest;
    sotto_status status = read_check_classes(p, first, lines, error);
    if (status == SOTTO_OK)
        status = block_assemble(t, p, first, store, error);
    if (status == SOTTO_OK)
        status = read_check_shape(t, p, lines, error);
    if (status == SOTTO_OK)
        status = table_remark(t, p, first, range, error);
    if (status == SOTTO_OK)
        status = table_describe(t, p, error);
    return status;
}

static void loader_free_blocks(loader *l)
{
    while (l->first) {
        block *next = l->first->next;
        block_free(l->first);
        l->first = next;
    }
}

/* Large enough that a column's share of a piece is worth a copy, small
   enough that the pieces in flight are little beside the table. */
static size_t loader_piece_size(const source *s, const plan *p)
{
    int64_t left = source_left(s) / 1024;
    int64_t want = p->columns * 1024;
    if (want < left)
        want = left;
    if (want < 1 << 20)
        want = 1 << 20;
    return (size_t)(want > 1 << 24 ? 1 << 24 : want);
}

/* Parses the rest of the source; `lines` came before it. */
static sotto_status loader_run(loader *l, sotto_table *t, int64_t lines,
                               sotto_error *error)
{
    l->error = error;
    l->want = loader_piece_size(l->s, l->p);
    t->features = l->p->features;
    t->sparse = l->sparse;
    if (!l->sparse && !l->p->drop_bad && !range_new(&l->range, l->p->features))
        return error_memory(error);
    pthread_mutex_init(&l->lock, NULL); /* with glibc neither can fail */
    pthread_cond_init(&l->turned, NULL);
    l->store.element = plan_element(l->p);
    thread_run(l->p->threads, loader_work, l);
    pthread_cond_destroy(&l->turned);
    pthread_mutex_destroy(&l->lock);
    /* a fault comes before whatever kept later pieces from being read */
    sotto_status status = loader_fault(l, lines, error);
    if (status == SOTTO_OK)
        status = l->status;
    if (status == SOTTO_OK)
        status =
            read_finish(t, l->p, l->first, &l->store, lines, l->range, error);
    loader_free_blocks(l);
    store_free(&l->store);
    mem_free(l->range);
    return status;
}

/* ---- the formats ---- */

static sotto_status read_csv(sotto_table *t, source *s,
                             const sotto_options *options, sotto_error *error)
{
    char **names, delimiter;
    int64_t count, lines;
    plan p;
    sotto_status status =
        csv_delimiter(source_name(s), options, &delimiter, error);
    if (status == SOTTO_OK)
        status = csv_header(s, delimiter, &names, &count, &lines, error);
    if (status != SOTTO_OK)
        return status;
    status = plan_columns(&p, source_name(s), names, count, options, error);
    csv_free_names(names, count);
    if (status != SOTTO_OK)
        return status;
    p.delimiter = delimiter;
    loader l = {.s = s,
                .p = &p,
                .parse = csv_parse,
                .cut = csv_cut,
                .limit = p.drop_bad ? 0 : 1 << 28};
    status = loader_run(&l, t, lines, error);
    plan_free(&p);
    return status;
}

static sotto_status read_svmlight(sotto_table *t, source *s,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    plan p;
    int64_t features = option_given(options, OPTION_FEATURES)
                           ? option_integer(options, OPTION_FEATURES)
                           : 0;
    sotto_status status =
        plan_numbered(&p, source_name(s), features, options, error);
    if (status != SOTTO_OK)
        return status;
    loader l = {.s = s,
                .p = &p,
                .sparse = 1,
                .parse = svmlight_parse,
                .cut = read_cut_lines};
    status = loader_run(&l, t, 0, error);
    plan_free(&p);
    return status;
}

static sotto_status read_source(sotto_table **out, source *s,
                                const sotto_options *options,
                                sotto_error *error)
{
    read_format format;
    sotto_table *t = NULL;
    sotto_status status = read_detect(s, options, &format, error);
    /* svmlight has no header: its first bytes may be a record's */
    if (status == SOTTO_OK &&
        (format == READ_CSV || (format == READ_SVMLIGHT &&
                                !option_is(options, OPTION_BAD_ROWS, "drop"))))
        status = read_skip_mark(s, error);
    if (status == SOTTO_OK) {
        t = mem_zeroed(1, sizeof *t);
        if (!t)
            status = error_memory(error);
    }
    if (status == SOTTO_OK)
        status = format == READ_CSV        ? read_csv(t, s, options, error)
                 : format == READ_SVMLIGHT ? read_svmlight(t, s, options, error)
                                           : npy_read(t, s, options, error);
    source_close(s);
    if (status != SOTTO_OK)
        sotto_table_free(t);
    else
        *out = t;
    return status;
}

sotto_status sotto_table_read(sotto_table **out, const char *path,
                              const sotto_options *options, sotto_error *error)
{
    source *s = NULL;
    int by_name = option_is(options, OPTION_BAD_ROWS, "drop");
    sotto_status status = source_open(&s, path, by_name, error);
    return status == SOTTO_OK ? read_source(out, s, options, error) : status;
}

sotto_status table_read_memory(sotto_table **out, const char *name,
                               const void *bytes, size_t size,
                               const sotto_options *options, sotto_error *error)
{
    source *s = NULL;
    int by_name = option_is(options, OPTION_BAD_ROWS, "drop");
    sotto_status status = source_memory(&s, name, bytes, size, by_name, error);
    return status == SOTTO_OK ? read_source(out, s, options, error) : status;
}
