#!/usr/bin/env bash
# A service with a route: a program that starts with its sandbox, reached from outside by a link that expires.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SANDGLASS_OUTPUT=table
say() { printf '\n# %s\n' "$*"; }
run() { printf '$ %s\n' "$*" && "$@"; }
trap './sandglass rm -f example-shop > /dev/null' EXIT

say "A sandbox with a program that it supervises"
run ./sandglass create --name example-shop --memory 256M
run ./sandglass exec example-shop 'echo "it works" > /srv/index.html'
run ./sandglass service create example-shop web --port 8080 --health-path / -- python3 -m http.server 8080 --directory /srv
run ./sandglass exec example-shop 'until curl -fsS -o /dev/null http://127.0.0.1:8080/; do sleep 0.1; done'

say "A route lets requests in, who has a link"
run ./sandglass route create example-shop web --port 8080
link=$(./sandglass route link example-shop web --expires 1h -q)
run curl -fsS "$link"
run curl -sS -o /dev/null -w 'without the link: %{http_code}\n' "${link%%\?*}"

say "It starts again with its sandbox"
run ./sandglass stop example-shop
run ./sandglass start example-shop
run ./sandglass exec example-shop 'until curl -fsS http://127.0.0.1:8080/; do sleep 0.1; done'
