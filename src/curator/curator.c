/*
 * The life of a curator: it takes the table, makes what goes with each row,
 * and wipes all of it at the end.
 */
#include "internal.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* ---- memory ---- */

/* Records do not belong into a core dump. This is advice to the system: where
   it is refused, dumps may have them. */
void keep_out_of_dumps(void *memory, size_t bytes)
{
    if (memory && bytes)
        madvise(memory, bytes, MADV_DONTDUMP);
}

void *secret_take(size_t bytes)
{
    void *memory = mem_map(bytes);
    keep_out_of_dumps(memory, bytes);
    return memory;
}

void secret_give(void *memory, size_t bytes)
{
    if (!memory)
        return;
    mem_wipe(memory, bytes);
    mem_unmap(memory, bytes);
}

static void keep_table_out_of_dumps(sotto_table *t)
{
    const table_entries *both[] = {&t->by_row, &t->by_column};
    keep_out_of_dumps(t->x, t->x_bytes);
    for (int i = 0; i < 2; i++) {
        keep_out_of_dumps(both[i]->start, both[i]->start_bytes);
        keep_out_of_dumps(both[i]->index, both[i]->index_bytes);
        keep_out_of_dumps(both[i]->value, both[i]->value_bytes);
    }
}

static int take_memory(curator *c)
{
    int64_t padded = (c->table->rows + 63) / 64 * 64;
    int64_t count = c->table->features + 1;
    c->rows.padded = padded;
    /* 64 numbers more, so that an empty table has an address, too */
    c->memory_bytes = (size_t)(6 * padded + 64) * sizeof *c->memory;
    c->memory = secret_take(c->memory_bytes);
    c->factor = mem_zeroed((size_t)count, sizeof *c->factor);
    c->at = mem_zeroed((size_t)count, sizeof *c->at);
    c->scale = mem_zeroed((size_t)count, sizeof *c->scale);
    c->value = mem_zeroed((size_t)count, sizeof *c->value);
    if (!c->memory || !c->factor || !c->at || !c->scale || !c->value)
        return 0;
    c->rows.margin = c->memory;
    c->weight = c->memory + padded;
    c->ones = c->memory + 2 * padded;
    c->slope = c->memory + 3 * padded;
    c->origin = c->memory + 4 * padded;
    c->reach = c->memory + 5 * padded;
    return 1;
}

/* ---- what goes with a row ---- */

/*
 * Caps the rows of each person: the first `most` in the file stay. The others
 * get weight 0, so that they add 0 to every sum. Which rows stay depends on the
 * person's own rows alone, and nothing else depends on how many are left out.
 */
static int cap_people(curator *c, int64_t most)
{
    const sotto_table *t = c->table;
    int64_t people = 0;
    for (int64_t i = 0; i < t->rows; i++)
        people = t->unit[i] >= people ? t->unit[i] + 1 : people;
    size_t bytes = (size_t)people * sizeof(int64_t);
    int64_t *seen = secret_take(bytes + 1);
    for (int64_t k = 0; seen && t->person && k < people; k++)
        seen[k] = t->person_before[k]; /* at the ranks before */
    for (int64_t i = 0; seen && i < t->rows; i++)
        if (seen[t->unit[i]]++ >= most)
            c->weight[i] = 0;
    secret_give(seen, bytes + 1);
    return seen != NULL;
}

static void fill_some(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    const sotto_table *t = c->table;
    int classes = loss_has_classes(c->policy.loss.kind) && !c->policy.classes;
    (void)what;
    (void)sum;
    for (int64_t i = from; i < to; i++) {
        if (t->weight || t->unit) /* else nobody looks there */
            c->weight[i] = t->weight ? (float)t->weight[i] : 1;
        c->origin[i] = classes || c->policy.classes ? 0 : -(float)t->y[i];
        c->rows.margin[i] = c->origin[i];
        c->ones[i] = classes ? (float)t->y[i] : 1;
    }
}

static int fill_rows(curator *c)
{
    const sotto_table *t = c->table;
    rows_sum(c, t->rows, fill_some, NULL, 0, NULL);
    if (t->unit && !cap_people(c, c->policy.rows_per_person))
        return 0;
    if (!t->weight && !t->unit)
        c->weight = NULL;
    c->rows.rows = t->rows;
    c->rows.weight = c->weight;
    c->rows.loss = c->policy.loss.kind;
    c->rows.delta = (float)c->policy.loss.delta;
    return 1;
}

/* ---- life ---- */

