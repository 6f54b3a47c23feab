/*
 * MODEL.spent is there whole or not at all: the run is stopped, and the disk
 * is full, at each of the calls that make the file.
 */
#include "account.h"
#include "json.h"
#include "spent.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- calls that fail, or after which the process is gone ---- */

static int calls, stop_after, fail_at, no_unnamed, no_noreplace;

/* Counts a call; 1 when it is to fail. */
static int call_fails(void)
{
    if (++calls != fail_at)
        return 0;
    errno = ENOSPC;
    return 1;
}

static int call_ends(int result)
{
    if (calls == stop_after)
        _exit(7);
    return result;
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return call_fails() ? -1 : call_ends(__real_open64(path, flags, mode));
}

ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    if (call_fails())
        return -1;
    ssize_t result = __real_write(file, bytes, size);
    call_ends(0);
    return result;
}

int __real_fflush(FILE *stream);
int __wrap_fflush(FILE *stream);
int __wrap_fflush(FILE *stream)
{
    return call_fails() ? -1 : call_ends(__real_fflush(stream));
}

int __real_fsync(int file);
int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    return call_fails() ? -1 : call_ends(__real_fsync(file));
}

int __real_linkat(int from, const char *old, int to, const char *path,
                  int flags);
int __wrap_linkat(int from, const char *old, int to, const char *path,
                  int flags);
int __wrap_linkat(int from, const char *old, int to, const char *path,
                  int flags)
{
    return call_fails() ? -1
                        : call_ends(__real_linkat(from, old, to, path, flags));
}

int __real_renameat2(int from, const char *old, int to, const char *path,
                     unsigned flags);
int __wrap_renameat2(int from, const char *old, int to, const char *path,
                     unsigned flags);
int __wrap_renameat2(int from, const char *old, int to, const char *path,
                     unsigned flags)
{
    if (no_noreplace) {
        errno = EINVAL;
        return -1;
    }
    return call_fails()
               ? -1
               : call_ends(__real_renameat2(from, old, to, path, flags));
}

/* ---- a folder ---- */

