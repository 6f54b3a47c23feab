/*
 * The ledger: charges and caps, units, parts, and what people are told.
 */
#include "books.h"

#include "ledger/internal.h"

#include <errno.h>
#include <sys/stat.h>

/* ---- ids and times that repeat ---- */

static int scripted; /* 0: real ones; else how many there were, plus 1 */
static const char *today = "2026-11-17 09:30:12";

void __real_ledger_random(char id[LEDGER_ID]);
void __wrap_ledger_random(char id[LEDGER_ID]);
void __wrap_ledger_random(char id[LEDGER_ID])
{
    if (scripted)
        snprintf(id, LEDGER_ID, "%032x", (unsigned)scripted++);
    else
        __real_ledger_random(id);
}

void __real_ledger_now(char time[LEDGER_TIME]);
void __wrap_ledger_now(char time[LEDGER_TIME]);
void __wrap_ledger_now(char time[LEDGER_TIME])
{
    if (scripted)
        memcpy(time, today, LEDGER_TIME);
    else
        __real_ledger_now(time);
}

/* ---- charges ---- */

static void test_a_charge(void **state)
{
    (void)state;
    ledger_receipt r, again;
    int64_t entries;
    struct stat about;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"),
                                     {"owner", "Ward 7"})),
                     SOTTO_OK);
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(
        book(&r, RUN_OF(.purpose = "a study", .who = "ada", .draws = 12)),
        SOTTO_OK);
    assert_string_equal(r.file, file);
    assert_string_equal(r.dataset, "patients");
    assert_string_equal(r.owner, "Ward 7");
    assert_string_equal(r.purpose, "a study");
    assert_int_equal(strlen(r.run), LEDGER_ID - 1);
    assert_int_equal(strlen(r.id), LEDGER_ID - 1);
    assert_int_equal(strlen(r.head), LEDGER_HEAD - 1);
    assert_int_equal(strlen(r.date), 10);
    assert_int_equal(r.position, 2);
    assert_true(r.mu >= 0.2367034343931118 && r.mu < 0.2367034344);
    assert_true(r.delta0 == 0 && r.draws == 12);
    assert_true(r.has_cap && r.cap_epsilon == 3 && r.delta == 1e-6);
    assert_true(r.spent_epsilon > 1 && r.spent_epsilon < 1.01);
    assert_int_equal(find_run(&again, r.run), SOTTO_OK);
    assert_string_equal(again.head, r.head);
    assert_true(again.spent_epsilon == r.spent_epsilon);
    ledger_receipt_free(&again);
    assert_int_equal(find_run(&again, "nothing"), SOTTO_USAGE);
    ledger_receipt_free(&again);
    ledger_receipt_free(&r);
    assert_int_equal(verify(&entries), SOTTO_OK);
    assert_int_equal(entries, 2);
}

/* The thirty runs: under a cap of (3, 1e-6) exactly seven. */
static void test_thirty_runs(void **state)
{
    (void)state;
    int made = 0;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    for (int i = 0; i < 30; i++) {
        sotto_status status = charge(RUN_OF());
        made += status == SOTTO_OK;
        assert_int_equal(status, i < 7 ? SOTTO_OK : SOTTO_BUDGET);
    }
    assert_int_equal(made, 7);
    says("data set \"patients\": refused: cap epsilon 3 at delta 1e-06; spent "
         "2.9");
    says(", with this run 3.1");
    says("; left for a run of Gaussian answers: epsilon 0.");
    assert_int_equal(sql("SELECT count(*) FROM entry"), 8);
}

/* Without a cap all are made; the last one says 6.6132, printed as 6.62. */
static void test_thirty_runs_without_a_cap(void **state)
{
    (void)state;
    ledger_receipt r = {0};
    for (int i = 0; i < 30; i++) {
        ledger_receipt_free(&r);
        assert_int_equal(book(&r, RUN_OF(.path = "/data/patients.csv")),
                         SOTTO_OK);
    }
    assert_false(r.has_cap);
    assert_null(r.dataset);
    assert_int_equal(r.position, 31);
    assert_true(r.spent_epsilon >= 6.61318735 && r.spent_epsilon < 6.61320);
    assert_string_equal(sotto_number_print_up(r.spent_epsilon, 3).text, "6.62");
    ledger_receipt_free(&r);
    assert_int_equal(sql("SELECT delta0 FROM line ORDER BY entry DESC"), 0);
}

/* Equal to the cap is allowed, one more is not: as integers. */
static void test_the_last_unit(void **state)
{
    (void)state;
    ledger_cap cap;
    ledger_amount a;
    assert_int_equal(ledger_cap_of(&cap, 3, 1e-6, &last), SOTTO_OK);
    ledger_part part = {.now = {{0, 0, 0}, cap}, .chosen = 1};
    ledger_dataset d = {.name = "x", .part = &part, .parts = 1};
    int64_t *sum[] = {&part.now.sum.square, &part.now.sum.delta0,
                      &part.now.sum.draws};
    int64_t most[] = {cap.most.square, cap.most.delta0, cap.most.draws};
    for (int i = 0; i < 3; i++) {
        int64_t *of[] = {&a.square, &a.delta0, &a.draws};
        for (int more = 0; more < 2; more++) {
            a = (ledger_amount){0, 0, 0};
            *sum[i] = most[i] - 5;
            *of[i] = 5 + more;
            assert_int_equal(ledger_check_cap(&d, &a, 0, &last),
                             more ? SOTTO_BUDGET : SOTTO_OK);
            *of[i] = INT64_MAX; /* and no sum overflows */
            assert_int_equal(ledger_check_cap(&d, &a, 0, &last), SOTTO_BUDGET);
        }
        *sum[i] = 0;
    }
}

