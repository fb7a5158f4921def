#!/usr/bin/env bash
# The wrapper ./palpate on a made-up machine: only the tools linked below and fakes that write down
# how they were called.
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/shell.sh
. "$here/support/shell.sh"

fake() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# A tree with the wrapper, and a machine where everything is installed and the user is root.
# $world/missing, uid and apt-code change that; $world/calls is the record.
# shellcheck disable=SC2016  # the fakes expand their own variables
make_world() {
    export world="$scratch/${FUNCNAME[1]}"
    tree=$world/the\ tree
    bin=$world/bin
    mkdir -p "$tree/app" "$tree/tests" "$bin"
    cp "$here/../palpate" "$tree/"
    touch "$tree/app/main.c" "$tree/CMakeLists.txt" "$tree/CMakePresets.json"
    touch "$world/missing" "$world/calls"
    echo 0 >"$world/uid"
    local tool
    for tool in bash env readlink dirname awk mkdir touch mv tail grep sed cat find flock rm sleep \
        chmod; do
        ln -s "$(command -v "$tool")" "$bin/$tool"
    done
    fake id 'cat "$world/uid"'
    fake cc ''
    fake ninja ''
    fake sudo 'echo "sudo $*" >>"$world/calls"; "$@"'
    fake apt-get 'echo "apt-get $*" >>"$world/calls"; echo "E: no such host"
        [ ! -f "$world/apt-code" ] || exit "$(cat "$world/apt-code")"'
    fake dpkg-query 'for name; do
        [[ $name == -* || $name == *Status* ]] || grep -qxF "$name" "$world/missing" ||
            echo "installed $name"
        done'
    fake cmake 'echo "cmake $*" >>"$world/calls"
        if [ "$1" = --build ]; then
            echo "[1/2] Compiling"; echo "[2/2] Linking"
            [ ! -f "$world/broken" ] || { echo "main.c:1: error: broken"; exit 1; }
            printf "#!/usr/bin/env bash\nprintf \"<%%s>\" \"\$@\"; exit 7\n" >"$2/palpate"
            chmod +x "$2/palpate"
        else
            mkdir -p build/release; touch build/release/build.ninja
            printf "%s\n" "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "PALPATE_WERROR:BOOL=ON" \
                >build/release/CMakeCache.txt
        fi'
    echo 'echo "tests of $*"' >"$tree/tests/run.sh"
    chmod +x "$tree/tests/run.sh"
}

# palpate CODE ARGUMENT...: runs the wrapper on that machine.
palpate() {
    expect_code "$1" env -u CI PATH="$bin" "$tree/palpate" "${@:2}"
}
expect_call() {
    grep -qF -- "$1" "$world/calls" || fail "never called: $1"$'\n'"$(cat "$world/calls")"
}
expect_no_call() {
    ! grep -F -- "$1" "$world/calls" || fail "was called: $1"
}

test_it_builds_then_runs_with_the_arguments_as_they_are() {
    make_world
    palpate 7 demo 'two words' ''
    expect_said '<demo><two words><>'
    expect_no_call apt-get
}

test_it_works_through_a_link_from_another_folder() {
    make_world
    ln -s "$tree/palpate" "$world/a link"
    cd "$world"
    expect_code 7 env -u CI PATH="$bin" './a link' info
    expect_said '<info>'
    [ ! -e "$world/build" ]
}

test_root_installs_what_is_missing_and_only_that() {
    make_world
    printf '%s\n' libcyaml-dev cmake >"$world/missing"
    palpate 7 demo
    expect_said 'installing 2: cmake libcyaml-dev'
    [ "$(grep -c 'apt-get update' "$world/calls")" = 1 ]
    expect_call 'install -q -y --no-install-recommends cmake libcyaml-dev'
    expect_no_call sudo
}

test_others_use_sudo() {
    make_world
    echo 1000 >"$world/uid"
    echo cmake >"$world/missing"
    palpate 7 demo
    expect_call 'sudo env DEBIAN_FRONTEND=noninteractive apt-get install'
}

