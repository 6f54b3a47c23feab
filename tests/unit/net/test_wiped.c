/*
 * What a party keeps secret is wiped before its memory is given back: its
 * private key, the consortium secret and what follows from it, ids, and
 * records. The system's calls are replaced at link time (--wrap), and every
 * block of the heap is searched when it is freed or moves. (Whole pages that
 * go back to the system are cleared by it. What libraries do is theirs.)
 */
#include "parties.h"

#include "net/keys.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <sodium.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { ROWS = 30, MOST_NEEDLES = 32 };

/* The same for all rows of party north: easy to find in any form. */
static const double VALUE = 0.31415926;
#define VALUE_TEXT "0.31415926"

/* ---- what must not be found ---- */

typedef struct needle {
    const char *what;
    unsigned char bytes[200];
    size_t size;
    atomic_int found;
} needle;

static needle needles[MOST_NEEDLES];
static int count;
static atomic_long searched;

static void seek(const char *what, const void *bytes, size_t size)
{
    assert_true(count < MOST_NEEDLES && size >= 8);
    needle *n = &needles[count++ % MOST_NEEDLES];
    assert_true(size <= sizeof n->bytes);
    n->what = what;
    n->size = size;
    n->found = 0;
    memcpy(n->bytes, bytes, size);
}

static void search(const void *block, size_t size)
{
    searched += (long)size;
    for (int i = 0; i < count; i++)
        if (memmem(block, size, needles[i].bytes, needles[i].size))
            needles[i].found++;
}

static void assert_nothing_found(const char *where)
{
    int all = 0;
    for (int i = 0; i < count; i++) {
        if (needles[i].found)
            print_error("%s: %s stays in memory, %d times\n", where,
                        needles[i].what, needles[i].found);
        all += needles[i].found;
        needles[i].found = 0;
    }
    assert_int_equal(all, 0);
}

/* ---- the replaced calls ---- */

void __real_free(void *block);

void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

void __wrap_free(void *block)
{
    if (block)
        search(block, malloc_usable_size(block));
    __real_free(block);
}

/* It always moves, which it may. */
void *__wrap_realloc(void *block, size_t size)
{
    void *moved = calloc(1, size); /* what was there before is not ours */
    size_t before = block ? malloc_usable_size(block) : 0;
    if (moved && block) {
        memcpy(moved, block, before < size ? before : size);
        __wrap_free(block);
    }
    return moved;
}

/* ---- a consortium of which only one party is there ---- */

typedef struct folders {
    char root[40], draft[60], keys[60], config[80], north[80], state[60],
        data[60];
    char hash[65];
    int port; /* bound, and nobody listens */
} folders;

static int nobody_listens(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(s >= 0);
    assert_int_equal(bind(s, (struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return s;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, size, to), size);
    fclose(to);
}

static size_t read_text_file(const char *folder, const char *name, char *out,
                             size_t room)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    size_t got = fread(out, 1, room - 1, from);
    out[got] = 0;
    fclose(from);
    return got;
}

static void id_text(int i, char out[64])
{
    snprintf(out, 64, "somebody whose name is long, number %d", i);
}

/* `twice`: one id is there again. */
static void write_data(const folders *d, int twice)
{
    char id[64];
    FILE *to = fopen(d->data, "wb");
    assert_non_null(to);
    fprintf(to, "who,a,b,t\n");
    for (int i = 0; i < ROWS; i++) {
        id_text(twice && i == 9 ? 3 : i, id);
        fprintf(to, "\"%s\"," VALUE_TEXT "," VALUE_TEXT "," VALUE_TEXT "\n",
                id);
    }
    fclose(to);
}

static void set_up(folders *d)
{
    uint16_t port;
    sotto_error error;
    char *text = NULL, draft[3000];
    const char *open = "{\"sotto_parties\": 1, ";
    *d = (folders){.root = "/tmp/sotto-wiped-XXXXXX"};
    assert_non_null(mkdtemp(d->root));
    d->port = nobody_listens(&port);
    snprintf(d->draft, sizeof d->draft, "%s/draft.json", d->root);
    snprintf(d->keys, sizeof d->keys, "%s/keys", d->root);
    snprintf(d->config, sizeof d->config, "%s/config.json", d->keys);
    snprintf(d->north, sizeof d->north, "%s/north", d->keys);
    snprintf(d->state, sizeof d->state, "%s/state", d->root);
    snprintf(d->data, sizeof d->data, "%s/data.csv", d->root);
    int size = snprintf(
        draft, sizeof draft,
        "%s\"rows\": %d, \"epsilon\": 3, \"delta\": 1e-6, \"id\": \"who\", "
        "\"patience\": 1, \"coordinator\": {\"host\": \"127.0.0.1\", "
        "\"port\": %d}, %s",
        open, ROWS, port, &TWO_PARTIES[strlen(open)]);
    write_bytes(d->draft, draft, (size_t)size);
    must(sotto_federation_keygen(d->draft, d->keys, &error), &error);
    must(sotto_federation_describe(d->config, 0, d->hash, &text, &error),
         &error);
    sotto_text_free(text);
}