/* A charge is rounded up, a cap is rounded down. */
static void test_whole_numbers(void **state)
{
    (void)state;
    ledger_amount a;
    ledger_cap cap;
    account_total total;
    for (double mu = 1e-7; mu < 2000; mu *= 1.37) {
        account_booking b = {mu, mu * 1e-9, mu};
        assert_int_equal(ledger_amount_of(&a, &b), 1);
        long double square = (long double)mu * mu;
        assert_true((long double)a.square >= square * 0x1p40L);
        assert_true((long double)(a.square - 2) <=
                    square * 0x1p40L * (1 + 0x1p-50L));
        assert_true((long double)a.delta0 >= b.delta0 * 0x1p70L);
        assert_true((double)a.draws >= mu);
        assert_true(ledger_mu(a.square) >= mu);
        assert_true(ledger_mu_down(a.square) < ledger_mu(a.square));
        assert_true(ledger_delta0(a.delta0) >= b.delta0);
    }
    for (int i = 0; i < 3; i++) {
        account_booking large = {i == 0 ? 1e10 : 0, i == 1 ? .01 : 0,
                                 i == 2 ? 1e19 : 0};
        assert_int_equal(ledger_amount_of(&a, &large), 0);
        large = (account_booking){i == 0 ? NAN : 0, i == 1 ? NAN : 0,
                                  i == 2 ? INFINITY : 0};
        assert_int_equal(ledger_amount_of(&a, &large), 0);
    }
    assert_int_equal(ledger_cap_of(&cap, 3, 1e-6, &last), SOTTO_OK);
    assert_int_equal(account_cap(&total, 3, 1e-6, 0x1p40, &last), SOTTO_OK);
    assert_true((double)cap.most.square <= total.square * 0x1p40);
    assert_true((double)cap.most.square > total.square * 0x1p40 - 2);
    assert_true((double)cap.most.delta0 <= total.delta0 * 0x1p70);
    assert_true(cap.most.draws == INT64_C(1) << 40);
    assert_int_equal(ledger_cap_of(&cap, 1, .5, &last), SOTTO_OK);
    assert_true(cap.most.delta0 == INT64_MAX); /* .05 is more than 63 bits */
}

/* A list with samples takes of delta0, too: under a cap as much of both. */
static void test_delta0(void **state)
{
    (void)state;
    const char *plan = "500*SUBSAMPLED_GAUSS(0.02, 2.097)";
    ledger_receipt r;
    ledger_cap cap;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(ledger_cap_of(&cap, 3, 1e-6, &last), SOTTO_OK);
    assert_int_equal(book(&r, RUN_OF(.plan = plan)), SOTTO_OK);
    double share = r.mu * r.mu / ((double)cap.most.square * 0x1p-40);
    assert_true(share > .135057 * .9999 && share < .135057 * 1.002);
    share = r.delta0 / ((double)cap.most.delta0 * 0x1p-70);
    assert_true(share > .135057 * .9 && share < .135057 * 1.01);
    ledger_receipt_free(&r);
    for (int i = 1; i < 7; i++)
        assert_int_equal(charge(RUN_OF(.plan = plan)), SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.plan = plan)), SOTTO_BUDGET);
    /* without a cap the i-th takes at most D0/(i(i+1)) */
    for (int64_t i = 1; i <= 3; i++) {
        assert_int_equal(book(&r, RUN_OF(.path = "/a", .plan = plan)),
                         SOTTO_OK);
        double turn = 1e-7 / (double)(i * (i + 1));
        assert_true(r.delta0 <= turn && r.delta0 > .9 * turn);
        ledger_receipt_free(&r);
    }
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* A price that was found under other terms: without a cap if it takes no more
   than its turn, with one if the cap is the same. */
static void test_terms(void **state)
{
    (void)state;
    ledger_terms cap = {1, .5, 1e-7}, larger = {1, .6, 1e-7};
    ledger_terms first = {0, INFINITY, 5e-8}, second = {0, INFINITY, 1e-8};
    ledger_amount gauss = {1, 0, 0},
                  other = {1, INT64_C(1) << 45, 0}; /* 3e-8 */
    assert_true(ledger_price_holds(&other, &cap, &cap));
    assert_false(ledger_price_holds(&other, &cap, &larger));
    assert_false(ledger_price_holds(&gauss, &cap, &first));
    assert_true(ledger_price_holds(&gauss, &first, &second));
    assert_true(ledger_price_holds(&other, &second, &first));
    assert_false(ledger_price_holds(&other, &first, &second));
}

