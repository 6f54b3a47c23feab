/*
 * A party's own ledger: what it may be asked is booked there before a record is
 * read, and once, however often the party is killed and comes back.
 */
#include "parties.h"

#include <sys/stat.h>
#include <sys/wait.h>

/* ---- a party with a folder, a file and a ledger ---- */

typedef struct place {
    federation f;
    char root[64], data[100], state[100], ledger[100];
    logbook log;
} place;

static place new_place(double epsilon)
{
    place p = {.f = agreed(TWO_PARTIES, 30, epsilon, 1)};
    p.f.insecure = 0;
    snprintf(p.root, sizeof p.root, "%s/sotto-party-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    assert_non_null(mkdtemp(p.root));
    snprintf(p.data, sizeof p.data, "%s/data.csv", p.root);
    snprintf(p.state, sizeof p.state, "%s/state", p.root);
    snprintf(p.ledger, sizeof p.ledger, "%s/ledger", p.root);
    assert_int_equal(mkdir(p.state, 0700), 0);
    FILE *file = fopen(p.data, "w");
    assert_non_null(file);
    fclose(file); /* nobody reads it: there is not even a header in it */
    return p;
}

static void free_place(place *p)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", p->root);
    assert_int_equal(system(command), 0);
    federation_free(&p->f);
}

/* As the program sets them, and more. */
static sotto_options *options_of(const place *p, const setting *more)
{
    sotto_error error;
    sotto_options *o = options_with(SETTINGS(
        {"data", p->data}, {"state", p->state}, {"ledger", p->ledger},
        {"dataset-path", p->data}, {"who", "me"}, {"purpose", "a test"}));
    for (; more->name; more++)
        must(sotto_options_set(o, more->name, more->value, &error), &error);
    return o;
}

static sotto_status try_to_book(place *p, int k, const setting *more,
                                char run[FEDERATION_RUN], sotto_error *error)
{
    sotto_options *o = options_of(p, more);
    sotto_status status =
        federation_book_party(run, &p->f, k, o, &p->log, error);
    sotto_options_free(o);
    return status;
}

static void book(place *p, int k, const setting *more, char run[FEDERATION_RUN])
{
    sotto_error error;
    must(try_to_book(p, k, more, run, &error), &error);
    assert_int_equal(strlen(run), FEDERATION_RUN - 1);
}

/* It is refused with these words, in one line. */
static void refused(place *p, const setting *more, sotto_status status,
                    const char *words)
{
    sotto_error error;
    char run[FEDERATION_RUN];
    assert_int_equal(try_to_book(p, 0, more, run, &error), status);
    if (!strstr(error.message, words) || strchr(error.message, '\n'))
        fail_msg("%s", error.message);
}

static int add_charges(void *context, const sotto_dataset *d)
{
    *(int64_t *)context += d->charges;
    return 0;
}

/* How many runs the ledger has, of all data sets. */
static int64_t charges(const place *p)
{
    int64_t sum = 0;
    sotto_ledger *ledger;
    sotto_error error;
    if (access(p->ledger, F_OK))
        return 0;
    must(sotto_ledger_open(&ledger, p->ledger, &error), &error);
    must(sotto_ledger_datasets(ledger, NULL, add_charges, &sum, &error),
         &error);
    sotto_ledger_close(ledger);
    return sum;
}

/* ---- once ---- */

static void test_once(void **state)
{
    (void)state;
    char first[FEDERATION_RUN], again[FEDERATION_RUN];
    place p = new_place(2);
    book(&p, 0, NO_SETTINGS, first);
    for (int i = 0; i < 5; i++) {
        book(&p, 0, NO_SETTINGS, again);
        assert_string_equal(again, first);
        assert_int_equal(charges(&p), 1);
    }
    free_place(&p);
}

/* Killed after the folder has its number, and before the ledger has the run. */
static void test_not_booked_yet(void **state)
{
    (void)state;
    char run[FEDERATION_RUN], number[120];
    sotto_error error;
    place p = new_place(2);
    snprintf(number, sizeof number, "%s/run", p.state);
    assert_int_equal(mkdir(p.ledger, 0700), 0); /* this is not a ledger */
    assert_int_not_equal(try_to_book(&p, 0, NO_SETTINGS, run, &error),
                         SOTTO_OK);
    assert_int_equal(access(number, F_OK), 0);
    assert_int_equal(rmdir(p.ledger), 0);
    book(&p, 0, NO_SETTINGS, run);
    book(&p, 0, NO_SETTINGS, run);
    assert_int_equal(charges(&p), 1);
    free_place(&p);
}

