/*
 * Numbers the people: rows with the same text in the unit column get the same
 * number. Texts are compared whole. A hash alone could make two people one,
 * and then one person's rows would decide which rows of the other are kept
 * (--rows-per-person).
 */
#include "block.h"
#include "text_set.h"

static int unit_number_block(int64_t *out, text_set *set, const block *b)
{
    size_t from = 0;
    for (int64_t i = 0; i < b->rows; i++) {
        out[i] =
            text_set_number(set, b->unit.data + from, b->unit_end[i] - from);
        if (out[i] < 0)
            return 0;
        from = b->unit_end[i];
    }
    return 1;
}

sotto_status unit_number(int64_t *out, const block *first, sotto_error *error)
{
    text_set set = {0};
    int done = 1;
    for (const block *b = first; b && done; b = b->next) {
        done = unit_number_block(out, &set, b);
        out += b->rows;
    }
    text_set_free(&set);
    return done ? SOTTO_OK : error_memory(error);
}