/* More than all of a cap, and what no ledger can count. */
static void test_too_much(void **state)
{
    (void)state;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("1", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.plan = "GAUSS(5)")), SOTTO_BUDGET);
    says("spent 0, ");
    says("left for a run of Gaussian answers: epsilon 0.99");
    assert_int_equal(charge(RUN_OF(.plan = "GAUSS(0.001)", .draws = 0x1p41)),
                     SOTTO_BUDGET);
    says("noise draws");
    assert_int_equal(charge(RUN_OF(.path = "/a", .plan = "GAUSS(1e5)")),
                     SOTTO_BUDGET);
    for (int i = 0; i < 2; i++) /* the second is more than 63 bits hold */
        assert_int_equal(charge(RUN_OF(.path = "/a", .plan = "GAUSS(2500)")),
                         i ? SOTTO_BUDGET : SOTTO_OK);
    says("larger than a ledger can count");
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* The chain is of what is public: how a run ended, and when, is not in it. */
static void test_outcome_is_not_in_the_chain(void **state)
{
    (void)state;
    ledger_receipt a, b;
    char head[LEDGER_HEAD];
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(book(&a, RUN_OF()), SOTTO_OK);
    ledger_entry e = {.kind = LEDGER_CHARGE, .position = 2, .run = a.run};
    ledger_part part = {.chosen = 1};
    ledger_dataset d = {.name = "x", .part = &part, .parts = 1};
    for (int i = 0; i < 2; i++) { /* another day, another number */
        char one[LEDGER_HEAD];
        e.number = i;
        memcpy(e.time, i ? "2027-01-01 00:00:00" : "2026-01-01 00:00:00", 20);
        assert_int_equal(ledger_chain(one, &d, &e, a.head, &last), SOTTO_OK);
        if (i)
            assert_string_equal(one, head);
        memcpy(head, one, sizeof head);
    }
    /* finished: no later byte depends on it but the mark itself */
    for (int i = 0; i < 2; i++) /* twice is as good as once */
        assert_int_equal(ledger_finish(file, a.run, &last), SOTTO_OK);
    assert_int_equal(find_run(&b, a.run), SOTTO_OK);
    assert_string_equal(a.head, b.head);
    ledger_receipt_free(&b);
    assert_int_equal(sql("SELECT count(*) FROM finished"), 1);
    assert_int_equal(ledger_finish(file, "nothing", &last), SOTTO_USAGE);
    ledger_receipt_free(&a);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

static char *statement_of(const ledger_receipt *r)
{
    json_t *root = json_object();
    text_buffer t = {0};
    ledger_put(&root, r);
    json_put(&t, root);
    json_decref(root);
    return text_take(&t);
}

/* Two ledgers, one run: in one of them it ended, in the other not, as it may
   depend on a record. All that the next run releases is the same, bit by bit,
   also where the first took longer. */
static void test_outcome_is_never_released(void **state)
{
    (void)state;
    char *said[3];
    for (int i = 0; i < 3; i++) {
        ledger_receipt r;
        scripted = 1;
        today = i == 2 ? "2026-11-17 11:11:11" : "2026-11-17 09:30:12";
        clear_folder(NULL);
        assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                         SOTTO_OK);
        assert_int_equal(book(&r, RUN_OF(.who = "ada")), SOTTO_OK);
        if (i == 1)
            assert_int_equal(ledger_finish(file, r.run, &last), SOTTO_OK);
        ledger_receipt_free(&r);
        assert_int_equal(book(&r, RUN_OF()), SOTTO_OK);
        said[i] = statement_of(&r);
        ledger_receipt_free(&r);
    }
    scripted = 0;
    assert_string_equal(said[0], said[1]);
    assert_string_equal(said[0], said[2]);
    for (int i = 0; i < 3; i++)
        mem_free(said[i]);
}

/* Each field that is public changes the head; the path does not. */
static void test_what_is_in_the_chain(void **state)
{
    (void)state;
    char plain[LEDGER_HEAD], other[LEDGER_HEAD];
    char label[] = "north";
    for (int i = -1; i < 16; i++) {
        ledger_part part = {.label = label, .chosen = i != 0};
        ledger_dataset d = {.name = "x",
                            .part = &part,
                            .parts = 1,
                            .unit_rows = 1 + (i == 1),
                            .id = "id"};
        ledger_entry e = {.kind = i < 10 ? LEDGER_CREATED : LEDGER_CHARGE,
                          .position = i == 2 ? 3 : 2};
        d.name = i == 3 ? "y" : "x";
        d.is_path = i == 4;
        d.owner = i == 5 ? "o" : NULL;
        d.adjacency = i == 6 ? ACCOUNT_ZERO_OUT : ACCOUNT_ADD_REMOVE;
        d.unit_column = i == 7 ? "c" : NULL;
        e.cap.epsilon = i == 8 ? 2 : 1;
        e.cap.is_set = 1;
        e.cap.most.square = i == 9;
        e.who = i == 11 ? "w" : NULL;
        e.purpose = i == 12 ? "w" : NULL;
        e.amount.delta0 = i == 13;
        e.plan = i == 14 ? "p" : NULL;
        e.run = i == 15 ? "p" : NULL;
        assert_int_equal(ledger_chain(other, &d, &e, NULL, &last), SOTTO_OK);
        if (i == -1 || i == 10)
            memcpy(plain, other, sizeof plain);
        else
            assert_string_not_equal(other, plain);
    }
    ledger_part part = {.chosen = 1};
    ledger_entry e = {.kind = LEDGER_CREATED, .position = 1};
    for (int i = 0; i < 2; i++) {
        ledger_dataset d = {
            .name = i ? "/a" : "/b", .is_path = 1, .part = &part, .parts = 1};
        assert_int_equal(ledger_chain(i ? other : plain, &d, &e, NULL, &last),
                         SOTTO_OK);
    }
    assert_string_equal(other, plain);
    ledger_dataset d = {.name = "x", .part = &part, .parts = 1};
    for (int i = 0; i < 2; i++) /* and the head before it */
        assert_int_equal(
            ledger_chain(i ? other : plain, &d, &e, i ? "a" : "b", &last),
            SOTTO_OK);
    assert_string_not_equal(other, plain);
}

/* ---- units ---- */

