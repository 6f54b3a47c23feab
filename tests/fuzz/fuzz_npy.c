/* libFuzzer: .npy, with and without --bad-rows drop. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const fuzz_setting stop[] = {{"target", "1"}, {0}};
    static const fuzz_setting drop[] = {
        {"bad-rows", "drop"}, {"precision", "double"}, {0}};
    static const fuzz_setting rows[] = {
        {"bad-rows", "drop"}, {"undeclared", "rows"}, {0}};
    static const fuzz_setting parts[] = {
        {"bad-rows", "drop"}, {"part-column", "1"}, {"parts", "1,-2.5"}, {0}};
    fuzz_read("a.npy", bytes, size, parts);
    fuzz_read("a.npy", bytes, size, rows);
    fuzz_read("a.npy", bytes, size, stop);
    fuzz_read("a.npy", bytes, size, drop);
    return 0;
}
