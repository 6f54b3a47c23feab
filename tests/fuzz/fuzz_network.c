/*
 * libFuzzer: what comes from the network, to a coordinator and to a party. The
 * message's head, session and sum are put right for half of the inputs, or
 * hardly one would get past them; and they have spoken for a while, so that
 * every kind of message is heard in its turn and out of it. And a file of
 * messages that is damaged.
 */
#include "data.h"
#include "federate/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char agreement[] =
    "{\"sotto_parties\": 1, \"target\": {\"name\": \"t\", \"bounds\": [-1, 1], "
    "\"party\": \"a\"}, \"rounds\": 4, \"buckets\": 4, \"rows\": 2, "
    "\"epsilon\": \"inf\", \"id\": \"i\", \"coordinator\": {\"host\": \"h\"}, "
    "\"parties\": [{\"name\": \"a\", \"radius\": 1, \"cap\": 1, \"columns\": "
    "{\"x\": {\"type\": \"number\", \"bounds\": [-1, 1]}}}]}";
static const char rows[] = "i,x,t\np,1,1\nq,0,-1\n";

static federation f;
static char folder[2][64];

static void must(int fine)
{
    if (!fine)
        abort();
}

static void begin(void)
{
    sotto_error error;
    if (f.parties)
        return;
    must(federation_parse(&f, "p", agreement, strlen(agreement), &error) ==
         SOTTO_OK);
    must(federation_settle_agreed(&f, "p", 0, &error) == SOTTO_OK);
    /* in memory: every message is synced */
    for (int i = 0; i < 2; i++)
        snprintf(folder[i], sizeof folder[i], "%s/sotto-fuzz-%d-%d",
                 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (int)getpid(),
                 i);
}

static void forget(void)
{
    char path[100];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/messages", folder[i]);
        unlink(path);
        rmdir(folder[i]);
    }
}

static sotto_table *read_rows(void)
{
    sotto_options *o;
    sotto_error error;
    sotto_table *t = NULL;
    must(sotto_options_new(&o, &error) == SOTTO_OK);
    must(!sotto_options_set(o, "schema-text", f.party[0].schema_with_id,
                            &error) &&
         !sotto_options_set(o, "keep-ids", "yes", &error) &&
         !sotto_options_set(o, "epsilon", "inf", &error));
    must(table_read_memory(&t, "d.csv", rows, strlen(rows), o, &error) ==
         SOTTO_OK);
    sotto_options_free(o);
    return t;
}

/* Head and sum as they should be, around what the fuzzer says. */
static void wrap(text_buffer *t, const uint8_t *bytes, size_t size, int to)
{
    static const char head[] = "sottomsg\1\0\0";
    text_add(t, head, 12);
    uint32_t word[5] = {bytes[0] % 14u, to ? 0u : 1u, to ? 1u : 0u, bytes[1],
                        0};
    text_add(t, (const char *)word, sizeof word);
    text_add(t, (const char *)f.session.byte, sizeof f.session.byte);
    text_add(t, (const char *)bytes + 2, size - 2);
    hash sum = hash_of(t->data, t->length);
    text_add(t, (const char *)sum.byte, sizeof sum.byte);
}

static coordinator *new_hub(void)
{
    coordinator *h;
    sotto_error error;
    static logbook log;
    must(coordinator_open(&h, &f, folder[1], &log, &error) == SOTTO_OK);
    return h;
}

static participant *new_member(void)
{
    participant *m;
    sotto_error error;
    static logbook log;
    hash secret = {{1}}, data = {{2}};
    sotto_table *t = read_rows();
    must(participant_open(&m, &f, 0, &t, &secret, &data, folder[0], &log,
                          &error) == SOTTO_OK);
    return m;
}

/* They speak to one another for a while: rows, the start, rounds, the model. */
static void converse(coordinator *h, participant *m, int visits)
{
    sotto_error error;
    coordinator_reply word = COORDINATOR_ASK;
    for (int i = 0; i < visits && word == COORDINATOR_ASK; i++) {
        text_buffer out = {0};
        const text_buffer *said = participant_message(m);
        must(coordinator_take(h, 0, said->data, said->length, &error) ==
             SOTTO_OK);
        must(coordinator_next(h, 0, &word, &out, &error) == SOTTO_OK);
        if (word == COORDINATOR_ASK && (visits & 1 || i < visits - 1))
            must(participant_take(m, out.data, out.length, &error) == SOTTO_OK);
        text_free(&out);
    }
}

/* Says it to a coordinator and to a party that have heard one another; then
   both are what they were when they come back. */
static void say(const uint8_t *bytes, size_t size, int right, int visits)
{
    coordinator *h = new_hub();
    participant *m = new_member();
    sotto_error error = {SOTTO_OK, ""};
    text_buffer up = {0}, down = {0};
    converse(h, m, visits);
    if (right && size > 2) {
        wrap(&down, bytes, size, 1);
        (void)!participant_take(m, down.data, down.length, &error);
        wrap(&up, bytes, size, 0);
        (void)!coordinator_take(h, 0, up.data, up.length, &error);
    } else {
        (void)!participant_take(m, bytes, size, &error);
        (void)!coordinator_take(h, 0, bytes, size, &error);
    }
    coordinator_close(h);
    participant_close(m);
    coordinator_close(new_hub());
    participant_close(new_member());
    text_free(&up);
    text_free(&down);
    forget();
}

static sotto_status ignore(void *context, const store_record *r,
                           sotto_error *error)
{
    const void *a, *b;
    size_t x, y;
    (void)context, (void)error;
    if (store_pair(r->bytes, r->size, &a, &x, &b, &y))
        must(x + y + 8 == r->size);
    return SOTTO_OK;
}

/* A file of messages with some bytes in it replaced. */
static void damage(const uint8_t *bytes, size_t size)
{
    store *s;
    char path[100];
    sotto_error error;
    store_owner owner = {.role = 1};
    must(store_open(&s, folder[0], &owner, ignore, NULL, &error) == SOTTO_OK);
    must(store_add(s, STORE_TAG, 0, "tag", 3, &error) == SOTTO_OK);
    must(store_add_pair(s, STORE_ANSWER, 0, "ask", 3, "say", 3, &error) ==
         SOTTO_OK);
    store_close(s);
    snprintf(path, sizeof path, "%s/messages", folder[0]);
    FILE *file = fopen(path, "r+b");
    must(file && size > 1);
    fseek(file, bytes[0], SEEK_SET);
    fwrite(bytes + 1, 1, size - 1, file);
    fclose(file);
    if (store_open(&s, folder[0], &owner, ignore, NULL, &error) == SOTTO_OK)
        store_close(s);
    else
        must(error.message[0] != 0);
    forget();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    begin();
    if (size < 3)
        return 0;
    if (bytes[0] % 4 == 0)
        damage(bytes + 1, size - 1);
    else
        say(bytes + 1, size - 1, bytes[0] & 1, bytes[0] >> 3);
    return 0;
}
