/*
 * What reading and checking a statement of privacy share.
 */
#ifndef ACCOUNT_STATEMENT_H
#define ACCOUNT_STATEMENT_H

#include "internal.h"
#include "json.h"

/*
 * A claim may be below the price by this part of it: on another machine the
 * last bits of logarithms differ, and the search for an epsilon ends within
 * 1e-7 of it.
 */
#define STATED_LESS 1e-6

typedef struct stated {
    const json_t *statement;
    const char *name;
    account_adjacency adjacency;
    int ordered;
    int blocks; /* whether its rows may be asked by blocks */
    sotto_error *error;
} stated;

/* SOTTO_USAGE: it cannot be checked. */
sotto_status stated_refuse(const stated *s, const char *expected);

/* A member that is a number, or NaN; one that is a text, or "". */
double stated_number(const json_t *from, const char *key);
const char *stated_word(const json_t *from, const char *key);

/* Whether it is a list of objects: what is no list would be taken for an
   empty one. */
int stated_is_list(const json_t *list);

/* The events of a promise's questions, to be freed whatever the status. */
sotto_status stated_events(const stated *s, const json_t *promise,
                           account_list *out);

/* Whether what was chosen from answers is within what was left for it. */
sotto_status stated_check_chosen(const stated *s);

#endif
