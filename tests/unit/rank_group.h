/*
 * Ranks in one process: threads that meet at a barrier. What one of them would
 * send to another is read where it is. A rank that would wait for one that has
 * ended would wait for ever: then the test is aborted at once.
 */
#ifndef SOTTO_TEST_RANK_GROUP_H
#define SOTTO_TEST_RANK_GROUP_H

#include <pthread.h>
#include <sotto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MOST = 1024 };

typedef struct rank_group {
    int ranks;
    pthread_mutex_t lock;
    pthread_cond_t all_are_there;
    int waiting, ended;
    long round;
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

static void group_check(const rank_group *group)
{
    if (!group->waiting || !group->ended)
        return;
    fprintf(stderr, "a rank waits for another that has ended\n");
    abort();
}

static void group_wait(rank_group *group)
{
    pthread_mutex_lock(&group->lock);
    long round = group->round;
    if (++group->waiting == group->ranks) {
        group->waiting = 0;
        group->round++;
        pthread_cond_broadcast(&group->all_are_there);
    }
    group_check(group);
    while (round == group->round)
        pthread_cond_wait(&group->all_are_there, &group->lock);
    pthread_mutex_unlock(&group->lock);
}

static void group_end(rank_group *group)
{
    pthread_mutex_lock(&group->lock);
    group->ended++;
    group_check(group);
    pthread_mutex_unlock(&group->lock);
}

static void group_meet(group_rank *r, void *mine)
{
    r->group->at[r->rank] = mine;
    r->group->calls[r->rank]++;
    group_wait(r->group);
}

static void group_leave(group_rank *r)
{
    group_wait(r->group);
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
    group_end(job->self.group);
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
    group->waiting = group->ended = 0;
    pthread_mutex_init(&group->lock, NULL);
    pthread_cond_init(&group->all_are_there, NULL);
    for (int r = 0; r < ranks; r++) {
        job[r] = (group_job){{group, r}, run, context};
        if (pthread_create(&thread[r], NULL, group_thread, &job[r]))
            abort();
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
    pthread_cond_destroy(&group->all_are_there);
    pthread_mutex_destroy(&group->lock);
    free(thread);
    free(job);
}

#endif
