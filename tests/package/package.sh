#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build, moves it, and builds a consumer against it in both usual ways.
#   package.sh SOURCE BUILD CMAKE
set -euo pipefail
source=$1 build=$2 cmake=$3
[ -z "${HURRAY_SANITIZE:-}" ] || { echo "instrumented libraries are not for installing"; exit 77; }
wrong() { echo "package: $*"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/staged" >"$work/log" || wrong "install failed"
mkdir "$work/elsewhere"
mv "$work/staged" "$work/elsewhere/moved"
prefix=$work/elsewhere/moved

for needed in include/hry/hry.h include/hry/error.h share/doc/hurray/LICENSE; do
    [ -e "$prefix/$needed" ] || wrong "$needed was not installed"
done
[ ! -e "$build/bin/hurray" ] || [ -x "$prefix/bin/hurray" ] || wrong "bin/hurray was not installed"
if [ -e "$build/lib/hdf5/plugin/libhdf5_vol_hurray.so" ]; then
    [ -n "$(find "$prefix" -path '*/hdf5/plugin/libhdf5_vol_hurray.so')" ] ||
        wrong "the plug-in was not installed"
fi

# Nothing remembers where it was built or first put.
if grep -rIlF -e "$work/staged" -e "$build" -e "$source" "$prefix"; then
    wrong "the files above name the build or staging folder"
fi
if command -v readelf >/dev/null; then
    find "$prefix" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec readelf -d {} + 2>/dev/null |
        sed -n 's/.*R[UN]*PATH.*\[\(.*\)\]/\1/p' | tr : '\n' | { grep -v '^\$ORIGIN' || :; } >"$work/paths"
    [ ! -s "$work/paths" ] || { cat "$work/paths"; wrong "the run paths above are not relative"; }
fi

"$cmake" -S "$source/tests/package/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/log" 2>&1 || { cat "$work/log"; wrong "find_package(hurray) failed"; }
"$cmake" --build "$work/consumer" >"$work/log" 2>&1 || { cat "$work/log"; wrong "no build by find_package"; }
"$work/consumer/consumer" || wrong "the program built by find_package fails"
if [ -e "$prefix/include/hry/mpi.h" ]; then
    "$work/consumer/consumer_mpi" || wrong "the MPI program built by find_package fails"
fi

"$cmake" -S "$source/examples/core" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/examples" >"$work/log" 2>&1 || { cat "$work/log"; wrong "examples/core does not build"; }
bash "$source/tests/package/examples.sh" "$work/examples"

pc=$(find "$prefix" -name hurray.pc)
[ -n "$pc" ] || wrong "hurray.pc was not installed"
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=${pc%/*}
    read -ra flags <<<"$(pkg-config --cflags --libs hurray)"
    "${CC:-cc}" -std=c11 -o "$work/by_pc" "$source/tests/package/consumer/consumer.c" "${flags[@]}"
    export LD_LIBRARY_PATH
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir hurray)
    "$work/by_pc" ||
        wrong "the program built by pkg-config fails"
    mkdir "$work/examples_by_pc"
    for program in "$source"/examples/core/*.c; do
        name=${program##*/}
        "${CC:-cc}" -std=c11 -o "$work/examples_by_pc/core_${name%.c}" "$program" "${flags[@]}" -lm
    done
    bash "$source/tests/package/examples.sh" "$work/examples_by_pc"
    [ "$(pkg-config --modversion hurray)" = "$("$work/by_pc" version)" ] || wrong "versions differ"
else
    echo "no pkg-config: only find_package was tried"
fi
[ ! -x "$prefix/bin/hurray" ] || "$prefix/bin/hurray" --version || wrong "the moved tool does not start"
