/*
 * bench_read FILE ROUNDS [NAME VALUE]...: reads a file with the library and
 * prints the seconds of each round, one a line.
 * bench_read --compiler: prints what it was compiled with.
 */
#include <sotto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Counts of instructions can only be compared for one compiler. */
static int print_compiler(void)
{
#if defined(__clang__)
    const char *name = "clang ";
#else
    const char *name = "gcc ";
#endif
#if defined(__OPTIMIZE__)
    const char *how = "";
#else
    const char *how = ", not optimised";
#endif
    printf("%s%s%s\n", name, __VERSION__, how);
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const sotto_error *error)
{
    fprintf(stderr, "bench_read: %s\n", error->message);
    return 1;
}

int main(int argc, char **argv)
{
    sotto_options *options;
    sotto_error error;
    if (argc == 2 && !strcmp(argv[1], "--compiler"))
        return print_compiler();
    if (argc < 3 || sotto_options_new(&options, &error) != SOTTO_OK)
        return 2;
    for (int i = 3; i + 1 < argc; i += 2)
        if (sotto_options_set(options, argv[i], argv[i + 1], &error))
            return fail(&error);
    for (int round = 0; round < atoi(argv[2]); round++) {
        sotto_table *table;
        double start = now();
        if (sotto_table_read(&table, argv[1], options, &error))
            return fail(&error);
        printf("%.6f\n", now() - start);
        sotto_table_free(table);
    }
    sotto_options_free(options);
    return 0;
}
