/*
 * The part of the agreement that only a run over a network needs: where the
 * coordinator is, everybody's keys, the number of rows, the budget, and how
 * long to wait for a silent party.
 */
#include "config.h"

#include <math.h>
#include <string.h>

enum { MOST_PATIENCE = 30 * 86400, FRAME = 4096 };

/* SHA-256 as 64 digits. */
static int read_hash(const char *text, hash *out)
{
    static const char digits[] = "0123456789abcdef";
    if (!text || strlen(text) != 2 * sizeof out->byte)
        return 0;
    for (size_t i = 0; i < sizeof out->byte; i++) {
        const char *high = memchr(digits, text[2 * i], 16);
        const char *low = memchr(digits, text[2 * i + 1], 16);
        if (!high || !low)
            return 0;
        out->byte[i] = (unsigned char)((high - digits) * 16 + (low - digits));
    }
    return 1;
}

static sotto_status get_key(const reading *r, const json_t *object,
                            const char *key, hash *out, int *has)
{
    const json_t *value = json_object_get(object, key);
    *has = value != NULL;
    if (value && !read_hash(json_string_value(value), out))
        return config_refuse(r, key,
                             "64 digits 0-9a-f: SHA-256 of a certificate's "
                             "public key");
    return SOTTO_OK;
}

/* Letters, digits, dots and hyphens: nothing that could end a line or a URL. */
static int is_host(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    return name && *name && *name != '-' && strlen(name) < 254 &&
           strspn(name, letters) == strlen(name);
}

static sotto_status read_coordinator(const reading *r, const json_t *root,
                                     int *has_key)
{
    federation *f = r->f;
    const json_t *from = json_object_get(root, "coordinator");
    const char *host = json_string_value(json_object_get(from, "host"));
    *has_key = 0;
    if (!from)
        return SOTTO_OK;
    sotto_status status =
        config_keys(r, from, "coordinator", " host port key ");
    if (status == SOTTO_OK && !is_host(host))
        status = config_refuse(r, "coordinator", "\"host\": its name");
    if (status == SOTTO_OK)
        status = config_integer(r, from, "port", 1, 65535, &f->port);
    if (status == SOTTO_OK)
        status = get_key(r, from, "key", &f->coordinator_key, has_key);
    if (status != SOTTO_OK)
        return status;
    f->host = mem_text(host);
    return f->host ? SOTTO_OK : error_memory(r->error);
}

static sotto_status read_budget(const reading *r, const json_t *root)
{
    federation *f = r->f;
    const json_t *spent = json_object_get(root, "spent");
    const json_t *epsilon = json_object_get(root, "epsilon");
    const char *word = json_string_value(epsilon);
    sotto_status status = SOTTO_OK;
    if (word && !strcmp(word, "inf"))
        f->agreed_epsilon = INFINITY;
    else
        status = config_number(r, root, "epsilon", 0x1p-1022, 1e300,
                               &f->agreed_epsilon);
    if (status == SOTTO_OK)
        status =
            config_number(r, root, "delta", 0x1p-1022, .5, &f->agreed_delta);
    if (status == SOTTO_OK && spent)
        status = config_keys(r, spent, "spent", " epsilon delta ");
    if (status == SOTTO_OK)
        status =
            config_number(r, spent, "epsilon", 0, 1e300, &f->spent_epsilon);
    if (status == SOTTO_OK)
        status = config_number(r, spent, "delta", 0, 1, &f->spent_delta);
    return status;
}

static sotto_status read_id(const reading *r, const json_t *root)
{
    const json_t *value = json_object_get(root, "id");
    const char *id = json_string_value(value);
    if (!value)
        return SOTTO_OK;
    if (!id || !*id || !strcmp(id, r->f->target))
        return config_refuse(r, "id", "the name of a column of ids");
    r->f->id = mem_text(id);
    return r->f->id ? SOTTO_OK : error_memory(r->error);
}