/* Several processes with one new folder. */
static void test_at_once(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    place p = new_place(2);
    pid_t child[COUNT];
    for (int i = 0; i < COUNT; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (!child[i]) {
            char run[FEDERATION_RUN];
            sotto_error error;
            _exit(try_to_book(&p, 0, NO_SETTINGS, run, &error) != SOTTO_OK);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        int how;
        assert_int_equal(waitpid(child[i], &how, 0), child[i]);
        assert_int_equal(how, 0);
    }
    assert_int_equal(charges(&p), 1);
    free_place(&p);
}

/* Another folder, party, agreement or data set is another run. */
static void test_others(void **state)
{
    (void)state;
    char run[6][FEDERATION_RUN], other[100];
    place p = new_place(2), dearer = new_place(3);
    snprintf(other, sizeof other, "%s/other", p.root);
    assert_int_equal(mkdir(other, 0700), 0);
    book(&p, 0, NO_SETTINGS, run[0]);
    book(&p, 1, NO_SETTINGS, run[1]);
    book(&p, 0, SETTINGS({"state", other}), run[2]);
    book(&p, 0, SETTINGS({"dataset-path", "/elsewhere"}), run[3]);
    book(&p, 0, SETTINGS({"dataset-path", "/people"}), run[4]);
    federation cheap = p.f;
    p.f = dearer.f;
    book(&p, 0, NO_SETTINGS, run[5]);
    p.f = cheap;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(run[i], run[j]);
    assert_int_equal(charges(&p), 6);
    free_place(&p);
    free_place(&dearer);
}

static void test_damaged(void **state)
{
    (void)state;
    char run[FEDERATION_RUN], number[120];
    place p = new_place(2);
    book(&p, 0, NO_SETTINGS, run);
    snprintf(number, sizeof number, "%s/run", p.state);
    assert_int_equal(truncate(number, 0), 0);
    refused(&p, NO_SETTINGS, SOTTO_FAILED, "damaged");
    assert_int_equal(charges(&p), 1);
    free_place(&p);
}

/* ---- what is booked ---- */

typedef struct found {
    char plan[1000], who[20], purpose[20];
    double mu, draws;
    int finished;
} found;

static int take_entry(void *context, const sotto_entry *e)
{
    found *f = context;
    snprintf(f->plan, sizeof f->plan, "%s", e->plan);
    snprintf(f->who, sizeof f->who, "%s", e->who);
    snprintf(f->purpose, sizeof f->purpose, "%s", e->purpose);
    f->mu = e->mu;
    f->draws = e->draws;
    f->finished = e->finished;
    return 1;
}

static found last_entry(const place *p, const char *dataset)
{
    found f = {0};
    sotto_ledger *ledger;
    sotto_error error;
    must(sotto_ledger_open(&ledger, p->ledger, &error), &error);
    must(sotto_ledger_entries(ledger, dataset, 0, 1, take_entry, &f, &error),
         &error);
    sotto_ledger_close(ledger);
    return f;
}

/* All that the party may be asked, and nothing of what others are asked. */
static void test_what(void **state)
{
    (void)state;
    place p = new_place(2);
    double mu[2];
    for (int k = 0; k < 2; k++) {
        char run[FEDERATION_RUN];
        text_buffer plan = {0};
        account_list events;
        account_booking right;
        sotto_error error;
        book(&p, k, SETTINGS({"dataset-path", k ? "/south" : "/north"}), run);
        found entry = last_entry(&p, k ? "/south" : "/north");
        must(part_events(&events, &p.f, k, &error), &error);
        account_print(&events, &plan);
        assert_string_equal(entry.plan, plan.data);
        assert_true(entry.draws == events.draws);
        must(account_book(&right, &events, p.f.delta / 20, &error), &error);
        assert_true(fabs(entry.mu / right.mu - 1) < 1e-6);
        assert_string_equal(entry.who, "me");
        assert_string_equal(entry.purpose, "a test");
        assert_false(entry.finished);
        mu[k] = entry.mu;
        text_free(&plan);
        account_free(&events);
    }
    assert_true(mu[0] != mu[1]);
    free_place(&p);
}

static void test_finished(void **state)
{
    (void)state;
    char run[FEDERATION_RUN];
    place p = new_place(2);
    sotto_options *o = options_of(&p, SETTINGS({"dataset-path", "/people"}));
    book(&p, 0, SETTINGS({"dataset-path", "/people"}), run);
    federation_book_end("", o, &p.log);
    assert_false(last_entry(&p, "/people").finished);
    federation_book_end(run, o, &p.log);
    federation_book_end(run, o, &p.log);
    assert_true(last_entry(&p, "/people").finished);
    sotto_options_free(o);
    free_place(&p);
}

/* Noise that can be repeated, no noise, no ledger, no question. */
static void test_nothing_to_book(void **state)
{
    (void)state;
    char run[FEDERATION_RUN] = "x", number[120];
    sotto_error error;
    place p = new_place(2);
    snprintf(number, sizeof number, "%s/run", p.state);
    must(try_to_book(&p, 0, SETTINGS({"ledger", "none"}), run, &error), &error);
    assert_string_equal(run, "");
    sotto_options *without =
        options_with(SETTINGS({"data", p.data}, {"state", p.state}));
    must(federation_book_party(run, &p.f, 0, without, &p.log, &error), &error);
    sotto_options_free(without);
    p.f.insecure = 1;
    must(try_to_book(&p, 0, NO_SETTINGS, run, &error), &error);
    p.f.insecure = 0;
    double epsilon = p.f.epsilon;
    p.f.epsilon = INFINITY;
    must(try_to_book(&p, 0, NO_SETTINGS, run, &error), &error);
    p.f.epsilon = epsilon;
    p.f.party[1].cap = p.f.party[1].turns = 0;
    must(try_to_book(&p, 1, NO_SETTINGS, run, &error), &error);
    assert_string_equal(run, "");
    assert_int_not_equal(access(p.ledger, F_OK), 0);
    assert_int_not_equal(access(number, F_OK), 0);
    free_place(&p);
}

/* ---- refusals ---- */

static void create(const place *p, const setting *more)
{
    sotto_error error;
    sotto_options *o =
        options_of(p, SETTINGS({"delta", "1e-6"}, {"epsilon", "1"},
                               {"adjacency", "zero-out"}));
    for (; more->name; more++)
        must(sotto_options_set(o, more->name, more->value, &error), &error);
    must(sotto_ledger_create(p->ledger, o, &error), &error);
    sotto_options_free(o);
}

static void test_refusals(void **state)
{
    (void)state;
    char run[FEDERATION_RUN];
    place p = new_place(2);
    create(&p, SETTINGS({"dataset", "small"}));
    create(&p, SETTINGS({"dataset", "large"}, {"epsilon", "9"}));
    create(&p, SETTINGS({"dataset", "rows"}, {"epsilon", "9"},
                        {"adjacency", "add-remove"}));
    create(&p, SETTINGS({"dataset", "people"}, {"epsilon", "9"},
                        {"rows-per-person", "3"}));
    create(&p, SETTINGS({"dataset", "parts"}, {"epsilon", "9"},
                        {"part-column", "year"}, {"parts", "2025,2026"},
                        {"public-parts", "yes"}));
    refused(&p, SETTINGS({"dataset", "small"}), SOTTO_BUDGET, "small");
    refused(&p, SETTINGS({"dataset", "rows"}), SOTTO_PRIVACY, "add-remove");
    refused(&p, SETTINGS({"dataset", "people"}), SOTTO_PRIVACY, "person");
    refused(&p, SETTINGS({"dataset", "parts"}), SOTTO_USAGE, "parts");
    refused(&p, SETTINGS({"data", "/nowhere"}), SOTTO_FAILED, "cannot read");
    assert_int_equal(charges(&p), 0);
    book(&p, 0, SETTINGS({"dataset", "large"}), run);
    assert_int_equal(charges(&p), 1);
    free_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),     cmocka_unit_test(test_not_booked_yet),
        cmocka_unit_test(test_at_once),  cmocka_unit_test(test_others),
        cmocka_unit_test(test_damaged),  cmocka_unit_test(test_what),
        cmocka_unit_test(test_finished), cmocka_unit_test(test_nothing_to_book),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
