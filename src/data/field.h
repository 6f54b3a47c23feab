/*
 * field: a field of text, as CSV has them, and what is stored of it.
 */
#ifndef SOTTO_FIELD_H
#define SOTTO_FIELD_H

#include "block.h"

/* Whether the column is about texts: a category, a class by name, a person, a
   part. */
int field_is_text(const column_plan *p, const column *c);

/* A field: the blanks around it do not count, unless it is `quoted` and the
   column is about texts. The bytes are followed by SOURCE_PADDING others that
   may be read, of which the first ends a number. 0: the row is bad. */
int field_value(worker *w, const column *c, const char *text, size_t size,
                int quoted, const char **expected);

/* A text that is not empty, in a column that is about texts. */
int field_text(worker *w, const column *c, const char *text, size_t size,
               const char **expected);

#endif
