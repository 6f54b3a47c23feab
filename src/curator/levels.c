/*
 * Levels of categories that nobody declared: Lemma C27 of docs/privacy.
 *
 *   a person with t levels in a column, or the first K of them by their bytes,
 *   adds 1024 / sqrt(t), rounded down, to each; a row of nobody adds 1024
 *
 * The gate adds noise to all counts and leaves those above its threshold. What
 * is left are the released levels. Then the table is made as if they had been
 * declared.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

account_counted levels_counted(const curator_policy *policy)
{
    return (account_counted){policy->rows_per_person, policy->has_people,
                             policy->level_columns};
}

/* Lemma C27: people are counted by parts whose length is one person's, or each
   row by itself; in every column. Two people's counts meet at a right angle at
   most. */
double levels_sensitivity(const curator_policy *policy, const ask_item *item,
                          int64_t features)
{
    (void)item, (void)features;
    double rows = policy->has_people ? 1 : (double)policy->rows_per_person;
    double columns = (double)policy->level_columns;
    return ACCOUNT_PERSON * rows *
           sqrt(columns * (policy->adjacency == ACCOUNT_REPLACE_ONE ? 2 : 1)) *
           (1 + 0x1p-50);
}

double ask_people_shown(const curator_policy *policy, const ask_item *item)
{
    account_counted who = levels_counted(policy);
    double scale =
        mechanism_scale(gate_sensitivity(policy, item, 0), item->level);
    return account_threshold(&who, scale, item->shown) / ACCOUNT_PERSON;
}

void levels_free(curator *c)
{
    for (int64_t k = 0; c->released && k < c->policy.level_columns; k++)
        mem_free_texts(c->released[k].level, c->released[k].levels);
    mem_free(c->released);
}

/* ---- counts ---- */

/* Who has which level. */
typedef struct owned {
    int64_t unit;
    int64_t id;
} owned;

