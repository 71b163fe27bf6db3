#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies every file of HDF5's source package that h5dump reads with h5repack into a Hurray file
# and compares what HDF5's tools say of both. The results are compared with files.pass.
#
#   tests/hdf5/files.sh [options] [PATTERN]
#
# PATTERN          only files whose path in the package matches this regular expression
# --update         write the list: what passes now, after checking that nothing was lost
# --allow-loss     with --update: even if something was lost
# --missing        list what passes with native HDF5 and not here
# --native         copy to native HDF5 files and use that list; checks this machinery
# --build DIR      build tree (default build); copies and outputs stay in DIR/hdf5/files.*
# --plugins DIR    folder of the plug-in (default DIR/lib/hdf5/plugin)
# --connector S    HDF5_VOL_CONNECTOR (default hurray)
# --preload LIB    LD_PRELOAD for the tools, such as libasan.so
# --jobs N         files at a time (default 2)
# --timeout S      seconds a tool may take for a file (default 10)
#
# Results: "h5repack FILE", and where there is a copy "h5dump FILE" (data, too, unless that takes
# long), "h5dump-p FILE" (creation properties), "h5ls FILE" (-r -v), "h5diff FILE" (to the
# original). Where h5repack fails since HDF5 copies no links between connectors, a second run with
# lcopy.c gives the copy.
set -euo pipefail
. "$(dirname "$0")/common.sh"

limit=10 jobs=2 pattern='' suite=''
while [ $# -gt 0 ]; do
    case $1 in
        --jobs) jobs=$2 used=2 ;;
        *) common_option "$@" || pattern=$1 ;;
    esac
    shift $used
done
start files
source=$(hdf5_source)
rm -rf "$logs" && mkdir -p "$logs"

# Outputs are as large as the data: the first bytes of each are compared, h5diff compares the
# rest. Twice as many are read, since the addresses in them vary in length.
most=2000000
# tool NAME COMMAND...: what it says in $dir/NAME, what it complains of in $dir/NAME.err; returns
# its status, 0 also when it was cut off for talking too much.
tool() {
    local out=$dir/$1
    shift
    echo 0 >"$out.status"
    { timeout "$limit" "$@" 2>"$out.err" </dev/null || echo $? >"$out.status"; } |
        head -c $((2 * most)) | comparable | head -c $most >"$out"
    case $(cat "$out.status") in
        0 | 141) return 0 ;;
        *) return "$(cat "$out.status")" ;;
    esac
}

# paths FILE: where it is, where its copy and the tools' outputs go.
paths() {
    file=$1 base=$(basename "$1") folder=$source/$(dirname "$1") dir=$logs/$1
    copy=$logs/copies/$(dirname "$1")
}

# Is the file one for this judge: does h5dump read it? It does, too, when it takes long over it;
# then its data, or all of it, is left to the other tools.
readable() {
    local limit=2 how status
    for how in all -H; do
        status=0
        tool native.h5dump "${native[@]}" h5dump ${how#all} "$base" || status=$?
        echo $how >"$dir/dump"
        [ $status = 124 ] || return $status
    done
    echo none >"$dir/dump"
}

# All files are copied before any is looked at, since they name each other.
copy() {
    local file base folder dir copy
    paths "$1"
    mkdir -p "$dir" "$copy"
    cd "$folder"
    readable || return 0
    cd "$copy"
    repack h5repack && return 0
    # HDF5 refuses some links between connectors; the tools below are to see them all the same.
    { [ "$name" != native ] && grep -q 'H5Lcopy failed' "$dir/h5repack.err" &&
        repack h5repack-links LD_PRELOAD="$build/lib/libhry_lcopy.so${preload:+:$preload}"; } ||
        rm -f "$base"
}

repack() { # NAME [VARIABLE=VALUE]
    rm -f "$base"
    tool "$1" "${loaded[@]}" "${@:2}" h5repack --enable-error-stack --src-vol-name=native \
        --dst-vol-name="$name" "$folder/$base" "$base"
}

# Prints the results of one file.
judge_file() {
    local file base folder dir copy status how
    paths "$1"
    [ -e "$dir/h5repack.status" ] || return 0
    status=$(cat "$dir/h5repack.status")
    printf '%s\th5repack %s\n' "$(verdict "$status")" "$file"
    [ -e "$copy/$base" ] || return 0
    cd "$copy"
    how=$(cat "$dir/dump")
    if [ "$how" != none ]; then
        look h5dump h5dump ${how#all} "$base"
        look h5dump-p h5dump -p -H "$base"
    fi
    look h5ls h5ls -r -v "$base"
    status=0
    tool h5diff "${loaded[@]}" h5diff --vol-name-1=native --vol-name-2="$name" \
        "$folder/$base" "$base" || status=$?
    printf '%s\th5diff %s\n' "$(verdict $status)" "$file"
}

# look NAME COMMAND...: the same of the original and of the copy, each seen from its folder.
look() {
    local what=$1 status=0
    shift
    [ -e "$dir/native.$what" ] || (cd "$folder" && tool "native.$what" "${native[@]}" "$@") || :
    tool "$what" "${with[@]}" "$@" || status=$?
    status=$(verdict $status)
    if [ "$status" = PASSED ] && ! cmp -s "$dir/native.$what" "$dir/$what"; then status=DIFF; fi
    printf '%s\t%s %s\n' "$status" "$what" "$file"
}

# spread ACTION FILE...: in as many processes as wanted; their output follows one another.
spread() {
    local action=$1 j
    shift
    for ((j = 1; j <= jobs; j++)); do
        (for ((i = j; i <= $#; i += jobs)); do ("$action" "${!i}") 2>/dev/null || :; done) \
            >"$work/$action.$j" &
    done
    wait
    cat "$work/$action".*
}

export HDF5_EXTFILE_PREFIX='${ORIGIN}'
cd "$source"
find . -name '*.h5' -type f | sed 's|^\./||' | sort >"$work/all"
mapfile -t files < <(grep -E -- "$pattern" "$work/all" || :)
[ ${#files[@]} -gt 0 ] || die "no file matches '$pattern'"
mapfile -t neighbours < <(dirname "${files[@]}" | sort -u |
    awk 'NR == FNR {in_use[$0] = 1; next} {d = $0; sub("/[^/]*$", "", d)} d in in_use' - "$work/all")
spread copy "${neighbours[@]}"
spread judge_file "${files[@]}" >"$work/results"
[ -s "$work/results" ] || die "h5dump reads none of these files"
cp "$work/results" "$logs/results"
finish "$pattern" | sed '/^missing: NOT RUN/d' # that h5repack failed is said
