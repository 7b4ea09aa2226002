#!/usr/bin/env bash
# A golden image: set up one sandbox, verify it, keep it as a template, give it to workers, and give new workers a newer one.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SANDGLASS_OUTPUT=table
say() { printf '\n# %s\n' "$*"; }
run() { printf '$ %s\n' "$*" && "$@"; }
file=$(mktemp --suffix=.yaml)
trap './sandglass fleet destroy example-workers --force > /dev/null 2>&1; ./sandglass rm -f example-builder; ./sandglass template rm -f example-golden; rm -f "$file"' EXIT

say "Create a sandbox and set it up"
run ./sandglass create --name example-builder --memory 256M
run ./sandglass exec example-builder 'printf "#!/bin/sh\necho version 1\n" > /usr/local/bin/tool && chmod 755 /usr/local/bin/tool'

say "Verify it, and keep it as a template"
run ./sandglass exec example-builder 'tool | grep -x "version 1"'
run ./sandglass template create example-golden --from-sandbox example-builder

say "Three workers begin with it"
printf 'name: example-workers\nmachines:\n  - {name: example-worker, count: 3, from: example-golden, memory: 256M}\n' > "$file"
run ./sandglass fleet create -f "$file"

say "A newer version takes the name; the workers that run keep theirs, and a new one has it"
run ./sandglass exec example-builder 'sed -i s/1$/2/ /usr/local/bin/tool'
run ./sandglass template create example-golden --from-sandbox example-builder
sed -i 's/count: 3/count: 4/' "$file"
run ./sandglass fleet create -f "$file"
for i in 1 2 3 4; do run ./sandglass exec example-worker-$i tool; done

say "Let all of them have it"
run ./sandglass fleet create -f "$file" --replace
for i in 1 2 3 4; do run ./sandglass exec example-worker-$i tool; done