static int compare_owned(const void *a, const void *b)
{
    const owned *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* One person's different levels, in order, are made one after the other; how
   many there are. */
static int64_t different_levels(owned *of, int64_t rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        if (!count || of[count - 1].id != of[i].id)
            of[count++] = of[i];
    return count;
}

/* Numbers of levels are in the order of their bytes, so the first by number
   are the first by bytes. */
static void count_person(owned *of, int64_t rows, int64_t most, int64_t *count)
{
    int64_t levels = different_levels(of, rows);
    levels = levels < most ? levels : most;
    int64_t part = account_person_part(levels);
    for (int64_t i = 0; i < levels; i++)
        count[of[i].id] += part;
}

static void count_sorted(owned *of, int64_t rows, int64_t most, int64_t *count)
{
    for (int64_t i = 0, end; i < rows; i = end) {
        for (end = i + 1; end < rows && of[end].unit == of[i].unit; end++)
            ;
        count_person(of + i, end - i, most, count);
    }
}

/* All rows of a person have a say, those beyond rows_per_person too: which
   levels are the first does not depend on the order of rows. */
static int count_people(const curator *c, const level_column *column,
                        int64_t *count)
{
    const sotto_table *t = c->table;
    size_t bytes = (size_t)(t->rows + 1) * sizeof(owned);
    owned *of = secret_take(bytes);
    int64_t rows = 0;
    for (int64_t i = 0; of && i < t->rows; i++)
        if (column->id[i] >= 0)
            of[rows++] = (owned){t->unit[i], column->id[i]};
    if (of) {
        qsort(of, (size_t)rows, sizeof *of, compare_owned);
        count_sorted(of, rows, c->policy.rows_per_person, count);
    }
    secret_give(of, bytes);
    return of != NULL;
}

static void count_rows(const curator *c, const level_column *column,
                       int64_t *count)
{
    for (int64_t i = 0; i < c->table->rows; i++)
        if (column->id[i] >= 0)
            count[column->id[i]] += ACCOUNT_PERSON;
}

/* The counts of all columns, one after the other, each in the order of its
   levels' bytes. */
static sotto_status count_levels(curator *c, int64_t **out, size_t *counts,
                                 sotto_error *error)
{
    const table_levels *all = &c->table->levels;
    int64_t total = 0;
    int fine = 1;
    for (int64_t k = 0; k < all->columns; k++)
        total += all->column[k].count;
    *counts = (size_t)total;
    *out = secret_take((*counts + 1) * sizeof **out);
    int64_t *count = *out;
    for (int64_t k = 0; count && fine && k < all->columns; k++) {
        if (c->policy.has_people)
            fine = count_people(c, &all->column[k], count);
        else
            count_rows(c, &all->column[k], count);
        count += all->column[k].count;
    }
    return *out && fine ? SOTTO_OK : error_memory(error);
}

/* ---- what is released ---- */

static int compare_falling(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* Where more are shown than a column can have, the noisy count that those of
   the largest have at least; else 1. */
static int least_kept(const int64_t *noisy, int64_t count, int64_t *least)
{
    int64_t seen = 0;
    size_t bytes = (size_t)(count + 1) * sizeof(int64_t);
    int64_t *sorted = secret_take(bytes);
    for (int64_t i = 0; sorted && i < count; i++)
        if (noisy[i] > 0)
            sorted[seen++] = noisy[i];
    *least = 1;
    if (sorted && seen > ASK_MOST_LEVELS) {
        qsort(sorted, (size_t)seen, sizeof *sorted, compare_falling);
        *least = sorted[ASK_MOST_LEVELS - 1];
    }
    secret_give(sorted, bytes);
    return sorted != NULL;
}

static char *text_of(const level_column *column, int64_t i)
{
    size_t from = i ? column->end[i - 1] : 0, size = column->end[i] - from;
    char *text = mem_zeroed(size + 1, 1);
    if (text)
        memcpy(text, column->text + from, size);
    return text;
}

/* In the order of bytes; of equal counts at the end the first ones. */
static int release_column(level_list *out, const level_column *column,
                          const int64_t *noisy)
{
    int64_t least;
    if (!least_kept(noisy, column->count, &least))
        return 0;
    out->level = mem_zeroed(ASK_MOST_LEVELS, sizeof *out->level);
    for (int64_t i = 0; out->level && i < column->count; i++) {
        if (noisy[i] < least || out->levels == ASK_MOST_LEVELS)
            continue;
        out->level[out->levels] = text_of(column, i);
        if (!out->level[out->levels])
            return 0;
        out->levels++;
    }
    return out->level != NULL;
}

static int release_all(curator *c, const int64_t *noisy)
{
    const table_levels *all = &c->table->levels;
    int fine = 1;
    c->released = mem_zeroed((size_t)all->columns, sizeof *c->released);
    for (int64_t k = 0; c->released && fine && k < all->columns; k++) {
        fine = release_column(&c->released[k], &all->column[k], noisy);
        noisy += all->column[k].count;
    }
    return c->released && fine;
}

sotto_status curator_ask_levels(curator *c, const level_list **out,
                                sotto_error *error)
{
    int64_t *noisy;
    size_t counts;
    *out = NULL;
    sotto_status status = gate_show(c, &(gate_counts){ASK_LEVELS, count_levels},
                                    &noisy, &counts, error);
    if (status == SOTTO_OK && c->tape)
        status = tape_levels(c, noisy, counts, error);
    if (status == SOTTO_OK && !release_all(c, noisy))
        status = error_memory(error);
    secret_give(noisy, (counts + 1) * sizeof *noisy);
    columns_free(c);
    c->frequent = NULL;
    c->written = NULL;
    if (status == SOTTO_OK)
        status = table_widen(c->table, c->released, error);
    if (status == SOTTO_OK)
        status = curator_widen_rows(c, error);
    if (status == SOTTO_OK)
        *out = c->released;
    return status;
}
