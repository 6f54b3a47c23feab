/*
 * Tables on a disk: what is read back is what was converted, bit for bit. A
 * file that is damaged, cut, from another version or from another program is
 * refused with one line, and nothing behind its description has a say before
 * the hook was called.
 */
#include "reading.h"
#include "table_repair.h"

#include <sys/stat.h>

static char folder[] = "/tmp/sotto-table-XXXXXX";
static char table[64], source_path[64];

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(table);
    return rmdir(folder);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    unlink(path); /* some file systems flush what is written over */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(size_t *size)
{
    FILE *file = fopen(table, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* ---- sources ---- */

enum { ROWS = 3000 };

static uint64_t drawn;

static unsigned draw(unsigned n)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(drawn >> 33) % n;
}

typedef struct sample {
    const char *name;
    const setting *how;
    const char *loss;
    size_t (*make)(char *to, int rows);
} sample;

static size_t make_csv(char *to, int rows)
{
    static const char *const level[] = {"red", "green", "blue"};
    static const char *const class[] = {"a", "b", "c"};
    size_t at = (size_t)sprintf(to, "who,x,colour,day,w,c,t\n");
    for (int i = 0; i < rows; i++)
        at += (size_t)sprintf(to + at, "p%u,%u.%u,%s,2024-0%u-1%u,%u.5,%s,%u\n",
                              draw(90), draw(20), draw(1000), level[draw(3)],
                              draw(9) + 1, draw(10), draw(3), class[draw(3)],
                              draw(2));
    return at;
}

static size_t make_svm(char *to, int rows)
{
    size_t at = 0;
    for (int i = 0; i < rows; i++) {
        at += (size_t)sprintf(to + at, "%d", draw(2) ? 1 : -1);
        for (unsigned j = 1 + draw(4); j <= 40; j += 1 + draw(9))
            at += (size_t)sprintf(to + at, " %u:%u.25", j, draw(5));
        at += (size_t)sprintf(to + at, "\n");
    }
    return at;
}

static size_t make_npy(char *to, int rows)
{
    double *x = malloc((size_t)rows * 5 * sizeof *x + 8);
    for (int i = 0; i < rows * 5; i++)
        x[i] = (double)draw(1000) / 100 - 5;
    size_t size = npy_make(to, "<f8", 0, x, rows, 5);
    free(x);
    return size;
}

static const char schema[] =
    "{\"sotto_schema\": 1, \"columns\": {"
    "\"who\": {\"type\": \"unit\"},"
    "\"x\": {\"type\": \"number\", \"bounds\": [0, 20]},"
    "\"colour\": {\"type\": \"category\", \"levels\": [\"red\", \"green\", "
    "\"blue\"]},"
    "\"day\": {\"type\": \"date\", \"format\": \"%Y-%m-%d\", \"bounds\": "
    "[\"2024-01-01\", \"2024-12-31\"]},"
    "\"w\": {\"type\": \"weight\", \"bounds\": [0, 2]}}}";

#define OF_CSV                                                                 \
    {"schema-text", schema},                                                   \
    {                                                                          \
        "threads", "2"                                                         \
    }

static const sample samples[] = {
    {"s.csv",
     SETTINGS(OF_CSV, {"target", "t"}, {"drop", "c"}, {"classes", "0,1"}),
     "logistic", make_csv},
    {"s.csv",
     SETTINGS(OF_CSV, {"target", "c"}, {"drop", "t"}, {"classes", "a,b,c"}),
     "logistic", make_csv},
    {"s.csv", SETTINGS(OF_CSV, {"target", "t"}, {"drop", "c"}), "squared",
     make_csv},
    {"s.svm", SETTINGS({"features", "40"}), "hinge", make_svm},
    {"s.svm", SETTINGS({"features", "40"}, {"undeclared", "rows"}), "logistic",
     make_svm},
    {"s.npy", SETTINGS({"target", "5"}, {"bad-rows", "drop"}), "huber",
     make_npy},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static sotto_options *reading(const sample *s)
{
    sotto_options *o = options_with(s->how);
    sotto_error error;
    assert_int_equal(sotto_options_set(o, "loss", s->loss, &error), SOTTO_OK);
    return o;
}

/* Options to read the table by. */
static setting *table_settings(const sample *s)
{
    static setting out[4];
    int scaled = s->how[1].name && !strcmp(s->how[1].name, "undeclared");
    out[0] = (setting){"loss", s->loss};
    out[1] = (setting){"epsilon", "1"};
    out[2] = scaled ? s->how[1] : (setting){NULL, NULL};
    out[3] = (setting){NULL, NULL};
    return out;
}

static void convert(const sample *s, int rows)
{
    char *text = malloc((size_t)rows * 256 + 512);
    sotto_error error = {0};
    const char *path = source_path;
    snprintf(source_path, sizeof source_path, "%s/%s", folder, s->name);
    snprintf(table, sizeof table, "%s/t.sotto", folder);
    drawn = 7;
    write_file(source_path, text, s->make(text, rows));
    free(text);
    sotto_options *o = reading(s);
    if (sotto_table_convert(&path, 1, table, o, NULL, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    sotto_options_free(o);
}

static sotto_table *read_source_of(const sample *s)
{
    sotto_options *o = reading(s);
    sotto_error error = {0};
    sotto_table *t = NULL;
    assert_int_equal(sotto_options_set(o, "epsilon", "1", &error), SOTTO_OK);
    if (sotto_table_read(&t, source_path, o, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    sotto_options_free(o);
    unlink(source_path);
    return t;
}

/* ---- the same ---- */

static void assert_numbers(const double *a, const double *b, int64_t count)
{
    assert_int_equal(!a, !b);
    if (a && count)
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void assert_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

static void assert_public(const sotto_table *a, const sotto_table *b)
{
    assert_int_equal(a->features, b->features);
    assert_int_equal(a->sparse, b->sparse);
    assert_int_equal(a->is_double, b->is_double);
    assert_int_equal(a->read_privately, b->read_privately);
    assert_int_equal(a->drops_rows, b->drops_rows);
    assert_int_equal(a->dropped, b->dropped);
    assert_int_equal(a->folded, b->folded);
    assert_int_equal(a->counted, b->counted);
    assert_int_equal(a->scaled, b->scaled);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(!a->name, !b->name);
    for (int64_t j = 0; a->name && j < a->features; j++)
        assert_string_equal(a->name[j], b->name[j]);
    for (int64_t k = 0; k < a->classes; k++)
        assert_string_equal(a->class_name[k], b->class_name[k]);
    assert_text(a->schema, b->schema);
    assert_text(a->target_name, b->target_name);
    assert_text(a->unit_name, b->unit_name);
    assert_numbers(a->centre, b->centre, a->features);
    assert_numbers(a->half, b->half, a->features);
    assert_numbers(a->low, b->low, a->features);
    assert_numbers(a->high, b->high, a->features);
    assert_numbers(a->reach, b->reach, a->features);
    assert_numbers(&a->weight_bound, &b->weight_bound, 1);
    assert_numbers(&a->target_centre, &b->target_centre, 1);
    assert_numbers(&a->target_half, &b->target_half, 1);
    assert_numbers(&a->target_reach, &b->target_reach, 1);
}

static void assert_block(const void *a, size_t size, const void *b,
                         size_t other)
{
    assert_int_equal(size, other);
    if (size)
        assert_memory_equal(a, b, size);
}

static void assert_entries(const table_entries *a, const table_entries *b)
{
    assert_block(a->start, a->start_bytes, b->start, b->start_bytes);
    assert_block(a->index, a->index_bytes, b->index, b->index_bytes);
    assert_block(a->value, a->value_bytes, b->value, b->value_bytes);
}

static void assert_rows(const sotto_table *a, const sotto_table *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->stride, b->stride);
    assert_block(a->x, a->x_bytes, b->x, b->x_bytes);
    assert_entries(&a->by_row, &b->by_row);
    assert_entries(&a->by_column, &b->by_column);
    assert_numbers(a->y, b->y, a->rows);
    assert_numbers(a->weight, b->weight, a->rows);
    assert_int_equal(!a->unit, !b->unit);
    if (a->unit && a->rows)
        assert_memory_equal(a->unit, b->unit,
                            (size_t)a->rows * sizeof *a->unit);
}

static void test_same_table(void **state)
{
    (void)state;
    static const int rows[] = {0, 1, 63, 1024, ROWS, 70000};
    for (int k = 0; k < SAMPLES; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct stat about;
            size_t size;
            convert(&samples[k], rows[i]);
            sotto_table *a = read_source_of(&samples[k]);
            assert_int_equal(stat(table, &about), 0);
            assert_int_equal(about.st_mode & 0777, 0600);
            char *bytes = read_file(&size);
            sotto_table *b =
                read_bytes("t.sotto", bytes, size, table_settings(&samples[k]));
            assert_public(a, b);
            assert_rows(a, b);
            assert_int_equal(b->sources, 1);
            assert_string_equal(strrchr(b->source[0], '/'),
                                strrchr(source_path, '/'));
            sotto_table_free(a);
            sotto_table_free(b);
            free(bytes);
        }
}

/* ---- damage ---- */

static int64_t called;

static sotto_status count_call(void *context, const sotto_table *shape,
                               sotto_error *error)
{
    (void)context;
    (void)error;
    assert_int_equal(shape->rows, 0);
    called++;
    return SOTTO_OK;
}

/* Reads the file with a hook: whether it was called. */
static int is_booked(const setting *how, const char *bytes, size_t size,
                     sotto_status *status, sotto_error *error)
{
    sotto_options *o = options_with(how);
    sotto_table *t = NULL;
    write_file(table, bytes, size);
    called = 0;
    *status = table_read_after(&t, table, o, count_call, NULL, error);
    sotto_table_free(t);
    sotto_options_free(o);
    return called == 1;
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        size_t size;
        table_head head;
        convert(&samples[k], 70);
        unlink(source_path);
        char *bytes = read_file(&size);
        memcpy(&head, bytes, sizeof head);
        size_t open = sizeof head + (size_t)head.public_bytes;
        for (size_t at = 0; at < size; at++) {
            sotto_error error = {0};
            sotto_status status;
            bytes[at] = (char)(bytes[at] ^ 1 << at % 8);
            int booked = is_booked(table_settings(&samples[k]), bytes, size,
                                   &status, &error);
            bytes[at] = (char)(bytes[at] ^ 1 << at % 8);
            if (status != SOTTO_DATA || booked != (at >= open) ||
                strchr(error.message, '\n') || !strstr(error.message, "t.sot"))
                fail_msg("byte %zu of %zu: %d, %s", at, size, (int)status,
                         error.message);
        }
        free(bytes);
    }
}

/* That it is cut is known before a run is booked. */
static void test_cut(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        size_t size;
        convert(&samples[k], 300);
        unlink(source_path);
        char *bytes = read_file(&size);
        for (size_t at = 0; at < size; at += at < 200 ? 1 : 1 + draw(97)) {
            sotto_error error = {0};
            sotto_status status;
            int booked = is_booked(table_settings(&samples[k]), bytes, at,
                                   &status, &error);
            if (status == SOTTO_OK || booked || !*error.message)
                fail_msg("cut at %zu of %zu: %s", at, size, error.message);
        }
        free(bytes);
    }
}

/* ---- other files ---- */

static void refuse_changed(size_t at, uint32_t number, const char *words)
{
    size_t size;
    convert(&samples[0], 10);
    unlink(source_path);
    char *bytes = read_file(&size);
    memcpy(bytes + at, &number, sizeof number);
    refuse("t.sotto", bytes, size, table_settings(&samples[0]), SOTTO_DATA,
           words);
    free(bytes);
}

static void test_other_files(void **state)
{
    (void)state;
    refuse_changed(8, 2, "version 2; this sotto reads version 1");
    refuse_changed(8, 0, "version 0; this sotto reads version 1");
    refuse_changed(12, 0x04030201u, "another order of bytes");
    refuse_text("t.sotto", "a,b\n1,2\n", NO_SETTINGS, "not a table");
    refuse_text("t.sotto", "", NO_SETTINGS, "not a table");
}

/* ---- forged rows: their checksums fit ---- */

static char *forged(const sample *s, size_t *size, table_layout *l, char **rows)
{
    table_head head;
    table_row_head row_head;
    sotto_table *shape;
    sotto_error error;
    convert(s, 70);
    unlink(source_path);
    char *bytes = read_file(size);
    memcpy(&head, bytes, sizeof head);
    *rows = bytes + sizeof head + head.public_bytes;
    memcpy(&row_head, *rows, sizeof row_head);
    assert_int_equal(table_take_public(&shape, "t", bytes + sizeof head,
                                       (size_t)head.public_bytes, &error),
                     SOTTO_OK);
    assert_true(table_lay_out(l, shape, &row_head));
    sotto_table_free(shape);
    return bytes;
}

static void refuse_forged(int k, table_section s, size_t place,
                          const void *value, size_t size_of)
{
    size_t size;
    table_layout l;
    char *rows, *bytes = forged(&samples[k], &size, &l, &rows);
    assert_true(place + size_of <= l.bytes[s]);
    memcpy(rows + l.at[s] + place, value, size_of);
    assert_true(repair(bytes, size));
    refuse("t.sotto", bytes, size, table_settings(&samples[k]), SOTTO_DATA,
           "damaged");
    free(bytes);
}

static void refuse_number(int k, table_section s, double value)
{
    refuse_forged(k, s, 5 * sizeof value, &value, sizeof value);
}

static void refuse_float(int k, table_section s, float value)
{
    refuse_forged(k, s, 5 * sizeof value, &value, sizeof value);
}

static void test_forged(void **state)
{
    (void)state;
    int64_t person = 60, below = -1, start = 1 << 20, first = 1;
    uint32_t column = 40, same = 0;
    refuse_number(0, SECTION_TARGET, 0);
    refuse_number(1, SECTION_TARGET, 3);
    refuse_number(1, SECTION_TARGET, .5);
    refuse_number(1, SECTION_TARGET, -1);
    refuse_number(2, SECTION_TARGET, NAN);
    refuse_number(2, SECTION_TARGET, INFINITY);
    refuse_number(0, SECTION_WEIGHTS, 2.5);
    refuse_number(0, SECTION_WEIGHTS, -1);
    refuse_number(0, SECTION_WEIGHTS, NAN);
    refuse_forged(0, SECTION_PERSONS, 8, &person, sizeof person);
    refuse_forged(0, SECTION_PERSONS, 8, &below, sizeof below);
    refuse_float(0, SECTION_COLUMNS, 1.5f);
    refuse_float(0, SECTION_COLUMNS, NAN);
    refuse_float(5, SECTION_COLUMNS, INFINITY);
    refuse_float(3, SECTION_VALUES, NAN);
    refuse_float(4, SECTION_VALUES, -1.5f);
    refuse_forged(3, SECTION_STARTS, 0, &first, sizeof first);
    refuse_forged(3, SECTION_STARTS, 8, &start, sizeof start);
    refuse_forged(3, SECTION_STARTS, 16, &below, sizeof below);
    refuse_forged(3, SECTION_INDEX, 0, &column, sizeof column);
    refuse_forged(3, SECTION_INDEX, 4, &same, sizeof same);
}

/* A row head of another size, whose checksum fits. */
static void test_forged_sizes(void **state)
{
    (void)state;
    static const uint64_t wrong[][3] = {
        {71, 1024, 0},         {69, 1024, 0},      {70, 0, 0},
        {70, 1023, 0},         {70, 1024, 1},      {UINT64_MAX, 1024, 0},
        {1ull << 40, 1024, 0}, {70, 1ull << 62, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t size;
        table_layout l;
        char *rows, *bytes = forged(&samples[0], &size, &l, &rows);
        memcpy(rows, wrong[i], sizeof wrong[i]);
        assert_false(repair(bytes, size));
        refuse("t.sotto", bytes, size, table_settings(&samples[0]), SOTTO_DATA,
               "number of rows");
        free(bytes);
    }
}

/* ---- options ---- */

static void refuse_with(int k, const char *name, const char *value,
                        const char *words)
{
    size_t size;
    setting how[5] = {{"epsilon", "1"}, {name, value}};
    if (strcmp(name, "loss"))
        how[2] = (setting){"loss", samples[k].loss};
    if (!strcmp(name, "part-column"))
        how[3] = (setting){"parts", "1"};
    convert(&samples[k], 10);
    unlink(source_path);
    char *bytes = read_file(&size);
    refuse("t.sotto", bytes, size, how, SOTTO_USAGE, words);
    free(bytes);
}

static void test_options(void **state)
{
    (void)state;
    refuse_with(0, "loss", "squared", "one of classes");
    refuse_with(2, "loss", "hinge", "a number");
    refuse_with(0, "target", "x", "converted with \"t\"");
    refuse_with(0, "unit-column", "x", "converted with \"who\"");
    refuse_with(5, "unit-column", "1", "no such column");
    refuse_with(0, "classes", "0,1", "--classes");
    refuse_with(0, "schema-text", "{}", "--schema-text");
    refuse_with(0, "drop", "x", "--drop");
    refuse_with(0, "only", "x", "--only");
    refuse_with(0, "weights", "w", "--weights");
    refuse_with(0, "weight-bound", "2", "--weight-bound");
    refuse_with(0, "bad-rows", "drop", "--bad-rows stop");
    refuse_with(5, "bad-rows", "stop", "--bad-rows drop");
    refuse_with(5, "undeclared", "rows", "without --undeclared rows");
    refuse_with(4, "undeclared", "bounds", "with --undeclared rows");
    refuse_with(0, "part-column", "x", "a part of a data set");
    refuse_with(0, "keep-ids", "yes", "federation");
    refuse_with(0, "epsilon", "inf", "exact solver");
    refuse_with(0, "declared", "{}", "predict and evaluate");
    refuse_with(3, "features", "40", "--features is for svmlight");
}

/* What says the same is no contradiction. */
static void test_same_options(void **state)
{
    (void)state;
    size_t size;
    convert(&samples[0], 10);
    unlink(source_path);
    char *bytes = read_file(&size);
    sotto_table_free(read_bytes(
        "t.sotto", bytes, size,
        SETTINGS({"loss", "hinge"}, {"epsilon", "1"}, {"target", "t"},
                 {"unit-column", "who"}, {"bad-rows", "stop"})));
    /* by its first bytes, whatever it is called */
    sotto_table_free(read_bytes("t", bytes, size, NO_SETTINGS));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_table), cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_cut),        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_forged),     cmocka_unit_test(test_forged_sizes),
        cmocka_unit_test(test_options),    cmocka_unit_test(test_same_options),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
