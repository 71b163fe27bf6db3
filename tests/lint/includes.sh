#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who may include whom: the layers of CONTRIBUTING.md.
set -euo pipefail
cd "$1"
bad=0

# forbid FILES-REGEX HEADER-REGEX REASON: no such file includes such a header.
forbid() {
    local found
    found=$(find core mpi connector -name '*.[ch]' | { grep -E "^($1)" || :; } |
        xargs -r grep -nHE "^ *# *include *[<\"]($2)" || :)
    [ -z "$found" ] || { echo "$found"; echo "   ^ $3"; bad=1; }
}
hdf5='hdf5|H5' mpi='mpi\.h|hry/mpi'

forbid 'core/'                    "$hdf5|$mpi"           'core knows neither HDF5 nor MPI'
forbid 'core/include/'            '[^/]*\.h"'            'public headers include hry/*.h only'
forbid 'core/cli/'                '\.\./|.*src/|fail\.h|cursor\.h|builder\.h|checked\.h' \
                                                         'the tool uses the public headers only'
forbid 'core/src/(layout|quant)/' '(container|stream|file_|stream_)' 'layouts know no containers'
forbid 'core/src/container/'      '(stream/|stream_)'    'containers and streams know not each other'
forbid 'core/src/stream/'         '(container|file_)'    'containers and streams know not each other'
forbid 'mpi/'                     "$hdf5"                'the parallel layer works without HDF5'
forbid 'mpi/(plan|box|members)\.' "$mpi"                 'who writes what is arithmetic, tested serially'
forbid 'connector/tree/'          "$hdf5|$mpi|h5/|vol"   'the tree knows no HDF5, MPI or callbacks'
forbid 'connector/h5/'            'vol'                  'translation knows no callbacks'
forbid 'connector/vol/'           'hry/(file|writer|io)\.h' 'callbacks go through the tree'
exit $bad
