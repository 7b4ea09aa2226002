#!/usr/bin/env bash
# A fleet: machines that a file describes, what happens when one of them fails, and how the file is followed when it changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SANDGLASS_OUTPUT=table
say() { printf '\n# %s\n' "$*"; }
run() { printf '$ %s\n' "$*" && "$@"; }
directory=$(mktemp -d)
trap './sandglass fleet destroy example-team --volumes --force > /dev/null 2>&1; rm -rf "$directory"' EXIT

say "A file: two that serve, with a directory that they share, and one that works"
echo 'GREETING=hello from a file' > "$directory/web.env"
cat > "$directory/team.yaml" <<'END'
name: example-team
machines:
  - name: example-web
    count: 2
    memory: 256M
    env_file: web.env
    volumes: [{name: example-shelf, path: /shelf, mode: shared, size: 64M}]
    services: [{name: web, command: exec python3 -m http.server 8080 --directory /shelf, port: 8080}]
  - name: example-worker
    memory: 256M
    policy: none
    provision:
      - {name: ready, install: "test -e /srv/allowed && touch /srv/ready"}
END
cat "$directory/team.yaml"

say "Make it: one component fails, the others are made all the same"
run ./sandglass fleet create -f "$directory/team.yaml" || echo "(ended with $?)"

say "Mend what it needs, and run it again: it finishes that one and leaves the others alone"
run ./sandglass exec example-worker touch /srv/allowed
run ./sandglass fleet create -f "$directory/team.yaml"
run ./sandglass exec example-web-1 'echo "$GREETING" > /shelf/index.html'
run ./sandglass exec example-web-2 'until curl -fsS http://127.0.0.1:8080/; do sleep 0.1; done'

say "Change the file: one server less, and more memory"
sed -i 's/count: 2/count: 1/; s/256M/300M/' "$directory/team.yaml"
run ./sandglass fleet create -f "$directory/team.yaml" --prune
run ./sandglass fleet ls example-team
