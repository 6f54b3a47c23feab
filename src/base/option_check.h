/*
 * What an option's value may be, and what it says.
 */
#ifndef SOTTO_BASE_OPTION_CHECK_H
#define SOTTO_BASE_OPTION_CHECK_H

#include "base.h"

/* A decimal number, or the word inf. */
int option_parse(const char *value, double *out);

/* "LO,HI": two numbers in order, not both the same infinity. */
int option_parse_pair(const char *value, double *low, double *high);

/* Refuses a value that the option cannot have. */
sotto_status option_check(const sotto_option *o, const char *value,
                          sotto_error *error);

#endif
