/*
 * Arrow C streams against CSV with the same values: the same table, bit for
 * bit, or the same refusal, however the columns lie and wherever batches end.
 * Producers that fail, and such as hand out what cannot be: one line, no
 * crash, and everything released once.
 */
#include "arrow_stream.h"

/* ---- the same as CSV ---- */

#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\", \"-1\"],"              \
    "\"default\": {\"type\": \"number\", \"missing\": 0.5}, \"columns\": {"    \
    "\"b\": {\"type\": \"number\", \"bounds\": [-2, 30], \"missing\": 3},"     \
    "\"c\": {\"type\": \"category\", \"levels\": [\"ann\", \"1\", \"0\","      \
    "\"2.5\", \"bob\", \"2\", \"somebody with a long name\"],"                 \
    " \"missing\": \"none\"},"                                                 \
    "\"d\": {\"type\": \"category\", \"levels\": [\"ann\", \"1\"],"            \
    "\"missing\": \"ann\"}}}"

enum { COLUMNS = 9 };
static void random_columns(made **c, int rows)
{
    for (int j = 0; j < COLUMNS; j++) {
        /* most texts are no numbers, so few columns of numbers have texts */
        int64_t odds = j == 0 || j == 1 || j == 5 || j == 8 ? 12 : 2;
        c[j] = random_column(column_names[j], random_below(odds) == 0, rows);
        for (int i = 0; c[j]->is_text && i < rows; i++)
            if (c[j]->field[i][0] && random_below(9) == 0)
                strcpy(c[j]->field[i], long_word);
    }
}

static sotto_columns *list_of(producer *p)
{
    sotto_columns *list;
    sotto_error error;
    struct ArrowArrayStream stream = stream_of(p);
    if (sotto_columns_stream(&list, &stream, &error))
        fail_msg("%s", error.message);
    assert_null(stream.release); /* it was taken over */
    assert_int_equal(live_schemas, 0);
    return list;
}

static void check_place(sotto_error *of_csv, const sotto_error *of_stream)
{
    long line, row;
    char *after = strstr(of_csv->message, " after the header");
    if (after)
        *after = 0;
    if (sscanf(of_stream->message, "the table: row %ld", &row) == 1) {
        assert_int_equal(sscanf(of_csv->message, "a.csv: line %ld", &line), 1);
        assert_int_equal(line, row + 1);
    }
}

static int compare(int rows)
{
    static producer p;
    made *c[COLUMNS];
    sotto_table *from_file = NULL, *from_stream = NULL;
    sotto_error said_a = {0}, said_b = {0};
    text_buffer csv = {0};
    random_columns(c, rows);
    make_producer(&p, c, COLUMNS, rows);
    for (int i = 0; rows && random_below(3) == 0 && i < 3; i++)
        make_absent(&p, (int)random_below(rows));
    put_columns_csv(&csv, c, COLUMNS, rows);
    sotto_options *o = random_options(SCHEMA);
    sotto_status a = table_read_memory(&from_file, "a.csv", csv.data,
                                       csv.length, o, &said_a);
    sotto_columns *list = list_of(&p);
    sotto_status b = sotto_table_from(&from_stream, list, o, &said_b);
    if (a == SOTTO_OK && b == SOTTO_OK)
        assert_same_remarks(from_file, from_stream);
    check_place(&said_a, &said_b);
    int rows_in_both = a == SOTTO_OK ? (int)from_file->rows : -1;
    assert_same_reading(a, from_file, &said_a, b, from_stream, &said_b);
    sotto_columns_free(list);
    assert_all_released();
    for (int j = 0; j < COLUMNS; j++)
        free_column(c[j]);
    text_free(&csv);
    sotto_options_free(o);
    return rows_in_both;
}

static void test_same_as_csv(void **state)
{
    (void)state;
    int tables = 0, refusals = 0, with_rows = 0;
    for (int k = 0; k < 2500; k++) {
        int got = compare((int)random_below(k % 10 ? 40 : MOST_ROWS));
        tables += got >= 0;
        with_rows += got > 0;
        refusals += got < 0;
    }
    /* the comparison is about something */
    assert_true(tables > 400 && with_rows > 250 && refusals > 150);
}

