# shellcheck shell=bash
# Small helps for tests written in shell. A script defines functions test_*, sources this file and
# ends with run_tests; the summary is Unity's, so that tests/run.sh counts them with the others.

# A fresh folder for the whole script, removed at the end.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/palpate test XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
    printf '%s\n' "$*"
    exit 1
}

# expect_code CODE COMMAND...: runs it, keeps what it printed in $said, and checks its exit code.
expect_code() {
    local expected=$1 code=0
    shift
    said=$("$@" 2>&1 </dev/null) || code=$?
    ((code == expected)) || fail "exit code $code, not $expected, of: $*"$'\n'"$said"
}

# expect_said PART / expect_unsaid PART: what the last command printed does (not) contain it.
expect_said() {
    [[ $said == *"$1"* ]] || fail "does not say '$1':"$'\n'"$said"
}
expect_unsaid() {
    [[ $said != *"$1"* ]] || fail "says '$1':"$'\n'"$said"
}

# Every function test_* in a shell of its own; the first command that fails ends it.
run_tests() {
    local name code tests=0 failures=0 out=$scratch/out
    for name in $(declare -F | awk '$3 ~ /^test_/ { print $3 }'); do
        tests=$((tests + 1))
        (
            set -e
            "$name"
        ) >"$out" 2>&1
        code=$?
        if ((code == 0)); then
            echo "$0:$name:PASS"
        else
            failures=$((failures + 1))
            echo "$0:$name:FAIL: $(tr '\n' '|' <"$out")"
        fi
    done
    printf '\n-----------------------\n%d Tests %d Failures 0 Ignored\n' "$tests" "$failures"
    ((failures == 0))
}
