# SPDX-License-Identifier: Apache-2.0
# Sourced by setup.sh: finds an HDF5 >= 1.14, or builds one from the source package of a
# newer Debian suite. Uses say, step, by_hand, apt and install_packages of setup.sh.
# shellcheck shell=bash disable=SC2034

HDF5_SUITES="trixie forky sid" # tried in this order when the system's HDF5 is too old

hdf5_cache=${HURRAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hurray}

# hdf5_locate FLAVOUR: sets HDF5_PREFIX and HDF5_ORIGIN.
hdf5_locate() {
    local flavour=$1
    if [ -n "${HURRAY_HDF5:-}" ]; then
        step="use HURRAY_HDF5" by_hand="set HURRAY_HDF5 to a prefix with include/hdf5.h, or unset it"
        [ -e "$HURRAY_HDF5/include/hdf5.h" ] || { say "$HURRAY_HDF5/include/hdf5.h is missing"; false; }
        HDF5_PREFIX=$HURRAY_HDF5 HDF5_ORIGIN="named by HURRAY_HDF5"
    elif ! hdf5_system "$flavour"; then
        hdf5_cached "$flavour"
    fi
}

# A distribution's own HDF5, when it is new enough: libhdf5-openmpi-dev or libhdf5-dev.
hdf5_system() {
    local flavour=$1 package=libhdf5-dev sub=serial version multiarch
    [ "$flavour" = serial ] || package=libhdf5-openmpi-dev sub=openmpi
    step="look up the system's HDF5" by_hand="apt-get update; apt-cache policy $package"
    version=$(apt-cache policy $package | sed -n 's/^ *Candidate: *//p')
    case $version in
        '' | '(none)') apt update
            version=$(apt-cache policy $package | sed -n 's/^ *Candidate: *//p') ;;
    esac
    dpkg --compare-versions "${version:-0}" ge 1.14 || return 1
    install_packages "$package" hdf5-tools
    multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    HDF5_PREFIX=/usr/lib/$multiarch/hdf5/$sub HDF5_ORIGIN="system package $package $version"
}

# An HDF5 built earlier, or built now, under the cache.
hdf5_cached() {
    local flavour=$1
    hdf5_source
    HDF5_PREFIX=$hdf5_cache/$(basename "$HDF5_SOURCE")-$flavour
    HDF5_ORIGIN="built from $(basename "$HDF5_SOURCE")"
    [ -e "$HDF5_PREFIX/.complete" ] || hdf5_build "$flavour"
}

# The source package, unpacked: sets HDF5_SOURCE. Tests use its suites and files too.
hdf5_source() {
    local suite
    mkdir -p "$hdf5_cache"
    HDF5_SOURCE=$(find "$hdf5_cache" -maxdepth 2 -path '*/hdf5-*/.unpacked' -printf '%h\n' 2>/dev/null |
        sort -V | head -n 1)
    [ -n "$HDF5_SOURCE" ] && return 0
    for suite in $HDF5_SUITES; do
        hdf5_fetch "$suite" && return 0
        say "no HDF5 >= 1.14 source in suite $suite"
    done
    step="fetch the HDF5 source package"
    by_hand="unpack an HDF5 >= 1.14 source in $hdf5_cache/hdf5-VERSION and touch .unpacked there"
    false
}

# apt-get source of one suite, by apt's own configuration and signatures, with a source
# list and package lists of our own so that the system's stay as they are.
hdf5_fetch() {
    local suite=$1 uri lists=$hdf5_cache/apt opts version
    step="fetch HDF5's source package from suite $suite"
    by_hand="add a deb-src line for $suite, apt-get update, apt-get source hdf5"
    uri=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)' \
        'Created-By: Packages' | awk '$1 == "Debian" && $2 == "main" && $3 !~ /-/ {print $4; exit}')
    [ -n "$uri" ] || { apt update; uri=$(apt-get indextargets --format \
        '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 == "main" && $3 !~ /-/ {print $4; exit}'); }
    [ -n "$uri" ] || { say "apt knows no Debian main archive"; return 1; }
    mkdir -p "$lists/lists/partial" "$lists/archives/partial"
    echo "deb-src $uri $suite main" >"$lists/sources.list"
    opts=(-o "Dir::Etc::sourcelist=$lists/sources.list" -o Dir::Etc::sourceparts=-
          -o "Dir::State::lists=$lists/lists" -o "Dir::Cache=$lists" -o APT::Sandbox::User=root)
    say "fetching the HDF5 source package of suite $suite"
    apt-get "${opts[@]}" update >"$lists/log" 2>&1 || { tail -n 5 "$lists/log" >&2; return 1; }
    version=$(apt-cache "${opts[@]}" showsrc hdf5 2>/dev/null | sed -n 's/^Version: //p' |
        sort -V | tail -n 1)
    dpkg --compare-versions "${version:-0}" ge 1.14 || return 1
    (cd "$lists" && apt-get "${opts[@]}" source --download-only "hdf5=$version" >log 2>&1) ||
        { tail -n 5 "$lists/log" >&2; return 1; }
    version=${version%%[-+]*}
    HDF5_SOURCE=$hdf5_cache/hdf5-$version
    rm -rf "$HDF5_SOURCE"
    dpkg-source --no-check --no-copy -x "$lists"/hdf5_*.dsc "$HDF5_SOURCE" >>"$lists/log" 2>&1 ||
        { tail -n 5 "$lists/log" >&2; return 1; }
    touch "$HDF5_SOURCE/.unpacked"
    rm -f "$lists"/hdf5_*
}

# Library, high-level library and tools, into $HDF5_PREFIX.
hdf5_build() {
    local flavour=$1 build=$HDF5_PREFIX.build parallel=ON
    [ "$flavour" = parallel ] || parallel=OFF
    step="build HDF5 in $build" by_hand="read $build.log; configure HDF5 there with cmake and install"
    say "building HDF5 ($flavour) from $HDF5_SOURCE: about two minutes, once"
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