/* ---- a stream that always makes a table ---- */

static made *whole[3];

/* Numbers, texts, and texts by a dictionary. */
static void open_whole(producer *p, int rows)
{
    static const char *const names[] = {"a", "b", "c"};
    for (int j = 0; j < 3; j++) {
        whole[j] = random_column(names[j], j > 0, rows);
        for (int i = 0; i < rows; i++) {
            whole[j]->missing[i] = 0;
            if (j > 0)
                strcpy(whole[j]->field[i], i % 2 ? "ann" : long_word);
        }
    }
    make_producer(p, whole, 3, rows);
    strcpy(p->layout[1].format, "U");
    p->layout[1].list[0] = 0;
    strcpy(p->layout[2].format, "s");
    strcpy(p->layout[2].list, "vu");
}

static void close_whole(void)
{
    for (int j = 0; j < 3; j++)
        free_column(whole[j]);
}

#define LEVELS                                                                 \
    "{\"type\": \"category\", \"levels\": [\"ann\", \"somebody with a long "   \
    "name\"]}"

static sotto_options *whole_options(void)
{
    sotto_error error;
    sotto_options *o = options_with(SETTINGS({"threads", "1"}));
    assert_int_equal(
        sotto_options_set_content(
            o, "schema",
            "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\","
            " \"missing\": 0}, \"columns\": {\"b\": " LEVELS ", \"c\": " LEVELS
            "}}",
            &error),
        SOTTO_OK);
    return o;
}

static sotto_status read_whole(producer *p, sotto_error *error)
{
    sotto_options *o = whole_options();
    sotto_columns *list;
    sotto_table *t = NULL;
    struct ArrowArrayStream stream = stream_of(p);
    sotto_status status = sotto_columns_stream(&list, &stream, error);
    assert_null(stream.release);
    assert_true(!list == (status != SOTTO_OK));
    if (status == SOTTO_OK)
        status = sotto_table_from(&t, list, o, error);
    assert_true(!t == (status != SOTTO_OK));
    if (t)
        assert_int_equal(t->rows, p->rows);
    sotto_table_free(t);
    sotto_columns_free(list);
    sotto_options_free(o);
    assert_all_released();
    return status;
}

/* The producer's own expected may quote a record. */
static void check_words(const sotto_error *error, const char *expected)
{
    if (!strstr(error->message, expected))
        fail_msg("\"%s\" is not in: %s", expected, error->message);
    assert_null(strstr(error->message, "SECRET"));
    assert_null(strchr(error->message, '\n'));
}

static void test_failures(void **state)
{
    (void)state;
    static producer p;
    for (int round = 0; round < 200; round++) {
        sotto_error error;
        int rows = 1 + (int)random_below(30), all;
        open_whole(&p, rows);
        p.fail_schema = 1;
        assert_int_equal(read_whole(&p, &error), SOTTO_FAILED);
        check_words(&error, "the stream failed");
        p.fail_schema = 0;
        p.code = ENOMEM;
        p.fail_at = 1;
        assert_int_equal(read_whole(&p, &error), SOTTO_FAILED);
        check_words(&error, "memory");
        p.code = EIO;
        uint64_t before = seed;
        p.at = p.batches = p.asked = p.fail_at = 0;
        if (read_whole(&p, &error))
            fail_msg("%s", error.message);
        all = p.asked;
        for (int k = 1; k <= all; k++) { /* the same batches again */
            seed = before;
            p.at = p.batches = p.asked = 0;
            p.fail_at = k;
            assert_int_equal(read_whole(&p, &error), SOTTO_FAILED);
            check_words(&error, "the stream failed");
            assert_int_equal(p.asked, k); /* and not once more */
        }
        close_whole();
    }
}

/* ---- before the first row ---- */

