/*
 * Levels that nobody declared (Lemma C27): what a person adds, which levels are
 * the first, what is shown, and in which order; that a level which is not shown
 * changes nothing; what the question costs, and when it is refused.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"columns\": {"                                     \
    "\"who\": {\"type\": \"unit\"}, "                                          \
    "\"c\": {\"type\": \"category\", \"levels\": \"private\", "                \
    "\"missing\": \"none\"}, \"y\": {\"type\": \"target\"}}}"

/* Noise that rounds to 0: then a count from 1025 on is shown, which is more
   than one person. */
#define EXACT 1e6

static sotto_table *read_rows(const char *rows, int people)
{
    char *text = malloc(strlen(rows) + 20);
    sprintf(text, "who,c,y\n%s", rows);
    sotto_table *t = read_text(
        "a.csv", text,
        people ? SETTINGS({"schema-text", SCHEMA}, {"loss", "squared"},
                          {"epsilon", "1"})
               : SETTINGS({"schema-text", SCHEMA}, {"loss", "squared"},
                          {"epsilon", "1"}, {"drop", "who"}));
    free(text);
    return t;
}

static curator_policy policy_for(int64_t rows, int people)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = rows,
                            .has_people = people,
                            .rows = 1,
                            .loss = {LOSS_SQUARED, 0},
                            .level_columns = 1,
                            .weight_bound = 1,
                            .intercept = 1,
                            .insecure = 1,
                            .seed = 5};
}

static ask_item levels_item(const curator_policy *p, double mu, double most)
{
    return (ask_item){.kind = ASK_LEVELS,
                      .count = 1,
                      .level = mu,
                      .noise = ASK_SHOWN,
                      .shown = most,
                      .block = p->level_columns * p->rows_per_person};
}

static curator *open_rows(const char *rows, const curator_policy *p, double mu)
{
    curator *c;
    sotto_error error;
    sotto_table *t = read_rows(rows, p->has_people);
    ask_plan plan = plan_two(levels_item(p, mu, 1e-7), some(ASK_TOTAL, 1, 50));
    if (curator_open(&c, &t, p, &plan, &error))
        fail_msg("%s", error.message);
    return c;
}

/* The released levels, with a space behind each. */
static void ask(curator *c, char *out)
{
    const level_list *list;
    sotto_error error;
    if (curator_ask_levels(c, &list, &error))
        fail_msg("%s", error.message);
    *out = 0;
    for (int64_t i = 0; i < list->levels; i++)
        sprintf(out + strlen(out), "%s ", list->level[i]);
}

static void assert_released(const char *rows, int64_t most, int people,
                            const char *expected)
{
    char got[4000];
    curator_policy p = policy_for(most, people);
    curator *c = open_rows(rows, &p, EXACT);
    ask(c, got);
    assert_string_equal(got, expected);
    curator_close(c);
}

/* ---- replayed ---- */

/* A level that one neighbour alone has, and that was shown, is in no answer of
   the other; one that was not shown changes nothing. */
static void test_tape(void **state)
{
    (void)state;
    static const char *const rows[] = {"1,b,0\n2,b,0\n3,a,0\n4,a,0\n",
                                       "1,b,0\n2,b,0\n3,a,0\n"};
    curator_policy p = policy_for(1, 1);
    p.insecure = 0;
    for (int shown_by = 0; shown_by < 2; shown_by++) {
        const level_list *list;
        sotto_error error;
        curator_tape *tape;
        assert_int_equal(curator_tape_new(&tape, 2, &error), SOTTO_OK);
        for (int turn = 0; turn < 2; turn++) {
            curator *c =
                open_rows(turn ? "1,b,0\n2,b,0\n" : rows[shown_by], &p, EXACT);
            c->table->invented = 1;
            assert_int_equal(curator_attach_tape(c, tape, &error), SOTTO_OK);
            assert_int_equal(curator_ask_levels(c, &list, &error),
                             turn && !shown_by ? SOTTO_PRIVACY : SOTTO_OK);
            assert_int_equal(curator_tape_heard(tape)->apart,
                             turn && !shown_by);
            curator_tape_turn(tape);
            curator_close(c);
        }
        curator_tape_free(tape);
    }
}

/* ---- what is added ---- */

static void test_one_is_not_enough(void **state)
{
    (void)state;
    assert_released("1,b,0\n2,b,0\n3,a,0\n", 1, 1, "b ");
    assert_released("1,b,0\n2,b,0\n3,a,0\n", 1, 0, "b ");
    assert_released("1,b,0\n", 1, 1, "");
    assert_released("", 1, 1, "");
    /* one person twice is one person */
    assert_released("1,b,0\n1,b,0\n", 2, 1, "");
    /* but of rows that are nobody's, two are two; K of one are hidden */
    assert_released("1,b,0\n1,b,0\n1,b,0\n", 2, 0, "b ");
    assert_released("1,b,0\n1,b,0\n", 2, 0, "");
}

