#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hurray serve and hurray fetch: what comes is what the file has, for many at once.
#   serve.sh VECTORS
set -euo pipefail
tool=$HURRAY_BUILD/bin/hurray vectors=$1
wrong() { echo "serve: $*"; exit 1; }

work=$(mktemp -d)
server=0
stop() { # ends the server, which must end well
    kill -TERM "$server"
    wait "$server" || wrong "the server ended with status $?"
    server=0
}
cleanup() {
    [ "$server" = 0 ] || kill -KILL "$server" 2>/dev/null || :
    rm -rf "$work"
}
trap cleanup EXIT

start() { # FILE [OPTION...]: serves it, and sets `at`
    : >"$work/said" # what the server before said is no sign of this one
    "$tool" serve "$@" >"$work/said" 2>"$work/errors" &
    server=$!
    for _ in $(seq 200); do
        at=$(sed -n 's/^serving .* at //p' "$work/said")
        [ -z "$at" ] || return 0
        sleep 0.05
    done
    cat "$work/errors"
    wrong "no server"
}

# Every tensor of some files: the values are those of the file, in any layout.
for name in composite_nested_and_group_no_head_padding sparse_csr_basic quant_per_block_int4_last_asymmetric_f16 \
    layout_tiled_edge file_slash_names type_bool; do
    file=$vectors/$name.hrry
    start "$file" --listen "unix:$work/socket"
    [ "$at" = "unix:$work/socket" ] || wrong "serving at $at"
    "$tool" ls -a --json "$file" | sed -n 's/.*{"name": "\([^"]*\)".*"layout": "\([^"]*\)".*/\1\t\2/p' >"$work/names"
    [ -s "$work/names" ] || wrong "$name: no names"
    while IFS=$'\t' read -r tensor layout; do
        "$tool" fetch "$at" "$tensor" -o "$work/one.hrry" || wrong "$name: $tensor does not come"
        "$tool" check -q "$work/one.hrry" || wrong "$name: $tensor comes broken"
        [ "$layout" != composite ] || continue
        "$tool" dump --json "$file" "$tensor" >"$work/want"
        "$tool" dump --json "$work/one.hrry" "$tensor" | cmp - "$work/want" || wrong "$name: $tensor is another"
        "$tool" fetch "$at" "$tensor" --layout column_major -o - >"$work/column.hrry"
        "$tool" dump --json "$work/column.hrry" "$tensor" | cmp - "$work/want" || wrong "$name: $tensor transposed"
    done <"$work/names"
    stop
    [ ! -e "$work/socket" ] || wrong "the socket is left"
done

# Names as the tool shows them.
start "$vectors/file_utf8_names.hrry" --listen "unix:$work/socket"
"$tool" fetch "$at" 'tab\tand\nnewline' >"$work/table" || wrong "no name with a tab"
grep -qF 'tab\tand\nnewline' "$work/table" || wrong "a name is not as it was: $(cat "$work/table")"
stop

# Over TCP, to several clients at once, in shards as well.
file=$vectors/layout_row_major_rank3.hrry
tensor=$("$tool" ls --json "$file" | sed -n 's/.*{"name": "\([^"]*\)".*/\1/p' | head -n 1)
start "$file" --shards 3 --connections 3
case $at in tcp:127.0.0.1:*) ;; *) wrong "listens at $at" ;; esac
"$tool" dump --json "$file" "$tensor" >"$work/want"
pids=()
for i in 1 2 3 4 5 6; do
    if [ $((i % 2)) = 0 ]; then how=--parallel; else how=--layout=row_major; fi
    "$tool" fetch "$at" "$tensor" $how -o "$work/$i.hrry" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || wrong "a client failed"; done
for i in 1 2 3 4 5 6; do
    "$tool" dump --json "$work/$i.hrry" "$tensor" | cmp - "$work/want" || wrong "client $i got another tensor"
done

# What cannot be had leaves no file, and says why.
if "$tool" fetch "$at" nothing -o "$work/none.hrry" 2>"$work/errors"; then wrong "nothing came"; fi
grep -q "unknown tensor" "$work/errors" || wrong "no reason: $(cat "$work/errors")"
for left in "$work"/none*; do [ ! -e "$left" ] || wrong "$left is left"; done
stop
if "$tool" fetch "$at" "$tensor" 2>/dev/null; then wrong "the server is still there"; fi
for bad in "fetch $at x --layout square" "fetch $at x --alignment 3" "serve $file --shards many" \
    "serve $vectors/desc_scalar.bin" "serve $file --listen nowhere"; do
    # shellcheck disable=SC2086
    if timeout 10 "$tool" $bad >/dev/null 2>&1; then wrong "'hurray $bad' is accepted"; fi
done
echo "as it should be"
