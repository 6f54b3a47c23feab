/*
 * What the files of `sotto show` share.
 */
#ifndef SOTTO_CLI_SHOW_H
#define SOTTO_CLI_SHOW_H

#include "cli.h"

enum { SHOW_NAME = 28, SHOW_CLASSES = 50 };

typedef struct show_weight {
    double weight;
    int64_t feature, class; /* of three classes and more */
} show_weight;

/* The weights that are not 0, the largest first; NULL when out of memory. */
show_weight *show_list(const sotto_model *m, int64_t *used);

/* The largest of them for people, and all of them for programs: with their
   intervals, or why there is none. */
void show_weights(const sotto_model *m, const show_weight *list, int64_t used);
void show_json_weights(const sotto_model *m, const show_weight *list,
                       int64_t used);

#endif