/* Two persons with four levels each add 512 to each, and so 1024: one less
   than the threshold; three add 1536. With two levels, 724 each. */
static void test_parts(void **state)
{
    (void)state;
    char rows[400] = "";
    for (int person = 1; person <= 3; person++) {
        for (int level = 0; level < 4; level++)
            sprintf(rows + strlen(rows), "%d,%c,0\n", person, 'a' + level);
        assert_released(rows, 4, 1, person < 3 ? "" : "a b c d ");
    }
    assert_released("1,a,0\n1,b,0\n2,a,0\n2,b,0\n", 2, 1, "a b ");
    assert_released("1,a,0\n1,b,0\n2,a,0\n", 2, 1, "a ");
}

/* Of more than K levels the first by bytes count, wherever they stand. */
static void test_first_by_bytes(void **state)
{
    (void)state;
    assert_released("1,c,0\n1,b,0\n1,a,0\n2,c,0\n2,a,0\n2,b,0\n", 2, 1, "a b ");
    assert_released("1,z,0\n1,z,0\n1,y,0\n2,y,0\n2,z,0\n", 1, 1, "y ");
}

/* A person's levels beyond the first K do not count: were they noise alone, a
   twentieth of them would be shown here. */
static void test_uncounted(void **state)
{
    (void)state;
    enum { LEVELS = 2000 };
    const level_list *list;
    sotto_error error;
    text_buffer rows = {0};
    for (int i = 0; i < LEVELS; i++)
        text_format(&rows, "1,l%04d,0\n", i);
    for (int64_t most = 1; most <= 3; most++) {
        curator_policy p = policy_for(most, 1);
        ask_plan plan =
            plan_two(levels_item(&p, .1, .05), some(ASK_TOTAL, 1, 50));
        sotto_table *t = read_rows(rows.data, 1);
        curator *c;
        if (curator_open(&c, &t, &p, &plan, &error) ||
            curator_ask_levels(c, &list, &error))
            fail_msg("%s", error.message);
        assert_true(list->levels <= most);
        for (int64_t i = 0; i < list->levels; i++)
            assert_true(strcmp(list->level[i], "l0003") < 0);
        curator_close(c);
    }
    text_free(&rows);
}

/* Missing values and what is no level count nowhere. */
static void test_no_level(void **state)
{
    (void)state;
    assert_released("1,,0\n2,,0\n3,other,0\n4,other,0\n5,a,0\n6,a,0\n", 1, 1,
                    "a ");
}

/* ---- order ---- */

static void test_order(void **state)
{
    (void)state;
    char there[4000], back[4000];
    char forward[6000] = "", backward[6000] = "";
    for (int i = 0; i < 300; i++) {
        sprintf(forward + strlen(forward), "%d,l%d,0\n", i, i % 17);
        sprintf(backward + strlen(backward), "%d,l%d,0\n", 299 - i,
                (299 - i) % 17);
    }
    curator_policy p = policy_for(1, 1);
    curator *a = open_rows(forward, &p, 1), *b = open_rows(backward, &p, 1);
    ask(a, there);
    ask(b, back);
    assert_string_equal(there, back);
    assert_true(strlen(there) > 10);
    assert_released("1,b,0\n2,b,0\n3,a,0\n4,a,0\n", 1, 1, "a b ");
    curator_close(a);
    curator_close(b);
}

/* Of more than can be kept, those of the largest counts. */
static void test_most(void **state)
{
    (void)state;
    enum { LEVELS = ASK_MOST_LEVELS + 3 };
    char *rows = malloc(LEVELS * 60), *at = rows;
    for (int i = 0; i < LEVELS; i++)
        for (int k = 0; k < (i % 400 ? 3 : 2); k++)
            at += sprintf(at, "%d,%04d,0\n", 3 * i + k, i);
    curator_policy p = policy_for(1, 1);
    curator *c = open_rows(rows, &p, EXACT);
    const level_list *list;
    sotto_error error;
    assert_int_equal(curator_ask_levels(c, &list, &error), SOTTO_OK);
    assert_int_equal(list->levels, ASK_MOST_LEVELS);
    assert_string_equal(list->level[0], "0001");
    assert_int_equal(curator_features(c), ASK_MOST_LEVELS + 1);
    curator_close(c);
    free(rows);
}

/* ---- neighbours ---- */

/* A person whose levels are not shown: the same bytes are released, and the
   noise of what is asked after it is the same. */
