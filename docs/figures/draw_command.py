#!/usr/bin/env python3
"""Draws docs/figures/command.svg: a terminal in which `lode` searches the sample data.

    python3 docs/figures/draw_command.py LODE             # LODE: the built command, build/release/bin/lode
    python3 docs/figures/draw_command.py LODE --check     # draws nothing; exit 1 where the picture would change

The commands below are run in examples/data, and what they print is drawn as it comes, in the colours that `lode` asks
for. Draw the picture anew when the output of `lode` changes; the same output gives the same bytes. One file serves both
light and dark pages: the reader's colour scheme decides.

Every run of characters has its column and its width (textLength), so that nothing shifts in another monospaced font.
"""

import html
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SAMPLES = FOLDER.parent.parent / "examples" / "data"
PICTURE = FOLDER / "command.svg"

COMMANDS = (
    ("Which lines, and which pattern?", "lode -n --pattern-id -m 2 -e light -e 'the darkness' text.txt"),
    ("A list of 13 181 phrases", "lode -n -o --pattern-id -m 3 -f phrases.txt text.txt"),
    ("The most frequent of them", "lode --count-per-pattern --nonzero -f phrases.txt text.txt | sort -rn | head -n 3"),
)

COLUMN_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN, BAR_HEIGHT = 8.4, 21, 14, 18, 28  # pixels
TAB_COLUMNS = 8
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

# What is drawn: colour on light, colour on dark, more CSS.
CLASSES = {
    "window": ("#f6f8fa", "#161b22", ""),
    "bar": ("#e4e8ed", "#262c36", ""),
    "dot": ("#b6bec8", "#4b535d", ""),
    "text": ("#1f2328", "#e6edf3", ""),
    "comment": ("#59636e", "#9198a1", "; font-style: italic"),
    "prompt": ("#59636e", "#9198a1", ""),
    "command": ("#1f2328", "#e6edf3", "; font-weight: 700"),
    "match": ("#cf222e", "#ff7b72", "; font-weight: 700"),
    "number": ("#116329", "#7ee787", ""),
    "separator": ("#0f6b73", "#76e3ea", ""),
}
CLASS_OF_COLOUR = {"01;31": "match", "32": "number", "36": "separator", "": "text"}


def output_of(lode, command):
    """What the command writes on a terminal. Into a pipe `lode` writes colours only when asked."""
    environment = {**os.environ, "LODE": str(lode), "LC_ALL": "C.UTF-8"}
    environment.pop("NO_COLOR", None)
    program = f'set -o pipefail; lode() {{ "$LODE" --color=always "$@"; }}\n{command}'
    done = subprocess.run(["bash", "-c", program], cwd=SAMPLES, env=environment, text=True, capture_output=True,
                          check=False)
    # `head` ends before `sort` has written all, which SIGPIPE may then end.
    if done.returncode not in (0, 128 + signal.SIGPIPE) or done.stderr:
        sys.exit(f"{command}: exit status {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def runs_of(line):
    """(class, characters) of a line with escape sequences, and tabs filled up with blanks."""
    runs, current, column = [], "text", 0
    for part in re.split(r"(\x1b\[[0-9;]*[mK])", line):
        if part.startswith("\x1b"):
            current = CLASS_OF_COLOUR[part[2:-1]] if part.endswith("m") else current
            continue
        filled = ""
        for character in part:
            filled += " " * (TAB_COLUMNS - (column + len(filled)) % TAB_COLUMNS) if character == "\t" else character
        column += len(filled)
        runs += [(current, filled)] if filled else []
    return runs


def draw(lines):
    """The SVG of lines, each of which is a list of (class, characters)."""
    columns = max(sum(len(characters) for _, characters in line) for line in lines)
    width = round(columns * COLUMN_WIDTH + 2 * MARGIN)
    height = BAR_HEIGHT + len(lines) * LINE_HEIGHT + 2 * MARGIN
    light = "\n".join(f"    .{name} {{ fill: {colours[0]}{colours[2]} }}" for name, colours in CLASSES.items())
    dark = "\n".join(f"      .{name} {{ fill: {colours[1]} }}" for name, colours in CLASSES.items())
    size = f'width="{width}" height="{height}"'
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" role="img">',
           "  <title>lode in a terminal, searching the sample data</title>",
           "  <style>",
           f"    text {{ font: {FONT_SIZE}px {FONTS}; white-space: pre }}",
           light, "    @media (prefers-color-scheme: dark) {", dark, "    }", "  </style>",
           f'  <clipPath id="frame"><rect {size} rx="8"/></clipPath>',
           f'  <g clip-path="url(#frame)"><rect class="window" {size}/>'
           f'<rect class="bar" width="{width}" height="{BAR_HEIGHT}"/></g>']
    svg += [f'  <circle class="dot" cx="{MARGIN + 18 * dot}" cy="{BAR_HEIGHT / 2:g}" r="5"/>' for dot in range(3)]
    for number, line in enumerate(lines):
        y, column = BAR_HEIGHT + MARGIN + number * LINE_HEIGHT + FONT_SIZE, 0
        for name, characters in line:
            x, length = MARGIN + column * COLUMN_WIDTH, len(characters) * COLUMN_WIDTH
            column += len(characters)
            svg.append(f'  <text class="{name}" x="{x:.1f}" y="{y}" textLength="{length:.1f}" lengthAdjust='
                       f'"spacingAndGlyphs" xml:space="preserve">{html.escape(characters, quote=False)}</text>')
    return "\n".join([*svg, "</svg>\n"])


def main(lode, check=""):
    lines = []
    for comment, command in COMMANDS:
        lines += [[]] if lines else []
        lines += [[("comment", f"# {comment}")], [("prompt", "$ "), ("command", command)]]
        lines += map(runs_of, output_of(Path(lode).resolve(), command))
    if not check:
        PICTURE.write_text(draw(lines), encoding="utf-8")
    elif PICTURE.read_text(encoding="utf-8") != draw(lines):
        sys.exit(f"{PICTURE} shows other output than {lode} has now. {Path(__file__).name} {lode} draws it anew.")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
