"""Tells which rows of two runs moved beyond the noise of their repetitions.

OLD and NEW are folders of results, or one JSON file each of the same kind. A row moved where the medians differ by more
than --noise and by more than the spread (slowest to fastest repetition) of either run. Speeds are compared, so rows
may be measured on texts of other sizes; memory is not compared.

Exit 0 where nothing is slower and nothing vanished, 1 where something is, 2 on errors."""

import sys
from pathlib import Path

import measurements
import result_folder


NOISE_PERCENT = 3.0


def add_arguments(parser):
    parser.add_argument("old", type=Path, help="results to compare with")
    parser.add_argument("new", type=Path, help="results that may have moved")
    parser.add_argument("--noise", type=float, default=NOISE_PERCENT, metavar="PERCENT",
                        help="least change of the median that counts; default %(default)s")


def read(path):
    """Name → Measurement of a folder or a file; and the kinds of results in it."""
    if path.is_dir():
        files = result_folder.Folder(path).files
        return ({f"{file}, {name}": one for file, (kind, content) in files.items()
                 for name, one in measurements.read(kind, content).items()}, {kind for kind, _ in files.values()})
    content = result_folder.read_json(path)
    kind = result_folder.kind_of(content)
    if not kind:
        raise ValueError(f"{path} holds no results")
    return measurements.read(kind, content), {kind}


def moved(old, new, noise):
    """How many times as fast the new one is, or None where that is noise. `noise`: a share."""
    ratio = new.median / old.median
    change = max(ratio, 1 / ratio) - 1
    return ratio if change > max(noise, old.spread, new.spread) else None


def compare(old, new, noise):
    """Lists of (name, times as fast, noise of both) slower and faster, of names vanished and appeared."""
    slower, faster = [], []
    for name in old.keys() & new.keys():
        ratio = moved(old[name], new[name], noise)
        if ratio:
            (slower if ratio < 1 else faster).append((name, ratio, old[name], new[name]))
    return (sorted(slower, key=lambda one: one[1]), sorted(faster, key=lambda one: -one[1]),
            [name for name in old if name not in new], [name for name in new if name not in old])


def speed(measurement):
    """GB/s of what has bytes; else seconds."""
    rate = measurement.median
    return f"{rate / 1e9:.4g} GB/s" if rate > 1e5 else f"{1 / rate:.4g} s"


def table(title, rows):
    cells = [("", "times", "old", "±", "new", "±")]
    cells += [(name, f"{ratio:.3f}", speed(old), f"{50 * old.spread:.1f} %", speed(new), f"{50 * new.spread:.1f} %")
              for name, ratio, old, new in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = [f"{title}: {len(rows)}"]
    for row in cells if rows else []:
        lines.append("  " + "  ".join(
            [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]).rstrip())
    return lines


def report(old, new, noise):
    slower, faster, vanished, appeared = compare(old, new, noise)
    lines = table("Slower", slower) + table("Faster", faster)
    for title, names in (("Vanished", vanished), ("Appeared", appeared)):
        lines += [f"{title}: {len(names)}", *(f"  {name}" for name in names)]
    both = len(old.keys() & new.keys())
    single = sum(min(len(old[name].rates), len(new[name].rates)) == 1 for name in old.keys() & new.keys())
    lines.append(f"Within the noise: {both - len(slower) - len(faster)} of {both} rows that both have")
    if single:
        lines.append(f"Of one repetition only, so that nothing is known of their noise: {single}")
    return lines, bool(slower or vanished)


def main(arguments):
    try:
        if arguments.old.is_dir() != arguments.new.is_dir():
            raise ValueError("a folder can be compared with a folder only, a file with a file")
        old, old_kinds = read(arguments.old)
        new, new_kinds = read(arguments.new)
        if not old_kinds & new_kinds:
            raise ValueError(f"{arguments.old} holds results of {', '.join(sorted(old_kinds))}, {arguments.new} of "
                             f"{', '.join(sorted(new_kinds))}: nothing can be compared")
    except (OSError, ValueError, KeyError) as error:
        print(f"lode-bench compare: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    lines, worse = report(old, new, arguments.noise / 100)
    print("\n".join(lines))
    return int(worse)
