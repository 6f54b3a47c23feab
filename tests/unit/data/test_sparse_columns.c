/*
 * The entries of a sparse table by column are made by several threads: they are
 * those by row, each column's rows in order, whatever the number of threads.
 */
#include "reading.h"

#include "data.h"

static uint64_t seed = 31;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((double)(seed >> 11) * 0x1p-53 * (double)n);
}

/* Rows of very different lengths, also empty ones. */
static char *some_text(int rows, int features)
{
    text_buffer text = {0};
    for (int i = 0; i < rows; i++) {
        int64_t step = 1 + below(below(2) ? 3 : features);
        text_format(&text, "%d", below(2) ? 1 : -1);
        for (int64_t j = below(features + 3); j < features; j += step)
            text_format(&text, " %lld:%lld", (long long)j + 1,
                        (long long)(1 + below(1000000)));
        text_put(&text, "\n");
    }
    return text_take(&text);
}

static void check_columns(const sotto_table *t)
{
    const table_entries *r = &t->by_row, *c = &t->by_column;
    int64_t *next = calloc((size_t)t->features + 1, sizeof *next);
    assert_non_null(next);
    memcpy(next, c->start, ((size_t)t->features + 1) * sizeof *next);
    assert_int_equal(c->start[0], 0);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            int64_t at = next[r->index[k]]++;
            assert_int_equal(c->index[at], i);
            assert_true(((float *)c->value)[at] == ((float *)r->value)[k]);
        }
    for (int64_t j = 0; j < t->features; j++)
        assert_int_equal(next[j], c->start[j + 1]);
    free(next);
}

static void test_columns(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "3", "7"};
    for (int trial = 0; trial < 40; trial++) {
        int features = (int)(1 + below(60));
        char *text = some_text((int)(1 + below(400)), features);
        char count[16];
        snprintf(count, sizeof count, "%d", features);
        for (int k = 0; k < 4; k++) {
            sotto_table *t = read_text(
                "a.svm", text,
                SETTINGS({"loss", "logistic"}, {"precision", "float"},
                         {"features", count}, {"threads", threads[k]}));
            check_columns(t);
            sotto_table_free(t);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
