/*
 * Signatures of models: Ed25519 over the text that a model has in its one
 * form, with its statement, up to the signature itself.
 */
#include "file.h"
#include "key.h"
#include "model.h"

#include <sodium.h>
#include <string.h>

_Static_assert(MODEL_KEY == 2 * crypto_sign_PUBLICKEYBYTES + 1 &&
                   MODEL_SIGNATURE == 2 * crypto_sign_BYTES + 1,
               "Ed25519");

/* Before what is signed: whatever else a key signs, it cannot be taken for a
   model. */
static const char domain[] = "sotto model signature 1\n";
enum { DOMAIN = sizeof domain - 1 };

static sotto_status signed_text(const sotto_model *m, text_buffer *t,
                                sotto_error *error)
{
    text_add(t, domain, DOMAIN);
    return model_put_body(m, t, error);
}

static int holds(const sotto_model *m, const text_buffer *t)
{
    unsigned char key[crypto_sign_PUBLICKEYBYTES], made[crypto_sign_BYTES];
    return !sodium_hex2bin(key, sizeof key, m->key, MODEL_KEY - 1, NULL, NULL,
                           NULL) &&
           !sodium_hex2bin(made, sizeof made, m->signature, MODEL_SIGNATURE - 1,
                           NULL, NULL, NULL) &&
           !crypto_sign_verify_detached(made, (const unsigned char *)t->data,
                                        t->length, key);
}

static sotto_status refuse(const char *name, sotto_error *error)
{
    return error_set(error, SOTTO_PRIVACY,
                     "%s: the signature does not fit: the model or its "
                     "statement was changed after it was signed; do not rely "
                     "on it, take a whole copy from whoever signed it",
                     show_name(name).text);
}

/* ---- made ---- */

sotto_status model_sign(sotto_model *m, const unsigned char seed[32],
                        sotto_error *error)
{
    unsigned char key[crypto_sign_PUBLICKEYBYTES], made[crypto_sign_BYTES];
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    text_buffer t = {0};
    sotto_status status = key_ready(error);
    if (status == SOTTO_OK)
        status = signed_text(m, &t, error);
    if (status == SOTTO_OK) {
        crypto_sign_seed_keypair(key, secret, seed);
        crypto_sign_detached(made, NULL, (const unsigned char *)t.data,
                             t.length, secret);
        mem_wipe(secret, sizeof secret);
        sodium_bin2hex(m->key, sizeof m->key, key, sizeof key);
        sodium_bin2hex(m->signature, sizeof m->signature, made, sizeof made);
    }
    text_free(&t);
    return status;
}

sotto_status sotto_model_sign(sotto_model *m, const char *key,
                              sotto_error *error)
{
    unsigned char seed[KEY_BYTES];
    sotto_status status = key_read_secret(seed, key, error);
    if (status == SOTTO_OK)
        status = model_sign(m, seed, error);
    mem_wipe(seed, sizeof seed);
    return status;
}

sotto_status sotto_model_sign_with(sotto_model *m, const char *key_text,
                                   sotto_error *error)
{
    unsigned char seed[KEY_BYTES];
    sotto_status status = key_parse_secret(seed, key_text, error);
    if (status == SOTTO_OK)
        status = model_sign(m, seed, error);
    mem_wipe(seed, sizeof seed);
    return status;
}

void model_put_signature(text_buffer *t, const sotto_model *m)
{
    if (*m->key)
        text_format(t,
                    "\"signature\": {\"key\": \"%s\", \"ed25519\": \"%s\"},"
                    "\n  ",
                    m->key, m->signature);
}

/* ---- checked ---- */

int model_read_signature(sotto_model *m, const json_t *root)
{
    const json_t *all = json_object_get(root, "signature");
    const char *key = json_string_value(json_object_get(all, "key"));
    const char *made = json_string_value(json_object_get(all, "ed25519"));
    if (!all)
        return 1;
    if (!key || !made || json_object_size(all) != 2 ||
        !key_is_hex(key, MODEL_KEY - 1) ||
        !key_is_hex(made, MODEL_SIGNATURE - 1))
        return 0;
    memcpy(m->key, key, MODEL_KEY);
    memcpy(m->signature, made, MODEL_SIGNATURE);
    return 1;
}

/* The file is the model's one form, byte for byte: what somebody wrote there
   in another way, and what was not understood, is not signed. */
sotto_status model_check_signature(const sotto_model *m, const char *name,
                                   const char *bytes, size_t size,
                                   sotto_error *error)
{
    char tail[48];
    text_buffer t = {0};
    sotto_status status = *m->key ? key_ready(error) : SOTTO_OK;
    if (!*m->key || status != SOTTO_OK)
        return status;
    status = signed_text(m, &t, error);
    int fine = status == SOTTO_OK && holds(m, &t);
    model_put_signature(&t, m);
    if (!t.failed) {
        model_tail(tail, t.data + DOMAIN, t.length - DOMAIN);
        text_put(&t, tail);
    }
    if (status == SOTTO_OK && t.failed)
        status = error_memory(error);
    if (status == SOTTO_OK && !(fine && t.length - DOMAIN == size &&
                                !memcmp(t.data + DOMAIN, bytes, size)))
        status = refuse(name, error);
    text_free(&t);
    return status;
}

const char *sotto_model_signer(const sotto_model *m)
{
    return *m->key ? m->key : NULL;
}

static sotto_status check_signer(const sotto_model *m, const char *key,
                                 const char *path, sotto_error *error)
{
    shown name = show_name(m->file ? m->file : "a model");
    if (!*m->key)
        return error_set(error, SOTTO_PRIVACY,
                         "%s: it is not signed; expected a signature by the "
                         "key of %s",
                         name.text, show_name(path).text);
    if (strcmp(m->key, key))
        return error_set(error, SOTTO_PRIVACY,
                         "%s: signed by another key, %.16s; expected that of "
                         "%s, %.16s",
                         name.text, m->key, show_name(path).text, key);
    return SOTTO_OK;
}

/* `path`: of the key, or what stands for it. */
static sotto_status verify_by(const sotto_model *m, const char *key,
                              const char *path, sotto_error *error)
{
    text_buffer t = {0};
    sotto_status status = check_signer(m, key, path, error);
    if (status == SOTTO_OK)
        status = signed_text(m, &t, error);
    if (status == SOTTO_OK && !holds(m, &t))
        status = refuse(m->file ? m->file : "a model", error);
    text_free(&t);
    return status;
}

sotto_status sotto_model_verify(const sotto_model *m, const char *public_key,
                                sotto_error *error)
{
    char key[KEY_TEXT];
    sotto_status status = key_ready(error);
    if (status == SOTTO_OK)
        status = key_read_public(key, public_key, error);
    return status == SOTTO_OK ? verify_by(m, key, public_key, error) : status;
}

sotto_status sotto_model_verify_with(const sotto_model *m,
                                     const char *public_key_text,
                                     sotto_error *error)
{
    char key[KEY_TEXT];
    sotto_status status = key_ready(error);
    if (status == SOTTO_OK)
        status = key_parse_public(key, public_key_text, error);
    return status == SOTTO_OK ? verify_by(m, key, "that text", error) : status;
}