static void test_units(void **state)
{
    (void)state;
    static const struct {
        ledger_unit set, run;
        int fits;
    } cases[] = {
        {{0, NULL, 1}, {0, NULL, 1}, 1},
        {{0, NULL, 1}, {0, NULL, 3}, 1},
        {{0, NULL, 3}, {0, NULL, 3}, 1},
        {{0, NULL, 3}, {0, NULL, 2}, 0},
        {{0, "id", 1}, {0, "id", 7}, 1},
        {{0, "id", 1}, {0, "ID", 1}, 0},
        {{0, "id", 1}, {0, NULL, 9}, 0},
        {{0, NULL, 1}, {0, "id", 9}, 0},
        {{0, NULL, 1}, {ACCOUNT_REPLACE_ONE, NULL, 1}, 0},
        {{ACCOUNT_ZERO_OUT, NULL, 1}, {ACCOUNT_REPLACE_ONE, NULL, 1}, 0},
        {{ACCOUNT_ZERO_OUT, "id", 1}, {ACCOUNT_ZERO_OUT, "id", 2}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[8];
        snprintf(rows, sizeof rows, "%d", (int)cases[i].set.rows_per_person);
        clear_folder(NULL);
        setting s[] = {
            NAMED("patients"),
            CAP("3", "1e-6"),
            {"adjacency", account_adjacency_name(cases[i].set.adjacency)},
            {"rows-per-person", rows},
            {cases[i].set.column ? "unit-column" : NULL, cases[i].set.column},
            {NULL, NULL}};
        assert_int_equal(create(s), SOTTO_OK);
        assert_int_equal(charge(RUN_OF(.unit = cases[i].run)),
                         cases[i].fits ? SOTTO_OK : SOTTO_PRIVACY);
        if (!cases[i].fits)
            says("as it was made with");
        assert_int_equal(sql("SELECT count(*) FROM entry"), 1 + cases[i].fits);
    }
}

/* For a path another unit or adjacency is a second entry. */
static void test_paths(void **state)
{
    (void)state;
    ledger_unit units[] = {{0, NULL, 1}, {0, "id", 1},
                           {0, "id", 5}, {ACCOUNT_ZERO_OUT, NULL, 1},
                           {0, NULL, 1}, {0, NULL, 4}};
    int expected[] = {1, 2, 2, 3, 3, 3};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(charge(RUN_OF(.path = "/a.csv", .unit = units[i])),
                         SOTTO_OK);
        assert_int_equal(sql("SELECT count(*) FROM dataset"), expected[i]);
    }
    assert_int_equal(charge(RUN_OF(.path = "/b.csv", .delta = 1e-8)), SOTTO_OK);
    assert_int_equal(sql("SELECT count(*) FROM dataset"), 4);
    assert_int_equal(sql("SELECT delta < 2e-8 FROM line ORDER BY entry DESC"),
                     1);
    /* a larger K first, then a smaller one: an entry of its own */
    for (int k = 3; k > 0; k--)
        assert_int_equal(charge(RUN_OF(.path = "/c.csv", .unit = {0, NULL, k})),
                         SOTTO_OK);
    assert_int_equal(sql("SELECT count(*) FROM dataset WHERE name = '/c.csv'"),
                     3);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

static void test_names(void **state)
{
    (void)state;
    char l201[202];
    memset(l201, 'x', 201);
    l201[201] = 0;
    assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
    says("there is no ledger; 'sotto ledger create' makes one");
    assert_int_equal(charge(RUN_OF(.nameless = 1)), SOTTO_USAGE);
    assert_int_equal(create(SETTINGS(NAMED("a"), CAP("3", "1e-6"))), SOTTO_OK);
    assert_int_equal(create(SETTINGS(NAMED("a"), CAP("4", "1e-6"))),
                     SOTTO_USAGE);
    says("there is a data set \"a\" already");
    assert_int_equal(create(SETTINGS(NAMED(l201), CAP("4", "1e-6"))),
                     SOTTO_USAGE);
    l201[200] = 0;
    assert_int_equal(create(SETTINGS(NAMED(l201), CAP("4", "1e-6"))), SOTTO_OK);
    for (const char **bad = (const char *[]){"a\nb", "a\x1b[1m", "\x80",
                                             "\xc2\x85", "\x7f", NULL};
         *bad; bad++) {
        if (**bad != '\x80') /* which no option takes */
            assert_int_equal(create(SETTINGS(NAMED(*bad), CAP("4", "1e-6"))),
                             SOTTO_USAGE);
        assert_int_equal(charge(RUN_OF(.purpose = *bad)), SOTTO_USAGE);
        assert_int_equal(charge(RUN_OF(.who = *bad)), SOTTO_USAGE);
    }
    assert_int_equal(create(SETTINGS(CAP("4", "1e-6"))), SOTTO_USAGE);
    assert_int_equal(create(SETTINGS(NAMED("b"), {"epsilon", "1"})),
                     SOTTO_USAGE);
    says("expected --epsilon and --delta");
    assert_int_equal(create(SETTINGS(NAMED("b"), CAP("3", "1e-20"))),
                     SOTTO_USAGE);
    assert_int_equal(charge(RUN_OF(.dataset = "b")), SOTTO_USAGE);
    says("there is no data set \"b\"");
}

/* ---- parts ---- */

#define PARTED                                                                 \
    NAMED("patients"), CAP("3", "1e-6"), {"part-column", "region"},            \
    {                                                                          \
        "parts", "north,south"                                                 \
    }

static void test_parts_declared(void **state)
{
    (void)state;
    char *column, **value;
    int64_t values;
    assert_int_equal(create(SETTINGS(PARTED, {"unit-column", "id"})),
                     SOTTO_PRIVACY);
    assert_int_equal(create(SETTINGS(PARTED, {"rows-per-person", "2"})),
                     SOTTO_PRIVACY);
    assert_int_equal(create(SETTINGS(PARTED, {"adjacency", "replace-one"})),
                     SOTTO_PRIVACY);
    says("--public-parts");
    assert_int_equal(
        create(SETTINGS(NAMED("p"), CAP("3", "1e-6"), {"parts", "a,b"})),
        SOTTO_USAGE);
    assert_int_equal(
        create(SETTINGS(NAMED("p"), CAP("3", "1e-6"), {"part-column", "a"})),
        SOTTO_USAGE);
    assert_int_equal(create(SETTINGS(PARTED, {"parts", "north"})), SOTTO_USAGE);
    says("\"north\" is there twice");
    assert_int_equal(access(file, F_OK), -1); /* refused before it is made */
    assert_int_equal(create(SETTINGS(PARTED, {"adjacency", "zero-out"},
                                     {"public-parts", "yes"})),
                     SOTTO_OK);
    assert_int_equal(
        ledger_parts(file, "patients", &column, &value, &values, &last),
        SOTTO_OK);
    assert_string_equal(column, "region");
    assert_int_equal(values, 2);
    assert_string_equal(value[1], "south");
    mem_free(column);
    mem_free_texts(value, values);
    assert_int_equal(
        ledger_parts(file, "none", &column, &value, &values, &last), SOTTO_OK);
    assert_true(!column && !value && !values);
    assert_int_equal(
        ledger_parts("/none", "none", &column, &value, &values, &last),
        SOTTO_OK);
    assert_null(column);
}

/* Each part has sums and a cap of its own. */
static void test_parts_charged(void **state)
{
    (void)state;
    char *north[] = {"north"}, *twice[] = {"north", "north"},
         *wrong[] = {"nort"};
    ledger_receipt r;
    assert_int_equal(create(SETTINGS(PARTED)), SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.reads_all = 1)), SOTTO_PRIVACY);
    says("is read without them");
    assert_int_equal(charge(RUN_OF(.part = wrong, .parts = 1)), SOTTO_USAGE);
    says("did you mean \"north\"?");
    assert_int_equal(charge(RUN_OF(.part = twice, .parts = 2)), SOTTO_USAGE);
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(RUN_OF(.part = north, .parts = 1)), SOTTO_OK);
    assert_int_equal(book(&r, RUN_OF()), SOTTO_OK); /* both */
    assert_int_equal(r.parts, 2);
    assert_string_equal(r.part[0], "north");
    assert_true(r.spent_epsilon > 2.9);
    ledger_receipt_free(&r);
    assert_int_equal(charge(RUN_OF(.part = north, .parts = 1)), SOTTO_BUDGET);
    says("data set \"patients\", part \"north\": refused");
    assert_int_equal(charge(RUN_OF()), SOTTO_BUDGET); /* north is in it */
    char *south[] = {"south"};
    for (int i = 0; i < 6; i++)
        assert_int_equal(book(&r, RUN_OF(.part = south, .parts = 1)), SOTTO_OK),
            ledger_receipt_free(&r);
    assert_int_equal(charge(RUN_OF(.part = south, .parts = 1)), SOTTO_BUDGET);
    assert_int_equal(sql("SELECT count(*) FROM line"), 2 + 6 + 2 + 6);
    assert_int_equal(create(SETTINGS(NAMED("plain"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(
        charge(RUN_OF(.dataset = "plain", .part = north, .parts = 1)),
        SOTTO_USAGE);
    says("has no parts");
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* ---- raising ---- */

static sotto_status raise_cap(const setting *settings)
{
    sotto_ledger *l;
    sotto_options *o = options_with(settings);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    sotto_status status = sotto_ledger_raise(l, o, &last);
    sotto_ledger_close(l);
    sotto_options_free(o);
    return status;
}

static void test_raise(void **state)
{
    (void)state;
    char *north[] = {"north"}, *south[] = {"south"};
    assert_int_equal(create(SETTINGS(PARTED)), SOTTO_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(charge(RUN_OF()), SOTTO_OK);
    assert_int_equal(charge(RUN_OF()), SOTTO_BUDGET);
    const setting *lower[] = {SETTINGS(NAMED("patients"), CAP("2", "1e-6")),
                              SETTINGS(NAMED("patients"), CAP("3", "1e-6")),
                              SETTINGS(NAMED("patients"), CAP("4", "1e-7"))};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(raise_cap(lower[i]), SOTTO_USAGE);
        says("a cap can be raised only");
    }
    assert_int_equal(raise_cap(SETTINGS(NAMED("patients"), {"delta", "1e-3"})),
                     SOTTO_USAGE);
    assert_int_equal(raise_cap(SETTINGS(NAMED("patients"), CAP("4", "1e-6"),
                                        {"parts", "east"})),
                     SOTTO_USAGE);
    assert_int_equal(raise_cap(SETTINGS(NAMED("patients"), CAP("4", "1e-6"),
                                        {"parts", "north"}, {"who", "ada"})),
                     SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.part = south, .parts = 1)), SOTTO_BUDGET);
    assert_int_equal(charge(RUN_OF(.part = north, .parts = 1)), SOTTO_OK);
    assert_int_equal(raise_cap(SETTINGS(NAMED("none"), CAP("4", "1e-6"))),
                     SOTTO_USAGE);
    assert_int_equal(raise_cap(SETTINGS(NAMED("patients"), CAP("9", "1e-6"),
                                        {"who", "a\nb"})),
                     SOTTO_USAGE);
    assert_int_equal(create(SETTINGS(NAMED("free"), {"delta", "1e-6"})),
                     SOTTO_OK);
    assert_int_equal(raise_cap(SETTINGS(NAMED("free"), CAP("4", "1e-6"))),
                     SOTTO_USAGE);
    says("it has no cap");
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* ---- lists ---- */

typedef struct seen {
    sotto_dataset d;
    sotto_entry e;
    int count, most;
    int64_t first;
    char parts[40], kind[10];
} seen;

static int see_dataset(void *context, const sotto_dataset *d)
{
    seen *s = context;
    s->d = *d;
    return ++s->count == s->most;
}

static int see_entry(void *context, const sotto_entry *e)
{
    seen *s = context;
    if (!s->count++)
        s->first = e->position;
    s->e = *e;
    snprintf(s->parts, sizeof s->parts, "%s", e->parts ? e->parts : "none");
    snprintf(s->kind, sizeof s->kind, "%s", e->kind);
    return s->count == s->most;
}

static void test_lists(void **state)
{
    (void)state;
    sotto_ledger *l;
    ledger_receipt r;
    char *north[] = {"north"};
    seen s = {0};
    assert_int_equal(create(SETTINGS(PARTED)), SOTTO_OK);
    assert_int_equal(create(SETTINGS(NAMED("free"), {"delta", "1e-6"})),
                     SOTTO_OK);
    assert_int_equal(book(&r, RUN_OF(.part = north, .parts = 1)), SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.part = north, .parts = 1)), SOTTO_OK);
    assert_int_equal(ledger_finish(file, r.run, &last), SOTTO_OK);
    ledger_receipt_free(&r);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_datasets(l, NULL, see_dataset, &s, &last),
                     SOTTO_OK);
    assert_int_equal(s.count, 3);
    assert_true(!s.d.has_cap && isnan(s.d.share) && isnan(s.d.left_epsilon));
    assert_true(isnan(s.d.more_like_last) && s.d.spent_epsilon == 0);
    s = (seen){.most = 1};
    assert_int_equal(
        sotto_ledger_datasets(l, "patients", see_dataset, &s, &last), SOTTO_OK);
    assert_int_equal(s.count, 1);
    assert_true(s.d.charges == 2 && s.d.unfinished == 1 && s.d.position == 3);
    assert_true(s.d.more_like_last == 5 && s.d.has_cap);
    assert_true(s.d.share > 2 / 7.5 && s.d.share < 2 / 7.0);
    assert_true(s.d.spent_epsilon > 1.4 && s.d.spent_epsilon < 1.5);
    assert_int_equal(sotto_ledger_datasets(l, "x", see_dataset, &s, &last),
                     SOTTO_USAGE);
    s = (seen){0};
    assert_int_equal(
        sotto_ledger_entries(l, "patients", 0, 2, see_entry, &s, &last),
        SOTTO_OK);
    assert_true(s.count == 2 && s.first == 3 && s.e.position == 2);
    assert_string_equal(s.parts, "north");
    assert_true(s.e.finished);
    s = (seen){0};
    assert_int_equal(
        sotto_ledger_entries(l, "patients", 2, 9, see_entry, &s, &last),
        SOTTO_OK);
    assert_true(s.count == 1 && s.e.position == 1 && s.e.cap_epsilon == 3);
    assert_string_equal(s.parts, "north,south");
    assert_string_equal(s.kind, "created");
    s = (seen){0};
    assert_int_equal(
        sotto_ledger_entries(l, "patients", 3, 9, see_entry, &s, &last),
        SOTTO_OK);
    assert_int_equal(s.count, 0);
    assert_int_equal(sotto_ledger_entries(l, "x", 0, 9, see_entry, &s, &last),
                     SOTTO_USAGE);
    sotto_ledger_close(l);
}

