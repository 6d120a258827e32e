"""What people read in figures and tables: names of rows and machines, numbers and spans of them."""

import re

UNITS = ("bytes", "KiB", "MiB", "GiB")
ROWS = {
    "one-rare": "one rare word",
    "one-frequent": "one frequent word (“ the ”)",
    "one-rare-ignore-case": "one rare word, any case",
    "one-frequent-ignore-case": "one frequent word, any case",
    "dense": "one letter",
    "dna-one": "one DNA 20-mer",
    "repeated-one": "one, in a text of one letter",
    "periodic-one": "one, in a periodic text",
    "english-1": "one word or phrase",
    "four-words": "four words of four bytes",
    "few-hits": "few hits",
    "english": "prose",
    "long-records": "records of 1 MiB",
    "letters": "16 letters",
    "one-long-record": "one long record",
    "worst-repeated": "one letter, 16-byte pattern",
    "worst-repeated-long": "one letter, 64-byte pattern",
    "worst-periodic": "periodic text",
    "worst-every-byte": "a match at every byte",
    "worst-nearly-repeated": "nearly one letter, 1 pattern",
    "worst-nearly-repeated-100": "nearly one letter, 99 patterns",
    "worst-four-letters": "DNA, eight letters",
    "worst-common-prefix": "1 000 with a common prefix",
    "worst-many-lengths": "200 of 200 lengths",
}
# The number that each catches is written with its thousands apart.
FAMILIES = {
    r"one-(\d+)": "one pattern of {} bytes",
    r"english(?:-8-20)?-(\d+)": "{} words and phrases",
    r"english(?:-8-20)?-(\d+)-ignore-case": "{} words and phrases, any case",
    r"english(?:-8-20)?-(\d+)-and-one-of-2": "{}, and one of 2 bytes",
    r"english-(\d+)-absent": "{} that do not occur",
    r"phrases-12-32-(\d+)": "{} rare phrases",
    r"common-prefix-(\d+)": "{} with a common prefix",
    r"common-suffix-(\d+)": "{} with a common suffix",
    r"one-letter-(\d+)": "{} of one letter",
    r"dna-(\d+)": "{} DNA 20-mers",
    r"dna-reads-(\d+)": "{} DNA 20-mers in reads",
    r"random-(\d+)": "{} in random bytes",
    r"log-(\d+)": "{} names in logs",
    r"build-(\d+)": "{} patterns compiled",
    r"(\d+)-percent": "{} % of the records match",
    r"short-records-(\d+)": "short records, {} of 8 bytes",
}
MODELS = {"find": "listing", "stream": "stream", "records": "each line"}
NARROW_SPACE = "\u202f"  # lines are not broken at it


def grouped(value):
    """1000000 → 1 000 000, with narrow spaces; no needless zeros."""
    return f"{value:,.0f}".replace(",", NARROW_SPACE) if value >= 1000 else f"{value:g}"


def row(name):
    """What a row is called; an unknown one has its own words."""
    if name in ROWS:
        return ROWS[name].replace("1 000", grouped(1000))
    model, _, rest = name.partition("-")
    if model in MODELS:
        return f"{MODELS[model]}: {row(rest)}"
    for pattern, text in FAMILIES.items():
        match = re.fullmatch(pattern, name)
        if match:
            return text.format(grouped(int(match.group(1))))
    return name.replace("-", " ")


def row_with_id(name):
    """The same for a table, which also says what the row is called in its definition."""
    return f"{row(name)} (`{name}`)"


def size(value):
    """1048576 → 1 MiB."""
    power = min(int(value).bit_length() // 10, len(UNITS) - 1) if value >= 1 else 0
    power -= value < 1024**power
    return f"{value / 1024**power:g}{NARROW_SPACE}{UNITS[power]}"


def plain(value):
    """With two digits, or all of those before the point."""
    return grouped(round(value)) if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def percent(value):
    return f"{100 * value:.0f}" if value >= 0.01 else f"{100 * value:.1f}"


def span(values, write=plain):
    """From the least to the most, as it is read."""
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low} to {high}"


def processor(folder):
    """And its cores, as far as they are known; the makers' marks left out."""
    name = re.sub(r"\((R|TM)\)|\bProcessor\b", "", folder.machine.get("processor", "")).split()
    cores = folder.machine.get("cores")
    return ", ".join(filter(None, [" ".join(name), f"{cores} cores" if cores else ""])) or "an unknown processor"


def machine(folder):
    """In one word: what its results are about."""
    return gpu(folder) if folder.gpu else processor(folder)


def gpu(folder):
    known = [folder.machine.get("gpu"), *folder.machine.get("devices", {}).values()]
    return next(filter(None, known), "a GPU")
