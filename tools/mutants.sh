#!/bin/sh
# mutants.sh [NAME...]: applies each patch of tests/mutants to a copy of the
# tree, builds it, and expects the tests that it names to fail.
set -eu
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
git ls-files -z | xargs -0 cp --parents -t "$work"
cd "$work"
git init -q . && git add -A && git -c user.name=m -c user.email=m@localhost \
    commit -qm tree
survived=0
[ $# -gt 0 ] || set -- $(cd tests/mutants && ls ./*.patch | sed 's/\.patch$//; s|^\./||')
for name in "$@"; do
    patch=$root/tests/mutants/$name.patch
    wanted=$(sed -n 's/^Must fail: //p' "$patch")
    git checkout -q . && git clean -qfd -e build
    git apply "$patch"
    [ -d build ] || meson setup build >/dev/null
    if ! ninja -C build >build.log 2>&1; then
        [ "$wanted" = build ] && echo "$name: caught (does not build)" ||
            { echo "$name: DOES NOT BUILD"; tail -n 5 build.log; survived=1; }
        continue
    fi
    for test in $wanted; do
        if [ "$test" != build ] &&
            ! meson test -C build --no-rebuild "$test" >test.log 2>&1; then
            echo "$name: caught by $test"
        else
            echo "$name: SURVIVED $test"
            survived=1
        fi
    done
done
exit $survived