/* Two entries for a path: only an id says which. */
static void test_ids(void **state)
{
    (void)state;
    ledger_receipt r = {0};
    sotto_ledger *l;
    seen s = {0};
    for (int i = 0; i < 2; i++) {
        ledger_receipt_free(&r);
        assert_int_equal(
            book(&r, RUN_OF(.path = "/a", .unit = {0, i ? "id" : NULL, 1})),
            SOTTO_OK);
    }
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_datasets(l, "/a", see_dataset, &s, &last),
                     SOTTO_OK);
    assert_int_equal(s.count, 2);
    assert_int_equal(sotto_ledger_entries(l, "/a", 0, 9, see_entry, &s, &last),
                     SOTTO_USAGE);
    says("expected the id of one of them");
    assert_int_equal(sotto_ledger_entries(l, r.id, 0, 9, see_entry, &s, &last),
                     SOTTO_OK);
    sotto_ledger_close(l);
    ledger_receipt_free(&r);
}

/* Who was killed and comes back with the id of its run gets its receipt, and
   no other run can be booked under it. */
static void test_run_ids(void **state)
{
    (void)state;
    const char *id = "0123456789abcdef0123456789abcdef";
    ledger_receipt r, again;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(book(&r, RUN_OF(.id = id)), SOTTO_OK);
    assert_int_equal(book(&again, RUN_OF(.id = id)), SOTTO_OK);
    assert_int_equal(again.position, r.position);
    ledger_receipt_free(&again);
    ledger_receipt_free(&r);
    assert_int_equal(book(&r, RUN_OF(.id = id, .plan = "GAUSS(.1)")),
                     SOTTO_PRIVACY);
    says("a run of this id was booked with another plan");
    ledger_receipt_free(&r);
    assert_int_equal(book(&r, RUN_OF(.id = "x")), SOTTO_USAGE);
    says("expected 32 digits 0-9a-f");
    ledger_receipt_free(&r);
}

