/*
 * The tables of questions and of mechanisms against what docs/privacy
 * proves of each: how far one person moves the answer, how much noise is
 * drawn, which noise may protect it, and what that costs. The numbers are
 * written out here a second time, from the lemmas.
 */
#include "plans.h"
#include "reading.h"

#include "curator/internal.h"

#include <math.h>

/* What the lemmas know of a question: B is KERNEL_CLIP, K the rows of one
   person, p the features, b the item's block. */
typedef struct facts {
    int64_t k, p, b;
} facts;

/* ---- sensitivity ---- */

/* Lengths in units of K B, of records that come or go, and that change. */
typedef struct length {
    long double gone, replaced;
} length;

static length plainly(long double parts, long double times)
{
    return (length){sqrtl(parts), sqrtl(parts) * times};
}

/* The table of docs/privacy, "Questions of newton", and Lemmas K2, K3, C3
   to C5, C8, C11, C18, C19, C24 to C26, C28 and C31. */
static length newton_table(ask_kind kind, const facts *f)
{
    const long double angle = sqrtl(2);
    long double p = (long double)f->p, some = f->b ? (long double)f->b : p;
    length table[ASK_KINDS] = {
        [ASK_TOTAL] = plainly(1, 1),
        [ASK_MOMENTS] = plainly(p, 1),
        [ASK_PARTIAL] = plainly(1, 2),
        [ASK_GRADIENT] = plainly(1, 2),
        [ASK_CHOICE] = plainly(1, 2),
        [ASK_BATCH] = plainly(1, 2),
        [ASK_DIFFERENCE] = plainly(1, 2),
        [ASK_DUAL] = plainly(1, 2),
        [ASK_ROW_COUNTS] = plainly(1, angle),
        [ASK_TARGET_COUNTS] = plainly(1, angle),
        [ASK_COLUMN_COUNTS] = plainly(some, angle),
        [ASK_ROW_QUANTILE] = plainly(1, 1),
        [ASK_TARGET_QUANTILE] = plainly(1, 1),
        [ASK_TARGET_MEAN] = plainly(1, 2),
        [ASK_COLUMN_MEANS] = plainly(some, 2),
        [ASK_COLUMN_SQUARES] = plainly(some, 1),
        [ASK_MATRIX] = plainly(1, angle * (1 + (some + 3) / KERNEL_CLIP)),
        [ASK_CURVATURE] = plainly(1, angle * (1 + (some + 3) / KERNEL_CLIP)),
        [ASK_LENGTH_COUNTS] = plainly(1, angle),
        [ASK_CROSS] = plainly(1, angle * (1 + (some + 4) / KERNEL_CLIP)),
        [ASK_WHITENED] = plainly(1, 2),
        [ASK_LENGTHS] = plainly(2, 1),
        [ASK_CHANGE] = plainly(1, 2),
        [ASK_LATER] = plainly(1, 2),
        [ASK_VERTEX] = plainly(1, 2),
        [ASK_CLASS_COUNTS] = plainly(1, angle),
        [ASK_CLASS_GRADIENT] = plainly(1, 2),
        [ASK_CLASS_BEND] = plainly(2, 1),
        [ASK_CLASS_CHOICE] = plainly(1, 2),
        [ASK_CLASS_PARTIAL] = plainly(1, 2),
        [ASK_OUTCOMES] = plainly(1, angle),
        [ASK_ERRORS] = plainly(some, 2)};
    return table[kind];
}

