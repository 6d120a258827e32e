"""Draws results: SVG files and one self-contained HTML report.

RESULTS are folders as `lode-bench run` leaves them, or single JSON files of theirs, whatever these are called: what was
measured is told by the content, the machine by machine.json beside it or else by the file. FOLDER gets report.html and,
in a folder named like each of RESULTS, an SVG file for each figure. A figure whose results are absent is left out, and
the report names it.

Exit 0 where anything was drawn, 2 on errors."""

import importlib.util
import sys
from pathlib import Path

PACKAGES = {"matplotlib": "python3-matplotlib", "markdown": "python3-markdown"}


def add_arguments(parser):
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS",
                        help="folder of results, or a JSON file of them")
    parser.add_argument("--output", type=Path, default=Path("build/report"), metavar="FOLDER",
                        help="default %(default)s")


def draw(folder, figures):
    """Lists of (Figure, SVG) and of figures whose results are absent."""
    from figures import style
    drawn, absent = [], []
    for figure in figures:
        picture = figure.draw(folder)
        if picture:
            drawn.append((figure, style.to_svg(picture)))
        else:
            absent.append(figure)
    return drawn, absent


def write(folders, output):
    """The report and the SVG files; returns how many figures were drawn."""
    import figures
    import report
    sections = []
    for folder in folders:
        drawn, absent = draw(folder, figures.ALL)
        target = output / folder.name
        target.mkdir(parents=True, exist_ok=True)
        for figure in figures.ALL:
            (target / f"{figure.name}.svg").unlink(missing_ok=True)
        for figure, svg in drawn:
            (target / f"{figure.name}.svg").write_text(svg, encoding="utf-8")
        sections.append((folder, drawn, absent))
        print(f"{folder.name}: {len(drawn)} figures; without results: "
              + (", ".join(figure.name for figure in absent) or "none"), file=sys.stderr)
    (output / "report.html").write_text(report.page(sections), encoding="utf-8")
    return sum(len(drawn) for _, drawn, _ in sections)


def main(arguments):
    missing = [package for module, package in PACKAGES.items() if not importlib.util.find_spec(module)]
    if missing:
        print(f"lode-bench plot: {sys.executable} lacks {' and '.join(missing)}; on Debian: apt-get install "
              f"{' '.join(missing)}, then /usr/bin/python3 bench/lode-bench plot …", file=sys.stderr)
        return 2
    import result_folder
    try:
        folders = [result_folder.Folder(path) for path in arguments.results]
        if len({folder.name for folder in folders}) < len(folders):
            raise ValueError("two of the results have the same name")
        drawn = write(folders, arguments.output)
    except (OSError, ValueError, KeyError) as error:
        print(f"lode-bench plot: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    if not drawn:
        print("lode-bench plot: no figure has its results", file=sys.stderr)
        return 2
    print(f"lode-bench plot: {arguments.output / 'report.html'}", file=sys.stderr)
    return 0
