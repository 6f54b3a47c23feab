#!/bin/sh
# archive.sh OUT.a MODULE.a...: one static library of all modules, in which
# only the public symbols are global.
set -eu
out=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${LD:-ld} -r --whole-archive "$@" -o "$folder/sotto.o"
${OBJCOPY:-objcopy} --localize-hidden "$folder/sotto.o"
rm -f "$out"
${AR:-ar} rcs "$out" "$folder/sotto.o"