/* In integers: no fewer than these. */
static long double proven(ask_kind kind, account_adjacency adjacency,
                          int sampled, const facts *f)
{
    int replace = adjacency == ACCOUNT_REPLACE_ONE;
    long double clip = KERNEL_CLIP, unit = ASK_UNIT, k = (long double)f->k;
    long double p = (long double)f->p, b = (long double)f->b;
    switch (kind) {
    case ASK_SEQUENCE: /* Lemma C6: 2 L vectors, one less where a row is gone */
        return clip * (replace ? 2 * b : 2 * b - 1);
    case ASK_PRIMAL: /* Lemma C7 */
        return 2 * clip * sqrtl(b);
    case ASK_LABELS: /* Lemma P1 */
    case ASK_SKETCH:
        return unit * k * (replace ? 2 : 1);
    case ASK_ALONG: /* Lemma P2 */
        return unit * unit * k * (replace ? 2 : 1);
    case ASK_MINIMISER: /* Lemma C20: 2^-12 of B, and rounding, on both sides */
        return k * clip * (replace ? 2 : 1) + 2 * (clip * 0x1p-12L + sqrtl(p));
    case ASK_PERTURBED: /* Lemma C22: the last noise has an eighth of mu */
        return 8 * 2 * (clip * 0x1p-16L + 2 * sqrtl(p));
    case ASK_LEVELS: /* Lemma C27: rows are counted, in three columns */
        return 1024 * k * sqrtl(replace ? 6 : 3);
    default: {
        length l = newton_table(kind, f);
        assert_true(l.gone > 0 || f->p == 0);
        return k * clip * (replace && !sampled ? l.replaced : l.gone);
    }
    }
}

static void test_sensitivity(void **state)
{
    (void)state;
    static const int64_t people[] = {1, 2, 3, 1000};
    static const int64_t features[] = {1, 2, 10, 123, 1 << 20};
    static const int64_t blocks[] = {0, 1, 3, 17, 1000};
    for (int n = 0; n < ASK_KINDS * ACCOUNT_ADJACENCIES * 2 * 100; n++) {
        facts f = {people[n % 4], features[n / 4 % 5], blocks[n / 20 % 5]};
        int rest = n / 100;
        account_adjacency adjacency = (account_adjacency)(rest % 3);
        int sampled = rest / 3 % 2;
        ask_item item = some((ask_kind)(rest / 6), 1, 1);
        if (item.kind == ASK_SEQUENCE && !f.b)
            continue; /* no such block */
        item.block = f.b;
        item.noise = sampled ? ASK_SAMPLED : ASK_GAUSSIAN;
        curator_policy policy = {
            .adjacency = adjacency, .level_columns = 3, .rows_per_person = f.k};
        long double least = proven(item.kind, adjacency, sampled, &f);
        double is = gate_sensitivity(&policy, &item, f.p);
        assert_true(is >= least && is <= least * (1 + 0x1p-39L));
    }
}

/* ---- draws ---- */

/* How many numbers an answer has that noise is added to, of p features and an
   intercept, with the coins of a batch as one more. */
static double drawn(ask_kind kind, double p, double b)
{
    double all = p + 1;
    static const double edges = ASK_MOST_EDGES + 1;
    double table[ASK_KINDS] = {
        [ASK_TOTAL] = 1,
        [ASK_MOMENTS] = all,
        [ASK_PARTIAL] = 1,
        [ASK_GRADIENT] = all,
        [ASK_CHOICE] = 1,
        [ASK_BATCH] = all + 1,
        [ASK_DIFFERENCE] = all + 1,
        [ASK_DUAL] = p + 1, /* no intercept, but coins */
        [ASK_SEQUENCE] = all,
        [ASK_PRIMAL] = all,
        [ASK_ROW_COUNTS] = edges,
        [ASK_TARGET_COUNTS] = edges,
        [ASK_COLUMN_COUNTS] = all * edges,
        [ASK_ROW_QUANTILE] = 1,
        [ASK_TARGET_QUANTILE] = 1,
        [ASK_TARGET_MEAN] = 1,
        [ASK_COLUMN_MEANS] = all,
        [ASK_COLUMN_SQUARES] = all,
        [ASK_MATRIX] = all * (all + 1) / 2,
        [ASK_CURVATURE] = all * (all + 1) / 2,
        [ASK_LENGTH_COUNTS] = ASK_MOST_EDGES + 1,
        [ASK_CROSS] = (all + 1) * (all + 2) / 2,
        [ASK_WHITENED] = all,
        [ASK_LENGTHS] = 2,
        [ASK_CHANGE] = 1,
        [ASK_MINIMISER] = all,
        [ASK_PERTURBED] = 2 * all, /* before the minimum, and behind it */
        [ASK_LATER] = all * (all + 1000) + 10000 + 2 * all * b,
        [ASK_VERTEX] = 2 * all,
        [ASK_LABELS] = b,
        [ASK_SKETCH] = b,
        [ASK_ALONG] = 1,
        [ASK_CLASS_COUNTS] = b,
        [ASK_CLASS_GRADIENT] = all * b,
        [ASK_CLASS_BEND] = 2,
        [ASK_CLASS_CHOICE] = 1,
        [ASK_CLASS_PARTIAL] = b,
        [ASK_OUTCOMES] = b,
        [ASK_ERRORS] = b,
        [ASK_LEVELS] = 2 * b};
    return table[kind];
}

