/*
 * export: the writers of other programs' files. Whoever calls them has checked
 * the statement.
 */
#ifndef SOTTO_EXPORT_H
#define SOTTO_EXPORT_H

#include "model.h"

sotto_status export_sql(text_buffer *t, const sotto_model *m,
                        sotto_error *error);

#endif
