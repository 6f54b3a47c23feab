/*
 * "other": true: a text that is none of the declared levels becomes the level
 * "other", and which it becomes depends on that text and the schema alone.
 * And rows to predict on, where a bad row keeps its place.
 */
#include "reading.h"

#define COLUMNS(more)                                                          \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], \"columns\": {"       \
    "\"x\": {\"type\": \"number\"}, \"c\": {\"type\": \"category\","           \
    " \"levels\": [\"red\", \"blue\", \"Other\"], " more "}}}"

enum { LEVELS = 3, FEATURES = LEVELS + 2 };

/* Texts of a field, the level that each becomes (LEVELS: other), -1: none. */
static const struct {
    const char *field;
    int level;
} words[] = {{"red", 0},      {"blue", 1},    {"Other", 2},  {"other", 3},
             {"Red", 3},      {"redd", 3},    {"re", 3},     {"0", 3},
             {"nan", 3},      {"none", 3},    {"refuse", 3}, {" red ", 0},
             {"\" red\"", 3}, {"\"red\"", 0}, {"a b", 3},    {"", -1},
             {"NA", -1},      {"\"\"", -1},   {"\"na\"", 3}, {"1e99", 3}};
enum { WORDS = sizeof words / sizeof *words };

static uint64_t random_state = 1;
static size_t random_word(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t high = random_state >> 33;
    /* most rows have one of few words; the others are rare */
    return high % 10 ? high / 16 % 3 : high / 16 % WORDS;
}

/* What a row must be, by the list above. */
static void assert_row(const sotto_table *t, int64_t i, size_t word)
{
    for (int64_t j = 0; j <= LEVELS; j++)
        if (cell(t, i, j + 1) != (words[word].level == j))
            fail_msg("row %lld of \"%s\": level %lld", (long long)i,
                     words[word].field, (long long)j);
}

static sotto_table *read_words(const size_t *word, int64_t rows,
                               const char *threads, const char *schema)
{
    char *text = malloc((size_t)rows * 32 + 16);
    size_t size = (size_t)sprintf(text, "x,c\n");
    for (int64_t i = 0; i < rows; i++)
        size += (size_t)sprintf(text + size, "%lld,%s\n", (long long)i % 7,
                                words[word[i]].field);
    sotto_table *t =
        read_bytes("a.csv", text, size,
                   SETTINGS({"schema", schema}, {"threads", threads}));
    free(text);
    return t;
}

/* Every row against the list, alone, and among fewer and other rows. */
static void test_row_by_row(void **state)
{
    (void)state;
    char *schema =
        write_temporary(COLUMNS("\"other\": true, \"missing\": \"none\""));
    size_t word[200];
    for (int64_t rows = 1; rows < 200; rows += rows < 36 ? 1 : 41) {
        for (int64_t i = 0; i < rows; i++)
            word[i] = random_word();
        sotto_table *all = read_words(word, rows, "1", schema);
        assert_int_equal(all->features, FEATURES);
        for (int64_t i = 0; i < rows; i++) {
            sotto_table *alone = read_words(word + i, 1, "1", schema);
            assert_row(all, i, word[i]);
            assert_row(alone, 0, word[i]);
            sotto_table_free(alone);
        }
        sotto_table_free(all);
    }
    unlink(schema);
}

/* Several pieces, several threads. */
static void test_pieces(void **state)
{
    (void)state;
    enum { ROWS = 300000 };
    char *schema =
        write_temporary(COLUMNS("\"other\": true, \"missing\": \"none\""));
    size_t *word = calloc(ROWS, sizeof *word);
    for (int64_t i = 0; i < ROWS; i++)
        word[i] = random_word();
    sotto_table *one = read_words(word, ROWS, "1", schema);
    sotto_table *many = read_words(word, ROWS, "4", schema);
    assert_same(one, many);
    double *x = calloc(ROWS, sizeof *x);
    for (int64_t j = 0; j <= LEVELS; j++) {
        table_stored(many, j + 1, x);
        for (int64_t i = 0; i < ROWS; i++)
            assert_true(x[i] == (words[word[i]].level == j));
    }
    free(x);
    free(word);
    sotto_table_free(one);
    sotto_table_free(many);
    unlink(schema);
}

