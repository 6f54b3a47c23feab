/*
 * bench_peak FILE COMMAND...: runs a command and writes its seconds and the
 * most bytes of memory that it had into FILE; ends as the command does.
 *
 * Linux counts what a process had before it became another program, too, so a
 * large process cannot measure a small one that it starts itself.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *why)
{
    perror(why);
    return 126;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    if (argc < 3)
        return 126;
    double begun = now();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(fail(argv[2]));
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return fail("bench_peak");
    double seconds = now() - begun;
    FILE *file = fopen(argv[1], "w");
    if (!file)
        return fail(argv[1]);
    fprintf(file, "%.6f %lld\n", seconds, (long long)usage.ru_maxrss * 1024);
    if (fclose(file))
        return fail(argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
