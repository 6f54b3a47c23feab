/*
 * Threads that live for one call. Nothing outlives the call, so a process
 * that forks between two calls finds nothing broken in the child.
 */
#include "base.h"

#include <pthread.h>
#include <sched.h>

enum { THREAD_MOST = 256 };

struct thread_job {
    void (*work)(void *context, int worker);
    void *context;
    int worker;
    pthread_t id;
};

int thread_limit(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count;
}

static void *thread_main(void *argument)
{
    struct thread_job *job = argument;
    job->work(job->context, job->worker);
    return NULL;
}

void thread_run(int threads, void (*work)(void *context, int worker),
                void *context)
{
    struct thread_job jobs[THREAD_MOST];
    int started = 0;
    if (threads > THREAD_MOST)
        threads = THREAD_MOST;
    for (int i = 1; i < threads; i++) {
        jobs[started] = (struct thread_job){work, context, i, 0};
        if (pthread_create(&jobs[started].id, NULL, thread_main,
                           &jobs[started]))
            break;
        started++;
    }
    work(context, 0);
    for (int i = 0; i < started; i++)
        pthread_join(jobs[i].id, NULL);
}