/* What is left fits, and little more does not. */
static void test_left(void **state)
{
    (void)state;
    ledger_cap cap;
    for (int i = 0; i < 9; i++) {
        double caps[] = {1, 3, 8}, spent[] = {0, .3, .95}, z;
        account_question question = {
            .kind = ACCOUNT_GAUSS, .level = 1, .times = 1};
        assert_int_equal(ledger_cap_of(&cap, caps[i / 3], 1e-6, &last),
                         SOTTO_OK);
        ledger_state s = {
            {(int64_t)(spent[i % 3] * (double)cap.most.square), 0, 0}, cap};
        for (int more = 0; more < 2; more++) {
            account_target target = {
                .epsilon = ledger_left(&s) * (more ? 1.001 : 1), .delta = 1e-6};
            assert_int_equal(
                account_multiplier(&z, &question, 1, &target, &last), SOTTO_OK);
            account_booking b = {1 / z, 0, 0};
            ledger_amount a;
            assert_int_equal(ledger_amount_of(&a, &b), 1);
            assert_int_equal(ledger_how_many(&s, &a), !more);
        }
    }
    ledger_state all = {cap.most, cap};
    assert_true(ledger_left(&all) == 0);
    assert_string_equal(sotto_number_print_down(.4199, 2).text, "0.41");
    assert_string_equal(sotto_number_print_down(.41, 2).text, "0.41");
    assert_string_equal(sotto_number_print_down(.9999, 3).text, "0.999");
    assert_string_equal(sotto_number_print_down(0, 3).text, "0");
}

