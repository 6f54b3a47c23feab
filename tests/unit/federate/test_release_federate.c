/*
 * The release test for parties: at link time (--wrap) the gate's answers are
 * replaced by numbers that depend only on the question's place. Every byte that
 * parties send must then be the same for any records.
 */
#include "parties.h"

#include "wrapped.h"

static struct {
    uint64_t questions;
    uint64_t sums; /* a mark of all exact sums and scores */
} seen;

static void note(const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        seen.sums = mixed(seen.sums + (uint64_t)values[i] + 1);
}

sotto_status __wrap_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error)
{
    sotto_status status = __real_gate_release(c, q, out, noise, error);
    seen.questions++;
    q->sum(c, q->what, out);
    note(out, q->answers);
    for (size_t i = 0; i < q->answers; i++)
        out[i] =
            (int64_t)(mixed(seen.questions * 1000 + i) % 2000000) - 1000000;
    return status;
}

sotto_status __wrap_gate_choose(curator *c, const gate_contest *q,
                                int64_t *winner, sotto_error *error)
{
    sotto_status status = __real_gate_choose(c, q, winner, error);
    seen.questions++;
    note(q->scores(c, q->what), q->count);
    *winner = (int64_t)(mixed(seen.questions) % q->count);
    return status;
}

/* All messages, and whether the records were read. */
static hash said_about(const federation *f, const char *csv, uint64_t *sums)
{
    party *p[2] = {joined(f, 0, csv), joined(f, 1, csv)};
    seen.questions = seen.sums = 0;
    server *s = run_all(f, p);
    hash all = *server_transcript(s);
    for (int k = 0; k < 2; k++)
        hash_add(&all, party_transcript(p[k])->byte, sizeof(hash));
    *sums = seen.sums;
    server_close(s);
    party_close(p[0]);
    party_close(p[1]);
    return all;
}

/* The same text with other rows, from row `from` on. */
static char *changed(const char *csv, int from, const char *row)
{
    text_buffer t = {0};
    const char *at = csv;
    for (int line = 0; *at; line++) {
        size_t length = (size_t)(strchr(at, '\n') + 1 - at);
        if (line > from)
            text_put(&t, row);
        else
            text_add(&t, at, length);
        at += length;
    }
    assert_false(t.failed);
    return t.data;
}

static void check(const char *text)
{
    static const char *const rows[] = {"0,0,0,0\n", "1,2,1,-1\n",
                                       "1e30,-1e30,1e30,1e30\n", "1,1,-1,1\n"};
    federation f = agreed(text, 40, 1, 1);
    char *csv = rows_text(40);
    uint64_t sums, others;
    hash first = said_about(&f, csv, &sums);
    for (int i = 0; i < 4; i++)
        for (int from = 0; from < 40; from += 13) {
            char *other = changed(csv, from, rows[i]);
            hash now = said_about(&f, other, &others);
            assert_true(others != sums);
            assert_true(hash_same(&first, &now));
            free(other);
        }
    federation_free(&f);
    free(csv);
}

static void test_private_labels(void **state)
{
    (void)state;
    check(TWO_PARTIES);
}

static void test_known_labels(void **state)
{
    (void)state;
    text_buffer t = {0};
    const char *owner = ", \"party\": \"north\"}", *at;
    at = strstr(TWO_PARTIES, owner);
    assert_non_null(at);
    text_add(&t, TWO_PARTIES, (size_t)(at - TWO_PARTIES));
    text_put(&t, "}, \"labels\": \"known\"");
    text_put(&t, at + strlen(owner));
    check(t.data);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private_labels),
        cmocka_unit_test(test_known_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
