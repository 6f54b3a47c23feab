/*
 * The parties and their server: messages have one byte form, a party answers
 * what it agreed to and nothing twice, whatever it is told; and without noise
 * they find the minimiser.
 */
#include "parties.h"

#include "federate/party.h"

#include <sys/mman.h>

/* ---- what there is to see ---- */

/* The events that a party's curator has charged so far. */
static sotto_status party_spent(const party *p, account_list *out,
                                sotto_error *error)
{
    ask_plan plan = federation_asked(p->f, curator_asked(p->curator, ASK_ALONG),
                                     curator_asked(p->curator, ASK_SKETCH),
                                     curator_asked(p->curator, ASK_LABELS));
    return federation_events(out, &plan, error);
}

/* The weights of two columns, or a column and a constant, of each of two
   parties. */
typedef struct weights {
    double of[2][2];
} weights;

static weights weights_of(const server *s)
{
    int64_t count;
    weights out;
    double *all = server_all_weights(s, &count);
    assert_int_equal(count, 4);
    memcpy(out.of, all, sizeof out.of);
    free(all);
    return out;
}

/* ---- messages ---- */

static message some_message(void)
{
    static const unsigned char bytes[] = {1, 2, 3};
    static const int64_t integers[] = {-1, INT64_MIN, 7};
    static const uint64_t words[] = {UINT64_MAX};
    static double numbers[] = {0.1, -0.0, INFINITY, NAN, 5e-324};
    message m = {.kind = 77, .from = 2, .to = 1, .round = 1ull << 40};
    memset(&m.session, 0xa5, sizeof m.session);
    m.field[m.fields++] = (message_field){MESSAGE_BYTES, 3, bytes};
    m.field[m.fields++] = (message_field){MESSAGE_INTEGERS, 3, integers};
    m.field[m.fields++] = (message_field){MESSAGE_WORDS, 1, words};
    m.field[m.fields++] = (message_field){MESSAGE_NUMBERS, 5, numbers};
    return m;
}

static void test_message_is_its_bytes(void **state)
{
    (void)state;
    message m = some_message(), back;
    text_buffer bytes = {0}, again = {0};
    sotto_error error;
    char sum[65];
    message_write(&m, &bytes);
    must(message_read(&back, bytes.data, bytes.length, &error), &error);
    assert_int_equal(back.kind, 77);
    assert_int_equal(back.round, 1ull << 40);
    assert_int_equal(back.fields, 4);
    for (int i = 0; i < 4; i++) {
        size_t wide = m.field[i].type == MESSAGE_BYTES ? 1 : 8;
        const void *data =
            message_get(&back, i, m.field[i].type, m.field[i].count);
        assert_non_null(data);
        assert_memory_equal(data, m.field[i].data,
                            (size_t)m.field[i].count * wide);
        assert_null(message_get(&back, i, m.field[i].type, 2));
    }
    message_write(&back, &again);
    assert_int_equal(again.length, bytes.length);
    assert_memory_equal(again.data, bytes.data, bytes.length);
    /* fixed for ever: later versions must read the files of earlier ones */
    hash h = hash_of(bytes.data, bytes.length);
    hash_text(&h, sum);
    assert_string_equal(
        sum,
        "b848e86d45886e75adc1169e49554bb05fac41facf91fabd35edd0e2a4f14f48");
    message_free(&back);
    text_free(&bytes);
    text_free(&again);
}

static void refuse_bytes(const char *bytes, size_t size)
{
    message m;
    sotto_error error;
    assert_int_equal(message_read(&m, bytes, size, &error), SOTTO_PEER);
    assert_null(m.memory);
}

/* With a correct checksum, so that the form itself is checked. */
static void refuse_summed(char *bytes, size_t size)
{
    hash h = hash_of(bytes, size - sizeof h);
    memcpy(bytes + size - sizeof h, &h, sizeof h);
    refuse_bytes(bytes, size);
}

