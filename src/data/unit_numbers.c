/*
 * Numbers the people: rows with the same text in the unit column get the same
 * number. Texts are compared whole. A hash alone could make two people one,
 * and then one person's rows would decide which rows of the other are kept
 * (--rows-per-person).
 */
#include "block.h"

#include <string.h>

typedef struct unit_slot {
    const char *text; /* NULL: free */
    size_t size;
    int64_t number;
} unit_slot;

typedef struct unit_set {
    unit_slot *slot;
    size_t slots; /* a power of two */
    int64_t count;
} unit_set;

static uint64_t unit_hash(const char *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

/* The slot of this text, or the free one where it belongs. */
static unit_slot *unit_find(const unit_set *set, const char *bytes, size_t size)
{
    size_t i = (size_t)unit_hash(bytes, size) & (set->slots - 1);
    for (;; i = (i + 1) & (set->slots - 1)) {
        unit_slot *s = &set->slot[i];
        if (!s->text || (s->size == size && !memcmp(s->text, bytes, size)))
            return s;
    }
}

static int unit_grow(unit_set *set)
{
    unit_set larger = {.slots = set->slots ? set->slots * 2 : 1024,
                       .count = set->count};
    larger.slot = mem_zeroed(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return 0;
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i].text)
            *unit_find(&larger, set->slot[i].text, set->slot[i].size) =
                set->slot[i];
    mem_free(set->slot);
    *set = larger;
    return 1;
}

static int unit_number_block(int64_t *out, unit_set *set, const block *b)
{
    size_t from = 0;
    for (int64_t i = 0; i < b->rows; i++) {
        if ((size_t)set->count * 2 >= set->slots && !unit_grow(set))
            return 0;
        const char *bytes = b->unit.data + from;
        size_t size = b->unit_end[i] - from;
        unit_slot *s = unit_find(set, bytes, size);
        if (!s->text)
            *s = (unit_slot){bytes, size, set->count++};
        out[i] = s->number;
        from = b->unit_end[i];
    }
    return 1;
}

sotto_status unit_number(int64_t *out, const block *first, sotto_error *error)
{
    unit_set set = {0};
    int done = 1;
    for (const block *b = first; b && done; b = b->next) {
        done = unit_number_block(out, &set, b);
        out += b->rows;
    }
    mem_wipe(set.slot, set.slots * sizeof *set.slot);
    mem_free(set.slot);
    return done ? SOTTO_OK : error_memory(error);
}
