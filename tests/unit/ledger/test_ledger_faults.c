/*
 * What may happen to a ledger: disks that fail at any step, processes that
 * end, others who write at the same time, damaged and edited files. A run
 * that was let through is always booked.
 */
#include "books.h"
#include "faulty.h"

#include "ledger/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int patience = 60000;
int __wrap_ledger_patience(void);
int __wrap_ledger_patience(void)
{
    return patience;
}

/* A file system that cannot rename without replacing. */
static int no_noreplace;
int __real_renameat2(int from, const char *old, int to, const char *path,
                     unsigned flags);
int __wrap_renameat2(int from, const char *old, int to, const char *path,
                     unsigned flags);
int __wrap_renameat2(int from, const char *old, int to, const char *path,
                     unsigned flags)
{
    errno = EINVAL;
    return no_noreplace ? -1 : __real_renameat2(from, old, to, path, flags);
}

/* Another run that is faster: between the price and the lock. */
static run *overtakes;
sotto_status __real_ledger_begin_write(const ledger_store *s,
                                       sotto_error *error);
sotto_status __wrap_ledger_begin_write(const ledger_store *s,
                                       sotto_error *error);
sotto_status __wrap_ledger_begin_write(const ledger_store *s,
                                       sotto_error *error)
{
    run *faster = overtakes;
    overtakes = NULL;
    if (faster)
        assert_int_equal(charge(*faster), SOTTO_OK);
    return __real_ledger_begin_write(s, error);
}

static int set_up(void **state)
{
    return make_folder(state) || faulty_install() != SQLITE_OK;
}

static int quiet(void **state)
{
    faulty = (faulty_state){0};
    patience = 60000;
    no_noreplace = 0;
    return clear_folder(state);
}

