/*
 * Texts and their numbers, see text_set.h.
 */
#include "text_set.h"

#include <string.h>

static uint64_t text_hash(const char *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

/* The slot of this text, or the free one where it belongs. */
static text_slot *text_find(const text_set *set, const char *bytes, size_t size)
{
    size_t i = (size_t)text_hash(bytes, size) & (set->slots - 1);
    for (;; i = (i + 1) & (set->slots - 1)) {
        text_slot *s = &set->slot[i];
        if (!s->text || (s->size == size && !memcmp(s->text, bytes, size)))
            return s;
    }
}

static int text_grow(text_set *set)
{
    text_set larger = {.slots = set->slots ? set->slots * 2 : 1024,
                       .count = set->count};
    larger.slot = mem_zeroed(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return 0;
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i].text)
            *text_find(&larger, set->slot[i].text, set->slot[i].size) =
                set->slot[i];
    mem_free_wiped(set->slot, set->slots * sizeof *set->slot);
    *set = larger;
    return 1;
}

int64_t text_set_number(text_set *set, const char *bytes, size_t size)
{
    if ((size_t)set->count * 2 >= set->slots && !text_grow(set))
        return -1;
    text_slot *s = text_find(set, bytes, size);
    if (!s->text)
        *s = (text_slot){bytes, size, set->count++};
    return s->number;
}

void text_set_free(text_set *set)
{
    mem_free_wiped(set->slot, set->slots * sizeof *set->slot);
    *set = (text_set){0};
}
