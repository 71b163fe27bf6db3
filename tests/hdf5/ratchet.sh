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
. "$(dirname "$0")/common.sh"

ranks=2 suite='' categories=() launch=()
while [ $# -gt 0 ]; do
    if [ "$1" = --ranks ]; then ranks=$2 used=2
    elif common_option "$@"; then :
    elif [ -z "$suite" ]; then suite=$1
    else categories+=("$1"); fi
    shift $used
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
start "$suite"

# run_category CATEGORY: its output in $logs/CATEGORY.{log,err}; returns its exit status.
run_category() {
    rm -rf "${work:?}/$1" && mkdir "$work/$1"
    (cd "$work/$1" &&
        timeout "$limit" "${launch[@]}" "${with[@]}" "$build/bin/${program[0]}" "$1") \
        >"$logs/$1.log" 2>"$logs/$1.err" </dev/null
}

broken=0
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
finish "^($(IFS='|'; echo "${categories[*]}"))/" && [ $broken = 0 ]
