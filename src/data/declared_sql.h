/*
 * declared_sql: what the writers of SQL share. Each kind of column has one,
 * which returns how large its term can be, in size.
 */
#ifndef SOTTO_DECLARED_SQL_H
#define SOTTO_DECLARED_SQL_H

#include "declared.h"
#include "schema.h"

/* r."name" */
void sql_column(text_buffer *t, const column *c);

/* 'a', 'b', 'c' */
void sql_list(text_buffer *t, char *const *word, int64_t count);

/* `weight`: of the column's first feature. */
double sql_number(text_buffer *t, const column *c, const schema *s,
                  declared_sum sum, const double *weight);
double sql_date(text_buffer *t, const column *c, const schema *s,
                declared_sum sum, const double *weight);
double sql_boolean(text_buffer *t, const column *c, const schema *s,
                   declared_sum sum, const double *weight);

#endif
