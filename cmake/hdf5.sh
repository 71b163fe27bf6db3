# SPDX-License-Identifier: Apache-2.0
# Sourced by setup.sh: finds an HDF5 >= 1.14, or builds one from the source package of a
# newer Debian suite. Uses say, step, by_hand, apt, installed and install_packages of setup.sh.
# shellcheck shell=bash disable=SC2034

HDF5_SUITES="trixie forky sid" # tried in this order

hdf5_cache=${HURRAY_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/hurray}

new_enough() { printf '1.14\n%s\n' "${1:-0}" | sort -VC; }

# hdf5_locate FLAVOUR: sets HDF5_PREFIX and HDF5_ORIGIN.
hdf5_locate() {
    local flavour=$1 version
    if [ -n "${HURRAY_HDF5:-}" ]; then
        step="use HURRAY_HDF5=$HURRAY_HDF5"
        by_hand="set HURRAY_HDF5 to a prefix with include/hdf5.h of HDF5 >= 1.14, or unset it"
        version=$(hdf5_version "$HURRAY_HDF5" 2>/dev/null) || :
        new_enough "$version" || { say "found there: HDF5 ${version:-(none)}"; false; }
        HDF5_PREFIX=$(cd "$HURRAY_HDF5" && pwd) HDF5_ORIGIN="named by HURRAY_HDF5"
        return
    fi
    [ "$flavour" = serial ] && hdf5_system installed && return
    hdf5_ready "$flavour" && return
    [ "$flavour" = serial ] && hdf5_system candidate && return
    hdf5_lock
    hdf5_ready "$flavour" || hdf5_build "$flavour"
}

# hdf5_version PREFIX: the version its header states.
hdf5_version() {
    sed -n 's/.*H5_VERS_INFO.*library version: \([0-9.]*\).*/\1/p' "$1/include/H5public.h" | grep .
}

# hdf5_system installed|candidate: the distribution's serial HDF5 and tools, when new enough.
hdf5_system() {
    local version multiarch
    version=$(installed libhdf5-dev)
    if [ -z "$version" ] && [ "$1" = candidate ]; then
        version=$(apt-cache policy libhdf5-dev | sed -n 's/^ *Candidate: *//p')
    fi
    case $version in
        '' | '(none)') return 1 ;;
    esac
    new_enough "$version" || return 1
    install_packages libhdf5-dev hdf5-tools
    multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    HDF5_PREFIX=/usr/lib/$multiarch/hdf5/serial HDF5_ORIGIN="system package libhdf5-dev $version"
}

# hdf5_ready FLAVOUR: one that was built earlier, under the cache.
hdf5_ready() {
    local complete
    complete=$(find "$hdf5_cache" -maxdepth 2 -path "*/hdf5-*-$1/.complete" 2>/dev/null |
        sort -V | head -n 1)
    [ -n "$complete" ] || return 1
    HDF5_PREFIX=${complete%/.complete}
    HDF5_ORIGIN="built from the source package"
}

# One set-up at a time works in the cache; the lock goes with the process.
hdf5_lock() {
    step="write to $hdf5_cache" by_hand="set HURRAY_CACHE to a folder you can write to"
    mkdir -p "$hdf5_cache"
    exec 9>"$hdf5_cache/.lock"
    flock -n 9 || { say "waiting for another set-up to finish"; flock 9; }
}

# hdf5_source [VERSION]: the unpacked source package, of that version or any that is new
# enough: sets HDF5_SOURCE. Tests use its suites and files too.
hdf5_source() {
    local want=${1:-} suite own
    hdf5_unpacked "$want" && return 0
    hdf5_lock
    hdf5_unpacked "$want" && return 0
    [ -z "$want" ] || own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    for suite in ${own:-} $HDF5_SUITES; do
        hdf5_fetch "$suite" "$want" && return 0
        say "suite $suite has no source of HDF5 ${want:->= 1.14}"
    done
    step="fetch the HDF5 source package"
    by_hand="unpack the source of HDF5 ${want:->= 1.14} in $hdf5_cache/hdf5-VERSION and touch .unpacked there"
    false
}

hdf5_unpacked() {
    HDF5_SOURCE=$(find "$hdf5_cache" -maxdepth 2 -path "*/hdf5-${1:-*}/.unpacked" -printf '%h\n' \
        2>/dev/null | sort -V | head -n 1)
    [ -n "$HDF5_SOURCE" ]
}

