#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds or builds everything Hurray needs. Prints progress on standard error and, as its only
# line on standard output, the HDF5 prefix it settled on. Running it again takes a second.
#
#   cmake/setup.sh [--serial] [--source]
#
# --serial   an HDF5 without MPI
# --source   print the unpacked source of that HDF5 instead (its test suites), fetching it if needed
#
# HURRAY_CACHE   where a built HDF5 and its source are kept (default ~/.cache/hurray)
# HURRAY_HDF5    an HDF5 prefix of your own (>= 1.14); nothing is searched or built then
#
# A plug-in must be built against the very library that the programs and tools load. Debian's
# h5dump, h5ls, ... use its serial HDF5 and there are none for its Open MPI one, so: --serial
# takes the distribution's HDF5 when that is new enough; with MPI, library and tools are built
# here. For programs linked to the distribution's own libhdf5-openmpi (>= 1.14), name it:
#   HURRAY_HDF5=/usr/lib/$(gcc -print-multiarch)/hdf5/openmpi bash cmake/setup.sh
set -Eeuo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=cmake/hdf5.sh
. "$here/hdf5.sh"

flavour=parallel print=prefix
for arg; do
    case $arg in
        --serial) flavour=serial ;;
        --source) print=source ;;
        -h | --help) sed -n '3,19s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "setup: unknown option '$arg' (try --help)" >&2; exit 2 ;;
    esac
done

# Every step names itself and what to do by hand, for the message below.
step="start" by_hand="see README.md"
say() { echo "setup: $*" >&2; }
on_failure() {
    trap - ERR
    say "FAILED at step: $step"
    say "by hand: $by_hand"
    exit 1
}
trap on_failure ERR

# apt ARGUMENT...: apt-get as root, whoever we are; its output only when it fails.
apt() {
    local sudo=() log status=0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { say "not root, and there is no sudo"; return 1; }
        sudo=(sudo)
    fi
    log=$(mktemp)
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" \
        >"$log" 2>&1 || status=$?
    [ $status = 0 ] || tail -n 20 "$log" >&2
    rm -f "$log"
    return $status
}

installed() { # PACKAGE: its version, if it is installed
    dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null | sed -n 's/^installed //p'
}

install_packages() {
    local missing=() p
    for p; do
        [ -n "$(installed "$p")" ] || missing+=("$p")
    done
    [ ${#missing[@]} = 0 ] && return 0
    step="install the packages ${missing[*]}"
    by_hand="as root: apt-get update && apt-get install ${missing[*]}"
    say "installing ${missing[*]}"
    apt update
    apt install -y --no-install-recommends "${missing[@]}" || {
        apt -o APT::Update::Error-Mode=any update || : # says which archive did not answer
        false
    }
}

if command -v apt-get >/dev/null; then
    packages=(gcc libc6-dev cmake ninja-build pkg-config libcmocka-dev libcjson-dev
              zlib1g-dev dpkg-dev ca-certificates)
    [ "$flavour" = serial ] || packages+=(openmpi-bin libopenmpi-dev)
    install_packages "${packages[@]}"
elif [ -z "${HURRAY_HDF5:-}" ]; then
    say "this is not a Debian-like system: install a C compiler, cmake, ninja, cmocka, zlib,"
    say "Open MPI and HDF5 >= 1.14, then run again with HURRAY_HDF5=<its prefix>"
    exit 1
fi

hdf5_locate "$flavour"
if [ $print = source ]; then
    hdf5_source "$(hdf5_version "$HDF5_PREFIX")"
    echo "$HDF5_SOURCE"
else
    say "HDF5 prefix: $HDF5_PREFIX ($HDF5_ORIGIN)"
    echo "$HDF5_PREFIX"
fi
