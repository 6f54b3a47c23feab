/*
 * sotto-federate: parties that hold different columns of the same people's
 * rows find a linear model of the squared loss together. Link it with
 * libsotto, whose header has the conventions of all calls.
 *
 *   1  Simulation   all roles in this process, for experiments
 *   2  Network      a coordinator, and parties that connect to it
 *
 * Each party holds other columns; a server that holds none leads them. Nobody
 * needs to trust anybody: what a party sends is private by itself
 * (docs/parties.md).
 *
 * The network calls write to sockets in ways that never raise SIGPIPE. They
 * use libcurl and GnuTLS, which are initialised once for a process.
 *
 * Licence: Apache-2.0.
 */
#ifndef SOTTO_FEDERATE_LIBRARY_H
#define SOTTO_FEDERATE_LIBRARY_H

#include <sotto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------
 * 1  Simulation
 *
 * A simulation runs all roles in this process, for experiments: the option
 * columns names the file of what the parties have agreed upon, and each of
 * them reads its own columns of `path`. Of the options epsilon, delta, output,
 * insecure-seed, format, delimiter and threads are used, too, and those of the
 * ledger: ledger, dataset or dataset-path, purpose, who. The model is as
 * private as that of the parties would be against outsiders.
 */
typedef struct sotto_simulation sotto_simulation;

/* Reads; asks nothing. Where there is a ledger the run is booked before a
   record is read: SOTTO_BUDGET where a cap does not allow it. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_simulation_open(sotto_simulation **out, const char *path,
                      const sotto_options *options, sotto_error *error);

/* Runs it, once. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_simulation_run(
    sotto_simulation *simulation, sotto_model **out,
    const sotto_progress_callback *callback, sotto_error *error);
SOTTO_API void sotto_simulation_free(sotto_simulation *simulation);

typedef struct sotto_simulation_facts {
    const char *expected; /* "good" or "experimental": from public numbers */
    int64_t parties, rows, columns;
    int64_t rounds;  /* T: choices of a column and its sign */
    int64_t cap;     /* F: columns of which a sketch is sent, at most */
    int64_t buckets; /* m: numbers in a sketch */
    int labels_known;
    double epsilon, delta; /* of a whole row; infinite if NOT PRIVATE */
    int64_t uplink, messages, downlink; /* bytes sent to and by the server */
    double paper_uplink; /* what the paper's algorithm would send up */
    char transcript[65]; /* SHA-256 of all messages, as the server has them */
} sotto_simulation_facts;

typedef struct sotto_simulation_party {
    const char *name;
    int64_t columns, cap, turns;
    int has_labels;           /* whose sketch it sends */
    double epsilon;           /* of its part of a row, against all others */
    int64_t uplink, messages; /* that it sent to the server */
} sotto_simulation_party;

/* Before a run nothing was sent. */
SOTTO_API void sotto_simulation_describe(const sotto_simulation *simulation,
                                         sotto_simulation_facts *out);
SOTTO_API void
sotto_simulation_describe_party(const sotto_simulation *simulation,
                                int64_t party, sotto_simulation_party *out);

/* ------------------------------------------------------------------------
 * 2  Network
 *
 * A coordinator, and parties that connect to it, with TLS 1.3 and
 * certificates on both sides (docs/federation.md). `config` is a file of
 * what all have agreed upon. Of the options keys, state, accept, data,
 * insecure-seed, format, delimiter and threads are heeded, and by a party those
 * of its own ledger: ledger, dataset or dataset-path, purpose, who. It books
 * all that it may be asked before it reads a record and before it connects,
 * once for a state folder. A build without the network libraries refuses
 * keygen, serve and join.
 */

/* Told a line for people about each thing that happens; no line has anything
   of a record. Called by several threads. */
typedef struct sotto_log_callback {
    void (*log)(void *context, const char *line);
    void *context;
} sotto_log_callback;

/* The hash that parties compare, and what they agree to: for people, or as
   JSON. To be freed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_federation_describe(const char *config, int as_json, char hash[65],
                          char **out, sotto_error *error);

/* How far a run is, from what is kept in a state folder. To be freed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_federation_status(const char *config, const char *state, int as_json,
                        char **out, sotto_error *error);

/* Certificates and the consortium secret for a trial: a new folder with one
   folder for each organisation, and config.json with the keys in it. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_federation_keygen(
    const char *config, const char *folder, sotto_error *error);

/* The coordinator, and a party, until there is a model. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_federation_serve(
    const char *config, const sotto_options *options,
    const sotto_log_callback *callback, sotto_model **out, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_federation_join(
    const char *config, const sotto_options *options,
    const sotto_log_callback *callback, sotto_model **out, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
