/*
 * Names that were written wrongly: which of those there are may have been
 * meant. The distance counts letters that are missing, too many or others,
 * and neighbours that changed places (Damerau and Levenshtein); capitals and
 * small letters are the same to it.
 */
#include "base.h"

#include <string.h>

enum { NEAR_LONGEST = 63 };

static int suggest_small(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int suggest_least(int a, int b)
{
    return a < b ? a : b;
}

/* The distance of a's first i letters from b's first k is row[i % 3][k]. */
static int suggest_distance(const char *a, int a_length, const char *b,
                            int b_length)
{
    int row[3][NEAR_LONGEST + 1];
    for (int i = 0; i <= a_length; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3];
        const int *earlier = row[(i + 1) % 3];
        for (int k = 0; k <= b_length; k++) {
            if (i == 0 || k == 0) {
                now[k] = i + k;
                continue;
            }
            int differ = suggest_small(a[i - 1]) != suggest_small(b[k - 1]);
            now[k] = suggest_least(suggest_least(before[k], now[k - 1]) + 1,
                                   before[k - 1] + differ);
            if (i > 1 && k > 1 &&
                suggest_small(a[i - 1]) == suggest_small(b[k - 2]) &&
                suggest_small(a[i - 2]) == suggest_small(b[k - 1]))
                now[k] = suggest_least(now[k], earlier[k - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

/* A name that begins as it was written is near, however long it is. */
static int suggest_begins(const char *written, int length, const char *name,
                          int name_length)
{
    if (length < 3 || name_length <= length)
        return 0;
    for (int i = 0; i < length; i++)
        if (suggest_small(written[i]) != suggest_small(name[i]))
            return 0;
    return 1;
}

void suggest_try(suggestion *n, const char *name, size_t length)
{
    size_t size = strlen(n->written);
    if (!size || !length || size > NEAR_LONGEST || length > NEAR_LONGEST)
        return;
    int written = (int)size, other = (int)length;
    int longer = written > other ? written : other;
    /* one letter in three may be wrong, but not all of them */
    int most = suggest_least((longer + 1) / 3, written - 1);
    int distance = suggest_distance(n->written, written, name, other);
    if (suggest_begins(n->written, written, name, other))
        distance = suggest_least(distance, most);
    if (distance <= most && (!n->found || distance < n->distance)) {
        n->found = name;
        n->length = length;
        n->distance = distance;
    }
}

shown suggest_hint(const suggestion *n)
{
    shown hint = {{0}};
    char name[NEAR_LONGEST + 1] = {0};
    if (!n->found)
        return hint;
    memcpy(name, n->found, n->length);
    snprintf(hint.text, sizeof hint.text, "; did you mean \"%.*s\"?",
             NEAR_LONGEST, show_name(name).text);
    return hint;
}

shown suggest_word(const char *written, const char *words)
{
    suggestion n = {.written = written};
    while (*words) {
        size_t length = strcspn(words, " |");
        suggest_try(&n, words, length);
        words += length + (words[length] != 0);
    }
    return suggest_hint(&n);
}

shown suggest_names(const char *written, char *const *names, int64_t count)
{
    suggestion n = {.written = written};
    for (int64_t i = 0; i < count; i++)
        suggest_try(&n, names[i], strlen(names[i]));
    return suggest_hint(&n);
}

const char *sotto_nearest(const char *written, const char *const *names,
                          int64_t count)
{
    suggestion n = {.written = written};
    for (int64_t i = 0; i < count; i++)
        suggest_try(&n, names[i], strlen(names[i]));
    return n.found;
}