static void remove_all(const folders *d)
{
    char command[100];
    close(d->port);
    snprintf(command, sizeof command, "rm -r %s", d->root);
    assert_int_equal(system(command), 0);
}

/* ---- the needles of it ---- */

static hash keyed(const hash *key, const void *bytes, size_t size)
{
    hash out;
    crypto_auth_hmacsha256_state m;
    crypto_auth_hmacsha256_init(&m, key->byte, sizeof key->byte);
    crypto_auth_hmacsha256_update(&m, bytes, size);
    crypto_auth_hmacsha256_final(&m, out.byte);
    return out;
}

static void put_number(text_buffer *t, uint64_t x)
{
    for (int i = 0; i < 8; i++) {
        char byte = (char)(unsigned char)(x >> 8 * i);
        text_add(t, &byte, 1);
    }
}

static hash derived(const hash *secret, const char *purpose, const hash *of)
{
    text_buffer t = {0};
    text_add(&t, purpose, strlen(purpose) + 1);
    text_add(&t, (const char *)of->byte, sizeof of->byte);
    hash out = keyed(secret, t.data, t.length);
    text_free(&t);
    return out;
}

/* What party south would send of these rows; none of it may stay in north's
   memory. */
static hash other_tag(const hash *rows_key)
{
    char id[64];
    text_buffer t = {0};
    put_number(&t, 2);
    put_number(&t, ROWS);
    for (int i = 0; i < ROWS; i++) {
        id_text(i, id);
        put_number(&t, strlen(id));
        text_put(&t, id);
    }
    hash out = keyed(rows_key, t.data, t.length);
    text_free(&t);
    return out;
}

static hash read_hex(const char *text)
{
    hash out;
    size_t used;
    assert_int_equal(
        sodium_hex2bin(out.byte, sizeof out.byte, text, 64, NULL, &used, NULL),
        0);
    return out;
}

static void seek_keys(const folders *d)
{
    static char key[2000], secret[100];
    read_text_file(d->north, NET_SECRET, secret, sizeof secret);
    assert_true(read_text_file(d->north, NET_KEY, key, sizeof key) > 80);
    const char *line = strchr(key, '\n') + 1;
    seek("the private key", line + 20, 40);
    hash raw = read_hex(secret), session = read_hex(d->hash);
    hash seal = derived(&raw, "sotto model", &session),
         rows = derived(&raw, "sotto rows", &session),
         data = derived(&raw, "sotto data", &session), other = other_tag(&rows);
    seek("the consortium secret's text", secret + 8, 40);
    seek("the consortium secret", raw.byte, sizeof raw.byte);
    seek("the models' key", seal.byte, sizeof seal.byte);
    seek("the rows' key", rows.byte, sizeof rows.byte);
    seek("the data's key", data.byte, sizeof data.byte);
    seek("another party's tag", other.byte, sizeof other.byte);
}

static void seek_records(void)
{
    char id[64];
    float single[8];
    double wide[4];
    int16_t integer[16];
    for (int i = 0; i < 8; i++)
        single[i] = (float)VALUE;
    for (int i = 0; i < 4; i++)
        wide[i] = VALUE;
    for (int i = 0; i < 16; i++)
        integer[i] = (int16_t)rint(VALUE * 32767);
    for (int i = 0; i < ROWS; i += 13) {
        id_text(i, id);
        seek("an id", id, strlen(id));
    }
    seek("a value's text", "," VALUE_TEXT ",", strlen(VALUE_TEXT) + 2);
    seek("a column", single, sizeof single);
    seek("a column in doubles", wide, sizeof wide);
    seek("a column in integers", integer, sizeof integer);
}

static void begin(folders *d)
{
    count = 0;
    set_up(d);
    write_data(d, 0);
    seek_keys(d);
    seek_records();
    for (int i = 0; i < count; i++) /* what the needles were made of */
        needles[i].found = 0;
    searched = 0;
}

static sotto_status join(const folders *d, sotto_error *error)
{
    sotto_model *model;
    sotto_options *o = options_with(
        SETTINGS({"keys", d->north}, {"state", d->state}, {"accept", d->hash},
                 {"data", d->data}, {"threads", "2"}));
    sotto_status status =
        sotto_federation_join(d->config, o, NULL, &model, error);
    assert_null(model);
    sotto_options_free(o);
    return status;
}

/* ---- tests ---- */