static void test_draws(void **state)
{
    (void)state;
    for (int n = 0; n < ASK_KINDS * 4; n++) {
        int64_t p = n % 2 ? 7 : 1000;
        ask_item item = some((ask_kind)(n / 4), 1, 1);
        item.block = n / 2 % 2 ? 24 : 5;
        assert_true(curator_draws(&item, p) ==
                    drawn(item.kind, (double)p, (double)item.block));
    }
    /* noise on every score: a coordinate has one, or goes both ways; of other
       questions nothing is known */
    for (ask_kind kind = 0; kind < ASK_KINDS; kind++) {
        ask_item item = some(kind, 1, 1);
        item.noise = ASK_NOISY;
        double all = curator_draws(&item, 7);
        assert_true(all == (kind == ASK_CHOICE ? 8
                            : kind == ASK_VERTEX || kind == ASK_ALONG
                                ? 16
                                : INFINITY));
    }
}

/* ---- which noise ---- */

/* A plan of one such question that could be carried out, but for its noise. */
static sotto_status checked(ask_kind kind, ask_noise noise)
{
    int sketch = kind == ASK_LABELS || kind == ASK_SKETCH || kind == ASK_ALONG;
    int blocks = kind == ASK_SEQUENCE;
    int classes = kind >= ASK_CLASS_COUNTS && kind <= ASK_CLASS_PARTIAL;
    curator_policy policy = {.adjacency = ACCOUNT_ZERO_OUT,
                             .rows_per_person = 1,
                             .rows = 100,
                             .weight_bound = 1,
                             .norm_bound = 1,
                             .classes = classes ? 8 : 0,
                             .level_columns = kind == ASK_LEVELS ? 8 : 0,
                             .buckets = sketch ? 8 : 0};
    ask_plan plan = plan_one(
        (ask_item){.kind = kind,
                   .noise = noise,
                   .count = 1,
                   .level = .5,
                   .rate = .25,
                   .shown = kind == ASK_LEVELS ? 1e-7 : 0,
                   .block = sketch || blocks || classes || kind == ASK_PRIMAL ||
                                    kind == ASK_LEVELS
                                ? 8
                            : kind == ASK_OUTCOMES || kind == ASK_ERRORS ? 4
                                                                         : 0,
                   .blocks = blocks ? 4 : 0});
    sotto_error error;
    return curator_check(&policy, &plan, 5, &error);
}

static const ask_kind numbers[] = {ASK_TOTAL, ASK_PARTIAL, ASK_TARGET_MEAN,
                                   ASK_CHANGE},
                      choices[] = {ASK_CHOICE,          ASK_VERTEX,
                                   ASK_ALONG,           ASK_ROW_QUANTILE,
                                   ASK_TARGET_QUANTILE, ASK_CLASS_CHOICE},
                      samples[] = {ASK_BATCH, ASK_DIFFERENCE, ASK_DUAL};

static int is_in(ask_kind kind, const ask_kind *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == kind)
            return 1;
    return 0;
}

/* Lemmas C1 and C10, Lemma C19. */
static void test_noise(void **state)
{
    (void)state;
    for (ask_kind kind = 0; kind < ASK_KINDS; kind++) {
        int choice = is_in(kind, choices, 6);
        int few = kind == ASK_ROW_QUANTILE || kind == ASK_TARGET_QUANTILE ||
                  kind == ASK_CLASS_CHOICE;
        int levels = kind == ASK_LEVELS;
        const int fine[ASK_NOISES] = {[ASK_GAUSSIAN] = !choice && !levels,
                                      [ASK_SHOWN] = levels,
                                      [ASK_LAPLACE] = is_in(kind, numbers, 4),
                                      [ASK_SAMPLED] = is_in(kind, samples, 3),
                                      [ASK_GUMBEL] = choice,
                                      [ASK_RANGE] = choice,
                                      [ASK_FLIP] = choice,
                                      [ASK_NOISY] = choice && !few};
        for (ask_noise noise = 0; noise < ASK_NOISES; noise++)
            assert_int_equal(checked(kind, noise),
                             fine[noise] ? SOTTO_OK : SOTTO_FAILED);
    }
    assert_int_equal(checked(ASK_KINDS, ASK_GAUSSIAN), SOTTO_FAILED);
}

