/* libFuzzer: CSV, with and without --bad-rows drop, read on one thread. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const fuzz_setting stop[] = {{"target", "t"}, {"threads", "1"}, {0}};
    static const fuzz_setting drop[] = {
        {"bad-rows", "drop"}, {"threads", "1"}, {"epsilon", "1"}, {0}};
    static const fuzz_setting classes[] = {
        {"loss", "logistic"}, {"target", "t"},  {"classes", "no,yes"},
        {"drop", "n"},        {"threads", "1"}, {0}};
    static const fuzz_setting rows[] = {{"target", "t"},
                                        {"threads", "1"},
                                        {"undeclared", "rows"},
                                        {"bad-rows", "drop"},
                                        {0}};
    static const fuzz_setting parts[] = {
        {"bad-rows", "drop"}, {"part-column", "q"}, {"parts", "a,b c"},
        {"threads", "1"},     {"epsilon", "1"},     {0}};
    static const fuzz_setting predict[] = {
        {"declared", "{\"sotto_schema\": 1, \"default\": {\"type\": \"drop\"},"
                     " \"columns\": {\"t\": {\"type\": \"category\","
                     " \"levels\": [\"a\"], \"other\": true}, \"n\":"
                     " {\"type\": \"number\"}}}"},
        {"labelled", "no"},
        {"layout", "rows"},
        {"bad-rows", "drop"},
        {"threads", "1"},
        {0}};
    static const fuzz_setting words[] = {
        {"declared",
         "{\"sotto_schema\": 1, \"default\": {\"type\": \"drop\"},"
         " \"columns\": {\"t\": {\"type\": \"boolean\", \"missing\":"
         " true}, \"n\": {\"type\": \"date\", \"format\":"
         " \"%d.%m.%Y %H\", \"bounds\": [\"2000-01-01\","
         " \"2024-02-29\"], \"as\": [\"days\", \"weekday\","
         " \"month\"], \"missing\": \"2001-01-01\"}}}"},
        {"labelled", "no"},
        {"layout", "rows"},
        {"threads", "1"},
        {0}};
    static const fuzz_setting marks[] = {{"decimal", "comma"},
                                         {"thousands", "point"},
                                         {"delimiter", ";"},
                                         {"threads", "1"},
                                         {0}};
    fuzz_read("a.csv", bytes, size, marks);
    fuzz_read("a.csv", bytes, size, words);
    fuzz_read("a.csv", bytes, size, predict);
    fuzz_read("a.csv", bytes, size, parts);
    fuzz_read("a.csv", bytes, size, rows);
    fuzz_read("a.csv", bytes, size, stop);
    fuzz_read("a.csv", bytes, size, drop);
    fuzz_read("a.csv", bytes, size, classes);
    return 0;
}
