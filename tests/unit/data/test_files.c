/*
 * Several files are one table: that of the records of all of them, in order.
 * What does not fit is refused before a row is looked at, and a message names
 * the file of its line.
 */
#include "reading.h"

#include <fcntl.h>
#include <zlib.h>

enum { PARTS = 5, ROWS = 400, HEADER = 10 };

static char folder[] = "/tmp/sotto-files-XXXXXX";
static char paths[PARTS][64];
static const char *part[PARTS];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    for (int i = 0; i < PARTS; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/p%d.csv", folder, i);
        part[i] = paths[i];
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    for (int i = 0; i < PARTS; i++)
        unlink(part[i]);
    return rmdir(folder);
}

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_part(int i, const char *text)
{
    write_file(part[i], text, strlen(text));
}

/* ---- the same as their concatenation ---- */

static uint64_t drawn;

/* A number below n; the same in every run. */
static size_t draw(size_t n)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(drawn >> 33) % n;
}

/* A header, and records of few people; with bad ones among them. */
static size_t make_records(char *text, size_t *end, int bad)
{
    size_t size = (size_t)sprintf(text, "who,a,b,t\n");
    assert_int_equal(size, HEADER);
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "p%d,%d,%d.5,%d\n", (int)draw(60),
                                (int)draw(1000), (int)draw(50), (int)draw(2));
        if (bad && draw(5) == 0)
            size +=
                (size_t)sprintf(text + size, "%s",
                                (const char *[]){"p1,?,2,1\n", "p2,\"1,2,1\n",
                                                 "\n", "p3,1\n"}[draw(4)]);
        end[i] = size;
    }
    return size;
}

/* Cuts the records behind some of them; the last line may lack its newline,
   and a file may have no record. */
static void split(const char *text, const size_t *end, int files)
{
    char piece[ROWS * 80];
    size_t from = HEADER;
    int row = 0;
    for (int i = 0; i < files; i++) {
        row += (int)draw((size_t)(ROWS - row));
        size_t to = i + 1 == files ? end[ROWS - 1]
                    : row          ? end[row - 1]
                                   : HEADER;
        memcpy(piece, text, HEADER);
        memcpy(piece + HEADER, text + from, to - from);
        write_file(part[i], piece, HEADER + to - from - draw(2));
        from = to;
    }
}

static void assert_same_people(const sotto_table *a, const sotto_table *b)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = 0; k < i; k++)
            assert_int_equal(a->unit[i] == a->unit[k],
                             b->unit[i] == b->unit[k]);
}

static void test_concatenation(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "3", "4"};
    static char text[ROWS * 80];
    static size_t end[ROWS];
    for (int round = 0; round < 40; round++) {
        int bad = round % 2;
        const setting how[] = {{"target", "t"},
                               {"loss", "logistic"},
                               {"classes", "0,1"},
                               {"unit-column", "who"},
                               {"bad-rows", bad ? "drop" : "stop"},
                               {"threads", threads[round / 2 % 4]},
                               {NULL, NULL}};
        size_t size = make_records(text, end, bad);
        sotto_table *whole = read_bytes("a.csv", text, size, how), *t;
        sotto_error error;
        int files = 1 + (int)draw(PARTS);
        split(text, end, files);
        sotto_options *o = options_with(how);
        if (sotto_table_read_files(&t, part, files, o, &error) != SOTTO_OK)
            fail_msg("%s", error.message);
        assert_same(whole, t);
        assert_same_people(whole, t);
        assert_int_equal(sotto_table_dropped(whole), sotto_table_dropped(t));
        sotto_options_free(o);
        sotto_table_free(whole);
        sotto_table_free(t);
    }
}

/* A packed part, one with a byte order mark, one without a record. */
static void test_kinds_of_parts(void **state)
{
    (void)state;
    char packed[96];
    const char *files[] = {part[0], packed, part[1], part[2]};
    snprintf(packed, sizeof packed, "%s/packed.csv.gz", folder);
    gzFile gz = gzopen(packed, "wb");
    assert_int_equal(gzputs(gz, "a,t\n2,1\n3,2\n"), 12);
    assert_int_equal(gzclose(gz), Z_OK);
    write_part(0, "a,t\r\n1,0");
    write_part(1, "\xef\xbb\xbf\"a\", t\n4,3\n");
    write_part(2, "a,t\n");
    for (int drop = 0; drop < 2; drop++) {
        sotto_table *t;
        sotto_error error;
        sotto_options *o = options_with(
            SETTINGS({"target", "t"}, {"bad-rows", drop ? "drop" : "stop"}));
        if (sotto_table_read_files(&t, files, 4, o, &error) != SOTTO_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t->rows, 4);
        for (int64_t i = 0; i < 4; i++) {
            assert_true(cell(t, i, 0) == (double)i + 1);
            assert_true(t->y[i] == (double)i);
        }
        sotto_options_free(o);
        sotto_table_free(t);
    }
    unlink(packed);
}

/* ---- refused ---- */

static sotto_status count_call(void *context, const sotto_table *shape,
                               sotto_error *error)
{
    (void)shape;
    (void)error;
    ++*(int *)context;
    return SOTTO_OK;
}

