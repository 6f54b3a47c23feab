/*
 * Which categories have exactly one level in every row, by declaration: held
 * against rows that were read.
 */
#include "reading.h"

#define COLUMNS                                                                \
    "\"a\": {\"type\": \"category\", \"levels\": [\"p\", \"q\"]}, "            \
    "\"n\": {\"type\": \"number\", \"bounds\": [0, 1]}, "                      \
    "\"b\": {\"type\": \"category\", \"levels\": [\"p\", \"q\"], "             \
    "\"missing\": \"none\"}, "                                                 \
    "\"c\": {\"type\": \"category\", \"levels\": [\"p\", \"q\", \"r\"], "      \
    "\"missing\": \"q\"}, "                                                    \
    "\"d\": {\"type\": \"date\", \"bounds\": [\"2024-01-01\", "                \
    "\"2024-12-31\"], \"as\": [\"days\", \"weekday\", \"month\"]}, "           \
    "\"e\": {\"type\": \"category\", \"levels\": [\"p\"], \"other\": true}, "  \
    "\"f\": {\"type\": \"boolean\", \"true\": [\"t\"], \"false\": [\"s\"]}, "  \
    "\"y\": {\"type\": \"target\", \"bounds\": [0, 1]}"
#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], \"columns\": "        \
    "{" COLUMNS "}}"
enum { FEATURES = 2 + 1 + 2 + 3 + 1 + 7 + 12 + 2 + 1, GROUPS = 5 };

/* The columns of the file are in another order. */
#define ROWS                                                                   \
    "y,f,e,d,c,b,n,a\n"                                                        \
    "1,t,p,2024-02-29,p,p,.5,q\n"                                              \
    "0,s,zz,2024-07-01,NA,NA,.25,p\n"                                          \
    "1,s,x,2024-12-31,r,q,1,p\n"

static sotto_table *read_rows(void)
{
    return read_text("w.csv", ROWS,
                     SETTINGS({"schema-text", SCHEMA}, {"loss", "squared"},
                              {"epsilon", "1"}, {"threads", "1"}));
}

static void test_rows_add_up(void **state)
{
    (void)state;
    sotto_error error;
    sotto_table *t = read_rows();
    int64_t whole[FEATURES], seen[GROUPS + 1] = {0};
    assert_int_equal(t->features, FEATURES);
    assert_int_equal(table_whole_levels(t, whole, &error), SOTTO_OK);
    for (int64_t j = 0; j < FEATURES; j++) {
        assert_in_range(whole[j], 0, GROUPS);
        seen[whole[j]]++;
        int level = strchr(t->name[j], '=') && strncmp(t->name[j], "b=", 2);
        assert_int_equal(whole[j] != 0, level != 0);
    }
    /* n, the days, the boolean, and b, of which a row may have none */
    assert_int_equal(seen[0], 3 + 2);
    for (int64_t g = 1; g <= GROUPS; g++)
        for (int64_t i = 0; i < t->rows; i++) {
            double sum = 0;
            for (int64_t j = 0; j < FEATURES; j++)
                sum += whole[j] == g ? table_element(t, t->x, j * t->stride + i)
                                     : 0;
            assert_true(seen[g] > 1 && sum == 1);
        }
    sotto_table_free(t);
}

/* A schema that is not of these columns says nothing of them. */
static void test_of_other_columns(void **state)
{
    (void)state;
    sotto_error error;
    sotto_table *t = read_rows();
    int64_t whole[FEATURES];
    char *kept = t->schema;
    t->schema = (char *)"{\"sotto_schema\": 1, \"columns\": {\"z\": {\"type\": "
                        "\"category\", \"levels\": [\"p\", \"q\"]}}}";
    assert_int_equal(table_whole_levels(t, whole, &error), SOTTO_OK);
    for (int64_t j = 0; j < FEATURES; j++)
        assert_int_equal(whole[j], 0);
    t->schema = kept;
    sotto_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_add_up),
        cmocka_unit_test(test_of_other_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
