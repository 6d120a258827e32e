#!/bin/bash
# Runs the commands of a console block of a page, which start with "$ ", in a copy of the sample data, and compares all
# that they print: check_console.sh BLOCK-FILE SAMPLE-FOLDER COMMAND. A block may use files that the blocks before it on
# the same page made, so all before it run, too.
set -euo pipefail
block=$1
samples=$2
command=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/data"
ln -s "$command" "$folder/bin/lode"
cp "$samples"/* "$folder/data"
export PATH=$folder/bin:$PATH LC_ALL=C
cd "$folder/data"

# Runs the commands of a block. Prints the line of each, and then its output to both streams.
run_block() {
  local line ran=0
  while IFS= read -r line; do
    [[ $line == '$ '* ]] || continue
    printf '%s\n' "$line"
    bash -c "${line#'$ '}" </dev/null 2>&1 || true
    ran=$((ran + 1))
  done <"$1"
  ((ran > 0))
}

number=${block##*_}
for ((earlier = 1; earlier < ${number%.txt}; ++earlier)); do
  run_block "${block%_*}_$earlier.txt" >/dev/null
done
run_block "$block" | diff -u "$block" -
