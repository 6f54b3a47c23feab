#!/bin/sh
# demo.sh SOTTO FOLDER: learns a private model from invented records, and shows
# what is promised, what the model is good for and what privacy has cost.
set -eu
sotto=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
tools=$(dirname "$(realpath "$0")")
cd "$folder"

bold() { if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi; }
step() {
    printf '\n'
    bold "$*"
}
# Prints a command and runs it: the program is the one that was just built.
run() {
    printf '\n'
    bold "\$ $*"
    [ "$1" != sotto ] || { shift && set -- "$sotto" "$@"; }
    "$@" 2>&1
}

"$tools/patients.py" .
rm -f private.json exact.json readmission.json once-more.json own.ledger demo.ledger
export SOTTO_LEDGER="$folder/own.ledger" # not the user's

bold "sotto trains linear models that do not give away the people they were learned from."

step "1. Here are the records of 20,000 patients, all of them invented. Who is readmitted?"
run head -n 4 patients.csv

step "2. A schema says what is known about the columns without looking at a record."
run cat schema.json

step "3. Train a model under a privacy budget: epsilon 1, delta 1e-6."
run sotto train patients.csv --schema schema.json --loss logistic --l2 0.001 --epsilon 1 --delta 1e-6 -o private.json
run sotto show private.json >shown.txt
sed '/^statement/,$d' shown.txt

step "4. Use it on new patients. Columns may come in another order, and a value may be missing."
run cat new.csv
run sotto predict private.json new.csv --proba

step "5. What did privacy cost? Compare with the best model that is not private."
run sotto train patients.csv --schema schema.json --loss logistic --l2 0.001 --penalty-units spread --epsilon inf -o exact.json
run sotto evaluate private.json patients.csv --quiet
run sotto evaluate exact.json patients.csv --quiet

step "6. Make a page for people: what is promised, what was asked, what was learned."
run sotto report private.json exact.json -o report.html

step "7. A bad row stops the run. The message says where it is and never what is in it."
{ head -n 900 patients.csv && echo "p99999,unknown,f,surgery,120,1,no"; } >broken.csv
status=0
run sotto train broken.csv --schema schema.json --loss logistic --epsilon 1 --delta 1e-6 -o broken.json || status=$?
printf '(exit code %d)\n' "$status"
[ "$status" = 3 ]

step "8. Every run counts. Give the patients one budget for all runs: a ledger keeps it."
run sotto ledger create --ledger demo.ledger --dataset patients --unit-column patient --epsilon 1.2 --delta 1e-6
again() { run sotto train patients.csv --schema schema.json --loss logistic --epsilon 1 --delta 1e-6 --ledger demo.ledger --dataset patients --purpose "$1" --quiet -o "$1.json"; }
again readmission
status=0
again once-more || status=$?
printf '(exit code %d)\n' "$status"
[ "$status" = 4 ]
run sotto ledger show --ledger demo.ledger

step "The page: file://$folder/report.html"
printf '%s\n' "All files are in $folder." \
    "Next: README.md explains this example, docs/tour.md the code."
