#!/usr/bin/env bash
# What only a portable build can show: that it begins and steps on an old processor (one that qemu
# makes), with the bits of its level; that levels are refused where there are none; and that no
# instruction stands outside of its level.
build=$(dirname -- "$(dirname -- "${BASH_SOURCE[0]}")")
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/shell.sh
. "$here/../support/shell.sh"

export PALPATE_CACHE=$scratch/cache
palpate=$build/palpate
unset PALPATE_CPU

# as PROCESSOR [OPTION...] ARGUMENTS: the program on another processor.
as() {
    command -v qemu-x86_64 >/dev/null || fail "qemu-x86_64 is missing: ./palpate test installs it"
    qemu-x86_64 -cpu "$1" "${@:2}" 2> >(grep -v '^qemu-x86_64: warning' >&2)
}

# A small bar, baked once, at the best level of this machine.
scene=$scratch/bar.yaml
make_scene() {
    cat >"$scene" <<'END'
palpate: 1
name: bar
about: A small bar
body:
  shape: {name: spoon, size: 0.2 m}
  voxels: 24
  fixed: x<0.02
  material: {young: 1 MPa, poisson: 0.4, density: 1000 kg/m3}
  damping: {mass: 30 1/s, stiffness: 10 ms}
basis: {modes: 3, size: 9}
tool: {radius: 5 mm}
probe:
  - {move: [0.17 m, 0.018 m, 0.02 m], seconds: 0.1 s}
  - {press: [0.17 m, 0.018 m, -0.02 m], seconds: 0.1 s}
  - hold: 0.1 s
END
    expect_code 0 "$palpate" bake "$scene" --quiet
}
run_arguments=(run "$scene" --virtual --quiet)

# The hash of the trace in $said, printed by run.
hash_said() {
    grep -o '[0-9a-f]\{32\}' <<<"$said" | head -n 1
}

levels() {
    local level
    for level in v2 v3 v4; do
        if PALPATE_CPU=$level "$palpate" version >/dev/null 2>&1; then
            echo "$level"
        fi
    done
}

test_it_steps_on_a_processor_of_2008_with_the_bits_of_that_level() {
    local there
    make_scene
    expect_code 0 as Nehalem "$palpate" version
    expect_said 'x86-64-v2,'
    expect_code 0 as Nehalem "$palpate" "${run_arguments[@]}" --json
    there=$(hash_said)
    expect_code 0 env PALPATE_CPU=v2 "$palpate" "${run_arguments[@]}" --json
    [ -n "$there" ] && [ "$there" = "$(hash_said)" ] || fail "there $there, here $(hash_said)"
}

test_a_trace_of_another_level_is_known_as_such() {
    make_scene
    [[ $(levels) == *v3* ]] || return 0
    expect_code 0 env PALPATE_CPU=v2 "$palpate" "${run_arguments[@]}" --trace "$scratch/v2.h5"
    expect_code 0 env PALPATE_CPU=v2 "$palpate" replay "$scratch/v2.h5" --check
    expect_code 1 env PALPATE_CPU=v3 "$palpate" replay "$scratch/v2.h5" --check
    expect_said 'recorded with other kernels (x86-64-v2, '
}

test_what_the_processor_cannot_do_is_refused() {
    expect_code 1 as Nehalem -E PALPATE_CPU=v3 "$palpate" version
    expect_said 'this processor has v2 at most'
    expect_code 1 as core2duo "$palpate" version
    expect_said 'lacks instructions of x86-64-v2'
    expect_code 1 env PALPATE_CPU=fast "$palpate" version
    expect_said 'there is no such level'
    expect_code 0 env PALPATE_CPU=v2 "$palpate" version
    expect_said 'by PALPATE_CPU'
    expect_code 0 env PALPATE_CPU=v2 "$palpate" doctor
    expect_said 'by PALPATE_CPU; without it'
}

# instructions PATTERN FILE...: how many of these files' match; two words, mnemonic and operands.
instructions() {
    objdump -d --no-show-raw-insn --no-addresses "${@:2}" 2>/dev/null | grep -cP "^\s+($1)" || true
}
avx='v[a-z0-9]+ |(shlx|shrx|sarx|rorx|mulx|pdep|pext|andn|bextr|bls(r|i|msk)|movbe) '
avx512='.*(%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01]))'

test_no_instruction_stands_outside_of_its_level() {
    local rest=() library
    for library in "$build"/lib*.a; do
        [[ $library == */libpalpate_rt*.a ]] || rest+=("$library")
    done
    ((${#rest[@]} >= 5)) || fail "where are the libraries? ${rest[*]}"
    local found
    found=$(instructions "$avx|$avx512" "${rest[@]}" "$build"/libpalpate_rt_v2.a)
    ((found == 0)) || fail "$found instructions of AVX and later outside of their levels"
    found=$(instructions "$avx512" "$build"/libpalpate_rt_v3.a)
    ((found == 0)) || fail "$found instructions of AVX-512 at level v3"
    # and the patterns find what there is
    (($(instructions "$avx" "$build"/libpalpate_rt_v3.a) > 10000)) || fail 'no AVX at level v3'
    (($(instructions "$avx512" "$build"/libpalpate_rt_v4.a) > 1000)) || fail 'no AVX-512 at level v4'
}

run_tests
