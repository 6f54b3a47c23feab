/*
 * A row of a table from memory depends on its own values and on nothing else:
 * not on the rows around it, their order, the batches they come in, the
 * threads, or the list of levels that comes with a dictionary.
 */
#include "columns.h"
#include "data/memory.h"

#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"],"                      \
    "\"default\": {\"type\": \"number\", \"missing\": 0.5}, \"columns\": {"    \
    "\"b\": {\"type\": \"number\", \"bounds\": [-2, 30], \"missing\": 3},"     \
    "\"c\": {\"type\": \"category\", \"levels\": [\"ann\", \"1\", \"0\","      \
    "\"2.5\", \"bob\"], \"missing\": \"none\"}}}"

enum { COLUMNS = 6 };
static const char *const names[COLUMNS] = {"a", "b", "c", "t", "w", "p"};

static sotto_options *drop_options(const char *threads, const char *undeclared)
{
    sotto_error error;
    sotto_options *o = options_with(
        SETTINGS({"target", "t"}, {"loss", "logistic"}, {"weights", "w"},
                 {"weight-bound", "5"}, {"unit-column", "p"},
                 {"keep-ids", "yes"}, {"bad-rows", "drop"},
                 {"threads", threads}, {"undeclared", undeclared}));
    assert_false(sotto_options_set_content(o, "schema", SCHEMA, &error));
    return o;
}

static void random_columns(made **c, int rows)
{
    for (int j = 0; j < COLUMNS; j++)
        c[j] = random_column(names[j], j == 2 || (j == 5 && random_below(2)),
                             rows);
    for (int i = 0; i < rows && c[3]->type <= SOTTO_F64; i++)
        if (c[3]->stride) { /* targets that are good often enough */
            c[3]->value[i] = (double)random_below(2);
            put_element(c[3]->memory + c[3]->shift + i * c[3]->stride, c[3], i);
        }
}

static void free_columns(made **c)
{
    for (int j = 0; j < COLUMNS; j++)
        free_column(c[j]);
}

