#!/usr/bin/env bash
# The exchanges between threads, checked in every interleaving by the model checker Spin: the models
# in tests/spin hold, and each fault that they name is found.
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/shell.sh
. "$here/support/shell.sh"

# verify MODEL [FAULT]: makes and runs the verifier; what it reports is in $said.
verify() {
    local folder=$scratch/$1${2:+-$2}
    mkdir -p "$folder"
    cp "$here/spin/$1.pml" "$folder/"
    cd "$folder"
    command -v spin >/dev/null || fail "spin is missing: ./palpate test installs it"
    expect_code 0 spin ${2:+"-D$2"} -a "$1.pml"
    expect_code 0 cc -O0 -w -DSAFETY -o pan pan.c
    expect_code 0 ./pan -m100000 -w18
    expect_unsaid 'max search depth too small'
    expect_said 'State-vector'
}

holds() {
    verify "$1"
    expect_said 'errors: 0'
}

finds() {
    verify "$1" "$2"
    expect_said 'assertion violated'
    expect_said 'errors: 1'
}

test_the_ring_keeps_items_whole_in_order_and_complete() { holds ring; }
test_a_ring_that_publishes_early_is_caught() { finds ring EARLY_PUBLISH; }
test_a_ring_that_takes_early_is_caught() { finds ring EARLY_TAKE; }
test_a_ring_that_frees_early_is_caught() { finds ring EARLY_FREE; }
test_a_ring_that_does_not_look_for_room_is_caught() { finds ring BLIND_PUT; }

test_the_exchange_gives_the_newest_whole_snapshot() { holds exchange; }
test_an_exchange_that_publishes_early_is_caught() { finds exchange EARLY_PUBLISH; }
test_an_exchange_with_a_plain_integer_is_caught() { finds exchange SPLIT_SWAP; }
test_an_exchange_that_always_swaps_is_caught() { finds exchange NO_FRESH; }

run_tests
