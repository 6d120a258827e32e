# Takes the examples out of a Markdown file: awk -v folder=OUT -f extract.awk PAGE.md
#
# A ```cpp or ```c block with a main function becomes program_N.cpp or .c. What it prints is the next ```text block, or
# where another program comes first, the last ```text block before it. A ```console block becomes console_N.txt.
function finish_block() {
  if ((kind == "cpp" || kind == "c") && block ~ /int main/) {
    ++programs
    path = folder "/program_" programs "." kind
    printf "%s", block > path
    close(path)
    if (expected != "") {
      for (program = 1; program < programs; ++program) waiting[program] = 0
      write_expected(programs)
    }
    waiting[programs] = 1
  } else if (kind == "text") {
    expected = block
    for (program = 1; program <= programs; ++program) {
      if (waiting[program]) write_expected(program)
      waiting[program] = 0
    }
  } else if (kind == "console") {
    path = folder "/console_" ++consoles ".txt"
    printf "%s", block > path
    close(path)
  }
}
function write_expected(program) {
  path = folder "/program_" program ".expected"
  printf "%s", expected > path
  close(path)
}
/^```/ {
  if (inside) {
    finish_block()
    inside = 0
  } else {
    inside = 1
    kind = substr($0, 4)
    block = ""
  }
  next
}
inside { block = block $0 "\n" }
