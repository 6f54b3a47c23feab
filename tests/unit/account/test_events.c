/*
 * Event lists: plans and JSON that cannot be read are refused with a message
 * that says why, the public calls agree with the accountant's own, and rarely
 * used events and methods are priced as they should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static account_list list_for(const char *plan, account_adjacency adjacency)
{
    account_list list;
    sotto_error error = {0};
    if (account_parse(&list, plan, "T=3,half=.5", NAN, adjacency, &error))
        fail_msg("%s: %s", plan, error.message);
    return list;
}

static double epsilon_of(account_list *list, double delta)
{
    account_price price;
    sotto_error error = {0};
    if (account_epsilon(list, delta, &price, &error))
        fail_msg("%s", error.message);
    return price.epsilon;
}

static void assert_refused(const char *what, sotto_status status,
                           const sotto_error *error, const char *words)
{
    if (status != SOTTO_USAGE || !strstr(error->message, words))
        fail_msg("%s: %d %s", what, (int)status, error->message);
}

/* ---- plans and JSON ---- */

/* Plans that are written in different ways and are the same list. */
static void test_arithmetic(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"GAUSS(2*.25)", "GAUSS(0.5)"},
        {"GAUSS(.25 + .25)", "GAUSS(0.5)"},
        {"GAUSS(.75 - half/2)", "GAUSS(0.5)"},
        {"GAUSS (-(-half))", "GAUSS(0.5)"},
        {"(T-1)*GAUSS(1)", "GAUSS(1)*2"},
        {"sqrt(4) * (GAUSS(1) + PURE(1))", "2*(GAUSS(1)+PURE(1))"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        text_buffer a = {0}, b = {0};
        for (int k = 0; k < 2; k++) {
            account_list list = list_for(same[i][k], ACCOUNT_ADD_REMOVE);
            account_print(&list, k ? &b : &a);
            account_free(&list);
        }
        assert_string_equal(a.data, b.data);
        text_free(&a);
        text_free(&b);
    }
}