/* Whether no two have the same key. */
static int keys_differ(const federation *f)
{
    for (int k = 0; k < f->parties; k++) {
        const hash *key = &f->party[k].key;
        if (!f->party[k].has_key)
            continue;
        if (f->has_keys && (hash_same(key, &f->coordinator_key) ||
                            hash_same(key, &f->authority_key)))
            return 0;
        for (int i = 0; i < k; i++)
            if (f->party[i].has_key && hash_same(key, &f->party[i].key))
                return 0;
    }
    return 1;
}

static sotto_status read_keys(const reading *r, const json_t *root)
{
    federation *f = r->f;
    int has_authority = 0, has_coordinator = 0;
    sotto_status status = read_coordinator(r, root, &has_coordinator);
    if (status == SOTTO_OK)
        status =
            get_key(r, root, "authority", &f->authority_key, &has_authority);
    const json_t *list = json_object_get(root, "parties");
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++)
        status = get_key(r, json_array_get(list, (size_t)k), "key",
                         &f->party[k].key, &f->party[k].has_key);
    f->has_keys = has_authority && has_coordinator;
    if (status == SOTTO_OK && !keys_differ(f))
        status = config_refuse(r, "key", "a different key for everybody");
    return status;
}

sotto_status config_network(const reading *r, const json_t *root)
{
    federation *f = r->f;
    f->patience = 3600;
    f->port = 7443;
    sotto_status status =
        config_integer(r, root, "rows", 1, UINT32_MAX, &f->agreed_rows);
    if (status == SOTTO_OK)
        status =
            config_integer(r, root, "patience", 1, MOST_PATIENCE, &f->patience);
    if (status == SOTTO_OK)
        status =
            config_word(r, root, "absent", "end", "skip", &f->absent_skips);
    if (status == SOTTO_OK)
        status = read_budget(r, root);
    if (status == SOTTO_OK)
        status = read_id(r, root);
    return status == SOTTO_OK ? read_keys(r, root) : status;
}

/* ---- what a run asks of it ---- */

sotto_status federation_check_agreed(const federation *f, const char *name,
                                     int with_keys, sotto_error *error)
{
    const reading r = {.name = name, .error = error};
    if (!f->agreed_rows)
        return config_refuse(&r, "the file", "\"rows\": how many all have");
    if (!(f->agreed_epsilon > 0))
        return config_refuse(&r, "the file", "\"epsilon\": the budget");
    if (isfinite(f->agreed_epsilon) && !(f->agreed_delta > 0))
        return config_refuse(&r, "the file",
                             "\"delta\": the probability with which epsilon "
                             "may fail");
    if (!f->id)
        return config_refuse(&r, "the file",
                             "\"id\": the column that names a row, which "
                             "everybody has");
    if (!f->host)
        return config_refuse(&r, "the file",
                             "\"coordinator\": {\"host\", \"port\"}");
    int all = f->has_keys;
    for (int k = 0; k < f->parties; k++)
        all &= f->party[k].has_key;
    if (with_keys && !all)
        return config_refuse(&r, "the file",
                             "\"authority\", and a \"key\" for the "
                             "coordinator and each party; see 'sotto federate "
                             "keygen'");
    return SOTTO_OK;
}

sotto_status federation_settle_agreed(federation *f, const char *name,
                                      int with_keys, sotto_error *error)
{
    sotto_status status = federation_check_agreed(f, name, with_keys, error);
    if (status != SOTTO_OK)
        return status;
    f->rows = f->agreed_rows;
    f->epsilon = f->agreed_epsilon;
    f->delta = isfinite(f->epsilon) ? f->agreed_delta : 0;
    return federation_settle(f, error);
}

int federation_whose(const federation *f, const hash *key)
{
    for (int k = 0; k < f->parties; k++)
        if (f->party[k].has_key && hash_same(&f->party[k].key, key))
            return k;
    return -1;
}

size_t federation_most_up(const federation *f)
{
    return FRAME + 8 * (size_t)f->buckets;
}

size_t federation_most_down(const federation *f)
{
    size_t columns = 0, tags = 40 * (size_t)f->parties;
    for (int k = 0; k < f->parties; k++)
        columns += (size_t)federation_columns(f, k);
    size_t numbers =
        columns > (size_t)f->buckets ? columns : (size_t)f->buckets;
    return FRAME + (8 * numbers > tags ? 8 * numbers : tags);
}