static sotto_status look(void *context, const sotto_table *shape,
                         sotto_error *error)
{
    const producer *p = context;
    (void)shape;
    assert_int_equal(p->asked, 0);
    return p->code ? error_set(error, SOTTO_BUDGET, "refused") : SOTTO_OK;
}

static void test_after_the_hook(void **state)
{
    (void)state;
    static producer p;
    for (int code = 0; code < 2; code++) {
        sotto_error error;
        sotto_table *t;
        sotto_options *o = whole_options();
        open_whole(&p, 9);
        p.code = code;
        sotto_columns *list = list_of(&p);
        assert_int_equal(p.asked, 0);
        assert_int_equal(table_from_after(&t, list, o, look, &p, &error),
                         code ? SOTTO_BUDGET : SOTTO_OK);
        assert_int_equal(p.asked > 0, !code);
        sotto_table_free(t);
        if (!code) { /* it makes one table */
            assert_int_equal(sotto_table_from(&t, list, o, &error),
                             SOTTO_USAGE);
            check_words(&error, "expected a new one");
        }
        assert_int_equal(live_streams, 1);
        sotto_columns_free(list);
        assert_all_released();
        sotto_options_free(o);
        close_whole();
    }
}

/* ---- what cannot be ---- */

static struct ArrowArray *child(struct ArrowArray *batch)
{
    return batch->children[1];
}

static void spoil_count(struct ArrowArray *b)
{
    b->n_children = 2;
}
static void spoil_children(struct ArrowArray *b)
{
    b->children = NULL;
}
static void spoil_length(struct ArrowArray *b)
{
    b->length = -1;
}
static void spoil_offset(struct ArrowArray *b)
{
    b->offset = -1;
}
static void spoil_far(struct ArrowArray *b)
{
    b->offset = INT64_MAX;
}
static void spoil_more(struct ArrowArray *b)
{
    b->length = b->children[0]->length + 1;
    b->offset = 0;
    b->buffers = NULL;
    b->null_count = 0;
}
static void spoil_child_length(struct ArrowArray *b)
{
    child(b)->length = INT64_MIN;
}
static void spoil_child_offset(struct ArrowArray *b)
{
    child(b)->offset = -8;
}
static void spoil_child_far(struct ArrowArray *b)
{
    child(b)->offset = INT64_MAX - child(b)->length;
}
static void spoil_child_short(struct ArrowArray *b)
{
    if (b->length)
        child(b)->length = b->offset + b->length - 1;
}
static void spoil_buffers(struct ArrowArray *b)
{
    child(b)->buffers = NULL;
    child(b)->null_count = 0;
}
static void spoil_few_buffers(struct ArrowArray *b)
{
    child(b)->n_buffers = 2;
}
static void spoil_negative_buffers(struct ArrowArray *b)
{
    child(b)->n_buffers = -1;
}
static void spoil_offsets(struct ArrowArray *b)
{
    child(b)->buffers[1] = NULL;
}
static void spoil_bytes(struct ArrowArray *b)
{
    child(b)->buffers[2] = NULL;
}
static void spoil_order(struct ArrowArray *b)
{
    int64_t *offset = (int64_t *)(uintptr_t)child(b)->buffers[1];
    offset[child(b)->offset + b->offset + b->length] = 0;
}
static void spoil_negative(struct ArrowArray *b)
{
    int64_t *offset = (int64_t *)(uintptr_t)child(b)->buffers[1];
    offset[child(b)->offset + b->offset] = -5;
}
static void spoil_nulls(struct ArrowArray *b)
{
    child(b)->buffers[0] = NULL;
    child(b)->null_count = 1;
}
static void spoil_values(struct ArrowArray *b)
{
    b->children[0]->buffers[1] = NULL;
}
static void spoil_values_count(struct ArrowArray *b)
{
    b->children[0]->n_buffers = 1;
}
static void spoil_child(struct ArrowArray *b)
{
    child(b)->release(child(b));
}
static void spoil_list(struct ArrowArray *b)
{
    b->children[2]->dictionary = NULL;
}
static void spoil_list_length(struct ArrowArray *b)
{
    b->children[2]->dictionary->length = -2;
}
static void spoil_list_buffers(struct ArrowArray *b)
{
    b->children[2]->dictionary->buffers[1] = NULL;
}
static void spoil_list_sizes(struct ArrowArray *b)
{
    struct ArrowArray *list = b->children[2]->dictionary;
    memset((void *)(uintptr_t)list->buffers[4], 0, 16);
}
static void spoil_list_view(struct ArrowArray *b)
{
    struct ArrowArray *list = b->children[2]->dictionary;
    int32_t length = -1;
    char *views = (char *)(uintptr_t)list->buffers[1];
    for (int64_t i = 0; i < list->length; i++)
        memcpy(views + (list->offset + i) * 16, &length, 4);
}
static void spoil_list_which(struct ArrowArray *b)
{
    struct ArrowArray *list = b->children[2]->dictionary;
    int32_t which = 2;
    char *views = (char *)(uintptr_t)list->buffers[1];
    for (int64_t i = 0; i < list->length; i++)
        memcpy(views + (list->offset + i) * 16 + 8, &which, 4);
}
static void spoil_codes(struct ArrowArray *b)
{
    struct ArrowArray *codes = b->children[2];
    memset((char *)(uintptr_t)codes->buffers[1] +
               2 * (codes->offset + b->offset),
           0x7f, (size_t)(2 * b->length));
}
static void spoil_negative_codes(struct ArrowArray *b)
{
    struct ArrowArray *codes = b->children[2];
    memset((char *)(uintptr_t)codes->buffers[1] +
               2 * (codes->offset + b->offset),
           0xff, (size_t)(2 * b->length));
}
static void spoil_short_list(struct ArrowArray *b)
{
    b->children[2]->dictionary->length = 0;
}

