/*
 * The solver's own header: where to cut off what is long, from a noisy
 * histogram of lengths. All of it is post-processing of answers.
 */
#ifndef SOTTO_SOLVER_CLIP_H
#define SOTTO_SOLVER_CLIP_H

#include "base.h"

/*
 * A histogram of lengths with ranges half an octave wide, the shortest first.
 * The ranges end at edge[k]; the last one has all that is longer, too. After
 * clip_fit `count` is what is believed of it.
 */
enum { CLIP_RANGES = 36 };

typedef struct clip_counts {
    double edge[CLIP_RANGES], count[CLIP_RANGES];
    double answer[CLIP_RANGES]; /* as it was answered, */
    double sd;                  /* with this noise in each range */
    double rows;                /* how many rows there are */
    double least;               /* what the best law costs, once fitted */
} clip_counts;

/* Falling edges to ask with, for lengths up to about `most`: CLIP_RANGES - 1
   of them. */
void clip_edges(double most, double *edge);

/* From CLIP_RANGES answers to such edges. */
void clip_answered(clip_counts *h, double most, const double *answer, double sd,
                   double rows);

/*
 * What noise lets one believe: the answers up to some range, and above it a
 * generalised Pareto law. Where the law begins is chosen by likelihood, with a
 * price for each range that is left free.
 */
void clip_fit(clip_counts *h);

/* No length is above `most`, whatever the law says. What the answers show
   beyond doubt counts all the same. */
void clip_end(clip_counts *h, double most);

/* The mean length. */
double clip_mean(const clip_counts *h);

/* The mean square of the lengths. */
double clip_mean_square(const clip_counts *h);

/* The mean of what is longer than c, less c. */
double clip_lost(const clip_counts *h, double c);

/* The same, with the lengths of a range spread evenly over it, and not all in
   its middle: a clip may be there. No less than clip_lost. */
double clip_lost_spread(const clip_counts *h, double c);

/* What may be lost: of all tails that the answers allow, no length above
   `most`, the mean and once its sd. No less than clip_lost_spread. */
double clip_lost_doubted(const clip_counts *h, double c, double most);

/* The c that makes (aligned x what is cut off)^2 + (noise x c)^2 least. */
double clip_best(const clip_counts *h, double aligned, double noise);

#endif
