#!/usr/bin/env bash
# Proves limits, update, pause and destroy on a machine whose control groups are of version 2 only, whatever this host has: boots one
# with Debian's kernel in QEMU, which needs no KVM, and runs setup/cgroup2-checks.sh there. An emulated machine is some ten times slower:
# expect a quarter of an hour. Debian and the base image are kept in .test-data/cgroup2; remove it to begin anew. Needs root and a Debian host.
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
. "${self%/setup/*}/sandglass" help > /dev/null # for what the launcher defines: root, dist, say, fail, find_jdk
. "$root/setup/packages.sh"
cache=$root/.test-data/cgroup2
result=$root/target/cgroup2.log
at_most=${CGROUP2_SECONDS:-5400}

[ "$EUID" = 0 ] || fail "This needs root." "Run it as root."
packages yes "${needs_always[@]}" qemu-system-x86_64=qemu-system-x86 mkfs.ext4=e2fsprogs
find_jdk
# Takes away what a run worked in, when the mount namespace of `sandglass setup` has ended, and with it all that was mounted there.
remove() { unpin "$1" && rm -rf --one-file-system "$1"; }

unpin() {
    local place
    for place in "$1/run/ns/mnt" "$1/run/ns"; do
        ! mountpoint -q "$place" || umount "$place"
    done
}

mkdir -p "$cache"
exec 9> "$cache/lock"
flock -n 9 || fail "Another run has $cache." "Wait for its end."
for left in "$cache"/work.*; do # by a run that was killed
    [ ! -d "$left" ] || remove "$left"
done
machine="" # its process, while it runs
work=$(mktemp -d "$cache/work.XXXXXX")

# By its number, and only as long as it is ours: nobody else's machine ends with this script.
end() {
    [ -z "$machine" ] || kill -KILL "$machine" 2> /dev/null || true
    remove "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

# The root of the machine, with a kernel and the initramfs that finds it. It is of this host's own release, from its own sources.
make_debian() {
    local suite
    # shellcheck disable=SC1091
    suite=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    backports "$suite" > "$work/debian.sources" # for that suite; of its backports nothing is asked for
    say "Making Debian $suite with a kernel ..."
    LC_ALL=C.UTF-8 mmdebstrap --quiet --mode=root --variant=minbase --format=directory \
        --include=linux-image-cloud-amd64,crun,iproute2,kmod,procps --aptopt='APT::Sandbox::User "root"' \
        --dpkgopt=path-exclude='/usr/share/doc/*' "$suite" "$work/debian" "$work/debian.sources" > "$work/debian.log" 2>&1 ||
        { tail -n 20 "$work/debian.log" >&2; fail "Debian could not be made." "Check the network and the apt sources."; }
    printf '#!/bin/sh\nmount /dev/vdb /mnt && exec /mnt/sandglass/setup/cgroup2-checks.sh\n' > "$work/debian/init"
    chmod 755 "$work/debian/init"
    cp "$work/debian/vmlinuz" "$work/debian/initrd.img" "$cache"
    disk "$work/debian" "$cache/debian.ext4" 4G
    rm -rf "$work/debian"
}

# Makes a disk with what is in a directory; it is there under its name only when it is whole.
disk() {
    truncate -s "$3" "$2.new"
    mkfs.ext4 -q -F -d "$1" "$2.new"
    mv "$2.new" "$2"
}

# What this checkout builds, its JDK and its base image, as `sandglass setup` makes them; but in plain directories, because the machine's
# kernel need not know what this one's has put into a btrfs.
make_sandglass() {
    SANDGLASS_DATA_DIR=$cache/data SANDGLASS_RUN_DIR=$work/run SANDGLASS_POOL=copy "$root/sandglass" setup
    unpin "$work"
    say "Making the disk of the machine ..."
    mkdir -p "$work/disk/sandglass"
    (cd "$root" && cp -a --parents sandglass setup target/dist cli/src/main/resources "$work/disk/sandglass")
    cp -rLp "$jdk" "$work/disk/jdk" 2> "$work/jdk.log" || true # Debian's own has links to what need not be installed
    cp -a "$cache/data" "$work/disk/data"
    runsc_fits || fail "The runsc of this host does not fit, and half of the checks are for gVisor." "Run \`sandglass setup\`."
    cp "$(command -v runsc)" "$work/disk/runsc"
    disk "$work/disk" "$work/sandglass.ext4" 12G
    rm -rf "$work/disk"
}

# Its words come over the serial console. Nothing that it writes to Debian's disk is kept.
boot() {
    mkdir -p "${result%/*}"
    : > "$result"
    say "Starting the machine; it has $at_most s ..."
    setpriv --pdeathsig KILL qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 3072 \
        -nodefaults -no-user-config -display none -no-reboot \
        -serial "file:$result" -kernel "$cache/vmlinuz" -initrd "$cache/initrd.img" \
        -append 'console=ttyS0 root=/dev/vda rw init=/init quiet panic=-1 cgroup_no_v1=all' \
        -drive "file=$cache/debian.ext4,format=raw,if=virtio,snapshot=on" \
        -drive "file=$work/sandglass.ext4,format=raw,if=virtio,cache=unsafe" < /dev/null &
    machine=$!
    tail -n +1 -F --pid="$machine" "$result" 2> /dev/null | sed -un 's/\r$//; /^\(ok \|FAIL \|  > \|cgroup2: \)/p' &
    for ((begin = SECONDS; SECONDS - begin < at_most; )); do
        kill -0 "$machine" 2> /dev/null || break
        sleep 1
    done
    if kill -0 "$machine" 2> /dev/null; then
        kill -KILL "$machine"
        say "The time is over."
    fi
    wait
    machine=""
}

[ -f "$cache/debian.ext4" ] || make_debian
make_sandglass
boot
grep -q '^cgroup2: .* 0 failed' "$result" || fail "Something does not hold on version 2, or the machine did not get that far." "See $result."
