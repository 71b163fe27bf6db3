# SPDX-License-Identifier: Apache-2.0
# What the judges in this folder share: options, the environment that chooses a connector, and
# ratchet lists. Sourced. A judge NAME writes one line a result, "STATUS<tab>ID", to
# $work/results; the ids with status PASSED are compared with NAME.pass beside this file.
# NAME.native.pass is what native HDF5 passes. NAME.differ, if there is one, explains other
# results that are to be expected: "ID<tab>STATUS<tab>reason".
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
self=$(basename "$0")
die() { echo "${self%.sh}: $*" >&2; exit 2; }

build=$root/build plugins='' connector=hurray preload='' limit=180
update='' allow_loss='' missing=''
# common_option WORD...: takes an option every judge has and sets `used` to its words.
common_option() {
    used=1
    case $1 in
        --update) update=1 ;;
        --allow-loss) allow_loss=1 ;;
        --missing) missing=1 ;;
        --native) connector=native ;;
        --build) build=$(cd "$2" && pwd); used=2 ;;
        --plugins) plugins=$(cd "$2" && pwd); used=2 ;;
        --connector) connector=$2; used=2 ;;
        --preload) preload=$2; used=2 ;;
        --timeout) limit=$2; used=2 ;;
        -h | --help) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        -*) die "unknown option '$1' (try --help)" ;;
        *) return 1 ;;
    esac
}

# What the build tree was configured with.
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null || :; }

# The unpacked source package of HDF5, fetched if it has to be.
hdf5_source() {
    local found
    found=$(setting HURRAY_HDF5_SOURCE)
    if [ -d "$found" ]; then echo "$found"; else bash "$root/cmake/setup.sh" --source; fi
}

# start NAME: after the options; sets up `name` (of the connector), `logs`, `work`, `with`.
start() {
    judge=$1 name=${connector%% *}
    PATH=$(setting HDF5_ROOT)/bin:$PATH # the tools of that HDF5
    with=(env -u HDF5_VOL_CONNECTOR -u HDF5_PLUGIN_PATH
        HDF5_USE_FILE_LOCKING="${HDF5_USE_FILE_LOCKING:-TRUE}")
    native=("${with[@]}")
    if [ "$name" != native ]; then
        plugins=${plugins:-$build/lib/hdf5/plugin}
        [ -e "$plugins/libhdf5_vol_hurray.so" ] ||
            die "$plugins/libhdf5_vol_hurray.so is missing: build it"
        with+=(HDF5_PLUGIN_PATH="$plugins")
        [ -z "$preload" ] || with+=(LD_PRELOAD="$preload")
        loaded=("${with[@]}") # the plug-in can be found, but native HDF5 is the default
        with+=(HDF5_VOL_CONNECTOR="$connector")
    else
        loaded=("${with[@]}")
    fi
    logs=$build/hdf5/$judge.$name
    mkdir -p "$logs"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    : >"$work/results"
}

# How a program ended when it did not end by itself; empty otherwise.
ending() {
    case $1 in
        0 | 1) ;;
        124) echo "was stopped after $limit s" ;;
        *) if [ "$1" -gt 128 ]; then echo "died of signal $(($1 - 128))"; else echo "ended with status $1"; fi ;;
    esac
}

# The status of a result by that of its program.
verdict() {
    case $1 in
        0) echo PASSED ;;
        124) echo TIMEOUT ;;
        *) if [ "$1" -gt 128 ]; then echo CRASH; else echo FAILED; fi ;;
    esac
}

# Takes from a tool's output what two files of the same contents cannot have in common:
# addresses of objects, places of data, times, bytes that storage takes beyond the data.
comparable() {
    sed -E -e 's|"(/?)#[0-9]+"|"\1#id"|g' \
        -e 's/(ATTRIBUTE|DATASET|DATATYPE|GROUP) [0-9]+ "/\1 id "/' \
        -e '/^ *(OFFSET|SIZE) ([0-9]+|HADDR_UNDEF)$/d' -e 's/ SIZE [0-9]+( \([0-9.:]+ *COMPRESSION\))?$//' \
        -e '/^Opened ".*" with /d' -e '/^    (Location|Modified): /d' \
        -e 's/^(    Storage: +[0-9]+ logical bytes?).*/\1/' -e 's/shared-[0-9]+:[0-9]+/shared-id:/'
}

