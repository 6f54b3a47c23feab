/*
 * Statements of privacy as texts: their events, and what they say of work that
 * was done before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sotto.h"

#include <string.h>

static char *plan_of(const char *prepared)
{
    sotto_error error;
    sotto_options *o = NULL;
    char *text = NULL;
    static const char *const set[][2] = {{"loss", "logistic"},
                                         {"epsilon", "1"},
                                         {"delta", "1e-6"},
                                         {"rows", "500"},
                                         {"features", "3"}};
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_int_equal(sotto_options_set(o, set[i][0], set[i][1], &error),
                         SOTTO_OK);
    if (prepared)
        assert_int_equal(sotto_options_set(o, "prepared", prepared, &error),
                         SOTTO_OK);
    assert_int_equal(sotto_fit_plan(&text, o, &error), SOTTO_OK);
    sotto_options_free(o);
    return text;
}

/* The events of a statement cost what it claims; one that claims less, or is
   none, is refused. */
static void test_stated(void **state)
{
    (void)state;
    sotto_error error;
    sotto_events *events;
    sotto_price price;
    char *text = plan_of(NULL), *at = strstr(text, "\"epsilon\": 0.9999");
    assert_int_equal(sotto_events_stated(&events, text, &error), SOTTO_OK);
    assert_int_equal(sotto_events_epsilon(events, 1e-6, &price, &error),
                     SOTTO_OK);
    assert_true(price.epsilon <= 1 && price.epsilon > 0.9999);
    sotto_events_free(events);
    assert_non_null(at);
    memcpy(at, "\"epsilon\": 0.5999", 17);
    assert_int_equal(sotto_events_stated(&events, text, &error), SOTTO_PRIVACY);
    assert_null(events);
    sotto_text_free(text);
    static const char *const none[] = {"", "{", "[]", "null", "{}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_not_equal(sotto_events_stated(&events, none[i], &error),
                             SOTTO_OK);
        assert_null(events);
    }
}

/* What was done before sotto is covered only where nothing was. */
static void test_prepared(void **state)
{
    (void)state;
    static const char words[] = "what was done to the columns before sotto";
    char *plain = plan_of(NULL), *here = plan_of("here"),
         *elsewhere = plan_of("elsewhere");
    assert_string_equal(plain, here);
    assert_null(strstr(plain, words));
    assert_non_null(strstr(elsewhere, words));
    sotto_text_free(plain);
    sotto_text_free(here);
    sotto_text_free(elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stated),
        cmocka_unit_test(test_prepared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
