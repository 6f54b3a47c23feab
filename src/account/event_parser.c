/*
 * Plans: 'T*(RANGE(2/z)+GAUSS(1/z))'.
 *
 *   plan   = term {"+" term}
 *   term   = [factor "*"] (EVENT | "(" plan ")") {"*" factor}
 *   EVENT  = NAME "(" number {"," number} ")" ["@" adjacency]
 *   number = product {("+" | "-") product},  product = factor {("*" | "/")
 * factor} factor = ["-"] (decimal | name | "sqrt" "(" number ")" | "(" number
 * ")")
 */
#include "account.h"
#include "number.h"

#include <math.h>
#include <string.h>

enum { PLAN_DEPTH = 50, PLAN_WORD = 48 };

typedef struct plan_reader {
    const char *at, *settings;
    double free_value;
    account_adjacency adjacency;
    account_list *list;
    sotto_error *error;
    sotto_status status;
    int depth;
} plan_reader;

static double plan_fault(plan_reader *r, const char *expected)
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

static char plan_peek(plan_reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n')
        r->at++;
    return *r->at;
}

static int plan_take(plan_reader *r, char c)
{
    if (plan_peek(r) != c)
        return 0;
    r->at++;
    return 1;
}

static int plan_is_letter(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* The word or number at the reader; its length, 0 when it is too long. */
static size_t plan_word(plan_reader *r, int number, char word[PLAN_WORD])
{
    size_t n = 0;
    for (;; n++) {
        char c = r->at[n];
        int in = number
                     ? number_is_digit(c) || c == '.' || c == 'e' || c == 'E' ||
                           ((c == '-' || c == '+') && n &&
                            (r->at[n - 1] == 'e' || r->at[n - 1] == 'E'))
                     : plan_is_letter(c) || number_is_digit(c);
        if (!in || n + 1 >= PLAN_WORD)
            break;
        word[n] = c;
    }
    word[n] = 0;
    return n;
}

/* The value of a name in "T=100,K=2"; NaN when it has none. */
static double plan_setting(const plan_reader *r, const char *name)
{
    size_t length = strlen(name);
    for (const char *s = r->settings; s && *s;) {
        size_t size = strcspn(s, ",");
        char text[PLAN_WORD];
        double value;
        if (!strncmp(s, name, length) && s[length] == '=' &&
            size - length - 1 < sizeof text) {
            memcpy(text, s + length + 1, size - length - 1);
            text[size - length - 1] = 0;
            return number_whole(text, &value) ? value : NAN;
        }
        s += size + (s[size] == ',');
    }
    return strcmp(name, "z") ? NAN : r->free_value;
}

static double plan_number(plan_reader *r);

static double plan_factor(plan_reader *r)
{
    char word[PLAN_WORD];
    double value = 0;
    if (++r->depth > PLAN_DEPTH || r->status != SOTTO_OK)
        return plan_fault(r, "fewer parentheses");
    char c = plan_peek(r);
    if (plan_take(r, '-'))
        value = -plan_factor(r);
    else if (plan_take(r, '(')) {
        value = plan_number(r);
        if (!plan_take(r, ')'))
            plan_fault(r, "a closing parenthesis");
    } else if (number_is_digit(c) || c == '.') {
        r->at += plan_word(r, 1, word);
        if (!number_whole(word, &value))
            plan_fault(r, "a number");
    } else if (plan_is_letter(c)) {
        const char *start = r->at;
        r->at += plan_word(r, 0, word);
        if (!strcmp(word, "sqrt") && plan_peek(r) == '(')
            value = sqrt(plan_factor(r));
        else
            value = plan_setting(r, word);
        if (isnan(value)) {
            r->at = start;
            plan_fault(r, "a number, or a name that --set gives a value,");
        }
    } else
        plan_fault(r, "a number");
    r->depth--;
    return value;
}

static double plan_product(plan_reader *r)
{
    double value = plan_factor(r);
    while (r->status == SOTTO_OK) {
        if (plan_take(r, '*'))
            value *= plan_factor(r);
        else if (plan_take(r, '/'))
            value /= plan_factor(r);
        else
            break;
    }
    return value;
}

static double plan_number(plan_reader *r)
{
    double value = plan_product(r);
    while (r->status == SOTTO_OK) {
        if (plan_take(r, '+'))
            value += plan_product(r);
        else if (plan_take(r, '-'))
            value -= plan_product(r);
        else
            break;
    }
    return value;
}

static void plan_adjacency(plan_reader *r, account_event *e)
{
    for (int i = 0; i < ACCOUNT_ADJACENCIES; i++) {
        const char *name = account_adjacency_name((account_adjacency)i);
        plan_peek(r);
        if (!strncmp(r->at, name, strlen(name))) {
            r->at += strlen(name);
            e->adjacency = (account_adjacency)i;
            return;
        }
    }
    plan_fault(r, "add-remove, replace-one or zero-out");
}

/* An event whose name has been read. */
static void plan_event(plan_reader *r, const char *name)
{
    account_event e = {.count = 1, .adjacency = r->adjacency};
    while (e.kind < ACCOUNT_KINDS && strcmp(name, account_kind_name(e.kind)))
        e.kind++;
    if (e.kind == ACCOUNT_KINDS || !plan_take(r, '(')) {
        plan_fault(r, "GAUSS(mu), LAPLACE(e), PURE(e), SUBSAMPLED_GAUSS(q, "
                      "sigma), RANGE(eta) or ZCDP(rho)");
        return;
    }
    e.a = plan_number(r);
    if (e.kind == ACCOUNT_SUBSAMPLED) {
        if (!plan_take(r, ','))
            plan_fault(r, "a comma and sigma");
        e.b = plan_number(r);
    }
    if (!plan_take(r, ')'))
        plan_fault(r, "a closing parenthesis");
    if (plan_take(r, '@'))
        plan_adjacency(r, &e);
    if (r->status == SOTTO_OK)
        r->status = account_add(r->list, e, r->error);
}

/* Whether an event's name and a parenthesis come next. */
static int plan_is_event(plan_reader *r, char word[PLAN_WORD])
{
    plan_peek(r);
    if (!plan_is_letter(*r->at))
        return 0;
    size_t n = plan_word(r, 0, word);
    const char *after = r->at + n;
    while (*after == ' ')
        after++;
    return *after == '(' && strcmp(word, "sqrt");
}

/* Whether the parenthesis that comes next has an event in it. */
static int plan_is_round(plan_reader *r)
{
    if (plan_peek(r) != '(')
        return 0;
    plan_reader probe = *r;
    char word[PLAN_WORD];
    int open = 0;
    for (; *probe.at; probe.at++) {
        open += (*probe.at == '(') - (*probe.at == ')');
        if (!open)
            return 0;
        if (plan_is_letter(*probe.at)) {
            if (plan_is_event(&probe, word))
                return 1;
            size_t n = plan_word(&probe, 0, word);
            probe.at += n ? n - 1 : 0;
        }
    }
    return 0;
}

static void plan_sum(plan_reader *r);

/* Applies the count of a term to the rounds it added. */
static void plan_count(plan_reader *r, int64_t first, double count)
{
    if (r->status != SOTTO_OK)
        return;
    if (!(count >= 0 && count <= 1e12) || count != floor(count)) {
        plan_fault(r, "a count that is a whole number from 0 to 1e12");
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

static void plan_term(plan_reader *r)
{
    char word[PLAN_WORD];
    double count = 1;
    int64_t first = r->list->rounds;
    if (++r->depth > PLAN_DEPTH) {
        plan_fault(r, "fewer parentheses");
        return;
    }
    while (r->status == SOTTO_OK && !plan_is_event(r, word) &&
           !plan_is_round(r)) {
        count *= plan_factor(r);
        if (!plan_take(r, '*'))
            plan_fault(r, "* and an event");
    }
    if (r->status == SOTTO_OK && plan_is_event(r, word)) {
        r->at += strlen(word);
        plan_event(r, word);
    } else if (plan_take(r, '(')) {
        plan_sum(r);
        if (!plan_take(r, ')'))
            plan_fault(r, "a closing parenthesis");
    }
    while (r->status == SOTTO_OK && plan_take(r, '*'))
        count *= plan_factor(r);
    plan_count(r, first, count);
    r->depth--;
}

static void plan_sum(plan_reader *r)
{
    plan_term(r);
    while (r->status == SOTTO_OK && plan_take(r, '+'))
        plan_term(r);
}

/* "T=100,K=2": names and numbers. */
static sotto_status plan_check_settings(const char *settings,
                                        sotto_error *error)
{
    for (const char *s = settings; s && *s;) {
        size_t size = strcspn(s, ","), name = strcspn(s, "=");
        char text[PLAN_WORD];
        double value;
        int good = name && name < size && plan_is_letter(*s) &&
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

sotto_status account_plan(account_list *out, const char *plan,
                          const char *settings, double free_value,
                          account_adjacency adjacency, sotto_error *error)
{
    *out = (account_list){.adjacency = adjacency};
    plan_reader r = {plan, settings, free_value, adjacency,
                     out,  error,    SOTTO_OK,   0};
    r.status = plan_check_settings(settings, error);
    if (r.status == SOTTO_OK)
        plan_sum(&r);
    if (r.status == SOTTO_OK && plan_peek(&r))
        plan_fault(&r, "the end, + or *");
    if (r.status != SOTTO_OK)
        account_free(out);
    return r.status;
}
