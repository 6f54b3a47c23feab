/* libFuzzer: the schema file, against a small CSV, and checked by itself. */
#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char csv[] = "a,b,c,t\n1,x,2,0\n,y,nan,1\n3,?,1e400,1\n";
    static char path[64];
    if (!path[0])
        snprintf(path, sizeof path, "/tmp/sotto-fuzz-schema-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        abort();
    const fuzz_setting settings[] = {{"schema", path}, {0}};
    fuzz_read("a.csv", (const uint8_t *)csv, sizeof csv - 1, settings);
    sotto_options *none;
    sotto_error error;
    char *lines;
    if (sotto_options_new(&none, &error) != SOTTO_OK)
        abort();
    if ((sotto_schema_check(&lines, path, NULL, none, &error) == SOTTO_OK) &&
        lines && lines[0] != 'n') /* what is still open */
        abort();
    sotto_text_free(lines);
    sotto_options_free(none);
    unlink(path);
    return 0;
}
