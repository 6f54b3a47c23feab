#!/bin/sh
# fresh.sh [SUITE [COMMAND...]]: does what a stranger does. It makes a minimal Debian
# in build-fresh/SUITE, clones HEAD into it, and runs there the commands that the
# README's first code block prints, or those that are given. `fresh.sh --commands`
# prints the README's.
#
# The mirror, its proxy and its passwords are those of this machine's apt.
# Packages are kept in build-fresh/SUITE.packages and fetched once. Everything
# is mounted in a name space of its own, so nothing stays mounted after a kill.
# Real data, if they are at hand, are mounted where the tests look for them.
set -eu
root=$(realpath "$(dirname "$0")/..")

say() { printf '%s\n' "fresh: $*"; }
fail() {
    printf '%s\n' "fresh: $*" >&2
    exit 1
}

# The lines of the first code block that start with make, without remarks.
commands() {
    awk '/^    /{block = 1} block && !/^    /{exit}
        block && $1 == "make" {sub(/^ +/, ""); sub(/ *#.*/, ""); print}' \
        "$root/README.md"
}

# ---- inside: in a mount and process name space of our own ----

# mirror_of_apt: where this machine's apt has Debian from.
mirror_of_apt() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 'Label: Debian' | head -n 1
}

# What the new system's apt needs to know of the way to the mirror.
copy_apt_settings() {
    apt-config dump |
        grep -E '^Acquire::(https?(::| )|Retries|Check-Valid-Until)' \
            >"$system/etc/apt/apt.conf.d/00mirror" || true
    for name in auth.conf auth.conf.d; do
        [ ! -e "/etc/apt/$name" ] || cp -a "/etc/apt/$name" "$system/etc/apt/"
    done
    cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
}

make_system() {
    begin=$(date +%s)
    debootstrap --variant=minbase --include=make,git,ca-certificates \
        --cache-dir="$packages" "$suite" "$system" "$mirror" >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        fail "debootstrap could not make a Debian $suite (all it said: $log)"
    }
    copy_apt_settings
    mount --bind "$packages" "$system/var/cache/apt/archives"
    mount -t proc proc "$system/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$system/dev/pts"
    mkdir -p "$system/dev/shm"
    mount -t tmpfs tmpfs "$system/dev/shm"
    say "Debian $suite made in $(($(date +%s) - begin)) s"
}

# The clone, and beside it the data that tests look for in ../shared/data.
bring_sotto() {
    git clone -q "$root" "$system/home/sotto"
    data=${SOTTO_DATA:-$root/../shared/data}
    if [ -d "$data" ]; then
        mkdir -p "$system/home/shared/data"
        mount --bind "$(realpath "$data")" "$system/home/shared/data"
        mount -o remount,bind,ro "$system/home/shared/data"
    fi
}

run_command() {
    begin=$(date +%s)
    say "\$ $1"
    chroot "$system" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${http_proxy:+"http_proxy=$http_proxy"} \
        ${https_proxy:+"https_proxy=$https_proxy"} \
        sh -c "cd /home/sotto && $1" || fail "$1 failed in a fresh Debian $suite"
    say "$1 took $(($(date +%s) - begin)) s"
}

# inside COMMAND...: a file with them, so that none is lost to a pipe's shell.
inside() {
    make_system
    bring_sotto
    [ $# -gt 0 ] || commands >"$log.commands"
    [ $# = 0 ] || printf '%s\n' "$@" >"$log.commands"
    while read -r command; do
        run_command "$command" </dev/null
    done <"$log.commands"
}

# ---- outside ----

case ${1:-} in
--commands)
    commands
    exit
    ;;
--inside) shift ;;
*)
    [ "$(id -u)" = 0 ] ||
        fail "needs root: debootstrap, mount and chroot are root's"
    "$root/tools/setup.sh" fresh ||
        fail "debootstrap is not there and could not be installed"
    unshare --mount --pid --fork true 2>/dev/null ||
        fail "cannot run here: no name spaces of its own for mounts"
    [ $# -gt 0 ] || set -- bookworm
    exec unshare --mount --pid --fork --kill-child "$0" --inside "$@"
    ;;
esac

suite=$1
shift
system=$root/build-fresh/$suite
packages=$root/build-fresh/$suite.packages
log=$root/build-fresh/$suite.log
eval "$(apt-config shell http_proxy Acquire::http::Proxy \
    https_proxy Acquire::https::Proxy)"
export http_proxy https_proxy 2>/dev/null || true
mirror=$(mirror_of_apt)
[ -n "$mirror" ] || {
    apt-get update -qq
    mirror=$(mirror_of_apt)
}
[ -n "$mirror" ] || fail "this machine's apt knows no mirror of Debian"
rm -rf "$system"
mkdir -p "$system" "$packages"
inside "$@"
say "Debian $suite: every command $([ $# -gt 0 ] || echo "of the README's first screen ")passed"
