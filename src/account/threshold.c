/*
 * Counts of which only the large ones are shown: from which threshold on a
 * level that one person alone has is shown seldom enough (Lemma A22).
 */
#include "internal.h"

#include <math.h>

int64_t account_person_part(int64_t levels)
{
    int64_t square = (int64_t)ACCOUNT_PERSON * ACCOUNT_PERSON;
    int64_t part = (int64_t)sqrt((double)square / (double)levels);
    while (part * part * levels > square)
        part--;
    while ((part + 1) * (part + 1) * levels <= square)
        part++;
    return part;
}

/* The logarithm of the probability that a count of this size, of one person
   alone, is not shown. Rounded down. */
static double log_hidden(double size, double threshold, double sigma)
{
    double x = (threshold - .5 - size) / sigma;
    if (!(x > 0))
        return -INFINITY; /* no threshold at all */
    double tail = x < 37 ? normal_tail(x) * (1 + 0x1p-37) : 1e-297;
    return log1p(-tail) * (1 + 8 * LIBM_ULPS * ROUNDOFF);
}

/* One person has `levels` levels in a column: people add parts to them. Of
   rows that are counted one by one, all but one of the levels have one row:
   that is the worst way to split them. */
static double log_all_hidden(const account_counted *who, int64_t levels,
                             double threshold, double sigma)
{
    double all = (double)levels, rows = (double)who->rows;
    if (who->known)
        return all * log_hidden((double)account_person_part(levels), threshold,
                                sigma);
    return log_hidden(ACCOUNT_PERSON * (rows - all + 1), threshold, sigma) +
           (levels > 1
                ? (all - 1) * log_hidden(ACCOUNT_PERSON, threshold, sigma)
                : 0);
}

double account_shown(const account_counted *who, double threshold, double sigma)
{
    double least = 0;
    for (int64_t t = 1; t <= who->rows; t++)
        least = fmin(least, log_all_hidden(who, t, threshold, sigma));
    return -expm1((double)who->columns * least) * (1 + 0x1p-40);
}

double account_threshold(const account_counted *who, double sigma, double p)
{
    double low = 0, high = ACCOUNT_PERSON;
    if (!(p > 0 && p <= .5 && sigma > 0 && who->rows >= 1 &&
          who->rows <= ACCOUNT_MOST_COUNTED && who->columns >= 1))
        return INFINITY;
    while (!(account_shown(who, high, sigma) <= p)) {
        low = high;
        high *= 2;
        if (!(high < 0x1p52))
            return INFINITY;
    }
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (account_shown(who, middle, sigma) <= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double account_shown_for(double delta)
{
    return delta / (1 + delta) * (1 - 4 * ROUNDOFF);
}
