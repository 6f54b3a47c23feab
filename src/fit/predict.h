/*
 * How a file is read for a model.
 */
#ifndef SOTTO_FIT_PREDICT_H
#define SOTTO_FIT_PREDICT_H

#include "model.h"

/* The options that a file for this model is read with; the caller frees them
   whatever the status. */
sotto_status predict_options(sotto_options **out, const sotto_model *m,
                             int labelled, const sotto_options *options,
                             sotto_error *error);

/* Scores of all classes of one row become probabilities; NaN stays. */
void predict_chances(const sotto_model *m, double *row);

#endif
