#!/usr/bin/env bash
# Runs the test programs of a build, two at a time, and counts. Those that took longest the last time
# come first: a long one that begins last leaves a core idle.
#   tests/run.sh BUILD_DIR [NAME...]     only programs whose name contains a NAME
# The last line is "N passed, N failed" (and ", N skipped" when there are any). PALPATE_TEST_SECONDS
# is the time limit of one program.
set -uo pipefail
export LC_ALL=C

# No windows on somebody's screen: tests of windows start a display of their own
unset DISPLAY WAYLAND_DISPLAY

# Two programs share the cores: idle BLAS threads sleep at once
export OPENBLAS_THREAD_TIMEOUT=${OPENBLAS_THREAD_TIMEOUT:-4}

# How a sanitizer build behaves: the first report ends the program; memory that is not there is NULL
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:allocator_may_return_null=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:suppressions=\"$here/support/tsan.supp\"}

# Runs one program; leaves "passed failed skipped" in $results/NAME and prints its lines.
run_one() {
    local program=$1 name log code start seconds note=''
    name=${program##*/}
    log=$results/$name.log
    start=$EPOCHREALTIME
    { timeout -k 5 "$limit" "$program" >"$log" 2>&1 </dev/null; } 2>/dev/null
    code=$?
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')

    # Unity's summary, or what can be told without one
    local tests failed skipped passed
    if read -r tests _ failed _ skipped _ < <(grep -aE "$summary_line" "$log" | tail -n 1); then
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
    if ((code == 124 || (code == 137 && ${seconds%.*} >= limit))); then
        note="stopped after the limit of $limit s"
    elif ((code > 128)); then
        note="crashed, signal $((code - 128))"
    fi
    echo "$passed $failed $skipped" >"$results/$name"
    echo "$name $seconds" >"$results/$name.seconds"

    # One line; on failure also what the program said
    local verdict=ok
    ((skipped == 0)) || verdict="ok, $skipped skipped"
    ((failed == 0)) || verdict="failed${note:+: $note}"
    local lines
    lines=$(printf '%-28s %4d tests %8s s  %s' \
        "$name" $((passed + failed + skipped)) "$seconds" "$verdict")
    if ((failed > 0)); then
        local said
        # From each failure to the next test, or the end of the log when it did not end well
        said=$(awk '/:(PASS|IGNORE)(:|$)/ || /^-----/ { show = 0 }
            /:FAIL(:|$)/ { show = 1 }
            show' "$log")
        [ -z "$note" ] || said=$(tail -n 40 "$log")
        lines+=$'\n    '${said//$'\n'/$'\n    '}
    fi
    flock "$results" printf '%s\n' "$lines"
}

# The programs in the order in which they begin. A build that never ran goes by the release build.
longest_first() {
    local last=$build/test-seconds
    [ -f "$last" ] || last=$build/../release/test-seconds
    [ -f "$last" ] || last=/dev/null
    printf '%s\n' "$@" | awk -v last="$last" '
        BEGIN { while ((getline line < last) > 0) { split(line, word, " "); took[word[1]] = word[2] } }
        { name = $0; sub(/.*\//, "", name); print took[name] + 0, $0 }' |
        sort -s -k 1,1rn | cut -d ' ' -f 2-
}

# What these took, for the next time, and what the others took before.
keep_seconds() {
    local last=$build/test-seconds
    touch "$last"
    cat "$results"/*.seconds "$last" | awk '!($1 in seen) { seen[$1]; print }' >"$last.new" &&
        mv "$last.new" "$last"
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
summary_line='^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored'
export limit results summary_line
export -f run_one

# The programs asked for
programs=()
for program in "$build"/tests/test_*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then
        continue
    fi
    for name in "${@:-test_}"; do
        if [[ ${program##*/} == *"$name"* ]]; then
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

mapfile -t programs < <(longest_first "${programs[@]}")
# shellcheck disable=SC2016  # the inner shell expands it
printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P 2 bash -c 'run_one "$1"' run_one

keep_seconds

# A program without a result never ran to its end
passed=0 failed=0 skipped=0
for program in "${programs[@]}"; do
    p=0 f=1 s=0
    [ ! -f "$results/${program##*/}" ] || read -r p f s <"$results/${program##*/}"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
summary="$passed passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
echo "$summary"
((failed == 0 && passed + skipped > 0))
