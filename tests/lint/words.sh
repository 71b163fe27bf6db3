#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No host names, no paths of one machine, no unfinished work in the tree.
set -euo pipefail
cd "$1"
files() {
    { git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f | sed 's|^\./||'; } |
        grep -vE '^(tests/vectors/|LICENSE$|build|\.git/|tests/lint/words\.sh$)'
}
bad=0
refuse() { # REGEX REASON
    local found
    found=$(files | xargs -r grep -nHIE "$1" 2>/dev/null || :)
    [ -z "$found" ] || { echo "$found"; echo "   ^ $2"; bad=1; }
}
refuse '(^|[^A-Za-z0-9_.})])/(root|work|home)/'             'a path of one machine'
refuse '\b[a-z0-9-]+\.(debian|ubuntu)\.(org|com|net)\b'     'a host name'
refuse '\bhttps?://'                                        'a host name'
refuse '\b(TODO|FIXME|XXX)\b'                               'unfinished work'
refuse '(N|n)ot (yet )?implemented'                         'unfinished work'
exit $bad
