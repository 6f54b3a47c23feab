/*
 * A private evaluation for people: each number with its intervals, then the
 * classes.
 */
#include "evaluation.h"
#include "json.h"

#include <math.h>
#include <string.h>

enum {
    WORDS_NAME = 26,
    WORDS_NUMBER = 10,
    WORDS_CELL = 11,
    WORDS_CLASSES = 20
};

/* The name, and blanks up to the width. */
static void put_name(text_buffer *t, const char *name, int width)
{
    int count = 0;
    text_put(t, name);
    for (; *name; name++)
        count += ((unsigned char)*name & 0xc0) != 0x80;
    text_format(t, "%*s", count < width ? width - count : 1, "");
}

/* Three digits of the sd are more than anybody needs. */
static sotto_number rounded(double x, double sd)
{
    int decimals = sd > 0 ? (int)ceil(1 - log10(sd)) : 0;
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    return fabs(x) < 1e7 && sd > 1e-7 ? sotto_number_fixed(x, decimals)
                                      : sotto_number_print(x, 5);
}

static void put_interval(text_buffer *t, const json_t *one, const char *key,
                         double sd)
{
    const json_t *list = json_object_get(one, key);
    text_buffer words = {0};
    for (size_t i = 0; i < 2; i++) {
        double end = json_number_value(json_array_get(list, i));
        text_put(&words, i ? " to " : "");
        text_put(&words, rounded(end, sd).text);
    }
    t->failed |= words.failed;
    put_name(t, words.failed ? "" : words.data, 2 * WORDS_NUMBER + 2);
    text_free(&words);
}

static void put_estimate(text_buffer *t, const char *name, const json_t *one)
{
    const json_t *value = json_object_get(one, "value");
    double sd = json_number_value(json_object_get(one, "sd"));
    if (!one)
        return;
    put_name(t, name, WORDS_NAME);
    if (!json_is_number(value)) {
        const char *why = json_string_value(json_object_get(one, "why"));
        text_format(t, "not known: %s\n", why ? show_name(why).text : "");
        return;
    }
    put_name(t, rounded(json_number_value(value), sd).text, WORDS_NUMBER);
    text_put(t, " ");
    put_interval(t, one, "interval_90", sd);
    put_interval(t, one, "interval_95", sd);
    while (t->length && !t->failed && t->data[t->length - 1] == ' ')
        t->data[--t->length] = 0;
    text_put(t, "\n");
}

static void put_numbers(text_buffer *t, const json_t *root)
{
    static const char *const names[][2] = {
        {"accuracy", "accuracy"}, {"auc", "AUC"},
        {"log_loss", "log-loss"}, {"r2", "R2"},
        {"mse", "MSE"},           {"mae", "MAE"}};
    const json_t *numbers = json_object_get(root, "numbers");
    put_name(t, "", WORDS_NAME);
    put_name(t, "value", WORDS_NUMBER + 1);
    put_name(t, "90 % interval", 2 * WORDS_NUMBER + 2);
    text_put(t, "95 % interval\n");
    put_estimate(t, "rows", json_object_get(root, "rows"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_estimate(t, names[i][1], json_object_get(numbers, names[i][0]));
}

static void put_class(text_buffer *t, const json_t *one, const char *what,
                      const char *name)
{
    char words[128];
    snprintf(words, sizeof words, "%s of %.64s", what, show_name(name).text);
    put_estimate(t, words, json_object_get(one, what));
}

static const char *class_name(const json_t *root, size_t k)
{
    const char *name =
        json_string_value(json_array_get(json_object_get(root, "classes"), k));
    return name ? name : "";
}

/* Numbers head the columns: names may be long. */
static void put_confusion(text_buffer *t, const json_t *root, size_t classes)
{
    const json_t *counts =
        json_object_get(json_object_get(root, "confusion"), "counts");
    text_put(t, "\nrows of a class (lines) by predicted class (columns), with "
                "noise\n");
    put_name(t, "", WORDS_NAME);
    for (size_t b = 0; b < classes; b++)
        text_format(t, "%*lld", WORDS_CELL, (long long)b + 1);
    text_put(t, "\n");
    for (size_t a = 0; a < classes; a++) {
        char words[128];
        snprintf(words, sizeof words, "%lld %.64s", (long long)a + 1,
                 show_name(class_name(root, a)).text);
        put_name(t, words, WORDS_NAME);
        for (size_t b = 0; b < classes; b++) {
            double x =
                json_number_value(json_array_get(json_array_get(counts, a), b));
            text_format(t, "%*s", WORDS_CELL, sotto_number_fixed(x, 0).text);
        }
        text_put(t, "\n");
    }
}

static void put_classes(text_buffer *t, const json_t *root)
{
    const json_t *list = json_object_get(root, "by_class");
    size_t classes = json_array_size(list);
    if (classes > WORDS_CLASSES) {
        text_format(t, "%lld classes: the file has their rates\n",
                    (long long)classes);
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        const json_t *one = json_array_get(list, k);
        put_class(t, one, "recall", class_name(root, k));
        put_class(t, one, "precision", class_name(root, k));
    }
    if (classes)
        put_confusion(t, root, classes);
}

sotto_status sotto_evaluation_words(char **out, const sotto_evaluation *e,
                                    sotto_error *error)
{
    text_buffer t = {0};
    put_numbers(&t, e->root);
    put_classes(&t, e->root);
    *out = NULL;
    if (t.failed)
        text_free(&t);
    else
        *out = text_take(&t);
    return *out ? SOTTO_OK : error_memory(error);
}
