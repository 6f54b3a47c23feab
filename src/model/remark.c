/*
 * What a model says against itself: that it learned nothing, that its delta
 * is large for so many people, that its batches were tiny. Made of what the
 * file holds and of nothing else, so that it may be told to everybody.
 */
#include "json.h"
#include "model.h"
#include "plan.h"

#include <math.h>
#include <string.h>

/* A larger epsilon promises hardly anything, and may be refused: nobody is
   told to take one. */
#define REMARK_MOST_EPSILON 10

/* What the statement says that counts here. */
typedef struct remark_facts {
    double strength; /* as of solver/auto_path.c; 0: n is not known */
    double choices;  /* n epsilon / (35 ln p); 0: as above, or none is made */
    double mu;
    int gathers;  /* weights have the noise of many steps, not of the last */
    double batch; /* rows in one, on average; infinite: there are none */
} remark_facts;

/* ---- (epsilon, delta) as one Gaussian ---- */

static double normal(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double delta_of(double mu, double epsilon)
{
    return normal(mu / 2 - epsilon / mu) -
           exp(epsilon) * normal(-mu / 2 - epsilon / mu);
}

static double mu_of(double epsilon, double delta)
{
    double low = 1e-9, high = 100;
    for (int i = 0; i < 100; i++) {
        double mu = sqrt(low * high);
        *(delta_of(mu, epsilon) > delta ? &high : &low) = mu;
    }
    return low;
}

static double epsilon_of(double mu, double delta)
{
    double low = 0, high = 600;
    for (int i = 0; i < 100; i++) {
        double epsilon = (low + high) / 2;
        *(delta_of(mu, epsilon) > delta ? &low : &high) = epsilon;
    }
    return high;
}

/* ---- the statement ---- */

static void read_questions(remark_facts *f, const json_t *list, double rows,
                           int *chooses)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *q = json_array_get(list, i);
        const json_t *rate = json_object_get(q, "rate");
        const char *name = json_string_value(json_object_get(q, "question"));
        const ask_words *words = name ? ask_words_named(name) : NULL;
        f->gathers |= words && words->noise_adds_up;
        *chooses |= words && words->picks_weight;
        if (rows > 0 && json_is_number(rate))
            f->batch = fmin(f->batch, rows * json_number_value(rate));
    }
}

/* 0: out of memory. */
static int read_facts(remark_facts *f, const sotto_model *m)
{
    int chooses = 0;
    json_t *root = json_read(m->statement, strlen(m->statement), NULL);
    if (!root)
        return 0;
    const char *adjacency =
        json_string_value(json_object_get(root, "adjacency"));
    const json_t *rows_of = json_object_get(root, "rows_per_person");
    double each = fmax(1, json_number_value(rows_of));
    int replaced = adjacency && !strcmp(adjacency, "replace-one");
    *f = (remark_facts){.mu = mu_of(m->epsilon, m->delta), .batch = INFINITY};
    f->strength = m->rows * f->mu * (replaced ? 1 : 2) / each;
    read_questions(f, json_object_get(root, "questions"), m->rows, &chooses);
    read_questions(f, json_object_get(root, "chosen_from_answers"), m->rows,
                   &chooses);
    if (chooses)
        f->choices =
            m->rows * m->epsilon / (35 * log((double)m->features + 2)) / each;
    json_decref(root);
    return 1;
}

/* ---- whether it learned anything ---- */

/* Two digits of it, without an exponent. */
static sotto_number roughly(double x)
{
    double unit = pow(10, fmax(0, floor(log10(x)) - 1));
    return sotto_number_fixed(ceil(x / unit) * unit, 0);
}

/* Whether the budget is too small by the rule of the solvers, and what would
   do: so many rows, or such an epsilon. */
