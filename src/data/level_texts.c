/*
 * The texts of categories whose levels nobody declared. What is kept of a row
 * is a function of its record; numbers of levels are in the order of their
 * bytes, never in that of the file. All of it is wiped when the levels have
 * been asked for, or the table is freed.
 */
#include "block.h"
#include "text_set.h"

#include <stdlib.h>
#include <string.h>

enum { LEVEL_MOST_BYTES = 200 };

/* How many bytes the character at s takes, of at most `left`; 0: it is none
   that JSON can have, or a control character. */
static size_t character(const unsigned char *s, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t code = size == 1 ? s[0] : s[0] & (0xffu >> (size + 1));
    if (size > left || (s[0] >= 0x80 && s[0] < 0xc0) || s[0] >= 0xf8)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    int surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < ' ' || code == 127 || code < least[size] || surrogate ||
                   code > 0x10ffff
               ? 0
               : size;
}

/* Whether it is UTF-8: a model, which is JSON, can hold nothing else. */
static int is_text(const char *bytes, size_t size)
{
    const unsigned char *s = (const unsigned char *)bytes, *end = s + size;
    while (s < end) {
        size_t step = character(s, (size_t)(end - s));
        if (!step)
            return 0;
        s += step;
    }
    return 1;
}

int table_is_level(const char *bytes, size_t size)
{
    return size > 0 && size <= LEVEL_MOST_BYTES &&
           !(size == strlen(SCHEMA_OTHER) &&
             !memcmp(bytes, SCHEMA_OTHER, size)) &&
           is_text(bytes, size);
}

/* With "missing": "none" the word would be both a level and the lack of one:
   then it is one of the others. */
static int is_ambiguous(const column *c, const char *bytes, size_t size)
{
    return c->missing == MISSING_NONE && size == strlen("none") &&
           !memcmp(bytes, "none", size);
}

/* ---- rows ---- */

int level_open(worker *w)
{
    int64_t columns = w->plan->level_columns;
    if (!columns)
        return 1;
    w->level = mem_zeroed((size_t)columns, sizeof *w->level);
    for (int64_t k = 0; w->level && k < columns; k++)
        w->level[k].is_secret = 1;
    return w->level != NULL;
}

void level_close(worker *w)
{
    for (int64_t k = 0; w->level && k < w->plan->level_columns; k++)
        text_free(&w->level[k]);
    mem_free(w->level);
}

void level_note(worker *w, const column *c, const char *bytes, size_t size)
{
    if (!c->asks_levels)
        return;
    text_buffer *t = &w->level[c->slot];
    t->length = 0;
    if (table_is_level(bytes, size) && !is_ambiguous(c, bytes, size))
        text_add(t, bytes, size);
    w->failed |= t->failed;
}

void level_row(worker *w)
{
    block *b = w->block;
    int64_t columns = w->plan->level_columns;
    for (int64_t k = 0; b->level_end && k < columns; k++) {
        if (w->level[k].length)
            text_add(&b->level, w->level[k].data, w->level[k].length);
        b->level_end[b->rows * columns + k] = b->level.length;
        w->level[k].length = 0;
        w->failed |= b->level.failed;
    }
}

/* ---- numbers ---- */

/* By the order in which texts are seen; -1: none. */
static int number_column(text_set *set, int32_t *id, const block *first,
                         int64_t columns, int64_t k)
{
    for (const block *b = first; b; b = b->next)
        for (int64_t i = 0; i < b->rows; i++, id++) {
            int64_t at = i * columns + k;
            size_t from = at ? b->level_end[at - 1] : 0;
            size_t size = b->level_end[at] - from;
            int64_t number =
                size ? text_set_number(set, b->level.data + from, size) : -1;
            if ((size && number < 0) || number > INT32_MAX)
                return 0;
            *id = (int32_t)number;
        }
    return 1;
}

static int compare_texts(const void *a, const void *b)
{
    const text_slot *x = a, *y = b;
    size_t size = x->size < y->size ? x->size : y->size;
    int by_bytes = memcmp(x->text, y->text, size);
    return by_bytes ? by_bytes : (x->size > y->size) - (x->size < y->size);
}

/* The texts side by side, in the order of their bytes, and by the number that
   each had its new one. */
static int sort_texts(text_set *set, int32_t *now)
{
    size_t count = 0;
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i].text)
            set->slot[count++] = set->slot[i];
    if (count)
        qsort(set->slot, count, sizeof *set->slot, compare_texts);
    for (size_t i = 0; i < count; i++)
        now[set->slot[i].number] = (int32_t)i;
    return 1;
}

static int copy_texts(level_column *out, const text_set *set)
{
    size_t size = 0;
    out->end = mem_zeroed((size_t)set->count + 1, sizeof *out->end);
    for (int64_t i = 0; out->end && i < set->count; i++) {
        size += set->slot[i].size;
        out->end[i] = size;
    }
    out->text = mem_zeroed(size + 1, 1);
    if (!out->end || !out->text)
        return 0;
    out->count = set->count;
    for (int64_t i = 0; i < set->count; i++)
        memcpy(out->text + out->end[i] - set->slot[i].size, set->slot[i].text,
               set->slot[i].size);
    return 1;
}

static int level_number(level_column *out, const sotto_table *t,
                        const block *first, int64_t k)
{
    text_set set = {0};
    out->id = mem_zeroed((size_t)t->rows + 1, sizeof *out->id);
    int fine =
        out->id && number_column(&set, out->id, first, t->levels.columns, k);
    int32_t *now = fine ? mem_zeroed((size_t)set.count + 1, sizeof *now) : NULL;
    fine = now && sort_texts(&set, now) && copy_texts(out, &set);
    for (int64_t i = 0; fine && i < t->rows; i++)
        out->id[i] = out->id[i] < 0 ? -1 : now[out->id[i]];
    mem_free_wiped(now, now ? ((size_t)set.count + 1) * sizeof *now : 0);
    text_set_free(&set);
    return fine;
}

sotto_status level_assemble(sotto_table *t, const column_plan *p,
                            const block *first, sotto_error *error)
{
    table_levels *all = &t->levels;
    all->column = mem_zeroed((size_t)p->level_columns, sizeof *all->column);
    if (!all->column)
        return error_memory(error);
    all->columns = p->level_columns;
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        level_column *out = &all->column[c->slot];
        if (!c->asks_levels)
            continue;
        out->other = c->feature;
        out->name = mem_text(c->name);
        if (!out->name || !level_number(out, t, first, c->slot))
            return error_memory(error);
    }
    return SOTTO_OK;
}

void level_forget(sotto_table *t)
{
    for (int64_t k = 0; k < t->levels.columns; k++) {
        level_column *c = &t->levels.column[k];
        size_t rows = c->id ? (size_t)t->rows : 0;
        size_t size = c->text && c->count ? c->end[c->count - 1] : 0;
        mem_free_wiped(c->id, rows * sizeof *c->id);
        mem_free_wiped(c->text, size);
        mem_free_wiped(c->end, (size_t)c->count * sizeof *c->end);
        c->id = NULL;
        c->text = NULL;
        c->end = NULL;
        c->count = 0;
    }
}
