/*
 * Lists of events as people write them: 'T*(RANGE(2/z)+GAUSS(1/z))'.
 *
 *   list    = term {"+" term}
 *   term    = [factor "*"] (EVENT | "(" list ")") {"*" factor}
 *   EVENT   = NAME "(" number {"," number} ")" ["@" adjacency]
 *   number  = product {("+" | "-") product}
 *   product = factor {("*" | "/") factor}
 *   factor  = ["-"] (decimal | name | sqrt | "(" number ")")
 *   sqrt    = "sqrt" "(" number ")"
 */
#include "account.h"
#include "number.h"

#include <math.h>
#include <string.h>

enum { PARSE_DEPTH = 50, PARSE_WORD = 48 };

typedef struct event_parser {
    const char *at, *settings;
    double z;
    account_adjacency adjacency;
    account_list *list;
    sotto_error *error;
    sotto_status status;
    int depth;
} event_parser;

static double parse_fault(event_parser *r, const char *expected)
{
    char near[16] = {0};
    for (size_t i = 0; i < sizeof near - 1 && r->at[i]; i++)
        near[i] = r->at[i] > 31 && r->at[i] < 127 ? r->at[i] : '?';
    if (r->status == SOTTO_OK)
        r->status =
            error_set(r->error, SOTTO_USAGE,
                      "the plan: expected %s before '%s'", expected, near);
    return 0;
}

static char parse_peek(event_parser *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n')
        r->at++;
    return *r->at;
}

static int parse_take(event_parser *r, char c)
{
    if (parse_peek(r) != c)
        return 0;
    r->at++;
    return 1;
}

