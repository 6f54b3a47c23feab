#!/bin/sh
# deb.sh BUILD: makes BUILD/deb/*.deb of what is committed, by Debian's own tools, and
# lets lintian look at them: what it calls an error fails.
# deb.sh BUILD --install: installs them and runs debian/tests, as root, for a system
# that may be thrown away.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
build=$(realpath "$1")

make_packages() {
    tools/dist.sh "$build"
    version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
    rm -rf "$build/deb"
    mkdir -p "$build/deb"
    cp "$build/dist/sotto-$version.tar.gz" "$build/deb/sotto_$version.orig.tar.gz"
    tar -xzf "$build/dist/sotto-$version.tar.gz" -C "$build/deb"
    # with Debian's own programs, whatever else this machine finds first
    (cd "$build/deb/sotto-$version" && PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        dpkg-buildpackage -us -uc >../log 2>&1) || {
        tail -n 30 "$build/deb/log" >&2
        echo "deb: the packages could not be made (all that was said: $build/deb/log)" >&2
        exit 1
    }
    lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs \
        "$build"/deb/sotto_*.changes
    ls "$build"/deb/*.deb
}

install_and_test() {
    apt-get install -y -qq --no-install-recommends "$build"/deb/*.deb \
        gcc libc6-dev pkg-config >/dev/null
    for test in demo python library programs; do
        echo "== debian/tests/$test"
        "debian/tests/$test"
    done
}

if [ "${2:-}" = --install ]; then
    install_and_test
else
    make_packages
fi