static void test_other_bytes_are_refused(void **state)
{
    (void)state;
    message m = some_message();
    text_buffer bytes = {0};
    message_write(&m, &bytes);
    for (size_t i = 0; i < bytes.length; i++)
        refuse_bytes(bytes.data, i);
    for (size_t i = 0; i < 8 * bytes.length; i++) {
        bytes.data[i / 8] ^= (char)(1 << i % 8);
        refuse_bytes(bytes.data, bytes.length);
        bytes.data[i / 8] ^= (char)(1 << i % 8);
    }
    /* shorter and longer ones with a sum of their own */
    for (size_t size = 32; size < bytes.length; size++) {
        char *copy = malloc(size);
        memcpy(copy, bytes.data, size);
        refuse_summed(copy, size);
        free(copy);
    }
    char *longer = calloc(1, bytes.length + 1);
    memcpy(longer, bytes.data, bytes.length);
    refuse_summed(longer, bytes.length + 1);
    free(longer);
    /* counts and types that do not exist, fields beyond the last one */
    const struct {
        size_t at;
        char value;
    } lies[] = {{8, 2},    {64, 5},   {68, 0},  {68, 5},
                {72, 127}, {79, 127}, {0, 'S'}, {72, 2}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char *copy = malloc(bytes.length);
        memcpy(copy, bytes.data, bytes.length);
        copy[lies[i].at] = lies[i].value;
        refuse_summed(copy, bytes.length);
        free(copy);
    }
    text_free(&bytes);
}

/* ---- agreements ---- */

static void refuse_text_of(const char *from, const char *to, const char *words)
{
    federation f;
    sotto_error error;
    text_buffer t = {0};
    const char *at = strstr(TWO_PARTIES, from);
    assert_non_null(at);
    text_add(&t, TWO_PARTIES, (size_t)(at - TWO_PARTIES));
    text_put(&t, to);
    text_put(&t, at + strlen(from));
    assert_int_equal(
        federation_parse(&f, "parties.json", t.data, t.length, &error),
        SOTTO_USAGE);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
    text_free(&t);
}

static void test_agreements(void **state)
{
    (void)state;
    refuse_text_of("\"rounds\": 12", "\"rounds\": 0", "a whole number");
    refuse_text_of("\"rounds\": 12", "\"rouns\": 12", "has no \"rouns\"");
    refuse_text_of("\"buckets\": 16", "\"buckets\": 1.5", "buckets");
    refuse_text_of("\"radius\": 1,", "\"radius\": -1,", "radius");
    refuse_text_of("\"radius\": 1,", "", "\"radius\"");
    refuse_text_of("\"cap\": 1,", "\"cap\": true,", "\"cap\"");
    refuse_text_of("\"party\": \"north\"", "\"party\": \"west\"", "\"party\"");
    refuse_text_of("\"party\": \"north\"}",
                   "\"party\": \"north\"}, "
                   "\"labels\": \"known\"",
                   "all have them");
    refuse_text_of("\"c\":", "\"a\":", "one party's");
    refuse_text_of("\"c\":", "\"t\":", "not the target");
    /* "a=x" is a level of one party's a already */
    refuse_text_of("\"a\": {\"type\": \"number\", \"bounds\": [-1, 1]}",
                   "\"a\": {\"type\": \"category\", \"levels\": [\"x\"]}, "
                   "\"a=x\": {\"type\": \"number\", \"bounds\": [-1, 1]}",
                   "one feature of this name");
    refuse_text_of("\"south\"", "\"north\"", "other names");
    refuse_text_of("\"bounds\": [-2, 2]", "\"bounds\": [2, -2]", "bounds");
    refuse_text_of(", \"bounds\": [-2, 2]", "", "bounds");
    /* room was made for one feature */
    refuse_text_of("\"bounds\": [-2, 2]",
                   "\"bounds\": [-2, 2], \"levels\": [\"x\", \"y\", \"z\"]",
                   "without \"levels\"");
    refuse_text_of("\"bounds\": [-2, 2]", "\"bounds\": [0, 1e-309]",
                   "weights a double can hold");
    refuse_text_of("\"constant\": 0.5", "\"constant\": 2", "constant");
    refuse_text_of("\"rounds\": 12", "\"split\": [0.5, 0.5, 0.5]", "split");
    refuse_text_of("\"rounds\": 12", "\"schedule\": \"mine\"", "permuted");
    refuse_text_of("{\"sotto_parties\": 1", "[{\"sotto_parties\": 1", "JSON");
}

