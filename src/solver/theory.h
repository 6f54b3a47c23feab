/*
 * theory: what the papers' theorems promise, for constants that the user
 * knows. They say nothing about records, and no noise depends on them.
 */
#ifndef SOTTO_THEORY_H
#define SOTTO_THEORY_H

#include "base.h"

/* Every constant that some theorem has. */
typedef enum theory_id {
    THEORY_N,
    THEORY_P,
    THEORY_EPSILON,
    THEORY_DELTA,
    THEORY_STEPS,
    THEORY_ROUNDS,
    THEORY_L,
    THEORY_M,
    THEORY_M_MOST,
    THEORY_R,
    THEORY_GAP,
    THEORY_MU,
    THEORY_MU1,
    THEORY_MU2,
    THEORY_SPARSE,
    THEORY_TAU,
    THEORY_ALPHA,
    THEORY_ZETA,
    THEORY_L2,
    THEORY_NORM,
    THEORY_LAMBDA,
    THEORY_KAPPA,
    THEORY_CURVATURE,
    THEORY_CHANCE,
    THEORY_RHO,
    THEORY_ERROR,
    THEORY_COUNT,
    THEORY_NONE = THEORY_COUNT
} theory_id;

#define THEORY_BIT(id) (UINT64_C(1) << (id))

/* NaN: not given. */
typedef struct theory_values {
    double at[THEORY_COUNT];
} theory_values;

/* A constant of a paper, and where its theorems are about it: above `low`
   (or from it on) up to `high`. */
typedef struct theory_constant {
    theory_id id;
    const char *name, *meaning;
    double standard; /* NaN: it must be given */
    double low, high;
    int from;  /* low itself is one of them */
    int whole; /* a whole number */
} theory_constant;

typedef enum theory_says {
    THEORY_BOUND,      /* the error is at most that */
    THEORY_RATE,       /* it is at most that times a constant left out */
    THEORY_RATE_STEPS, /* the same of a number of steps */
    THEORY_RATE_LEAST, /* it is at least that times a constant left out */
} theory_says;

/* A theorem: its number, what it says, and what is wrong in print. */
typedef struct theory_theorem {
    const char *name, *formula, *assumes;
    const char *note; /* what is wrong in print, or left out */
    theory_says says;
    uint64_t needs;  /* the constants, a bit each */
    theory_id steps; /* that which is the number of steps; THEORY_NONE */
    double (*value)(const theory_values *v, double steps);
    /* NULL, or a number of steps that the paper chooses; NaN: none. */
    double (*chosen)(const theory_values *v);
    const char *chosen_is;
    int has_best; /* the bound falls and then rises */
    /* NULL, or why it says nothing of these constants: NULL, where it does. */
    const char *(*silent)(const theory_values *v);
} theory_theorem;

typedef struct theory_paper {
    const char *name, *title;
    const theory_constant *constants; /* to a row without a name */
    const theory_theorem *theorems;   /* the same */
} theory_paper;

/* The i-th, or NULL past the end. */
const theory_paper *theory_paper_at(size_t i);

/* ---- theory_text.c ---- */

/* What each theorem of a paper says, as text or as JSON. An error where a
   number is beyond all doubles. */
sotto_status theory_tell(char **out, const theory_paper *paper,
                         const theory_values *v, int json, sotto_error *error);

/* All papers, with their theorems and constants. */
sotto_status theory_list(char **out, int json, sotto_error *error);

/* How many constants a theorem needs and does not have. */
int theory_missing(const theory_paper *paper, const theory_theorem *theorem,
                   const theory_values *v);

/* These constants in words, or why it says nothing; 0 where it says
   something. */
int theory_lacks(text_buffer *out, const theory_paper *paper,
                 const theory_theorem *theorem, const theory_values *v);

#endif
