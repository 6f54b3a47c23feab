/*
 * curator: holds the records while a private solver runs. It takes the table,
 * so that nobody else can read it. Its gate is the only way out for anything
 * that depends on a record. The gate charges a question before it reads a
 * record.
 */
#ifndef SOTTO_CURATOR_H
#define SOTTO_CURATOR_H

#include "account.h"
#include "ask.h"
#include "kernel.h"
#include "loss.h"

/* What is promised, and to whom. */
struct curator_policy {
    account_adjacency adjacency;
    int64_t rows_per_person; /* at most; they are protected together */
    int has_people;          /* rows say whose they are; more than
                                rows_per_person of one are left out */
    const char *unit_column; /* its name, for the statement; public */
    double rows;             /* declared and public; 0: asked privately */
    loss loss;
    int64_t classes;     /* more than two: targets are their numbers from 0 on,
                            and the loss is logistic, of softmax, or: */
    int one_versus_rest; /* the sum over classes of `loss`, of each against
                            all others */
    int64_t level_columns; /* categories whose levels are asked for: the table
                              has one feature for each of them before */
    double weight_bound;   /* the largest weight a row can have; 1 without */
    double norm_bound;     /* dual steps and minimisers shorten longer rows to
                              this length; 0 or infinite: they do not */
    int intercept;
    kernel_isa isa;
    int threads;       /* at most; 0 is 1 */
    int ranks;         /* that share the rows; 0 and 1: none do */
    int recompute;     /* sums for choices: 1 counts them anew each time, -1
                          never, 0 where that is faster; the sums are equal */
    int without_noise; /* NOT PRIVATE; declared before anything is asked */
    int insecure;      /* noise from `seed`: NOT PRIVATE */
    uint64_t seed;

    /* Of sketches. With buckets no other question can be asked, and the rest
       of the policy, but adjacency, rows and noise, does not matter. */
    int64_t buckets;      /* 0: no sketches */
    uint64_t sketch_seed; /* public */
    double constant;      /* one more column has this in all rows; 0: none */
    int labels_known;     /* targets are subtracted from what is told */
    uint64_t party;       /* whose noise it is, under an insecure seed */
};

/* What curator_open refuses of a table because of its shape, which is public:
   the table may be without rows. */
sotto_status curator_check_table(const sotto_table *t, const curator_policy *p,
                                 const ask_plan *plan, sotto_error *error);

/* Takes the table over, whatever the status. *table is NULL afterwards. */
sotto_status curator_open(curator **out, sotto_table **table,
                          const curator_policy *policy, const ask_plan *plan,
                          sotto_error *error);

/*
 * Asks which levels the categories have whose levels nobody declared: those of
 * which the noisy number of people passes a threshold, in the order of their
 * bytes (docs/privacy, Lemma C27). The table is then as if they had been
 * declared, and each row's own texts are wiped. It is the first question, or
 * none. The list is the curator's, one for each column.
 */
struct level_list;
sotto_status curator_ask_levels(curator *c, const struct level_list **out,
                                sotto_error *error);

/* Wipes and frees everything. NULL is fine. */
void curator_close(curator *c);

/*
 * A tape, for audits: what one run was answered is answered to two others, on
 * two neighbours, and their exact sums are compared (tape.c). `common` people,
 * the first ones, are in both. A tape is attached before the first question,
 * and turned between runs. SOTTO_PRIVACY where a record is not invented.
 */
typedef struct curator_tape curator_tape;

typedef struct curator_heard {
    double loss;  /* log likelihood of the answers on the second neighbour over
                     that on the first */
    double moved; /* the largest of how far an answer moved without noise, over
                     how far it may */
    const char *question; /* that moved so far */
    int64_t questions;    /* of all runs */
    int apart; /* the answers are possible for one of the neighbours only */
} curator_heard;

sotto_status curator_tape_new(curator_tape **out, int64_t common,
                              sotto_error *error);
void curator_tape_free(curator_tape *t);
void curator_tape_turn(curator_tape *t);
const curator_heard *curator_tape_heard(const curator_tape *t);

/* Whether a run that heard the answers has asked for all of them. */
int curator_tape_is_over(const curator_tape *t);
sotto_status curator_attach_tape(curator *c, curator_tape *t,
                                 sotto_error *error);

/* What a statement is made of: nothing that depends on a record. */
typedef struct curator_terms {
    const curator_policy *policy;
    const ask_plan *plan;
    int64_t features;
    double delta;
    const char *smoothness; /* where the step sizes came from */
    const char *rows;       /* where a public number of rows came from */
    int64_t scaled;         /* features divided by their length in each row */
    int elsewhere;          /* the caller had worked on the columns before */
} curator_terms;

/* The statement of privacy as a JSON object, to be freed whatever the status,
   and its epsilon. */
struct json_t;
sotto_status curator_statement(const curator_terms *terms, struct json_t **out,
                               double *epsilon, sotto_error *error);

/*
 * Adds the questions that were told to be asked out of ASK_LATER to the
 * statement, as "chosen_from_answers", where there are any. They were chosen
 * from answers, and so say nothing that these do not.
 */
void curator_put_told(const curator *c, struct json_t **statement);

/* Whether all noise was secret, and every answer had some. */
int curator_is_private(const curator *c);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(curator_open);
CORE_EXPORT(curator_close);
CORE_EXPORT(curator_is_private);

#endif
