/*
 * text_set: texts and their numbers, from 0 on in the order in which they are
 * seen. Texts are compared whole: a hash alone could make two of them one.
 */
#ifndef SOTTO_TEXT_SET_H
#define SOTTO_TEXT_SET_H

#include "base.h"

typedef struct text_slot {
    const char *text; /* NULL: free */
    size_t size;
    int64_t number;
} text_slot;

typedef struct text_set {
    text_slot *slot;
    size_t slots; /* a power of two */
    int64_t count;
} text_set;

/* The number of this text, which stays the caller's; -1: out of memory. */
int64_t text_set_number(text_set *set, const char *bytes, size_t size);

/* Wipes and frees it. */
void text_set_free(text_set *set);

#endif
