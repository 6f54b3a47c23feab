#!/bin/sh
# busy.sh COMMAND...: runs it beside two busy processes for each processor,
# which end with it.
set -u
others=
for _ in $(seq $((2 * $(nproc)))); do
    sh -c 'while :; do :; done' &
    others="$others $!"
done
# shellcheck disable=SC2086
trap 'kill $others 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP
"$@"
