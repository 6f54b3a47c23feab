/*
 * curator: who holds the records while a private solver runs. It takes the
 * table, so that nobody else can read it; its gate is the only way out for
 * anything that depends on a record, and it charges before it looks.
 */
#ifndef SOTTO_CURATOR_H
#define SOTTO_CURATOR_H

#include "account.h"
#include "ask.h"
#include "kernel.h"
#include "loss.h"

/* What is promised, and to whom. */
typedef struct curator_policy {
    account_adjacency adjacency;
    int64_t rows_per_person; /* of which all are protected at once */
    int has_people;          /* rows say whose they are, and are capped */
    const char *unit_column; /* which says it, for the statement; public */
    double rows;             /* declared and public; 0: to be asked */
    loss loss;
    double weight_bound; /* the largest weight a row can have; 1 without */
    double norm_bound;   /* of dual steps and minimisers: longer rows are
                            shortened to it; 0 or infinite: none is */
    int intercept;
    kernel_isa isa;
    int threads;       /* at most; 0 is 1 */
    int recompute;     /* sums for choices: 1 always anew, -1 never; the same */
    int without_noise; /* NOT PRIVATE, and said so beforehand */
    int insecure;      /* noise from `seed`: NOT PRIVATE */
    uint64_t seed;

    /* of sketches; the rest of the policy but adjacency, rows and noise does
       not matter then, and no other question can be asked */
    int64_t buckets;      /* 0: no sketches */
    uint64_t sketch_seed; /* public */
    double constant;      /* one more column has this in all rows; 0: none */
    int labels_known;     /* targets are subtracted from what is told */
    uint64_t party;       /* whose noise it is, under an insecure seed */
} curator_policy;

/* The rate nearest below q that coins can have: of ASK_SAMPLED. */
double curator_rate(double q);

/* How many noise values one question draws, or a few more. */
double curator_draws(const ask_item *item, int64_t features);

/* What the events of a plan are priced for: the adjacency, or add-remove for
   replace-one where rows are sampled; group privacy does the rest. */
account_adjacency curator_priced_for(const ask_plan *plan,
                                     account_adjacency adjacency);

/* As how many events an item's questions are priced: one for each, or where
   blocks take turns one for each round of them. */
int64_t curator_priced_count(const ask_item *item);

/* The question as the accountant knows it. */
account_question curator_question(const ask_item *item);

/*
 * The event list of a plan under a policy: what the accountant prices.
 * Questions without noise have no price and are left out.
 */
sotto_status curator_events(account_list *out, const ask_plan *plan,
                            account_adjacency adjacency, int64_t features,
                            sotto_error *error);

/*
 * Whether a plan can be carried out: every question that it has has noise
 * that the samplers can draw, or none has any and the policy says so.
 */
sotto_status curator_check(const curator_policy *policy, const ask_plan *plan,
                           int64_t features, sotto_error *error);

/* ASK_PERTURBED: the least l2 that this item's level allows, above which
   there is noise that will do. */
double curator_least_l2(const curator_policy *policy, const ask_item *item);

/* Whether doubles are precise enough for such a minimiser, whatever the
   records are; targets go as far as `target_reach`. */
int curator_can_minimise(const curator_policy *policy, const ask_item *item,
                         const ask_penalty *penalty, int64_t features,
                         double target_reach);
#define CURATOR_CANNOT_MINIMISE                                                \
    "doubles are not precise enough for a minimiser of so many rows: "         \
    "expected a larger --l2, a smaller --norm-bound, or bounds of the target"

/* Takes the table over, whatever the status; *table is NULL afterwards. */
sotto_status curator_open(curator **out, sotto_table **table,
                          const curator_policy *policy, const ask_plan *plan,
                          sotto_error *error);

/* Wipes and frees; NULL is fine. */
void curator_close(curator *c);

/* What a statement is made of: nothing that depends on a record. */
typedef struct curator_terms {
    const curator_policy *policy;
    const ask_plan *plan;
    int64_t features;
    double delta;
    const char *smoothness; /* where the step sizes came from */
    const char *rows;       /* where a public number of rows came from */
    int64_t scaled;         /* features divided by their length in each row */
} curator_terms;

/* The statement of privacy as JSON, and its epsilon. */
sotto_status curator_statement(const curator_terms *terms, text_buffer *out,
                               double *epsilon, sotto_error *error);

/*
 * The questions that were told to be asked out of ASK_LATER, as an addition
 * to the statement: `, "chosen_from_answers": [...]`, or nothing. They were
 * chosen from answers, and so say nothing that these do not.
 */
void curator_put_told(const curator *c, text_buffer *out);

/* Whether all noise was secret, and every answer had some. */
int curator_is_private(const curator *c);

#endif
