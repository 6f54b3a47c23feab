/*
 * A host with a locale of its own, for test_locale.py: linked with the files
 * of the program, it chooses the locale SOTTO_TEST_LOCALE before main() runs.
 * One whose decimal point is a point would show nothing: that ends with 99.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void choose_locale(void)
{
    char text[16];
    const char *name = getenv("SOTTO_TEST_LOCALE");
    if (!name)
        return;
    if (!setlocale(LC_ALL, name)) {
        fprintf(stderr, "no locale %s in LOCPATH\n", name);
        exit(99);
    }
    snprintf(text, sizeof text, "%.1f", .5);
    if (!strcmp(text, "0.5")) {
        fprintf(stderr, "the locale %s has a decimal point\n", name);
        exit(99);
    }
}