/* Refused with these words; the hook was called so often. */
static void refuse_files(const char *const *files, int64_t count,
                         const setting *how, sotto_status status,
                         const char *words, int calls)
{
    sotto_table *t = NULL;
    sotto_error error;
    int called = 0;
    sotto_options *o = options_with(how);
    sotto_status got =
        table_read_files(&t, files, count, o, count_call, &called, &error);
    sotto_options_free(o);
    assert_null(t);
    if (got != status || !strstr(error.message, words))
        fail_msg("%d, \"%s\" is not in: %s", got, words, error.message);
    assert_null(strstr(error.message, "SECRET"));
    assert_int_equal(called, calls);
}

static void test_headers(void **state)
{
    (void)state;
    const setting *how = SETTINGS({"target", "t"});
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"t,a\n1,2\n", "p1.csv: line 1, column 1: expected the columns of"},
        {"a,SECRET\n1,2\n", "column 2: expected the columns of"},
        {"a,SECRET\n1,2\n", "p0.csv in the same order: \"t\", found another"},
        {"a\n1\n", "column 2: expected the columns of"},
        {"a\n1\n", "\"t\", found the end of the line"},
        {"a,t,SECRET\n1,2,3\n", "no more of them, found another name"},
        {"a,9\n", "p1.csv: line 1, column 2: expected the name of a column"},
        {"", "p1.csv: line 1: expected a header"},
    };
    write_part(0, "a,t\n1,2\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_part(1, cases[i].text);
        refuse_files(part, 2, how, SOTTO_DATA, cases[i].words, 0);
    }
}

static void test_wrong_lists(void **state)
{
    (void)state;
    const setting *how = SETTINGS({"target", "t"});
    char other[64], tabs[64];
    const char *twice[] = {part[0], part[1], part[0]};
    const char *linked[] = {part[0], other}, *absent[] = {part[0], "/no/p.csv"};
    const char *with_stdin[] = {part[0], "-"}, *mixed[] = {part[0], tabs};
    write_part(0, "a,t\n1,2\n");
    write_part(1, "a,t\n1,2\n");
    snprintf(tabs, sizeof tabs, "%s/t.tsv", folder);
    snprintf(other, sizeof other, "%s/o.svm", folder);
    write_file(tabs, "a\tt\n1\t2\n", 8);
    refuse_files(twice, 3, how, SOTTO_USAGE, "this is the same file as", 0);
    refuse_files(part, 0, how, SOTTO_USAGE, "at least one file", 0);
    refuse_files(absent, 2, how, SOTTO_FAILED, "/no/p.csv: cannot be", 0);
    refuse_files(with_stdin, 2, how, SOTTO_USAGE, "stdin", 0);
    refuse_files(mixed, 2, how, SOTTO_DATA, "give --delimiter", 0);
    write_file(other, "1 1:2\n", 6);
    refuse_files(linked, 2, how, SOTTO_USAGE, "only where they are CSV", 0);
    const char *svm_first[] = {other, part[0]};
    refuse_files(svm_first, 2, NO_SETTINGS, SOTTO_USAGE, "o.svm: several", 0);
    unlink(other);
    snprintf(other, sizeof other, "%s/o.csv", folder);
    for (int soft = 0; soft < 2; soft++) {
        assert_int_equal(soft ? symlink(part[0], other) : link(part[0], other),
                         0);
        refuse_files(linked, 2, how, SOTTO_USAGE, "expected each file once", 0);
        unlink(other);
    }
    unlink(tabs);
}

/* ---- whose line ---- */

static void test_lines(void **state)
{
    (void)state;
    write_part(0, "a,t\n1,2\n3,4\n");
    write_part(1, "a,t\n1,2\n\n");
    write_part(2, "a,t\n1,2\n\nSECRET,4\n");
    for (int threads = 1; threads <= 4; threads++) {
        const char count[] = {(char)('0' + threads), 0};
        const setting *how = SETTINGS({"target", "t"}, {"threads", count});
        refuse_files(part, 3, how, SOTTO_DATA,
                     "p2.csv: line 4, column 1 (\"a\")", 1);
        write_part(1, "a,t\n1,\"2\n");
        refuse_files(part, 3, how, SOTTO_DATA,
                     "p1.csv: line 2, column 2 (\"t\")", 1);
        write_part(1, "a,t\n1,2\n\n");
    }
    /* -1 in one file, 0 in the next */
    write_part(0, "a,t\n1,1\n3,-1\n");
    write_part(1, "a,t\n1,1\n2,1\n5,0\n");
    refuse_files(part, 2, SETTINGS({"target", "t"}, {"loss", "logistic"}),
                 SOTTO_DATA, "p1.csv: line 4: column \"t\"", 1);
    write_part(0, "a,t\n1,1\n3,0\n");
    write_part(1, "a,t\n1,-1\n2,1\n5,0\n");
    refuse_files(part, 2, SETTINGS({"target", "t"}, {"loss", "logistic"}),
                 SOTTO_DATA, "p1.csv: line 2: column \"t\"", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_concatenation),
        cmocka_unit_test(test_kinds_of_parts),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_wrong_lists),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