static sotto_status quote(sotto_quote *out, const char *plan,
                          const setting *settings)
{
    sotto_ledger *l;
    sotto_events *events;
    sotto_options *o = options_with(settings);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_events_plan(&events, plan, "", "add-remove", &last),
                     SOTTO_OK);
    sotto_status status = sotto_ledger_quote(out, l, o, events, &last);
    sotto_events_free(events);
    sotto_ledger_close(l);
    sotto_options_free(o);
    return status;
}

static void test_quotes(void **state)
{
    (void)state;
    const char *sampled = "500*SUBSAMPLED_GAUSS(0.02, 2.097)";
    sotto_quote q;
    ledger_receipt r;
    assert_int_equal(create(SETTINGS(PARTED)), SOTTO_OK);
    assert_int_equal(quote(&q, RUN, SETTINGS(NAMED("patients"))), SOTTO_OK);
    assert_true(q.fits && q.how_many == 7 && q.spent_before == 0);
    assert_true(q.mu > .2367 && q.mu < .2368 && q.delta0 == 0);
    assert_true(q.cap_epsilon == 3 && q.left_epsilon > 2.9 && q.delta == 1e-6);
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
    assert_int_equal(
        quote(&q, RUN,
              SETTINGS(NAMED("patients"), {"parts", "south"}, {"runs", "7"})),
        SOTTO_OK);
    assert_true(!q.fits && q.how_many == 6);
    assert_true(q.spent_before > 1 && q.spent_after > 3);
    assert_int_equal(quote(&q, "GAUSS(9)", SETTINGS(NAMED("patients"))),
                     SOTTO_OK);
    assert_true(!q.fits && q.how_many == 0 && isinf(q.spent_after));
    assert_int_equal(quote(&q, RUN, SETTINGS({"runs", "2"})), SOTTO_USAGE);
    assert_int_equal(sql("SELECT count(*) FROM entry"), 2); /* none booked */
    /* without a cap: never below what is then booked */
    assert_int_equal(create(SETTINGS(NAMED("free"), {"delta", "1e-6"})),
                     SOTTO_OK);
    assert_int_equal(quote(&q, sampled, SETTINGS(NAMED("free"), {"runs", "3"})),
                     SOTTO_OK);
    assert_true(q.fits && q.how_many == INT64_MAX && q.cap_epsilon == 0);
    sotto_quote none;
    assert_int_equal(quote(&none, "GAUSS(1e5)", SETTINGS(NAMED("free"))),
                     SOTTO_BUDGET);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(book(&r, RUN_OF(.dataset = "free", .plan = sampled)),
                         SOTTO_OK);
        assert_true(q.spent_after >= r.spent_epsilon);
        assert_true(i < 2 || q.spent_after < 1.01 * r.spent_epsilon);
        ledger_receipt_free(&r);
    }
    assert_int_equal(create(SETTINGS(NAMED("zero"), CAP("1", "1e-6"),
                                     {"adjacency", "zero-out"})),
                     SOTTO_OK);
    assert_int_equal(quote(&q, RUN, SETTINGS(NAMED("zero"))), SOTTO_PRIVACY);
}

/* ---- statements ---- */

static sotto_status find(const char *statement, int64_t *position)
{
    sotto_ledger *l;
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    sotto_status status = sotto_ledger_find(l, statement, position, &last);
    sotto_ledger_close(l);
    return status;
}

static void test_statement(void **state)
{
    (void)state;
    ledger_receipt r;
    int64_t position = 0;
    sotto_ledger *l;
    char *north[] = {"north"};
    assert_int_equal(create(SETTINGS(PARTED, {"owner", "Ward 7"})), SOTTO_OK);
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_backup(l, copy, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_backup(l, copy, &last), SOTTO_USAGE);
    says("a backup replaces nothing");
    sotto_ledger_close(l);
    assert_int_equal(book(&r, RUN_OF(.part = north, .parts = 1,
                                     .plan = "PURE(0.1)", .purpose = "p")),
                     SOTTO_OK);
    char *said = statement_of(&r);
    for (const char **key =
             (const char *[]){"\"dataset\": \"patients\"",
                              "\"owner\": \"Ward 7\"", "\"position\": 3",
                              "\"cap\": 3", "\"parts\": [\"north\"]",
                              "\"purpose\": \"p\"", "\"head\"", "\"date\"",
                              "\"mu\"", "\"delta0\"", "\"draws\"", "\"delta\"",
                              "\"spent_epsilon\"", NULL};
         *key; key++)
        if (!strstr(said, *key))
            fail_msg("no %s in %s", *key, said);
    assert_null(strstr(said, r.run));
    assert_int_equal(find(said, &position), SOTTO_OK);
    assert_int_equal(position, 3);
    for (int i = 0; i < 4; i++) { /* a charge that is not the entry's */
        ledger_receipt other = r;
        other.mu *= i == 0 ? .5 : 1;
        other.delta0 += i == 1 ? 1e-9 : 0;
        other.draws += i == 2;
        other.head[3] ^= i == 3;
        char *false_one = statement_of(&other);
        assert_int_equal(find(false_one, &position), SOTTO_PRIVACY);
        says("its entry there is of another run");
        mem_free(false_one);
    }
    assert_int_equal(rename(copy, file), 0);
    assert_int_equal(find(said, &position), SOTTO_PRIVACY);
    says("an older copy of the ledger was put back");
    r.id[0] = 'x';
    char *other = statement_of(&r);
    assert_int_equal(find(other, &position), SOTTO_PRIVACY);
    says("it has no such data set");
    char *untracked = statement_of(NULL);
    assert_string_equal(untracked, "{\"ledger\": \"untracked\"}");
    assert_int_equal(find(untracked, &position), SOTTO_PRIVACY);
    assert_int_equal(find("nonsense", &position), SOTTO_PRIVACY);
    mem_free(said);
    mem_free(other);
    mem_free(untracked);
    ledger_receipt_free(&r);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* ---- export, backup, the user's own ---- */

static char *exported(const char *dataset, const char *format)
{
    sotto_ledger *l;
    char *text;
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_export(&text, l, dataset, format, &last),
                     SOTTO_OK);
    sotto_ledger_close(l);
    return text;
}

