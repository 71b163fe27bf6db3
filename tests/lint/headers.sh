#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as C11 and, where there is a C++ compiler, as C++.
set -euo pipefail
cd "$1"
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only)
for folder in core/include mpi/include connector/include; do
    [ ! -d $folder ] || flags+=("-I$folder")
done
IFS=: read -ra system <<<"${HURRAY_INCLUDES:-}"
for folder in ${system[@]+"${system[@]}"}; do
    flags+=(-isystem "$folder")
done

bad=0
shopt -s nullglob
for header in {core,mpi,connector}/include/*/*.h; do
    unit="#include \"${header#*include/}\"
typedef int not_empty;"
    "${CC:-cc}" -std=c11 "${flags[@]}" -x c - <<<"$unit" ||
        { echo "$header: not alone, as C11"; bad=1; }
    ! command -v c++ >/dev/null || c++ -std=c++11 "${flags[@]}" -x c++ - <<<"$unit" ||
        { echo "$header: not alone, as C++"; bad=1; }
done
command -v c++ >/dev/null || echo "no C++ compiler: only C was tried"
exit $bad
