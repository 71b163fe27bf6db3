#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, and shows existing HDF5 programs and tools working on Hurray files.
# Every command is printed before it runs; the first wrong outcome ends the run.
#
#   bash examples/run.sh [--serial]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
preset=default flavour=()
case ${1:-} in
    '') ;;
    --serial) preset=serial flavour=(--serial) ;;
    *) echo "use: bash examples/run.sh [--serial]" >&2; exit 2 ;;
esac

title() { printf '\n== %s\n' "$*"; }
wrong() { printf '\nWRONG: %s\n' "$*" >&2; exit 1; }
as_typed() { # COMMAND...: the line one would type
    local word line='+'
    for word; do
        case $word in
            *[!A-Za-z0-9_./=,:+@%-]*) line+=" '$word'" ;;
            *) line+=" $word" ;;
        esac
    done
    echo "$line"
}
shown() { # COMMAND...: prints it and runs it
    as_typed "$@"
    "$@" || wrong "the command above ended with status $?"
}
kept() { # FILE COMMAND...: the same, and its output also goes to FILE
    local file=$1
    shift
    as_typed "$@"
    "$@" | tee "$file" || wrong "the command above failed"
}
has() { # FILE TEXT: a line of FILE contains TEXT
    grep -qF -e "$2" "$1" || wrong "the output above lacks '$2'"
}

title "Set-up: compiler, CMake, HDF5 >= 1.14 (the first time takes a few minutes)"
echo "+ bash cmake/setup.sh ${flavour[*]}"
HDF5_ROOT=$(bash cmake/setup.sh "${flavour[@]}") || wrong "set-up failed, see above"
export HDF5_ROOT
samples=$(bash cmake/setup.sh "${flavour[@]}" --source) || samples=''

title "Build"
shown cmake --preset $preset -DHDF5_ROOT="$HDF5_ROOT" --log-level=NOTICE
shown cmake --build --preset $preset
build=build
[ $preset = default ] || build=build-$preset
out=$build/example
rm -rf "$out" && mkdir -p "$out"

title "From here on, HDF5 programs and tools use the plug-in"
echo "+ export PATH=$HDF5_ROOT/bin:\$PATH"
echo "+ export HDF5_PLUGIN_PATH=$root/$build/lib/hdf5/plugin HDF5_VOL_CONNECTOR=hurray"
export PATH=$HDF5_ROOT/bin:$PATH
export HDF5_PLUGIN_PATH=$root/$build/lib/hdf5/plugin HDF5_VOL_CONNECTOR=hurray
[ -e "$HDF5_PLUGIN_PATH/libhdf5_vol_hurray.so" ] || wrong "there is no plug-in in $HDF5_PLUGIN_PATH"

title "An HDF5 program (examples/checkpoint.c) writes a Hurray file and reads it back"
shown $build/bin/checkpoint $out/one.hrry
[ "$(head -c 8 $out/one.hrry)" = HRRYFILE ] || wrong "$out/one.hrry is not a Hurray file"
if [ $preset = default ]; then
    mpi=(mpiexec --oversubscribe -n 4)
    [ "$(id -u)" != 0 ] || mpi+=(--allow-run-as-root)
    shown "${mpi[@]}" $build/bin/checkpoint $out/four.hrry
    [ "$(head -c 8 $out/four.hrry)" = HRRYFILE ] || wrong "$out/four.hrry is not a Hurray file"
    shown h5diff $out/one.hrry $out/four.hrry
fi

title "HDF5's tools read it"
kept $out/ls.txt h5ls -r $out/one.hrry
has $out/ls.txt "/fields/density          Dataset {16, 24, 32}"
kept $out/dump.txt h5dump -d /fields/pressure -s 0,0,0 -c 2,2,4 $out/one.hrry
has $out/dump.txt "H5T_IEEE_F64BE"
has $out/dump.txt "(1,1,0): -37, -36.875, -36.75, -36.625"

title "h5repack converts an existing HDF5 file, and h5diff finds no difference"
sample=$samples/tools/test/h5diff/testfiles/h5diff_attr_v_level1.h5
if [ ! -e "$sample" ]; then
    sample=$out/sample.h5
    shown env HDF5_VOL_CONNECTOR=native $build/bin/checkpoint $sample
fi
shown cp "$sample" $out/sample.h5
shown h5repack --src-vol-name=native --dst-vol-name=hurray $out/sample.h5 $out/sample.hrry
[ "$(head -c 8 $out/sample.hrry)" = HRRYFILE ] || wrong "$out/sample.hrry is not a Hurray file"
kept $out/diff.txt h5diff -v --vol-name-1=native --vol-name-2=hurray $out/sample.h5 $out/sample.hrry
has $out/diff.txt "0 differences found"
if grep -q "[1-9][0-9]* differences found\|Not comparable" $out/diff.txt; then
    wrong "h5diff found differences, see $out/diff.txt"
fi

title "Hurray's own tool reads the same file, without HDF5"
kept $out/hurray.txt $build/bin/hurray ls $out/one.hrry
has $out/hurray.txt "fields/density"
kept $out/hurray.txt $build/bin/hurray show $out/one.hrry fields/density
has $out/hurray.txt "float64"
kept $out/hurray.txt $build/bin/hurray dump $out/one.hrry fields/pressure
has $out/hurray.txt "[-37.    -36.875 -36.75 "
kept $out/hurray.txt $build/bin/hurray check $out/one.hrry
has $out/hurray.txt "valid"

title "All as it should be"
