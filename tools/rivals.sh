#!/bin/sh
# rivals.sh BUILD: the programs that 'make bench' compares with and Debian does
# not have, from PyPI, in a folder of their own: BUILD/rivals. No other Python is
# touched. What cannot be had is a line of BUILD/rivals/skipped.txt, and a line of
# the bench. It is done once; remove the folder to do it again.
#
# PyTorch, which Opacus needs, is gigabytes: it is left out but for TORCH=pypi.
set -eu
build=$1
rivals=$build/rivals
[ ! -f "$rivals/skipped.txt" ] || exit 0
echo "installing what the bench compares with into $rivals"
/usr/bin/python3 -m venv "$rivals"
: >"$rivals/log.txt"
: >"$rivals/skipped.new"

# have NAME PIP-OPTION...: installs; or says that there is no NAME.
have() {
    name=$1
    shift
    timeout 900 "$rivals/bin/pip" install -q --disable-pip-version-check \
        --timeout 20 --retries 1 "$@" >>"$rivals/log.txt" 2>&1 && return 0
    echo "skipped: $name (pip could not install it, see $rivals/log.txt)" |
        tee -a "$rivals/skipped.new"
    return 1
}

# diffprivlib 0.6.6 needs names that scikit-learn 1.6 has no more
have "scikit-learn" numpy scipy pandas 'scikit-learn<1.6' cffi || true
have "diffprivlib" diffprivlib 'scikit-learn<1.6' || true
have "polars" polars || true
have "pyarrow" pyarrow || true
have "skglm" skglm 'scikit-learn<1.6' || true
have "celer" celer 'scikit-learn<1.6' || true
have "dp-accounting" dp-accounting || true
if [ "${TORCH:-}" = pypi ]; then
    have "Opacus" torch opacus || true
else
    echo "skipped: Opacus (it needs gigabytes of PyTorch; TORCH=pypi fetches them)" |
        tee -a "$rivals/skipped.new"
fi
mv "$rivals/skipped.new" "$rivals/skipped.txt"