static sotto_table *table_of(sotto_columns *list, const sotto_options *o)
{
    sotto_table *t;
    sotto_error error;
    if (sotto_table_from(&t, list, o, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    return t;
}

/* `count` rows from row `from` on, backwards where `back`. */
static sotto_table *some_rows(made *const *c, int from, int count, int back,
                              const sotto_options *o)
{
    sotto_error error;
    sotto_columns *list = new_list(count);
    static uint8_t mask[COLUMNS][MOST_ROWS];
    for (int j = 0; j < COLUMNS; j++) {
        int64_t first = back ? from + count - 1 : from;
        for (int i = 0; i < count; i++)
            mask[j][i] = c[j]->missing[back ? first - i : first + i];
        const uint8_t *missing = c[j]->masked ? mask[j] : NULL;
        if (c[j]->is_text) {
            assert_false(back);
            assert_false(
                sotto_columns_add_texts(list, names[j], c[j]->memory - 3,
                                        c[j]->offset + from, missing, &error));
        } else
            assert_false(sotto_columns_add(
                list, names[j],
                c[j]->memory + c[j]->shift + first * c[j]->stride, c[j]->type,
                back ? -c[j]->stride : c[j]->stride, missing, &error));
    }
    sotto_table *t = table_of(list, o);
    sotto_columns_free(list);
    return t;
}

/* Row i of a table is row k of another. */
static void assert_same_row(const sotto_table *a, int64_t i,
                            const sotto_table *b, int64_t k)
{
    assert_same_rows(a, i, b, k, 1);
    assert_memory_equal(a->weight + i, b->weight + k, sizeof(double));
    size_t from_a = i ? a->id_end[i - 1] : 0, from_b = k ? b->id_end[k - 1] : 0;
    assert_int_equal(a->id_end[i] - from_a, b->id_end[k] - from_b);
    assert_memory_equal(a->ids + from_a, b->ids + from_b,
                        a->id_end[i] - from_a);
}

/* The table is the list of what its rows are, each read alone. */
static void test_rows_alone(void **state)
{
    (void)state;
    int64_t kept = 0, dropped = 0;
    for (int k = 0; k < 150; k++) {
        made *c[COLUMNS];
        int rows = 1 + (int)random_below(k % 10 ? 40 : MOST_ROWS - 1);
        random_columns(c, rows);
        sotto_options *o = drop_options(random_below(2) ? "1" : "3",
                                        random_below(2) ? "rows" : "bounds");
        sotto_table *all = some_rows(c, 0, rows, 0, o);
        int64_t at = 0;
        for (int i = 0; i < rows; i++) {
            sotto_table *alone = some_rows(c, i, 1, 0, o);
            assert_true(alone->rows == 0 || alone->rows == 1);
            if (alone->rows)
                assert_same_row(all, at, alone, 0);
            at += alone->rows;
            sotto_table_free(alone);
        }
        assert_int_equal(at, all->rows);
        kept += at;
        dropped += rows - at;
        sotto_table_free(all);
        sotto_options_free(o);
        free_columns(c);
    }
    assert_true(kept > 500 && dropped > 500);
}

/* Rows in the other order, without the first, without the last. */
static void test_rows_in_another_order(void **state)
{
    (void)state;
    sotto_options *o = options_with(
        SETTINGS({"target", "t"}, {"loss", "logistic"}, {"weights", "w"},
                 {"weight-bound", "5"}, {"unit-column", "p"},
                 {"keep-ids", "yes"}, {"bad-rows", "drop"}, {"drop", "c"}));
    for (int k = 0; k < 100; k++) {
        made *c[COLUMNS];
        int rows = 2 + (int)random_below(60);
        for (int j = 0; j < COLUMNS; j++)
            c[j] = random_column(names[j], 0, rows);
        sotto_table *all = some_rows(c, 0, rows, 0, o);
        sotto_table *back = some_rows(c, 0, rows, 1, o);
        sotto_table *first = some_rows(c, 0, 1, 0, o);
        sotto_table *rest = some_rows(c, 1, rows - 1, 0, o);
        sotto_table *fewer = some_rows(c, 0, rows - 1, 0, o);
        assert_int_equal(all->rows, back->rows);
        for (int64_t i = 0; i < all->rows; i++)
            assert_same_row(all, i, back, all->rows - 1 - i);
        assert_int_equal(all->rows, first->rows + rest->rows);
        for (int64_t i = 0; i < rest->rows; i++)
            assert_same_row(all, i + first->rows, rest, i);
        for (int64_t i = 0; i < fewer->rows; i++)
            assert_same_row(all, i, fewer, i);
        sotto_table_free(all);
        sotto_table_free(back);
        sotto_table_free(first);
        sotto_table_free(rest);
        sotto_table_free(fewer);
        free_columns(c);
    }
    sotto_options_free(o);
}

/* ---- sparse rows ---- */

static void test_sparse_rows_alone(void **state)
{
    (void)state;
    enum { ROWS = 60, MOST = ROWS * 8 };
    int32_t start[ROWS + 1] = {0}, index[MOST];
    float value[MOST];
    double label[ROWS], weight[ROWS];
    sotto_error error;
    sotto_options *o = options_with(
        SETTINGS({"target", "t"}, {"weights", "w"}, {"weight-bound", "2"},
                 {"bad-rows", "drop"}, {"undeclared", "rows"}));
    int64_t kept = 0;
    for (int i = 0, k = 0; i < ROWS; i++, start[i] = k) {
        label[i] = random_below(9) ? (double)random_below(5) : NAN;
        weight[i] = (double)random_below(4) - .5;
        for (int64_t left = random_below(7); left; left--, k++) {
            index[k] = (int32_t)random_below(i % 9 ? 11 : 13) - (i % 9 == 0);
            value[k] = random_below(30) ? (float)random_below(50) : NAN;
        }
    }
    sotto_table *all = NULL;
    for (int i = -1; i < ROWS; i++) {
        int first = i < 0 ? 0 : i;
        sotto_sparse e = {0,     11,        start + first, index,
                          value, SOTTO_I32, SOTTO_I32,     SOTTO_F32};
        sotto_columns *list = new_list(i < 0 ? ROWS : 1);
        assert_false(sotto_columns_add(list, "t", label + first, SOTTO_F64, 8,
                                       NULL, &error));
        assert_false(sotto_columns_add(list, "w", weight + first, SOTTO_F64, 8,
                                       NULL, &error));
        assert_false(sotto_columns_add_sparse(list, &e, &error));
        sotto_table *t = table_of(list, o);
        sotto_columns_free(list);
        if (i < 0) {
            all = t;
            continue;
        }
        if (t->rows) {
            assert_same_rows(all, kept, t, 0, 1);
            assert_memory_equal(all->weight + kept, t->weight, sizeof(double));
        }
        kept += t->rows;
        sotto_table_free(t);
    }
    assert_int_equal(kept, all->rows);
    assert_true(kept > 5 && kept < ROWS - 5);
    sotto_table_free(all);
    sotto_options_free(o);
}

/* ---- batches ---- */

typedef struct producer {
    made **c;
    int rows, at;
    int32_t offset[MOST_ROWS + 1], code[MOST_ROWS], list_offset[20];
    uint8_t valid[COLUMNS][MOST_ROWS / 8 + 2];
    char list[200];
    int shuffle; /* another order of the dictionary */
    int closed;
} producer;

static void view_numbers_of(column_view *v, const made *c, int at)
{
    v->values = c->memory + c->shift + at * c->stride;
    v->stride = c->stride;
}

/* Texts as a dictionary, which has words that no row has. */
static void view_codes_of(column_view *v, producer *p, const made *c, int at,
                          int rows)
{
    int32_t size = 0;
    for (int k = 0; k < 13; k++) {
        const char *word = k < 11 ? words[(k + p->shuffle) % 11] : "none";
        p->list_offset[k] = size;
        memcpy(p->list + size, word, strlen(word));
        size += (int32_t)strlen(word);
        for (int i = 0; i < rows; i++)
            if (!strcmp(c->field[at + i], word))
                p->code[i] = k;
    }
    p->list_offset[13] = size;
    *v = (column_view){
        .values = (const char *)p->code,
        .stride = 4,
        .texts = {.bytes = p->list, .offsets = p->list_offset, .count = 13}};
}

static sotto_status next_batch(void *context, int64_t *rows, column_view *view,
                               sotto_error *error)
{
    producer *p = context;
    int left = p->rows - p->at, count = (int)random_below(left < 20 ? 9 : 30);
    (void)error;
    *rows = left ? (count < left ? count : left) : -1;
    for (int j = 0; j<COLUMNS && * rows> 0; j++) {
        column_view *v = &view[j];
        *v = (column_view){0};
        if (j == 2)
            view_codes_of(v, p, p->c[j], p->at, (int)*rows);
        else
            view_numbers_of(v, p->c[j], p->at);
        memset(p->valid[j], 0, sizeof p->valid[j]);
        for (int i = 0; i < *rows; i++)
            if (!p->c[j]->masked || !p->c[j]->missing[p->at + i])
                p->valid[j][(i + 5) / 8] |= (uint8_t)(1 << (i + 5) % 8);
        v->valid = p->valid[j];
        v->valid_from = 5;
    }
    p->at += *rows > 0 ? (int)*rows : 0;
    return SOTTO_OK;
}

static void close_batches(void *context)
{
    ((producer *)context)->closed++;
}

static sotto_table *in_batches(made **c, int rows, int shuffle,
                               const sotto_options *o)
{
    static producer p;
    sotto_error error;
    p = (producer){.c = c, .rows = rows, .shuffle = shuffle};
    sotto_columns *list = columns_new();
    for (int j = 0; j < COLUMNS; j++)
        assert_false(columns_add(list, names[j],
                                 j == 2 ? VIEW_CODES : VIEW_NUMBERS,
                                 j == 2 ? SOTTO_I32 : c[j]->type, &error));
    list->stream = (column_stream){next_batch, close_batches, &p};
    sotto_table *t = table_of(list, o), *again;
    assert_int_equal(sotto_table_from(&again, list, o, &error), SOTTO_USAGE);
    assert_int_equal(p.closed, 0);
    sotto_columns_free(list);
    assert_int_equal(p.closed, 1);
    return t;
}

static void test_batches(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        made *c[COLUMNS];
        int rows = (int)random_below(k % 10 ? 90 : MOST_ROWS);
        sotto_options *o = drop_options("2", "bounds");
        for (int j = 0; j < COLUMNS; j++)
            c[j] = random_column(names[j], j == 2, rows);
        sotto_table *whole = some_rows(c, 0, rows, 0, o);
        for (int shuffle = 0; shuffle < 3; shuffle++) {
            sotto_table *t = in_batches(c, rows, shuffle, o);
            assert_equal_tables(whole, t);
            sotto_table_free(t);
        }
        sotto_table_free(whole);
        sotto_options_free(o);
        free_columns(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_alone),
        cmocka_unit_test(test_rows_in_another_order),
        cmocka_unit_test(test_sparse_rows_alone),
        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