static void test_spoiled(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct ArrowArray *batch);
        const char *expected;
        sotto_status status;
    } cases[] = {
        {spoil_count, "the columns of its schema", SOTTO_USAGE},
        {spoil_children, "the columns of its schema", SOTTO_USAGE},
        {spoil_length, "a length and an offset", SOTTO_USAGE},
        {spoil_offset, "a length and an offset", SOTTO_USAGE},
        {spoil_far, "a length and an offset", SOTTO_USAGE},
        {spoil_more, "a value for each row", SOTTO_USAGE},
        {spoil_child_length, "\"b\": expected a length and an", SOTTO_USAGE},
        {spoil_child_offset, "\"b\": expected a length and an", SOTTO_USAGE},
        {spoil_child_far, "\"b\": expected a length and an", SOTTO_USAGE},
        {spoil_child_short, "\"b\": expected a value for each", SOTTO_USAGE},
        {spoil_buffers, "\"b\": expected the offsets", SOTTO_USAGE},
        {spoil_few_buffers, "\"b\": expected the offsets", SOTTO_USAGE},
        {spoil_negative_buffers, "\"b\": expected a length", SOTTO_USAGE},
        {spoil_offsets, "\"b\": expected the offsets", SOTTO_USAGE},
        {spoil_bytes, "\"b\": expected the bytes", SOTTO_USAGE},
        {spoil_order, "\"b\": expected offsets", SOTTO_USAGE},
        {spoil_negative, "\"b\": expected offsets", SOTTO_USAGE},
        {spoil_nulls, "\"b\": expected the bits", SOTTO_USAGE},
        {spoil_values, "\"a\": expected values", SOTTO_USAGE},
        {spoil_values_count, "\"a\": expected values", SOTTO_USAGE},
        {spoil_child, "\"b\": expected an array", SOTTO_USAGE},
        {spoil_list, "\"c\": expected an array", SOTTO_USAGE},
        {spoil_list_length, "\"c\": expected a length", SOTTO_USAGE},
        {spoil_list_buffers, "\"c\": expected the offsets", SOTTO_USAGE},
        {spoil_list_sizes, "\"c\": expected views of texts", SOTTO_USAGE},
        {spoil_list_view, "\"c\": expected views of texts", SOTTO_USAGE},
        {spoil_list_which, "\"c\": expected views of texts", SOTTO_USAGE},
        {spoil_codes, "row 1, column \"c\": expected the number", SOTTO_DATA},
        {spoil_negative_codes, "\"c\": expected the number", SOTTO_DATA},
        {spoil_short_list, "\"c\": expected the number", SOTTO_DATA},
    };
    static producer p;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int round = 0; round < 30; round++) {
            sotto_error error;
            open_whole(&p, 40);
            p.spoil = cases[k].spoil;
            do { /* a first batch that has rows */
                p.at = p.batches = p.asked = 0;
                error.message[0] = 0;
            } while (read_whole(&p, &error) == SOTTO_OK);
            if (error.status != cases[k].status ||
                !strstr(error.message, cases[k].expected))
                fail_msg("%zu: \"%s\": %s", k, cases[k].expected,
                         error.message);
            check_words(&error, cases[k].expected);
            close_whole();
        }
}

