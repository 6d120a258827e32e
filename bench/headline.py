"""The numbers that the report opens with: each the first that some folder of results has."""

from dataclasses import dataclass

import names
from figures import commands, records
from result_folder import engine_of


@dataclass(frozen=True)
class Number:
    value: str
    meaning: str
    machine: str


def against_ripgrep(folder):
    programs = commands.contests(folder).get("english-1000", {})
    if "times_lode_is_faster" in programs.get("rg", {}):
        yield Number(f"{names.plain(programs['rg']['times_lode_is_faster'])} ×",
                     "as fast as ripgrep, whole programs, 1 000 patterns", names.processor(folder))


def against_hyperscan(folder):
    for row in (folder.main_of("library") or {"rows": []})["rows"]:
        if row["name"] == "english-1000":
            lode = engine_of(row, "lode")
            if lode and row.get("best_peer") == "hyperscan":
                yield Number(f"{names.plain(lode['times_best_peer'])} ×", "as fast as Hyperscan, one thread, 1 000 patterns",
                             names.processor(folder))


def of_reading(folder):
    result = folder.gpu.find("cuda", "one-rare") if folder.gpu else None
    if result and result.share_of_read:
        yield Number(f"{names.percent(result.share_of_read)} %", "of the speed at which a GPU reads its memory, one rare word",
                     names.gpu(folder))


def against_strstr(folder):
    found, _ = records.panels(folder)
    few_hits = found.get("sparse", {}).get(records.LODE, {}).get(names.row("few-hits"))
    if few_hits:
        yield Number(f"{names.plain(few_hits)} ×", "as fast as strstr for each record and pattern, one thread, few hits",
                     names.processor(folder))


def to_prepare(folder):
    for row in (folder.main_of("library") or {"rows": []})["rows"]:
        if row["name"] == "build-1000000":
            for step in row["steps"]:
                if step["name"] == "plan, 1 thread":
                    yield Number(f"{names.plain(step['seconds']['median'])} s", "to prepare a million patterns, one thread",
                                 names.processor(folder))


ALL = (against_ripgrep, against_hyperscan, of_reading, against_strstr, to_prepare)


def numbers(folders):
    """As far as they were measured."""
    firsts = (next((number for folder in folders for number in find(folder)), None) for find in ALL)
    return [number for number in firsts if number]
