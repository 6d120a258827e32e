#!/usr/bin/env python3
"""Writes src/text/unicode_tables.cpp from the Unicode Character Database, as Debian's package unicode-data installs it.

    src/text/make_unicode_tables.py [/usr/share/unicode] > src/text/unicode_tables.cpp

The encodings of one byte a character are Python's own, which are Unicode's mapping files. The tables are lists of ranges and of mappings, small enough to be read. unicode.cpp makes tables of them for quick access
when a view is first used."""

import re
import sys
from pathlib import Path

UCD = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
LAST = 0x10FFFF


def rows(name):
    """The fields of each line of a file, without its comments."""
    for line in (UCD / name).read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields != [""]:
            yield fields


def span(field):
    first, _, last = field.partition("..")
    return int(first, 16), int(last or first, 16)


def property_ranges(name, wanted):
    return merged((*span(fields[0]), 1) for fields in rows(name) if fields[1] == wanted)


def merged(ranges):
    """Ranges (first, last, value) without gaps or overlaps between equal values."""
    result = []
    for first, last, value in sorted(ranges):
        if result and result[-1][1] + 1 >= first and result[-1][2] == value:
            result[-1] = (result[-1][0], max(last, result[-1][1]), value)
        else:
            result.append((first, last, value))
    return result


characters = {}  # code point -> fields of UnicodeData.txt
ranged = []
begin = None
for fields in rows("UnicodeData.txt"):
    code = int(fields[0], 16)
    if fields[1].endswith(", First>"):
        begin = code
    elif fields[1].endswith(", Last>"):
        ranged.append((begin, code, fields))
    else:
        characters[code] = fields


def category_ranges(*categories):
    singles = [(code, code, 1) for code, fields in characters.items() if fields[2].startswith(categories)]
    return merged(singles + [(first, last, 1) for first, last, fields in ranged if fields[2].startswith(categories)])


combining = merged((code, code, int(fields[3])) for code, fields in characters.items() if fields[3] != "0")

single = {}  # one step of decomposition: code point -> (is compatible only, code points)
for code, fields in characters.items():
    if fields[5]:
        tag, _, rest = fields[5].rpartition("> ")
        single[code] = (tag != "", [int(one, 16) for one in rest.split()])


def decomposed(code, compatible):
    if code not in single or (single[code][0] and not compatible):
        return [code]
    return [part for one in single[code][1] for part in decomposed(one, compatible)]


class_of = {code: int(fields[3]) for code, fields in characters.items()}


def ordered(codes):
    """Canonical ordering: what combines is sorted by its class, between starters."""
    result, run = [], []
    for code in codes:
        if class_of.get(code, 0) == 0:
            result += sorted(run, key=lambda one: class_of[one]) + [code]
            run = []
        else:
            run.append(code)
    return result + sorted(run, key=lambda one: class_of[one])


canonical = {code: ordered(decomposed(code, False)) for code in single if not single[code][0]}
compatible = {code: ordered(decomposed(code, True)) for code in single}
compatible = {code: mapped for code, mapped in compatible.items() if mapped != canonical.get(code)}

excluded = {code for fields in rows("DerivedNormalizationProps.txt") if fields[1] == "Full_Composition_Exclusion"
            for code in range(span(fields[0])[0], span(fields[0])[1] + 1)}
compositions = {code: mapping for code, (is_compatible, mapping) in single.items()
                if not is_compatible and len(mapping) == 2 and code not in excluded}

folds = {"C": {}, "S": {}, "F": {}}
for code, status, mapping, *_ in rows("CaseFolding.txt"):
    if status in folds:
        folds[status][int(code, 16)] = [int(one, 16) for one in mapping.split()]
simple = {code: mapping[0] for code, mapping in {**folds["C"], **folds["S"]}.items()}


def steps(mapping):
    """Ranges (first, last, stride, difference) of code points that move by the same difference."""
    result = []
    for code, to in sorted(mapping.items()):
        difference = to - code
        if result and result[-1][3] == difference:
            first, last, stride, _ = result[-1]
            if first == last and code - last <= 2 or code - last == stride:
                result[-1] = (first, code, code - last, difference)
                continue
        result.append((code, code, 1, difference))
    return result


version = re.search(r"(\d+\.\d+\.\d+)", (UCD / "CaseFolding.txt").read_text(encoding="utf-8").splitlines()[0]).group(1)


def hexadecimal(number):
    return f"0x{number:x}"


def print_rows(kind, name, lines):
    print(f"const {kind} {name}[] = {{")
    line = "   "
    for row in lines:
        if len(line) + len(row) + 1 > 118:
            print(line)
            line = "   "
        line += " " + row
    print(line)
    print("};")
    print(f"const std::size_t {name}_count = std::size({name});\n")


def print_ranges(name, ranges):
    print_rows("Range", name, [f"{{{hexadecimal(first)}, {hexadecimal(last)}, {value}}}," for first, last, value in ranges])


def print_mappings(name, mappings):
    """Each mapping is its code point, the number of those it becomes, and these."""
    print_rows("char32_t", name, [" ".join(f"{hexadecimal(number)}," for number in (code, len(mapped), *mapped))
                                  for code, mapped in sorted(mappings.items())])


print(f"""// Made by make_unicode_tables.py from the Unicode Character Database {version}. Do not edit.
// clang-format off
#include <iterator>

#include "text/unicode_tables.hpp"

namespace lode::text::tables {{

const char unicode_version[] = "{version}";
""")
print_ranges("white_space", property_ranges("PropList.txt", "White_Space"))
print_ranges("default_ignorable", property_ranges("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point"))
print_ranges("punctuation", category_ranges("P"))
print_ranges("marks", category_ranges("M"))
# Unicode's standard of regular expressions (UTS 18, annex C) says what \w is.
print_ranges("word_characters", merged(property_ranges("DerivedCoreProperties.txt", "Alphabetic") +
                                       category_ranges("M", "Nd", "Pc") +
                                       property_ranges("PropList.txt", "Join_Control")))
print_ranges("combining_classes", combining)
print_rows("FoldRange", "simple_folds", [f"{{{hexadecimal(first)}, {hexadecimal(last)}, {stride}, {difference}}},"
                                         for first, last, stride, difference in steps(simple)])
print_mappings("full_folds", folds["F"])
print_mappings("canonical_decompositions", canonical)
print_mappings("compatible_decompositions", compatible)
print_rows("Composition", "compositions", [f"{{{', '.join(map(hexadecimal, (*mapping, code)))}}},"
                                           for code, mapping in sorted(compositions.items())])
ENCODINGS = (["latin-1"] + [f"iso-8859-{part}" for part in range(1, 17) if part != 12] +
             [f"windows-{page}" for page in range(1250, 1259)] + ["koi8-r", "koi8-u"])
print("const SingleByteEncoding single_byte_encodings[] = {")
for encoding in ENCODINGS:
    print(f'    {{"{encoding}", {{')
    upper = [ord(bytes([byte]).decode(encoding, "replace")) for byte in range(0x80, 0x100)]
    for first in range(0, len(upper), 12):
        print("        " + " ".join(f"{hexadecimal(code)}," for code in upper[first:first + 12]))
    print("    }},")
print("};")
print("const std::size_t single_byte_encodings_count = std::size(single_byte_encodings);\n")
print("}  // namespace lode::text::tables")
