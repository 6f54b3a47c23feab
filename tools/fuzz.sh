#!/bin/sh
# fuzz.sh BUILD SECONDS: runs each fuzz target, two at a time. With SEED set the
# inputs are drawn from it (CI: a change is judged by itself, not by luck; the
# nightly run explores).
set -eu
build=$1 seconds=$2
found=0
# seeds: small files of each kind
for format in csv svm npy; do
    case $format in svm) target=svmlight ;; *) target=$format ;; esac
    mkdir -p "$build/corpus/fuzz_$target"
    "$build/sotto" generate log1 --rows 3 --features 2 --quiet \
        -o "$build/corpus/fuzz_$target/seed.$format"
done
mkdir -p "$build/corpus/fuzz_csv" "$build/corpus/fuzz_gzip" \
    "$build/corpus/fuzz_schema" "$build/corpus/fuzz_model"
# models up to their checksums, which the target adds
model() {
    "$build/sotto" train "$@" --quiet --solver exact --loss huber --l2 1 -o - |
        head -c -31
}
model "$build/corpus/fuzz_csv/seed.csv" --target target \
    >"$build/corpus/fuzz_model/csv.json"
printf 'a,k,y\n1,b,0\n2,c,1\n3,b,1\n' >"$build/corpus/levels.csv"
printf '{"sotto_schema": 1, "missing_values": ["NA", "-9"], "columns": {%s, %s, %s}}' \
    '"a": {"type": "number", "bounds": [0, 9], "missing": 4}' \
    '"k": {"type": "category", "levels": ["b", "c"], "missing": "none"}' \
    '"y": {"type": "target"}' >"$build/corpus/levels.schema"
model "$build/corpus/levels.csv" --schema "$build/corpus/levels.schema" \
    >"$build/corpus/fuzz_model/levels.json"
model "$build/corpus/fuzz_svmlight/seed.svm" \
    >"$build/corpus/fuzz_model/svm.json"
model "$build/corpus/fuzz_svmlight/seed.svm" --undeclared rows \
    >"$build/corpus/fuzz_model/rows.json"
model "$build/corpus/fuzz_csv/seed.csv" --target target --penalty-units spread \
    >"$build/corpus/fuzz_model/spread.json"
[ -e "$build/corpus/key" ] || "$build/sotto" key new "$build/corpus/key" --quiet
model "$build/corpus/fuzz_csv/seed.csv" --target target \
    --sign "$build/corpus/key" >"$build/corpus/fuzz_model/signed.json"
mkdir -p "$build/corpus/fuzz_evaluation"
printf 'a,y\n1,-1\n2,1\n3,1\n' >"$build/corpus/two.csv"
# what is private is never replaced
rm -f "$build/corpus/evaluated.json" "$build/corpus/evaluation.json"
"$build/sotto" train "$build/corpus/two.csv" --target y --quiet --loss logistic \
    --classes=-1,1 --epsilon 9 --delta .01 --ledger none -o "$build/corpus/evaluated.json"
"$build/sotto" evaluate "$build/corpus/evaluated.json" "$build/corpus/two.csv" --quiet \
    --epsilon 9 --delta .01 --ledger none -o "$build/corpus/evaluation.json" >/dev/null
head -c -31 "$build/corpus/evaluation.json" >"$build/corpus/fuzz_evaluation/two.json"
mkdir -p "$build/corpus/fuzz_events"
printf 'T*(RANGE(2/z)+GAUSS(1/z)) + SUBSAMPLED_GAUSS(.1, sqrt(2))*5@zero-out' \
    >"$build/corpus/fuzz_events/plan"
"$build/sotto" account --event '3*(RANGE(.1)+GAUSS(.2))+LAPLACE(1)' --delta .1 \
    --adjacency add-remove --save "$build/corpus/fuzz_events/list" >/dev/null
mkdir -p "$build/corpus/fuzz_blocks"
printf '1ball 2.5 1-4 6\nbox -1,2 5 7-12 # rest\n' \
    >"$build/corpus/fuzz_blocks/blocks"
printf '0.5 1-3\n.25 4\n.25 4-5\n' >"$build/corpus/fuzz_blocks/sets"
printf 'a,n,t\n1,"x""\ny",yes\n\n-2.5e3,,no\r\n' >"$build/corpus/fuzz_csv/quoted"
printf 'q,x\na,1\n"b c",2\nd,3\n' >"$build/corpus/fuzz_csv/parts"
printf 'n,t\n29.02.2004 23,yes\n,F\n01.01.0001 00,1\n' \
    >"$build/corpus/fuzz_csv/words"
