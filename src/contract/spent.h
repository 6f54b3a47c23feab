/*
 * spent: MODEL.spent, what a run without a ledger may spend, on the disk before
 * the first record is asked about.
 */
#ifndef SOTTO_SPENT_H
#define SOTTO_SPENT_H

#include "account.h"

/* Refuses where there is a MODEL.spent already, and what is no file: nothing
   can stand beside it. */
sotto_status fit_check_spent(const char *model, sotto_error *error);

/* Writes MODEL.spent, synced, of the statement that the model will have and
   of its events; refuses where there is one already. */
struct json_t;
sotto_status fit_write_spent(const char *model, const struct json_t *statement,
                             const account_list *events, sotto_error *error);

/* Removes MODEL.spent: the model is there. */
sotto_status fit_settle_spent(const char *model, sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(fit_check_spent);
CORE_EXPORT(fit_write_spent);

#endif
