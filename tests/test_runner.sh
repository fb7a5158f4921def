#!/usr/bin/env bash
# The test runner, on made-up test programs: it counts right and no failure escapes it.
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/shell.sh
. "$here/support/shell.sh"

# program NAME LINES: a test program in $scratch/$1 of one case.
program() {
    mkdir -p "$scratch/$case/tests"
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$scratch/$case/tests/$1"
    chmod +x "$scratch/$case/tests/$1"
}

expect_run() {
    expect_code "$1" env "${@:3}" "$here/run.sh" "$scratch/$case"
    [ "${said##*$'\n'}" = "$2" ] || fail "the last line is not '$2':"$'\n'"$said"
}

test_passes_failures_and_skips_are_added_up() {
    case=sum
    program test_a 'echo "3 Tests 0 Failures 1 Ignored"; echo OK'
    program test_b 'echo "b.c:3:test_other:PASS"
        echo "b.c:7:test_law:FAIL: Expected 1 Was 2"
        echo "and a second line"
        echo "b.c:4:test_third:PASS"
        echo "5 Tests 1 Failures 0 Ignored "
        exit 1'
    expect_run 1 '6 passed, 1 failed, 1 skipped'
    expect_said 'b.c:7:test_law:FAIL: Expected 1 Was 2'
    expect_said 'and a second line'
    expect_unsaid PASS
}

test_all_green_exits_with_zero() {
    case=green
    program test_a 'echo "3 Tests 0 Failures 0 Ignored"'
    program helper 'exit 1'
    expect_run 0 '3 passed, 0 failed'
}

test_a_crash_is_a_failure_and_names_the_signal() {
    case=crash
    program test_a 'echo "a.c:1:test_one:PASS"; kill -SEGV $$'
    expect_run 1 '1 passed, 1 failed'
    expect_said 'crashed, signal 11'
}

test_a_crash_after_the_summary_is_a_failure() {
    case=late
    program test_a 'echo "2 Tests 0 Failures 0 Ignored"; kill -ABRT $$'
    program test_b 'echo "2 Tests 0 Failures 0 Ignored"; echo leaked; exit 23'
    expect_run 1 '4 passed, 2 failed'
    expect_said 'crashed, signal 6'
    expect_said 'exit code 23'
    expect_said 'leaked'
}

test_a_missing_summary_is_a_failure() {
    case=mute
    program test_a 'exit 0'
    expect_run 1 '0 passed, 1 failed'
    expect_said 'no summary'
}

test_a_hanging_program_is_stopped() {
    case=hang
    program test_a 'sleep 60'
    expect_run 1 '0 passed, 1 failed' PALPATE_TEST_SECONDS=1
    expect_said 'limit of 1 s'
}

test_no_program_is_a_failure() {
    case=none
    mkdir -p "$scratch/none/tests"
    expect_run 1 '0 passed, 0 failed'
    expect_code 2 "$here/run.sh"
    expect_code 2 "$here/run.sh" "$scratch/no such folder"
}

test_names_choose_programs() {
    case=choose
    program test_liver 'echo "3 Tests 0 Failures 0 Ignored"'
    program test_heart 'echo "5 Tests 0 Failures 0 Ignored"'
    program test_spoon 'echo "7 Tests 0 Failures 0 Ignored"'
    expect_code 0 "$here/run.sh" "$scratch/choose" liver spoon
    expect_said '10 passed, 0 failed'
    expect_code 1 "$here/run.sh" "$scratch/choose" lung
}

run_tests
