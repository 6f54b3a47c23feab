/*
 * sotto-mpi: the program sotto by several processes on Open MPI. Every rank
 * runs it with the same command; rank 0 alone says, books and writes something
 * (docs/ranks.md). What goes between ranks is as sensitive as the records, so
 * it may be in memory and on the network that was chosen, and in no file.
 */
#include "cli.h"
#include "witness.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The state of the one job that a process is a part of. */
static struct {
    int rank, ranks, started, lost;
    sotto_ranks *group; /* NULL: not yet */
} job = {.ranks = 1};

int cli_ranks_is_root(void)
{
    return job.rank == 0;
}

/* ---- the calls ---- */

/* Open MPI counts in int. */
enum { AT_ONCE = 1 << 28 };

static int failed(int code)
{
    job.lost |= code != MPI_SUCCESS;
    return code != MPI_SUCCESS;
}

static size_t part_of(size_t left)
{
    return left < AT_ONCE ? left : AT_ONCE;
}

static int call_most(void *context, uint64_t *values, size_t count)
{
    (void)context;
    for (size_t at = 0, part; at < count; at += part) {
        part = part_of(count - at);
        if (failed(MPI_Allreduce(MPI_IN_PLACE, values + at, (int)part,
                                 MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD)))
            return 1;
    }
    return 0;
}

static int call_sum(void *context, int64_t *values, size_t count, int to_all)
{
    (void)context;
    for (size_t at = 0, part; at < count; at += part) {
        int64_t *from = values + at;
        part = part_of(count - at);
        int code =
            to_all ? MPI_Allreduce(MPI_IN_PLACE, from, (int)part, MPI_INT64_T,
                                   MPI_SUM, MPI_COMM_WORLD)
                   : MPI_Reduce(job.rank ? from : MPI_IN_PLACE, from, (int)part,
                                MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        if (failed(code))
            return 1;
    }
    return 0;
}

static int call_share(void *context, int from, void *bytes, size_t size)
{
    (void)context;
    for (size_t at = 0, part; at < size; at += part) {
        part = part_of(size - at);
        if (failed(MPI_Bcast((char *)bytes + at, (int)part, MPI_BYTE, from,
                             MPI_COMM_WORLD)))
            return 1;
    }
    return 0;
}

/* Some bytes to one rank, and some from another. */
static int swap_with(int to, const char *out, size_t out_size, int from,
                     char *in, size_t in_size)
{
    while (out_size || in_size) {
        size_t there = part_of(out_size), here = part_of(in_size);
        if (failed(MPI_Sendrecv(out, (int)there, MPI_BYTE,
                                there ? to : MPI_PROC_NULL, 0, in, (int)here,
                                MPI_BYTE, here ? from : MPI_PROC_NULL, 0,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE)))
            return 1;
        out += there;
        out_size -= there;
        in += here;
        in_size -= here;
    }
    return 0;
}

static size_t sum_before(const size_t *size, int rank)
{
    size_t sum = 0;
    for (int r = 0; r < rank; r++)
        sum += size[r];
    return sum;
}

static int call_exchange(void *context, const void *out, const size_t *out_size,
                         void *in, const size_t *in_size)
{
    (void)context;
    for (int step = 0; step < job.ranks; step++) {
        int to = (job.rank + step) % job.ranks;
        int from = (job.rank - step + job.ranks) % job.ranks;
        if (swap_with(to, (const char *)out + sum_before(out_size, to),
                      out_size[to], from,
                      (char *)in + sum_before(in_size, from), in_size[from]))
            return 1;
    }
    return 0;
}

/* ---- memory that ranks share is in no file on a disk ---- */

static int is_in_memory(const char *path)
{
    const uint32_t tmpfs = 0x01021994u, hugetlbfs = 0x958458f6u;
    struct statfs about;
    return !statfs(path, &about) && ((uint32_t)about.f_type == tmpfs ||
                                     (uint32_t)about.f_type == hugetlbfs);
}

/* A file without a name has its device's number still: that of /dev/shm, if
   that is in memory. What the kernel itself keeps so has these names. */
static int is_deleted_in_memory(const char *device, const char *path)
{
    struct stat about;
    unsigned first, second;
    if (!strncmp(path, "/memfd:", 7) || !strncmp(path, "/SYSV", 5))
        return 1;
    return sscanf(device, "%x:%x", &first, &second) == 2 &&
           is_in_memory("/dev/shm") && !stat("/dev/shm", &about) &&
           about.st_dev == makedev(first, second);
}

/* A line of /proc/self/maps: "from-to rw-s offset device inode path". Messages
   go through memory that is shared and can be written to. The store of PMIx,
   where ranks find each other, has none; its locks can be written to. */
static int is_exposed(const char *line)
{
    char mode[8], device[32];
    const char *path = strchr(line, '/');
    if (!path || sscanf(line, "%*s %7s %*s %31s", mode, device) != 2 ||
        mode[1] != 'w' || mode[3] != 's' || !strncmp(path, "/dev/", 5) ||
        strstr(path, "/pmix_dstor_"))
        return 0;
    return strstr(path, " (deleted)") ? !is_deleted_in_memory(device, path)
                                      : !is_in_memory(path);
}

static int shares_a_file(void)
{
    char line[4352];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = 0;
        found |= is_exposed(line);
    }
    if (maps)
        fclose(maps);
    return found || !maps;
}

