# Building: Maven makes target/dist, then the command line is rehearsed for the JDK's ahead-of-time cache.

stamp=$dist/built

# Whether a source is newer than the build.
stale() {
    [ ! -f "$stamp" ] || [ ! -f "$dist/cli/sandglass-cli.jar" ] || [ -n "$(find "$root" -mindepth 1 \( -name target -o -name '.*' \) -prune -o -type f -newer "$stamp" \
        \( -name pom.xml -o -path '*/src/main/*' -o -path "$root/guest/*" \) -print -quit)" ]
}

build_if_needed() {
    stale || return 0
    build
    rehearse
}

# Whether this user may hold the lock under which the build and the cache are written.
may_write() {
    local lock=$root/target/build.lock place=$root
    [ ! -d "$root/target" ] || place=$root/target
    if [ -e "$lock" ]; then [ -w "$lock" ]; else [ -w "$place" ]; fi
}

build() {
    may_write || fail "Sandglass must be built, and $(id -un) may not write to $root." \
        "Run \`sandglass setup\` as the user who owns that directory, or as root."
    command -v mvn > /dev/null || fail "Maven is missing." "Install it (on Debian the package maven)."
    mkdir -p "$dist"
    (
        flock 9
        say "Building Sandglass (the first time Maven fetches what it needs) ..."
        touch "$stamp.new"
        if ! JAVA_HOME=$jdk mvn -B -ntp -DskipTests -f "$root/pom.xml" package 2>&1 | tee "$dist/build.log" | modules; then
            grep -E '^\[(ERROR|WARNING)\]|error:' "$dist/build.log" | head -40 >&2
            fail "The build failed." "The whole log is in $dist/build.log."
        fi
        mv "$stamp.new" "$stamp"
    ) 9> "$root/target/build.lock"
}

# Shows one line for each module that Maven begins.
modules() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ Building\ ([a-zA-Z-]+)\ .*\[([0-9]+/[0-9]+)\] ]]; then
            say "  ${BASH_REMATCH[2]} ${BASH_REMATCH[1]}"
        fi
    done
}

# Whether a cache is missing or older than any jar beside it. The JDK does not notice that itself, and would mix old classes with new ones.
outdated() { [ ! -f "$1" ] || [ -n "$(find "${1%/*}" -name '*.jar' -newer "$1" -print -quit)" ]; }

# Makes the ahead-of-time cache; without it everything works, only slower.
rehearse() {
    [ -w "$dist/cli" ] && may_write || return 0
    (
        flock 9
        if outdated "$dist/cli/cli.aot"; then
            if ! run=command cli_java -XX:AOTCacheOutput="$dist/cli/cli.aot.new" dev.sandglass.cli.Rehearsal > "$dist/rehearsal.log" 2>&1
            then
                : > "$dist/cli/cli.aot.new"
                say "warning: no ahead-of-time cache, calls take longer; see $dist/rehearsal.log"
            fi
            mv "$dist/cli/cli.aot.new" "$dist/cli/cli.aot"
        fi
    ) 9> "$root/target/build.lock"
}
