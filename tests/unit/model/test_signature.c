/*
 * Signatures: what is signed cannot be changed, in no byte and in no member,
 * by whoever makes the checksum fit again. Key files, and that secrets are
 * wiped before their memory is given back.
 */
#include "reading.h"

#include "json.h"
#include "model.h"

#include <errno.h>
#include <malloc.h>
#include <sodium.h>
#include <sys/stat.h>
#include <zlib.h>

static char folder[] = "/tmp/sotto-sign-XXXXXX";
static char key_path[64], public_path[64], other_path[64];

/* ---- every block of the heap is searched when it is given back ---- */

enum { MOST_NEEDLES = 4 };
static unsigned char needle[MOST_NEEDLES][64];
static size_t needle_size[MOST_NEEDLES];
static int needles, found;
static size_t searched;

void __real_free(void *block);
void __wrap_free(void *block);
void *__wrap_realloc(void *block, size_t size);

void __wrap_free(void *block)
{
    size_t size = block ? malloc_usable_size(block) : 0;
    searched += needles ? size : 0;
    for (int i = 0; block && i < needles; i++)
        found += memmem(block, size, needle[i], needle_size[i]) != NULL;
    __real_free(block);
}

/* It always moves, which it may. */
void *__wrap_realloc(void *block, size_t size)
{
    void *moved = calloc(1, size);
    size_t before = block ? malloc_usable_size(block) : 0;
    if (moved && block) {
        memcpy(moved, block, before < size ? before : size);
        __wrap_free(block);
    }
    return moved;
}

static void seek(const void *bytes, size_t size)
{
    assert_true(needles < MOST_NEEDLES && size <= sizeof needle[0]);
    memcpy(needle[needles], bytes, size);
    needle_size[needles++] = size;
}

static void assert_not_found(void)
{
    needles = 0;
    assert_true(searched > 0);
    assert_int_equal(found, 0);
    searched = 0;
}

/* ---- models ---- */

static const unsigned char seed[32] = "a seed that everybody may know.";

static sotto_model *parse(const char *text)
{
    sotto_model *m = NULL;
    sotto_error error;
    if (model_parse(&m, "m.json", text, strlen(text), &error))
        fail_msg("%s", error.message);
    return m;
}

static char *text_of(const sotto_model *m)
{
    text_buffer t = {0};
    sotto_error error;
    assert_int_equal(model_text(m, &t, &error), SOTTO_OK);
    return t.data;
}

/* The content with a checksum that fits, as anybody can make it. */
static char *with_checksum(const char *content, size_t size)
{
    text_buffer t = {0};
    text_add(&t, content, size);
    text_format(&t, "\"checksum\": \"crc32:%08lx\"\n}\n",
                crc32_z(0, (const unsigned char *)content, size));
    return text_take(&t);
}

/* A private model as text, with everything that a model can have. */
static const char content[] =
    "{\n  \"sotto_model\": 1,\n  \"loss\": \"huber\",\n"
    "  \"huber_delta\": 1.35,\n  \"penalty\": {\"units\": \"fit\", "
    "\"l1\": 0.5, \"l2\": 4.94065645841247e-324, \"box\": [-1, null], "
    "\"radius\": 2.5},\n"
    "  \"classes\": null,\n  \"undeclared\": \"rows\",\n"
    "  \"row_norm\": {\"bound\": 2, \"centre\": 0.25},\n"
    "  \"intercept\": -0.125,\n"
    "  \"features\": [\n    \"\u00e9\u6f22 \\\"a\\\\\",\n    \"b\"],\n"
    "  \"weights\": [\n    1.7976931348623157e+308,\n    -0.0],\n"
    "  \"noise\": [\n    0.5,\n    1],\n  \"rows\": 1000,\n"
    "  \"schema\": {\"sotto_schema\": 1,\n    \"columns\": {\n"
    "      \"b\": {\"type\": \"number\", \"bounds\": [0, 1]}}},\n"
    "  \"privacy\": {\"epsilon\": 1,\n    \"delta\": 1e-06,\n"
    "    \"questions\": [\n      {\"times\": 3, \"mu\": 0.5}],\n"
    "    \"bought_bounds\": {\"features\": {\"b\": 8}},\n"
    "    \"ledger\": {\"position\": 7}},\n  ";

