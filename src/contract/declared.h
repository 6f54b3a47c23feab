/*
 * declared: what a schema says of columns, for programs that have other files
 * than ours. Declarations alone: no record and no table is seen through this
 * header.
 */
#ifndef SOTTO_DECLARED_H
#define SOTTO_DECLARED_H

#include "base.h"

/* Which sum over the columns of a row. */
typedef enum declared_sum {
    DECLARED_SCORE, /* of weights times values, in the units of the file */
    DECLARED_SQUARE /* of squares of the values as they are stored */
} declared_sum;

/* The features of a model, one by one, and their weights. */
typedef struct declared_features {
    char *const *name;
    const double *weight;
    int64_t count;
} declared_features;

/* A number of SQL that is never taken for an integer, and a text of it in
   quotes. The number is finite. */
void declared_sql_number(text_buffer *t, double x);
void declared_sql_text(text_buffer *t, const char *text);

/*
 * The sum as an expression of SQL, about a row that is called r. It is NULL
 * for a row that the reader would refuse. *reach: no row's score is larger in
 * size. Refused where the features are not those of the schema, in its order.
 */
sotto_status declared_sql(text_buffer *t, const char *schema, declared_sum sum,
                          const declared_features *features, double *reach,
                          sotto_error *error);

/* How far the number goes that the column becomes, by its declaration, in the
   units of the file (of a date, days); NaN: it is not declared, or the column
   becomes no number. Fails when memory is out. */
struct json_t;
sotto_status declared_range(double *range, struct json_t *column,
                            sotto_error *error);

#endif
