#!/usr/bin/env bash
# picture.sh SOTTO: docs/pictures/report.png, the first screen of a report on
# the demo's patients, as Chromium shows it.
set -euo pipefail
sotto=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$root/tools/patients.py" "$folder"
"$sotto" ledger create --ledger team.ledger --dataset patients \
    --unit-column patient --epsilon 3 --delta 1e-6 > /dev/null
"$sotto" train patients.csv --schema schema.json --loss logistic --l2 0.001 \
    --epsilon 1 --delta 1e-6 --ledger team.ledger --dataset patients \
    --purpose "who is readmitted" --quiet -o model.json
"$sotto" report model.json --quiet -o report.html
mkdir -p "$root/docs/pictures"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --window-size=1000,760 --screenshot="$root/docs/pictures/report.png" \
    "file://$folder/report.html" 2> /dev/null
