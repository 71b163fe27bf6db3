#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format decides layout. Versions disagree in details, so only the one we use is asked.
set -euo pipefail
cd "$1"
tool=
for candidate in clang-format-14 clang-format; do
    if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
        tool=$candidate
        break
    fi
done
[ -n "$tool" ] || { echo "no clang-format 14"; exit 77; }
bad=0
while IFS= read -r file; do
    "$tool" "$file" | cmp -s - "$file" || { echo "$file: run clang-format -i on it"; bad=1; }
done < <(find core mpi connector tests examples -name '*.[ch]' -not -path 'tests/vectors/*')
exit $bad
