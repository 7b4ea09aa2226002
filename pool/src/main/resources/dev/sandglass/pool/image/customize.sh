#!/bin/sh
# Runs on the host when all packages are in place: $1 is the new root, $2 a directory with the host's own certificates.
set -eu
root=$1
certificates=$2

chroot "$root" groupadd --gid 1000 user
chroot "$root" useradd --uid 1000 --gid 1000 --groups sudo --create-home --shell /bin/bash user

# Both users write here, and what they make belongs to the group that both can use.
install -d -o 1000 -g 1000 -m 2775 "$root/workspace"

# Keys that all sandboxes share would be no keys.
rm -f "$root"/etc/ssh/ssh_host_*

# No service starts by itself: packages enabled theirs while they were installed.
rm -rf "$root"/etc/systemd/system/*.wants "$root"/etc/systemd/system/*.requires
find "$root/etc/systemd/system" -maxdepth 1 -type l -delete

# systemctl is the agent, also when systemd is installed later; its own goes aside.
for place in /bin /usr/bin; do
    chroot "$root" dpkg-divert --quiet --local --no-rename --divert "$place/systemctl.debian" --add "$place/systemctl"
done

for certificate in "$certificates"/*.crt; do
    [ -e "$certificate" ] || continue
    install -D -m 0644 -t "$root/usr/local/share/ca-certificates" "$certificate"
done
chroot "$root" update-ca-certificates

rm -rf "$root"/var/cache/debconf/*-old "$root"/var/lib/dpkg/*-old "$root"/etc/*- "$root"/var/log/*.log
