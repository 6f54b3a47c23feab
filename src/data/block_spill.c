/*
 * Dense blocks that wait on the disk until they are written as a table, so
 * that converting needs memory for the pieces in work and not for the table.
 * A worker puts its block there when it is full, wherever there is room;
 * their order is that of the list of blocks.
 */
#include "block.h"

#include <string.h>

sotto_status block_spill_open(block_spill *s, const char *folder,
                              sotto_error *error)
{
    *s = (block_spill){0};
    return spill_open(&s->file, folder, 0, error);
}

void block_spill_close(block_spill *s)
{
    spill_close(&s->file);
    mem_free(s->part);
    *s = (block_spill){.file = {-1}};
}

int block_spill_out(block_spill *s, block *b)
{
    sotto_error error;
    b->spilled_at = __atomic_fetch_add(&s->end, b->x_bytes, __ATOMIC_RELAXED);
    b->spilled = b->x_bytes;
    sotto_status status =
        spill_write(&s->file, b->spilled_at, b->x, b->x_bytes, &error);
    if (status != SOTTO_OK && !__atomic_exchange_n(&s->failed, 1, __ATOMIC_SEQ_CST))
        s->error = error;
    mem_unmap(b->x, b->x_bytes);
    b->x = NULL;
    b->x_bytes = 0;
    return status == SOTTO_OK;
}

int block_spill_list(block_spill *s, const block *first)
{
    int64_t parts = 0;
    for (const block *b = first; b; b = b->next)
        parts += b->rows > 0;
    s->part = mem_zeroed((size_t)parts, sizeof *s->part);
    for (const block *b = first; s->part && b; b = b->next)
        if (b->rows)
            s->part[s->parts++] = (spilled_part){b->rows, b->stride,
                                                 b->spilled_at, b->spilled};
    return s->part != NULL;
}

/* The next part with rows that were not taken yet. */
static sotto_status next_part(spill_reader *r, sotto_error *error)
{
    const spilled_part *p = &r->from->part[r->next];
    if (r->room < p->bytes) {
        mem_unmap(r->x, r->room);
        r->room = 0;
        r->x = mem_map(p->bytes);
        if (!r->x)
            return error_memory(error);
        r->room = p->bytes;
    }
    r->next++;
    r->rows = p->rows;
    r->stride = p->stride;
    r->taken = 0;
    return spill_read(&r->from->file, p->at, r->x, p->bytes, error);
}

sotto_status spill_take(spill_reader *r, float *to, int64_t features,
                        int64_t rows, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t done = 0; done < rows && status == SOTTO_OK;) {
        if (r->taken == r->rows) {
            status = next_part(r, error);
            continue;
        }
        int64_t some = r->rows - r->taken;
        some = some < rows - done ? some : rows - done;
        for (int64_t j = 0; j < features; j++)
            memcpy(to + j * rows + done, r->x + j * r->stride + r->taken,
                   (size_t)some * sizeof *to);
        r->taken += some;
        done += some;
    }
    return status;
}

void spill_reader_close(spill_reader *r)
{
    mem_unmap(r->x, r->room);
    *r = (spill_reader){0};
}