/* And one whose penalty is in units of spread. */
static const char spread_content[] =
    "{\n  \"sotto_model\": 1,\n  \"loss\": \"squared\",\n"
    "  \"penalty\": {\"units\": \"spread\", \"l1\": 0.5, \"l2\": 1, "
    "\"box\": null},\n  \"classes\": null,\n  \"intercept\": 2,\n"
    "  \"features\": [\n    \"a\",\n    \"b\"],\n"
    "  \"weights\": [\n    0,\n    -3],\n"
    "  \"penalty_scales\": [\n    0,\n    4.94065645841247e-324],\n"
    "  \"schema\": {\"sotto_schema\": 1,\n    \"columns\": {}},\n"
    "  \"privacy\": {\"epsilon\": 1,\n    \"delta\": 1e-06},\n  ";

static sotto_model *signed_of(const char *body)
{
    sotto_error error;
    char *text = with_checksum(body, strlen(body));
    sotto_model *m = parse(text);
    char *again = text_of(m);
    assert_string_equal(again, text); /* the one form */
    assert_int_equal(model_sign(m, seed, &error), SOTTO_OK);
    mem_free(again);
    mem_free(text);
    return m;
}

static sotto_model *signed_model(void)
{
    return signed_of(content);
}

static sotto_status try_parse(const char *text, sotto_error *error)
{
    sotto_model *m = NULL;
    sotto_status status = model_parse(&m, "m.json", text, strlen(text), error);
    assert_true(!m == (status != SOTTO_OK));
    sotto_model_free(m);
    return status;
}

/* ---- what is signed ---- */

static void test_round_trip(void **state)
{
    (void)state;
    sotto_model *m = signed_model();
    char *text = text_of(m), *unsigned_text;
    sotto_model *back = parse(text);
    char *again = text_of(back);
    assert_string_equal(again, text);
    assert_string_equal(sotto_model_signer(back), sotto_model_signer(m));
    const char *at = strstr(text, "  \"signature\": {\"key\": \"");
    assert_non_null(at);
    assert_non_null(strstr(at, "},\n  \"checksum\": \"crc32:"));
    m->key[0] = 0; /* without it the bytes are what they were */
    unsigned_text = text_of(m);
    assert_int_equal((size_t)(at - text) + 2, strlen(content));
    assert_memory_equal(unsigned_text, content, strlen(content));
    assert_null(strstr(unsigned_text, "signature"));
    mem_free(unsigned_text);
    mem_free(text);
    mem_free(again);
    sotto_model_free(m);
    sotto_model_free(back);
}

/* By libsodium alone: what a signature is about, as SECURITY.md says. */
static void test_what_is_signed(void **state)
{
    (void)state;
    sotto_model *m = signed_model();
    unsigned char key[32], secret[64], made[64];
    char hex[129], *bytes = NULL;
    static const char before[] = "sotto model signature 1\n";
    size_t size = strlen(before) + strlen(content);
    bytes = calloc(size + 1, 1);
    snprintf(bytes, size + 1, "%s%s", before, content);
    crypto_sign_seed_keypair(key, secret, seed);
    crypto_sign_detached(made, NULL, (unsigned char *)bytes, size, secret);
    sodium_bin2hex(hex, sizeof hex, made, sizeof made);
    assert_string_equal(m->signature, hex);
    sodium_bin2hex(hex, sizeof hex, key, sizeof key);
    assert_string_equal(sotto_model_signer(m), hex);
    free(bytes);
    sotto_model_free(m);
}

/* No bit of the file can be changed, not even by somebody who makes the
   checksum fit again. */
