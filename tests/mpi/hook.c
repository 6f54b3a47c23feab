/*
 * Ends a rank at a place of its run: loaded before sotto-mpi by kills.py.
 *
 *   KILL_RANK, KILL_AT  the rank, and at which of its calls of Open MPI; 0:
 * none KILL_READ           a file that is made when a rank has read records,
 * which are behind the first half megabyte of a file KILL_CALLS          a file
 * that the last rank writes its number of calls to, and how many bytes it had
 * in them
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls;
static double bytes_had;

static int is_rank(const char *name)
{
    const char *own = getenv("OMPI_COMM_WORLD_RANK"), *other = getenv(name);
    return own && other && !strcmp(own, other);
}

static void make_file(const char *name)
{
    const char *path = getenv(name);
    int file = path ? open(path, O_CREAT | O_WRONLY, 0600) : -1;
    if (file >= 0)
        close(file);
}

static void place(int count, MPI_Datatype type)
{
    const char *at = getenv("KILL_AT");
    int size;
    PMPI_Type_size(type, &size);
    bytes_had += (double)count * size;
    calls++;
    if (at && atol(at) == calls && is_rank("KILL_RANK")) {
        make_file("KILL_DONE");
        raise(SIGKILL);
    }
}

__attribute__((destructor)) static void tell_calls(void)
{
    const char *path = getenv("KILL_CALLS");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *all = getenv("OMPI_COMM_WORLD_SIZE");
    int last = rank && all && atoi(rank) + 1 == atoi(all);
    FILE *file = path && last ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld %.0f\n", calls, bytes_had);
        fclose(file);
    }
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm)
{
    place(count, type);
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type,
               MPI_Op op, int root, MPI_Comm comm)
{
    place(count, type);
    return PMPI_Reduce(from, to, count, type, op, root, comm);
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root,
              MPI_Comm comm)
{
    place(count, type);
    return PMPI_Bcast(bytes, count, type, root, comm);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to,
                 int out_tag, void *in, int in_count, MPI_Datatype in_type,
                 int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    place(out_count, out_type);
    return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count,
                         in_type, from, in_tag, comm, status);
}

typedef ssize_t (*read_at)(int, void *, size_t, off_t);

static ssize_t watched(const char *name, int file, void *to, size_t size,
                       off_t at)
{
    read_at real = (read_at)dlsym(RTLD_NEXT, name);
    if (at > 1 << 19)
        make_file("KILL_READ");
    return real(file, to, size, at);
}

ssize_t pread(int file, void *to, size_t size, off_t at)
{
    return watched("pread", file, to, size, at);
}

ssize_t pread64(int file, void *to, size_t size, off_t at)
{
    return watched("pread64", file, to, size, at);
}
