#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files have at most 600 lines and functions 60; lines.allow lists what may be longer, and why.
set -euo pipefail
allow=$(cd "$(dirname "$0")" && pwd)/lines.allow
cd "$1"
find core mpi connector tests examples -name '*.[ch]' -not -path 'tests/vectors/*' | sort |
    xargs awk -v allow="$allow" '
    BEGIN {
        while ((getline line < allow) > 0)
            if (line !~ /^(#|$)/) { split(line, part, " "); allowed[part[1]] = 1 }
    }
    function check(lines, limit, what) {
        if (lines > limit && !(what in allowed)) {
            print what ": " lines " lines, " limit " allowed"; bad = 1
        }
        used[what] = lines > limit
    }
    function close_file() { if (file != "") check(count, 600, file) }
    FNR == 1 { close_file(); file = FILENAME; start = 0; name = "" }
    { count = FNR }
    # A definition begins in the first column; its name is the last word before the parenthesis.
    /^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^\{/ { start = FNR }
    /^\}/ && start { check(FNR - start + 1, 60, file ":" name); start = 0 }
    END {
        close_file()
        for (what in allowed)
            if (!used[what]) { print what ": listed in lines.allow, but not too long"; bad = 1 }
        exit bad
    }'
