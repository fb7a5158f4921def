#!/usr/bin/env bash
# The report of a suite in a real browser: nothing complained of, every figure to be seen, on a phone
# and on a desk, light and dark.
build=$(dirname -- "$(dirname -- "${BASH_SOURCE[0]}")")
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/support/shell.sh
. "$here/support/shell.sh"

# A browser is too slow under a sanitizer, and learns nothing there
if grep -qs '^PALPATE_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
    printf '\n-----------------------\n1 Tests 0 Failures 1 Ignored\n'
    exit 0
fi

browse() {
    command -v chromium >/dev/null || fail "chromium is missing: ./palpate test installs it"
    timeout 60 chromium --headless --no-sandbox --disable-gpu --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$(mktemp -d "$scratch/browser XXXXXX")" "$@"
}

report() {
    if [ ! -f "$scratch/report/report.html" ]; then
        expect_code 0 "$build/palpate" feel wall --only press,hold,slide --lenient \
            --report "$scratch/report"
    fi
}

# look SCHEME: a copy of the report in frames of a phone's and of a desk's width; what each says of
# itself is in $said. Chromium counts dark as 0, light as 1.
look() {
    report
    awk -v script="$here/data/report/check.js" '
        { sub("default-src .none.;", "& script-src '"'unsafe-inline'"';"); print }
        /<\/title>/ {
            print "<script>"
            while ((getline line <script) > 0) print line
            print "</script>"
        }' "$scratch/report/report.html" >"$scratch/seen.html"
    cat >"$scratch/frames.html" <<'END'
<!DOCTYPE html><title>frames</title><pre id="said"></pre>
<script>addEventListener('message', (e) => { said.textContent += `[${e.data}]\n`; });</script>
<iframe src="seen.html" width="390" height="800"></iframe>
<iframe src="seen.html" width="1280" height="800"></iframe>
END
    said=$(browse --window-size=1400,1000 --blink-settings=preferredColorScheme="$1" \
        --virtual-time-budget=10000 --dump-dom "file://$scratch/frames.html" 2>/dev/null)
}

expect_well() {
    local figures
    figures=$(grep -c '<figure' "$scratch/report/report.html")
    ((figures >= 5)) || fail "only $figures figures"
    expect_said "[390 px, $1, $figures figures, 0 wrong]"
    expect_said "[1280 px, $1, $figures figures, 0 wrong]"
}

test_every_figure_is_seen_on_phone_and_desk_in_the_light() {
    look 1
    expect_well light
}

test_every_figure_is_seen_on_phone_and_desk_in_the_dark() {
    look 0
    expect_well dark
}

# The report itself, with its own policy: no word on the console
test_the_console_stays_silent() {
    report
    said=$(browse --enable-logging=stderr --log-level=0 --virtual-time-budget=3000 \
        --dump-dom "file://$scratch/report/report.html" 2>&1 >"$scratch/dom")
    expect_unsaid CONSOLE
    grep -q '</html>' "$scratch/dom" || fail "no page"
}

# A page that is wrong is found to be
test_the_check_can_fail() {
    report
    cp "$scratch/report/report.html" "$scratch/good.html"
    sed -e 's/<main>/<main><div style="width:2000px">wide<\/div><img src="http:\/\/127.0.0.1:9\/x.png">/' \
        -e 's/--ink: #1b2126/--ink: #eeeeee/' "$scratch/good.html" >"$scratch/report/report.html"
    look 1
    cp "$scratch/good.html" "$scratch/report/report.html"
    expect_said 'scrolls sideways'
    expect_said 'wants http://127.0.0.1:9/x.png'
    expect_said 'pale'
}

run_tests