static char folder[] = "/tmp/sotto-spent-XXXXXX", model[60], spent[60];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(model, sizeof model, "%s/m.json", folder);
    snprintf(spent, sizeof spent, "%s/m.json.spent", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void forget(void)
{
    calls = stop_after = fail_at = no_unnamed = no_noreplace = 0;
}

static sotto_status write_it(const char *path)
{
    account_list events;
    sotto_error error;
    sotto_status status = account_parse(&events, "GAUSS(1)*3", "", NAN,
                                        ACCOUNT_ADD_REMOVE, &error);
    assert_int_equal(status, SOTTO_OK);
    calls = 0;
    json_t *statement = json_pack("{s:f, s:f}", "epsilon", 1., "delta", 1e-6);
    status = fit_write_spent(path, statement, &events, &error);
    json_decref(statement);
    account_free(&events);
    return status;
}

/* 1 when it is there, whole; 0 when it is not there. */
static int is_whole(void)
{
    char *text = NULL;
    sotto_error error;
    if (access(spent, F_OK))
        return 0;
    assert_int_equal(sotto_spent_text(&text, spent, 0, &error), SOTTO_OK);
    assert_non_null(strstr(text, "GAUSS"));
    sotto_text_free(text);
    return 1;
}

/* ---- tests ---- */

/* Each way that a file system may want it: files without a name, renames that
   replace nothing, second names. */
static void stopped_at_each_call(int named, int linked)
{
    int ended = 0;
    for (int n = 1; !ended; n++) {
        pid_t child = fork();
        if (child == 0) {
            no_unnamed = named;
            no_noreplace = linked;
            stop_after = n;
            _exit(write_it(model) == SOTTO_OK ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        ended = WEXITSTATUS(status) == 0;
        assert_true(ended || WEXITSTATUS(status) == 7);
        int whole = is_whole();
        unlink(spent);
        /* what had a temporary name */
        char command[120];
        snprintf(command, sizeof command, "rm -f %s/.sotto-*", folder);
        assert_int_equal(system(command), 0);
        assert_true(!ended || whole);
        assert_in_range(n, 1, 20);
    }
}

static void test_stopped(void **state)
{
    (void)state;
    stopped_at_each_call(0, 0);
    stopped_at_each_call(1, 0);
    stopped_at_each_call(1, 1);
}

static void full_at_each_call(int named)
{
    int refused = 0;
    for (int n = 1;; n++) {
        forget();
        no_unnamed = named;
        fail_at = n;
        sotto_status status = write_it(model);
        if (calls < n)
            break;
        refused += status == SOTTO_FAILED;
        assert_int_equal(is_whole(), status == SOTTO_OK);
        unlink(spent);
    }
    forget();
    assert_true(refused >= 3); /* opened, synced, named */
    assert_int_equal(unlink(spent), 0);
}

static void test_full(void **state)
{
    (void)state;
    full_at_each_call(0);
    full_at_each_call(1);
}

static void test_one_of_many(void **state)
{
    (void)state;
    enum { RUNS = 8 };
    pid_t child[RUNS];
    int won = 0, refused = 0, gate[2];
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < RUNS; i++)
        if ((child[i] = fork()) == 0) {
            char c;
            close(gate[1]);
            (void)!read(gate[0], &c, 1); /* until all are there */
            no_unnamed = i % 2;
            _exit((int)write_it(model));
        }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < RUNS; i++) {
        int status;
        waitpid(child[i], &status, 0);
        won += WIFEXITED(status) && WEXITSTATUS(status) == SOTTO_OK;
        refused += WIFEXITED(status) && WEXITSTATUS(status) == SOTTO_BUDGET;
    }
    assert_int_equal(won, 1);
    assert_int_equal(refused, RUNS - 1);
    assert_true(is_whole());
    unlink(spent);
}

/* It belongs to the file that is written. */
static void test_links(void **state)
{
    (void)state;
    char link[60], elsewhere[60], beside[70];
    sotto_error error;
    forget();
    snprintf(link, sizeof link, "%s/link.json", folder);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere/m.json", folder);
    snprintf(beside, sizeof beside, "%s.spent", elsewhere);
    assert_int_equal(sotto_text_write(elsewhere, "a model", &error), SOTTO_OK);
    assert_int_equal(symlink("elsewhere/m.json", link), 0);
    assert_int_equal(fit_check_spent(link, &error), SOTTO_OK);
    assert_int_equal(write_it(link), SOTTO_OK);
    assert_int_equal(access(beside, F_OK), 0);
    /* whoever goes by the file's own name is refused, too */
    assert_int_equal(fit_check_spent(elsewhere, &error), SOTTO_BUDGET);
    assert_int_equal(fit_check_spent(link, &error), SOTTO_BUDGET);
    assert_int_equal(write_it(elsewhere), SOTTO_BUDGET);
    assert_int_equal(fit_settle_spent(link, &error), SOTTO_OK);
    assert_int_not_equal(access(beside, F_OK), 0);
    unlink(link);
    /* a link to a device is no file */
    assert_int_equal(symlink("/dev/null", link), 0);
    assert_int_equal(fit_check_spent(link, &error), SOTTO_PRIVACY);
    unlink(link);
    /* a link that leads nowhere is replaced: it is the file */
    assert_int_equal(symlink("nowhere/m.json", link), 0);
    assert_int_equal(write_it(link), SOTTO_OK);
    snprintf(beside, sizeof beside, "%s.spent", link);
    assert_int_equal(unlink(beside), 0);
    /* a link in its own place stands in the way, wherever it leads */
    assert_int_equal(symlink("nowhere", beside), 0);
    assert_int_equal(fit_check_spent(link, &error), SOTTO_BUDGET);
    assert_int_equal(write_it(link), SOTTO_BUDGET);
    unlink(beside);
    unlink(link);
    unlink(elsewhere);
    *strrchr(elsewhere, '/') = 0;
    assert_int_equal(rmdir(elsewhere), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_one_of_many),
        cmocka_unit_test(test_links),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