test_without_sudo_it_says_what_to_run() {
    make_world
    echo 1000 >"$world/uid"
    echo cmake >"$world/missing"
    rm "$bin/sudo"
    palpate 1 demo
    expect_said 'as root, run: apt-get install cmake'
    expect_no_call cmake\ --build
}

test_no_install_names_them_and_goes_on() {
    make_world
    printf '%s\n' libcyaml-dev clang >"$world/missing"
    palpate 7 --no-install demo
    expect_said 'libcyaml-dev        scenes'
    expect_said '<demo>'
    expect_unsaid 'clang '
    expect_no_call apt-get
}

test_no_install_alone_names_all_and_stops() {
    make_world
    printf '%s\n' libcyaml-dev clang >"$world/missing"
    palpate 0 --no-install
    expect_said libcyaml-dev
    expect_said clang
    expect_no_call cmake
}

test_without_apt_get_it_prints_the_list_and_goes_on() {
    make_world
    rm "$bin/apt-get"
    palpate 7 demo
    expect_said 'libsuitesparse-dev'
    expect_said '<demo>'
}

test_a_failing_apt_get_is_told_and_ends_it() {
    make_world
    echo cmake >"$world/missing"
    echo 100 >"$world/apt-code"
    palpate 1 demo
    expect_said 'E: no such host'
    expect_said 'see that the network is up'
    expect_said 'apt-get install cmake'
    expect_no_call --build
}

test_a_missing_compiler_is_named() {
    make_world
    rm "$bin/cc"
    palpate 1 --no-install demo
    expect_said "there is no 'cc'"
}

test_a_second_start_builds_nothing() {
    make_world
    palpate 7 demo
    : >"$world/calls"
    echo cmake >"$world/missing"
    palpate 7 demo
    [ ! -s "$world/calls" ] || fail "$(cat "$world/calls")"
}

test_a_changed_or_removed_source_is_built() {
    make_world
    touch "$tree/app/other.c"
    palpate 7 demo
    : >"$world/calls"
    sleep 0.01
    touch "$tree/app/main.c"
    palpate 7 demo
    expect_call 'cmake --build'
    expect_no_call --preset
    : >"$world/calls"
    sleep 0.01
    rm "$tree/app/other.c"
    palpate 7 demo
    expect_call 'cmake --build'
}

test_a_failing_build_shows_the_end_of_its_log() {
    make_world
    touch "$world/broken"
    palpate 1 demo
    expect_said 'main.c:1: error: broken'
    expect_said 'build/release/build.log'
    rm "$world/broken"
    palpate 7 demo
}

test_a_moved_tree_is_configured_again() {
    make_world
    palpate 7 demo
    : >"$world/calls"
    mv "$tree" "$world/moved"
    tree=$world/moved
    touch "$tree/app/main.c"
    palpate 7 demo
    expect_call '--fresh --preset release'
}

test_ci_treats_warnings_as_errors() {
    make_world
    expect_code 7 env CI=true PATH="$bin" "$tree/palpate" demo
    expect_call '-DPALPATE_WERROR=ON'
}

test_two_at_once_build_one_after_the_other() {
    make_world
    # shellcheck disable=SC2016  # the fake expands it
    sed -i 's|echo "\[1/2\] Compiling"|(echo in; sleep 0.2; echo out) >>"$world/turns"|' \
        "$bin/cmake"
    env -u CI PATH="$bin" "$tree/palpate" a >/dev/null 2>&1 &
    env -u CI PATH="$bin" "$tree/palpate" b >/dev/null 2>&1 || true
    wait
    [[ $(cat "$world/turns") == $'in\nout\nin\nout' ]] || fail "$(cat "$world/turns")"
}

test_the_tests_get_their_names_and_packages() {
    make_world
    echo clang-format >"$world/missing"
    palpate 0 test quartic
    expect_call 'install -q -y --no-install-recommends clang-format'
    expect_call '--target all'
    expect_said 'tests of'
    expect_said 'build/release quartic'
}

run_tests
