/*
 * What the files of 'sotto doctor' share.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli.h"

enum { DOCTOR_NAME = 24 };

/* How many rows each class has, where the target is one of classes: for
   free(). `x` has room for a number of each row. NULL: out of memory. */
int64_t *doctor_class_rows(const sotto_table *t, double *x);

/* The same for people. */
void doctor_classes(const sotto_table *t, const int64_t *rows);

/* , "classes": [...], "class_rows": [...], where there are classes. */
void doctor_json_classes(const sotto_table *t, const int64_t *rows);

/* Without a file: checks the program itself. */
sotto_status doctor_self_test(const cli *c, sotto_error *error);

#endif
