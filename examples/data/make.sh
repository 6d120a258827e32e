#!/bin/sh
# Makes text.txt and phrases.txt again from Debian's packages bible-kjv and bible-kjv-text.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"

# Prints the verses of a book, one on each line: BOOK-ABBREVIATION CHAPTER VERSE TEXT.
verses() {
  bible -f "$1:1-$2:999" | sed -nE 's/^([0-9A-Za-z]+[A-Za-z])([0-9]+):([0-9]+) +(.*[^ ]) *$/\1 \2 \3 \4/p'
}

# The text is five books. Each chapter has a heading, and each verse is a line.
book() {
  verses "$2" "$3" | awk -v name="$1" '
    $2 != chapter { chapter = $2; print name " " chapter }
    { sub(/^[^ ]+ [^ ]+ [^ ]+ /, ""); print }'
}
{
  book Genesis gen1 50
  book Exodus exo1 40
  book Deuteronomy deu1 34
  book Psalms psa1 150
  book Isaiah isa1 66
} >text.txt

# The patterns are all runs of five words in two letters, which quote those books often. Each stands once, in order of
# appearance.
{
  verses rom1 16
  verses heb1 13
} | awk '{
  for (word = 4; word + 4 <= NF; ++word) {
    phrase = $word " " $(word + 1) " " $(word + 2) " " $(word + 3) " " $(word + 4)
    sub(/[.,:;?!)]+$/, "", phrase)
    sub(/^\(/, "", phrase)
    if (!(phrase in seen)) { seen[phrase] = 1; print phrase }
  }
}' >phrases.txt
