/*
 * What tests of files that several ranks read share: how many ranks, a folder,
 * numbers that are the same in every run, allocations that fail, and whether a
 * record was read before the run was booked (calls are replaced by --wrap).
 */
#ifndef SOTTO_TEST_RANK_FILES_H
#define SOTTO_TEST_RANK_FILES_H

#include "base.h"

#include <stdio.h>
#include <unistd.h>

static const int counts[] = {2, 3, 4, 7};
enum { COUNTS = sizeof counts / sizeof *counts };

/* ---- files ---- */

static char folder[] = "/tmp/sotto-ranks-XXXXXX";

static const char *path_of(const char *name)
{
    static _Thread_local char path[16][128];
    static _Thread_local int next;
    char *out = path[next++ % 16];
    snprintf(out, 128, "%s/%s", folder, name);
    return out;
}

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53 * 2 - 1;
}

/* ---- what is watched ---- */

/* Fails an allocation of this thread, the n-th from now on; 0: none. */
static _Thread_local long countdown;

static int fails(void)
{
    return countdown > 0 && --countdown == 0;
}

void *__real_sottocore_mem_zeroed(size_t count, size_t size);
void *__wrap_sottocore_mem_zeroed(size_t count, size_t size);
void *__wrap_sottocore_mem_zeroed(size_t count, size_t size)
{
    return fails() ? NULL : __real_sottocore_mem_zeroed(count, size);
}

void *__real_mem_map(size_t bytes);
void *__wrap_mem_map(size_t bytes);
void *__wrap_mem_map(size_t bytes)
{
    return fails() ? NULL : __real_mem_map(bytes);
}

/* Whether the run is booked, and whether a record was read before it was. */
static _Atomic int booked, read_early, books;

struct ledger_receipt;
struct ledger_request;
sotto_status __real_sottocore_ledger_book(struct ledger_receipt *out,
                                          const struct ledger_request *request,
                                          sotto_error *error);
sotto_status __wrap_sottocore_ledger_book(struct ledger_receipt *out,
                                          const struct ledger_request *request,
                                          sotto_error *error);
sotto_status __wrap_sottocore_ledger_book(struct ledger_receipt *out,
                                          const struct ledger_request *request,
                                          sotto_error *error)
{
    usleep(100000); /* the other ranks are faster */
    sotto_status status = __real_sottocore_ledger_book(out, request, error);
    booked = status == SOTTO_OK;
    books++;
    return status;
}

struct loader;
sotto_status __real_loader_run(struct loader *l, sotto_table *t, int64_t lines,
                               sotto_error *error);
sotto_status __wrap_loader_run(struct loader *l, sotto_table *t, int64_t lines,
                               sotto_error *error);
sotto_status __wrap_loader_run(struct loader *l, sotto_table *t, int64_t lines,
                               sotto_error *error)
{
    read_early |= !booked;
    return __real_loader_run(l, t, lines, error);
}

#endif