/* An invalid plan is refused with the item and the reason. */
static void test_invalid_plans(void **state)
{
    (void)state;
    curator_policy policy = {.adjacency = ACCOUNT_ZERO_OUT,
                             .rows_per_person = 1};
    sotto_error error;
    ask_plan plan = plan_two(some(ASK_PARTIAL, 1, .5), some(ASK_LATER, 2, .5));
    assert_int_equal(curator_check(&policy, &plan, 5, &error), SOTTO_FAILED);
    assert_string_equal(error.message,
                        "internal error: invalid plan (item 2, chosen from "
                        "answers: it has a count that is not possible)");
    plan.item[1] = some(ASK_GRADIENT, -1, .5);
    assert_int_equal(curator_check(&policy, &plan, 5, &error), SOTTO_FAILED);
    account_list events;
    plan.items = ASK_MOST_ITEMS + 1;
    assert_int_equal(curator_check(&policy, &plan, 5, &error), SOTTO_FAILED);
    assert_int_equal(
        curator_events(&events, &plan, policy.adjacency, 5, &error),
        SOTTO_FAILED);
    assert_int_equal(
        curator_calibrate(&plan, policy.adjacency, 5, 1, 1e-6, &error),
        SOTTO_FAILED);
    plan.items = 1;
    assert_int_equal(curator_check(&policy, &plan, 5, &error), SOTTO_OK);
    for (ask_kind kind = ASK_OUTCOMES; kind <= ASK_ERRORS; kind++) {
        int64_t most = kind == ASK_ERRORS ? ASK_MOST_VALUES : ASK_MOST_CELLS;
        ask_plan cells = plan_one(some(kind, 1, .5));
        for (int64_t block = 0; block <= most + 1; block++) {
            cells.item[0].block = block;
            assert_int_equal(curator_check(&policy, &cells, 5, &error),
                             block >= 1 && block <= most ? SOTTO_OK
                                                         : SOTTO_FAILED);
        }
    }
    plan.any_order = 1;
    plan.item[0].blocks = -1;
    assert_int_equal(curator_check(&policy, &plan, 5, &error), SOTTO_FAILED);
}

/* The gate does not draw what cannot protect the answer, even if a plan had
   come past its checks. */
static void test_gate_refuses(void **state)
{
    (void)state;
    sotto_table *t = read_text(
        "d.csv", "a,t\n1,2\n3,4\n",
        SETTINGS({"target", "t"}, {"loss", "squared"}, {"precision", "float"}));
    curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .rows_per_person = 1,
                             .rows = 2,
                             .loss = {LOSS_SQUARED, 0},
                             .weight_bound = 1,
                             .insecure = 1};
    ask_item choice = some(ASK_CHOICE, 1, .5);
    choice.noise = ASK_FLIP;
    ask_plan plan = plan_two(some(ASK_PARTIAL, 1, .5), choice);
    ask_scores scores = {.rule = ASK_GS_S, .low = -INFINITY, .high = INFINITY};
    double clip = 1, out = 1;
    int64_t winner = 7;
    curator *c;
    sotto_error error;
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error), SOTTO_OK);
    assert_int_equal(curator_tell_clips(c, &clip, &error), SOTTO_OK);
    assert_int_equal(curator_tell_scores(c, &scores, &error), SOTTO_OK);
    c->plan.item[0].noise = ASK_FLIP;
    c->plan.item[1].noise = ASK_GAUSSIAN;
    assert_int_equal(curator_ask_partial(c, 0, &out, &error), SOTTO_FAILED);
    assert_true(out == 0);
    assert_int_equal(curator_ask_choice(c, &winner, &error), SOTTO_FAILED);
    assert_int_equal(winner, 0);
    curator_close(c);
}