static void test_plans_refused(void **state)
{
    (void)state;
    char deep[200] = "", deep_number[200] = "GAUSS(";
    for (int i = 0; i < 60; i++) {
        strcat(deep, "(");
        strcat(deep_number, "(");
    }
    strcat(deep, "GAUSS(1)");
    strcat(deep_number, "1");
    const struct {
        const char *plan, *settings, *words;
    } bad[] = {
        {"GAUSS((1", NULL, "a closing parenthesis"},
        {"GAUSS(1.2.3)", NULL, "a number"},
        {"2*(GAUSS(1)", NULL, "a closing parenthesis"},
        {"2*(3+4)", NULL, "* and an event"},
        {deep, NULL, "fewer parentheses"},
        {deep_number, NULL, "fewer parentheses"},
        {"GAUSS(T)", "T=1,T=2", "two values"},
        {"GAUSS(T)", "T", "NAME=NUMBER"},
        {"GAUSS(T)", "T=1e", "NAME=NUMBER"},
        {"1e12*(GAUSS(1)*2 + PURE(1))", NULL, "counts up to 1e12"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        account_list list;
        sotto_error error = {0};
        sotto_status status = account_parse(&list, bad[i].plan, bad[i].settings,
                                            NAN, ACCOUNT_ADD_REMOVE, &error);
        assert_refused(bad[i].plan, status, &error, bad[i].words);
    }
}

static void test_json_refused(void **state)
{
    (void)state;
#define LIST(rest) "{\"sotto_events\": 1, \"adjacency\": \"add-remove\", " rest
#define EVENT(event) LIST("\"events\": [" event "]}")
    static const char *const bad[][2] = {
        {"{\"sotto_events\": 2}", "\"sotto_events\": 1"},
        {"{\"sotto_events\": 1, \"events\": []}", "\"adjacency\""},
        {LIST("\"events\": 1}"), "no other key"},
        {LIST("\"events\": [], \"a key\": 1}"), "no other key"},
        {LIST("\"events\": [], \"more\": 1}"), "no other key"},
        {LIST("\"events\": [], \"order\": \"some\"}"), "\"order\""},
        {LIST("\"events\": [], \"draws\": 1e19}"), "\"draws\""},
        {LIST("\"events\": []}"), "at least one event"},
        {EVENT("{\"repeat\": 2, \"events\": []}"), "at least one event"},
        {EVENT("{\"event\": \"GAUS\", \"mu\": 1}"), "\"event\" to be"},
        {EVENT("{\"event\": \"GAUSS\", \"eta\": 1}"), "its numbers"},
        {EVENT("{\"event\": \"GAUSS\", \"mu\": 1, \"sigma\": 1}"),
         "its numbers"},
        {EVENT("{\"event\": \"GAUSS\", \"mu\": 1, \"count\": 0.5}"),
         "\"count\""},
        {EVENT("{\"event\": \"GAUSS\", \"mu\": 1, \"adjacency\": 1}"),
         "\"adjacency\""},
        {EVENT("{\"event\": \"GAUSS\", \"mu\": -1}"), "from 0 to 1e6"},
        {EVENT("{\"repeat\": -1, \"events\": []}"), "\"repeat\""},
        {EVENT("{\"repeat\": 2, \"events\": [], \"times\": 2}"), "\"repeat\""},
        {EVENT("{\"repeat\": 2, \"events\": [{}]}"), "\"event\" to be"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        account_list list;
        sotto_error error = {0};
        sotto_status status = account_from_json(
            &list, bad[i][0], strlen(bad[i][0]), "events.json", &error);
        assert_refused(bad[i][0], status, &error, bad[i][1]);
    }
}

/* The last question of a statement cannot be asked in turn with a next one. */
static void test_statement_refused(void **state)
{
    (void)state;
    static const char statement[] =
        "{\"epsilon\": 9, \"delta\": 1e-6, \"adjacency\": \"add-remove\", "
        "\"membership\": \"protected\", \"unit\": \"row\", "
        "\"rows_per_person\": 1, \"order\": \"any\", \"sotto\": \"0.1.0\", "
        "\"draws\": 5, \"curve\": [], \"questions\": [{\"times\": 5, "
        "\"event\": \"GAUSS\", \"mu\": 0.1, \"in_turn_with_next\": true}]}";
    sotto_error error = {0};
    assert_refused("in turn",
                   account_check_statement(statement, "m.json", &error), &error,
                   "in turn with the next");
}

/* A list has a largest size; one that would pass it stays as it was. */
static void test_limits(void **state)
{
    (void)state;
    account_list list = {0}, one = list_for("PURE(1)", ACCOUNT_ADD_REMOVE);
    account_event e = {ACCOUNT_GAUSS, 1, 0, 1, ACCOUNT_ADD_REMOVE};
    sotto_error error = {0};
    while (account_add(&list, e, &error) == SOTTO_OK)
        ;
    assert_non_null(strstr(error.message, "different events"));
    int64_t most = list.events;
    assert_refused("append", account_append(&list, &one, 0, &error), &error,
                   "different events");
    assert_int_equal(list.events, most);
    assert_refused("repeat", account_repeat(&one, 0, -1, &error), &error,
                   "a count from 0");
    list.draws = 1e18;
    one.draws = 1e18;
    assert_refused("draws", account_append(&one, &list, 0, &error), &error,
                   "1e18 draws");
    account_free(&list);
    account_free(&one);
}

/* ---- the public calls ---- */

static sotto_events *events_of(const char *plan)
{
    sotto_events *events;
    sotto_error error = {0};
    if (sotto_events_plan(&events, plan, NULL, "add-remove", &error))
        fail_msg("%s: %s", plan, error.message);
    return events;
}

static double price_of(const sotto_events *events)
{
    sotto_price price;
    sotto_error error = {0};
    if (sotto_events_epsilon(events, 1e-6, &price, &error))
        fail_msg("%s", error.message);
    assert_non_null(price.method);
    return price.epsilon;
}

/* Through a file and through text: the same price, to the last bit. */
static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/sotto_events_XXXXXX", *json, *text;
    sotto_events *a = events_of("2*(GAUSS(.1)+RANGE(.2))"), *b;
    sotto_error error = {0};
    close(mkstemp(path));
    assert_int_equal(sotto_events_json(&json, a, &error), SOTTO_OK);
    assert_int_equal(sotto_text_write(path, json, &error), SOTTO_OK);
    assert_int_equal(sotto_events_read(&b, path, &error), SOTTO_OK);
    assert_true(price_of(a) == price_of(b));
    sotto_events_free(b);
    assert_int_equal(sotto_events_text(&text, a, &error), SOTTO_OK);
    b = events_of(text);
    assert_true(price_of(a) == price_of(b));
    sotto_events_free(a);
    sotto_events_free(b);
    free(json);
    free(text);
    unlink(path);
    assert_int_not_equal(sotto_events_read(&b, path, &error), SOTTO_OK);
    assert_null(b);
}

static void test_public_calls(void **state)
{
    (void)state;
    sotto_events *a = events_of("GAUSS(.1)"), *b = events_of("GAUSS(.2)"), *c;
    sotto_error error = {0};
    sotto_price price;
    double epsilon, before = price_of(a);
    sotto_events_in_order(a, 1);
    assert_int_equal(sotto_events_append(a, b, 1, &error), SOTTO_USAGE);
    sotto_events_in_order(b, 1);
    assert_int_equal(sotto_events_append(a, b, 1, &error), SOTTO_OK);
    assert_true(price_of(a) > before);
    assert_int_equal(sotto_events_ask(a, "replace", &error), SOTTO_USAGE);
    before = price_of(a);
    sotto_events_draws(a, 1e15);
    sotto_events_draws(a, 1); /* does not take the draws back */
    assert_true(price_of(a) > before);
    assert_int_equal(sotto_events_delta(a, price_of(a), &price, &error),
                     SOTTO_OK);
    assert_true(price.delta <= 1.001e-6);
    assert_int_equal(sotto_events_delta(a, -1, &price, &error), SOTTO_USAGE);
    before = price_of(b);
    assert_int_equal(
        sotto_events_repeated(b, "geometric", 2, 1e-6, &epsilon, &error),
        SOTTO_OK);
    assert_true(epsilon > before);
    assert_int_equal(
        sotto_events_repeated(b, "other", 2, 1e-6, &epsilon, &error),
        SOTTO_USAGE);
    assert_int_equal(sotto_events_ask(b, "replace-one", &error), SOTTO_OK);
    assert_true(price_of(b) > before);
    assert_int_equal(sotto_events_plan(&c, "GAUSS(1)", NULL, "none", &error),
                     SOTTO_USAGE);
    assert_null(c);
    sotto_events_free(a);
    sotto_events_free(b);
    sotto_events_free(NULL);
}

static void test_papers(void **state)
{
    (void)state;
    double z, same;
    sotto_error error = {0};
    for (int64_t i = 0; sotto_paper_at(i); i++) {
        const char *name = sotto_paper_at(i)->name;
        assert_int_equal(
            sotto_paper_multiplier(name, 10, .1, .5, 1e-6, &z, &error),
            SOTTO_OK);
        assert_int_equal(
            account_paper_multiplier(i, 10, .1, .5, 1e-6, &same, &error),
            SOTTO_OK);
        assert_true(z == same);
    }
    assert_null(sotto_paper_at(-1));
    assert_refused("no paper",
                   sotto_paper_multiplier("dp", 1, 0, 1, 1e-6, &z, &error),
                   &error, "no formula of that name");
    assert_refused("0 steps",
                   account_paper_multiplier(0, 0, 0, 1, 1e-6, &z, &error),
                   &error, "T from 1 to 1e12");
    assert_refused("epsilon 2",
                   account_paper_multiplier(0, 1, 0, 2, 1e-6, &z, &error),
                   &error, "the paper says nothing");
}

/* What no noise reaches: too many draws for the delta. */
static void test_calibration_refused(void **state)
{
    (void)state;
    static const struct {
        sotto_calibration target;
        const char *words;
    } bad[] = {
        {{"GAUSS(1/z)", NULL, "add-remove", 0, 1e12, 1, 1e-12},
         "nothing can be promised"},
        {{"GAUSS(1/z)", NULL, "add-remove", 0, 1, 100, 1e-12},
         "says nothing about a record"},
        {{"GAUSS(1)+GAUSS(1/z)", NULL, "add-remove", 0, 0, .1, 1e-6},
         "no multiplier z"},
        {{"GAUSS(1/z)", NULL, "neighbours", 0, 0, 1, 1e-6}, "adjacency"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sotto_events *events;
        sotto_price price;
        sotto_error error = {0};
        double z;
        assert_refused(
            bad[i].words,
            sotto_events_calibrate(&events, &bad[i].target, &z, &price, &error),
            &error, bad[i].words);
        assert_null(events);
    }
}

/* ---- events and methods that are rarely used ---- */

/* A sample of all rows is no sample; selections that follow each other are
   one step; a list that is too long for its order is priced in any order. */
static void test_same_prices(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"SUBSAMPLED_GAUSS(1, 2)", "GAUSS(.5)"},
        {"RANGE(.1) + RANGE(.1) + GAUSS(.1)", "RANGE(.1)*2 + GAUSS(.1)"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double price[2];
        for (int k = 0; k < 2; k++) {
            account_list list = list_for(same[i][k], ACCOUNT_ADD_REMOVE);
            list.ordered = 1;
            price[k] = epsilon_of(&list, 1e-6);
            account_free(&list);
        }
        assert_true(fabs(price[0] / price[1] - 1) < 1e-9);
    }
    account_list list =
        list_for("30000*(RANGE(.0001) + GAUSS(.001))", ACCOUNT_ADD_REMOVE);
    double any = epsilon_of(&list, 1e-6);
    list.ordered = 1;
    assert_true(epsilon_of(&list, 1e-6) == any);
    account_free(&list);
}

/* Different events have a grid each. Too many for that: their moments are
   added, and the note says why. */
static void test_many_laws(void **state)
{
    (void)state;
    static const int counts[] = {20, 250};
    for (int k = 0; k < 2; k++) {
        account_list list = {0};
        account_price price;
        sotto_error error = {0};
        for (int i = 0; i < counts[k]; i++) {
            account_event e = {ACCOUNT_LAPLACE, .01 + 1e-5 * i, 0, 1,
                               ACCOUNT_ADD_REMOVE};
            assert_int_equal(account_add(&list, e, &error), SOTTO_OK);
        }
        assert_int_equal(account_epsilon(&list, 1e-6, &price, &error),
                         SOTTO_OK);
        assert_int_equal(price.note != NULL, counts[k] > 200);
        assert_true(price.epsilon > 0 && price.epsilon < counts[k] * .0125);
        account_free(&list);
    }
}

static void test_one_method(void **state)
{
    (void)state;
    account_list gauss = list_for("GAUSS(.5)", ACCOUNT_ADD_REMOVE);
    account_price closed, moments;
    sotto_error error = {0};
    double renyi;
    assert_int_equal(
        account_delta_by(&gauss, 1, ACCOUNT_CLOSED, 1, &closed, &error),
        SOTTO_OK);
    assert_int_equal(
        account_delta_by(&gauss, 1, ACCOUNT_RDP, 1, &moments, &error),
        SOTTO_OK);
    assert_true(moments.delta > closed.delta);
    assert_refused("pld",
                   account_delta_by(&gauss, 1, ACCOUNT_PLD, 1, &closed, &error),
                   &error, "does not apply");
    assert_int_equal(account_renyi(&gauss, 3, &renyi, &error), SOTTO_OK);
    assert_true(fabs(renyi - 3 * .125) < 1e-9);
    assert_refused("alpha", account_renyi(&gauss, 1, &renyi, &error), &error,
                   "alpha");
    account_free(&gauss);
}

/* Samples that are asked about for replace-one. */
static void test_replaced_samples(void **state)
{
    (void)state;
    account_price price;
    sotto_error error = {0};
    double epsilon;
    account_list list =
        list_for("SUBSAMPLED_GAUSS(.1, 2)", ACCOUNT_REPLACE_ONE);
    assert_refused("replace-one", account_epsilon(&list, 1e-6, &price, &error),
                   &error, "what one record adds");
    account_free(&list);
    /* each event by itself: twice what one record adds, or as it is */
    list = list_for("SUBSAMPLED_GAUSS(.1, 2)@add-remove + GAUSS(.2)",
                    ACCOUNT_REPLACE_ONE);
    account_list same = list_for("SUBSAMPLED_GAUSS(.1, 2)@zero-out + "
                                 "GAUSS(.1)@add-remove",
                                 ACCOUNT_REPLACE_ONE);
    assert_true(epsilon_of(&list, 1e-6) == epsilon_of(&same, 1e-6));
    account_free(&list);
    account_free(&same);
    /* no more than a Gaussian of all records, twice */
    list = list_for("SUBSAMPLED_GAUSS(.1, 2)@add-remove", ACCOUNT_REPLACE_ONE);
    assert_true(epsilon_of(&list, 1e-6) > 0);
    assert_int_equal(account_renyi(&list, 2, &epsilon, &error), SOTTO_OK);
    assert_true(epsilon > 0 && epsilon < 1);
    assert_int_equal(account_tuned(&list, 1, 2, 1e-6, &epsilon, &error),
                     SOTTO_OK);
    assert_true(epsilon > epsilon_of(&list, 1e-6));
    account_free(&list);
}

static void test_repeated_with_draws(void **state)
{
    (void)state;
    account_list list = list_for("GAUSS(.1)", ACCOUNT_ADD_REMOVE);
    sotto_error error = {0};
    double without, with;
    assert_int_equal(account_tuned(&list, 0, 3, 1e-6, &without, &error),
                     SOTTO_OK);
    list.draws = 1e12;
    assert_int_equal(account_tuned(&list, 0, 3, 1e-6, &with, &error), SOTTO_OK);
    assert_true(with > without && with < without * 1.01);
    assert_refused("draws", account_tuned(&list, 0, 3, 1e-13, &with, &error),
                   &error, "no epsilon can be proven");
    assert_refused("delta", account_tuned(&list, 0, 3, 1, &with, &error),
                   &error, "between 0 and 1");
    account_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_plans_refused),
        cmocka_unit_test(test_json_refused),
        cmocka_unit_test(test_statement_refused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_public_calls),
        cmocka_unit_test(test_papers),
        cmocka_unit_test(test_calibration_refused),
        cmocka_unit_test(test_same_prices),
        cmocka_unit_test(test_many_laws),
        cmocka_unit_test(test_one_method),
        cmocka_unit_test(test_replaced_samples),
        cmocka_unit_test(test_repeated_with_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
