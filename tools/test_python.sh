#!/bin/sh
# test_python.sh BUILD: the Python package with the newest scikit-learn, pandas,
# polars, pyarrow and DuckDB of PyPI, installed as a user would; its types; and
# with Debian's scikit-learn and pandas.
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
newest=$build/python-newest
export SOTTO="$build/sotto" SOTTO_BUILD="$build" SOTTO_LEDGER=none PYTHONDONTWRITEBYTECODE=1
export SOTTO_CALLS="${SOTTO_CALLS:-20000}"

# tests PYTHON TEST...: runs them one after the other.
tests() {
    python=$1
    shift
    for test in "$@"; do
        echo "-- $test"
        "$python" -W ignore "$root/python/tests/test_$test.py"
    done
}

echo "== Debian's scikit-learn and pandas"
SOTTO_PACKAGE="$build/python" tests /usr/bin/python3 sklearn frames mistakes pipeline \
    pipeline_fits transformers row_by_row charges charges_steps functions

python3 -m venv --clear "$newest"
if ! { "$newest/bin/pip" install -q --upgrade pip cffi scikit-learn \
    pandas polars pyarrow duckdb hypothesis tqdm joblib matplotlib mypy; } \
    >"$build/python-newest.log" 2>&1; then
    echo "PyPI cannot be reached (see $build/python-newest.log): no more tests"
    exit 0
fi
"$newest/bin/pip" install -q --force-reinstall --no-deps "$root"
"$newest/bin/pip" list 2>/dev/null | grep -i -E '^(scikit-learn|pandas|polars|pyarrow|numpy) '
export SOTTO_PACKAGE=installed
cd "$build"
tests "$newest/bin/python" sklearn frames mistakes messages values charges charges_steps \
    functions pipeline pipeline_fits transformers row_by_row pages arrays bits estimators ledger \
    processes package schema schema_template card evaluation random_calls
echo "-- types"
cd "$root"
"$newest/bin/python" -m mypy --strict --config-file pyproject.toml
