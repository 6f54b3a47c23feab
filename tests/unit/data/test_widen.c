/*
 * Levels that nobody declared: a table whose levels were released is, bit for
 * bit, the one that a schema which declares them makes; what is kept of a row
 * until then is a function of its record; and nothing of it is left after.
 */
#include "reading.h"

#define SCHEMA(c, d)                                                           \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], \"columns\": {"       \
    "\"x\": {\"type\": \"number\", \"bounds\": [-2, 2]}, "                     \
    "\"c\": {\"type\": \"category\", " c "}, "                                 \
    "\"d\": {\"type\": \"category\", " d "}, "                                 \
    "\"y\": {\"type\": \"target\", \"classes\": [\"0\", \"1\"]}}}"
#define ASKED                                                                  \
    SCHEMA("\"levels\": \"private\", \"missing\": \"none\"",                   \
           "\"levels\": \"private\", \"missing\": \"other\"")
#define DECLARED                                                               \
    SCHEMA("\"levels\": [\"a\", \"ab\", \"b\"], \"other\": true, "             \
           "\"missing\": \"none\"",                                            \
           "\"levels\": [\"\xc3\xa9\"], \"other\": true, "                     \
           "\"missing\": \"other\"")

#define ROWS                                                                   \
    "0,b,\xc3\xa9,1\n1,a,e,0\n-1,ab,\xc3\xa9,1\n.5,NA,NA,0\n"                  \
    "2,zz,\"q, r\",1\n1,other,other,1\n1, a ,\"\xc3\xa9\",0\n"                 \
    "1,B,\xff\xfe,1\n-2,b,,0\n"

static sotto_table *read_with(const char *schema, const char *rows,
                              const char *threads)
{
    char text[4000];
    snprintf(text, sizeof text, "x,c,d,y\n%s", rows);
    return read_text("a.csv", text,
                     SETTINGS({"schema-text", schema}, {"loss", "logistic"},
                              {"epsilon", "1"}, {"threads", threads}));
}

static char *first[] = {(char *)"a", (char *)"ab", (char *)"b"};
static char *second[] = {(char *)"\xc3\xa9"};
static const level_list released[] = {{first, 3}, {second, 1}};

static void assert_same_columns(const sotto_table *a, const sotto_table *b)
{
    assert_int_equal(a->features, b->features);
    for (int64_t j = 0; j < a->features; j++) {
        assert_string_equal(a->name[j], b->name[j]);
        assert_true(a->centre[j] == b->centre[j] && a->half[j] == b->half[j]);
        assert_true(a->low[j] == b->low[j] && a->high[j] == b->high[j]);
        assert_true(a->reach[j] == b->reach[j]);
    }
}

/* The bytes of the matrix too, with its padding and the sign of zeros. */
static void test_as_declared(void **state)
{
    (void)state;
    sotto_error error;
    sotto_table *asked = read_with(ASKED, ROWS, "1");
    sotto_table *declared = read_with(DECLARED, ROWS, "1"), *shape;
    assert_int_equal(asked->features, 3);
    assert_int_equal(asked->levels.columns, 2);
    assert_int_equal(table_shape_of(&shape, asked, &error), SOTTO_OK);
    assert_int_equal(shape->rows, 0);
    assert_null(shape->levels.column[0].id);
    assert_int_equal(table_widen(asked, released, &error), SOTTO_OK);
    assert_int_equal(table_widen(shape, released, &error), SOTTO_OK);
    assert_same(asked, declared);
    assert_same_columns(asked, declared);
    assert_same_columns(shape, declared);
    assert_memory_equal(asked->x, declared->x, declared->x_bytes);
    sotto_table_free(declared);
    /* its schema, which the model keeps, reads another file so, too */
    declared = read_with(asked->schema, ROWS, "1");
    assert_same(asked, declared);
    assert_same_columns(asked, declared);
    assert_string_equal(shape->schema, asked->schema);
    sotto_table_free(asked);
    sotto_table_free(declared);
    sotto_table_free(shape);
}

/* Where nothing is released there is one level, and the schema can be read. */
static void test_nothing_released(void **state)
{
    (void)state;
    sotto_error error;
    static const level_list none[] = {{NULL, 0}, {NULL, 0}};
    sotto_table *t = read_with(ASKED, ROWS, "1");
    sotto_table *before = read_with(ASKED, ROWS, "1");
    assert_int_equal(table_widen(t, none, &error), SOTTO_OK);
    assert_same(t, before);
    sotto_table *again = read_with(t->schema, ROWS, "1");
    assert_same(t, again);
    assert_int_equal(again->levels.columns, 0);
    sotto_table_free(t);
    sotto_table_free(before);
    sotto_table_free(again);
}

