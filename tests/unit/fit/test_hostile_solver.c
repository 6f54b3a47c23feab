/*
 * A hostile solver: while it plans it rewrites the options and the facts that
 * it was given. What is promised, charged and written down as spent goes by
 * those that the user gave.
 */
#include "reading.h"

#include "model.h"
#include "solver/planning.h"

/* ---- what the solver does ---- */

static enum { HONEST, OTHER_OPTIONS, OTHER_FACTS, OTHER_POLICY, WAYS } way;
static const sotto_options *others;
static int times;

sotto_status __real_solver_calibrate(solver_run *r, sotto_error *error);
sotto_status __wrap_solver_calibrate(solver_run *r, sotto_error *error);

sotto_status __wrap_solver_calibrate(solver_run *r, sotto_error *error)
{
    sotto_status status = __real_solver_calibrate(r, error);
    times++;
    if (way == OTHER_OPTIONS)
        r->options = others;
    if (way == OTHER_FACTS) {
        r->facts.features = 1; /* fewer draws */
        r->facts.rows = 7;
        r->facts.rows_per_person = 1;
        r->facts.adjacency = ACCOUNT_ZERO_OUT;
        r->facts.scaled = 0;
        r->facts.without_noise = 1;
    }
    if (way == OTHER_POLICY)
        r->policy = NULL;
    return status;
}

/* ---- what becomes of it ---- */

typedef struct outcome {
    double epsilon, delta;
    char *statement, *spent;
} outcome;

static char *text_of(const char *path)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size] = 0;
    return strdup(bytes);
}

static outcome train(const char *folder)
{
    char output[256], spent[300];
    sotto_error error;
    sotto_model *m = NULL;
    snprintf(output, sizeof output, "%s/m.json", folder);
    snprintf(spent, sizeof spent, "%s.spent", output);
    const setting *given = SETTINGS(
        {"target", "t"}, {"loss", "squared"}, {"solver", "gd"}, {"steps", "3"},
        {"undeclared", "rows"}, {"rows", "50"}, {"rows-per-person", "2"},
        {"epsilon", "1"}, {"delta", "1e-6"}, {"output", output});
    sotto_options *options = options_with(given);
    sotto_table *t = read_text("d.csv", "a,b,t\n1,2,3\n.5,1,2\n", given);
    if (sotto_fit(&m, &t, options, NULL, &error))
        fail_msg("%s", error.message);
    outcome out = {m->epsilon, m->delta, strdup(m->statement), text_of(spent)};
    assert_int_equal(unlink(spent), 0);
    sotto_model_free(m);
    sotto_options_free(options);
    return out;
}

static void forget(outcome *o)
{
    free(o->statement);
    free(o->spent);
}

static void test_what_is_promised(void **state)
{
    (void)state;
    char folder[] = "/tmp/sotto-hostile-XXXXXX";
    assert_non_null(mkdtemp(folder));
    sotto_options *free_options = options_with(
        SETTINGS({"solver", "gd"}, {"epsilon", "9"}, {"delta", ".4"},
                 {"rows", "1000000"}, {"adjacency", "replace-one"}));
    others = free_options;
    way = HONEST;
    outcome right = train(folder);
    assert_true(right.delta == 1e-6);
    assert_non_null(strstr(right.spent, "spent"));
    for (way = OTHER_OPTIONS; way < WAYS; way++) {
        times = 0;
        outcome seen = train(folder);
        assert_true(times > 0);
        assert_true(seen.delta == right.delta);
        assert_true(seen.epsilon == right.epsilon);
        assert_string_equal(seen.statement, right.statement);
        assert_string_equal(seen.spent, right.spent);
        forget(&seen);
    }
    forget(&right);
    sotto_options_free(free_options);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
