#!/bin/sh
# demo.sh SOTTO FOLDER: what sotto does with a file of records, so far.
set -eu
sotto=$(realpath "$1")
folder=$2
mkdir -p "$folder"
cd "$folder"

bold() { if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi; }
show() {
    printf '\n'
    bold "\$ $*"
    status=0
    sotto_run "$@" || status=$?
    [ $status = 0 ] || printf '(exit code %d)\n' $status
}
sotto_run() {
    shift
    "$sotto" "$@" 2>&1
}

# Invented patients: nobody's records.
awk 'BEGIN {
    srand(7)
    print "patient,age,sex,ward,systolic,visits,readmitted"
    split("surgery medicine maternity", ward, " ")
    for (i = 1; i <= 20000; i++) {
        age = int(18 + 75 * (rand() + rand()) / 2)
        visits = int(-2 * log(1 - rand()))
        pressure = rand() < .02 ? "NA" : int(95 + age / 3 + 30 * rand())
        risk = -4 + age / 30 + visits / 2
        printf "p%05d,%d,%s,%s,%s,%d,%s\n", i, age, rand() < .5 ? "f" : "m",
            ward[int(1 + 3 * rand())], pressure, visits,
            rand() < 1 / (1 + exp(-risk)) ? "yes" : "no"
    }
}' >patients.csv
cat >schema.json <<'JSON'
{
  "sotto_schema": 1,
  "missing_values": ["NA"],
  "columns": {
    "patient": {"type": "unit"},
    "age": {"type": "number", "bounds": [0, 120]},
    "sex": {"type": "category", "levels": ["f", "m"], "missing": "none"},
    "ward": {"type": "category", "levels": ["surgery", "medicine", "maternity"]},
    "systolic": {"type": "number", "bounds": [60, 250], "missing": 120},
    "visits": {"type": "number", "bounds": [0, 20]},
    "readmitted": {"type": "target", "classes": ["no", "yes"]}
  }
}
JSON

bold "1. A file of records (invented ones)"
head -n 4 patients.csv
printf '\n'
bold "2. Declare what is known about its columns without looking at a record"
show sotto schema patients.csv --target readmitted
printf '\nfilled in: schema.json\n\n'
bold "3. Read it as training will: bounded columns go to [-1, 1], levels to 0/1"
show sotto doctor patients.csv --schema schema.json --loss logistic
printf '\n'
bold "4. A bad row stops the run, for the operator's eyes, and quotes nothing"
{ head -n 900 patients.csv; echo "p99999,unknown,f,surgery,120,1,no"; tail -n 50 patients.csv; } >broken.csv
show sotto doctor broken.csv --schema schema.json --loss logistic
printf '\nor is treated as absent without a word, where others see the logs:\n'
show sotto doctor broken.csv --schema schema.json --loss logistic --bad-rows drop --json --quiet | head -n 4
printf '\n'
bold "5. Larger: 100,000 texts over 100,000 words, written and read"
show sotto generate zipf-heavy --rows 100000 --features 100000 -o words.svm
start=$(date +%s%N)
"$sotto" doctor words.svm --loss logistic --features 100000 | sed -n 2,3p
end=$(date +%s%N)
printf 'read %s MB in %s ms, with checks on every field\n' \
    "$(($(stat -c %s words.svm) / 1000000))" "$(((end - start) / 1000000))"
printf '\n'
bold "The files are in $folder; docs/tour.md shows how it works inside."
