#!/bin/sh
# Runs a program of a page and compares what it prints: check_program.sh PROGRAM EXPECTED-FILE
set -eu
if [ ! -s "$2" ]; then
  echo "the page does not say what this program prints: a \`\`\`text block must follow it" >&2
  exit 1
fi
"$1" | diff -u "$2" -
