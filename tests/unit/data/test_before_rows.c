/*
 * The shape of a table: what is known of it before the first row is looked at.
 * It equals the table that is read afterwards, whatever its rows are, and the
 * hook that gets it is called before them.
 */
#include "reading.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

/* ---- all that is public of a table, as text ---- */

static void put_word(text_buffer *t, const char *what, const char *word)
{
    text_format(t, "%s: ", what);
    text_put(t, word ? word : "(none)");
    text_put(t, "\n");
}

static void put_features(text_buffer *out, const sotto_table *t)
{
    const double *const values[] = {t->centre, t->half, t->low, t->high,
                                    t->reach};
    for (int64_t j = 0; j < t->features; j++) {
        put_word(out, "feature", t->name ? t->name[j] : NULL);
        for (size_t k = 0; k < 5; k++)
            text_format(out, " %a", values[k] ? values[k][j] : NAN);
    }
    text_format(out, "scaled %lld\n", (long long)t->scaled);
}

static char *public_text(const sotto_table *t)
{
    text_buffer out = {0};
    text_format(&out, "%lld %d %d %d %d %d\n", (long long)t->features,
                t->sparse, t->is_double, t->read_privately, t->drops_rows,
                t->folded);
    put_features(&out, t);
    text_format(&out, "there: %d %d %d %d\n", t->y != NULL, t->weight != NULL,
                t->unit != NULL, t->ids != NULL);
    text_format(&out, "%a %a %a %a\n", t->weight_bound, t->target_centre,
                t->target_half, t->target_reach);
    put_word(&out, "unit", t->unit_name);
    put_word(&out, "target", t->target_name);
    put_word(&out, "first", t->classes ? t->class_name[0] : NULL);
    put_word(&out, "second", t->classes ? t->class_name[1] : NULL);
    put_word(&out, "schema", t->schema);
    assert_false(out.failed);
    return text_take(&out);
}

/* ---- reading with a hook ---- */

typedef struct seen {
    int calls;
    char *text; /* of the last shape */
    sotto_status answer;
} seen;

static sotto_status note(void *context, const sotto_table *shape,
                         sotto_error *error)
{
    seen *s = context;
    s->calls++;
    assert_int_equal(shape->rows, 0);
    assert_int_equal(sotto_table_entries(shape), 0);
    assert_null(shape->booking);
    mem_free(s->text);
    s->text = public_text(shape);
    return s->answer == SOTTO_OK
               ? SOTTO_OK
               : error_set(error, s->answer, "the hook says no");
}

