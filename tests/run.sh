#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and tests everything. All parts run even if one fails; the end says which did.
#
#   bash tests/run.sh [PART...]
#
# unit      build, then all of CTest: unit, lint, package, connector (alone: --quick)
# suites    HDF5's own API suites, examples and files through the connector, against the lists in tests/hdf5
# sanitize  the same CTest, built with address and undefined-behaviour sanitizers, and HDF5's
#           API suites through the sanitized plug-in
#
# Without a part: all of them. Options: --quick = unit; --jobs N; --serial = HDF5 without MPI,
# parts unit and suites
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

parts=() jobs=$(nproc) preset=default flavour=()
while [ $# -gt 0 ]; do
    case $1 in
        unit | suites | sanitize) parts+=("$1") ;;
        --quick) parts+=(unit) ;;
        --jobs) jobs=$2; shift ;;
        --serial) preset=serial flavour=(--serial) ;;
        -h | --help) sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "run: unknown part or option '$1' (try --help)" >&2; exit 2 ;;
    esac
    shift
done
if [ ${#parts[@]} = 0 ]; then
    parts=(unit suites)
    [ $preset = serial ] || parts+=(sanitize)
fi
tree=build
[ $preset = default ] || tree=build-$preset

outcome=()
# part NAME COMMAND...: runs it and notes how it went.
part() {
    local name=$1 begin=$SECONDS how=passed
    shift
    printf '\n== %s\n' "$name"
    "$@" || how=FAILED
    outcome+=("$how $((SECONDS - begin)) s $name")
}
summary() {
    printf '\n== Summary\n'
    printf '%s\n' "${outcome[@]}"
    ! printf '%s\n' "${outcome[@]}" | grep -q '^FAILED'
}

configure() { # PRESET
    cmake --preset "$1" -DHDF5_ROOT="$HDF5_ROOT" -DHURRAY_HDF5_SOURCE="$source" --log-level=NOTICE
}
build() { # PRESET [TARGET]
    cmake --build --preset "$1" --parallel "$jobs" ${2:+--target "$2"} -- --quiet
}
tests() { # PRESET
    ctest --preset "$1" --parallel "$jobs"
}

ready() { # PRESET: configured and built, or the run ends here
    part "build $1" build_once "$1"
    [[ ${outcome[-1]} == passed* ]] || { summary; exit 1; }
}
build_once() { configure "$1" && build "$1"; }

suite() { # [OPTION...] SUITE
    bash tests/hdf5/ratchet.sh --build $tree "$@"
}

# An uninstrumented program that loads the sanitized plug-in needs the run-time preloaded.
suite_sanitized() {
    local runtime
    runtime=$(gcc -print-file-name=libasan.so)
    OMPI_MCA_mca_base_component_disable_dlclose=1 \
        ASAN_OPTIONS=fast_unwind_on_malloc=0 \
        LSAN_OPTIONS=suppressions=$root/tests/support/leaks.supp:print_suppressions=0 \
        suite --plugins build-asan/lib/hdf5/plugin --preload "$runtime" "$@"
}

HDF5_ROOT=$(bash cmake/setup.sh "${flavour[@]}")
source=$(bash cmake/setup.sh "${flavour[@]}" --source)
export HDF5_ROOT PATH=$HDF5_ROOT/bin:$PATH
unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH

ready $preset
for what in "${parts[@]}"; do
    case $what in
        unit) part "CTest" tests $preset ;;
        suites)
            part "build HDF5's suites" build $preset hdf5_suites
            part "build HDF5's examples" build $preset hdf5_examples
            part "the ratchet itself, on native HDF5" suite --native api_serial
            part "HDF5's API suite" suite api_serial
            part "HDF5's files" bash tests/hdf5/files.sh --build $tree
            part "HDF5's examples" bash tests/hdf5/examples.sh --build $tree
            part "files of other writers" bash tests/hdf5/foreign.sh --build $tree
            if [ $preset != serial ]; then
                part "HDF5's API suite, 2 ranks" suite api_parallel
                part "HDF5's API suite, 4 ranks" suite --ranks 4 api_parallel
            fi ;;
        sanitize)
            ready asan-ubsan
            part "CTest, sanitized" tests asan-ubsan
            part "build HDF5's suites" build $preset hdf5_suites
            part "HDF5's API suite, sanitized" suite_sanitized api_serial
            part "HDF5's API suite, 2 ranks, sanitized" suite_sanitized api_parallel ;;
    esac
done
summary
