/*
 * Trains with many settings, many times, and says how good it was: what the
 * papers' tables are made of. One process, its threads go over runs.
 *
 *     bench_reproduce THREADS
 *
 * reads lines of words with tabs between them:
 *
 *     problem NAME FILE TESTFILE NAME=VALUE...
 *     cell PROBLEM ID FILE RUNS SEED NAME=VALUE...
 *
 * and answers each with a line of JSON when it is done; cells in any order.
 * A problem's options are those of the exact solver, a cell's those of `sotto
 * train`. The noise comes from the seed: everybody gets the same numbers, and
 * nothing of this is private.
 */
#include "cell.h"
#include "literal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64, MOST_PROBLEMS = 256, MOST_THREADS = 256 };

typedef enum job_state { NEW, PREPARING, READY, LEFT } job_state;

typedef struct job {
    struct job *next;
    cell cell;
    job_state state;
    int64_t begun, done;
    char failure[sizeof((sotto_error *)0)->message];
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    job *first;
    int ended;
    judge *judge[MOST_PROBLEMS];
    int judges;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

/* One line at once, so that lines are whole. */
static void say(text_buffer *t)
{
    static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&saying);
    if (!t->failed)
        fwrite(t->data, 1, t->length, stdout);
    fflush(stdout);
    pthread_mutex_unlock(&saying);
    text_free(t);
}

/* ---- workers ---- */

static void finish(job *done)
{
    text_buffer t = {0};
    job **at = &all.first;
    while (*at != done)
        at = &(*at)->next;
    *at = done->next;
    pthread_mutex_unlock(&all.lock);
    cell_tell(&done->cell, *done->failure ? done->failure : NULL, &t);
    say(&t);
    cell_free(&done->cell);
    mem_free(done);
    pthread_mutex_lock(&all.lock);
    pthread_cond_broadcast(&all.more);
}

static void fail(job *j, const sotto_error *error)
{
    snprintf(j->failure, sizeof j->failure, "%s", error->message);
}

static void prepare(job *j)
{
    sotto_error error = {0};
    j->state = PREPARING;
    pthread_mutex_unlock(&all.lock);
    sotto_status status = cell_prepare(&j->cell, &error);
    pthread_mutex_lock(&all.lock);
    j->state = READY;
    if (status != SOTTO_OK) {
        fail(j, &error);
        finish(j);
    } else
        pthread_cond_broadcast(&all.more);
}

static void train(job *j)
{
    sotto_error error = {0};
    int64_t i = j->begun++;
    if (j->begun == j->cell.runs)
        j->state = LEFT;
    pthread_mutex_unlock(&all.lock);
    sotto_status status = cell_train(&j->cell, i, &error);
    pthread_mutex_lock(&all.lock);
    if (status != SOTTO_OK)
        fail(j, &error);
    if (++j->done == j->cell.runs)
        finish(j);
}

static int can_go_on(const job *j)
{
    return j->state == READY || (j->state == NEW && !cell_must_wait(&j->cell));
}

static void *work(void *nothing)
{
    pthread_mutex_lock(&all.lock);
    while (all.first || !all.ended) {
        job *j = all.first;
        while (j && !can_go_on(j))
            j = j->next;
        if (!j)
            pthread_cond_wait(&all.more, &all.lock);
        else if (j->state == NEW)
            prepare(j);
        else
            train(j);
    }
    pthread_mutex_unlock(&all.lock);
    return nothing;
}

/* ---- what is asked for ---- */

static void refuse(const char *id, const sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, "{\"id\": ");
    text_json(&t, id);
    text_put(&t, ", \"failed\": ");
    text_json(&t, error->message);
    text_put(&t, "}\n");
    say(&t);
}

static void add_problem(char **word, int words)
{
    sotto_options *o = NULL;
    judge *j = NULL;
    sotto_error error = {0};
    text_buffer t = {0};
    if (words < 4 || all.judges == MOST_PROBLEMS) {
        error_set(&error, SOTTO_USAGE, "expected problem NAME FILE TEST ...");
        refuse(words > 1 ? word[1] : "", &error);
        return;
    }
    sotto_status status = cell_options(&o, word + 4, words - 4, &error);
    if (status == SOTTO_OK)
        status = judge_open(&j, word[1], word[2], word[3], o, &error);
    sotto_options_free(o);
    if (status != SOTTO_OK) {
        judge_close(j);
        refuse(word[1], &error);
        return;
    }
    all.judge[all.judges++] = j;
    judge_tell(j, &t);
    say(&t);
}

static const judge *find_judge(const char *name)
{
    for (int i = 0; i < all.judges; i++)
        if (!strcmp(judge_name(all.judge[i]), name))
            return all.judge[i];
    return NULL;
}

static void add_cell(char **word, int words)
{
    sotto_error error = {0};
    job *j = mem_zeroed(1, sizeof *j), **at = &all.first;
    const judge *by = words > 1 ? find_judge(word[1]) : NULL;
    sotto_status status =
        !j    ? error_memory(&error)
        : !by ? error_set(&error, SOTTO_USAGE, "no such problem")
              : cell_read(&j->cell, by, word + 2, words - 2, &error);
    if (status != SOTTO_OK) {
        refuse(words > 2 ? word[2] : "", &error);
        if (j)
            cell_free(&j->cell);
        mem_free(j);
        return;
    }
    pthread_mutex_lock(&all.lock);
    while (*at)
        at = &(*at)->next;
    *at = j;
    pthread_cond_broadcast(&all.more);
    pthread_mutex_unlock(&all.lock);
}

static void read_line(char *line)
{
    char *word[MOST_WORDS], *rest = line;
    int words = 0;
    line[strcspn(line, "\n")] = 0;
    while (words < MOST_WORDS && rest)
        word[words++] = strsep(&rest, "\t");
    if (!strcmp(word[0], "problem"))
        add_problem(word, words);
    else if (!strcmp(word[0], "cell"))
        add_cell(word, words);
}

int main(int count, char **argument)
{
    pthread_t thread[MOST_THREADS];
    char *line = NULL;
    size_t room = 0;
    int threads = count == 2 ? atoi(argument[1]) : 0;
    if (threads < 1 || threads > MOST_THREADS)
        return fprintf(stderr, "usage: bench_reproduce THREADS\n"), 2;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, NULL))
            return fprintf(stderr, "bench_reproduce: no thread\n"), 1;
    while (getline(&line, &room, stdin) > 0)
        read_line(line);
    free(line);
    pthread_mutex_lock(&all.lock);
    all.ended = 1;
    pthread_cond_broadcast(&all.more);
    pthread_mutex_unlock(&all.lock);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < all.judges; i++)
        judge_close(all.judge[i]);
    literal_end();
    records_end();
    cell_end();
    return 0;
}