static void copy_file(const char *to, const char *from)
{
    char bytes[4096];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, got, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* A ledger with a data set and some runs, kept in `copy`. */
static void prepare(void)
{
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(charge(RUN_OF(.who = "ada", .purpose = "p")),
                         SOTTO_OK);
    copy_file(copy, file);
}

static int64_t entries_now(void)
{
    return sql("SELECT count(*) FROM entry");
}

/* ---- disks that fail ---- */

/* The ledger as it was, and one charge on a disk that fails at the n-th step.
   Returns whether the fault was met at all. */
static int charge_with_fault(faulty_way way, int at, int code)
{
    char journal[100];
    snprintf(journal, sizeof journal, "%s-journal", file);
    unlink(journal);
    copy_file(file, copy);
    faulty = (faulty_state){.way = way, .at = at, .code = code};
    sotto_status status = charge(RUN_OF());
    int met = faulty.steps >= at;
    faulty = (faulty_state){0};
    assert_int_equal(verify(NULL), SOTTO_OK);
    int booked = entries_now() == 4;
    int unsure = strstr(last.message, "may have been") != NULL;
    if (status == SOTTO_OK)
        assert_true(booked);
    else
        assert_true(!booked || unsure);
    last.message[0] = 0;
    assert_int_equal(charge(RUN_OF()), SOTTO_OK); /* and it goes on */
    assert_int_equal(entries_now(), 4 + booked);
    return met;
}

static void test_every_step_fails(void **state)
{
    (void)state;
    faulty_way ways[] = {FAULTY_ONCE, FAULTY_ALWAYS, FAULTY_LOST};
    int codes[] = {0, SQLITE_FULL, SQLITE_IOERR_DIR_FSYNC};
    prepare();
    for (int i = 0; i < 9; i++) {
        int n = 1;
        while (charge_with_fault(ways[i % 3], n, codes[i / 3]))
            n++;
        assert_true(n > 8); /* journal, pages, syncs, deletion */
    }
}

/* A commit whose answer was lost counts: it is looked up by its run. */
static void test_lost_answer(void **state)
{
    (void)state;
    int found = 0;
    prepare();
    for (int n = 1; n < 60; n++) {
        copy_file(file, copy);
        faulty = (faulty_state){.way = FAULTY_LOST, .at = n};
        ledger_receipt r;
        last.message[0] = 0;
        sotto_status status = book(&r, RUN_OF());
        int met = faulty.steps >= n;
        faulty = (faulty_state){0};
        if (met && status == SOTTO_OK && entries_now() == 4) {
            found++;
            assert_int_equal(r.position, 4);
            assert_string_equal(last.message, ""); /* as on any success */
        }
        ledger_receipt_free(&r);
    }
    assert_true(found > 0);
}

/* Where the ledger cannot be asked either, the run must not begin. */
static void test_cannot_be_told(void **state)
{
    (void)state;
    ledger_store s;
    prepare();
    assert_int_equal(ledger_store_open(&s, file, LEDGER_CHECKED, &last),
                     SOTTO_OK);
    assert_int_equal(ledger_begin_write(&s, &last), SOTTO_OK);
    assert_int_equal(
        ledger_run_sql(&s, "INSERT INTO part VALUES(9, 1, 'x')", &last),
        SOTTO_OK);
    assert_int_equal(rename(file, copy), 0); /* the name is gone */
    faulty = (faulty_state){.way = FAULTY_ALWAYS, .at = 1};
    assert_int_equal(ledger_commit(&s, "abc", &last), SOTTO_FAILED);
    faulty = (faulty_state){0};
    says("did not say whether run abc was charged: it may have been");
    ledger_store_close(&s);
    char journal[100];
    snprintf(journal, sizeof journal, "%s-journal", file);
    unlink(journal);
}

/* The process ends at any step: the ledger is whole, and has all that was
   acknowledged. */
static void test_every_step_kills(void **state)
{
    (void)state;
    int ended = 0;
    prepare();
    for (int n = 1, met = 1; met; n++) {
        int status;
        char journal[100];
        snprintf(journal, sizeof journal, "%s-journal", file);
        unlink(journal);
        copy_file(file, copy);
        pid_t child = fork();
        if (child == 0) {
            faulty = (faulty_state){.way = FAULTY_EXIT, .at = n};
            _exit(charge(RUN_OF()) == SOTTO_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        met = WEXITSTATUS(status) == 9;
        ended += met;
        assert_int_equal(verify(NULL), SOTTO_OK);
        assert_int_equal(met ? entries_now() >= 3 : entries_now() == 4, 1);
        assert_true(met || WEXITSTATUS(status) == 0);
    }
    assert_true(ended > 8);
}

/* The same while the file is made: there is none, or a whole one. */
static void test_new_file_fails(void **state)
{
    (void)state;
    for (int way = FAULTY_ONCE; way <= FAULTY_LOST; way++)
        for (int n = 1, met = 1; met; n++) {
            faulty = (faulty_state){.way = (faulty_way)way, .at = n};
            sotto_status status = charge(RUN_OF(.path = "/data.csv"));
            met = faulty.steps >= n;
            faulty = (faulty_state){0};
            if (!access(file, F_OK))
                assert_int_equal(verify(NULL), SOTTO_OK);
            else
                assert_int_not_equal(status, SOTTO_OK);
            assert_int_equal(charge(RUN_OF(.path = "/data.csv")), SOTTO_OK);
            clear_folder(NULL);
            int left = rmdir(folder); /* nothing else was left behind */
            assert_int_equal(left || mkdir(folder, 0700), 0);
        }
}

/* Without a rename that replaces nothing: a link. */
static void test_old_system(void **state)
{
    (void)state;
    sotto_ledger *l;
    no_noreplace = 1;
    prepare();
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(sotto_ledger_backup(l, copy, &last), SOTTO_USAGE);
    unlink(copy);
    assert_int_equal(sotto_ledger_backup(l, copy, &last), SOTTO_OK);
    sotto_ledger_close(l);
}

static void test_disk_full(void **state)
{
    (void)state;
    prepare();
    faulty = (faulty_state){.way = FAULTY_ALWAYS, .at = 1, .code = SQLITE_FULL};
    assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
    says("the disk is full");
    faulty =
        (faulty_state){.way = FAULTY_ALWAYS, .at = 1, .code = SQLITE_READONLY};
    assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
    says("read-only");
    faulty = (faulty_state){0};
    assert_int_equal(entries_now(), 3);
    /* a real limit: the system's own words */
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {4096, 4096};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(charge(RUN_OF()) == SOTTO_FAILED &&
                      strstr(last.message, "cannot read or write: ")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(entries_now(), 3);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* ---- files that cannot be used ---- */

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_not_a_ledger(void **state)
{
    (void)state;
    write_text(file, "");
    assert_int_equal(charge(RUN_OF(.path = "/a")), SOTTO_USAGE);
    says("expected a ledger, found another kind of file");
    write_text(file, "a,b,c\n1,2,3\n and so on, for more than a hundred bytes, "
                     "so that SQLite has a header to look at: 0123456789012345"
                     "678901234567890123456789012345678901234567890123456789");
    assert_int_equal(charge(RUN_OF()), SOTTO_USAGE);
    says("not a ledger");
    unlink(file);
    sql("CREATE TABLE t(x)");
    assert_int_equal(charge(RUN_OF()), SOTTO_USAGE);
    says("expected a ledger, found another kind of file");
    unlink(file);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(charge(RUN_OF()), SOTTO_USAGE);
    says("not a file");
    rmdir(file);
    prepare();
    snprintf(file, sizeof file, "%s/ledger.db/x", folder);
    assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
    says("cannot open: Not a directory");
    *strrchr(file, '/') = 0;
    assert_int_equal(sql("PRAGMA user_version=2"), -1);
    assert_int_equal(charge(RUN_OF()), SOTTO_USAGE);
    says("made by a newer sotto (format 2; this one reads up to 1)");
    assert_int_equal(verify(NULL), SOTTO_USAGE);
}

/* Another kind of journal is changed back, unless somebody uses it. */
static void test_wal(void **state)
{
    (void)state;
    sqlite3 *db;
    prepare();
    patience = 50;
    assert_int_equal(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, "unix"),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode=WAL", 0, 0, 0),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT * FROM entry", 0, 0, 0),
                     SQLITE_OK);
    assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
    sqlite3_close(db);
    char beside[100];
    snprintf(beside, sizeof beside, "%s-wal", file);
    unlink(beside);
    snprintf(beside, sizeof beside, "%s-shm", file);
    unlink(beside);
}

/* As somebody who is not root: the system lets root write everywhere. */
static int as_nobody(sotto_status expected, const char *words)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(2);
        sotto_status got = charge(RUN_OF(.path = "/data.csv"));
        int right = got == expected && strstr(last.message, words) != NULL;
        if (!right)
            fprintf(stderr, "expected %s: %s\n", words, last.message);
        _exit(!right);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_no_permission(void **state)
{
    (void)state;
    prepare();
    chmod(folder, 0755);
    chmod(file, 0444);
    if (getuid() == 0)
        assert_int_equal(
            as_nobody(SOTTO_FAILED, "Permission denied; --ledger FILE"), 0);
    chmod(file, 0666);
    chmod(folder, 0555); /* no place for the journal */
    assert_int_equal(as_nobody(SOTTO_FAILED, "in a folder that it may write"),
                     0);
    chmod(file, 0);
    assert_int_equal(as_nobody(SOTTO_FAILED, "--ledger none"), 0);
    chmod(folder, 0755);
    unlink(file);
    chmod(folder, 0555); /* an unwritable home */
    assert_int_equal(as_nobody(SOTTO_FAILED, "--ledger none"), 0);
    chmod(folder, 0);
    assert_int_equal(as_nobody(SOTTO_FAILED, "Permission denied"), 0);
    chmod(folder, 0700);
    char kept[80];
    memcpy(kept, file, sizeof kept);
    snprintf(file, sizeof file, "%s/none/ledger.db", folder);
    assert_int_equal(charge(RUN_OF(.path = "/a")), SOTTO_FAILED);
    says("cannot make it: No such file or directory");
    memcpy(file, kept, sizeof kept);
}

/* The mode that its owner gave it stays: a team's ledger is for a group. */
static void test_mode_stays(void **state)
{
    (void)state;
    struct stat about;
    prepare();
    chmod(file, 0660);
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0660);
}

static void test_locked(void **state)
{
    (void)state;
    sqlite3 *db;
    prepare();
    patience = 50;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db,
                                      i ? "BEGIN IMMEDIATE" : "BEGIN EXCLUSIVE",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
        says("locked by another run");
        sqlite3_close(db);
    }
    /* somebody who reads holds up the commit: nothing is charged */
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "BEGIN; SELECT * FROM entry", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(charge(RUN_OF()), SOTTO_FAILED);
    says("locked by another run");
    sqlite3_close(db);
    assert_int_equal(entries_now(), 3);
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
}

/* ---- many at once ---- */

/* What was found before the lock is looked at again inside it. */
static void test_overtaken(void **state)
{
    (void)state;
    run sampled =
        RUN_OF(.path = "/data.csv", .plan = "5*SUBSAMPLED_GAUSS(0.1, 3)");
    run plain = RUN_OF();
    ledger_receipt r;
    overtakes = &sampled; /* it makes the data set, and has the first turn */
    assert_int_equal(book(&r, sampled), SOTTO_OK);
    assert_int_equal(r.position, 3);
    assert_true(r.delta0 > 0 && r.delta0 <= 1e-7 / 6);
    ledger_receipt_free(&r);
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(plain), SOTTO_OK);
    overtakes = &plain; /* and has the last of the cap */
    assert_int_equal(charge(plain), SOTTO_BUDGET);
    assert_int_equal(entries_now(), 3 + 8);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* Eight processes want the last of a cap: seven runs are let through, and
   seven are booked. */
static void test_race(void **state)
{
    (void)state;
    enum { WRITERS = 8 };
    pid_t child[WRITERS];
    int made = 0;
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    for (int i = 0; i < WRITERS; i++)
        if ((child[i] = fork()) == 0) {
            int mine = 0;
            sotto_status status;
            while ((status = charge(RUN_OF())) == SOTTO_OK)
                mine++;
            _exit(status == SOTTO_BUDGET ? mine : 100);
        }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 100);
        made += WEXITSTATUS(status);
    }
    assert_int_equal(made, 7);
    assert_int_equal(entries_now(), 8);
    assert_int_equal(sql("SELECT count(*) FROM line WHERE square > cap_square"),
                     0);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* Threads that make the file, the data set and the charges at once; each has
   its own turn of delta0, so prices are found again inside the lock. */