/* Missing has a rule of its own, which may name the level. */
static void test_missing(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        double blue, other;
    } rules[] = {{COLUMNS("\"other\": true, \"missing\": \"none\""), 0, 0},
                 {COLUMNS("\"other\": true, \"missing\": \"blue\""), 1, 0},
                 {COLUMNS("\"other\": true, \"missing\": \"other\""), 0, 1}};
    for (int k = 0; k < 3; k++) {
        char *schema = write_temporary(rules[k].more);
        sotto_table *t = read_text("a.csv", "x,c\n1,\n2,NA\n3,zz\n",
                                   SETTINGS({"schema", schema}));
        char buffer[24];
        assert_string_equal(sotto_table_feature_name(t, 4, buffer), "c=other");
        for (int i = 0; i < 2; i++) {
            assert_true(cell(t, i, 1) == 0);
            assert_true(cell(t, i, 2) == rules[k].blue);
            assert_true(cell(t, i, 4) == rules[k].other);
        }
        assert_true(cell(t, 2, 4) == 1);
        sotto_table_free(t);
        unlink(schema);
    }
    char *schema = write_temporary(COLUMNS("\"other\": true"));
    refuse_text("a.csv", "x,c\n1,zz\n2,NA\n", SETTINGS({"schema", schema}),
                "line 3, column 2 (\"c\"): expected a value, found none");
    unlink(schema);
    schema = write_temporary(COLUMNS("\"other\": false"));
    refuse_text("a.csv", "x,c\n1,red\n2,zz\n", SETTINGS({"schema", schema}),
                "line 3, column 2 (\"c\"): expected one of the levels");
    unlink(schema);
}

/* What a table says of its columns reads another file in the same way. */
static void test_declared_again(void **state)
{
    (void)state;
    char *schema =
        write_temporary(COLUMNS("\"other\": true, \"missing\": \"other\""));
    const char *text = "x,c\n1,red\n2,zz\n3,\n4,other\n";
    sotto_table *t = read_text("a.csv", text, SETTINGS({"schema", schema}));
    unlink(schema);
    char *again = write_temporary(t->schema);
    sotto_table *same = read_text("a.csv", text, SETTINGS({"schema", again}));
    assert_same(t, same);
    assert_string_equal(t->schema, same->schema);
    sotto_table_free(t);
    sotto_table_free(same);
    unlink(again);
}

/* ---- bad rows where a model predicts ---- */

#define MODEL                                                                  \
    "{\"sotto_schema\": 1, \"columns\": {\"x\": {\"type\": \"number\"},"       \
    " \"c\": {\"type\": \"category\", \"levels\": [\"red\", \"blue\"]}}}"

/* Rows are where their records are; a bad one is marked, and holds zeros. */
static void test_bad_rows_marked(void **state)
{
    (void)state;
    static const char *const bad[] = {"?,red",   "1,green", ",red", "1",
                                      "1,red,2", "\"1,red", "1,",   "nan,red"};
    const setting *predict =
        SETTINGS({"declared", MODEL}, {"labelled", "no"}, {"bad-rows", "drop"},
                 {"precision", "double"}, {"layout", "rows"});
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[4096] = "x,c\n";
        for (int i = 0; i < 70; i++)
            if (i % 3)
                sprintf(text + strlen(text), "%d,%s\n", i,
                        i % 3 == 1 ? "red" : "blue");
            else
                sprintf(text + strlen(text), "%s\n", bad[k]);
        sotto_table *t = read_text("a.csv", text, predict);
        assert_int_equal(t->rows, 70);
        for (int i = 0; i < 70; i++) {
            assert_int_equal(t->bad[i], i % 3 == 0);
            assert_true(cell(t, i, 0) == (i % 3 ? i : 0));
            assert_true(cell(t, i, 1) == (i % 3 == 1));
            assert_true(cell(t, i, 2) == (i % 3 == 2));
        }
        sotto_table_free(t);
    }
}

/* Whatever something is learned or measured from has no such row. */
static void test_bad_rows_absent_elsewhere(void **state)
{
    (void)state;
    const char *text = "x,c,t\n1,red,1\n?,red,1\n2,green,1\n3,blue,1\n";
    static const char schema[] =
        "{\"sotto_schema\": 1, \"columns\": {\"x\": {\"type\": \"number\"},"
        " \"c\": {\"type\": \"category\", \"levels\": [\"red\", \"blue\"]},"
        " \"t\": {\"type\": \"target\"}}}";
    char *path = write_temporary(schema);
    sotto_table *trained = read_text(
        "a.csv", text, SETTINGS({"schema", path}, {"bad-rows", "drop"}));
    sotto_table *labelled =
        read_text("a.csv", text,
                  SETTINGS({"declared", schema}, {"labelled", "yes"},
                           {"bad-rows", "drop"}, {"precision", "double"},
                           {"layout", "rows"}));
    assert_int_equal(trained->rows, 2);
    assert_int_equal(labelled->rows, 2);
    assert_null(trained->bad);
    assert_null(labelled->bad);
    sotto_table_free(trained);
    sotto_table_free(labelled);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_by_row),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_declared_again),
        cmocka_unit_test(test_bad_rows_marked),
        cmocka_unit_test(test_bad_rows_absent_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
