/*
 * Where everything is in the file of a table, and its checksums.
 *
 * They are for damage, not for forgers: whoever can write the file can write
 * its checksums. BLAKE2b, because libsodium has it already and a change of any
 * number of bits is found; that a piece has another's place is found, too.
 */
#include "table_file.h"

#include <string.h>

void table_sum(unsigned char out[TABLE_SUM], table_section section,
               uint64_t number, const void *bytes, size_t size,
               const void *more, size_t more_size)
{
    crypto_generichash_state state;
    uint64_t place[2] = {section, number};
    crypto_generichash_init(&state, NULL, 0, TABLE_SUM);
    crypto_generichash_update(&state, (const void *)place, sizeof place);
    if (size)
        crypto_generichash_update(&state, bytes, size);
    if (more_size)
        crypto_generichash_update(&state, more, more_size);
    crypto_generichash_final(&state, out, TABLE_SUM);
    mem_wipe(&state, sizeof state);
}

int64_t table_block_rows(int64_t features)
{
    const int64_t page = TABLE_PAGE_ROWS * (int64_t)sizeof(float);
    int64_t pages = TABLE_BLOCK / page / (features > 0 ? features : 1);
    return (pages > 1 ? pages : 1) * TABLE_PAGE_ROWS;
}

int64_t table_blocks(const table_layout *l)
{
    return l->features ? (l->rows + l->block - 1) / l->block : 0;
}

table_block table_block_at(const table_layout *l, int64_t number)
{
    size_t row = (size_t)l->features * sizeof(float);
    table_block b = {.from = number * l->block};
    b.rows = l->rows - b.from < l->block ? l->rows - b.from : l->block;
    b.at = l->at[SECTION_COLUMNS] +
           (size_t)number * ((size_t)l->block * row + TABLE_SUM);
    b.bytes = (size_t)b.rows * row;
    return b;
}

int64_t table_sums(const table_layout *l, table_section section)
{
    if (!l->bytes[section])
        return 0;
    return section == SECTION_COLUMNS
               ? table_blocks(l)
               : (int64_t)((l->bytes[section] + TABLE_PIECE - 1) / TABLE_PIECE);
}

size_t table_sum_at(const table_layout *l, table_section section,
                    int64_t number)
{
    size_t left = l->bytes[section] - (size_t)number * TABLE_PIECE;
    if (section == SECTION_COLUMNS) {
        table_block b = table_block_at(l, number);
        return b.at + b.bytes;
    }
    return l->at[section] + (size_t)number * (TABLE_PIECE + TABLE_SUM) +
           (left < TABLE_PIECE ? left : TABLE_PIECE);
}

/* The bytes of each section; 0: too many. */
static int sizes(table_layout *l, const sotto_table *shape)
{
    size_t rows = (size_t)l->rows, entries = (size_t)l->entries;
    l->bytes[SECTION_TARGET] = shape->y ? rows * sizeof(double) : 0;
    l->bytes[SECTION_WEIGHTS] = shape->weight ? rows * sizeof(double) : 0;
    l->bytes[SECTION_PERSONS] = shape->unit ? rows * sizeof(int64_t) : 0;
    if (shape->sparse) {
        l->bytes[SECTION_STARTS] = (rows + 1) * sizeof(int64_t);
        l->bytes[SECTION_INDEX] = entries * sizeof(uint32_t);
        l->bytes[SECTION_VALUES] = entries * sizeof(float);
        return 1;
    }
    size_t all = 0;
    int fine = size_multiply(rows, (size_t)l->features, &all) &&
               size_multiply(all, sizeof(float), &all) &&
               all <= (size_t)1 << 60;
    l->bytes[SECTION_COLUMNS] = all;
    return fine;
}

int table_lay_out(table_layout *out, const sotto_table *shape,
                  const table_row_head *head)
{
    const uint64_t most = (uint64_t)1 << 41;
    table_layout l = {.features = shape->features};
    if (head->rows > most || head->entries > most ||
        head->block != (uint64_t)table_block_rows(shape->features) ||
        (shape->sparse ? head->rows > UINT32_MAX : head->entries != 0))
        return 0;
    l.rows = (int64_t)head->rows;
    l.block = (int64_t)head->block;
    l.entries = (int64_t)head->entries;
    if (!sizes(&l, shape))
        return 0;
    l.end = TABLE_HEAD;
    for (int s = SECTION_TARGET; s < SECTIONS; s++) {
        size_t sums = (size_t)table_sums(&l, (table_section)s);
        l.at[s] = l.end;
        l.end += l.bytes[s] + sums * TABLE_SUM;
    }
    *out = l;
    return 1;
}