static void test_every_bit(void **state)
{
    (void)state;
    sotto_model *m = signed_model();
    char *text = text_of(m);
    size_t size = (size_t)(strstr(text, "\"checksum\"") - text);
    int privacy = 0;
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            sotto_error error;
            text[i] = (char)(text[i] ^ 1 << bit);
            char *forged = with_checksum(text, size);
            sotto_status status = try_parse(forged, &error);
            if (status != SOTTO_PRIVACY && status != SOTTO_USAGE)
                fail_msg("byte %zu, bit %d: %d", i, bit, status);
            privacy += status == SOTTO_PRIVACY;
            mem_free(forged);
            text[i] = (char)(text[i] ^ 1 << bit);
        }
    assert_true(privacy > 1000); /* the rest is no model any more */
    assert_int_equal(try_parse(text, NULL), SOTTO_OK);
    mem_free(text);
    sotto_model_free(m);
}

/* Somebody changes one member, in words that make a model. */
static void forge_of(const char *body, const char *from, const char *to)
{
    sotto_model *m = signed_of(body);
    char *text = text_of(m);
    char *at = strstr(text, from);
    assert_non_null(at);
    text_buffer t = {0};
    sotto_error error;
    text_add(&t, text, (size_t)(at - text));
    text_put(&t, to);
    text_put(&t, at + strlen(from));
    size_t size = (size_t)(strstr(t.data, "\"checksum\"") - t.data);
    char *forged = with_checksum(t.data, size);
    assert_int_equal(try_parse(forged, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "m.json: the signature does not"));
    mem_free(forged);
    text_free(&t);
    mem_free(text);
    sotto_model_free(m);
}

static void forge(const char *from, const char *to)
{
    forge_of(content, from, to);
}

static void test_every_member(void **state)
{
    (void)state;
    forge_of(spread_content, "4.94065645841247e-324", "1");
    forge_of(spread_content, "[\n    0,\n    4.9", "[\n    2,\n    4.9");
    forge("\"huber_delta\": 1.35", "\"huber_delta\": 1.36");
    forge("\"units\": \"fit\"", "\"units\": \"file\"");
    forge("\"units\": \"fit\", ", "");
    forge("\"l1\": 0.5", "\"l1\": 0.25");
    forge("\"l2\": 4.94065645841247e-324", "\"l2\": 0");
    forge("[-1, null]", "[-1, 1]");
    forge("[-1, null]", "[-2, null]");
    forge(", \"radius\": 2.5", "");
    forge("  \"undeclared\": \"rows\",\n", "");
    forge("\"bound\": 2", "\"bound\": 3");
    forge("\"centre\": 0.25", "\"centre\": 0");
    forge("-0.125", "0.125");
    forge("\"b\"]", "\"c\"]");
    forge("7976931348623157", "7976931348623155");
    forge("-0.0]", "0]");
    forge("\"noise\": [\n    0.5", "\"noise\": [\n    0.25");
    forge("\"rows\": 1000", "\"rows\": 1001");
    forge("  \"rows\": 1000,\n", "");
    forge("\"bounds\": [0, 1]", "\"bounds\": [0, 2]");
    forge("\"epsilon\": 1", "\"epsilon\": 0.5");
    forge("\"delta\": 1e-06", "\"delta\": 1e-07");
    forge("\"times\": 3", "\"times\": 2");
    forge("{\"b\": 8}", "{\"b\": 4}");
    forge("\"position\": 7", "\"position\": 8");
    forge(",\n    \"ledger\": {\"position\": 7}", "");
    forge("\"delta\": 1e-06,", "\"delta\": 1e-06, \"more\": 1,");
}

/* The same numbers in other words are not what was signed either. */
static void test_other_words(void **state)
{
    (void)state;
    forge("\"rows\": 1000", "\"rows\": 1e3");
    forge("\"l1\": 0.5", "\"l1\": 0.50");
    forge("\"classes\": null,\n  ", "\"classes\": null, ");
    forge("\"loss\": ", "\"loss\":  ");
    forge("},\n  \"checksum\"", "},\n   \"checksum\"");
}