static void test_export(void **state)
{
    (void)state;
    sotto_ledger *l;
    char *text;
    assert_int_equal(create(SETTINGS(PARTED)), SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.purpose = "say \"a\", b")), SOTTO_OK);
    assert_int_equal(charge(RUN_OF(.path = "/d\xff.csv")), SOTTO_OK);
    text = exported(NULL, "json");
    json_t *root = json_read(text, strlen(text), NULL);
    assert_non_null(root);
    json_t *sets = json_object_get(root, "datasets");
    json_t *set = json_array_get(sets, 0);
    assert_int_equal(json_array_size(sets), 2);
    assert_int_equal(json_array_size(json_object_get(set, "parts")), 2);
    json_t *entries = json_object_get(set, "entries");
    assert_int_equal(json_array_size(entries), 2);
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(entries, 1), "position")),
                     2);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(sets, 1), "path")),
        "/d?.csv");
    json_decref(root);
    sotto_text_free(text);
    text = exported("patients", "csv");
    assert_int_equal(strncmp(text, "dataset,id,position,kind", 24), 0);
    assert_non_null(strstr(text, ",\"say \"\"a\"\", b\",\"north,south\","));
    assert_null(strstr(text, "/d"));
    sotto_text_free(text);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_export(&text, l, NULL, "xml", &last),
                     SOTTO_USAGE);
    assert_int_equal(sotto_ledger_export(&text, l, "none", "csv", &last),
                     SOTTO_USAGE);
    sotto_ledger_close(l);
}

static void test_backup(void **state)
{
    (void)state;
    struct stat about;
    sotto_ledger *l;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_backup(l, copy, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_backup(l, "/none/copy.db", &last),
                     SOTTO_FAILED);
    says("cannot make it: No such file or directory");
    sotto_ledger_close(l);
    assert_int_equal(stat(copy, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(rename(copy, file), 0);
    assert_int_equal(verify(NULL), SOTTO_OK);
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
}

static void test_own(void **state)
{
    (void)state;
    char *path, expected[200], deep[120];
    setenv("SOTTO_LEDGER", "/somewhere/x.db", 1);
    assert_int_equal(sotto_ledger_own(&path, &last), SOTTO_OK);
    assert_string_equal(path, "/somewhere/x.db");
    sotto_text_free(path);
    unsetenv("SOTTO_LEDGER");
    snprintf(deep, sizeof deep, "%s/a", folder);
    setenv("XDG_STATE_HOME", deep, 1);
    assert_int_equal(sotto_ledger_own(&path, &last), SOTTO_OK);
    snprintf(expected, sizeof expected, "%s/sotto/ledger.db", deep);
    assert_string_equal(path, expected);
    sotto_text_free(path);
    snprintf(expected, sizeof expected, "%s/sotto", deep);
    assert_int_equal(rmdir(expected), 0); /* the folder was made */
    assert_int_equal(rmdir(deep), 0);
    setenv("XDG_STATE_HOME", "relative", 1);
    setenv("HOME", deep, 1);
    assert_int_equal(sotto_ledger_own(&path, &last), SOTTO_OK);
    snprintf(expected, sizeof expected, "%s/.local/state/sotto/ledger.db",
             deep);
    assert_string_equal(path, expected);
    sotto_text_free(path);
    for (int i = 0; i < 4; i++) {
        *strrchr(expected, '/') = 0;
        assert_int_equal(rmdir(expected), 0);
    }
    FILE *in_the_way = fopen(deep, "w");
    fclose(in_the_way);
    assert_int_equal(sotto_ledger_own(&path, &last), SOTTO_FAILED);
    assert_null(path);
    says("--ledger none");
    unlink(deep);
    unsetenv("HOME");
    assert_int_equal(sotto_ledger_own(&path, &last), SOTTO_FAILED);
    says("--ledger none");
}

#define TEST(name) cmocka_unit_test_teardown(name, clear_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_charge),
        TEST(test_thirty_runs),
        TEST(test_thirty_runs_without_a_cap),
        TEST(test_the_last_unit),
        TEST(test_whole_numbers),
        TEST(test_delta0),
        TEST(test_terms),
        TEST(test_too_much),
        TEST(test_outcome_is_not_in_the_chain),
        TEST(test_outcome_is_never_released),
        TEST(test_what_is_in_the_chain),
        TEST(test_units),
        TEST(test_paths),
        TEST(test_names),
        TEST(test_parts_declared),
        TEST(test_parts_charged),
        TEST(test_raise),
        TEST(test_lists),
        TEST(test_ids),
        TEST(test_run_ids),
        TEST(test_left),
        TEST(test_quotes),
        TEST(test_statement),
        TEST(test_export),
        TEST(test_backup),
        TEST(test_own),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
