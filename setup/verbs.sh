# The verbs that the launcher serves itself.

# Splits options that it knows from the rest: sets install, suite and rest.
options() {
    install=yes foreground=no image=() rest=()
    while [ $# -gt 0 ]; do
        case $1 in
            --no-install) install=no ;;
            --foreground) foreground=yes ;;
            --suite)
                [ $# -gt 1 ] || fail "suite: nothing (expected: the name of a Debian release)" "See \`sandglass setup --help\`." 2
                image+=(--suite "$2") && shift
                ;;
            --suite=*) image+=(--suite "${1#*=}") ;;
            --rebuild-image) image+=("$1") ;;
            *) rest+=("$1") ;;
        esac
        shift
    done
}

no_more() { [ $# -eq 0 ] || fail "Unknown argument: $1" "See \`sandglass $verb --help\`." 2; }

# The build belongs to the user; the rest needs root and goes on under sudo.
need_root() {
    [ "$EUID" != 0 ] || return 0
    command -v sudo > /dev/null || fail "This needs root." "Run it as root, or install sudo."
    local kept=(JAVA_HOME "${!SANDGLASS_@}") IFS=,
    exec sudo --preserve-env="${kept[*]}" "$self" "$verb" "${arguments[@]}"
}

verb_setup() {
    options "$@"
    no_more "${rest[@]}"
    packages "$install" "${needs_always[@]}"
    build_if_needed
    need_root
    lock
    pin_namespace
    rehearse_daemon &
    run=command server_java dev.sandglass.server.ImageBuild "${image[@]}"
    wait
}

# Whether a daemon is there to stay: one that was killed is waited for, which may take a moment to go.
running() {
    local deadline=$((SECONDS + 30))
    while daemon_pid && is_killed "$pid" && [ $SECONDS -lt $deadline ]; do
        sleep 0.05
    done
    daemon_pid || return
    say "The daemon is running already (process $pid)."
}

verb_up() {
    options "$@"
    no_more "${rest[@]}"
    running && return
    verb_setup "$@"
    running && return
    copy_program
    [ "$foreground" = no ] || daemon_java
    start_daemon
    unlock
    address=$( (cli status -o json) | sed -n 's/.*"address":"\([^"]*\)".*/\1/p')
    say "Sandglass is up at ${address:-?} and $run_dir/sandglass.sock; the token is in $data/token."
}

verb_down() {
    no_more "$@"
    daemon_pid || { say "No daemon is running on $data."; return 0; }
    need_root
    local count
    count=$( (cli ls -q --filter state=running 2> /dev/null) | wc -l)
    stop_daemon
    say "The daemon is stopped. Sandboxes that go on running: $count."
}

verb_doctor() {
    build_if_needed
    need_root
    COLUMNS=$(stty size <&1 2> /dev/null | cut -d ' ' -f 2) || true # it is no terminal
    export COLUMNS
    server_java dev.sandglass.server.Doctor "$@"
}

verb_demo() {
    options "$@"
    local demo=("${rest[@]}") up=("${image[@]}")
    ! asks_help "${demo[@]}" || cli demo "${demo[@]}"
    [ "$install" = yes ] || up+=(--no-install)
    verb_up "${up[@]}"
    need_root
    cli demo "${demo[@]}"
}

verb_test() {
    options "$@"
    packages "$install" "${needs_always[@]}" "${needs_of_tests[@]}"
    # Real kernels under load have rare moments: a test that fails is run once more, and Maven lists it under "Flakes" when it passes then.
    JAVA_HOME=$jdk exec mvn -B -ntp -f "$root/pom.xml" -Dsurefire.rerunFailingTestsCount=1 verify "${rest[@]}"
}

verb_bench() {
    build_if_needed
    ! asks_help "$@" || exec "$jdk/bin/java" -cp "$dist/bench/*" dev.sandglass.bench.Bench "$@"
    need_root
    daemon_pid || fail "No daemon is running on $data." "Start it with \`sandglass up\`."
    # What cannot be installed is left out of the bench, which says so.
    local lacking
    mapfile -t lacking < <(missing "${needs_of_bench[@]}")
    [ ${#lacking[@]} -eq 0 ] || ! command -v apt-get > /dev/null || install "${lacking[@]}" || true
    # The raw engines mount the daemon's own image, which only its namespace sees.
    LC_ALL=C.UTF-8 exec nsenter --mount="$namespace" -- "$jdk/bin/java" --enable-native-access=ALL-UNNAMED \
        "-Dsandglass.launcher=$self" "-Dsandglass.bench.json=$root/target/bench.json" -cp "$dist/bench/*" dev.sandglass.bench.Bench "$@"
}
