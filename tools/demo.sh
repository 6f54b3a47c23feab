#!/bin/sh
# demo.sh SOTTO FOLDER: what sotto does with a file of records, so far.
set -eu
sotto=$(realpath "$1")
folder=$2
here=$(dirname "$(realpath "$0")")
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
"$here/patients.py" .

bold "1. A file of records (invented ones)"
head -n 4 patients.csv
printf '\n'
bold "2. Declare what is known about its columns without looking at a record"
show sotto schema patients.csv --target readmitted
printf '\nfilled in: schema.json\n\n'
bold "3. Read it as training will: bounded columns go to [-1, 1], levels to 0/1"
show sotto doctor patients.csv --schema schema.json --loss logistic
printf '\n'
bold "4. What would a private model ask, and cost? No record is read for this"
show sotto plan --explain --features 8 --rows 20000 --loss logistic --epsilon 1 --delta 1e-6
printf '\n'
bold "5. Learn a private model, and, to compare, one that is not"
rm -f private.json.spent
show sotto train patients.csv --schema schema.json --loss logistic --l2 0.001 --epsilon 1 --delta 1e-6 -o private.json
show sotto show private.json | sed -n 1,17p
show sotto train patients.csv --schema schema.json --loss logistic --l2 0.001 --epsilon inf -o model.json
printf '\n'
bold "6. Use them: new patients, columns in another order, a value missing"
cat new.csv
show sotto predict private.json new.csv --proba
show sotto evaluate private.json patients.csv
show sotto evaluate model.json patients.csv --quiet
printf '\n'
bold "7. A page about them, for people: what is promised, what was asked, what was learned"
show sotto report private.json model.json -o report.html
printf '\n'
bold "8. A bad row stops the run, for the operator's eyes, and quotes nothing"
{ head -n 900 patients.csv; echo "p99999,unknown,f,surgery,120,1,no"; tail -n 50 patients.csv; } >broken.csv
show sotto train broken.csv --schema schema.json --loss logistic --epsilon inf -o model.json
printf '\n'
bold "9. Larger: 100,000 texts over 100,000 words, a lasso of them"
show sotto generate zipf-heavy --rows 100000 --features 100000 -o words.svm
start=$(date +%s%N)
show sotto train words.svm --loss logistic --l1 0.001 --epsilon inf -o words.json
end=$(date +%s%N)
printf '%s MB read and solved in %s ms\n' \
    "$(($(stat -c %s words.svm) / 1000000))" "$(((end - start) / 1000000))"
printf '\n'
bold "Open $folder/report.html in a browser. The other files are beside it; docs/tour.md shows how it works inside."
