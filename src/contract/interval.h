/*
 * interval: why a weight has no interval, and how far one goes in standard
 * errors. Solvers find them, models keep them, and neither sees the other.
 */
#ifndef SOTTO_INTERVAL_H
#define SOTTO_INTERVAL_H

/* The word in a model's file, and what people read after "no interval:". The
   first is of solvers that make none. */
#define INTERVAL_LIST(ROW)                                                     \
    ROW(UNMODELLED, "solver", "none is known to cover for this solver")        \
    ROW(HIDDEN, "hidden",                                                      \
        "noise hides how its column varies apart from the others")             \
    ROW(FEW_SEEN, "others",                                                    \
        "fewer than two thirds of the weights can be told apart, and then "    \
        "none has one")                                                        \
    ROW(FEW_ROWS, "leverage",                                                  \
        "few rows may decide it, and how far off these are is not known")      \
    ROW(SHORTENED, "clip",                                                     \
        "rows or gradients may be cut short, and what that moves is not "      \
        "known")                                                               \
    ROW(LOSS, "loss", "none is known to cover for this loss")                  \
    ROW(BUDGET, "budget",                                                      \
        "none is known to cover with so small a budget for so many columns")   \
    ROW(MOVING, "rest", "the last rounds had not come to rest")                \
    ROW(REPLACED, "guard",                                                     \
        "a constant or an earlier model took the place of this one")           \
    ROW(CHOSEN, "selected", "answers chose which columns it has")              \
    ROW(L1, "l1", "an l1 penalty was given")                                   \
    ROW(BOX, "box", "a box was given")

#define INTERVAL_ID(id, word, meaning) INTERVAL_##id,
typedef enum interval_reason {
    INTERVAL_LIST(INTERVAL_ID) INTERVAL_REASONS
} interval_reason;

/* Of a normal law, on either side of the middle. */
#define INTERVAL_90 1.6448536269514722
#define INTERVAL_95 1.959963984540054

#endif