static void test_agreement(void **state)
{
    (void)state;
    federation f = agreed(TWO_PARTIES, 40, 1, 1);
    federation g = agreed(TWO_PARTIES, 41, 1, 1);
    federation h = agreed(TWO_PARTIES, 40, 2, 1);
    assert_int_equal(f.parties, 2);
    assert_int_equal(f.label_party, 0);
    assert_int_equal(federation_columns(&f, 0), 2);
    assert_int_equal(federation_columns(&f, 1), 2);
    assert_true(f.party[1].centre[0] == 0 && f.party[1].half[0] == 2);
    assert_int_equal(f.party[0].turns + f.party[1].turns, 12);
    assert_true(federation_step(&f, 0) == 1);
    assert_true(federation_step(&f, 4) == .5); /* 2 K / (t + 2 K) */
    /* other rows, or another budget, are another session */
    assert_false(hash_same(&f.session, &g.session));
    assert_false(hash_same(&f.session, &h.session));
    federation_free(&f);
    federation_free(&g);
    federation_free(&h);
}

/* Parties have about equally many rounds if drawn by lot, and equally many
   (up to a remainder) by permutations. */
static void test_schedules(void **state)
{
    (void)state;
    federation f = agreed(TWO_PARTIES, 40, INFINITY, 1);
    sotto_error error;
    int differ = 0;
    f.rounds = 10000;
    must(federation_schedule(&f, &error), &error);
    assert_true(llabs(f.party[0].turns - 5000) < 250);
    f.permuted = 1;
    f.rounds = 10001;
    must(federation_schedule(&f, &error), &error);
    assert_true(llabs(f.party[0].turns - f.party[1].turns) == 1);
    for (int64_t t = 0; t + 1 < f.rounds; t += 2) {
        assert_int_equal(f.turn[t] + f.turn[t + 1], 1);
        differ += f.turn[t];
    }
    assert_true(abs(differ - 2500) < 250);
    f.party[0].cap = 0; /* nothing to show: never asked */
    must(federation_schedule(&f, &error), &error);
    assert_int_equal(f.movers, 1);
    assert_int_equal(f.party[0].turns, 0);
    federation_free(&f);
}

/* ---- prices ---- */

static double price_of(account_list *list, double delta)
{
    account_price price;
    sotto_error error;
    must(account_epsilon(list, delta, &price, &error), &error);
    account_free(list);
    return price.epsilon;
}

/* The price of a whole row covers all answers of all parties; the price of a
   party's part covers that party's answers. */
static void test_prices(void **state)
{
    (void)state;
    federation f = agreed(TWO_PARTIES, 40, 1, 1);
    account_list list;
    sotto_error error;
    double range = 0, gauss = 0, whole;
    must(row_events(&list, &f, &error), &error);
    assert_false(list.ordered);
    for (int64_t i = 0; i < list.events; i++) {
        const account_event *e = &list.event[i];
        *(e->kind == ACCOUNT_RANGE ? &range : &gauss) +=
            e->a * e->a * (double)e->count;
        assert_int_equal(e->adjacency, ACCOUNT_ZERO_OUT);
    }
    assert_true(list.draws >= 12 + 4 * 16);
    /* .2 of rho for choices, .35 for labels, .45 for 3 sketches */
    assert_true(fabs(range / 8 / (gauss / 2) - .2 / .8) < 1e-9);
    assert_true(fabs(f.range * f.range * 12 - range) < 1e-12);
    assert_true(fabs(f.mu_labels * f.mu_labels + 3 * f.mu_sketch * f.mu_sketch -
                     gauss) < 1e-12);
    whole = price_of(&list, 1e-6);
    assert_true(whole <= 1 && whole > .999);
    for (int k = 0; k < 2; k++) {
        must(part_events(&list, &f, k, &error), &error);
        double part = price_of(&list, 1e-6);
        assert_true(part < whole && part > .2);
    }
    /* with known labels nothing is spent on them */
    f.labels_known = 1;
    must(federation_settle(&f, &error), &error);
    must(row_events(&list, &f, &error), &error);
    assert_int_equal(list.events, 2);
    assert_true(price_of(&list, 1e-6) <= 1);
    federation_free(&f);
}

