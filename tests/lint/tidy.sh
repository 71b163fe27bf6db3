#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over what a build tree compiles of core, mpi and connector.
#   bash tests/lint/tidy.sh [BUILD]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
command -v clang-tidy >/dev/null || { echo "no clang-tidy"; exit 77; }
[ -e "$build/compile_commands.json" ] || { echo "$build is not a configured build tree"; exit 2; }
sed -n 's/.*"file": "\(.*\)".*/\1/p' "$build/compile_commands.json" |
    grep -E "^$root/(core|mpi|connector)/" | sort -u |
    xargs -r -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet
