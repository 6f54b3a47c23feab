/*
 * Ranks in one process: threads that meet at a barrier. What one of them would
 * send to another is read where it is.
 */
#ifndef SOTTO_TEST_RANK_GROUP_H
#define SOTTO_TEST_RANK_GROUP_H

#include <pthread.h>
#include <sotto.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MOST = 1024 };

typedef struct rank_group {
    int ranks;
    pthread_barrier_t barrier;
    void *at[GROUP_MOST];
    const size_t *size[GROUP_MOST];
    /* what went through: for tests */
    long calls[GROUP_MOST];
    void (*look)(void *context, const int64_t *values, size_t count, int rank,
                 int to_all);
    void *look_context;
} rank_group;

typedef struct group_rank {
    rank_group *group;
    int rank;
} group_rank;

static void group_meet(group_rank *r, void *mine)
{
    r->group->at[r->rank] = mine;
    r->group->calls[r->rank]++;
    pthread_barrier_wait(&r->group->barrier);
}

static void group_leave(group_rank *r)
{
    pthread_barrier_wait(&r->group->barrier);
}

static int group_most(void *context, uint64_t *values, size_t count)
{
    group_rank *r = context;
    uint64_t *out = malloc((count + 1) * sizeof *out);
    group_meet(r, values);
    memcpy(out, values, count * sizeof *out);
    for (int k = 0; k < r->group->ranks; k++) {
        const uint64_t *other = r->group->at[k];
        for (size_t i = 0; i < count; i++)
            out[i] = other[i] > out[i] ? other[i] : out[i];
    }
    group_leave(r);
    memcpy(values, out, count * sizeof *out);
    free(out);
    return 0;
}

static int group_sum(void *context, int64_t *values, size_t count, int to_all)
{
    group_rank *r = context;
    int64_t *out = calloc(count + 1, sizeof *out);
    if (r->group->look)
        r->group->look(r->group->look_context, values, count, r->rank, to_all);
    group_meet(r, values);
    for (int k = 0; k < r->group->ranks; k++) {
        const int64_t *other = r->group->at[k];
        for (size_t i = 0; i < count; i++)
            out[i] += other[i];
    }
    group_leave(r);
    if (to_all || r->rank == 0)
        memcpy(values, out, count * sizeof *out);
    free(out);
    return 0;
}

static int group_share(void *context, int from, void *bytes, size_t size)
{
    group_rank *r = context;
    group_meet(r, bytes);
    if (r->rank != from)
        memcpy(bytes, r->group->at[from], size);
    group_leave(r);
    return 0;
}

static int group_exchange(void *context, const void *out,
                          const size_t *out_size, void *in,
                          const size_t *in_size)
{
    group_rank *r = context;
    char *to = in;
    r->group->size[r->rank] = out_size;
    group_meet(r, (void *)(uintptr_t)out);
    for (int k = 0; k < r->group->ranks; k++) {
        const char *from = r->group->at[k];
        for (int i = 0; i < r->rank; i++)
            from += r->group->size[k][i];
        if (in_size[k] != r->group->size[k][r->rank])
            abort();
        if (in_size[k])
            memcpy(to, from, in_size[k]);
        to += in_size[k];
    }
    group_leave(r);
    return 0;
}

typedef struct group_job {
    group_rank self;
    void (*run)(void *context, int rank, sotto_ranks *ranks);
    void *context;
} group_job;

static void *group_thread(void *context)
{
    group_job *job = context;
    sotto_rank_calls calls = {job->self.rank, job->self.group->ranks,
                              &job->self,     group_most,
                              group_sum,      group_share,
                              group_exchange};
    sotto_ranks *ranks;
    sotto_error error;
    if (sotto_ranks_open(&ranks, &calls, &error) != SOTTO_OK)
        abort();
    job->run(job->context, job->self.rank, ranks);
    sotto_ranks_close(ranks);
    return NULL;
}

/* Runs it at all ranks, and returns when all have ended. */
static void group_run(rank_group *group, int ranks,
                      void (*run)(void *context, int rank, sotto_ranks *ranks),
                      void *context)
{
    pthread_t *thread = calloc((size_t)ranks, sizeof *thread);
    group_job *job = calloc((size_t)ranks, sizeof *job);
    group->ranks = ranks;
    pthread_barrier_init(&group->barrier, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        job[r] = (group_job){{group, r}, run, context};
        if (pthread_create(&thread[r], NULL, group_thread, &job[r]))
            abort();
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&group->barrier);
    free(thread);
    free(job);
}

#endif
