#!/bin/sh
# Compares what a program of README.md prints with its block of text: check_program.sh README PROGRAM
set -eu
expected=$(awk -v language=text -f "$(dirname "$0")/block.awk" "$1")
actual=$("$2")
[ "$actual" = "$expected" ] || {
  printf '%s prints\n%s\nbut README.md says\n%s\n' "$2" "$actual" "$expected" >&2
  exit 1
}
