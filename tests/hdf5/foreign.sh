#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Opens the files of tests/vectors/interop, which no HDF5 program wrote, through HDF5, compares
# the values of each tensor with the manifest, and what agrees with foreign.pass.
#
#   tests/hdf5/foreign.sh [options] [PATTERN]
#
# PATTERN          report only results that match this regular expression
# --update         write the list: what passes now, after checking that nothing was lost
# --allow-loss     with --update: even if something was lost
# --build DIR      build tree with bin/h5_foreign (default build)
# --timeout S      seconds it may take (default 60)
set -euo pipefail
. "$(dirname "$0")/common.sh"

limit=60 pattern='' suite=''
while [ $# -gt 0 ]; do
    common_option "$@" || pattern=$1
    shift $used
done
[ -x "$build/bin/h5_foreign" ] || die "$build/bin/h5_foreign is missing: build it"
start foreign

status=0
timeout "$limit" "$build/bin/h5_foreign" >"$logs/results" 2>"$logs/why" || status=$?
grep -E -- "$pattern" "$logs/results" >"$work/results" || :
[ -z "$missing" ] || sed -n 's/^FAILED\t/missing: FAILED /p' "$work/results"
missing=''
finish "$pattern" || status=1
[ $status = 0 ] || { echo "reasons: $logs/why"; exit 1; }
