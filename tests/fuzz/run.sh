#!/usr/bin/env bash
# Runs every fuzz target of a build for a few seconds each, two at a time.
#   tests/fuzz/run.sh [SECONDS [BUILD_DIR]]     5 seconds and build/fuzz unless said otherwise
# PALPATE_FUZZ_SEED is where the random numbers start (0: somewhere else each time).
# Target fuzz_NAME starts from a copy of tests/fuzz/corpus/NAME when that folder is there. An input
# that breaks a target is kept in BUILD_DIR/crashes. The last line is "N passed, N failed".
set -uo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
seconds=${1:-5}
build=$(readlink -f -- "${2:-$here/../../build/fuzz}")

# Fuzzes one target; prints a line, and on failure what it said and where the input is.
fuzz_one() {
    local target=$1 name log corpus verdict
    name=${target##*/}
    log=$results/$name.log
    corpus=$results/$name.corpus
    mkdir -p "$corpus"
    if [ -d "$here/corpus/${name#fuzz_}" ]; then
        cp -R "$here/corpus/${name#fuzz_}/." "$corpus/"
    fi
    if "$target" "$corpus" -seed="${PALPATE_FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -max_len=16384 -artifact_prefix="$build/crashes/$name-" -print_final_stats=1 \
        >"$log" 2>&1 </dev/null; then
        verdict="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, ok"
        touch "$results/$name.ok"
    else
        verdict="failed"$'\n'$(tail -n 60 "$log")
        verdict+=$'\n'"    input: $(sed -n 's/.*Test unit written to //p' "$log")"
    fi
    flock "$results" printf '%-28s %s\n' "$name" "$verdict"
}

results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM
export here build seconds results
export -f fuzz_one

targets=()
for target in "$build"/fuzz/fuzz_*; do
    if [ -x "$target" ]; then
        targets+=("$target")
    fi
done
if ((${#targets[@]} == 0)); then
    echo "no fuzz target in $build/fuzz: cmake --preset fuzz && cmake --build --preset fuzz"
    echo "0 passed, 0 failed"
    exit 1
fi
mkdir -p "$build/crashes"
# shellcheck disable=SC2016  # the inner shell expands it
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P 2 bash -c 'fuzz_one "$1"' fuzz_one

passed=$(find "$results" -name '*.ok' | wc -l)
echo "$passed passed, $((${#targets[@]} - passed)) failed"
((passed == ${#targets[@]}))
