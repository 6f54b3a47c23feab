/*
 * evaluation: how good a model is on records that stay private. All of it is
 * made of noisy answers: it is as releasable as a model.
 */
#ifndef SOTTO_EVALUATION_H
#define SOTTO_EVALUATION_H

#include "model.h"

enum { EVALUATION_VERSION = 1, EVALUATION_HASH = 65 };

struct sotto_evaluation {
    struct json_t *root;   /* all members of the file but the checksum */
    char *statement;       /* of privacy; NULL: NOT PRIVATE */
    double epsilon, delta; /* as the statement has them */
    char *file;            /* that it was read from, for messages, or NULL */
    model_run booked;      /* in memory only */
};

/* Which model it is: the SHA-256 of its file, in hex. */
sotto_status evaluation_hash(char out[EVALUATION_HASH], const sotto_model *m,
                             sotto_error *error);

/* Whether it is of this model. */
sotto_status evaluation_is_of(const sotto_evaluation *e, const sotto_model *m,
                              int *out, sotto_error *error);

/* Takes over the members; what a release may have is checked here. The
   statement is NULL where the run was NOT PRIVATE. */
sotto_status evaluation_new(sotto_evaluation **out, struct json_t *root,
                            const char *name, sotto_error *error);

#endif
