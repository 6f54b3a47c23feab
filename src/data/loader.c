/*
 * Pieces of a text file, parsed side by side. They are handed out in the
 * order of the file, and what comes of them is put together in that order,
 * so that neither the table nor the first fault depends on the threads.
 */
#include "loader.h"
#include "rank.h"
#include "row_value.h"

#include <string.h>

/* The next piece: of this file or, where it has ended, of the next. So a
   record ends with its file, whatever its quotes. */
static sotto_status loader_piece(loader *l, piece *out)
{
    for (;;) {
        sotto_status status = source_next(l->s, &l->how, out, l->error);
        source *next = source_following(l->s);
        if (status != SOTTO_OK || out->size || !next || next == l->end)
            return status;
        l->s = next;
    }
}

/* The next piece and its block, in the order of the file; 0 at the end. */
static int loader_next(loader *l, piece *out, block **b)
{
    int got = 0;
    pthread_mutex_lock(&l->lock);
    *b = NULL;
    if (!l->stop)
        l->status = loader_piece(l, out);
    if (!l->stop && l->status == SOTTO_OK && out->size) {
        *b = mem_zeroed(1, sizeof **b);
        if (*b) {
            *(l->last ? &l->last->next : &l->first) = *b;
            l->last = *b;
            (*b)->number = l->handed_out++;
            (*b)->from = l->s;
            got = 1;
        } else {
            l->status = error_memory(l->error);
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

/* Adds the worker's entries to the store. They go there in the order of the
   file, so a worker waits for its turn. */
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
    range_merge(l->range, w->range, l->p->features);
    pthread_mutex_unlock(&l->lock);
}

static void loader_work(void *context, int number)
{
    loader *l = context;
    worker w;
    piece p = {0};
    (void)number;
    int ready = worker_open(&w, l->p, l->sparse);
    if (!ready)
        loader_give_up(l, 1);
    while (ready && loader_next(l, &p, &w.block)) {
        w.text = p.text;
        w.text_end = p.text + p.size;
        w.has_nul = memchr(p.text, 0, p.size) != NULL;
        l->parse(&w, &p);
        if (w.failed)
            w.block->fault = (fault){0}; /* the row is not to blame */
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
    source_release(&p);
    worker_close(&w);
}

/* The first fault in the order of the files, as one line; each of them begins
   with so many lines that are no records. */
static sotto_status loader_fault(const loader *l, int64_t lines,
                                 sotto_error *error)
{
    const block *b = l->first;
    while (b && !b->fault.expected)
        b = b->next;
    if (!b)
        return SOTTO_OK;
    lines += l->p->lines_before + read_lines_before(l->first, b);
    const fault *f = &b->fault;
    text_buffer where = {0};
    if (f->place > 0)
        text_format(&where, ", column %lld", (long long)f->place);
    if (f->at)
        text_format(&where, " (\"%s\")", show_name(f->at->name).text);
    text_buffer allowed = {0};
    value_list_allowed(l->p, f, &allowed);
    /* gzip has its checksum at the end, so damage may have come so far */
    sotto_status status = error_set(
        error, SOTTO_DATA, "%s: line %lld%s: %s%s%s%s",
        show_name(source_name(b->from)).text, (long long)(lines + f->line),
        where.data ? where.data : "", f->expected,
        allowed.data ? allowed.data : "",
        value_way_out(l->p),
        source_is_gzip(b->from)
            ? " (or the gzip data are damaged: check with gzip -t)"
            : "");
    text_free(&allowed);
    text_free(&where);
    return status;
}

/* A fault of a row is told first: a failure that stopped the reading of later
   pieces may depend on the threads. Ranks tell each other their lines before;
   the first of them that has a fault is heard. */
static sotto_status loader_told(loader *l, int64_t lines, sotto_error *error)
{
    sotto_error other = {SOTTO_OK, ""};
    sotto_status status = l->p->ranks ? rank_count_lines(l, &other) : SOTTO_OK;
    if (status != SOTTO_OK) {
        *error = other;
        return status;
    }
    status = loader_fault(l, lines, error);
    return status == SOTTO_OK ? l->status : status;
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
static size_t loader_piece_size(const source *s, const column_plan *p)
{
    int64_t left = 0;
    for (; s; s = source_following(s))
        left += source_left(s) / 1024;
    int64_t want = p->columns * 1024;
    if (want < left)
        want = left;
    if (want < 1 << 20)
        want = 1 << 20;
    return (size_t)(want > 1 << 24 ? 1 << 24 : want);
}

/* Parses the rest of the source; `lines` came before it. */
sotto_status loader_run(loader *l, sotto_table *t, int64_t lines,
                        sotto_error *error)
{
    l->error = error;
    l->by_bytes = l->p->ranks && !source_following(l->s);
    if (l->p->ranks) {
        sotto_status status = rank_narrow(l, error);
        if (status != SOTTO_OK)
            return status;
    }
    l->how = (source_cutting){loader_piece_size(l->s, l->p), READER_LONGEST,
                              l->p->drop_bad && !l->p->marks_bad, l->cut, l->p};
    t->features = l->p->features;
    t->sparse = l->sparse;
    if (!l->sparse && !l->p->drop_bad && !l->p->exact &&
        !range_new(&l->range, l->p->features))
        return error_memory(error);
    pthread_mutex_init(&l->lock, NULL); /* with glibc neither can fail */
    pthread_cond_init(&l->turned, NULL);
    l->store.element = plan_element(l->p);
    if (l->s) /* a rank may have no file */
        thread_run(l->p->threads, loader_work, l);
    pthread_cond_destroy(&l->turned);
    pthread_mutex_destroy(&l->lock);
    sotto_status status = loader_told(l, lines, error);
    if (status == SOTTO_OK)
        status =
            read_finish(t, l->p, l->first, &l->store, lines, l->range, error);
    loader_free_blocks(l);
    store_free(&l->store);
    mem_free(l->range);
    return status;
}