static void test_classes(void **state)
{
    (void)state;
    federation f = agreed(TWO_PARTIES, 40, 1, 1);
    double mu;
    sotto_error error;
    must(federation_mu(&f, &mu, &error), &error);
    assert_true(fabs(mu - .23671) < 1e-4);
    f.rows = 713000; /* 4e4 / mu^2 is 713,900 */
    assert_string_equal(federation_class(&f, mu), "experimental");
    f.rows = 715000;
    assert_string_equal(federation_class(&f, mu), "good");
    f.labels_known = 1;
    f.rows = 89000;
    assert_string_equal(federation_class(&f, mu), "experimental");
    f.rows = 90000;
    assert_string_equal(federation_class(&f, mu), "good");
    /* KT integers and KT sketches */
    assert_true(federation_paper_uplink(&f) == 2 * 12 * (4 + 8 * 16));
    federation_free(&f);
}

/* ---- a party and a hostile server ---- */

typedef struct scene {
    federation f;
    char *csv;
    party *p[2];
    double u[16];
} scene;

static scene begin(double epsilon)
{
    scene s = {.f = agreed(TWO_PARTIES, 40, epsilon, 9), .csv = rows_text(40)};
    for (int b = 0; b < 16; b++)
        s.u[b] = b % 3 - 1;
    return s;
}

static void join(scene *s)
{
    for (int k = 0; k < 2; k++)
        s->p[k] = joined(&s->f, k, s->csv);
}

static void end(scene *s)
{
    for (int k = 0; k < 2; k++)
        party_close(s->p[k]);
    federation_free(&s->f);
    free(s->csv);
}