static void *one_thread(void *failed)
{
    for (int i = 0; i < 3; i++) {
        account_list events = {0};
        ledger_receipt receipt;
        sotto_error error;
        account_event laplace = {ACCOUNT_SUBSAMPLED, .1, 3, 5,
                                 ACCOUNT_ADD_REMOVE};
        if (account_add(&events, laplace, &error) != SOTTO_OK)
            *(int *)failed = 1;
        ledger_request request = {.file = file,
                                  .path = "/data.csv",
                                  .unit = {ACCOUNT_ADD_REMOVE, NULL, 1},
                                  .delta = 1e-6,
                                  .events = &events};
        if (ledger_book(&receipt, &request, &error) != SOTTO_OK)
            *(int *)failed = 1;
        ledger_receipt_free(&receipt);
        account_free(&events);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int failed[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&thread[i], NULL, one_thread, &failed[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(failed[i], 0);
    }
    assert_int_equal(sql("SELECT count(*) FROM dataset"), 1);
    assert_int_equal(entries_now(), 1 + 3 * THREADS);
    for (int i = 1; i <= 3 * THREADS; i++) {
        char query[80];
        snprintf(query, sizeof query,
                 "SELECT delta0 FROM entry WHERE position = %d", i + 1);
        double taken = (double)sql(query) * 0x1p-70;
        assert_true(taken > 0 && taken <= 1e-7 / (i * (i + 1.)));
    }
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* ---- damage ---- */

static char *everything(void)
{
    sotto_ledger *l;
    char *text = NULL;
    if (sotto_ledger_open(&l, file, &last) == SOTTO_OK &&
        sotto_ledger_export(&text, l, NULL, "json", &last) != SOTTO_OK)
        text = NULL;
    sotto_ledger_close(l);
    return text;
}

/* One bit of a byte of the file is turned over: verify says so, or nothing
   that the ledger tells has changed. Every page, every byte that is not zero,
   and some of those that are. */
static void test_flipped_bytes(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 18];
    int64_t tried = 0, found = 0;
    ledger_receipt r;
    assert_int_equal(
        create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"),
                        {"part-column", "region"}, {"parts", "north,south"})),
        SOTTO_OK);
    assert_int_equal(book(&r, RUN_OF(.who = "ada", .purpose = "p")), SOTTO_OK);
    assert_int_equal(ledger_finish(file, r.run, &last), SOTTO_OK);
    ledger_receipt_free(&r);
    assert_int_equal(charge(RUN_OF(.path = "/data.csv")), SOTTO_OK);
    char *before = everything();
    copy_file(copy, file);
    FILE *f = fopen(file, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(size >= 10 * 4096 && size < sizeof bytes);
    for (size_t i = 0; i < size; i++) {
        if (!bytes[i] && i % 31)
            continue;
        unsigned char other = (unsigned char)(bytes[i] ^ (1u << (i % 8)));
        int raw = open(file, O_WRONLY);
        assert_int_equal(pwrite(raw, &other, 1, (off_t)i), 1);
        close(raw);
        tried++;
        if (verify(NULL) != SOTTO_OK)
            found++;
        else {
            char *after = everything();
            if (!after || strcmp(after, before))
                fail_msg("byte %zu: %s", i, after ? after : last.message);
            sotto_text_free(after);
        }
        copy_file(file, copy);
    }
    sotto_text_free(before);
    printf("%lld bytes changed, %lld noticed\n", (long long)tried,
           (long long)found);
    assert_true(found > tried * 3 / 4);
}

#define UNTRIGGERED                                                            \
    "DROP TRIGGER dataset_update; DROP TRIGGER part_update; "                  \
    "DROP TRIGGER entry_update; DROP TRIGGER line_update; "                    \
    "DROP TRIGGER finished_update; DROP TRIGGER dataset_delete; "              \
    "DROP TRIGGER part_delete; DROP TRIGGER entry_delete; "                    \
    "DROP TRIGGER line_delete; DROP TRIGGER finished_delete; "                 \
    "DROP TRIGGER entry_insert; DROP TRIGGER line_insert; "

static void test_edited_rows(void **state)
{
    (void)state;
    static const struct {
        const char *edit, *said;
    } edits[] = {
        {"UPDATE entry SET square = 1 WHERE number = 3", "entry 3: "},
        {"UPDATE entry SET delta0 = 1 WHERE number = 2", "entry 2: "},
        {"UPDATE entry SET draws = 1 WHERE number = 2", "entry 2: "},
        {"UPDATE entry SET square = -1 WHERE number = 3", "negative"},
        {"UPDATE entry SET who = 'bob' WHERE number = 3",
         "entry 3: its hash does not fit"},
        {"UPDATE entry SET purpose = NULL WHERE number = 3",
         "entry 3: its hash does not fit"},
        {"UPDATE entry SET plan = 'GAUSS(0)' WHERE number = 2",
         "entry 2: its hash does not fit"},
        {"UPDATE entry SET run = 'x' WHERE number = 2", "entry 2: "},
        {"UPDATE entry SET head = lower(hex(zeroblob(32))) WHERE number = 3",
         "entry 3: its hash"},
        {"UPDATE entry SET time = '2020-01-01 00:00:00' WHERE number = 2",
         "entry 2: its time was changed"},
        {"UPDATE entry SET time = 'x' WHERE number = 2",
         "entry 2: it is damaged"},
        {"UPDATE entry SET kind = 'raised', run = NULL WHERE number = 2",
         "entry 2: "},
        {"UPDATE entry SET kind = 'x' WHERE number = 2", "entry 2: "},
        {"UPDATE entry SET kind = 'raised' WHERE number = 1",
         "entry 1: it cannot be of this kind here"},
        {"UPDATE entry SET charges = 7 WHERE number = 2",
         "entry 2: it is not in its order"},
        {"UPDATE entry SET position = 9 WHERE number = 3",
         "entry 3: it is missing"},
        {"UPDATE entry SET cap_epsilon = 9 WHERE number = 1", "entry 1: "},
        {"UPDATE line SET square = 1 WHERE entry = 3",
         "entry 3: its sums are not those of the entries up to it"},
        {"UPDATE line SET cap_square = cap_square + 1 WHERE entry = 2",
         "entry 2: its sums"},
        {"UPDATE dataset SET name = 'x'", "its data set was changed"},
        {"UPDATE dataset SET unit_rows = 2", "its data set was changed"},
        {"UPDATE dataset SET owner = 'x'", "its data set was changed"},
        {"UPDATE part SET label = 'x'", "entry 1: its hash"},
        {"DELETE FROM line WHERE entry = 2", "entry 2: parts of it are"},
        {"PRAGMA foreign_keys=0; DELETE FROM entry WHERE number = 2",
         "entry 2: it is missing"},
        {"PRAGMA foreign_keys=0; DELETE FROM line WHERE entry = 3; "
         "DELETE FROM entry WHERE number = 3",
         "entries at the end of a data set were deleted"},
        {"PRAGMA foreign_keys=0; DELETE FROM entry WHERE dataset = 1",
         "entry 1: it is missing"},
        {"PRAGMA foreign_keys=0; DELETE FROM dataset WHERE number = 1",
         "rows belong to nothing"},
        {"PRAGMA foreign_keys=0; DELETE FROM part WHERE dataset = 1",
         "data set number 1, or an entry of it, cannot be read"},
        {"PRAGMA foreign_keys=0; UPDATE line SET part = 2 WHERE entry = 3",
         "entry 3: it is charged to a part of another data set"},
        {"INSERT INTO finished VALUES(1, 'x')", "never booked"},
        {"SELECT 1", "somebody has changed or removed \"dataset_update\""},
        {"CREATE TABLE more(x)", "somebody has changed or removed"},
    };
    prepare();
    assert_int_equal(charge(RUN_OF(.path = "/data.csv")), SOTTO_OK);
    copy_file(copy, file);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char text[1000];
        copy_file(file, copy);
        snprintf(text, sizeof text, UNTRIGGERED "%s", edits[i].edit);
        sql(text);
        assert_int_equal(verify(NULL), SOTTO_PRIVACY);
        says(edits[i].said);
        assert_int_equal(charge(RUN_OF()), SOTTO_PRIVACY); /* fails closed */
    }
}