static struct ArrowSchema *second(struct ArrowSchema *s)
{
    return s->children[1];
}

static void rename_format(struct ArrowSchema *s, const char *format)
{
    free((void *)(uintptr_t)s->format);
    s->format = format ? strdup(format) : NULL;
}

static void schema_top(struct ArrowSchema *s)
{
    rename_format(s, "l");
}
static void schema_no_format(struct ArrowSchema *s)
{
    rename_format(s, NULL);
}
static void schema_child(struct ArrowSchema *s)
{
    second(s)->release(second(s));
}
static void schema_child_format(struct ArrowSchema *s)
{
    rename_format(second(s), NULL);
}
static void schema_child_name(struct ArrowSchema *s)
{
    free((void *)(uintptr_t)second(s)->name);
    second(s)->name = NULL;
}
static void schema_child_words(struct ArrowSchema *s)
{
    free((void *)(uintptr_t)second(s)->name);
    second(s)->name = strdup("a\xff");
}

static void test_schemas(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct ArrowSchema *top);
        const char *expected;
    } cases[] = {
        {schema_top, "expected rows of columns (a struct), found the type"},
        {schema_no_format, "expected rows of columns (a struct)"},
        {schema_child, "column 2: expected a type"},
        {schema_child_format, "column 2: expected a type"},
        {schema_child_name, "column 2: expected a name"},
        {schema_child_words, "column 2: expected a name"},
    };
    static producer p;
    sotto_error error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        open_whole(&p, 5);
        p.spoil_schema = cases[k].spoil;
        assert_int_equal(read_whole(&p, &error), SOTTO_USAGE);
        check_words(&error, cases[k].expected);
        assert_int_equal(p.asked, 0);
        close_whole();
    }
}

static void no_columns(struct ArrowSchema *s)
{
    s->n_children = -1;
}

static void test_no_stream(void **state)
{
    (void)state;
    sotto_columns *list;
    sotto_error error;
    static producer p;
    struct ArrowArrayStream stream = {0};
    assert_int_equal(sotto_columns_stream(&list, NULL, &error), SOTTO_USAGE);
    assert_null(list);
    assert_int_equal(sotto_columns_stream(&list, &stream, &error), SOTTO_USAGE);
    check_words(&error, "not released");
    make_producer(&p, NULL, 0, 0);
    stream = stream_of(&p);
    stream.get_next = NULL;
    assert_int_equal(sotto_columns_stream(&list, &stream, &error), SOTTO_USAGE);
    check_words(&error, "its calls");
    assert_all_released();
    p.spoil_schema = no_columns;
    stream = stream_of(&p);
    assert_int_equal(sotto_columns_stream(&list, &stream, &error), SOTTO_USAGE);
    check_words(&error, "expected its columns");
    assert_all_released();
    p.spoil_schema = NULL;
    list = list_of(&p); /* no column at all: no table */
    sotto_table *t;
    sotto_options *o = options_with(NO_SETTINGS);
    assert_true(sotto_table_from(&t, list, o, &error) != SOTTO_OK);
    assert_int_equal(
        sotto_columns_add(list, "x", "", SOTTO_I8, 0, NULL, &error),
        SOTTO_USAGE);
    sotto_columns_free(list);
    sotto_options_free(o);
    assert_all_released();
}

