#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds or builds everything Hurray needs. Prints progress on standard error and,
# as its only line on standard output, the HDF5 prefix it settled on.
#
#   cmake/setup.sh [--serial]
#
# --serial   use an HDF5 without MPI
#
# HURRAY_CACHE   where a built HDF5 and its source are kept (default ~/.cache/hurray)
# HURRAY_HDF5    an HDF5 prefix of your own (>= 1.14); nothing is searched or built then
set -Eeuo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=cmake/hdf5.sh
. "$here/hdf5.sh"

flavour=parallel
for arg; do
    case $arg in
        --serial) flavour=serial ;;
        -h | --help) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "setup: unknown option '$arg' (try --help)" >&2; exit 2 ;;
    esac
done

step="start"
say() { echo "setup: $*" >&2; }
on_failure() {
    say "FAILED at step: $step"
    say "by hand: $by_hand"
}
by_hand="see README.md, section Building"
trap on_failure ERR

apt() { # as root, whoever we are; output only when it fails
    local sudo=() log
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    log=$(mktemp)
    if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" \
        >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

install_packages() {
    local missing=() p
    for p; do
        dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed ||
            missing+=("$p")
    done
    [ ${#missing[@]} = 0 ] && return 0
    step="install the packages ${missing[*]}"
    by_hand="apt-get update && apt-get install ${missing[*]}"
    say "installing ${missing[*]}"
    apt update
    apt install -y --no-install-recommends "${missing[@]}"
}

if ! command -v apt-get >/dev/null; then
    [ -n "${HURRAY_HDF5:-}" ] || {
        say "this is not a Debian-like system: install a C compiler, cmake, ninja, cmocka, zlib,"
        say "Open MPI and HDF5 >= 1.14, then run again with HURRAY_HDF5=<its prefix>"
        exit 1
    }
else
    packages=(gcc libc6-dev cmake ninja-build pkg-config libcmocka-dev zlib1g-dev dpkg-dev
              ca-certificates)
    [ "$flavour" = serial ] || packages+=(openmpi-bin libopenmpi-dev)
    install_packages "${packages[@]}"
fi

hdf5_locate "$flavour"
say "HDF5 prefix: $HDF5_PREFIX ($HDF5_ORIGIN)"
echo "$HDF5_PREFIX"