/* A signature of another shape is no signature. */
static void test_shape(void **state)
{
    (void)state;
    static const char key[] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    char text[1200];
    const struct {
        const char *format;
        sotto_status status;
    } cases[] = {
        {"{\"key\": \"%s\", \"ed25519\": \"%s%s\"}", SOTTO_PRIVACY},
        {"{\"ed25519\": \"%2$s%2$s\", \"key\": \"%1$s\"}", SOTTO_PRIVACY},
        {"{\"key\": \"%s\", \"ed25519\": \"%s%s\", \"x\": 1}", SOTTO_USAGE},
        {"{\"key\": \"%s\", \"ed25519\": \"%s\"}", SOTTO_USAGE},
        {"{\"key\": \"A%.63s\", \"ed25519\": \"%s%s\"}", SOTTO_USAGE},
        {"{\"key\": \"%s\", \"ed25519\": \" %s%.63s\"}", SOTTO_USAGE},
        {"{\"key\": \"%s%s\", \"ed25519\": \"%s\"}", SOTTO_USAGE},
        {"{\"key\": 1, \"ed25519\": 2}", SOTTO_USAGE},
        {"{\"key\": \"%s\"}", SOTTO_USAGE},
        {"{}", SOTTO_USAGE},
        {"null", SOTTO_USAGE},
        {"\"\"", SOTTO_USAGE},
        {"[\"%s\"]", SOTTO_USAGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_buffer t = {0};
        sotto_error error;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
        snprintf(text, sizeof text, cases[i].format, key, key, key);
#pragma GCC diagnostic pop
        text_format(&t, "%s\"signature\": %s,\n  ", content, text);
        char *file = with_checksum(t.data, t.length);
        if (try_parse(file, &error) != cases[i].status)
            fail_msg("%s: %s", text, error.message);
        mem_free(file);
        text_free(&t);
    }
}

/* ---- whose it is ---- */

static void refuse_key(sotto_status got, sotto_status expected,
                       const sotto_error *error, const char *words)
{
    assert_int_equal(got, expected);
    if (!strstr(error->message, words))
        fail_msg("\"%s\" is not in: %s", words, error->message);
    assert_null(strchr(error->message, '\n'));
}

static void test_verify(void **state)
{
    (void)state;
    sotto_model *m = signed_model();
    sotto_error error;
    refuse_key(sotto_model_verify(m, public_path, &error), SOTTO_PRIVACY,
               &error, "signed by another key");
    m->key[0] = 0;
    assert_null(sotto_model_signer(m));
    refuse_key(sotto_model_verify(m, public_path, &error), SOTTO_PRIVACY,
               &error, "it is not signed");
    assert_int_equal(sotto_model_sign(m, key_path, &error), SOTTO_OK);
    assert_int_equal(sotto_model_verify(m, public_path, &error), SOTTO_OK);
    m->weight[1] = 1;
    refuse_key(sotto_model_verify(m, public_path, &error), SOTTO_PRIVACY,
               &error, "does not fit");
    sotto_model_free(m);
}

static void test_keys_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_model *m = signed_model();
    refuse_key(sotto_model_verify(m, key_path, &error), SOTTO_USAGE, &error,
               "this is a secret key");
    refuse_key(sotto_model_sign(m, public_path, &error), SOTTO_USAGE, &error,
               "this is a public key");
    refuse_key(sotto_key_check("/nowhere/key", &error), SOTTO_FAILED, &error,
               "cannot read");
    assert_int_equal(sotto_key_check(key_path, &error), SOTTO_OK);
    for (mode_t mode = 0601; mode <= 0677; mode++) {
        if (!(mode & 077))
            continue;
        assert_int_equal(chmod(key_path, mode), 0);
        refuse_key(sotto_key_check(key_path, &error), SOTTO_PRIVACY, &error,
                   "others can read it");
    }
    assert_int_equal(chmod(key_path, 0600), 0);
    sotto_model_free(m);
}

static void write_file(const char *path, const char *text)
{
    unlink(path);
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
    assert_int_equal(chmod(path, 0600), 0);
}

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