static int is_weak(const sotto_model *m, const remark_facts *f, char *words,
                   size_t room)
{
    double least = f->choices > 0 ? 1 : MODEL_LEAST_STRENGTH;
    double have = f->choices > 0 ? f->choices : f->strength;
    if (!(m->rows > 0) || have >= least)
        return 0;
    double more = least / have;
    double epsilon =
        f->choices > 0 ? m->epsilon * more : epsilon_of(f->mu * more, m->delta);
    snprintf(words, room,
             "the noise is larger than what so few rows can show (%s is %s, "
             "and %s is needed); that takes about %s rows",
             f->choices > 0 ? "rows x epsilon / (35 ln p)" : "strength",
             sotto_number_print(have, 2).text,
             sotto_number_print(least, 2).text, roughly(m->rows * more).text);
    size_t length = strlen(words);
    if (epsilon < REMARK_MOST_EPSILON)
        snprintf(words + length, room - length, ", or an epsilon of %s",
                 sotto_number_print_up(epsilon, 2).text);
    return 1;
}

/* How far weights are from 0, in sds of their noise: the farthest, and how far
   one of so many that are nothing but noise will not be. */
static double farthest(const sotto_model *m, double *by_chance)
{
    double most = 0, count = 0;
    for (int64_t j = 0; j < model_weights(m); j++) {
        if (m->weight[j] == 0)
            continue;
        count++;
        most = fmax(most, !(m->noise && m->noise[j] > 0)
                              ? INFINITY
                              : fabs(m->weight[j]) / m->noise[j]);
    }
    *by_chance = sqrt(2 * log(2 * fmax(count, 1))) + 3;
    return most;
}

static int says_nothing(const sotto_model *m, const remark_facts *f,
                        sotto_error *remark)
{
    double by_chance, most = farthest(m, &by_chance);
    char words[320];
    int weak = is_weak(m, f, words, sizeof words);
    /* of many classes the last answer's noise is far above that of the weights,
       which are means over rounds */
    int gathers = f->gathers || m->classes > 2;
    if (most == 0)
        error_set(remark, SOTTO_OK,
                  "the model learned nothing but its intercept: every weight "
                  "is 0; %s",
                  weak        ? words
                  : m->l1 > 0 ? "expected a smaller --l1, more rows or a "
                                "larger --epsilon"
                              : "expected more rows or a larger --epsilon, if "
                                "there is something to learn");
    else if (!gathers && isfinite(most) && most < by_chance)
        error_set(remark, SOTTO_OK,
                  "no weight of the model stands out of its noise: the "
                  "farthest is %s times its noise away from 0, where %s would "
                  "be no accident; about %s times the rows, or the epsilon, "
                  "would show weights of that size",
                  sotto_number_print(most, 2).text,
                  sotto_number_print(by_chance, 2).text,
                  sotto_number_print_up(by_chance / most, 2).text);
    else if ((gathers || isinf(most)) && weak)
        error_set(remark, SOTTO_OK,
                  "the weights of the model are little more than noise: %s",
                  words);
    else
        return 0;
    return 1;
}

/* ---- the others ---- */

int model_remark_delta(double rows, double delta, sotto_error *remark)
{
    if (!(rows * delta > 1))
        return 0;
    error_set(remark, SOTTO_OK,
              "delta %s is above 1 / rows (about %s): so large a delta allows "
              "to publish somebody's record as it is; expected well below, "
              "such as %s",
              sotto_number_print_up(delta, 6).text, roughly(rows).text,
              sotto_number_print(.1 / rows, 1).text);
    return 1;
}

static int has_tiny_batches(const remark_facts *f, sotto_error *remark)
{
    if (!(f->batch < MODEL_LEAST_BATCH))
        return 0;
    error_set(remark, SOTTO_OK,
              "a batch has about %s rows, little beside its noise; expected "
              "--rows N, by which batches of ten are made, or --batch-rate",
              sotto_number_print(f->batch, 2).text);
    return 1;
}

int sotto_model_remark(const sotto_model *m, int64_t i, sotto_error *remark)
{
    remark_facts f;
    if (!m->statement || !read_facts(&f, m))
        return 0;
    if (says_nothing(m, &f, remark) && i-- == 0)
        return 1;
    if (model_remark_delta(m->rows, m->delta, remark) && i-- == 0)
        return 1;
    return has_tiny_batches(&f, remark) && i == 0;
}