static int backing_is_in_memory(void)
{
    const char *set = getenv("OMPI_MCA_btl_vader_backing_directory");
    return is_in_memory(set ? set : "/dev/shm");
}

/* ---- begin ---- */

/* Open MPI reads these when it starts. A rank that waits lets others run. No
   process may look into the memory of another (PR_SET_DUMPABLE), so messages
   are copied. Collective calls by a file in the session folder are off. */
static void set_open_mpi(void)
{
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    setenv("OMPI_MCA_coll", "^sm", 0);
    setenv("OMPI_MCA_coll_sm_priority", "-1", 1); /* whatever coll is */
}

/* After the first messages all memory that is shared has been made. Every rank
   takes part in these, whatever it finds. */
static int is_on_a_disk(void)
{
    static int64_t values[1 << 16];
    int found = !backing_is_in_memory();
    found |= failed(MPI_Allreduce(MPI_IN_PLACE, values, 1 << 16, MPI_INT64_T,
                                  MPI_SUM, MPI_COMM_WORLD));
    return shares_a_file() || found;
}

void cli_ranks_start(int *argc, char ***argv, sotto_error *error)
{
    int level;
    sotto_rank_calls calls = {.most = call_most,
                              .sum = call_sum,
                              .share = call_share,
                              .exchange = call_exchange};
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    set_open_mpi();
    if (number && !strcmp(number, "0")) /* a rank may end while all begin */
        progress_catch_interrupts();
    if (failed(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level))) {
        cli_refuse(error, "Open MPI cannot be started");
        return;
    }
    job.started = 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    if (job.ranks > 1)
        witness_begin();
    calls.rank = job.rank;
    calls.ranks = job.ranks;
    if (sotto_ranks_open(&job.group, &calls, error) != SOTTO_OK)
        return;
    if (job.ranks > 1 && is_on_a_disk())
        cli_refuse(error, "Open MPI would keep messages between ranks in files "
                          "on a disk: expected its shared memory on tmpfs "
                          "(--mca btl_vader_backing_directory /dev/shm)");
}

/* Processors are shared among the ranks of a machine, unless mpirun has given
   each its own. */
static sotto_status set_threads(const cli *c, sotto_error *error)
{
    MPI_Comm machine;
    cpu_set_t set;
    char text[16];
    int here = 1;
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    if (sotto_options_get(c->options, "threads") &&
        strcmp(sotto_options_get(c->options, "threads"), "0"))
        return SOTTO_OK;
    if (!failed(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                                    MPI_INFO_NULL, &machine))) {
        MPI_Comm_size(machine, &here);
        MPI_Comm_free(&machine);
    }
    long own = sched_getaffinity(0, sizeof set, &set) ? all : CPU_COUNT(&set);
    if (own * here > all)
        own = all / here > 1 ? all / here : 1;
    snprintf(text, sizeof text, "%ld", own);
    return sotto_options_set(c->options, "threads", text, error);
}

/* Whether all ranks do the same. Verbs have at most eight letters that
   matter. */
static int is_verb_of_all(const verb *v)
{
    uint64_t word[2] = {0, 0};
    memcpy(word, v->name, strnlen(v->name, sizeof *word));
    word[1] = ~word[0];
    return !call_most(NULL, word, 2) && word[0] == ~word[1];
}

/* A rank that has ended by now agrees when it leaves, and so all are told. */
sotto_status cli_ranks_join(const cli *c, const verb *v, sotto_error *error)
{
    sotto_status status = sotto_ranks_agree(job.group, SOTTO_OK, error);
    if (status != SOTTO_OK)
        return status;
    if (!is_verb_of_all(v))
        return cli_refuse(error, "ranks have different verbs: expected one "
                                 "command for all of them");
    if (!strcmp(v->name, "help") || !strcmp(v->name, "version"))
        return SOTTO_OK;
    if (!cli_is_by_ranks(v))
        return cli_refuse(error,
                          "sotto-mpi trains, evaluates and predicts: expected "
                          "such a verb; 'sotto %s' is for one process",
                          v->name);
    if (job.ranks > 1 && strcmp(v->name, "train") &&
        !strcmp(c->argument[0], "-"))
        return cli_refuse(error, "MODEL cannot be stdin with several ranks: "
                                 "expected a file that all of them find");
    sotto_options_set_ranks(c->options, job.group);
    return job.ranks > 1 ? set_threads(c, error) : SOTTO_OK;
}

/* ---- end ---- */

void cli_ranks_root_speaks(void)
{
    witness_root_speaks();
}

sotto_status cli_ranks_leave(sotto_status status, sotto_error *error)
{
    if (job.group)
        status = sotto_ranks_agree(job.group, status, error);
    sotto_ranks_close(job.group);
    if (job.lost) { /* if a rank has ended, mpirun ends this one soon */
        sleep(job.rank ? 12 : 10);
        fprintf(stderr, "sotto: %s\n", error->message);
        MPI_Abort(MPI_COMM_WORLD, (int)status);
    }
    witness_end();
    if (job.started)
        MPI_Finalize();
    return status;
}
