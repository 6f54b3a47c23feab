/*
 * The witness (witness.h). Two ranks share one word of memory, which says that
 * the root speaks for itself. It is removed from the first, and gone with them.
 */
#include "witness.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <sys/shm.h>
#include <unistd.h>

/* The state of the one job that a process is a part of. */
static struct {
    volatile sig_atomic_t *spoke; /* NULL: there is no witness here */
    pid_t root;
} witness;

/* NULL: there is none. */
static void *attach_word(int segment, int flags)
{
    void *word = segment < 0 ? (void *)-1 : shmat(segment, NULL, flags);
    return word == (void *)-1 ? NULL : word;
}

/* Linux lets others attach a segment that is removed, as long as the root has
   it: so nothing stays, whoever is killed when. */
static int make_word(void)
{
    int segment =
        shmget(IPC_PRIVATE, sizeof *witness.spoke, IPC_CREAT | IPC_EXCL | 0600);
    witness.spoke = attach_word(segment, 0);
    if (segment >= 0)
        shmctl(segment, IPC_RMID, NULL);
    return witness.spoke ? segment : -1;
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
    int rank, here, about[2] = {0, -1}; /* the root's process, or 0; the word */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                            MPI_INFO_NULL, &machine) != MPI_SUCCESS)
        return;
    MPI_Comm_rank(machine, &here);
    if (rank == 0) {
        about[0] = (int)getpid();
        about[1] = make_word();
    }
    MPI_Bcast(about, 2, MPI_INT, 0, machine);
    if (here == 1 && about[0]) {
        struct sigaction action = {.sa_handler = witness_told};
        witness.root = (pid_t)about[0];
        witness.spoke = attach_word(about[1], SHM_RDONLY);
        sigfillset(&action.sa_mask);
        if (witness.spoke)
            sigaction(SIGTERM, &action, NULL);
    }
    MPI_Barrier(machine); /* before the root can end */
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