static void test_neighbours(void **state)
{
    (void)state;
    enum { OWN = 100 };
    char with[4000], without[4000];
    char rows[6000] = "", own[3000] = "", more[12000];
    double total[2];
    sotto_error error;
    for (int i = 0; i < 300; i++)
        sprintf(rows + strlen(rows), "%d,l%d,0\n", i, i % 9);
    for (int i = 0; i < OWN; i++)
        sprintf(own + strlen(own), "999,zz%d,0\n", i);
    for (int where = 0; where < 2; where++) {
        sprintf(more, "%s%s", where ? own : rows, where ? rows : own);
        curator_policy p = policy_for(OWN, 1);
        curator *a = open_rows(rows, &p, 1), *b = open_rows(more, &p, 1);
        ask(a, without);
        ask(b, with);
        assert_string_equal(without, with);
        assert_true(strlen(with) > 20);
        assert_int_equal(curator_features(a), curator_features(b));
        assert_int_equal(curator_ask_total(a, &total[0], &error), SOTTO_OK);
        assert_int_equal(curator_ask_total(b, &total[1], &error), SOTTO_OK);
        assert_true(fabs(total[1] - total[0] - OWN) < 1e-6);
        curator_close(a);
        curator_close(b);
    }
}

/* ---- afterwards ---- */

static void test_afterwards(void **state)
{
    (void)state;
    char got[100];
    const level_list *list;
    sotto_error error;
    curator_policy p = policy_for(1, 1);
    curator *c = open_rows("1,b,0\n2,b,0\n3,a,0\n", &p, EXACT);
    ask(c, got);
    assert_int_equal(curator_features(c), 2);
    const level_column *column = &c->table->levels.column[0];
    assert_true(!column->id && !column->text && !column->end);
    assert_true(cell(c->table, 0, 0) == 1 && cell(c->table, 0, 1) == 0);
    assert_true(cell(c->table, 2, 0) == 0 && cell(c->table, 2, 1) == 1);
    /* a second time nothing is left of the budget */
    assert_int_equal(curator_ask_levels(c, &list, &error), SOTTO_BUDGET);
    assert_null(list);
    curator_close(c);
}

/* ---- what it costs ---- */

static void test_sensitivity(void **state)
{
    (void)state;
    for (int people = 0; people < 2; people++)
        for (int64_t rows = 1; rows <= 10; rows += 9)
            for (int64_t columns = 1; columns <= 3; columns += 2)
                for (int replaced = 0; replaced < 2; replaced++) {
                    curator_policy p = policy_for(rows, people);
                    p.level_columns = columns;
                    p.adjacency =
                        replaced ? ACCOUNT_REPLACE_ONE : ACCOUNT_ADD_REMOVE;
                    ask_item item = levels_item(&p, .1, 1e-7);
                    double expected = 1024. * (people ? 1 : (double)rows) *
                                      sqrt((double)columns) *
                                      (replaced ? sqrt(2) : 1);
                    double got = gate_sensitivity(&p, &item, 7);
                    assert_true(got >= expected &&
                                got <= expected * (1 + 1e-14));
                    assert_true(curator_draws(&item, 7) ==
                                (double)(2 * rows * columns));
                }
}

/* The threshold is that of the noise which is drawn. */
static void test_threshold(void **state)
{
    (void)state;
    double p = account_shown_for(1e-7);
    curator_policy one = policy_for(1, 1), three = one, replaced = one;
    curator_policy ten = policy_for(10, 1), rows = policy_for(10, 0);
    three.level_columns = 3;
    replaced.adjacency = ACCOUNT_REPLACE_ONE;
    const struct {
        const curator_policy *policy;
        double threshold;
    } anchor[] = {{&one, 54266},
                  {&ten, 57791},
                  {&rows, 575694},
                  {&replaced, 76319},
                  {&three, 96799}};
    for (size_t i = 0; i < sizeof anchor / sizeof *anchor; i++) {
        ask_item item = levels_item(anchor[i].policy, .1, p);
        double people = ask_people_shown(anchor[i].policy, &item);
        assert_true(fabs(people * 1024 - anchor[i].threshold) < .5);
    }
}

/* The events of a plan: mu, and p beside it. */
static void test_event(void **state)
{
    (void)state;
    account_list list;
    sotto_error error;
    curator_policy p = policy_for(1, 1);
    ask_plan plan = plan_two(levels_item(&p, .1, 1e-3), some(ASK_TOTAL, 1, .2));
    assert_int_equal(
        curator_events(&list, &plan, ACCOUNT_ADD_REMOVE, 3, &error), SOTTO_OK);
    assert_int_equal(list.event[0].kind, ACCOUNT_SHOWN);
    assert_true(list.event[0].a == .1 && list.event[0].b == 1e-3);
    assert_true(list.draws == 3);
    account_free(&list);
}

/* ---- refused ---- */

