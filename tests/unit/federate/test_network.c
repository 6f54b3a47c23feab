/*
 * Coordinator and parties with what they store, without a network. Whoever is
 * killed between any two messages, the stored messages restore everybody's
 * state.
 */
#include "parties.h"

#include "federate/coordinator.h"
#include "model.h"

#include <sys/stat.h>

enum { ROWS = 30, K = 2 };

/* ---- what was synced ---- */

static ino_t synced[64];
static int syncs;

int __real_fsync(int file);
int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
    struct stat about;
    if (!fstat(file, &about))
        synced[syncs++ % 64] = about.st_ino;
    return __real_fsync(file);
}

/* In memory where possible, because every message is synced. */
static const char *scratch(void)
{
    return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

static int was_synced(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    for (int i = 0; i < syncs && i < 64; i++)
        if (synced[i] == about.st_ino)
            return 1;
    return 0;
}

/* As TWO_PARTIES, with what a network needs. */
static char *network_text(const char *more)
{
    text_buffer t = {0};
    const char *open = "{\"sotto_parties\": 1, ";
    text_put(&t, "{\"sotto_parties\": 1, \"rows\": 30, \"epsilon\": 3, "
                 "\"delta\": 1e-6, \"id\": \"who\", \"coordinator\": "
                 "{\"host\": \"h\"}, ");
    text_put(&t, more);
    text_put(&t, &TWO_PARTIES[strlen(open)]);
    assert_false(t.failed);
    return t.data;
}

static int64_t rounds = 12;

static federation network_agreed(const char *more)
{
    federation f;
    sotto_error error;
    char *text = network_text(more);
    must(federation_parse(&f, "p.json", text, strlen(text), &error), &error);
    f.rounds = rounds;
    must(federation_settle_agreed(&f, "p.json", 0, &error), &error);
    f.insecure = 1;
    f.noise_seed = 4;
    free(text);
    return f;
}

/* The usual rows with ids in front; `twice`: one is there again. */
static sotto_table *rows_with_ids(const federation *f, int k, int swapped,
                                  int twice)
{
    text_buffer t = {0};
    char *plain = rows_text(ROWS), *save = NULL;
    int64_t i = -1;
    for (char *line = strtok_r(plain, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save), i++) {
        int64_t id = swapped && i < 2 ? 1 - i : i;
        if (i < 0)
            text_format(&t, "who,%s\n", line);
        else
            text_format(&t, "id%lld,%s\n",
                        (long long)(twice && i == 9 ? 3 : id), line);
    }
    sotto_table *table =
        read_text("d.csv", t.data,
                  SETTINGS({"epsilon", "1"}, {"keep-ids", "yes"},
                           {"schema-text", f->party[k].schema_with_id}));
    free(plain);
    text_free(&t);
    return table;
}

/* ---- all roles, each with a folder ---- */

typedef struct town {
    federation f;
    char root[64], folder[K + 1][100];
    coordinator *coordinator;
    participant *participant[K];
    logbook log;
    hash secret;
} town;

static void open_hub(town *t)
{
    sotto_error error;
    must(
        coordinator_open(&t->coordinator, &t->f, t->folder[K], &t->log, &error),
        &error);
}

static sotto_status try_member(town *t, int k, sotto_table *table,
                               sotto_error *error)
{
    hash data = {{7}};
    sotto_status status =
        participant_open(&t->participant[k], &t->f, k, &table, &t->secret,
                         &data, t->folder[k], &t->log, error);
    assert_null(table);
    return status;
}

static void open_participant(town *t, int k)
{
    sotto_error error;
    must(try_member(t, k, rows_with_ids(&t->f, k, 0, 0), &error), &error);
}

static void open_town(town *t, const char *more)
{
    *t = (town){.f = network_agreed(more), .secret = {{3}}};
    snprintf(t->root, sizeof t->root, "%s/sotto-town-XXXXXX", scratch());
    assert_non_null(mkdtemp(t->root));
    for (int k = 0; k <= K; k++)
        snprintf(t->folder[k], sizeof t->folder[k], "%s/%d", t->root, k);
    open_hub(t);
    for (int k = 0; k < K; k++)
        open_participant(t, k);
}

static void close_town(town *t)
{
    char path[120];
    coordinator_close(t->coordinator);
    for (int k = 0; k <= K; k++) {
        if (k < K)
            participant_close(t->participant[k]);
        snprintf(path, sizeof path, "%s/messages", t->folder[k]);
        unlink(path);
        rmdir(t->folder[k]);
    }
    rmdir(t->root);
    federation_free(&t->f);
}

static void say(town *t, int k)
{
    sotto_error error;
    const text_buffer *said = participant_message(t->participant[k]);
    must(coordinator_take(t->coordinator, k, said->data, said->length, &error),
         &error);
}

/* Party k comes to the coordinator once; whether there was a question. */
static coordinator_reply visit(town *t, int k)
{
    sotto_error error;
    coordinator_reply word;
    text_buffer out = {0};
    say(t, k);
    must(coordinator_next(t->coordinator, k, &word, &out, &error), &error);
    if (word == COORDINATOR_ASK)
        must(participant_take(t->participant[k], out.data, out.length, &error),
             &error);
    text_free(&out);
    return word;
}

static int is_over(const town *t)
{
    return coordinator_waits_for(t->coordinator) < 0 &&
           coordinator_waits_to_compare(t->coordinator) < 0;
}

/* Runs until all have compared the model. `reborn`: everybody is restarted
   after each visit. */
static void run_town(town *t, int reborn, int absent)
{
    sotto_error error;
    for (int i = 0; !is_over(t); i++) {
        int k = i % K;
        assert_in_range(i, 0, 1000);
        if (k == absent && server_round(t->coordinator->server) > 3) {
            if (coordinator_waits_for(t->coordinator) == k)
                must(coordinator_skip(t->coordinator, &error), &error);
            continue;
        }
        visit(t, k);
        if (reborn) {
            coordinator_close(t->coordinator);
            open_hub(t);
            participant_close(t->participant[k]);
            open_participant(t, k);
        }
    }
}

static int64_t spent_messages(const town *t, int k)
{
    int64_t messages;
    (void)server_uplink(t->coordinator->server, k, &messages);
    return messages;
}

/* ---- tests ---- */

/* A participant has the model of this run. */
static void check_weights(const participant *p, const town *t)
{
    sotto_model *seen, *right;
    sotto_error error;
    must(participant_model(p, &seen, &error), &error);
    must(coordinator_model(t->coordinator, &right, &error), &error);
    assert_true(seen->features == right->features && right->features > 0);
    assert_memory_equal(seen->weight, right->weight,
                        (size_t)right->features * sizeof *right->weight);
    assert_true(seen->intercept == right->intercept);
    sotto_model_free(seen);
    sotto_model_free(right);
}

static void test_reborn(void **state)
{
    (void)state;
    town once, often;
    open_town(&once, "");
    run_town(&once, 0, -1);
    open_town(&often, "");
    run_town(&often, 1, -1);
    assert_true(hash_same(server_transcript(once.coordinator->server),
                          server_transcript(often.coordinator->server)));
    for (int k = 0; k < K; k++) {
        check_weights(often.participant[k], &once);
        assert_int_equal(spent_messages(&often, k), often.f.party[k].turns + 2);
        assert_int_equal(visit(&often, k), COORDINATOR_OVER);
    }
    assert_false(
        coordinator_is_private(often.coordinator)); /* the seed is known */
    close_town(&once);
    close_town(&often);
}

/* A party that is gone is skipped, also after a restart; the others go on. */
static void test_skipped(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    open_town(&t, "\"absent\": \"skip\", ");
    assert_int_equal(coordinator_skip(t.coordinator, &error), SOTTO_PEER);
    run_town(&t, 0, 1);
    assert_true(spent_messages(&t, 1) < t.f.party[1].turns + 1);
    assert_int_equal(spent_messages(&t, 0), t.f.party[0].turns + 2);
    hash before = *server_transcript(t.coordinator->server);
    coordinator_close(t.coordinator);
    open_hub(&t);
    assert_true(hash_same(&before, server_transcript(t.coordinator->server)));
    assert_int_equal(coordinator_waits_for(t.coordinator), -1);
    close_town(&t);
}

/* The party with the labels cannot be skipped before it has begun. */
static void test_no_labels(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    open_town(&t, "");
    for (int k = 0; k < K; k++)
        visit(&t, k); /* tags */
    for (int k = 0; k < K; k++)
        visit(&t, k); /* seen */
    visit(&t, 1);
    sotto_status status = SOTTO_OK;
    const text_buffer *said = participant_message(t.participant[0]);
    must(coordinator_take(t.coordinator, 0, said->data, said->length, &error),
         &error);
    assert_int_equal(coordinator_waits_for(t.coordinator), 0);
    status = coordinator_skip(t.coordinator, &error);
    assert_int_equal(status, SOTTO_PEER);
    assert_non_null(strstr(error.message, "labels"));
    close_town(&t);
}

/* Other rows: refused by both, and nobody has said more than its tag. */
static void test_rows(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    coordinator_reply word;
    open_town(&t, "");
    participant_close(t.participant[1]);
    t.participant[1] = NULL;
    char path[120];
    snprintf(path, sizeof path, "%s/messages", t.folder[1]);
    unlink(path);
    assert_int_equal(try_member(&t, 1, rows_with_ids(&t.f, 1, 0, 1), &error),
                     SOTTO_DATA);
    assert_non_null(strstr(error.message, "twice"));
    must(try_member(&t, 1, rows_with_ids(&t.f, 1, 1, 0), &error), &error);
    for (int k = 0; k < K; k++) {
        const text_buffer *said = participant_message(t.participant[k]);
        must(coordinator_take(t.coordinator, k, said->data, said->length,
                              &error),
             &error);
    }
    for (int k = 0; k < K; k++) {
        text_buffer out = {0};
        must(coordinator_next(t.coordinator, k, &word, &out, &error), &error);
        assert_int_equal(word, COORDINATOR_ASK);
        assert_int_equal(
            participant_take(t.participant[k], out.data, out.length, &error),
            SOTTO_PEER);
        assert_non_null(strstr(error.message, "same ids"));
        text_free(&out);
    }
    close_town(&t);
}

/* Party, rows, their number, secret, agreement, and whether noise is real: each
   of them makes another tag. */
static void test_tags_differ(void **state)
{
    (void)state;
    federation f = network_agreed("");
    hash secret = {{3}}, other = {{4}}, tag[4][2 * K];
    sotto_error error;
    sotto_table *rows = rows_with_ids(&f, 0, 0, 0),
                *swapped = rows_with_ids(&f, 0, 1, 0);
    must(align_tags(tag[0], &f, &secret, rows, &error), &error);
    must(align_tags(tag[1], &f, &other, rows, &error), &error);
    must(align_tags(tag[2], &f, &secret, swapped, &error), &error);
    f.session.byte[0] ^= 1;
    must(align_tags(tag[3], &f, &secret, rows, &error), &error);
    const hash *all = tag[0];
    for (int i = 0; i < 8 * K; i++)
        for (int j = 0; j < i; j++)
            assert_false(hash_same(&all[i], &all[j]));
    sotto_table_free(rows);
    sotto_table_free(swapped);
    federation_free(&f);
}

/* ---- what was said before ---- */

/* All bytes of a file; the caller frees them. */
static char *whole_file(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void copy_file(const char *from, const char *to)
{
    size_t size;
    char *bytes = whole_file(from, &size);
    FILE *file = fopen(to, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
}

/* An old copy of a party's folder is restored: the party would answer again,
   with new noise. A coordinator that has newer messages asks it nothing. */
static void test_put_back(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    char path[120], old[120];
    open_town(&t, "");
    snprintf(path, sizeof path, "%s/messages", t.folder[1]);
    snprintf(old, sizeof old, "%s/old", t.folder[1]);
    for (int i = 0; server_round(t.coordinator->server) < 4; i++)
        visit(&t, i % K);
    copy_file(path, old);
    for (int i = 0; server_round(t.coordinator->server) < 9; i++)
        visit(&t, i % K);
    participant_close(t.participant[1]);
    copy_file(old, path);
    unlink(old);
    open_participant(&t, 1);
    const text_buffer *said = participant_message(t.participant[1]);
    assert_int_equal(
        coordinator_take(t.coordinator, 1, said->data, said->length, &error),
        SOTTO_PEER);
    assert_non_null(strstr(error.message, "old copy"));
    close_town(&t);
}

/* ---- who comes back ---- */

/* Party 1 answers a question after its round was skipped. The coordinator
   knows what it showed, so that the party can go on. */
static void test_late(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    int passed = 0;
    open_town(&t, "\"absent\": \"skip\", ");
    for (int i = 0; !is_over(&t); i++) {
        int k = i % K, round = (int)server_round(t.coordinator->server);
        assert_in_range(i, 0, 1000);
        coordinator_reply word = visit(&t, k);
        if (k == 1 && word == COORDINATOR_ASK && round >= 1 && passed < 2 &&
            coordinator_waits_for(t.coordinator) == 1 &&
            server_asks(t.coordinator->server) == FEDERATION_VECTOR) {
            must(coordinator_skip(t.coordinator, &error), &error);
            assert_true(coordinator_is_silent(t.coordinator, 1));
            passed++;
            visit(&t, 1); /* its answer comes now */
            assert_false(coordinator_is_silent(t.coordinator, 1));
        }
    }
    assert_int_equal(passed, 2);
    assert_int_equal(spent_messages(&t, 1), t.f.party[1].turns + 2);
    hash before = *server_transcript(t.coordinator->server);
    coordinator_close(t.coordinator);
    open_hub(&t);
    assert_true(hash_same(&before, server_transcript(t.coordinator->server)));
    close_town(&t);
}

/* Passed over in the first round, it is not gone from the beginning. (T = 45:
   2 / 49 * 49 is not 2.) */
static void test_first_round(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    rounds = 45;
    open_town(&t, "\"absent\": \"skip\", ");
    rounds = 12;
    for (int i = 0; server_asks(t.coordinator->server) == FEDERATION_START; i++)
        visit(&t, i % K);
    int who = coordinator_waits_for(t.coordinator);
    must(coordinator_skip(t.coordinator, &error), &error);
    assert_true(coordinator_is_silent(t.coordinator, who));
    say(&t, who);
    assert_false(coordinator_is_silent(t.coordinator, who));
    close_town(&t);
}

/* ---- models ---- */

/* One party is given another model: all parties report it, and no run ends
   as complete. `forged`: the party that is told that all is well. */
static void test_two_models(void **state)
{
    (void)state;
    town t;
    sotto_error error;
    text_buffer out = {0}, word = {0};
    coordinator_reply what;
    open_town(&t, "\"absent\": \"skip\", ");
    for (int i = 0; server_asks(t.coordinator->server) != FEDERATION_MODEL;
         i++) {
        say(&t, i % K);
        if (server_asks(t.coordinator->server) != FEDERATION_MODEL)
            visit(&t, i % K);
    }
    for (int k = 0; k < K; k++) {
        text_free(&out);
        must(coordinator_next(t.coordinator, k, &what, &out, &error), &error);
        assert_int_equal(what, COORDINATOR_ASK);
        message m;
        must(message_read(&m, out.data, out.length, &error), &error);
        double weight[8];
        memcpy(weight, m.field[0].data,
               (size_t)m.field[0].count * sizeof *weight);
        weight[0] += k; /* party 1 has another one */
        m.field[0].data = weight;
        text_free(&word);
        message_write(&m, &word);
        message_free(&m);
        must(participant_take(t.participant[k], word.data, word.length, &error),
             &error);
        say(&t, k);
    }
    for (int k = 0; k < K; k++) {
        text_free(&out);
        must(coordinator_next(t.coordinator, k, &what, &out, &error), &error);
        assert_int_equal(
            participant_take(t.participant[k], out.data, out.length, &error),
            SOTTO_PEER);
        assert_non_null(strstr(error.message, "same model"));
        assert_false(participant_is_over(t.participant[k]));
    }
    text_free(&out);
    text_free(&word);
    close_town(&t);
}

/* ---- the file ---- */

typedef struct seen {
    int records;
    size_t bytes;
} seen;

static sotto_status count(void *context, const store_record *r,
                          sotto_error *error)
{
    seen *s = context;
    (void)error;
    assert_int_equal(r->who, s->records);
    s->records++;
    s->bytes += r->size;
    return SOTTO_OK;
}

/* Cut anywhere: whole records stay, and what follows can be written. A byte
   that is changed anywhere: refused. */
static void test_file(void **state)
{
    (void)state;
    char root[32], path[64];
    store *s;
    sotto_error error;
    seen all = {0};
    store_owner owner = {.role = 2, .session = {{1}}, .data = {{2}}};
    snprintf(root, sizeof root, "%s/sotto-store-XXXXXX", scratch());
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/messages", root);
    must(store_open(&s, root, &owner, count, &all, &error), &error);
    assert_int_equal(all.records, 0);
    assert_true(was_synced(path) && was_synced(root) && was_synced(scratch()));
    off_t end[5];
    struct stat about;
    for (int i = 0; i < 4; i++) {
        stat(path, &about);
        end[i] = about.st_size;
        must(store_add(s, STORE_ANSWER, i, "0123456789", (size_t)(3 * i),
                       &error),
             &error);
    }
    store *second;
    assert_int_equal(store_open(&second, root, &owner, count, &all, &error),
                     SOTTO_FAILED); /* somebody is there */
    store_close(s);
    size_t size;
    char *whole = whole_file(path, &size);
    end[4] = (off_t)size;
    for (size_t cut = (size_t)end[0]; cut <= size; cut++) {
        FILE *file = fopen(path, "wb");
        fwrite(whole, 1, cut, file);
        fclose(file);
        seen found = {0};
        int expected = 0;
        while (expected < 4 && end[expected + 1] <= (off_t)cut)
            expected++;
        must(store_open(&s, root, &owner, count, &found, &error), &error);
        assert_int_equal(found.records, expected);
        stat(path, &about);
        assert_int_equal(about.st_size, end[expected]);
        must(store_add(s, STORE_TAG, expected, "x", 1, &error), &error);
        store_close(s);
    }
    /* whoever wrote the last record may have died before it was synced */
    FILE *again = fopen(path, "wb");
    fwrite(whole, 1, size, again);
    fclose(again);
    syncs = 0;
    seen found = {0};
    must(store_open(&s, root, &owner, count, &found, &error), &error);
    assert_true(was_synced(path) && was_synced(root) && was_synced(scratch()));
    store_close(s);
    for (size_t at = 0; at < size; at++) {
        whole[at] ^= 16;
        FILE *file = fopen(path, "wb");
        fwrite(whole, 1, size, file);
        fclose(file);
        whole[at] ^= 16;
        found = (seen){0};
        assert_int_equal(store_open(&s, root, &owner, count, &found, &error),
                         SOTTO_BUDGET);
    }
    free(whole);
    unlink(path);
    rmdir(root);
}

/* Another agreement, role or data than those it was made with. */
static void test_owner(void **state)
{
    (void)state;
    char root[32], path[64];
    store *s;
    seen none = {0};
    sotto_error error;
    store_owner owner = {.role = 2};
    snprintf(root, sizeof root, "%s/sotto-store-XXXXXX", scratch());
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/messages", root);
    must(store_open(&s, root, &owner, count, &none, &error), &error);
    store_close(s);
    store_owner others[3] = {owner, owner, owner};
    others[0].role = 1;
    others[1].session.byte[31] = 1;
    others[2].data.byte[0] = 1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(store_open(&s, root, &others[i], count, &none, &error),
                         SOTTO_BUDGET);
    unlink(path);
    rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reborn),      cmocka_unit_test(test_skipped),
        cmocka_unit_test(test_no_labels),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_tags_differ), cmocka_unit_test(test_put_back),
        cmocka_unit_test(test_late),        cmocka_unit_test(test_first_round),
        cmocka_unit_test(test_two_models),  cmocka_unit_test(test_file),
        cmocka_unit_test(test_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
