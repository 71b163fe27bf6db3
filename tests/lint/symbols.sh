#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What has external linkage starts hry_ (hvol_ inside the plug-in); the libraries export their
# public functions and nothing else.
set -euo pipefail
build=$2
command -v nm >/dev/null || { echo "no nm"; exit 77; }
bad=0

# only REGEX NM-OUTPUT-OF: every defined symbol matches.
only() {
    local allowed=$1 what=$2 found
    shift 2
    found=$(nm --defined-only "$@" 2>/dev/null | awk 'NF == 3 {print $3}' |
        grep -vE "^($allowed)|^__(asan|ubsan|odr_asan|bss_start|gcov)|^_(init|fini|edata|end)$" || :)
    [ -z "$found" ] || { echo "$what: unexpected symbols: $(echo "$found" | tr '\n' ' ')"; bad=1; }
}

lib=$build/lib/libhry_core.so
[ -e "$lib" ] && only hry_ "$lib" -D "$lib"
lib=$build/lib/hdf5/plugin/libhdf5_vol_hurray.so
if [ -e "$lib" ]; then
    only 'H5PLget_plugin_(type|info)$' "$lib" -D "$lib"
    for entry in H5PLget_plugin_type H5PLget_plugin_info; do
        nm -D --defined-only "$lib" | grep -q " T $entry$" || { echo "$lib: $entry is missing"; bad=1; }
    done
fi
for part in core mpi connector; do
    [ -d "$build/$part" ] || continue
    while IFS= read -r object; do
        only 'hry_|hvol_|H5PLget_plugin_(type|info)$' "$object" -g "$object"
    done < <(find "$build/$part" -name '*.c.o' -not -path '*/cli/*')
done
exit $bad