/* By bytes, whatever the order of rows; and the text of row i is its own. */
static void test_order(void **state)
{
    (void)state;
    sotto_table *t = read_with(ASKED, ROWS, "1");
    const level_column *c = &t->levels.column[0];
    assert_int_equal(c->count, 5);
    assert_memory_equal(c->text, "BaabbzzRest", 7);
    static const int32_t id[] = {3, 1, 2, -1, 4, -1, 1, 0, 3};
    assert_memory_equal(c->id, id, sizeof id);
    /* neither UTF-8, nor other, nor a missing value, is a level */
    const level_column *d = &t->levels.column[1];
    assert_int_equal(d->count, 3);
    assert_memory_equal(d->text, "eq, r\xc3\xa9", 7);
    assert_int_equal(d->id[7], -1);
    assert_int_equal(d->id[5], -1);
    assert_int_equal(d->id[8], -1);
    sotto_table_free(t);
}

static void test_levels_are_words(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a",      " ",    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "others", "Other"};
    static const char *const bad[] = {"",
                                      "other",
                                      "\n",
                                      "a\x7f",
                                      "\xff",
                                      "\xc3",
                                      "\xc0\xaf",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xe0\x80\xaf",
                                      "a\x80"};
    char large[202];
    memset(large, 'a', sizeof large);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(table_is_level(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(table_is_level(bad[i], strlen(bad[i])));
    assert_true(table_is_level(large, 200));
    assert_false(table_is_level(large, 201));
    assert_false(table_is_level("a\0b", 3));
}

/* Many pieces and threads, and a row by itself: the same text. */
static void test_locality(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    char *text = malloc(COUNT * 32 + 16);
    size_t size = (size_t)sprintf(text, "x,c,d,y\n");
    for (int i = 0; i < COUNT; i++)
        size += (size_t)sprintf(text + size, "%d,c%d,%s,%d\n", i % 3,
                                i * 7 % 1009, i % 5 ? "u" : "NA", i % 2);
    for (int threads = 1; threads <= 4; threads += 3) {
        char number[] = {(char)('0' + threads), 0};
        sotto_table *t =
            read_bytes("a.csv", text, size,
                       SETTINGS({"schema-text", ASKED}, {"loss", "logistic"},
                                {"epsilon", "1"}, {"threads", number}));
        const level_column *c = &t->levels.column[0];
        assert_int_equal(c->count, 1009);
        for (int i = 0; i < COUNT; i++) {
            char own[8];
            snprintf(own, sizeof own, "c%d", i * 7 % 1009);
            int32_t id = c->id[i];
            size_t from = id ? c->end[id - 1] : 0;
            assert_int_equal(c->end[id] - from, strlen(own));
            assert_memory_equal(c->text + from, own, strlen(own));
            assert_int_equal(t->levels.column[1].id[i], i % 5 ? 0 : -1);
        }
        sotto_table_free(t);
    }
    free(text);
}

/* Nothing that depends on a record is left but the matrix. */
static void test_forgotten(void **state)
{
    (void)state;
    sotto_error error;
    sotto_table *t = read_with(ASKED, ROWS, "1");
    assert_int_equal(table_widen(t, released, &error), SOTTO_OK);
    for (int k = 0; k < 2; k++) {
        const level_column *c = &t->levels.column[k];
        assert_true(!c->id && !c->text && !c->end && !c->count);
    }
    assert_null(strstr(t->schema, "zz"));
    sotto_table_free(t);
}

static void refuse_schema(const char *c, const char *words)
{
    char schema[600];
    snprintf(schema, sizeof schema,
             "{\"sotto_schema\": 1, \"columns\": {%s, \"y\": {\"type\": "
             "\"target\"}}}",
             c);
    refuse("a.csv", "x,c,c=1,y\n", 10,
           SETTINGS({"schema-text", schema}, {"loss", "logistic"},
                    {"epsilon", "1"}),
           SOTTO_USAGE, words);
}

static void test_refused(void **state)
{
    (void)state;
    refuse_schema("\"c\": {\"type\": \"category\", \"levels\": \"secret\"}",
                  "or \"private\"");
    refuse_schema("\"c\": {\"type\": \"category\", \"levels\": \"private\", "
                  "\"other\": false}",
                  "what is not released needs it");
    refuse_schema("\"c\": {\"type\": \"category\", \"levels\": \"private\", "
                  "\"missing\": \"a\"}",
                  "\"none\" or \"other\"");
    refuse_schema("\"x\": {\"type\": \"drop\"}, \"c\": {\"type\": "
                  "\"category\", \"levels\": \"private\"}, \"c=1\": "
                  "{\"type\": \"number\"}",
                  "two features would be called \"c=1\"");
    refuse_schema("\"c\": {\"type\": \"category\", \"levels\": []}",
                  "a list of different words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_declared),
        cmocka_unit_test(test_nothing_released),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_levels_are_words),
        cmocka_unit_test(test_locality),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