/* ---- types ---- */

static const char *type_format, *type_list;

static void with_type(struct ArrowSchema *s)
{
    rename_format(second(s), type_format);
    if (type_list) {
        second(s)->dictionary = calloc(1, sizeof *s);
        make_schema(second(s)->dictionary, type_list, NULL);
    }
}

/* What is left out may be anything; its arrays are not looked at. */
static void wreck(struct ArrowArray *b)
{
    child(b)->length = -7;
    child(b)->buffers = NULL;
    child(b)->n_buffers = 1000;
}

static void test_other_types(void **state)
{
    (void)state;
    static const char *const other[][2] = {
        {"n", NULL},       {"e", NULL},   {"z", NULL},   {"Z", NULL},
        {"vz", NULL},      {"w:4", NULL}, {"tdD", NULL}, {"tsu:UTC", NULL},
        {"d:19,10", NULL}, {"+l", NULL},  {"+s", NULL},  {"", NULL},
        {"uu", NULL},      {"ll", NULL},  {"i", "l"},    {"i", "z"},
        {"f", "u"},        {"b", "u"},    {"u", "u"},    {"i", "+l"}};
    static producer p;
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        sotto_error error;
        sotto_table *t;
        char *text, expected[40];
        sotto_options *o = whole_options();
        type_format = other[k][0];
        type_list = other[k][1];
        snprintf(expected, sizeof expected, "column \"b\": expected numbers");
        open_whole(&p, 12);
        p.spoil_schema = with_type;
        p.spoil = wreck;
        sotto_columns *list = list_of(&p);
        assert_int_equal(sotto_table_from(&t, list, o, &error), SOTTO_DATA);
        check_words(&error, expected);
        snprintf(expected, sizeof expected, "\"%s\"",
                 type_list ? type_list : type_format);
        check_words(&error, expected);
        assert_int_equal(p.asked, 0);
        assert_int_equal(sotto_options_set(o, "drop", "b", &error), SOTTO_OK);
        if (sotto_table_from(&t, list, o, &error))
            fail_msg("%s", error.message);
        assert_int_equal(t->rows, 12);
        assert_int_equal(t->features, 3);
        sotto_table_free(t);
        assert_int_equal(sotto_schema_template_from(&text, list, o, &error),
                         SOTTO_OK);
        sotto_text_free(text);
        sotto_columns_free(list);
        sotto_options_free(o);
        assert_all_released();
        close_whole();
    }
}

/* ---- the list of a dictionary is data ---- */

/* Levels that are listed and not used, or in another order, change nothing:
   two producers of the same rows, whose lists differ, give the same table. */
static void test_lists(void **state)
{
    (void)state;
    static producer p;
    for (int round = 0; round < 100; round++) {
        sotto_table *t[2];
        sotto_error error;
        sotto_options *o = whole_options();
        open_whole(&p, 30);
        for (int k = 0; k < 2; k++) {
            p.at = p.batches = p.asked = 0;
            sotto_columns *list = list_of(&p); /* shuffled anew */
            assert_int_equal(sotto_table_from(&t[k], list, o, &error),
                             SOTTO_OK);
            sotto_columns_free(list);
        }
        assert_equal_tables(t[0], t[1]);
        assert_null(strstr(t[0]->schema, "nobody has this"));
        sotto_table_free(t[0]);
        sotto_table_free(t[1]);
        sotto_options_free(o);
        assert_all_released();
        close_whole();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_csv),    cmocka_unit_test(test_failures),
        cmocka_unit_test(test_after_the_hook), cmocka_unit_test(test_spoiled),
        cmocka_unit_test(test_schemas),        cmocka_unit_test(test_no_stream),
        cmocka_unit_test(test_other_types),    cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
