# The daemon and the mount namespace it lives in, which outlives it.

data=$(realpath -ms -- "${SANDGLASS_DATA_DIR:-/var/lib/sandglass}")
if [ -n "${SANDGLASS_RUN_DIR:-}" ]; then
    run_dir=$(realpath -ms -- "$SANDGLASS_RUN_DIR")
elif [ "$data" = /var/lib/sandglass ]; then
    run_dir=/run/sandglass
else
    run_dir=/run/sandglass-$(printf '%s' "$data" | sha256sum | cut -c 1-8)
fi
export SANDGLASS_DATA_DIR=$data SANDGLASS_RUN_DIR=$run_dir
namespace=$run_dir/ns/mnt
log=$data/log/daemon.log # the daemon writes it and keeps it small
last_words=$data/log/daemon.out # what it and its JVM print besides

pinned() { [ "$(stat -f -c %T "$namespace" 2> /dev/null)" = nsfs ]; }

# One launcher at a time sets up and starts; the lock ends with this shell, and no program gets it.
lock() {
    mkdir -p "$run_dir" "$data/log"
    chmod 711 "$run_dir"
    exec 8> "$run_dir/launcher.lock"
    flock -n 8 || { say "Waiting for another sandglass that sets up ..." && flock 8; }
}

unlock() { exec 8>&-; }

# Mounts of sandboxes are in a namespace that a file keeps, so that they outlive the daemon and nobody else sees them.
pin_namespace() {
    pinned && return
    mkdir -p "$run_dir/ns"
    # A namespace can only be kept by a file on a mount that is private.
    mountpoint -q "$run_dir/ns" || mount --bind "$run_dir/ns" "$run_dir/ns"
    mount --make-private "$run_dir/ns"
    touch "$namespace"
    # Where cgroups are hybrid, crun works only if it does not see the empty second tree.
    unshare --mount="$namespace" --propagation private sh -c \
        'if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi'
}

# Runs a program of the server, inside the namespace if it is there; replaces this shell unless run=command.
server_java() {
    local inside=()
    ! pinned || inside=(nsenter --mount="$namespace" --)
    LC_ALL=C.UTF-8 "${run:-exec}" "${inside[@]}" "$jdk/bin/java" -Xmx1g --enable-native-access=ALL-UNNAMED \
        "-Dsandglass.data=$data" -cp "$(jars "${program:-$dist/server}")" "$@" 8>&-
}

# In a fixed order, as the ahead-of-time cache needs it.
jars() {
    local all=("$1"/*.jar) IFS=:
    printf '%s' "${all[*]}"
}

# Starts a daemon that has nothing to do, for an ahead-of-time cache that halves the start of the real one.
rehearse_daemon() {
    local cache=$dist/server/daemon.aot work
    outdated "$cache" && [ -w "$dist/server" ] || return 0
    say "Rehearsing the start of the daemon, so that later ones are quick ..."
    work=$(mktemp -d)
    (
        export SANDGLASS_DATA_DIR=$work/data SANDGLASS_RUN_DIR=$work/run SANDGLASS_POOL=copy SANDGLASS_NETWORK=none \
            SANDGLASS_LISTEN=127.0.0.1:0 SANDGLASS_ROUTE_LISTEN=127.0.0.1:0
        run=exec_plainly server_java -XX:AOTCacheOutput="$cache.new" dev.sandglass.server.Daemon > "$dist/rehearsal-daemon.log" 2>&1 &
        for ((tries = 0; tries < 600; tries++)); do
            [ ! -f "$work/run/daemon.pid" ] || break
            sleep 0.1
        done
        kill -TERM $!
        wait $!
    ) || true
    rm -rf "$work"
    [ -s "$cache.new" ] || : > "$cache.new"
    mv "$cache.new" "$cache"
}

exec_plainly() { exec "$@"; }

# Sets pid to the daemon of this data directory; fails if there is none.
daemon_pid() {
    { read -r pid < "$run_dir/daemon.pid" && tr '\0' '\n' < "/proc/$pid/cmdline"; } 2> /dev/null |
        grep -qxF -e "-Dsandglass.data=$data" && read -r pid < "$run_dir/daemon.pid"
}

# Whether signal 9 is on its way to that process.
is_killed() { sed -n 's/^S[a-z]*Pnd:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null | grep -q '[13579bdf]..$'; }

# The daemon runs from a copy of its own, which a later build does not change under it.
copy_program() {
    program=$data/program
    rm -rf "$program.new" "$program"
    cp -rp "$dist/server" "$program.new"
    mv "$program.new" "$program"
}

start_daemon() {
    local child deadline=$((SECONDS + 60)) begun=$EPOCHREALTIME
    detached &
    child=$!
    while ! { daemon_pid && [ "$pid" = "$child" ]; }; do
        if ! kill -0 "$child" 2> /dev/null; then
            last_lines
            fail "The daemon ended at once; above is what it said." "See $log, and check with \`sandglass doctor\`."
        elif [ $SECONDS -ge $deadline ]; then
            last_lines
            fail "The daemon (process $child) does not answer after 60 s; above is what it said." \
                "It may still come up: see \`sandglass status\` and $log."
        fi
        sleep 0.05
    done
    say "The daemon started in $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000)) ms."
}

# Without the frames of stack traces.
last_lines() { grep -hvE '^[[:space:]]+(at |\.\.\.)' "$last_words" | tail -n 12 >&2 || true; }

# A process of its own: no terminal, none of our descriptors.
detached() {
    local fd
    for fd in /proc/$BASHPID/fd/*; do
        fd=${fd##*/}
        [ "$fd" -le 2 ] || eval "exec $fd>&-"
    done
    cd /
    exec < /dev/null > "$last_words" 2>&1
    run=exec_setsid daemon_java -Dlogback.configurationFile=logback-file.xml "-Dsandglass.log=$log"
}

daemon_java() { server_java "$@" -Xlog:all=error -XX:AOTCache="$program/daemon.aot" dev.sandglass.server.Daemon; }

exec_setsid() { exec setsid "$@"; }

stop_daemon() {
    local deadline=$((SECONDS + 30))
    kill -TERM "$pid"
    while [ -d "/proc/$pid" ]; do
        [ $SECONDS -lt $deadline ] || fail "The daemon (process $pid) does not end." "See $log."
        sleep 0.05
    done
}
