/*
 * Records of four classes, as text: for tests of more than two classes.
 * FEATURES, CLASSES and uniform() are the test's.
 */
#ifndef SOTTO_TESTS_CLASS_RECORDS_H
#define SOTTO_TESTS_CLASS_RECORDS_H

static void put_record(text_buffer *dense, text_buffer *sparse)
{
    double x[FEATURES];
    int y = (int)(uniform() * CLASSES);
    for (int j = 0; j < FEATURES; j++) {
        x[j] = uniform() < .3 ? 0 : 3 * uniform() - 1.5;
        text_format(dense, "%.6f,", x[j]);
    }
    text_format(dense, "%d\n", y);
    if (!sparse)
        return;
    text_format(sparse, "%d", y);
    for (int j = 0; j < FEATURES; j++)
        if (x[j] != 0)
            text_format(sparse, " %d:%.6f", j + 1, x[j]);
    text_put(sparse, "\n");
}

/* All classes at once, and each against all others by the losses of `auto`. */
static const struct {
    loss loss;
    int one_versus_rest;
} class_losses[] = {{{LOSS_LOGISTIC, 0}, 0},
                    {{LOSS_LOGISTIC, 0}, 1},
                    {{LOSS_SMOOTH_HINGE, .5}, 1},
                    {{LOSS_SQUARED_HINGE, 0}, 1}};

enum { CLASS_LOSSES = sizeof class_losses / sizeof *class_losses };

static void take_loss(curator_policy *policy, int which)
{
    policy->loss = class_losses[which].loss;
    policy->one_versus_rest = class_losses[which].one_versus_rest;
}

static sotto_table *table_of(const char *text)
{
    return read_text("d.csv", text,
                     SETTINGS({"target", "t"}, {"loss", "logistic"},
                              {"classes", "0"}, {"classes", "1"},
                              {"classes", "2"}, {"classes", "3"},
                              {"precision", "float"}));
}

#endif
