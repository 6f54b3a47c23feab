#!/bin/sh
# dist.sh BUILD: makes BUILD/dist/sotto-VERSION.tar.gz of what is committed. The same
# commit gives the same bytes: names are in order, times and owners are the commit's.
# dist.sh BUILD --check: makes it twice, compares, and builds and runs what is in it.
set -eu
cd "$(dirname "$0")/.."
build=$1
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
name=sotto-$version

make_archive() {
    git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$1.new"
    mv "$1.new" "$1"
}

git rev-parse --git-dir >/dev/null 2>&1 || {
    echo "dist: this is no clone: the archive is made of a commit" >&2
    exit 1
}
mkdir -p "$build/dist"
make_archive "$build/dist/$name.tar.gz"
if [ "${2:-}" = --check ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    make_archive "$folder/again.tar.gz"
    cmp "$build/dist/$name.tar.gz" "$folder/again.tar.gz"
    tar -xzf "$build/dist/$name.tar.gz" -C "$folder"
    make -s -C "$folder/$name" all >"$folder/log" 2>&1 || {
        tail -n 20 "$folder/log" >&2
        exit 1
    }
    "$folder/$name/build/sotto" doctor
fi
echo "made $build/dist/$name.tar.gz"
