/*
 * Sources: files that change under the reader, records up to exactly the
 * limit, buffers that are used again.
 */
#include "data/source.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

/* ---- memory that is given back ---- */

static const char record[] = "a record that nobody may find";
static int looking, found, looked;

static void look(const void *block, size_t size)
{
    if (!looking || !block)
        return;
    looked++;
    found += memmem(block, size, record, strlen(record)) != NULL;
}

int __real_munmap(void *block, size_t size);
int __wrap_munmap(void *block, size_t size);
int __wrap_munmap(void *block, size_t size)
{
    look(block, size);
    return __real_munmap(block, size);
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
    look(block, block ? malloc_usable_size(block) : 0);
    __real_free(block);
}

static char path[] = "/tmp/sotto-source-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void put(const text_buffer *t)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t->data, 1, t->length, file), t->length);
    assert_int_equal(fclose(file), 0);
}

static size_t cut_lines(const char *text, size_t size, const void *context)
{
    (void)context;
    const char *last = memrchr(text, '\n', size);
    return last ? (size_t)(last - text) + 1 : 0;
}

/* All pieces behind each other. */
static sotto_status gather(source *s, const source_cutting *how,
                           text_buffer *out, sotto_error *error)
{
    piece p = {0};
    sotto_status status;
    while ((status = source_next(s, how, &p, error)) == SOTTO_OK && p.size) {
        assert_int_equal(p.text[p.size - 1], '\n');
        volatile char beyond = p.text[p.size + SOURCE_PADDING - 1];
        (void)beyond;
        text_add(out, p.text, p.size);
    }
    source_release(&p);
    assert_null(p.buffer);
    return status;
}

/* Lines of 1 to 40 bytes, as far as they are not longer than `limit`. */
static void add_lines(text_buffer *t, size_t limit, int seed)
{
    unsigned draw = (unsigned)seed;
    for (int i = 0; i < 300; i++) {
        draw = draw * 1103515245u + 12345u;
        size_t length = 1 + (draw >> 16) % 40;
        for (size_t k = 0; k + 1 < length && length <= limit; k++)
            text_format(t, "%c", 'a' + (i + (int)k) % 26);
        if (length <= limit)
            text_put(t, "\n");
    }
}

/* Whether a record is too long depends on its own length, not on how the
   file is cut into pieces. */
static void test_long_records(void **state)
{
    (void)state;
    sotto_error error;
    for (int seed = 1; seed <= 20; seed++) {
        text_buffer all = {0};
        add_lines(&all, 40, seed);
        put(&all);
        for (size_t want = 1; want <= 25; want++) {
            text_buffer expected = {0}, got = {0};
            source *s;
            const source_cutting skips = {want, 25, 1, cut_lines, NULL};
            const source_cutting stops = {want, 25, 0, cut_lines, NULL};
            add_lines(&expected, 25, seed);
            assert_int_equal(source_open(&s, path, 1, &error), SOTTO_OK);
            assert_int_equal(source_left(s), all.length);
            assert_int_equal(gather(s, &skips, &got, &error), SOTTO_OK);
            assert_string_equal(got.data, expected.data);
            assert_int_equal(source_check_same(s, &error), SOTTO_OK);
            source_close(s);
            text_free(&got);
            assert_int_equal(source_open(&s, path, 1, &error), SOTTO_OK);
            assert_int_equal(gather(s, &stops, &got, &error), SOTTO_DATA);
            assert_non_null(strstr(error.message, "a record is longer"));
            source_close(s);
            text_free(&got);
            text_free(&expected);
        }
        text_free(&all);
    }
}

/* A file that changes while it is read is refused. */
static void test_changed(void **state)
{
    (void)state;
    sotto_error error;
    const source_cutting how = {64, 4096, 0, cut_lines, NULL};
    for (int change = 0; change < 4; change++) {
        text_buffer all = {0}, got = {0};
        source *s;
        piece p = {0};
        const struct timespec before[2] = {{1000000000, 0}, {1000000000, 0}};
        add_lines(&all, 40, 7);
        put(&all);
        assert_int_equal(utimensat(0, path, before, 0), 0);
        assert_int_equal(source_open(&s, path, 1, &error), SOTTO_OK);
        assert_int_equal(source_next(s, &how, &p, &error), SOTTO_OK);
        assert_true(p.size);
        source_release(&p);
        if (change == 1)
            assert_int_equal(truncate(path, 100), 0);
        if (change == 2)
            assert_int_equal(truncate(path, (off_t)all.length + 10), 0);
        if (change == 3)
            put(&all);
        assert_int_equal(gather(s, &how, &got, &error), SOTTO_OK);
        assert_int_equal(source_check_same(s, &error),
                         change ? SOTTO_DATA : SOTTO_OK);
        source_close(s);
        text_free(&got);
        text_free(&all);
    }
}

static void write_records(int compressed)
{
    gzFile file = gzopen(path, compressed ? "wb" : "wbT");
    for (int i = 0; i < 5000; i++)
        assert_true(gzprintf(file, "%d %s\n", i, record) > 0);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Every buffer that held a record is wiped before it is freed: growing
   pieces, the rest between pieces, the bytes that were peeked at, zlib's own.
   */
static void test_wiped(void **state)
{
    (void)state;
    sotto_error error;
    for (int compressed = 0; compressed < 2; compressed++)
        for (size_t want = 10; want <= 100000; want *= 100) {
            const source_cutting how = {want, 1 << 20, 0, cut_lines, NULL};
            const char *bytes;
            size_t size;
            source *s;
            piece p = {0};
            write_records(compressed);
            assert_int_equal(source_open(&s, path, 0, &error), SOTTO_OK);
            assert_int_equal(source_is_gzip(s), compressed);
            looking = 1;
            found = looked = 0;
            assert_int_equal(source_peek(s, 9, &bytes, &size, &error),
                             SOTTO_OK);
            assert_int_equal(source_peek(s, 9999, &bytes, &size, &error),
                             SOTTO_OK);
            do
                assert_int_equal(source_next(s, &how, &p, &error), SOTTO_OK);
            while (p.size);
            source_release(&p);
            source_close(s);
            looking = 0;
            assert_int_equal(found, 0);
            assert_true(looked >= 4);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_records),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_wiped),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
