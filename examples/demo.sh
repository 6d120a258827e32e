#!/usr/bin/env bash
# Shows what Lode does, and how fast, with the shipped text and patterns: demo.sh PATH-OF-LODE
set -euo pipefail
lode=$(readlink -f "$1")
cd "$(dirname "$0")/data"

bold='' plain=''
colour=never
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' plain=$'\e[0m'
  colour=always
fi

say() { printf '\n%s\n' "$*"; }
# Prints a command, then runs it. It prints lode without its path.
show() {
  printf '%s$ lode %s%s\n' "$bold" "$1" "$plain"
  eval '"$lode" --color=$colour '"$1"
}
# Prints the shortest time of ten runs of a command that writes into a pipe, in milliseconds.
shortest_ms() {
  local run begin end took best=''
  for run in 1 2 3 4 5 6 7 8 9 10; do
    begin=${EPOCHREALTIME/[.,]/}
    "$@" | cat >/dev/null
    end=${EPOCHREALTIME/[.,]/}
    took=$((end - begin))
    [[ -n $best && $best -le $took ]] || best=$took
  done
  printf '%d.%d' $((best / 1000)) $((best % 1000 / 100))
}

cat <<END
The text: five books of the King James Bible, $(wc -c <text.txt) bytes, one verse a line.
The patterns: all $(wc -l <phrases.txt) runs of five words in two letters that quote those books.
Which phrases of the letters stand in the books, and where?
END

say "How many lines hold one of the phrases?"
show '-c -f phrases.txt text.txt'

say "Three of these lines, with their numbers:"
show '-n -f phrases.txt text.txt | sed -n "200,202p"'

say "Where do phrases stand (line), which ones are they (pattern id), and what do they say?"
show '-n -o --pattern-id -f phrases.txt text.txt | sed -n "1,4p"'

say "Which phrases are the most frequent (count, pattern id, phrase)?"
show '--count-per-pattern -f phrases.txt text.txt | sort -rn | sed -n "1,4p"'

say "How fast is it? Every occurrence is counted 200 times in memory, and the answer is compared with that of a second,
independent implementation:"
show '--count-matches --iterations 200 --verify --stats -f phrases.txt text.txt 2>&1'

say "How long does a whole process take, from start to exit? This is the shortest of ten runs:"
ours=$("$lode" -c -f phrases.txt text.txt)
theirs=$(LC_ALL=C grep -c -F -f phrases.txt text.txt)
printf '%-40s %6s ms   %s lines\n' 'lode -c -f phrases.txt text.txt' \
  "$(shortest_ms "$lode" -c -f phrases.txt text.txt)" "$ours"
printf '%-40s %6s ms   %s lines\n' 'grep -c -F -f phrases.txt text.txt' \
  "$(LC_ALL=C shortest_ms grep -c -F -f phrases.txt text.txt)" "$theirs"
if [[ $ours != "$theirs" ]]; then
  echo "demo: lode and grep do not count the same lines" >&2
  exit 1
fi

say "The command is $lode; try its --help."