printf 'n;t\n1.234,5;-1,5e3\n12.345.678;,5\n' >"$build/corpus/fuzz_csv/marks"
gzip -c "$build/corpus/fuzz_svmlight/seed.svm" >"$build/corpus/fuzz_gzip/seed.gz"
cat >"$build/corpus/fuzz_schema/seed.json" <<'JSON'
{"sotto_schema": 1, "missing_values": ["?"], "default": {"type": "drop"},
 "columns": {"a": {"type": "number", "bounds": [0, 10], "missing": 5},
 "b": {"type": "category", "levels": ["x", "y"], "missing": "none"},
 "c": {"type": "weight", "bounds": [0, 2]}, "t": {"type": "target"}}}
JSON
cat >"$build/corpus/fuzz_schema/words.json" <<'JSON'
{"sotto_schema": 1, "missing_values": ["?"], "default": {"type": "drop"},
 "columns": {"a": {"type": "boolean", "true": ["1"], "false": ["3", "n"],
 "missing": true}, "b": {"type": "date", "format": "%d.%m.%Y %H", "since":
 "1999-12-31", "bounds": ["2000-01-01", "2024-02-29"], "missing": "2001-01-01",
 "as": ["days", "weekday", "month"]}, "t": {"type": "target"}}}
JSON
mkdir -p "$build/corpus/fuzz_parties" "$build/corpus/fuzz_message"
cat >"$build/corpus/fuzz_parties/seed.json" <<'JSON'
{"sotto_parties": 1, "target": {"name": "t", "bounds": [-1, 1], "party": "n"},
 "labels": "private", "label_rms": 1, "rounds": 12, "buckets": 16, "seed": 3,
 "schedule": "permuted", "split": [0.2, 0.35, 0.45], "missing_values": ["?"],
 "parties": [{"name": "n", "radius": 1, "cap": 1, "constant": 0.5, "columns":
 {"a": {"type": "number", "bounds": [-1, 1]},
  "b": {"type": "category", "levels": ["x", "y"]}}}]}
JSON
cat >"$build/corpus/fuzz_parties/network.json" <<'JSON'
{"sotto_parties": 1, "target": {"name": "t", "bounds": [-1, 1], "party": "n"},
 "rows": 9, "epsilon": 2, "delta": 1e-6, "spent": {"epsilon": 1, "delta": 0},
 "id": "i", "absent": "skip", "patience": 9, "coordinator": {"host": "h.org",
 "port": 44, "key":
 "0000000000000000000000000000000000000000000000000000000000000001"},
 "authority":
 "000000000000000000000000000000000000000000000000000000000000000a",
 "parties": [{"name": "n", "radius": 1, "cap": 1, "columns":
 {"a": {"type": "number", "bounds": [-1, 1]}}, "key":
 "0000000000000000000000000000000000000000000000000000000000000002"}]}
JSON
{
    printf 'sottomsg\1\0\0\0\4\0\0\0\1\0\0\0\0\0\0\0'
    head -c 40 /dev/zero
    printf '\1\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0'
    printf '\1\2\3\4\5\6\7\10'
} >"$build/corpus/fuzz_message/seed"
# one of each kind for the network: how long they have spoken, kind, round, and
# fields of zeros as TYPE COUNT BYTES, all in octal but for BYTES
mkdir -p "$build/corpus/fuzz_network"
while read -r name spoken kind round fields; do
    # shellcheck disable=SC2086
    set -- $fields
    {
        printf "\\$spoken\\$kind\\$round\\$(($# / 3))\\0\\0\\0"
        while [ $# -gt 0 ]; do
            printf "\\$1\\0\\0\\0\\$2\\0\\0\\0\\0\\0\\0\\0"
            head -c "$3" /dev/zero
            shift 3
        done
    } >"$build/corpus/fuzz_network/$name"
done <<'SEEDS'
tag 1 10 0 1 40 32 2 1 8
tags 1 11 0 1 40 32 2 1 8
start 11 1 0
vertex 31 5 1 2 2 16 2 4 32
vector 41 4 2 4 4 32
model 61 6 5 4 1 8
taken 71 7 5 1 40 32
seals 101 13 0 1 40 32 2 1 8
compared 111 14 0
SEEDS
find "$build/tests" -maxdepth 1 -type f -name 'fuzz_*' | sort |
    xargs -P 2 -I '{}' sh -c '
        name=$(basename {})
        mkdir -p "'"$build"'/corpus/$name"
        if ! {} -max_total_time='"$seconds"' -seed='"${SEED:-0}"' -timeout=10 -rss_limit_mb=3000 \
            -print_final_stats=1 -artifact_prefix="'"$build"'/$name-" \
            "'"$build"'/corpus/$name" >"'"$build"'/$name.log" 2>&1; then
            tail -n 40 "'"$build"'/$name.log"
            echo "$name: FOUND SOMETHING"
            exit 1
        fi
        grep -E "number_of_executed_units" "'"$build"'/$name.log" |
            sed "s/^/$name: /"
    ' || found=1
exit $found
