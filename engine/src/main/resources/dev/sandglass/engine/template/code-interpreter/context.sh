# SPDX-License-Identifier: Apache-2.0
# Runs what it is told in base64, a line each, in one shell; tells the status of each. An interrupt ends what runs, not the shell.
trap : INT
__requests=$1 __answers=$2
set --
while IFS= read -r __code <&$__requests; do
  __code=$(printf %s "$__code" | base64 -d; printf x)
  eval "${__code%x}" </dev/null
  printf '%s\n' $? >&$__answers
done
