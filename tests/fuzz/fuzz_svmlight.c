/* libFuzzer: svmlight, with and without --bad-rows drop. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    /* without --features one index can ask for gigabytes, rightly */
    static const fuzz_setting stop[] = {
        {"features", "2000"}, {"threads", "1"}, {0}};
    static const fuzz_setting drop[] = {
        {"features", "1000"}, {"bad-rows", "drop"}, {"loss", "hinge"},
        {"threads", "1"},     {"epsilon", "1"},     {0}};
    static const fuzz_setting rows[] = {
        {"features", "2000"}, {"undeclared", "rows"}, {"threads", "1"}, {0}};
    fuzz_read("a.svm", bytes, size, rows);
    fuzz_read("a.svm", bytes, size, stop);
    fuzz_read("a.svm", bytes, size, drop);
    return 0;
}
