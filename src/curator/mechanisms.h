/*
 * What the curator knows of each mechanism: the row of the table in
 * mechanisms.c.
 */
#ifndef SOTTO_CURATOR_MECHANISMS_H
#define SOTTO_CURATOR_MECHANISMS_H

#include "noise.h"
#include "plan.h"
#include "questions.h"

typedef struct mechanism_row {
    ask_mechanism price;
    unsigned protects; /* 1 << the forms of questions that it can protect */
    int per_score;     /* a choice draws noise for every score */
    int in_buckets;    /* of many scores it draws for few, by noise_buckets */
    double (*drawn)(double level); /* the level that noise is drawn for */
    int (*can_draw)(double scale); /* sensitivity / that level */
    sotto_status (*draw)(noise_stream *stream, double scale, int64_t *out,
                         size_t count, sotto_error *error);
    sotto_status (*draw_one)(noise_stream *stream, double scale, int64_t *out,
                             sotto_error *error); /* NULL: as draw */
    /* of choices: rate is level / (2 sensitivity) */
    sotto_status (*select)(noise_stream *stream, const int64_t *scores,
                           size_t count, double rate, size_t *winner,
                           sotto_error *error);
} mechanism_row;

/* The row of a noise; of what is none, one that protects nothing. */
const mechanism_row *mechanism_of(ask_noise noise);

/* The least double that is not below sensitivity / level: then the event that
   was charged, level, is not less than what is spent. */
double mechanism_scale(double sensitivity, double level);

#endif
