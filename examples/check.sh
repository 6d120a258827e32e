#!/bin/sh
# Runs one example and compares its output with the expected one: check.sh NAME FOLDER-OF-EXAMPLES
set -eu
name=$1
folder=$2

case $name in
count_words)
  actual=$("$folder/count_words" data/text.txt god Abraham "the LORD" xylophone)
  expected='1289	god
158	Abraham
2095	the LORD
0	xylophone'
  ;;
watch_stream)
  actual=$(printf 'ushers and their hushed shells' | "$folder/watch_stream" he she hers)
  expected='1	she
2	he
2	hers
12	he
19	she
20	he
24	she
25	he'
  ;;
saved_plan)
  plan=$(mktemp)
  trap 'rm -f "$plan"' EXIT
  "$folder/saved_plan" build data/phrases.txt "$plan"
  actual=$("$folder/saved_plan" search "$plan" data/text.txt)
  expected='13181 patterns, 533 matches
first at 504: in the midst of the'
  ;;
find_in_c)
  actual=$("$folder/find_in_c" "kitty and puppy" kitty puppy pup)
  expected='0	kitty
10	puppy
10	pup
3 matches'
  ;;
*)
  echo "check.sh: no example is called $name" >&2
  exit 2
  ;;
esac

if [ "$actual" != "$expected" ]; then
  printf '%s printed\n%s\ninstead of\n%s\n' "$name" "$actual" "$expected" >&2
  exit 1
fi
