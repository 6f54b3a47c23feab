/*
 * The witness (witness.h). Two ranks share one word of memory, which says that
 * the root speaks for itself. It has no name once both have it.
 */
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The state of the one job that a process is a part of. */
static struct {
    volatile sig_atomic_t *spoke; /* NULL: there is no witness here */
    pid_t root;
} witness;

static void *map_word(const char *name, int flags)
{
    int file = shm_open(name, flags | O_RDWR | O_CLOEXEC, 0600);
    void *word = MAP_FAILED;
    if (file >= 0 && !ftruncate(file, sizeof *witness.spoke))
        word = mmap(NULL, sizeof *witness.spoke, PROT_READ | PROT_WRITE,
                    MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return word == MAP_FAILED ? NULL : word;
}

/* mpirun has waited for the root before it ends the others. A root that was
   ended with them has said so before it went. */
static void witness_told(int number)
{
    static const char line[] =
        "sotto: rank 0 was killed; if the run was booked, it stays charged "
        "(see 'sotto ledger show')\n";
    int gone = kill(witness.root, 0) && errno == ESRCH;
    if (gone && !*witness.spoke)
        (void)!write(STDERR_FILENO, line, sizeof line - 1);
    _exit(128 + number);
}

void witness_begin(void)
{
    MPI_Comm machine;
    int rank, here, about[2] = {0, 0}; /* the root's process, or 0 */
    char name[64];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                            MPI_INFO_NULL, &machine) != MPI_SUCCESS)
        return;
    MPI_Comm_rank(machine, &here);
    about[0] = rank == 0 ? (int)getpid() : 0;
    snprintf(name, sizeof name, "/sotto-mpi-%d", about[0]);
    if (rank == 0)
        witness.spoke = map_word(name, O_CREAT | O_EXCL);
    about[1] = witness.spoke != NULL;
    MPI_Bcast(about, 2, MPI_INT, 0, machine);
    if (here == 1 && about[0] && about[1]) {
        struct sigaction action = {.sa_handler = witness_told};
        snprintf(name, sizeof name, "/sotto-mpi-%d", about[0]);
        witness.root = (pid_t)about[0];
        witness.spoke = map_word(name, 0);
        sigfillset(&action.sa_mask);
        if (witness.spoke)
            sigaction(SIGTERM, &action, NULL);
    }
    MPI_Barrier(machine);
    if (rank == 0 && witness.spoke)
        shm_unlink(name);
    MPI_Comm_free(&machine);
}

void witness_root_speaks(void)
{
    if (witness.spoke)
        *witness.spoke = 1;
}

void witness_end(void)
{
    if (witness.root)
        signal(SIGTERM, SIG_DFL);
}