static sotto_status check_table(const sotto_table *t, const curator_policy *p,
                                sotto_error *error)
{
    int classes = loss_has_classes(p->loss.kind);
    if (!t->y)
        return table_refuse_no_target(t->counted, error);
    if (classes != (t->classes > 0) ||
        p->classes != (t->classes > 2 ? t->classes : 0))
        return error_set(error, SOTTO_USAGE,
                         "the target of the table does not fit the loss: read "
                         "the table with the loss that it is for");
    if (t->is_double || t->folded != (classes && !p->classes) ||
        (t->sparse && !t->by_column.start))
        return error_set(error, SOTTO_USAGE,
                         "the table was read for the exact solver: set "
                         "epsilon and solver before reading");
    if (t->levels.columns != p->level_columns ||
        (p->level_columns && p->rows_per_person > ACCOUNT_MOST_COUNTED))
        return error_set(error, SOTTO_PRIVACY,
                         "levels that are asked for: expected those of the "
                         "table, and at most 1,048,576 rows per person");
    if (table_all_rows(t) > KERNEL_MOST_ROWS)
        return error_set(error, SOTTO_DATA, "too many rows");
    return SOTTO_OK;
}

/* Blocks go by places in the table. */
static sotto_status check_blocks(const sotto_table *t, const curator_policy *p,
                                 const ask_plan *plan, sotto_error *error)
{
    for (int i = 0; i < plan->items; i++)
        if (question_of(plan->item[i].kind)->rows == ROWS_BLOCK &&
            t->drops_rows && !p->without_noise)
            return error_set(error, SOTTO_PRIVACY,
                             "blocks of rows go by a row's place, which a row "
                             "that is dropped changes: expected --bad-rows "
                             "stop");
    return SOTTO_OK;
}

/* Columns that stay on a disk: of these the shape is public. */
static sotto_status check_walks(const ask_plan *plan, sotto_error *error)
{
    for (int i = 0; i < plan->items; i++)
        if (plan->item[i].count > 0 && !question_walks(plan->item[i].kind))
            return error_set(error, SOTTO_USAGE,
                             "--memory: this run asks about single columns "
                             "(%s), and so the rows must be in memory",
                             ask_name(plan->item[i].kind));
    return SOTTO_OK;
}

sotto_status curator_check_table(const sotto_table *t, const curator_policy *p,
                                 const ask_plan *plan, sotto_error *error)
{
    sotto_status status =
        p->buckets ? sketch_check(t, p, plan, error) : check_table(t, p, error);
    if (status == SOTTO_OK)
        status = curator_check(p, plan, t->features, error);
    if (status == SOTTO_OK)
        status = check_blocks(t, p, plan, error);
    if (status == SOTTO_OK && t->on_disk)
        status = check_walks(plan, error);
    if (status == SOTTO_OK && !kernel_get(p->isa))
        status = error_set(error, SOTTO_USAGE,
                           "--isa: this machine does not have that "
                           "instruction set");
    return status;
}

/* `position` distinguishes streams of one insecure seed and purpose. */
static sotto_status open_stream(const curator *c, noise_stream **out,
                                noise_purpose purpose, uint64_t position,
                                sotto_error *error)
{
    return c->policy.insecure ? noise_open_insecure(out, c->policy.seed,
                                                    purpose, position, error)
                              : noise_open(out, purpose, error);
}

/* Of several ranks the root has noise. */
static sotto_status open_noise(curator *c, uint64_t position,
                               sotto_error *error)
{
    if (!ranks_is_root(c->ranks))
        return SOTTO_OK;
    sotto_status status =
        open_stream(c, &c->noise, NOISE_RELEASE, position, error);
    return status == SOTTO_OK
               ? open_stream(c, &c->choices, NOISE_SELECTION, position, error)
               : status;
}

sotto_status curator_open_level_noise(const curator *c, noise_stream **out,
                                      sotto_error *error)
{
    return open_stream(c, out, NOISE_RELEASE, (uint64_t)1 << 63, error);
}

/* There are fewer than 2^20 parties and 2^40 rounds. */
sotto_status curator_key_noise(curator *c, uint64_t round, sotto_error *error)
{
    noise_stream *noise = c->noise, *choices = c->choices;
    if (!c->policy.insecure)
        return SOTTO_OK;
    sotto_status status = open_noise(c, c->policy.party << 40 | round, error);
    if (status != SOTTO_OK) { /* the old streams go on */
        noise_close(c->noise);
        c->noise = noise;
        c->choices = choices;
        return status;
    }
    noise_close(noise);
    noise_close(choices);
    return SOTTO_OK;
}

