/*
 * Bookings: what a run may be asked is in a ledger before a record is read.
 * Agreement and options decide what is booked; no message and no record does.
 *
 * A party may be killed at any time and come back with its state folder, and
 * is booked once. So its run has an id that follows from the folder: from a
 * random number that is made with it and synced before the run is booked. If
 * the ledger has the id, the run is booked; if not, it is booked now.
 */
#include "internal.h"
#include "option.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)FEDERATION_RUN == (int)LEDGER_ID, "as the ledger has it");

int federation_books(const federation *f, const sotto_options *options)
{
    return isfinite(f->epsilon) && !f->insecure &&
           option_given(options, OPTION_LEDGER) &&
           strcmp(option_text(options, OPTION_LEDGER), "none") != 0;
}

/* ---- what is booked ---- */

/* A file that cannot be opened costs nothing. */
static sotto_status check_file(const char *path, sotto_error *error)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return error_set(error, SOTTO_FAILED, "%s: cannot read: %s",
                         show_name(path).text, strerror(errno));
    close(file);
    return SOTTO_OK;
}

/* All rows are read, also those of no part, which nobody would be charged
   for. */
static sotto_status check_parts(const ledger_request *request,
                                sotto_error *error)
{
    char *column = NULL, **value = NULL;
    int64_t values = 0;
    if (!request->dataset)
        return SOTTO_OK;
    sotto_status status = ledger_parts(request->file, request->dataset, &column,
                                       &value, &values, error);
    if (status == SOTTO_OK && column)
        status = error_set(error, SOTTO_USAGE,
                           "data set \"%s\" has parts, and a federation reads "
                           "all rows: expected one without parts",
                           show_name(request->dataset).text);
    mem_free(column);
    mem_free_texts(value, values);
    return status;
}

/* Each id is there once, and a row is a person: as the statement has it. */
static ledger_request request_of(const federation *f,
                                 const sotto_options *options)
{
    return (ledger_request){.file = option_text(options, OPTION_LEDGER),
                            .dataset = option_text(options, OPTION_DATASET),
                            .path = option_text(options, OPTION_DATASET_PATH),
                            .unit = {ACCOUNT_ZERO_OUT, NULL, 1},
                            .delta = f->delta,
                            .purpose = option_text(options, OPTION_PURPOSE),
                            .who = option_text(options, OPTION_WHO)};
}

sotto_status federation_book(ledger_receipt *out, const federation *f,
                             const ask_plan *plan, const char *run,
                             const char *data, const sotto_options *options,
                             sotto_error *error)
{
    account_list events = {0};
    ledger_request request = request_of(f, options);
    *out = (ledger_receipt){0};
    request.events = &events;
    request.run = run;
    sotto_status status = check_file(data, error);
    if (status == SOTTO_OK)
        status = check_parts(&request, error);
    if (status == SOTTO_OK)
        status = federation_events(&events, plan, error);
    if (status == SOTTO_OK)
        status = ledger_book(out, &request, error);
    account_free(&events);
    return status;
}

/* ---- a party's run ---- */

/* Makes the number, unless there is one. */
static sotto_status make_number(const char *path, sotto_error *error)
{
    unsigned char byte[sizeof(hash)];
    char digits[2 * sizeof byte + 1];
    text_buffer t = {0};
    int taken = 0;
    if (sodium_init() < 0)
        return error_set(error, SOTTO_FAILED, "no random numbers");
    randombytes_buf(byte, sizeof byte);
    sodium_bin2hex(digits, sizeof digits, byte, sizeof byte);
    text_put(&t, digits);
    text_put(&t, "\n");
    sotto_status status =
        t.failed ? error_memory(error) : file_create(path, &t, &taken, error);
    text_free(&t);
    return taken ? SOTTO_OK : status;
}

/* The hash of the folder's number, which is on the disk then. */
static sotto_status folder_number(hash *out, const char *folder,
                                  sotto_error *error)
{
    text_buffer path = {0};
    char *digits = NULL;
    size_t size = 0;
    text_put(&path, folder);
    text_put(&path, "/run");
    sotto_status status =
        path.failed ? error_memory(error) : make_number(path.data, error);
    if (status == SOTTO_OK)
        status = store_sync_folder(folder, error);
    if (status == SOTTO_OK)
        status = file_read(path.data, 1000, &digits, &size, error);
    if (status == SOTTO_OK && size != 2 * sizeof *out + 1)
        status = error_set(error, SOTTO_FAILED,
                           "%s: damaged; without it the run is booked again",
                           show_name(path.data).text);
    if (status == SOTTO_OK)
        *out = hash_of(digits, size);
    mem_free(digits);
    text_free(&path);
    return status;
}

