#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs HDF5's example programs, compiled unchanged, with native HDF5 and with the connector, and
# compares what they print and what h5dump says of the files they leave. The results are compared
# with examples.pass.
#
#   tests/hdf5/examples.sh [options] [PATTERN]
#
# PATTERN          only folders of the source package that match this regular expression
# --update         write the list: what passes now, after checking that nothing was lost
# --allow-loss     with --update: even if something was lost
# --missing        list what passes with native HDF5 and not here
# --native         compare native HDF5 with itself and use that list; checks this machinery
# --build DIR      build tree with bin/examples (default build)
# --plugins DIR    folder of the plug-in (default DIR/lib/hdf5/plugin)
# --connector S    HDF5_VOL_CONNECTOR (default hurray)
# --preload LIB    LD_PRELOAD for the programs, such as libasan.so
# --timeout S      seconds a program may take (default 20)
#
# Results: "FOLDER/PROGRAM" (it ends and prints as with native HDF5) and, if it writes files,
# "FOLDER/PROGRAM files".
set -euo pipefail
. "$(dirname "$0")/common.sh"

limit=20 pattern='' suite=''
while [ $# -gt 0 ]; do
    common_option "$@" || pattern=$1
    shift $used
done
[ -d "$build/bin/examples" ] ||
    die "$build/bin/examples is missing: cmake --build $build --target hdf5_examples"
start examples
source=$(hdf5_source)
rm -rf "$logs" && mkdir -p "$logs"
most=2000000 # bytes of a file's h5dump that are compared
mpiexec=(mpiexec --oversubscribe)
[ "$(id -u)" != 0 ] || mpiexec+=(--allow-run-as-root)

# inputs SIDE FOLDER: the files that its programs expect, for the connector as Hurray files.
inputs() {
    local file vol=native
    [ $1 = native ] || vol=$name
    shift
    for file in "$source/$1"/*.txt "$source/$1"/*.h5; do
        case $file in
            *'*'*) ;;
            *.h5)
                "${loaded[@]}" h5repack --src-vol-name=native --dst-vol-name="$vol" \
                    "$file" "$(basename "$file")" ;;
            *) cp "$file" . ;;
        esac
    done
}

# run_one SIDE FOLDER PROGRAM RANKS: in the current folder; leaves $out.{status,said,files}.
run_one() {
    local side=$1 out=$logs/$2/$3.$1 launch=() file status=0
    local -n environment=$side
    [ -z "$4" ] || launch=("${mpiexec[@]}" -n "$4")
    [ ! -e . ] || find . -type f -exec touch -d '1 hour ago' {} +
    timeout "$limit" "${launch[@]}" "${environment[@]}" "$build/bin/examples/$2/$3" \
        >"$out.raw" 2>"$out.err" </dev/null || status=$?
    echo $status >"$out.status"
    # the lines of several ranks come in any order
    if [ -n "$4" ]; then sort "$out.raw"; else cat "$out.raw"; fi | comparable >"$out.said"
    find . -type f -newermt '30 minutes ago' -name '*.h5*' | sort >"$out.list"
    while IFS= read -r file; do
        echo "== $file"
        [ $side = native ] || [ "$name" = native ] || [ "$(head -c 8 "$file")" = HRRYFILE ] ||
            echo "this is no Hurray file"
        { timeout "$limit" "${environment[@]}" h5dump "$file" 2>&1 </dev/null || echo "h5dump: $?"; } |
            head -c $most || :
    done <"$out.list" | comparable >"$out.files"
}

# judge_one FOLDER PROGRAM: the results of both sides compared.
judge_one() {
    local id=$1/$2 n=$logs/$1/$2.native w=$logs/$1/$2.with status
    id=${id#HDF5Examples/C/}
    status=$(cat "$w.status")
    if [ "$status" = "$(cat "$n.status")" ] && cmp -s "$n.said" "$w.said"; then
        printf 'PASSED\t%s\n' "$id"
    elif [ "$status" = "$(cat "$n.status")" ]; then
        printf 'DIFF\t%s\n' "$id"
    else
        printf '%s\t%s\n' "$(verdict "$status" | sed s/PASSED/DIFF/)" "$id"
    fi
    [ -s "$n.files" ] || [ -s "$w.files" ] || return 0
    if cmp -s "$n.files" "$w.files"; then
        printf 'PASSED\t%s files\n' "$id"
    else
        printf 'DIFF\t%s files\n' "$id"
    fi
}

before=''
while read -r folder program ranks; do
    [ -x "$build/bin/examples/$folder/$program" ] || continue
    for side in native with; do
        here_side=$work/$side/$folder
        if [ "$folder" != "$before" ]; then
            mkdir -p "$here_side" "$logs/$folder"
            (cd "$here_side" && inputs "$side" "$folder")
        fi
        (cd "$here_side" && run_one $side "$folder" "$program" "$ranks") 2>/dev/null
    done
    before=$folder
    judge_one "$folder" "$program" >>"$work/results"
done < <(grep -v '^#' "$here/examples.list" | grep -E -- "$pattern")
[ -s "$work/results" ] || die "no folder of examples.list matches '$pattern'"
cp "$work/results" "$logs/results"
finish "${pattern:+$pattern}"