static void refuse_plan(const curator_policy *p, const ask_plan *plan,
                        const char *words)
{
    sotto_error error = {0};
    assert_int_not_equal(curator_check(p, plan, 1, &error), SOTTO_OK);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

static void test_refused(void **state)
{
    (void)state;
    curator_policy p = policy_for(2, 1);
    ask_item good = levels_item(&p, .1, 1e-7), bad;
    ask_plan plan = plan_two(some(ASK_TOTAL, 1, .1), good);
    refuse_plan(&p, &plan, "not the first");
    plan = plan_one(good);
    plan.any_order = 1;
    refuse_plan(&p, &plan, "needs an order");
    bad = good;
    bad.count = 2;
    plan = plan_one(bad);
    refuse_plan(&p, &plan, "a count that is not possible");
    bad = good;
    bad.block = 1;
    plan = plan_one(bad);
    refuse_plan(&p, &plan, "another number of counts");
    bad = good;
    bad.shown = 0;
    plan = plan_one(bad);
    refuse_plan(&p, &plan, "a chance to be shown");
    bad = good;
    bad.noise = ASK_GAUSSIAN;
    plan = plan_one(bad);
    refuse_plan(&p, &plan, "cannot protect");
    bad = some(ASK_TOTAL, 1, .1);
    bad.noise = ASK_SHOWN;
    bad.shown = 1e-7;
    plan = plan_one(bad);
    refuse_plan(&p, &plan, "cannot protect");
    bad = some(ASK_TOTAL, 1, .1);
    bad.shown = 1e-7;
    plan = plan_one(bad);
    refuse_plan(&p, &plan, "a chance to be shown");
}

/* Another number of columns than the table has, and a run without noise. */
static void test_not_opened(void **state)
{
    (void)state;
    curator *c;
    sotto_error error;
    curator_policy p = policy_for(1, 1);
    p.level_columns = 2;
    ask_plan plan = plan_one(levels_item(&p, .1, 1e-7));
    sotto_table *t = read_rows("1,a,0\n", 1);
    assert_int_equal(curator_open(&c, &t, &p, &plan, &error), SOTTO_PRIVACY);
    p = policy_for(1, 1);
    p.without_noise = 1;
    plan = plan_one(some(ASK_TOTAL, 1, 0));
    t = read_rows("1,a,0\n", 1);
    const level_list *list;
    assert_int_equal(curator_open(&c, &t, &p, &plan, &error), SOTTO_OK);
    assert_int_equal(curator_ask_levels(c, &list, &error), SOTTO_PRIVACY);
    curator_close(c);
}

/* Whatever was made for narrower rows is made anew: a batch, a dual step and an
   anchor after levels, which no solver of ours asks for. */
static void test_wider_rows(void **state)
{
    (void)state;
    static const ask_kind kinds[] = {ASK_BATCH, ASK_DUAL, ASK_DIFFERENCE};
    text_buffer rows = {0};
    for (int i = 0; i < 400; i++)
        text_format(&rows, "p,%c,%d\n", 'a' + i % 8, i % 2);
    for (int k = 0; k < 3; k++) {
        curator_policy p = policy_for(1, 0);
        double at[16] = {0}, scale[16], out[16], unit;
        ask_dual point = {.weight = at, .l2 = .05, .at_once = .25, .clip = .5};
        ask_item item = some(kinds[k], 1, 50);
        int64_t moves[16];
        const level_list *list;
        sotto_error error;
        curator *c;
        for (int j = 0; j < 16; j++)
            scale[j] = 1;
        p.rows = 400;
        p.intercept = kinds[k] != ASK_DUAL;
        item.noise = ASK_SAMPLED;
        item.rate = curator_rate(.5);
        ask_plan plan = plan_two(levels_item(&p, EXACT, 1e-7), item);
        sotto_table *t = read_rows(rows.data, 0);
        assert_int_equal(curator_open(&c, &t, &p, &plan, &error), 0);
        if (kinds[k] == ASK_DIFFERENCE)
            assert_int_equal(curator_tell_anchor(c, &error), 0);
        assert_int_equal(curator_ask_levels(c, &list, &error), 0);
        int64_t width = c->table->features;
        assert_true(width > 8);
        assert_true(!c->gathered.all ||
                    c->gathered.all_bytes >=
                        (size_t)(400 * width) * sizeof *c->gathered.all);
        assert_null(c->anchor);
        if (kinds[k] == ASK_DUAL)
            assert_int_equal(curator_ask_dual(c, &point, moves, &unit, &error),
                             0);
        else if (kinds[k] == ASK_BATCH)
            assert_int_equal(curator_ask_batch(c, .7, scale, out, &error), 0);
        curator_close(c);
    }
    text_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tape),
        cmocka_unit_test(test_one_is_not_enough),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_first_by_bytes),
        cmocka_unit_test(test_uncounted),
        cmocka_unit_test(test_no_level),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_afterwards),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_not_opened),
        cmocka_unit_test(test_wider_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
