/*
 * choices: the names that an option can have as its value, where another room
 * has something to say of each of them. This is the only place where they are
 * written down. The option table (base/option_table.c) makes from it what is
 * accepted, and so help, man page and completion; the other room makes its
 * enumeration and its table. Base does not have to see the other room.
 *
 * A list is a macro that applies ROW to each choice: ROW(id, "name"), and
 * perhaps more columns, which CHOICE_TEXT leaves aside.
 */
#ifndef SOTTO_CHOICES_H
#define SOTTO_CHOICES_H

/* --loss: what the target y is, and how wrong a margin m is for it. A class y
   is -1 or 1. The table is in loss/loss.c. */
#define LOSS_LIST(ROW)                                                         \
    ROW(SQUARED, "squared", NUMBER, "(m - y)^2 / 2")                           \
    ROW(LOGISTIC, "logistic", CLASSES, "log(1 + exp(-y m))")                   \
    ROW(HINGE, "hinge", CLASSES, "max(0, 1 - y m)")                            \
    ROW(SQUARED_HINGE, "squared-hinge", CLASSES, "max(0, 1 - y m)^2")          \
    ROW(HUBER, "huber", NUMBER,                                                \
        "(m - y)^2 / 2 for |m - y| up to --huber-delta, then tangents")

/* Losses that no option names: what a solver asks about in place of one of
   those above. */
#define LOSS_INNER_LIST(ROW)                                                   \
    ROW(SMOOTH_HINGE, "smooth-hinge", CLASSES,                                 \
        "the mean of max(0, 1 - y m - u) over |u| up to delta / 2")
#define LOSS_ALL_LIST(ROW) LOSS_LIST(ROW) LOSS_INNER_LIST(ROW)

/* --adjacency: what neighbouring data sets differ in. */
#define ADJACENCY_LIST(ROW)                                                    \
    ROW(ADD_REMOVE, "add-remove")                                              \
    ROW(REPLACE_ONE, "replace-one")                                            \
    ROW(ZERO_OUT, "zero-out")

/* --format: files of records, in the readers' files (data/format.h), and
   files that a model or a ledger is exported to. */
#define FORMAT_LIST(ROW)                                                       \
    ROW(csv, "csv")                                                            \
    ROW(svmlight, "svmlight")                                                  \
    ROW(npy, "npy")
#define EXPORT_LIST(ROW)                                                       \
    ROW(liblinear, "liblinear")                                                \
    ROW(sql, "sql")                                                            \
    ROW(json, "json")                                                          \
    ROW(html, "html")
#define ALL_FORMATS_LIST(ROW) FORMAT_LIST(ROW) EXPORT_LIST(ROW)

/* --solver: the rows solver_ID are in the solvers' own files (solver/ID.c). */
#define SOLVER_LIST(ROW)                                                       \
    ROW(auto, "auto")                                                          \
    ROW(exact, "exact")                                                        \
    ROW(newton, "newton")                                                      \
    ROW(cd, "cd")                                                              \
    ROW(gcd, "gcd")                                                            \
    ROW(gd, "gd")                                                              \
    ROW(sgd, "sgd")                                                            \
    ROW(scd, "scd")                                                            \
    ROW(scd_paper, "scd-paper")                                                \
    ROW(scd_seq, "scd-seq")                                                    \
    ROW(scd_primal, "scd-primal")                                              \
    ROW(fw, "fw")                                                              \
    ROW(bcfw, "bcfw")                                                          \
    ROW(ssp, "ssp")                                                            \
    ROW(svrg, "svrg")                                                          \
    ROW(output, "output")                                                      \
    ROW(objective, "objective")

/* A list as the text "a|b|c"; the first bar is skipped. */
#define CHOICE_TEXT(LIST) (&(LIST(CHOICE_BAR_NAME))[1])
#define CHOICE_BAR_NAME(id, name, ...) "|" name

#endif