/*
 * The folder's number, the agreement, the party and the data set make the id:
 * another of these is another run, and is booked as such.
 */
static sotto_status name_run(char run[FEDERATION_RUN], const federation *f,
                             int k, const sotto_options *options,
                             sotto_error *error)
{
    const char *name = option_text(options, OPTION_DATASET);
    const char *of = name ? name : option_text(options, OPTION_DATASET_PATH);
    int32_t who[2] = {k, name != NULL};
    char text[65];
    hash h;
    sotto_status status =
        folder_number(&h, option_text(options, OPTION_STATE), error);
    if (status != SOTTO_OK)
        return status;
    hash_add(&h, &f->session, sizeof f->session);
    hash_add(&h, who, sizeof who);
    hash_add(&h, of ? of : "", of ? strlen(of) : 0);
    hash_text(&h, text);
    snprintf(run, FEDERATION_RUN, "%.*s", FEDERATION_RUN - 1, text);
    return SOTTO_OK;
}

static int has_file(const char *folder, const char *name)
{
    text_buffer path = {0};
    text_format(&path, "%s/%s", folder, name);
    int there = path.failed || !access(path.data, F_OK);
    text_free(&path);
    return there;
}

/* Whoever has answered and has lost its messages would answer again, with
   fresh noise, on what was booked for the answers before. */
static sotto_status check_messages(const char *folder, sotto_error *error)
{
    if (!has_file(folder, "begun") || has_file(folder, "messages"))
        return SOTTO_OK;
    return error_set(error, SOTTO_BUDGET,
                     "%s: the messages of this run are gone, and what was "
                     "answered counts: expected a new folder, which is booked "
                     "anew",
                     show_name(folder).text);
}

sotto_status federation_book_begun(const char *run,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    const char *folder = option_text(options, OPTION_STATE);
    text_buffer path = {0}, text = {0};
    int taken = 0;
    if (!*run)
        return SOTTO_OK;
    text_format(&path, "%s/begun", folder);
    text_format(&text, "%s\n", run);
    sotto_status status = path.failed || text.failed
                              ? error_memory(error)
                              : file_create(path.data, &text, &taken, error);
    if (taken)
        status = SOTTO_OK;
    text_free(&path);
    text_free(&text);
    return status == SOTTO_OK ? store_sync_folder(folder, error) : status;
}

/* Only the party's own people see this: no message has any of it. */
static void tell(logbook *log, const ledger_receipt *r)
{
    const char *name = r->dataset ? r->dataset : "the file's path";
    if (r->has_cap)
        log_line(log,
                 "booked: %s, entry %lld of %s: epsilon %s of %s is spent, at "
                 "delta %s",
                 show_name(name).text, (long long)r->position,
                 show_name(r->file).text,
                 sotto_number_print_up(r->spent_epsilon, 3).text,
                 sotto_number_print(r->cap_epsilon, 6).text,
                 sotto_number_print_up(r->delta, 6).text);
    else
        log_line(log,
                 "booked: %s, entry %lld of %s: its runs are what a cap of "
                 "epsilon %s would have let through, at delta %s",
                 show_name(name).text, (long long)r->position,
                 show_name(r->file).text,
                 sotto_number_print_up(r->spent_epsilon, 3).text,
                 sotto_number_print_up(r->delta, 6).text);
}

sotto_status federation_book_party(char run[FEDERATION_RUN],
                                   const federation *f, int k,
                                   const sotto_options *options, logbook *log,
                                   sotto_error *error)
{
    ledger_receipt receipt = {0};
    ask_plan plan = federation_plan(f, k);
    int asked = plan.item[0].count || plan.item[1].count || plan.item[2].count;
    *run = 0;
    if (!asked || !federation_books(f, options))
        return SOTTO_OK;
    sotto_status status =
        check_messages(option_text(options, OPTION_STATE), error);
    if (status == SOTTO_OK)
        status = name_run(run, f, k, options, error);
    if (status == SOTTO_OK)
        status =
            federation_book(&receipt, f, &plan, run,
                            option_text(options, OPTION_DATA), options, error);
    if (status == SOTTO_OK)
        tell(log, &receipt);
    ledger_receipt_free(&receipt);
    return status;
}

void federation_book_end(const char *run, const sotto_options *options,
                         logbook *log)
{
    sotto_error error;
    if (*run && ledger_finish(option_text(options, OPTION_LEDGER), run,
                              &error) != SOTTO_OK)
        log_line(log, "the run is not marked as finished: %s", error.message);
}