static void refused(party *p, const federation *f, int k, uint64_t round,
                    const double *u, const char *words)
{
    const text_buffer *answer;
    sotto_error error;
    assert_int_equal(ask_vector(p, f, k, round, u, &answer, &error),
                     SOTTO_PEER);
    assert_null(answer);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

/* The same request is answered by the same bytes, without another charge; the
   same round with another vector is not answered at all. */
static void test_nothing_twice(void **state)
{
    (void)state;
    scene s = begin(1);
    join(&s);
    const text_buffer *first, *second;
    sotto_error error;
    account_list list;
    message hello = request_of(&s.f, FEDERATION_START, 0, 0);
    refused(s.p[0], &s.f, 0, round_of(&s.f, 0, 0), s.u, "not begun");
    must(ask(s.p[0], &hello, &first, &error), &error);
    must(ask(s.p[0], &hello, &second, &error), &error);
    assert_ptr_equal(first, second);
    /* another way to ask for the labels */
    hello.field[hello.fields++] = (message_field){MESSAGE_BYTES, 1, "x"};
    assert_int_equal(ask(s.p[0], &hello, &second, &error), SOTTO_PEER);
    uint64_t round = round_of(&s.f, 0, 1);
    must(ask_vector(s.p[0], &s.f, 0, round, s.u, &first, &error), &error);
    text_buffer copy = {0};
    text_add(&copy, first->data, first->length);
    must(ask_vector(s.p[0], &s.f, 0, round, s.u, &second, &error), &error);
    assert_int_equal(second->length, copy.length);
    assert_memory_equal(second->data, copy.data, copy.length);
    text_free(&copy);
    s.u[3] += 1;
    refused(s.p[0], &s.f, 0, round, s.u, "answered, or skipped");
    refused(s.p[0], &s.f, 0, round_of(&s.f, 0, 0), s.u, "skipped");
    refused(s.p[0], &s.f, 0, round_of(&s.f, 1, 0), s.u, "another party's");
    refused(s.p[0], &s.f, 0, 0, s.u, "another party's");
    refused(s.p[0], &s.f, 0, 13, s.u, "another party's");
    /* labels, one choice, one sketch: what its own list has */
    must(party_spent(s.p[0], &list, &error), &error);
    int64_t count = 0;
    for (int64_t i = 0; i < list.events; i++)
        count += list.event[i].count;
    assert_int_equal(count, 3);
    account_free(&list);
    end(&s);
}

/* Somebody else's message, and one that is damaged. */
static void test_strangers(void **state)
{
    (void)state;
    scene s = begin(1);
    join(&s);
    const text_buffer *answer;
    sotto_error error;
    message m = request_of(&s.f, FEDERATION_START, 0, 0);
    m.session.byte[0] ^= 1;
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    m = request_of(&s.f, FEDERATION_START, 1, 0);
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    m = request_of(&s.f, FEDERATION_START, 0, 0);
    m.from = 2;
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    m = request_of(&s.f, FEDERATION_VERTEX, 0, 0);
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    assert_int_equal(party_answer(s.p[0], "sottomsg", 8, &answer, &error),
                     SOTTO_PEER);
    start(s.p[0], &s.f, 0);
    m = request_of(&s.f, FEDERATION_VECTOR, 0, round_of(&s.f, 0, 0));
    m.field[m.fields++] = (message_field){MESSAGE_NUMBERS, 15, s.u};
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    m.field[0] = (message_field){MESSAGE_INTEGERS, 16, s.u};
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    /* with the model it is over */
    m = request_of(&s.f, FEDERATION_MODEL, 0, 13);
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    double weight[4] = {0}; /* north's two, of which it has moved none */
    m.field[m.fields++] = (message_field){MESSAGE_NUMBERS, 4, weight};
    weight[1] = .25;
    assert_int_equal(ask(s.p[0], &m, &answer, &error), SOTTO_PEER);
    assert_non_null(strstr(error.message, "what its answers make"));
    weight[1] = 0;
    weight[3] = .25; /* south's may be anything */
    must(ask(s.p[0], &m, &answer, &error), &error);
    refused(s.p[0], &s.f, 0, round_of(&s.f, 0, 0), s.u, "has ended");
    end(&s);
}

/* Whatever a server sends, the answer is a vertex within the caps: north may
   show one column, south two. */
static void test_malicious_server(void **state)
{
    (void)state;
    static const double told[] = {NAN,    INFINITY, -INFINITY, 1e308,
                                  -1e308, 5e-324,   0,         1};
    scene s = begin(1);
    join(&s);
    for (int k = 0; k < 2; k++) {
        int64_t shows = 0, seen = 0;
        start(s.p[k], &s.f, k);
        for (int64_t n = 0; n < s.f.party[k].turns; n++) {
            const text_buffer *bytes;
            sotto_error error;
            message m;
            for (int b = 0; b < 16; b++)
                s.u[b] = told[(b * (n + 1) + n) % 8];
            must(ask_vector(s.p[k], &s.f, k, round_of(&s.f, k, (int)n), s.u,
                            &bytes, &error),
                 &error);
            must(message_read(&m, bytes->data, bytes->length, &error), &error);
            const int64_t *vertex = message_get(&m, 0, MESSAGE_INTEGERS, 2);
            assert_non_null(vertex);
            assert_true(vertex[0] >= 0 && vertex[0] < 2);
            assert_true(vertex[1] == 1 || vertex[1] == -1);
            /* a sketch when it is new, and only then */
            int is_new = !(seen >> vertex[0] & 1);
            assert_int_equal(m.fields, 1 + is_new);
            seen |= 1 << vertex[0];
            shows += is_new;
            message_free(&m);
        }
        assert_true(shows >= 1 && shows <= s.f.party[k].cap);
        account_list spent, cap;
        sotto_error error;
        must(party_spent(s.p[k], &spent, &error), &error);
        must(part_events(&cap, &s.f, k, &error), &error);
        assert_true(price_of(&spent, 1e-6) <= price_of(&cap, 1e-6));
    }
    end(&s);
}

/* ---- rebuilding a state from what was kept ---- */

enum { KEPT = 4 };

static void test_replay(void **state)
{
    (void)state;
    scene s = begin(1);
    join(&s);
    party *p = s.p[1];
    text_buffer request[KEPT] = {{0}};
    const text_buffer *answer[KEPT], *next, *same;
    sotto_error error;
    for (int i = 0; i < KEPT; i++) { /* start, three rounds */
        uint64_t round = i ? round_of(&s.f, 1, i - 1) : 0;
        message m = request_of(&s.f, i ? FEDERATION_VECTOR : FEDERATION_START,
                               1, round);
        if (i)
            m.field[m.fields++] = (message_field){MESSAGE_NUMBERS, 16, s.u};
        message_write(&m, &request[i]);
        must(party_answer(p, request[i].data, request[i].length, &answer[i],
                          &error),
             &error);
        s.u[i] -= 2;
    }
    party *q = joined(&s.f, 1, s.csv);
    for (int i = 0; i < KEPT; i++)
        must(party_replay(q, request[i].data, request[i].length,
                          answer[i]->data, answer[i]->length, &error),
             &error);
    assert_true(hash_same(party_transcript(p), party_transcript(q)));
    must(party_answer(q, request[2].data, request[2].length, &same, &error),
         &error);
    assert_memory_equal(same->data, answer[2]->data, answer[2]->length);
    /* and they go on alike: streams are of the seed, party and round */
    uint64_t round = round_of(&s.f, 1, 3);
    must(ask_vector(p, &s.f, 1, round, s.u, &next, &error), &error);
    must(ask_vector(q, &s.f, 1, round, s.u, &same, &error), &error);
    assert_int_equal(next->length, same->length);
    assert_memory_equal(next->data, same->data, next->length);
    assert_true(hash_same(party_transcript(p), party_transcript(q)));
    /* what was replayed was charged */
    account_list one, two;
    must(party_spent(p, &one, &error), &error);
    must(party_spent(q, &two, &error), &error);
    assert_true(price_of(&one, 1e-6) == price_of(&two, 1e-6));
    /* an answer to something else is no answer */
    assert_int_equal(party_replay(q, request[1].data, request[1].length,
                                  answer[1]->data, answer[1]->length, &error),
                     SOTTO_PEER);
    party_close(q);
    q = joined(&s.f, 1, s.csv);
    assert_int_equal(party_replay(q, request[0].data, request[0].length,
                                  answer[1]->data, answer[1]->length, &error),
                     SOTTO_PEER);
    party_close(q);
    for (int i = 0; i < KEPT; i++)
        text_free(&request[i]);
    end(&s);
}

/* ---- a server and hostile parties ---- */

/* The server's first requests, answered by this message instead. */
static void server_refuses(server *s, message m)
{
    text_buffer bytes = {0};
    sotto_error error;
    message_write(&m, &bytes);
    assert_int_equal(server_take(s, bytes.data, bytes.length, &error),
                     SOTTO_PEER);
    text_free(&bytes);
}

static void test_server_checks(void **state)
{
    (void)state;
    scene s = begin(1);
    join(&s);
    server *server_;
    sotto_error error;
    int to;
    const text_buffer *request, *answer;
    int64_t sketch[16] = {0}, vertex[2] = {0, 1};
    must(server_open(&server_, &s.f, &error), &error);
    message m = {.session = s.f.session, .kind = FEDERATION_READY, .from = 1};
    server_refuses(server_, m); /* nothing was asked yet */
    must(server_next(server_, &to, &request, &error), &error);
    server_refuses(server_, m); /* the labels' sketch is missing */
    m.from = 2;
    server_refuses(server_, m);
    for (int i = 0; i < 2; i++) {
        must(server_next(server_, &to, &request, &error), &error);
        assert_int_equal(to, i);
        must(party_answer(s.p[i], request->data, request->length, &answer,
                          &error),
             &error);
        must(server_take(server_, answer->data, answer->length, &error),
             &error);
    }
    must(server_next(server_, &to, &request, &error), &error);
    m = (message){.session = s.f.session,
                  .kind = FEDERATION_VERTEX,
                  .from = (uint32_t)to + 1,
                  .round = 1,
                  .fields = 1,
                  .field = {{MESSAGE_INTEGERS, 2, vertex},
                            {MESSAGE_INTEGERS, 16, sketch}}};
    server_refuses(server_, m); /* new, without its sketch */
    m.fields = 2;
    vertex[0] = 2;
    server_refuses(server_, m);
    vertex[0] = 0;
    vertex[1] = 0;
    server_refuses(server_, m);
    m.field[1].count = 15;
    vertex[1] = -1;
    server_refuses(server_, m);
    m.field[1].count = 16;
    m.round = 2;
    server_refuses(server_, m);
    m.round = 1;
    text_buffer bytes = {0};
    message_write(&m, &bytes);
    must(server_take(server_, bytes.data, bytes.length, &error), &error);
    /* gamma is 1 in the first round: all of the radius, against the sign */
    assert_true(weights_of(server_).of[to][0] == s.f.party[to].radius);
    text_free(&bytes);
    server_close(server_);
    end(&s);
}

/* Both have seen the same messages, and uplink is what was sent. */
static void test_all(void **state)
{
    (void)state;
    scene s = begin(1);
    join(&s);
    server *all = run_all(&s.f, s.p);
    weights seen = weights_of(all);
    int64_t up = 0, messages = 0, m;
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        up += server_uplink(all, k, &m);
        messages += m;
        for (int i = 0; i < 2; i++)
            sum += fabs(seen.of[k][i]);
    }
    assert_int_equal(messages, 12 + 2 * 2);
    /* a header and its sum are 100 bytes; labels, and one sketch to three */
    int64_t least = 100 * messages + 12 * 28 + 2 * (12 + 8 * 16);
    assert_true(up >= least && up <= least + 2 * (12 + 8 * 16));
    assert_int_equal((up - least) % (12 + 8 * 16), 0);
    assert_true(sum > 0 && sum <= 1.5 * (1 + 1e-12));
    /* a server that begins again asks the same questions, and parties repeat
       their stored answers: it reaches the same state, and nothing is charged
       */
    account_list before, after;
    sotto_error error;
    must(party_spent(s.p[0], &before, &error), &error);
    server *again = run_all(&s.f, s.p);
    must(party_spent(s.p[0], &after, &error), &error);
    assert_true(hash_same(server_transcript(all), server_transcript(again)));
    weights repeated = weights_of(again);
    assert_memory_equal(&seen, &repeated, sizeof seen);
    assert_true(price_of(&before, 1e-6) == price_of(&after, 1e-6));
    server_close(again);
    server_close(all);
    end(&s);
}

