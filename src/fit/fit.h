/*
 * What the files of fit share.
 */
#ifndef SOTTO_FIT_FIT_H
#define SOTTO_FIT_FIT_H

#include "account.h"
#include "data.h"
#include "loss.h"
#include "model.h"
#include "option.h"
#include "solver.h"
#include "spent.h"

/* The problem that the options make, in stored units. */
typedef struct fit_task {
    loss loss;
    double l1, l2, low, high;
    model_units units; /* of l1 and l2 */
    double radius;     /* of one L1 ball of all weights; infinite: none */
    int intercept;
    int one_versus_rest; /* how three classes and more are learned */
} fit_task;

fit_task fit_read_task(const sotto_options *options);

/* A model with everything but its weights. */
sotto_status fit_begin(sotto_model **out, const fit_task *task,
                       const sotto_table *t, sotto_error *error);

/* The maps of a table's columns: they outlive it. */
typedef struct fit_maps {
    int64_t features;
    double *centre, *half;
    double target_centre, target_half;
    int64_t *whole; /* table_whole_levels */
} fit_maps;

sotto_status fit_copy_maps(fit_maps *out, const sotto_table *t,
                           sotto_error *error);
void fit_free_maps(fit_maps *maps);

/* Weights in stored units become those of the model. */
void fit_set_weights(sotto_model *m, const fit_maps *maps, const double *weight,
                     double intercept);

/* The same of each class, where there are three or more. */
void fit_set_classes(sotto_model *m, const fit_maps *maps, const double *weight,
                     const double *intercept);

/* What stored columns' spread was taken to be becomes the model's scales. */
void fit_set_scales(sotto_model *m, const fit_maps *maps, double *spread);

/* ---- exact.c ---- */

sotto_status fit_check_exact(const sotto_options *options, sotto_error *error);

sotto_status fit_exact(sotto_model **out, const sotto_table *t,
                       const sotto_options *options,
                       const sotto_progress_callback *callback,
                       sotto_error *error);

/* ---- exact_spread.c: penalties in units of spread ---- */

/* A table whose columns are divided by their standard deviation. It shares the
   rest with the one that it is of. */
typedef struct fit_scaled {
    sotto_table table;
    double *spread; /* of stored columns; 0: one value */
    double *value;
    int64_t count;
} fit_scaled;

/* To be freed whatever the status. */
sotto_status fit_scale_table(fit_scaled *s, const sotto_table *t, int intercept,
                             sotto_error *error);
void fit_free_scaled(fit_scaled *s);

/* Its weights become those of the columns as they are stored. */
void fit_unscale(const fit_scaled *s, double *weight);

/* ---- private.c ---- */

sotto_status fit_check_private(const sotto_options *options,
                               sotto_error *error);

/* Takes the table, as the curator does. */
sotto_status fit_private(sotto_model **out, sotto_table **table,
                         const sotto_options *options,
                         const sotto_progress_callback *callback,
                         sotto_error *error);

#endif