static char folder[] = "/tmp/sotto-shape-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Reads these bytes as a file of that name, or from stdin ("-"). */
static sotto_status read_hooked(sotto_table **t, const char *name,
                                const void *bytes, size_t size,
                                const setting *settings, seen *s,
                                sotto_error *error)
{
    char path[96];
    int is_stdin = !strcmp(name, "-"), kept = -1;
    snprintf(path, sizeof path, "%s/%s", folder, is_stdin ? "stdin" : name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    if (is_stdin) {
        int input = open(path, O_RDONLY);
        kept = dup(0);
        assert_true(input >= 0 && dup2(input, 0) == 0);
        close(input);
    }
    sotto_options *o = options_with(settings);
    sotto_status status =
        table_read_after(t, is_stdin ? "-" : path, o, note, s, error);
    sotto_options_free(o);
    if (is_stdin) {
        if (kept >= 0)
            dup2(kept, 0);
        close(kept);
    }
    unlink(path);
    return status;
}

/* The hook is called once, and its shape equals the table. */
static void shape_is(const char *name, const void *bytes, size_t size,
                     const setting *settings, int64_t rows)
{
    seen s = {0};
    sotto_table *t = NULL;
    sotto_error error;
    if (read_hooked(&t, name, bytes, size, settings, &s, &error) != SOTTO_OK)
        fail_msg("%s: %s", name, error.message);
    assert_int_equal(s.calls, 1);
    assert_int_equal(t->rows, rows);
    char *text = public_text(t);
    assert_string_equal(s.text, text);
    mem_free(text);
    mem_free(s.text);
    sotto_table_free(t);
}

static size_t gzip(char *to, size_t room, const void *bytes, size_t size)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes,
                  .avail_in = (unsigned)size,
                  .next_out = (unsigned char *)to,
                  .avail_out = (unsigned)room};
    assert_int_equal(
        deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

/* The same, packed, and from stdin. */
static void shape_is_everywhere(const char *format, const void *bytes,
                                size_t size, const setting *settings,
                                int64_t rows)
{
    char name[32], packed[4096];
    setting more[16] = {{"format", format}};
    int count = 1;
    for (const setting *s = settings; s->name; s++)
        more[count++] = *s;
    snprintf(name, sizeof name, "a.%s", format);
    shape_is(name, bytes, size, settings, rows);
    shape_is("-", bytes, size, more, rows);
    snprintf(name, sizeof name, "a.%s.gz", format);
    shape_is(name, packed, gzip(packed, sizeof packed, bytes, size), settings,
             rows);
}

#define PRIVATE                                                                \
    {                                                                          \
        "epsilon", "1"                                                         \
    }
#define CLASSES                                                                \
    {"loss", "logistic"},                                                      \
    {                                                                          \
        "target", "t"                                                          \
    }

/* ---- it equals the table ---- */

static void test_csv(void **state)
{
    (void)state;
    const char *text = "who,x,y,t,w,q\nann,1,2,1,.5,a\nbob,3,4,0,9,b\n"
                       "ann,5,6,1,1,a\n";
    size_t size = strlen(text);
    shape_is_everywhere("csv", text, size,
                        SETTINGS(PRIVATE, CLASSES, {"drop", "who,q"}), 3);
    shape_is_everywhere("csv", text, size,
                        SETTINGS(PRIVATE, {"target", "t"}, {"drop", "q"},
                                 {"unit-column", "who"}, {"weights", "w"},
                                 {"weight-bound", "2"}, {"keep-ids", "yes"}),
                        3);
    shape_is_everywhere("csv", text, size,
                        SETTINGS(PRIVATE, CLASSES, {"drop", "who,q"},
                                 {"undeclared", "rows"},
                                 {"precision", "double"}),
                        3);
    shape_is_everywhere("csv", text, size,
                        SETTINGS(PRIVATE, CLASSES, {"drop", "who"},
                                 {"bad-rows", "drop"}, {"part-column", "q"},
                                 {"parts", "a"}),
                        2);
    shape_is_everywhere("csv", text, size,
                        SETTINGS({"drop", "who,q"}, {"target", "t"}), 3);
}

static void test_schema(void **state)
{
    (void)state;
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"],"
        " \"default\": {\"type\": \"number\", \"bounds\": [-2, 2]},"
        " \"columns\": {"
        "\"age\": {\"type\": \"number\", \"bounds\": [0, 120],"
        "          \"missing\": 30},"
        "\"sex\": {\"type\": \"category\", \"levels\": [\"f\", \"m\"],"
        "          \"missing\": \"none\"},"
        "\"id\": {\"type\": \"unit\"}, \"w\": {\"type\": \"weight\","
        " \"bounds\": [0, 10]}, \"x\": {\"type\": \"number\"},"
        "\"out\": {\"type\": \"target\", \"classes\": [\"no\", \"yes\"]}}}");
    const char *text = "id,age,sex,x,out,w,more\nann,90,f,3,yes,1,1\n"
                       "bob,NA,,4,no,12,1\n";
    shape_is_everywhere(
        "csv", text, strlen(text),
        SETTINGS(PRIVATE, {"schema", path}, {"loss", "logistic"}), 2);
    shape_is_everywhere("csv", text, strlen(text),
                        SETTINGS(PRIVATE, {"schema", path},
                                 {"loss", "logistic"}, {"undeclared", "rows"},
                                 {"bad-rows", "drop"}, {"part-column", "sex"},
                                 {"parts", "f,m"}),
                        1);
    unlink(path);
}

static void test_svmlight(void **state)
{
    (void)state;
    const char *text = "1 1:1 2:-4\n-1 1:9 3:5\n";
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\","
        " \"bounds\": [0, 4]}, \"columns\": {\"2\": {\"type\": \"number\","
        " \"bounds\": [-8, 2]}, \"3\": {\"type\": \"number\"}}}");
    shape_is_everywhere(
        "svmlight", text, strlen(text),
        SETTINGS(PRIVATE, {"features", "7"}, {"loss", "logistic"}), 2);
    shape_is_everywhere("svmlight", text, strlen(text),
                        SETTINGS(PRIVATE, {"features", "7"}, {"schema", path},
                                 {"undeclared", "rows"}, {"layout", "rows"}),
                        2);
    unlink(path);
    /* Where nobody says how many features there are, the shape has none. */
    seen s = {0};
    sotto_table *t;
    sotto_error error;
    assert_int_equal(
        read_hooked(&t, "a.svm", text, strlen(text), NO_SETTINGS, &s, &error),
        SOTTO_OK);
    assert_int_equal(s.calls, 1);
    assert_memory_equal(s.text, "0 1 ", 4);
    assert_int_equal(t->features, 3);
    sotto_table_free(t);
    mem_free(s.text);
}

static void test_npy(void **state)
{
    (void)state;
    const double x[] = {1, 2, -1, .5, 4, 1, 7, 8, 1};
    char bytes[512];
    for (int k = 0; k < 4; k++) {
        size_t size = npy_make(bytes, k & 1 ? "<f8" : "<f4", k & 2, x, 3, 3);
        shape_is_everywhere(
            "npy", bytes, size,
            SETTINGS(PRIVATE, {"target", "3"}, {"loss", "logistic"}), 3);
        shape_is_everywhere("npy", bytes, size,
                            SETTINGS(PRIVATE, {"bad-rows", "drop"},
                                     {"undeclared", "rows"},
                                     {"part-column", "3"}, {"parts", "1"}),
                            2);
    }
}

/* ---- it is told before the rows, whatever they are ---- */

