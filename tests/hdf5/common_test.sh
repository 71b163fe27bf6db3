#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lists of passes notice what is lost, what is gained and what is explained no more.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tests/hdf5" "$tmp/build"
cp "$here/common.sh" "$tmp/tests/hdf5"
cd "$tmp/tests/hdf5"
cat >judge.sh <<'END'
set -euo pipefail
. "$(dirname "$0")/common.sh"
suite='' connector=other selection=''
while [ $# -gt 0 ]; do
    common_option "$@" || { used=1; selection=$1; }
    shift $used
done
build=$root/build plugins=$root
touch "$root/libhdf5_vol_hurray.so"
start judge
cp results "$work/results"
finish "$selection"
END
judge() { # WANTED_STATUS WANTED_LINE OPTION...
    local status=0 want=$1 line=$2
    shift 2
    bash judge.sh "$@" >out 2>&1 || status=$?
    [ $status = "$want" ] && grep -qxF -- "$line" out ||
        { echo "judge $*: status $status, wanted $want and the line: $line"; cat out; exit 1; }
}

printf 'PASSED\ta/one\nPASSED\tb/two\nFAILED\tb/three\n' >results
judge 1 'gained, 2 that judge.pass does not list; record them:'
judge 0 'judge.pass: 2 passes listed' --update
judge 0 'judge with other: 2 passed, 1 failed of 3'
printf 'a/one\nb/three\nb/two\n' >judge.native.pass
judge 0 'missing: FAILED b/three' --missing
printf 'b/three\tFAILED\tbecause\n' >judge.differ
judge 0 'missing: FAILED b/three (because)' --missing
judge 0 'judge with other: 2 passed, 1 failed of 3; 1 explained'
judge 1 'lost, 1 that judge.native.pass lists:' --native

printf 'PASSED\ta/one\nFAILED\tb/two\nCRASH\tb/three\n' >results
judge 1 'lost, 1 that judge.pass lists:'
judge 1 '  b/three: is CRASH, was FAILED'
judge 2 'judge: not updated: results were lost' --update
judge 0 'judge.pass: 1 passes listed' --update --allow-loss
[ ! -s judge.differ ] || { echo "the stale explanation stayed"; exit 1; }

printf 'PASSED\ta/one\n' >results
printf 'a/one\nb/two\n' >judge.pass
judge 0 'judge with other: 1 passed of 1' '^a/'
judge 1 '  b/two' '^b/'
