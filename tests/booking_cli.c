/*
 * booking_cli: reads lines from stdin and prints what each is booked as. Not
 * part of the product: tests and measurements use it. A line is a word and
 * what belongs to it, separated by tabs:
 *
 *   book   ADJACENCY ORDERED DELTA0 EVENTS      -> mu delta0
 *   share  ADJACENCY ORDERED MU DELTA0 EVENTS   -> mu delta0
 *   delta  SQUARE DELTA0 DRAWS EPSILON          -> delta
 *   epsilon SQUARE DELTA0 DRAWS DELTA           -> epsilon
 *   cap    EPSILON DELTA DRAWS                  -> square delta0
 *
 * What is refused prints "refused" and the message.
 */
#include "account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 7 };

static int split(char *line, char *field[FIELDS])
{
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *at = line; at && count < FIELDS; count++) {
        field[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    return count;
}

static sotto_status book(char **field, int share, account_booking *out,
                         sotto_error *error)
{
    account_list list;
    account_adjacency adjacency;
    if (!account_adjacency_named(field[1], &adjacency))
        return error_set(error, SOTTO_USAGE, "no such adjacency");
    sotto_status status =
        account_parse(&list, field[share ? 5 : 4], NULL, NAN, adjacency, error);
    if (status != SOTTO_OK)
        return status;
    list.ordered = atoi(field[2]);
    status = share ? account_book_share(out, &list, atof(field[3]),
                                        atof(field[4]), error)
                   : account_book(out, &list, atof(field[3]), error);
    account_free(&list);
    return status;
}

static sotto_status answer(char **field, int count, double out[2],
                           sotto_error *error)
{
    account_booking booking = {0};
    sotto_status status = SOTTO_OK;
    int share = !strcmp(field[0], "share");
    out[1] = NAN;
    if (count == 5 + share && (share || !strcmp(field[0], "book"))) {
        status = book(field, share, &booking, error);
        out[0] = booking.mu;
        out[1] = booking.delta0;
    } else if (count == 4 && !strcmp(field[0], "cap")) {
        account_total total = {0};
        status = account_cap(&total, atof(field[1]), atof(field[2]),
                             atof(field[3]), error);
        out[0] = total.square;
        out[1] = total.delta0;
    } else if (count == 5) {
        account_total total = {atof(field[1]), atof(field[2]), atof(field[3])};
        out[0] = !strcmp(field[0], "delta")
                     ? account_total_delta(&total, atof(field[4]))
                     : account_total_epsilon(&total, atof(field[4]));
    } else
        status = error_set(error, SOTTO_USAGE, "not understood");
    return status;
}

int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        char *field[FIELDS];
        double out[2] = {0};
        sotto_error error = {0};
        int count = split(line, field);
        if (answer(field, count, out, &error))
            printf("refused %s\n", error.message);
        else if (isnan(out[1]))
            printf("%.17g\n", out[0]);
        else
            printf("%.17g %.17g\n", out[0], out[1]);
        fflush(stdout);
    }
    return 0;
}
