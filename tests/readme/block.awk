# Prints the first block of README.md in a language; it is an error if there is none.
$0 == "```" language { if (!found) { inside = found = 1 } next }
/^```/ { inside = 0 }
inside { print }
END { exit !found }