/* ---- without noise ---- */

/* Known labels, 40 rows, no two in one bucket: sketches lose nothing. The
   radii stop all of the weights. */
static void test_converges(void **state)
{
    (void)state;
    text_buffer t = {0};
    const char *from =
        "\"party\": \"north\"}, \"rounds\": 12, \"buckets\": 16, "
        "\"seed\": 3";
    const char *at = strstr(TWO_PARTIES, ", \"party\": \"north\"}");
    assert_non_null(at);
    text_add(&t, TWO_PARTIES, (size_t)(at - TWO_PARTIES));
    text_put(&t, "}, \"labels\": \"known\", \"label_rms\": 1, \"rounds\": "
                 "2000, \"buckets\": 1000, \"seed\": 0");
    text_put(&t, at + 2 + strlen(from));
    char *text = t.data, *cap = strstr(text, "\"cap\": 1");
    cap[strlen("\"cap\": ")] = '2';
    federation f = agreed(text, 40, INFINITY, 1);
    char *csv = rows_text(40);
    party *p[2] = {joined(&f, 0, csv), joined(&f, 1, csv)};
    server *s = run_all(&f, p);
    /* target .6 a - .3 (c / 2) + .05: within the radii 1 and .5, so that the
       minimum is 0 and attained */
    weights found = weights_of(s);
    const double *north = found.of[0], *south = found.of[1];
    assert_true(fabs(north[0] - .6) < .01);
    assert_true(fabs(north[1]) < .01);
    assert_true(fabs(south[0] + .3) < .01);
    assert_true(fabs(south[1] - .1) < .02); /* times the constant .5 */
    server_close(s);
    party_close(p[0]);
    party_close(p[1]);
    federation_free(&f);
    text_free(&t);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_is_its_bytes),
        cmocka_unit_test(test_other_bytes_are_refused),
        cmocka_unit_test(test_agreements),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_nothing_twice),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_malicious_server),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_server_checks),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