/* Makes what only some plans need. */
static sotto_status open_rest(curator *c, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int batches = 0, gathers = 0, steps = 0;
    for (int i = 0; i < c->plan.items; i++) {
        const question_row *q = question_of(c->plan.item[i].kind);
        int planned = c->plan.item[i].count > 0;
        batches |= q->rows != ROWS_ALL;
        gathers |= planned && q->state == STATE_GATHERED;
        steps |= planned && q->state == STATE_DUAL;
    }
    if (batches)
        status = batch_make(c, error);
    if (status == SOTTO_OK && gathers)
        status = sampled_make(c, error);
    if (status == SOTTO_OK && steps)
        status = dual_make(c, error);
    return status;
}

/* Everything about rows is made in the processor mode of the kernels: if the
   caller has turned denormals off, rows would look shorter than they are. */
static sotto_status open_rows(curator *c, sotto_error *error)
{
    kernel_mode before = kernel_enter();
    sotto_status status =
        take_memory(c) && fill_rows(c) && windows_make(c) && columns_make(c)
            ? open_rest(c, error)
            : error_memory(error);
    kernel_leave(before);
    return status;
}

static void close_rows(curator *c)
{
    secret_give(c->memory, c->memory_bytes);
    mem_free(c->factor);
    mem_free(c->at);
    mem_free(c->scale);
    mem_free(c->value);
    c->memory = NULL;
    c->factor = c->at = c->scale = NULL;
    c->value = NULL;
}

sotto_status curator_widen_rows(curator *c, sotto_error *error)
{
    choice_free(c);
    class_choice_free(c);
    batch_free(c);
    gathered_free(c);
    dual_free(c);
    mem_free(c->anchor);
    c->anchor = NULL;
    close_rows(c);
    keep_table_out_of_dumps(c->table);
    return open_rows(c, error);
}

sotto_status curator_open(curator **out, sotto_table **table,
                          const curator_policy *policy, const ask_plan *plan,
                          sotto_error *error)
{
    curator *c = mem_zeroed(1, sizeof *c);
    sotto_table *t = *table;
    *out = NULL;
    *table = NULL;
    if (!c) {
        sotto_table_free(t);
        return error_memory(error);
    }
    *c = (curator){
        .policy = *policy, .plan = *plan, .table = t, .ranks = t->ranks};
    keep_table_out_of_dumps(t);
    c->total = policy->rows;
    c->widest = t->features + policy->level_columns * ASK_MOST_LEVELS;
    c->kernel = kernel_get(policy->isa);
    sotto_status status = curator_check_table(t, policy, plan, error);
    if (status == SOTTO_OK)
        status = open_noise(c, policy->party << 40, error);
    if (status == SOTTO_OK) /* NULL is fine: then there are no threads */
        c->pool = kernel_pool_open(policy->buckets ? 1 : policy->threads);
    if (status == SOTTO_OK)
        status = policy->buckets ? sketch_make(c, error) : open_rows(c, error);
    if (status == SOTTO_OK)
        *out = c;
    else
        curator_close(c);
    return status;
}

void curator_close(curator *c)
{
    if (!c)
        return;
    kernel_pool_close(c->pool);
    noise_close(c->noise);
    noise_close(c->choices);
    choice_free(c);
    class_choice_free(c);
    noise_buckets_close(c->buckets);
    secret_give(c->copied, c->copied_bytes);
    batch_free(c);
    gathered_free(c);
    dual_free(c);
    sketch_free(c);
    columns_free(c);
    close_rows(c);
    frame_free(c);
    windows_free(c);
    levels_free(c);
    mem_free(c->told);
    mem_free(c->anchor);
    sotto_table_free(c->table);
    mem_wipe(c, sizeof *c);
    mem_free(c);
    mem_wipe_stack(); /* loops had some values of some rows there */
}

int curator_is_private(const curator *c)
{
    return c->noise && noise_is_private(c->noise) &&
           noise_is_private(c->choices) && !c->policy.without_noise &&
           (!c->batch.coins || noise_is_private(c->batch.coins));
}

/* ---- public facts ---- */

/* It has a stream of its own, so that it says nothing about noise. */
sotto_status curator_public_word(const curator *c, uint64_t *out,
                                 sotto_error *error)
{
    noise_stream *s;
    *out = 0;
    if (!ranks_is_root(c->ranks))
        return ranks_share(c->ranks, SOTTO_OK, out, sizeof *out, error);
    sotto_status status = open_stream(c, &s, NOISE_SAMPLING, 0, error);
    if (status == SOTTO_OK)
        noise_words(s, out, 1);
    noise_close(s);
    if (status == SOTTO_OK && c->tape)
        status = tape_words(c->tape, (int64_t *)out, 1, error);
    return c->ranks ? ranks_share(c->ranks, status, out, sizeof *out, error)
                    : status;
}

int64_t curator_features(const curator *c)
{
    return c->table->features;
}

double curator_noise(const curator *c)
{
    return c->answer_noise;
}

double curator_rows(const curator *c)
{
    return c->total;
}