static int parse_is_letter(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* The word or number at the reader; its length, 0 when it is too long. */
static size_t parse_word(event_parser *r, int number, char word[PARSE_WORD])
{
    size_t n = 0;
    for (;; n++) {
        char c = r->at[n];
        int in = number
                     ? number_is_digit(c) || c == '.' || c == 'e' || c == 'E' ||
                           ((c == '-' || c == '+') && n &&
                            (r->at[n - 1] == 'e' || r->at[n - 1] == 'E'))
                     : parse_is_letter(c) || number_is_digit(c);
        if (!in || n + 1 >= PARSE_WORD)
            break;
        word[n] = c;
    }
    word[n] = 0;
    return n;
}

/* The value of a name in "T=100,K=2"; NaN when it has none. */
static double parse_setting(const event_parser *r, const char *name)
{
    size_t length = strlen(name);
    for (const char *s = r->settings; s && *s;) {
        size_t size = strcspn(s, ",");
        char text[PARSE_WORD];
        double value;
        if (!strncmp(s, name, length) && s[length] == '=' &&
            size - length - 1 < sizeof text) {
            memcpy(text, s + length + 1, size - length - 1);
            text[size - length - 1] = 0;
            return number_whole(text, &value) ? value : NAN;
        }
        s += size + (s[size] == ',');
    }
    return strcmp(name, "z") ? NAN : r->z;
}

static double parse_number(event_parser *r);

static double parse_factor(event_parser *r)
{
    char word[PARSE_WORD];
    double value = 0;
    if (++r->depth > PARSE_DEPTH || r->status != SOTTO_OK)
        return parse_fault(r, "fewer parentheses");
    char c = parse_peek(r);
    if (parse_take(r, '-'))
        value = -parse_factor(r);
    else if (parse_take(r, '(')) {
        value = parse_number(r);
        if (!parse_take(r, ')'))
            parse_fault(r, "a closing parenthesis");
    } else if (number_is_digit(c) || c == '.') {
        r->at += parse_word(r, 1, word);
        if (!number_whole(word, &value))
            parse_fault(r, "a number");
    } else if (parse_is_letter(c)) {
        const char *start = r->at;
        r->at += parse_word(r, 0, word);
        if (!strcmp(word, "sqrt") && parse_peek(r) == '(')
            value = sqrt(parse_factor(r));
        else
            value = parse_setting(r, word);
        if (isnan(value)) {
            r->at = start;
            parse_fault(r, "a number, or a name that --set gives a value,");
        }
    } else
        parse_fault(r, "a number");
    r->depth--;
    return value;
}

static double parse_product(event_parser *r)
{
    double value = parse_factor(r);
    while (r->status == SOTTO_OK) {
        if (parse_take(r, '*'))
            value *= parse_factor(r);
        else if (parse_take(r, '/'))
            value /= parse_factor(r);
        else
            break;
    }
    return value;
}

static double parse_number(event_parser *r)
{
    double value = parse_product(r);
    while (r->status == SOTTO_OK) {
        if (parse_take(r, '+'))
            value += parse_product(r);
        else if (parse_take(r, '-'))
            value -= parse_product(r);
        else
            break;
    }
    return value;
}

static void parse_adjacency(event_parser *r, account_event *e)
{
    for (int i = 0; i < ACCOUNT_ADJACENCIES; i++) {
        const char *name = account_adjacency_name((account_adjacency)i);
        parse_peek(r);
        if (!strncmp(r->at, name, strlen(name))) {
            r->at += strlen(name);
            e->adjacency = (account_adjacency)i;
            return;
        }
    }
    parse_fault(r, "add-remove, replace-one or zero-out");
}

/* An event whose name has been read. */
static void parse_event(event_parser *r, const char *name)
{
    account_event e = {.count = 1, .adjacency = r->adjacency};
    while (e.kind < ACCOUNT_KINDS && strcmp(name, account_kind_name(e.kind)))
        e.kind++;
    if (e.kind == ACCOUNT_KINDS || !parse_take(r, '(')) {
        parse_fault(r, "GAUSS(mu), LAPLACE(e), PURE(e), SUBSAMPLED_GAUSS(q, "
                       "sigma), RANGE(eta), ZCDP(rho) or SHOWN(mu, p)");
        return;
    }
    e.a = parse_number(r);
    if (account_has_second(e.kind)) {
        if (!parse_take(r, ','))
            parse_fault(r, e.kind == ACCOUNT_SHOWN ? "a comma and p"
                                                   : "a comma and sigma");
        e.b = parse_number(r);
    }
    if (!parse_take(r, ')'))
        parse_fault(r, "a closing parenthesis");
    if (parse_take(r, '@'))
        parse_adjacency(r, &e);
    if (r->status == SOTTO_OK)
        r->status = account_add(r->list, e, r->error);
}

/* Whether an event's name and a parenthesis come next. */
static int parse_is_event(event_parser *r, char word[PARSE_WORD])
{
    parse_peek(r);
    if (!parse_is_letter(*r->at))
        return 0;
    size_t n = parse_word(r, 0, word);
    const char *after = r->at + n;
    while (*after == ' ')
        after++;
    return *after == '(' && strcmp(word, "sqrt");
}

/* Whether the parenthesis that comes next has an event in it. */
static int parse_is_round(event_parser *r)
{
    if (parse_peek(r) != '(')
        return 0;
    event_parser probe = *r;
    char word[PARSE_WORD];
    int open = 0;
    for (; *probe.at; probe.at++) {
        open += (*probe.at == '(') - (*probe.at == ')');
        if (!open)
            return 0;
        if (parse_is_letter(*probe.at)) {
            if (parse_is_event(&probe, word))
                return 1;
            size_t n = parse_word(&probe, 0, word);
            probe.at += n ? n - 1 : 0;
        }
    }
    return 0;
}

static void parse_sum(event_parser *r);

/* Applies the count of a term to the rounds it added. */
static void parse_count(event_parser *r, int64_t first, double count)
{
    if (r->status != SOTTO_OK)
        return;
    if (!(count >= 0 && count <= 1e12) || count != floor(count)) {
        parse_fault(r, "a count that is a whole number from 0 to 1e12");
        return;
    }
    account_round *round = &r->list->round[first];
    account_event *e = &r->list->event[round->first];
    if (r->list->rounds == first + 1 && round->size == 1 &&
        round->repeat == 1 && (double)e->count * count <= 1e12)
        e->count *= (int64_t)count;
    else if (count != 1 && first < r->list->rounds)
        r->status = account_repeat(r->list, first, (int64_t)count, r->error);
}

static void parse_term(event_parser *r)
{
    char word[PARSE_WORD];
    double count = 1;
    int64_t first = r->list->rounds;
    if (++r->depth > PARSE_DEPTH) {
        parse_fault(r, "fewer parentheses");
        return;
    }
    while (r->status == SOTTO_OK && !parse_is_event(r, word) &&
           !parse_is_round(r)) {
        count *= parse_factor(r);
        if (!parse_take(r, '*'))
            parse_fault(r, "* and an event");
    }
    if (r->status == SOTTO_OK && parse_is_event(r, word)) {
        r->at += strlen(word);
        parse_event(r, word);
    } else if (parse_take(r, '(')) {
        parse_sum(r);
        if (!parse_take(r, ')'))
            parse_fault(r, "a closing parenthesis");
    }
    while (r->status == SOTTO_OK && parse_take(r, '*'))
        count *= parse_factor(r);
    parse_count(r, first, count);
    r->depth--;
}

static void parse_sum(event_parser *r)
{
    parse_term(r);
    while (r->status == SOTTO_OK && parse_take(r, '+'))
        parse_term(r);
}

/* "T=100,K=2": names and numbers. */
static sotto_status parse_check_settings(const char *settings,
                                         sotto_error *error)
{
    for (const char *s = settings; s && *s;) {
        size_t size = strcspn(s, ","), name = strcspn(s, "=");
        char text[PARSE_WORD];
        double value;
        int good = name && name < size && parse_is_letter(*s) &&
                   size - name - 1 < sizeof text;
        if (good) {
            memcpy(text, s + name + 1, size - name - 1);
            text[size - name - 1] = 0;
            good = number_whole(text, &value) && isfinite(value);
        }
        if (!good)
            return error_set(error, SOTTO_USAGE,
                             "--set: expected NAME=NUMBER, as in T=100");
        for (const char *t = settings; t < s; t += strcspn(t, ",") + 1)
            if (!strncmp(t, s, name + 1))
                return error_set(error, SOTTO_USAGE,
                                 "--set: a name is given two values");
        s += size + (s[size] == ',');
    }
    return SOTTO_OK;
}

sotto_status account_parse(account_list *out, const char *text,
                           const char *settings, double z,
                           account_adjacency adjacency, sotto_error *error)
{
    *out = (account_list){.adjacency = adjacency};
    event_parser r = {text, settings, z, adjacency, out, error, SOTTO_OK, 0};
    r.status = parse_check_settings(settings, error);
    if (r.status == SOTTO_OK)
        parse_sum(&r);
    if (r.status == SOTTO_OK && parse_peek(&r))
        parse_fault(&r, "the end, + or *");
    if (r.status != SOTTO_OK)
        account_free(out);
    return r.status;
}