static char *told(const char *name, const void *bytes, size_t size,
                  const setting *settings, sotto_status status)
{
    seen s = {0};
    sotto_table *t = NULL;
    sotto_error error;
    assert_int_equal(read_hooked(&t, name, bytes, size, settings, &s, &error),
                     status);
    assert_int_equal(s.calls, 1);
    assert_int_equal(t != NULL, status == SOTTO_OK);
    sotto_table_free(t);
    /* and where the hook says no, nothing is said of the rows */
    s.answer = SOTTO_BUDGET;
    t = NULL;
    assert_int_equal(read_hooked(&t, name, bytes, size, settings, &s, &error),
                     SOTTO_BUDGET);
    assert_string_equal(error.message, "the hook says no");
    assert_null(t);
    assert_int_equal(s.calls, 2);
    return s.text;
}

/* The shape is the same for good rows and for these. */
static void told_the_same(const char *name, const char *good, const char *other,
                          size_t size, const setting *settings,
                          sotto_status status)
{
    char *a = told(name, good, strlen(good), settings, SOTTO_OK);
    char *b = told(name, other, size, settings, status);
    assert_string_equal(a, b);
    mem_free(a);
    mem_free(b);
}

static void test_bad_rows(void **state)
{
    (void)state;
    static const char *const rows[] = {"",         "1\n",          "?,1\n",
                                       "1,7\n",    "1,1\n\"2,1\n", "1,\"1\n",
                                       "\x1f\x8b", "1,0\n2,-1\n"};
    const setting *stop = SETTINGS(PRIVATE, CLASSES);
    const setting *drop = SETTINGS(PRIVATE, CLASSES, {"bad-rows", "drop"});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "x,t\n%s", rows[i]);
        told_the_same("a.csv", "x,t\n1,1\n", text, strlen(text), stop,
                      *rows[i] ? SOTTO_DATA : SOTTO_OK);
        told_the_same("a.csv", "x,t\n1,1\n", text, strlen(text), drop,
                      SOTTO_OK);
    }
}

/* svmlight has no header: its first bytes are a record, whatever they look
   like. */
static void test_first_record(void **state)
{
    (void)state;
    static const char *const starts[] = {"\x1f\x8b",      "PAR1", "PK\3\4",
                                         "\x93NUMPY\x01", "x",    "1 9:1"};
    const setting *stop = SETTINGS(PRIVATE, {"features", "3"});
    const setting *drop =
        SETTINGS(PRIVATE, {"features", "3"}, {"bad-rows", "drop"});
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s 1:1\n", starts[i]);
        told_the_same("a.svm", "1 1:1\n", text, strlen(text), stop, SOTTO_DATA);
        told_the_same("a.svm", "1 1:1\n", text, strlen(text), drop, SOTTO_OK);
    }
}

/* Bytes that look like another program's file, but lie behind the header. */
static void test_mark_in_record(void **state)
{
    (void)state;
    char text[600] = "x,t\n";
    while (strlen(text) < 256)
        strcat(text, "1,1\n");
    strcat(text, "\"ustar\",1\n");
    assert_memory_equal(text + 257, "ustar", 5);
    told_the_same("a.csv", "x,t\n1,1\n", text, strlen(text),
                  SETTINGS(PRIVATE, {"target", "t"}), SOTTO_DATA);
}

static void test_npy_rows(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, NAN};
    char one[256], two[256];
    size_t short_size = npy_make(one, "<f8", 0, x, 1, 2);
    size_t size = npy_make(two, "<f8", 0, x, 2, 2);
    const setting *target = SETTINGS(PRIVATE, {"target", "2"});
    char *a = told("a.npy", one, short_size, target, SOTTO_OK);
    char *b = told("a.npy", two, size, target, SOTTO_DATA);
    assert_string_equal(a, b);
    mem_free(a);
    mem_free(b);
}

/* A stream that is cut off far behind the header. */
static void test_cut_off(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    char *text = malloc(ROWS * 16 + 16), *packed = malloc(ROWS * 16 + 1024);
    size_t size = (size_t)sprintf(text, "x,t\n");
    uint32_t random = 1;
    for (int i = 0; i < ROWS; i++) {
        random = random * 1664525 + 1013904223;
        size += (size_t)sprintf(text + size, "%u,1\n", random >> 8);
    }
    size_t packed_size = gzip(packed, ROWS * 16 + 1024, text, size);
    assert_true(packed_size > 1 << 17);
    char *shape = told("a.csv.gz", packed, packed_size / 2, SETTINGS(PRIVATE),
                       SOTTO_DATA);
    mem_free(shape);
    free(text);
    free(packed);
}

/* What was booked for a table is given back with it. */
static void count_free(void *booking)
{
    ++*(int *)booking;
}

static void test_booking(void **state)
{
    (void)state;
    int freed = 0;
    sotto_table *t = read_text("a.csv", "x\n1\n", NO_SETTINGS);
    t->booking = &freed;
    t->free_booking = count_free;
    sotto_table_free(t);
    assert_int_equal(freed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_svmlight),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_first_record),
        cmocka_unit_test(test_mark_in_record),
        cmocka_unit_test(test_npy_rows),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_booking),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