static void test_key_files(void **state)
{
    (void)state;
    sotto_error error;
    static const char *const bad[] = {"",
                                      "\n",
                                      "sotto-ed25519-secret-1",
                                      "sotto-ed25519-secret-1 ",
                                      "sotto-ed25519-secret-1 " DIGITS "\n",
                                      "sotto-ed25519-secret-1 " DIGITS "ff\n",
                                      "sotto-ed25519-secret-1 " DIGITS "F\n",
                                      "sotto-ed25519-secret-1  " DIGITS "f\n",
                                      "sotto-ed25519-secret-1 " DIGITS "f\n\n",
                                      "sotto-ed25519-secret-1 " DIGITS "f \n",
                                      "sotto-ed25519-secret-2 " DIGITS "f\n",
                                      " sotto-ed25519-secret-1 " DIGITS "f\n",
                                      "-----BEGIN PRIVATE KEY-----\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(other_path, bad[i]);
        refuse_key(sotto_key_check(other_path, &error), SOTTO_USAGE, &error,
                   "not a secret key");
    }
    write_file(other_path, "sotto-ed25519-secret-1 " DIGITS "f\n");
    assert_int_equal(sotto_key_check(other_path, &error), SOTTO_OK);
    write_file(other_path, "sotto-ed25519-secret-1 " DIGITS "f");
    assert_int_equal(sotto_key_check(other_path, &error), SOTTO_OK);
    sotto_model *m = signed_model();
    write_file(other_path, "ssh-ed25519 AAAA\n");
    refuse_key(sotto_model_verify(m, other_path, &error), SOTTO_USAGE, &error,
               "not a public key");
    unlink(other_path);
    sotto_model_free(m);
}

static char *read_file(const char *path)
{
    static char text[200];
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    text[fread(text, 1, sizeof text - 1, from)] = 0;
    fclose(from);
    return text;
}

/* The text of a key file instead of its name. */
static void test_key_texts(void **state)
{
    (void)state;
    sotto_error error;
    char secret[200], public_key[200], large[5000];
    strcpy(secret, read_file(key_path));
    strcpy(public_key, read_file(public_path));
    memset(large, 'a', sizeof large);
    large[sizeof large - 1] = 0;
    sotto_model *m = signed_model();
    refuse_key(sotto_model_verify_with(m, public_key, &error), SOTTO_PRIVACY,
               &error, "signed by another key");
    assert_int_equal(sotto_model_sign_with(m, secret, &error), SOTTO_OK);
    assert_int_equal(sotto_model_verify(m, public_path, &error), SOTTO_OK);
    assert_int_equal(sotto_model_verify_with(m, public_key, &error), SOTTO_OK);
    char *by_text = text_of(m);
    assert_int_equal(sotto_model_sign(m, key_path, &error), SOTTO_OK);
    char *by_file = text_of(m);
    assert_string_equal(by_text, by_file);
    refuse_key(sotto_model_sign_with(m, public_key, &error), SOTTO_USAGE,
               &error, "the key: not a secret key");
    refuse_key(sotto_model_verify_with(m, secret, &error), SOTTO_USAGE, &error,
               "the key: this is a secret key");
    refuse_key(sotto_model_sign_with(m, key_path, &error), SOTTO_USAGE, &error,
               "not a secret key");
    refuse_key(sotto_model_sign_with(m, large, &error), SOTTO_USAGE, &error,
               "too large");
    refuse_key(sotto_model_verify_with(m, "", &error), SOTTO_USAGE, &error,
               "not a public key");
    m->weight[1] = 1;
    refuse_key(sotto_model_verify_with(m, public_key, &error), SOTTO_PRIVACY,
               &error, "does not fit");
    mem_free(by_text);
    mem_free(by_file);
    sotto_model_free(m);
}

/* ---- made ---- */

static int mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return (int)(about.st_mode & 0777);
}

