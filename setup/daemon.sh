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
log=$data/log/daemon.log

pinned() { [ "$(stat -f -c %T "$namespace" 2> /dev/null)" = nsfs ]; }

# Mounts of sandboxes are in a namespace that a file keeps, so that they outlive the daemon and nobody else sees them.
pin_namespace() {
    pinned && return
    mkdir -p "$run_dir/ns" "$data/log"
    chmod 711 "$run_dir"
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
        "-Dsandglass.data=$data" -cp "${program:-$dist/server}/*" "$@"
}

# The daemon runs from a copy of its own, so that a rebuild does not change the classes under its feet.
copy_program() {
    program=$data/program
    rm -rf "$program.new" "$program"
    cp -r "$dist/server" "$program.new"
    mv "$program.new" "$program"
}

# Sets pid to the daemon of this data directory; fails if there is none.
daemon_pid() {
    { read -r pid < "$run_dir/daemon.pid" && tr '\0' '\n' < "/proc/$pid/cmdline"; } 2> /dev/null |
        grep -qxF -e "-Dsandglass.data=$data" && read -r pid < "$run_dir/daemon.pid"
}

start_daemon() {
    local child deadline=$((SECONDS + 60)) begun=$EPOCHREALTIME
    copy_program
    detached &
    child=$!
    while ! { daemon_pid && [ "$pid" = "$child" ]; }; do
        if ! kill -0 "$child" 2> /dev/null; then
            tail -n 20 "$log" >&2
            fail "The daemon ended at once; above are the last lines of $log." "Check with \`sandglass doctor\`."
        elif [ $SECONDS -ge $deadline ]; then
            tail -n 20 "$log" >&2
            fail "The daemon (process $child) does not answer after 60 s; above are the last lines of $log." \
                "It may still come up: see \`sandglass status\`."
        fi
        sleep 0.05
    done
    say "The daemon started in $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000)) ms."
}

# A process of its own: no terminal, none of our descriptors, its output in the log.
detached() {
    local fd
    for fd in /proc/$BASHPID/fd/*; do
        fd=${fd##*/}
        [ "$fd" -le 2 ] || eval "exec $fd>&-"
    done
    cd /
    exec < /dev/null >> "$log" 2>&1
    run=exec_setsid server_java dev.sandglass.server.Daemon
}

exec_setsid() { exec setsid "$@"; }

stop_daemon() {
    local deadline=$((SECONDS + 30))
    kill -TERM "$pid"
    while [ -d "/proc/$pid" ]; do
        [ $SECONDS -lt $deadline ] || fail "The daemon (process $pid) does not end." "See $log."
        sleep 0.05
    done
}
