#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the programs of examples/core, wherever they were built.
#   examples.sh FOLDER
set -euo pipefail
bin=$(cd "$1" && pwd)
wrong() { echo "examples: $*"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$bin/core_write" >write.out
"$bin/core_read" >read.out
grep -q '^title: Temperatures, 2 m above ground$' read.out || wrong "read does not show the title"
grep -q '^temperature: float32 row_major \[4, 6, 8\]$' read.out || wrong "no temperature is read"
grep -q '^ *10 10.25 10.5 10.75 11 11.25 11.5 11.75$' read.out || wrong "the values differ"
grep -q '^ *0 1 1 1 1 1 1 1$' read.out || wrong "the mask differs"

"$bin/core_sparse" >sparse.out || wrong "sparse fails"
grep -q '^2998 entries; sum of the product 999, its last 1000$' sparse.out || wrong "the product differs"
"$bin/core_quantized" >quantized.out || wrong "quantized fails"
"$bin/core_composite" >composite.out || wrong "composite fails"
for file in *.hrry; do
    "$bin/core_read" "$file" >/dev/null || wrong "read fails on $file"
done

"$bin/core_stream" send | "$bin/core_stream" receive >stream.out || wrong "stream fails"
grep -q '^frame 4: 32 x 32, mean 63.0$' stream.out || wrong "the stream's last frame differs"
if "$bin/core_stream" send | head -c 1500 | "$bin/core_stream" receive >/dev/null 2>cut.out; then
    wrong "a stream that was cut off is taken for whole"
fi
grep -q '^stream: truncated: ' cut.out || wrong "a stream that was cut off is called otherwise"
