/*
 * What `sotto audit --deep` does, for a federation: the answers of one run are
 * played back to two neighbours, who differ in all that one row has at every
 * party. Then every message must be the same, and no sum may move further than
 * its noise was made for.
 *
 * Agreements, records and the row are drawn anew for each neighbour. With
 * SOTTO_NEIGHBOURS=N there are N of them.
 */
#include "parties.h"

#include "federate/party.h"

#include <math.h>

/* To agree, noise must be calibrated, which takes longer than all else. */
enum {
    SIDES = 2,
    PARTIES = 2,
    MOST_ROWS = 40,
    OF_AN_AGREEMENT = 20,
    USUAL_NEIGHBOURS = 200
};

typedef struct pair {
    char *csv[SIDES];
} pair;

/* ---- neighbours ---- */

static uint64_t random_word(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static double random_unit(uint64_t *seed)
{
    return (double)random_word(seed) * 0x1p-31;
}

/* Four columns, a constant and a target. */
static char *agreement(uint64_t *seed)
{
    text_buffer t = {0};
    int known = random_word(seed) % 2 == 0;
    text_format(
        &t,
        "{\"sotto_parties\": 1, \"target\": {\"name\": \"t\", \"bounds\": [-1, "
        "1]%s}, \"labels\": \"%s\", \"rounds\": %d, \"buckets\": %d, \"seed\": "
        "%d, \"schedule\": \"%s\", \"parties\": [{\"name\": \"north\", "
        "\"radius\": 1, \"cap\": %d, \"columns\": {\"a\": {\"type\": "
        "\"number\", \"bounds\": [-1, 1]}, \"b\": {\"type\": \"number\", "
        "\"bounds\": [-3, 3]}}}, {\"name\": \"south\", \"radius\": 0.5, "
        "\"cap\": %d, \"constant\": 0.5, \"columns\": {\"c\": {\"type\": "
        "\"number\", \"bounds\": [-2, 2]}, \"d\": {\"type\": \"number\", "
        "\"bounds\": [-1, 1]}}}]}",
        known ? "" : ", \"party\": \"north\"", known ? "known" : "private",
        (int)(random_word(seed) % 12) + 4, (int)(random_word(seed) % 16) + 1,
        (int)(random_word(seed) % 1000),
        random_word(seed) % 2 ? "permuted" : "uniform",
        (int)(random_word(seed) % 2) + 1, (int)(random_word(seed) % 3) + 1);
    assert_false(t.failed);
    return t.data;
}

/* Within the bound, at one of its ends, or far beyond them. */
static double drawn(uint64_t *seed, double bound)
{
    uint64_t kind = random_word(seed) % 5;
    double sign = random_word(seed) % 2 ? -1 : 1;
    double inside = bound * (2 * random_unit(seed) - 1);
    return kind == 0 ? sign * bound : kind == 1 ? sign * 1e30 : inside;
}

/* Noise is fresh: it is not what is heard. */
static federation drawn_federation(uint64_t *seed)
{
    federation f;
    sotto_error error;
    char *text = agreement(seed);
    must(federation_parse(&f, "parties.json", text, strlen(text), &error),
         &error);
    f.rows = (int64_t)(random_word(seed) % (MOST_ROWS - 2)) + 2;
    f.epsilon = .5 + 3 * random_unit(seed);
    f.delta = 1e-6;
    must(federation_settle(&f, &error), &error);
    free(text);
    return f;
}

/* In the first the row is blank: 0 everywhere. */
static pair drawn_pair(const federation *f, uint64_t *seed)
{
    text_buffer t[SIDES] = {{0}, {0}};
    int64_t row = (int64_t)(random_word(seed) % (uint64_t)f->rows);
    for (int side = 0; side < SIDES; side++)
        text_put(&t[side], "a,b,c,d,t\n");
    for (int64_t i = 0; i < f->rows; i++) {
        double x[] = {drawn(seed, 1), drawn(seed, 3), drawn(seed, 2),
                      drawn(seed, 1), drawn(seed, 1)};
        for (int side = 0; side < SIDES; side++)
            for (int j = 0; j < 5; j++)
                text_format(&t[side], "%.17g%c",
                            i == row && side == 0 ? 0 : x[j],
                            j < 4 ? ',' : '\n');
    }
    assert_false(t[0].failed || t[1].failed);
    return (pair){{t[0].data, t[1].data}};
}

static void free_pair(pair *p)
{
    free(p->csv[0]);
    free(p->csv[1]);
}

/* ---- runs that hear one tape for each party ---- */

static party *taped(const federation *f, int k, const char *csv,
                    curator_tape *tape)
{
    party *p;
    sotto_error error;
    sotto_table *t = read_text(
        "d.csv", csv,
        SETTINGS({"epsilon", "1"}, {"schema-text", f->party[k].schema}));
    t->invented = 1;
    must(party_open(&p, f, k, &t, &error), &error);
    must(curator_attach_tape(p->curator, tape, &error), &error);
    return p;
}

/* All that was said: to whom, by whom, and which weights came of it. */
static hash said(const federation *f, const char *csv, curator_tape **tape)
{
    int64_t count;
    party *p[PARTIES];
    for (int k = 0; k < PARTIES; k++)
        p[k] = taped(f, k, csv, tape[k]);
    server *s = run_all(f, p);
    hash all = *server_transcript(s);
    double *weight = server_all_weights(s, &count);
    hash_add(&all, weight, (size_t)count * sizeof *weight);
    for (int k = 0; k < PARTIES; k++) {
        hash_add(&all, party_transcript(p[k])->byte, sizeof(hash));
        party_close(p[k]);
    }
    free(weight);
    server_close(s);
    return all;
}

/* The furthest that a sum moved, over how far it may. */
static double replayed(const federation *f, const pair *p, int side,
                       int64_t *questions)
{
    double moved = 0;
    sotto_error error;
    curator_tape *tape[PARTIES];
    for (int k = 0; k < PARTIES; k++)
        must(curator_tape_new(&tape[k], f->rows, &error), &error);
    hash first = said(f, p->csv[side], tape);
    for (int i = 0; i < SIDES; i++) {
        for (int k = 0; k < PARTIES; k++)
            curator_tape_turn(tape[k]);
        hash again = said(f, p->csv[i], tape);
        assert_true(hash_same(&first, &again));
    }
    for (int k = 0; k < PARTIES; k++) {
        const curator_heard *heard = curator_tape_heard(tape[k]);
        assert_true(curator_tape_is_over(tape[k]));
        assert_false(heard->apart);
        if (!(heard->moved <= 1))
            fail_msg("%s moved %.17g times as far as it may", heard->question,
                     heard->moved);
        moved = fmax(moved, heard->moved);
        *questions += heard->questions;
        curator_tape_free(tape[k]);
    }
    return moved;
}

static void test_neighbours(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double most = 0;
    int64_t questions = 0;
    const char *asked = getenv("SOTTO_NEIGHBOURS");
    int count = asked ? atoi(asked) : USUAL_NEIGHBOURS;
    for (int i = 0; i < count;) {
        federation f = drawn_federation(&seed);
        for (int k = 0; k < OF_AN_AGREEMENT && i < count; k++, i++) {
            pair p = drawn_pair(&f, &seed);
            most = fmax(most, replayed(&f, &p, i % 2, &questions));
            free_pair(&p);
        }
        federation_free(&f);
    }
    print_message("%d neighbours, %lld questions: sums moved up to %.6f of "
                  "what they may\n",
                  count, (long long)questions, most);
    assert_true(most > .99); /* the neighbours are as far apart as they can */
}

/* Records of people have no tape. */
static void test_records_have_no_tape(void **state)
{
    (void)state;
    uint64_t seed = 2;
    sotto_error error;
    curator_tape *tape;
    federation f = drawn_federation(&seed);
    pair p = drawn_pair(&f, &seed);
    party *one = joined(&f, 0, p.csv[1]);
    must(curator_tape_new(&tape, f.rows, &error), &error);
    assert_int_equal(curator_attach_tape(one->curator, tape, &error),
                     SOTTO_PRIVACY);
    curator_tape_free(tape);
    party_close(one);
    free_pair(&p);
    federation_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_records_have_no_tape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
