#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# results.awk reads every form of verdict that HDF5's suite prints.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%s\n' \
    'Testing plain                                                          PASSED' \
    'Testing a name as long as its whole column, so that nothing separates*FAILED*' \
    '   at somewhere.c:12' \
    'Testing parts                                                         ' \
    '  Testing first                                                        PASSED' \
    '  Testing second                                                       -SKIP-' \
    '  Testing second                                                       PASSED' \
    '*FAILED*' \
    'Testing chatter                                                       ' \
    '    a warning in between PASSED' \
    >"$work/log"
printf 'Testing counted    \r 1/2\r 2/2 PASSED\nTesting cut' >>"$work/log"
cat >"$work/want" <<'END'
PASSED	x/plain
FAILED	x/a name as long as its whole column, so that nothing separates
PASSED	x/parts/first
SKIPPED	x/parts/second
PASSED	x/parts/second #2
FAILED	x/parts/(clean-up)
PASSED	x/chatter
PASSED	x/counted
UNFINISHED	x/cut
END
awk -v category=x -f "$here/results.awk" "$work/log" | diff "$work/want" -
printf 'Cleaning up testing files\n' | awk -v category=x -f "$here/results.awk" | diff /dev/null -