# finish [SELECTION]: compares $work/results with the lists; fails when they do not agree.
# SELECTION is a regular expression of the ids that were measured, when not all were.
finish() {
    local selection=${1:-} list=$here/$judge.pass
    [ "$name" != native ] || list=$here/$judge.native.pass
    selected() { grep -E -- "$selection" || :; }

    sed -n 's/^PASSED\t//p' "$work/results" | sort >"$work/passed"
    : >"$work/listed" >"$work/expected" >"$work/explained"
    [ ! -e "$list" ] || sort "$list" >"$work/listed"
    [ ! -e "$here/$judge.differ" ] || [ "$name" = native ] ||
        sed '/^#/d' "$here/$judge.differ" | selected >"$work/explained"
    selected <"$work/listed" >"$work/expected"
    comm -23 "$work/expected" "$work/passed" >"$work/lost"
    comm -13 "$work/expected" "$work/passed" >"$work/gained"
    # What is explained, but is not so any more.
    awk -F'\t' 'FILENAME == ARGV[1] {state[$2] = $1; next} state[$1] != $2 {print $1 "\t" $2 "\t" state[$1]}' \
        "$work/results" "$work/explained" >"$work/stale"

    awk -v what="$judge with $name" -F'\t' 'FILENAME == ARGV[1] {why[$1] = 1; next} {n[$1]++}
        $1 != "PASSED" && $1 != "SKIPPED" && $2 in why {explained++}
        END {
            printf "%s: %d passed", what, n["PASSED"]
            m = split("FAILED DIFF CRASH TIMEOUT SKIPPED", s, " ")
            for (i = 1; i <= m; i++) if (n[s[i]]) printf ", %d %s", n[s[i]], tolower(s[i])
            printf " of %d", FNR
            if (explained) printf "; %d explained", explained
            print ""
        }' "$work/explained" "$work/results"
    [ -z "$missing" ] || show_missing
    if [ -s "$work/lost" ]; then
        echo "lost, $(wc -l <"$work/lost") that $(basename "$list") lists:"
        sed 's/^/  /' "$work/lost"
        echo "logs: $logs"
    fi
    if [ -s "$work/stale" ]; then
        echo "not so any more, in $judge.differ:"
        awk -F'\t' '{print "  " $1 ": is " ($3 == "" ? "gone" : $3) ", was " $2}' "$work/stale"
    fi
    if [ -n "$update" ]; then
        [ ! -s "$work/lost" ] || [ -n "$allow_loss" ] || die "not updated: results were lost"
        comm -23 "$work/listed" "$work/lost" | sort - "$work/gained" >"$list"
        echo "$(basename "$list"): $(wc -l <"$list") passes listed"
        [ ! -s "$work/stale" ] || forget_stale
        return 0
    fi
    if [ -s "$work/gained" ]; then
        echo "gained, $(wc -l <"$work/gained") that $(basename "$list") does not list; record them:"
        echo "  bash tests/hdf5/$self --update$([ "$name" != native ] || echo " --native")${suite:+ $suite}"
        head -n 20 "$work/gained" | sed 's/^/  /'
    fi
    [ ! -s "$work/lost" ] && [ ! -s "$work/gained" ] && [ ! -s "$work/stale" ]
}

# What native HDF5 passes and this connector does not, and why if that is known.
show_missing() {
    selected <"$here/$judge.native.pass" | sort | comm -23 - "$work/passed" |
        awk -F'\t' -v results="$work/results" -v explained="$work/explained" '
            BEGIN {
                while ((getline <results) > 0) state[$2] = $1
                while ((getline <explained) > 0) why[$1] = " (" $3 ")"
            }
            {print "missing: " ($1 in state ? state[$1] : "NOT RUN") " " $1 why[$1]}'
}

forget_stale() {
    cut -f1 "$work/stale" >"$work/gone"
    awk -F'\t' 'FILENAME == ARGV[1] {gone[$0] = 1; next} !($1 in gone)' \
        "$work/gone" "$here/$judge.differ" >"$work/differ"
    cp "$work/differ" "$here/$judge.differ"
}
