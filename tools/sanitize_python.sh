#!/bin/sh
# sanitize_python.sh BUILD: the Python package's tests with its extension under
# ASan and UBSan, which made BUILD. Leaks are not looked for: Python has its own.
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
if ! ls "$build"/python/sotto_dp/_native*.so >/dev/null 2>&1; then
    echo "no Python package in $build: its tests are left out"
    exit 0
fi
export SOTTO_PACKAGE="$build/python" SOTTO_BUILD="$build" SOTTO="$build/sotto" SOTTO_LEDGER=none
export PYTHONDONTWRITEBYTECODE=1 SOTTO_CALLS="${SOTTO_CALLS:-2000}"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
for test in bits estimators ledger frames random_calls; do
    echo "-- python: $test"
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
        /usr/bin/python3 -W ignore "$root/python/tests/test_$test.py"
done
