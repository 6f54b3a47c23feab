/*
 * Makes the checksums of a table's file fit what stands in it, as far as it can
 * be told where they are: so that what comes behind them is tried, too.
 */
#ifndef SOTTO_TABLE_REPAIR_H
#define SOTTO_TABLE_REPAIR_H

#include "data/table_file.h"

#include <string.h>

static void repair_pieces(char *rows, const table_layout *l, table_section s)
{
    for (size_t at = 0, n = 0; at < l->bytes[s]; at += TABLE_PIECE, n++) {
        size_t left = l->bytes[s] - at;
        size_t size = left < TABLE_PIECE ? left : TABLE_PIECE;
        char *from = rows + l->at[s] + at + n * TABLE_SUM;
        table_sum((unsigned char *)from + size, s, n, from, size, NULL, 0);
    }
}

/* Whether the rows could be told; `left` bytes begin with the row head. */
static int repair_rows(char *bytes, size_t left, const sotto_table *shape)
{
    table_row_head rows;
    table_layout l;
    memcpy(&rows, bytes, sizeof rows);
    table_sum(rows.sum, SECTION_ROWS, 0, &rows, offsetof(table_row_head, sum),
              NULL, 0);
    memcpy(bytes, &rows, sizeof rows);
    if (!table_lay_out(&l, shape, &rows) || l.end != left)
        return 0;
    for (int s = SECTION_TARGET; s < SECTIONS; s++)
        if (s != SECTION_COLUMNS)
            repair_pieces(bytes, &l, (table_section)s);
    for (int64_t n = 0; l.bytes[SECTION_COLUMNS] && n < table_blocks(&l); n++) {
        table_block b = table_block_at(&l, n);
        table_sum((unsigned char *)bytes + b.at + b.bytes, SECTION_COLUMNS,
                  (uint64_t)n, bytes + b.at, b.bytes, NULL, 0);
    }
    return 1;
}

/* Whether all of it could be repaired. */
static int repair(char *bytes, size_t size)
{
    table_head head;
    sotto_error error;
    sotto_table *shape;
    if (size < sizeof head)
        return 0;
    memcpy(&head, bytes, sizeof head);
    head.bytes = size;
    if (head.public_bytes > size - sizeof head)
        head.public_bytes = size - sizeof head;
    size_t open = (size_t)head.public_bytes;
    table_sum(head.sum, SECTION_HEAD, 0, &head, offsetof(table_head, sum),
              bytes + sizeof head, open);
    memcpy(bytes, &head, sizeof head);
    if (size - sizeof head - open < sizeof(table_row_head) ||
        table_take_public(&shape, "t", bytes + sizeof head, open, &error) !=
            SOTTO_OK)
        return 0;
    int fine = repair_rows(bytes + sizeof head + open,
                           size - sizeof head - open, shape);
    sotto_table_free(shape);
    return fine;
}

#endif