static int no_entry(void *context, const sotto_entry *e)
{
    (void)context;
    (void)e;
    return 0;
}

/* A row that cannot be an entry is refused by whoever reads it. */
static void test_damaged_entry(void **state)
{
    (void)state;
    static char bytes[1 << 18];
    ledger_receipt r, again;
    sotto_ledger *l;
    prepare();
    assert_int_equal(book(&r, RUN_OF()), SOTTO_OK);
    FILE *f = fopen(file, "r+b");
    size_t size = fread(bytes, 1, sizeof bytes, f), at = 0;
    for (size_t i = 0; i + 6 + 32 < size; i++) /* its kind, then its run */
        if (!memcmp(bytes + i, "charge", 6) &&
            !memcmp(bytes + i + 6, r.run, 32))
            at = i;
    assert_true(at > 0);
    assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
    fputs("CHARGE", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(find_run(&again, r.run), SOTTO_PRIVACY);
    ledger_receipt_free(&again);
    ledger_receipt_free(&r);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    assert_int_equal(
        sotto_ledger_entries(l, "patients", 0, 9, no_entry, NULL, &last),
        SOTTO_PRIVACY);
    says("the ledger is damaged: 'sotto ledger verify' says where");
    sotto_ledger_close(l);
    assert_int_equal(verify(NULL), SOTTO_PRIVACY);
    says("entry 4: it is damaged");
}

/* The sums of a forger: hashes that fit, and sums above the cap. */
static void test_above_the_cap(void **state)
{
    (void)state;
    ledger_store s;
    ledger_dataset d;
    prepare();
    assert_int_equal(ledger_store_open(&s, file, LEDGER_CHECKED, &last),
                     SOTTO_OK);
    assert_int_equal(ledger_begin_write(&s, &last), SOTTO_OK);
    assert_int_equal(ledger_dataset_named(&d, &s, "patients", &last), SOTTO_OK);
    assert_int_equal(ledger_choose(&d, NULL, 0, &last), SOTTO_OK);
    ledger_entry e = {.kind = LEDGER_CHARGE,
                      .run = "0123456789abcdef0123456789abcdef",
                      .amount = d.part->now.cap.most};
    assert_int_equal(ledger_append(&d, &s, &e, &last), SOTTO_OK);
    assert_int_equal(ledger_commit(&s, e.run, &last), SOTTO_OK);
    ledger_store_close(&s);
    ledger_dataset_free(&d);
    assert_int_equal(verify(NULL), SOTTO_PRIVACY);
    says("entry 4: its sums are above the cap");
}

static void test_only_grows(void **state)
{
    (void)state;
    const char *tries[] = {
        "UPDATE dataset SET name = 'x'",
        "UPDATE part SET label = 'x'",
        "UPDATE entry SET who = 'x'",
        "UPDATE line SET square = 0",
        "UPDATE finished SET run = 'x'",
        "DELETE FROM finished",
        "DELETE FROM line",
        "DELETE FROM entry",
        "DELETE FROM part",
        "DELETE FROM dataset",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE position = 2",
        ("INSERT OR REPLACE INTO entry SELECT number + 2, dataset, position + "
         "2, charges, kind, run, plan, who, purpose, 0, delta0, draws, "
         "cap_epsilon, delta, time, head, seal FROM entry WHERE position = 2"),
        ("INSERT OR REPLACE INTO line SELECT part, entry, 0, delta0, draws, "
         "cap_epsilon, delta, cap_square, cap_delta0, cap_draws FROM line"),
    };
    ledger_receipt r;
    prepare();
    assert_int_equal(book(&r, RUN_OF()), SOTTO_OK);
    assert_int_equal(ledger_finish(file, r.run, &last), SOTTO_OK);
    ledger_receipt_free(&r);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        assert_int_equal(sql(tries[i]), -SQLITE_CONSTRAINT);
    assert_int_equal(verify(NULL), SOTTO_OK);
}

/* ---- what a charge costs ---- */

static int64_t vm_steps;

static int count_steps(unsigned kind, void *context, void *statement, void *x)
{
    (void)kind;
    (void)context;
    (void)x;
    vm_steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    return 0;
}

static int watch_connection(sqlite3 *db, char **error, const void *api)
{
    (void)error;
    (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count_steps, NULL);
}

static void measure_charge(int64_t *steps, int64_t *pages, int64_t *syncs)
{
    faulty = (faulty_state){0};
    vm_steps = 0;
    assert_int_equal(charge(RUN_OF()), SOTTO_OK);
    *steps = vm_steps;
    *pages = faulty.reads + faulty.writes;
    *syncs = faulty.syncs;
}

/* A hundred thousand entries: a charge costs at most twice what the first one
   costs, in steps of SQLite, pages read and written, and syncs. */
static void test_cost(void **state)
{
    (void)state;
    int64_t steps[2], pages[2], syncs[2];
    sotto_ledger *l;
    assert_int_equal(sqlite3_auto_extension((void (*)(void))watch_connection),
                     SQLITE_OK);
    assert_int_equal(create(SETTINGS(NAMED("patients"), {"delta", "1e-6"})),
                     SOTTO_OK);
    measure_charge(&steps[0], &pages[0], &syncs[0]);
    sql("BEGIN; INSERT INTO entry SELECT value, 1, value, value - 1, 'charge', "
        "lower(hex(randomblob(16))), 'GAUSS(0.1)', 'ada', 'p', 1, 0, 0, NULL, "
        "NULL, '2026-11-17 09:30:12', lower(hex(randomblob(32))), "
        "lower(hex(randomblob(32))) FROM (WITH RECURSIVE n(value) AS (SELECT 3 "
        "UNION ALL SELECT value + 1 FROM n LIMIT 100000) SELECT value FROM n); "
        "INSERT INTO line SELECT 1, number, number, 0, 0, NULL, 1e-6, 0, 0, 0 "
        "FROM entry WHERE number > 2; COMMIT");
    assert_int_equal(entries_now(), 100002);
    measure_charge(&steps[1], &pages[1], &syncs[1]);
    sqlite3_cancel_auto_extension((void (*)(void))watch_connection);
    printf("steps %lld, %lld; pages %lld, %lld; syncs %lld, %lld\n",
           (long long)steps[0], (long long)steps[1], (long long)pages[0],
           (long long)pages[1], (long long)syncs[0], (long long)syncs[1]);
    assert_true(steps[0] > 100 && steps[1] <= 2 * steps[0]);
    assert_true(pages[0] > 10 && pages[1] <= 2 * pages[0]);
    assert_true(syncs[0] > 1 && syncs[1] <= 2 * syncs[0]);
    assert_int_equal(sotto_ledger_open(&l, file, &last), SOTTO_OK);
    sotto_ledger_close(l);
}

#define TEST(name) cmocka_unit_test_teardown(name, quiet)

/* Under a second name nobody would find what a killed run left half done. */
static void test_second_name(void **state)
{
    (void)state;
    char other[sizeof file + 8];
    assert_int_equal(create(SETTINGS(NAMED("patients"), CAP("3", "1e-6"))),
                     SOTTO_OK);
    assert_int_equal(charge(RUN_OF(0)), SOTTO_OK);
    snprintf(other, sizeof other, "%s-too", file);
    assert_int_equal(link(file, other), 0);
    assert_int_equal(charge(RUN_OF(0)), SOTTO_FAILED);
    says("more than one name");
    assert_int_equal(unlink(other), 0);
    assert_int_equal(charge(RUN_OF(0)), SOTTO_OK);
}

/* Whoever makes all hashes fit again still cannot make a cap larger than its
   epsilon. */
static void test_forged_cap(void **state)
{
    (void)state;
    ledger_cap cap;
    assert_int_equal(ledger_cap_of(&cap, 3, 1e-6, &last), SOTTO_OK);
    assert_true(ledger_cap_is_right(&cap));
    for (int i = 0; i < 3; i++) {
        ledger_cap forged = cap;
        *(i == 0   ? &forged.most.square
          : i == 1 ? &forged.most.delta0
                   : &forged.most.draws) += 1;
        assert_false(ledger_cap_is_right(&forged));
        ledger_part part = {.now.cap = forged, .chosen = 1};
        ledger_dataset d = {.name = "x", .part = &part, .parts = 1};
        ledger_amount little = {1, 0, 0};
        assert_int_equal(ledger_check_cap(&d, &little, 0, &last),
                         SOTTO_PRIVACY);
    }
    /* a large epsilon has room for fewer draws; too large ones are refused */
    assert_int_equal(ledger_cap_of(&cap, 15, 1e-6, &last), SOTTO_OK);
    assert_true(cap.most.draws >= 1 << 30 && cap.most.draws < 1ll << 40);
    assert_int_equal(ledger_cap_of(&cap, 25, 1e-6, &last), SOTTO_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_second_name),
        TEST(test_forged_cap),
        TEST(test_every_step_fails),
        TEST(test_lost_answer),
        TEST(test_cannot_be_told),
        TEST(test_every_step_kills),
        TEST(test_new_file_fails),
        TEST(test_old_system),
        TEST(test_disk_full),
        TEST(test_not_a_ledger),
        TEST(test_wal),
        TEST(test_no_permission),
        TEST(test_mode_stays),
        TEST(test_locked),
        TEST(test_overtaken),
        TEST(test_race),
        TEST(test_threads),
        TEST(test_flipped_bytes),
        TEST(test_edited_rows),
        TEST(test_damaged_entry),
        TEST(test_above_the_cap),
        TEST(test_only_grows),
        TEST(test_cost),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
