/*
 * rank: reading where ranks share the rows (contract/ranks.h, ADR 23). Every
 * rank opens the files and reads their headers, and then only its own share.
 */
#ifndef SOTTO_DATA_RANK_H
#define SOTTO_DATA_RANK_H

#include "loader.h"
#include "ranks.h"

/* ---- rank_share.c ---- */

/* Refuses sources of which no share can be read, before anything is. */
sotto_status rank_check_source(const source *s, const sotto_options *options,
                               sotto_error *error);

/* Adds to the check word what is cheap to compare of the files that all ranks
   must find: their lengths, and pieces of those that are not compressed, at
   most 64 or one of each file. Call when rows may be looked at. */
sotto_status rank_note_files(sotto_ranks *g, const source *first,
                             sotto_error *error);

/* Leaves of what the loader would read the share of this rank: whole records
   of one file, or some of several files. */
sotto_status rank_narrow(loader *l, sotto_error *error);

/* Tells the plan how many lines of the file other ranks have read before. */
sotto_status rank_count_lines(loader *l, sotto_error *error);

/* The rows [*from, *from + *rows) of so many that are this rank's. */
void rank_rows(const sotto_ranks *g, int64_t all, int64_t *from, int64_t *rows);

/* ---- rank_finish.c ---- */

/* Undeclared classes, by the lines where -1 and 0 were first seen here, or 0.
   Says in *any_zero whether 0 was seen at some rank. Where both were, and the
   later of their first lines is here, *last is 1 for that of -1 and 2 for that
   of 0. Else it is 0. */
sotto_status rank_classes(const column_plan *p, int64_t minus, int64_t zero,
                          int *any_zero, int *last, sotto_error *error);

/* What tables of all ranks have in common: the number of features where it is
   counted, and of bad rows. */
sotto_status rank_features(sotto_table *t, const column_plan *p,
                           sotto_error *error);

/* Where the table's rows are among all. */
sotto_status rank_places(sotto_table *t, const column_plan *p,
                         const block *first, sotto_error *error);

/* What the other ranks have seen is added; range may be NULL. */
sotto_status rank_merge_ranges(const column_plan *p, column_range *range,
                               int *spans, sotto_error *error);

/* ---- rank_people.c ---- */

/* Numbers the people of all ranks, in the order of the file, and counts the
   rows that ranks before this one have of each. */
sotto_status rank_people(sotto_table *t, const column_plan *p,
                         const block *first, sotto_error *error);

/* The same where rows have the numbers of people already, in the order of the
   file: they become those of this rank. *fits: the numbers are in that order,
   as far as this rank can see. */
sotto_status rank_numbered_people(sotto_table *t, int *fits,
                                  sotto_error *error);

#endif
