/*
 * What a curator leaves behind: of a value of the records no copy is left on
 * the stack when it is closed, whatever loops had there.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

#include <fcntl.h>
#include <stdio.h>

enum { FEATURES = 20, ROWS = 3000 };

/* The value that is looked for, as a float and turned over: here it must not be
   on the stack itself. */
static const uint32_t turned_over = 0x449a5225u ^ 0x5a5a5a5au;

/* How many copies of it the stack has. It is read as a file: what lies below
   this function belongs to nobody. */
static long copies_on_stack(void)
{
    static uint32_t page[1024];
    unsigned long from = 0, to = 0;
    char line[512];
    long copies = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY);
    assert_true(maps && memory >= 0);
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "[stack]"))
            assert_int_equal(sscanf(line, "%lx-%lx", &from, &to), 2);
    fclose(maps);
    assert_true(from < to);
    for (; from < to; from += sizeof page) {
        assert_int_equal(pread(memory, page, sizeof page, (off_t)from),
                         sizeof page);
        for (size_t k = 0; k < sizeof page / sizeof *page; k++)
            copies += (page[k] ^ 0x5a5a5a5au) == turned_over;
    }
    close(memory);
    memset(page, 0, sizeof page);
    return copies;
}

/* Rows of which two thirds of the values are the one that is looked for. */
static sotto_table *records(void)
{
    size_t room = (size_t)ROWS * FEATURES * 10 + 1000, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    for (int j = 0; j < FEATURES; j++)
        used += (size_t)snprintf(text + used, room - used, "x%d,", j);
    used += (size_t)snprintf(text + used, room - used, "t\n");
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < FEATURES; j++)
            used += (size_t)snprintf(text + used, room - used, "%s,",
                                     (i + j) % 3 ? "1234.567" : "0.5");
        used +=
            (size_t)snprintf(text + used, room - used, "%d\n", i % 2 ? 1 : -1);
    }
    sotto_table *t = read_bytes("d.csv", text, used,
                                SETTINGS({"target", "t"}, {"loss", "logistic"},
                                         {"precision", "float"}));
    free(text);
    return t;
}

static void ask_all(curator *c)
{
    static double out[FEATURES * FEATURES], map[FEATURES * FEATURES];
    double sd, centre[FEATURES] = {0}, scale[FEATURES], point[FEATURES];
    sotto_error error;
    for (int j = 0; j < FEATURES; j++) {
        scale[j] = map[j * FEATURES + j] = 1;
        point[j] = 1e-4;
    }
    ask_shape shape = {
        .kind = ASK_COLUMN_MEANS, .centre = centre, .bound = scale};
    ask_frame frame = {.features = FEATURES, .centre = centre, .scale = scale};
    assert_int_equal(curator_ask_means(c, &shape, out, &sd, &error), SOTTO_OK);
    assert_int_equal(curator_tell_frame(c, &frame, &error), SOTTO_OK);
    assert_int_equal(curator_ask_matrix(c, 2, out, &sd, &error), SOTTO_OK);
    assert_int_equal(curator_tell_map(c, map, &error), SOTTO_OK);
    assert_int_equal(curator_tell_point(c, point, &error), SOTTO_OK);
    assert_int_equal(
        curator_ask_curvature(c, ASK_EXACT_CURVATURE, 2, out, &sd, &error),
        SOTTO_OK);
    assert_int_equal(curator_ask_whitened(c, 1, out, &sd, &error), SOTTO_OK);
    assert_int_equal(curator_ask_lengths(c, 1, out, &sd, &error), SOTTO_OK);
}

static void test_stack(void **state)
{
    (void)state;
    curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .rows_per_person = 1,
                             .rows = 1,
                             .loss = {LOSS_LOGISTIC, 1},
                             .weight_bound = 1,
                             .without_noise = 1,
                             .insecure = 1,
                             .threads = 1};
    const ask_kind kinds[] = {ASK_COLUMN_MEANS, ASK_MATRIX, ASK_CURVATURE,
                              ASK_WHITENED, ASK_LENGTHS};
    ask_plan plan = {0};
    sotto_error error;
    curator *c;
    sotto_table *t = records();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        plan.item[plan.items++] = (ask_item){.kind = kinds[i], .count = 1};
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error), SOTTO_OK);
    ask_all(c);
    assert_true(copies_on_stack() > 0); /* or nothing is shown */
    curator_close(c);
    assert_int_equal(copies_on_stack(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