/* The search finds what is there, in a block that is freed or moves. */
static void test_search(void **state)
{
    (void)state;
    count = 0;
    seek("a word", "a needle in a stack of hay", 26);
    char *block = mem_text("here is a needle in a stack of hay");
    block = mem_resize(block, 5000, 1);
    assert_int_equal(needles[0].found, 1);
    mem_free(block);
    assert_int_equal(needles[0].found, 2);
    block = mem_text("here is a needle in a stack of hay");
    block = mem_resize_wiped(block, strlen(block), 5000);
    mem_free_wiped(block, strlen(block));
    assert_int_equal(needles[0].found, 2);
    for (int is_secret = 0; is_secret < 2; is_secret++) {
        text_buffer t = {.is_secret = is_secret};
        needles[0].found = 0;
        for (int i = 0; i < 10; i++)
            text_put(&t, "here is a needle in a stack of hay");
        text_free(&t);
        text_put(&t, "and once more: a needle in a stack of hay");
        text_free(&t);
        assert_int_equal(needles[0].found > 0, !is_secret);
    }
}

/* A party that joins where no coordinator listens. */
static void test_join(void **state)
{
    (void)state;
    folders d;
    sotto_error error;
    begin(&d);
    assert_int_equal(join(&d, &error), SOTTO_PEER);
    assert_non_null(strstr(error.message, "not been reached"));
    assert_true(searched > 100000);
    assert_nothing_found("join");
    /* and again, with what was kept */
    assert_int_equal(join(&d, &error), SOTTO_PEER);
    assert_nothing_found("join again");
    remove_all(&d);
}

/* The same where it ends before. */
static void test_join_refused(void **state)
{
    (void)state;
    folders d;
    sotto_error error;
    begin(&d);
    write_data(&d, 1);
    assert_int_equal(join(&d, &error), SOTTO_DATA);
    assert_non_null(strstr(error.message, "twice"));
    assert_nothing_found("ids twice");
    write_bytes(d.data, "who,a,b,t\nx,1,", 14);
    assert_int_equal(join(&d, &error), SOTTO_DATA);
    assert_nothing_found("no rows");
    remove_all(&d);
}

static void read_keys(const folders *d, sotto_status expected)
{
    federation f;
    sotto_error error;
    net_keys k;
    must(federation_read(&f, d->config, &error), &error);
    assert_int_equal(net_keys_read(&k, &f, d->north, &error), expected);
    net_keys_free(&k);
    federation_free(&f);
}

/* A key of another certificate, one with bytes behind it that are no text, one
   that is too long. */
static void test_keys(void **state)
{
    (void)state;
    folders d;
    char path[120];
    static char key[2000], large[(1 << 20) + 100];
    begin(&d);
    size_t size = read_text_file(d.north, NET_KEY, key, sizeof key);
    snprintf(path, sizeof path, "%s/%s", d.north, NET_KEY);
    read_keys(&d, SOTTO_OK);
    assert_nothing_found("a good key");
    memset(large, 'x', sizeof large);
    memcpy(large + 1000, key, size);
    write_bytes(path, large, sizeof large);
    read_keys(&d, SOTTO_USAGE);
    assert_nothing_found("a key that is too long");
    memset(large, 0, 100);
    write_bytes(path, large, 5000);
    read_keys(&d, SOTTO_USAGE);
    assert_nothing_found("a key behind zeros");
    remove_all(&d);
}

/* 64 digits followed by something else: refused, wiped, not handed out. */
static void test_secret(void **state)
{
    (void)state;
    folders d;
    hash out = {{1}}, none = {{0}};
    sotto_error error;
    char path[120], secret[200];
    begin(&d);
    size_t size = read_text_file(d.north, NET_SECRET, secret, 100);
    snprintf(path, sizeof path, "%s/%s", d.north, NET_SECRET);
    must(align_secret(&out, path, &error), &error);
    assert_nothing_found("a good secret");
    memcpy(secret + size, "and more", 8);
    write_bytes(path, secret, size + 8);
    assert_int_equal(align_secret(&out, path, &error), SOTTO_USAGE);
    assert_true(hash_same(&out, &none));
    assert_nothing_found("a bad secret");
    memset(secret, '0', sizeof secret);
    read_text_file(d.north, NET_SECRET, secret, 100);
    static char long_one[2000];
    memset(long_one, '\n', sizeof long_one);
    memcpy(long_one, secret, 64);
    write_bytes(path, long_one, sizeof long_one);
    assert_int_equal(align_secret(&out, path, &error), SOTTO_USAGE);
    assert_nothing_found("a secret that is too long");
    remove_all(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),       cmocka_unit_test(test_join),
        cmocka_unit_test(test_join_refused), cmocka_unit_test(test_keys),
        cmocka_unit_test(test_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