# The Debian archive this system's apt uses.
hdf5_archive() {
    apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)' \
        'Created-By: Packages' | awk '$1 == "Debian" && $2 == "main" && $3 !~ /-/ {print $4; exit}'
}

# hdf5_fetch SUITE [VERSION]: apt-get source, by apt's own configuration and signatures, with a
# source list and package lists of our own so that the system's stay as they are.
hdf5_fetch() {
    local suite=$1 want=$2 uri lists=$hdf5_cache/apt opts version
    step="fetch HDF5's source package from suite $suite"
    by_hand="add a deb-src line for $suite, apt-get update, apt-get source hdf5"
    uri=$(hdf5_archive)
    [ -n "$uri" ] || { apt update && uri=$(hdf5_archive); }
    [ -n "$uri" ] || { say "apt knows no Debian main archive"; return 1; }
    rm -rf "$lists"
    mkdir -p "$lists/lists/partial" "$lists/archives/partial"
    echo "deb-src $uri $suite main" >"$lists/sources.list"
    opts=(-o "Dir::Etc::sourcelist=$lists/sources.list" -o Dir::Etc::sourceparts=-
          -o "Dir::State::lists=$lists/lists" -o "Dir::Cache=$lists" -o APT::Sandbox::User=root)
    apt-get "${opts[@]}" update >"$lists/log" 2>&1 || { tail -n 5 "$lists/log" >&2; return 1; }
    version=$(apt-cache "${opts[@]}" showsrc hdf5 2>/dev/null | sed -n 's/^Version: //p' |
        grep "^${want:-[0-9]}" | sort -V | tail -n 1)
    new_enough "$version" || return 1
    say "fetching the source package of HDF5 $version, suite $suite"
    (cd "$lists" && apt-get "${opts[@]}" source --download-only "hdf5=$version" >log 2>&1) ||
        { tail -n 5 "$lists/log" >&2; return 1; }
    HDF5_SOURCE=$hdf5_cache/hdf5-${version%%[-+]*}
    rm -rf "$HDF5_SOURCE"
    # apt has checked the files against the signed lists; the uploader's key is not ours to know.
    dpkg-source --no-check --no-copy -x "$lists"/hdf5_*.dsc "$HDF5_SOURCE" >>"$lists/log" 2>&1 ||
        { tail -n 5 "$lists/log" >&2; return 1; }
    touch "$HDF5_SOURCE/.unpacked"
    rm -rf "$lists"
}

# hdf5_build FLAVOUR: library, high-level library and tools, into the cache. `.complete` comes
# last, so that what an interruption left is thrown away and built again.
hdf5_build() {
    local flavour=$1 parallel=ON build
    [ "$flavour" = parallel ] || parallel=OFF
    hdf5_source
    HDF5_PREFIX=$HDF5_SOURCE-$flavour HDF5_ORIGIN="built from the source package"
    build=$HDF5_PREFIX.build
    step="build HDF5 in $build" by_hand="read $build.log; build HDF5 with cmake; set HURRAY_HDF5 to its prefix"
    say "building HDF5 ($flavour) from $HDF5_SOURCE: a few minutes, once"
    rm -rf "$build" "$HDF5_PREFIX"
    {
        cmake -G Ninja -S "$HDF5_SOURCE" -B "$build" -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_INSTALL_PREFIX="$HDF5_PREFIX" -DBUILD_SHARED_LIBS=ON -DBUILD_STATIC_LIBS=OFF \
            -DBUILD_TESTING=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_TOOLS=ON \
            -DHDF5_BUILD_HL_LIB=ON -DHDF5_BUILD_FORTRAN=OFF -DHDF5_BUILD_CPP_LIB=OFF \
            -DHDF5_BUILD_JAVA=OFF -DHDF5_ENABLE_PARALLEL=$parallel \
            -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_SZIP_SUPPORT=OFF \
            -DHDF5_ALLOW_EXTERNAL_SUPPORT=NO &&
            cmake --build "$build" && cmake --install "$build"
    } >"$build.log" 2>&1 || { tail -n 20 "$build.log" >&2; false; }
    rm -rf "$build"
    touch "$HDF5_PREFIX/.complete"
}
