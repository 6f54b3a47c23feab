#!/bin/sh
# test.sh BUILD [MESON TEST OPTIONS]: runs the tests of a build folder and
# closes with a line that counts them.
set -eu
build=$1
shift
status=0
meson test -C "$build" --print-errorlogs "$@" || status=$?
/usr/bin/python3 - "$build/meson-logs/testlog.json" <<'PY'
import collections, json, sys
results = collections.Counter()
with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        results[json.loads(line)["result"]] += 1
passed, skipped = results["OK"], results["SKIP"]
failed = sum(results.values()) - passed - skipped
print(f"{passed} passed, {failed} failed, {skipped} skipped")
PY
exit $status
