#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where a callback acts is resolved in one place: one switch on the kind of location.
set -euo pipefail
cd "$1"
found=$(grep -rnE --include='*.c' 'switch \(.*\bloc[a-z_]*(->|\.)type\)' connector || :)
[ "$(printf '%s' "$found" | grep -c .)" -le 1 ] || {
    echo "more than one switch on a location's type:"
    echo "$found"
    exit 1
}
