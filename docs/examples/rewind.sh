#!/usr/bin/env bash
# Checkpoint, try, rewind: an agent keeps what works, breaks something, and goes back; then copies try two ways at once.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SANDGLASS_OUTPUT=table
say() { printf '\n# %s\n' "$*"; }
run() { printf '$ %s\n' "$*" && "$@"; }
trap './sandglass rm -f example-agent example-try-1 example-try-2 > /dev/null 2>&1; ./sandglass snapshot rm -f example-works > /dev/null 2>&1' EXIT

say "Something that works, and a checkpoint of it"
run ./sandglass create --name example-agent --memory 512M
run ./sandglass exec example-agent 'echo "print(6 * 7)" > /workspace/program.py'
run ./sandglass exec example-agent 'python3 /workspace/program.py'
run ./sandglass snapshot create example-agent --name example-works --disk-only

say "A try that goes wrong"
run ./sandglass exec example-agent 'rm -rf /usr/lib/python3* && echo nonsense > /workspace/program.py'
run ./sandglass exec example-agent 'python3 /workspace/program.py 2>&1 | grep ^Fatal'
run ./sandglass diff example-works example-agent | grep workspace

say "Back to the checkpoint: the same sandbox, under the same name"
run ./sandglass rewind example-agent example-works
run ./sandglass exec example-agent 'python3 /workspace/program.py'

say "Two ways at once: the one that works is kept"
run ./sandglass race example-agent --name example-try -- sh -c 'test $SANDGLASS_BRANCH = 2 && echo found > /workspace/answer'
run ./sandglass exec example-try-2 cat /workspace/answer
