/*
 * witness: who tells that the root was killed. mpirun ends the other ranks
 * then, and is told to be quiet. The root tells of any other rank's end,
 * because mpirun ends it, too; for the root itself, the next rank on its
 * machine does.
 */
#ifndef SOTTO_MPI_WITNESS_H
#define SOTTO_MPI_WITNESS_H

/* All ranks call it, after Open MPI was started. */
void witness_begin(void);

/* Of the root, before it says that it was interrupted; from a signal's handler,
   too. */
void witness_root_speaks(void);

/* All ranks have agreed on how it went: what comes is no news. */
void witness_end(void);

#endif
