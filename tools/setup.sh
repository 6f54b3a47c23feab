#!/bin/sh
# setup.sh GROUP...: installs the Debian packages that are missing for
# building, testing, checking (ci), measuring (bench), the Python package with its
# company (python) and as a file (wheel), several processes (mpi), looking at pages
# (browser), the site of documents (docs), Debian packages (deb), formatting, or making a fresh Debian (fresh).
set -eu

packages() {
    case $1 in
    build) echo gcc libc6-dev binutils meson ninja-build pkg-config python3 \
        zlib1g-dev libjansson-dev libsodium-dev libsqlite3-dev scdoc libgnutls28-dev \
        libmicrohttpd-dev libcurl4-gnutls-dev ;;
    test) echo libcmocka-dev liblinear-tools libmpfr-dev libgmp-dev \
        python3-numpy python3-mpmath python3-cffi python3-jsonschema python3-dev groff-base openssl locales ;;
    ci) echo clang-14 libclang-rt-14-dev valgrind liblinear4 python3-scipy \
        python3-sklearn python3-cvxopt ;;
    bench) echo valgrind liblinear-tools liblinear4 python3-pandas \
        python3-scipy python3-sklearn g++ libeigen3-dev python3-venv python3-pip ;;
    python) echo python3-venv python3-pip python3-sklearn python3-pandas ;;
    wheel) echo python3-venv python3-pip python3-dev ;;
    browser) echo chromium ;;
    docs) echo python3-sphinx python3-myst-parser furo ;;
    deb) echo build-essential debhelper dh-python chrpath lintian libopenmpi-dev \
        pybuild-plugin-pyproject python3-mesonpy python3-cffi python3-dev python3-numpy ;;
    mpi) echo libopenmpi-dev openmpi-bin ;;
    format) echo clang-format-14 ;;
    fresh) echo debootstrap git ;;
    *)
        echo "setup.sh: no such group: $1" >&2
        exit 2
        ;;
    esac
}

missing=
for group in "$@"; do
    for package in $(packages "$group"); do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null ||
            true)
        [ "$state" = installed ] || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=sudo
else
    echo "sotto needs some Debian packages. As root, run:" >&2
    echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
