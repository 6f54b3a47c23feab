/*
 * export: the writers of other programs' files. Whoever calls them has checked
 * the statement.
 */
#ifndef SOTTO_EXPORT_H
#define SOTTO_EXPORT_H

#include "model.h"

sotto_status export_sql(text_buffer *t, const sotto_model *m,
                        sotto_error *error);

/* ---- SQL: more than two classes ---- */

/* Each class is compared with those after it, and has columns of its own, of
   which databases take some thousand. */
enum { SQL_MOST_CLASSES = 200 };

/* Below, exp() is subnormal: PostgreSQL would refuse, and 1 + it is 1. */
#define SQL_LEAST_EXPONENT (-708)

sotto_status export_sql_classes(text_buffer *t, const sotto_model *m,
                                sotto_error *error);

/* The score of class k (of others: the score) as a column of this name. */
sotto_status sql_sum(text_buffer *t, const sotto_model *m, int64_t k,
                     const char *name, sotto_error *error);

#endif
