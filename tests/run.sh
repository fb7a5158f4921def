#!/usr/bin/env bash
# Runs the test programs of a build, two at a time, and counts.
#   tests/run.sh BUILD_DIR [NAME...]     only programs whose name contains a NAME
# The last line is "N passed, N failed" (and ", N skipped" when there are any). PALPATE_TEST_SECONDS
# is the time limit of one program.
set -uo pipefail

# Runs one program; leaves "passed failed skipped" in $results/NAME and prints its lines.
run_one() {
    local program=$1 name log code start seconds note=''
    name=$(basename -- "$program")
    log=$results/$name.log
    start=$(date +%s%N)
    { timeout -k 5 "$limit" "$program" >"$log" 2>&1 </dev/null; } 2>/dev/null
    code=$?
    seconds=$((($(date +%s%N) - start) / 10000000))
    seconds=$((seconds / 100)).$(printf %02d $((seconds % 100)))

    # Unity's summary, or what can be told without one
    local tests failed skipped passed
    if read -r tests _ failed _ skipped _ < <(grep -aE '^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored' "$log" | tail -n 1); then
        passed=$((tests - failed - skipped))
        if ((code != 0 && failed == 0)); then
            failed=1
            note="exit code $code after its tests"
        fi
    else
        passed=$(grep -ac ':PASS$' "$log")
        skipped=$(grep -acE ':IGNORE(:|$)' "$log")
        failed=$(($(grep -acE ':FAIL(:|$)' "$log") + 1))
        note="no summary, exit code $code"
    fi
    if ((code == 124 || code == 137)); then
        note="stopped after the limit of $limit s"
    elif ((code > 128)); then
        note="crashed, signal $((code - 128))"
    fi
    echo "$passed $failed $skipped" >"$results/$name"

    # One line; on failure also what the program said
    local verdict=ok
    ((failed == 0)) || verdict="failed${note:+: $note}"
    local lines
    lines=$(printf '%-28s %4d tests %8s s  %s' "$name" $((passed + failed + skipped)) "$seconds" "$verdict")
    if ((failed > 0)); then
        local said
        said=$(if [ -n "$note" ]; then tail -n 40 "$log"; else grep -aE ':FAIL(:|$)' "$log"; fi)
        lines+=$'\n'${said//$'\n'/$'\n'    }
    fi
    flock "$results" printf '%s\n' "$lines"
}

if (($# == 0)) || [ ! -d "$1" ]; then
    echo "usage: tests/run.sh BUILD_DIR [NAME...]" >&2
    exit 2
fi
build=$1
shift
limit=${PALPATE_TEST_SECONDS:-120}
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM
export limit results
export -f run_one

# The programs asked for
programs=()
for program in "$build"/tests/test_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    if (($# == 0)); then
        programs+=("$program")
    fi
    for name; do
        if [[ $(basename -- "$program") == *"$name"* ]]; then
            programs+=("$program")
            break
        fi
    done
done
if ((${#programs[@]} == 0)); then
    echo "no test program in $build/tests${*:+ is named $*}"
    echo "0 passed, 0 failed"
    exit 1
fi

printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P 2 bash -c 'run_one "$1"' run_one

# A program without a result never ran to its end
passed=0 failed=0 skipped=0
for program in "${programs[@]}"; do
    p=0 f=1 s=0
    [ ! -f "$results/$(basename -- "$program")" ] || read -r p f s <"$results/$(basename -- "$program")"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
summary="$passed passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
echo "$summary"
((failed == 0 && passed + skipped > 0))