static void test_new(void **state)
{
    (void)state;
    sotto_error error;
    char path[64], beside[64], kept[200];
    snprintf(path, sizeof path, "%s/new", folder);
    snprintf(beside, sizeof beside, "%s/new.pub", folder);
    mode_t before = umask(0);
    assert_int_equal(sotto_key_new(path, &error), SOTTO_OK);
    umask(before);
    assert_int_equal(mode_of(path), 0600);
    assert_int_equal(mode_of(beside), 0644);
    strcpy(kept, read_file(path));
    assert_int_equal(strlen(kept), strlen("sotto-ed25519-secret-1 \n") + 64);
    assert_int_equal(strncmp(kept, "sotto-ed25519-secret-1 ", 23), 0);
    assert_int_equal(strncmp(read_file(beside), "sotto-ed25519-public-1 ", 23),
                     0);
    refuse_key(sotto_key_new(path, &error), SOTTO_USAGE, &error,
               "never replaces");
    unlink(beside); /* the secret one alone is not replaced either */
    refuse_key(sotto_key_new(path, &error), SOTTO_USAGE, &error,
               "never replaces");
    assert_string_equal(read_file(path), kept);
    assert_int_equal(access(beside, F_OK), -1); /* and nothing is left */
    unlink(path);
    refuse_key(sotto_key_new("/nowhere/key", &error), SOTTO_FAILED, &error,
               "cannot write");
    refuse_key(sotto_key_new("-", &error), SOTTO_USAGE, &error, "name");
}

/* ---- secrets are wiped ---- */

static const char *scripted_name(void)
{
    return "scripted";
}

static uint32_t scripted_word(void)
{
    return 7;
}

static void scripted_bytes(void *out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)out)[i] = (unsigned char)(37 * i + 11);
}

static void seek_seed(const unsigned char bytes[32])
{
    unsigned char key[32], secret[64];
    char hex[65];
    crypto_sign_seed_keypair(key, secret, bytes);
    sodium_bin2hex(hex, sizeof hex, bytes, 32);
    seek(bytes, 32);
    seek(secret, 64);
    seek(hex, 20);
    seek(hex + 40, 20);
}

static void test_wiped(void **state)
{
    (void)state;
    static randombytes_implementation scripted = {
        scripted_name, scripted_word, NULL, NULL, scripted_bytes, NULL};
    unsigned char bytes[32];
    sotto_error error;
    char path[64], beside[64];
    snprintf(path, sizeof path, "%s/wiped", folder);
    snprintf(beside, sizeof beside, "%s/wiped.pub", folder);
    scripted_bytes(bytes, sizeof bytes);
    sotto_model *m = signed_model();
    randombytes_set_implementation(&scripted);
    seek_seed(bytes);
    assert_int_equal(sotto_key_new(path, &error), SOTTO_OK);
    assert_int_equal(sotto_key_check(path, &error), SOTTO_OK);
    assert_int_equal(sotto_model_sign(m, path, &error), SOTTO_OK);
    assert_int_equal(sotto_model_verify(m, path, &error), SOTTO_USAGE);
    const char *line = read_file(path);
    assert_int_equal(sotto_model_sign_with(m, line, &error), SOTTO_OK);
    assert_int_equal(sotto_model_verify_with(m, line, &error), SOTTO_USAGE);
    sotto_model_free(m);
    randombytes_set_implementation(&randombytes_sysrandom_implementation);
    char again[32];
    assert_int_equal(sodium_hex2bin((unsigned char *)again, 32,
                                    read_file(path) + 23, 64, NULL, NULL, NULL),
                     0);
    assert_memory_equal(again, bytes, 32); /* it was sought for what it is */
    assert_not_found();
    unlink(path);
    unlink(beside);
}

/* ---- around all ---- */

static int begin(void **state)
{
    (void)state;
    sotto_error error;
    if (!mkdtemp(folder) || sodium_init() < 0)
        return -1;
    snprintf(key_path, sizeof key_path, "%s/key", folder);
    snprintf(public_path, sizeof public_path, "%s/key.pub", folder);
    snprintf(other_path, sizeof other_path, "%s/other", folder);
    return sotto_key_new(key_path, &error) == SOTTO_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    unlink(key_path);
    unlink(public_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_what_is_signed),
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_every_member),
        cmocka_unit_test(test_other_words),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_keys_refused),
        cmocka_unit_test(test_key_files),
        cmocka_unit_test(test_key_texts),
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_wiped),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
