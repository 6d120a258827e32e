#!/bin/bash
# Runs every command ("$ …") of README.md's console blocks in a copy of examples/data and compares what it prints with
# the lines below it: check_commands.sh README FOLDER-OF-LODE
set -euo pipefail
readme=$1
PATH=$2:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$(dirname "$readme")"/examples/data/*.txt "$folder"

checked=0 failed=0 command='' expected=''
check() {
  [[ -n $command ]] || return 0
  local actual
  actual=$(cd "$folder" && bash -c "$command") || true
  checked=$((checked + 1))
  if [[ $actual != "${expected%$'\n'}" ]]; then
    printf '%s\nprints\n%s\nbut README.md says\n%s\n' "$command" "$actual" "${expected%$'\n'}" >&2
    failed=$((failed + 1))
  fi
}

while IFS= read -r line; do
  if [[ $line == '$ '* ]]; then
    check
    command=${line#'$ '} expected=''
  else
    expected+=$line$'\n'
  fi
done < <(awk '/^```console$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$readme")
check

((checked >= 10)) || {
  echo "only $checked commands were found in $readme" >&2
  exit 1
}
((failed == 0))