/* ---- rows ---- */

static void test_every_kind_has_a_row(void **state)
{
    (void)state;
    for (ask_kind kind = 0; kind < ASK_KINDS; kind++) {
        const question_row *q = question_of(kind);
        assert_non_null(q->words.name);
        assert_true(q->words.meaning && *q->words.meaning);
        assert_ptr_equal(ask_words_named(q->words.name), &q->words);
        assert_true(q->form != FORM_NONE && q->draws != DRAWS_UNKNOWN);
        assert_true((q->parts == PARTS_UNKNOWN) == (q->special != NULL));
    }
    assert_null(ask_words_named("no question"));
    ask_item item = some(ASK_KINDS, 1, 1);
    curator_policy policy = {.rows_per_person = 1};
    assert_true(isinf(gate_sensitivity(&policy, &item, 3)));
    assert_true(isinf(curator_draws(&item, 3)));
}

/* ---- mechanisms ---- */

/* Which event, of which parameter at level .5, and its part of mu^2 (Lemmas
   A10, A14): what pays for it, and no other way is there to draw it. */
static const struct {
    account_kind event;
    double charge, square;
    int releases, selects;
} prices[ASK_NOISES] = {[ASK_GAUSSIAN] = {ACCOUNT_GAUSS, .5, .25, 1, 0},
                        [ASK_LAPLACE] = {ACCOUNT_LAPLACE, .5, 0, 1, 0},
                        [ASK_SAMPLED] = {ACCOUNT_SUBSAMPLED, .5, 0, 1, 0},
                        [ASK_GUMBEL] = {ACCOUNT_RANGE, .5, .0625, 0, 1},
                        [ASK_RANGE] = {ACCOUNT_GAUSS, .5, .25, 0, 1},
                        [ASK_FLIP] = {ACCOUNT_PURE, .5, 0, 0, 1},
                        [ASK_NOISY] = {ACCOUNT_PURE, .5, 0, 0, 1},
                        [ASK_SHOWN] = {ACCOUNT_SHOWN, .5, .25, 1, 0}};

static void test_mechanisms(void **state)
{
    (void)state;
    for (ask_noise noise = 0; noise < ASK_NOISES; noise++) {
        const mechanism_row *m = mechanism_of(noise);
        ask_item item = some(ASK_PARTIAL, 3, .5);
        item.noise = noise;
        item.rate = .25;
        account_question q = curator_question(&item);
        assert_true(m->price.words && *m->price.words && m->protects);
        assert_int_equal(q.kind, prices[noise].event);
        assert_true(q.level == prices[noise].charge);
        assert_true(m->price.charge(.5) == prices[noise].charge);
        assert_true(m->price.square * .25 == prices[noise].square);
        assert_true(!m->draw == !prices[noise].releases);
        assert_true(!m->select == !prices[noise].selects);
        assert_non_null(m->can_draw);
        assert_true(m->drawn(.5) ==
                    (noise == ASK_RANGE ? account_range_within(.5) : .5));
        assert_true(curator_multiplier(&item) ==
                    (prices[noise].selects ? 2 : 1) / m->drawn(.5));
    }
    ask_item none = some(ASK_PARTIAL, 1, .5);
    none.noise = ASK_NOISES;
    assert_true(isinf(curator_question(&none).level));
    assert_int_equal(checked(ASK_PARTIAL, ASK_NOISES), SOTTO_FAILED);
}

/* A share of mu^2, or of epsilon where noise is pure, makes the level that
   costs as much. */
static void test_levels(void **state)
{
    (void)state;
    for (ask_noise noise = 0; noise < ASK_NOISES; noise++) {
        const ask_mechanism *m = ask_mechanism_of(noise);
        double level = m->level(.04, .5);
        double cost = noise == ASK_SAMPLED ? .25 * expm1(level * level)
                      : m->square > 0      ? m->square * level * level
                                           : level;
        assert_true(fabs(cost - .04) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_invalid_plans),
        cmocka_unit_test(test_gate_refuses),
        cmocka_unit_test(test_every_kind_has_a_row),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
