/*
 * What the two files of the stages share (newton_stages.c,
 * newton_stage_matrix.c).
 */
#ifndef SOTTO_SOLVER_NEWTON_STAGES_H
#define SOTTO_SOLVER_NEWTON_STAGES_H

#include "clip.h"
#include "newton_state.h"

#define LEAST_BEND .02 /* of the curvature's bound, or of the mean */
#define LONGEST 1024.  /* in expected lengths, of what is told apart */

typedef struct stages {
    newton_state *s;
    int64_t d;
    double *memory;
    double *first;         /* the second moments */
    double *to, *from;     /* kept = to' z; from = to^-1 */
    double *product;       /* d x d, for whoever needs it */
    double *value;         /* d */
    double *before, *best; /* the points of the stage before, and of this */
    double *last, *moved;  /* the answer before, and the step after it */
    double *pull;          /* d, for the model */
    double *answers;       /* the sum of those that are averaged, */
    double *asked;         /* and of the points that they are about, */
    double *average;       /* and what they make, before noise is taken off */
    int64_t averaged;      /* so many */
    double scale;          /* the mean length of gradients, */
    double square;         /* their mean square, */
    clip_counts lengths;   /* all that is known of them, */
    double longest;        /* where they end, */
    double clip;           /* and where they are cut off */
    double edge;           /* of the noise in the second moments */
    double rare;           /* the part of the rarer class */
    double noise;          /* of a mean of numbers up to 1, with share 1 */
} stages;

/* The second moments, and the coordinates that they make. `times` is the
   curvature of the best constant. */
sotto_status stages_first_matrix(stages *k, double times, sotto_error *error);

/*
 * The curvature at the iterate, in coordinates where it was thought to be the
 * unit matrix. It is drawn to a multiple of that by as much as noise explains
 * of the difference.
 */
sotto_status stages_curvature(stages *k, ask_bend bend, sotto_error *error);

#endif
