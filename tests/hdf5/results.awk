# SPDX-License-Identifier: Apache-2.0
# Output of one category of HDF5's API tests -> one line a result: STATUS<tab>ID.
# Use: awk -v category=file -f results.awk LOG
#
# The suite prints "Testing X", or "Testing X" and indented "  Testing PART" lines, and the
# verdict at the end of that line or, after a test's own chatter, of a later one. A verdict that
# belongs to no test line is the clean-up of the test before it, or the skipping of a whole
# category. Two results may share a name: the second gets " #2".

function report(status, name) {
    id = category "/" name
    if (seen[id]++) id = id " #" seen[id]
    print status "\t" id
}

function trimmed(text) {
    sub(/^ *Testing /, "", text)
    sub(/\r.*$/, "", text) # progress counters
    sub(/ +$/, "", text)
    return text
}

{
    verdict = ""
    line = $0
    if (sub(/ PASSED$/, "", line)) verdict = "PASSED"
    else if (sub(/\*FAILED\*$/, "", line)) verdict = "FAILED"
    else if (sub(/ -SKIP-$/, "", line)) verdict = "SKIPPED"

    if (line ~ /^Testing /) pending = test = trimmed(line)
    else if (line ~ /^  Testing /) pending = test "/" trimmed(line)

    if (verdict != "") {
        if (pending == "") pending = test == "" ? "(all)" : test "/(clean-up)"
        report(verdict, pending)
        pending = ""
    }
}

/^Cleaning up testing files/ { complete = 1 }
END { if (!complete) print "UNFINISHED\t" category "/" (pending != "" ? pending : "(after " test ")") }
