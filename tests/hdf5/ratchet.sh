#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one of HDF5's API suites and compares what passes with the list checked in beside this
# script. Losing a test fails; so does gaining one, until the list is updated.
#
#   tests/hdf5/ratchet.sh [options] api_serial|api_parallel [CATEGORY...]
#
# CATEGORY         file group dataset datatype attribute link object misc async (default: all);
#                  each runs in a process of its own, so that a crash costs only its category
# --update         write the list: what passes now, after checking that nothing was lost
# --allow-loss     with --update: even if something was lost
# --missing        list what passes with native HDF5 and not here
# --native         run with native HDF5 and its list; checks this machinery
# --build DIR      build tree with bin/h5_api_test (default build)
# --plugins DIR    folder of the plug-in (default DIR/lib/hdf5/plugin)
# --connector S    HDF5_VOL_CONNECTOR (default hurray)
# --preload LIB    LD_PRELOAD for the suite, such as libasan.so
# --ranks N        MPI ranks of api_parallel (default 2)
# --timeout S      seconds a category may take (default 180)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
die() { echo "ratchet: $*" >&2; exit 2; }

build=$root/build plugins='' connector=hurray preload='' ranks=2 limit=180
update='' allow_loss='' missing='' suite=''
categories=() launch=()
while [ $# -gt 0 ]; do
    case $1 in
        --update) update=1 ;;
        --allow-loss) allow_loss=1 ;;
        --missing) missing=1 ;;
        --native) connector=native ;;
        --build) build=$(cd "$2" && pwd); shift ;;
        --plugins) plugins=$(cd "$2" && pwd); shift ;;
        --connector) connector=$2; shift ;;
        --preload) preload=$2; shift ;;
        --ranks) ranks=$2; shift ;;
        --timeout) limit=$2; shift ;;
        -h | --help) sed -n '3,22s/^# \{0,1\}//p' "$0"; exit 0 ;;
        -*) die "unknown option '$1' (try --help)" ;;
        *) if [ -z "$suite" ]; then suite=$1; else categories+=("$1"); fi ;;
    esac
    shift
done
case $suite in
    api_serial) program=(h5_api_test) ;;
    api_parallel)
        program=(h5_api_test_parallel)
        launch=(mpiexec --oversubscribe -n "$ranks")
        [ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root) ;;
    *) die "name a suite: api_serial or api_parallel" ;;
esac
all=(file group dataset datatype attribute link object misc async)
[ ${#categories[@]} -gt 0 ] || categories=("${all[@]}")
[ -x "$build/bin/${program[0]}" ] ||
    die "$build/bin/${program[0]} is missing: cmake --build $build --target hdf5_suites"

name=${connector%% *}
expected=$here/$suite.pass
if [ "$name" = native ]; then
    expected=$here/$suite.native.pass
else
    plugins=${plugins:-$build/lib/hdf5/plugin}
    [ -e "$plugins/libhdf5_vol_hurray.so" ] || die "$plugins/libhdf5_vol_hurray.so is missing: build it"
fi
logs=$build/hdf5/$suite.$name
mkdir -p "$logs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run_category CATEGORY: its output in $logs/CATEGORY.{log,err}; returns its exit status.
run_category() {
    local environment=(HDF5_USE_FILE_LOCKING="${HDF5_USE_FILE_LOCKING:-TRUE}")
    [ "$name" = native ] ||
        environment+=(HDF5_VOL_CONNECTOR="$connector" HDF5_PLUGIN_PATH="$plugins")
    [ -z "$preload" ] || environment+=(LD_PRELOAD="$preload")
    rm -rf "${work:?}/$1" && mkdir "$work/$1"
    (cd "$work/$1" && unset HDF5_VOL_CONNECTOR HDF5_PLUGIN_PATH &&
        timeout "$limit" "${launch[@]}" env "${environment[@]}" "$build/bin/${program[0]}" "$1") \
        >"$logs/$1.log" 2>"$logs/$1.err" </dev/null
}

# How a category ended when it did not end by itself; empty otherwise.
ending() {
    case $1 in
        0 | 1) ;;
        124) echo "was stopped after $limit s" ;;
        *) if [ "$1" -gt 128 ]; then echo "died of signal $(($1 - 128))"; else echo "ended with status $1"; fi ;;
    esac
}

broken=0
: >"$work/results"
for category in "${categories[@]}"; do
    status=0
    run_category "$category" 2>/dev/null || status=$?
    log=$logs/$category.log
    if ! grep -q "API tests with VOL connector '$name'" "$log"; then
        echo "ratchet: $category: the suite did not start with connector '$name'; it said:" >&2
        tail -n 5 "$logs/$category.err" >&2
        broken=1
    fi
    awk -v category="$category" -f "$here/results.awk" "$log" >"$work/one"
    grep -v '^UNFINISHED' "$work/one" >>"$work/results" || :
    cut_short=$(sed -n 's/^UNFINISHED\t//p' "$work/one")
    how=$(ending "$status")
    if [ -n "$cut_short$how" ]; then
        echo "ratchet: $category ${how:-ended early}, at: ${cut_short:-the very end}; what follows counts as lost" >&2
        tail -n 5 "$logs/$category.err" >&2
        broken=1
    fi
    awk -v c="$category" -F'\t' '{n[$1]++} END {printf "%-10s %5d passed %5d failed %5d skipped\n",
        c, n["PASSED"], n["FAILED"], n["SKIPPED"]}' "$work/one"
done

awk -v s="$suite" -v c="$name" -F'\t' '{n[$1]++} END {
    printf "%s with %s: %d passed, %d failed, %d skipped of %d\n",
        s, c, n["PASSED"], n["FAILED"], n["SKIPPED"], NR}' "$work/results"

# only_selected: keeps the ids of the categories that ran.
only_selected() { grep -E "^($(IFS='|'; echo "${categories[*]}"))/" || :; }

sed -n 's/^PASSED\t//p' "$work/results" | sort >"$work/passed"
touch "$work/listed"
[ ! -e "$expected" ] || sort "$expected" >"$work/listed"
only_selected <"$work/listed" >"$work/expected"
comm -23 "$work/expected" "$work/passed" >"$work/lost"
comm -13 "$work/expected" "$work/passed" >"$work/gained"

if [ -n "$missing" ]; then
    only_selected <"$here/$suite.native.pass" | sort | comm -23 - "$work/passed" |
        while IFS= read -r id; do
            state=$(awk -F'\t' -v id="$id" '$2 == id {print $1; exit}' "$work/results")
            echo "missing: ${state:-NOT RUN} $id"
        done
fi
if [ -s "$work/lost" ]; then
    echo "lost, $(wc -l <"$work/lost") that $(basename "$expected") lists:"
    sed 's/^/  /' "$work/lost"
    echo "logs: $logs"
fi
if [ -n "$update" ]; then
    [ ! -s "$work/lost" ] || [ -n "$allow_loss" ] || die "not updated: tests were lost"
    comm -23 "$work/listed" "$work/lost" | sort - "$work/gained" >"$expected"
    echo "$(basename "$expected"): $(wc -l <"$expected") passes listed"
    exit 0
fi
if [ -s "$work/gained" ]; then
    echo "gained, $(wc -l <"$work/gained") that $(basename "$expected") does not list; record them:"
    echo "  bash tests/hdf5/ratchet.sh --update $suite"
    head -n 20 "$work/gained" | sed 's/^/  /'
fi
[ ! -s "$work/lost" ] && [ ! -s "$work/gained" ] && [ $broken = 0 ]
