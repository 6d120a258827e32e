"""The repetitions of every measurement in a file of results, under names that are the same from run to run."""

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Measurement:
    """`rates`: of each repetition, bytes a second, or runs a second where no bytes are counted."""
    rates: tuple

    @property
    def spread(self):
        """From the slowest to the fastest repetition, as a share of the median."""
        return (max(self.rates) - min(self.rates)) / self.median

    @property
    def median(self):
        return median(self.rates)


def _measured(seconds, size_bytes=1):
    return Measurement(tuple(size_bytes / value for value in seconds))


def _library(content):
    for row in content["rows"]:
        for engine in row.get("engines", []):
            if "seconds" in engine:
                name = f"{row['name']}: {engine['name']}, {engine['threads']} threads"
                yield name.replace(" 1 threads", " 1 thread"), _measured(engine["seconds"]["all"], engine["bytes"])
        for step in row.get("steps", []):
            yield f"{row['name']}: {step['name']}", _measured(step["seconds"]["all"])


def _threads(row, size_bytes):
    where = f", {row['where']}" if "where" in row else ""
    for threads, one in row["threads"].items():
        yield f"threads, {row['name']}{where}: {threads}", _measured(one["seconds"]["all"], size_bytes)


def _commands(content):
    for row in content["contests"]:
        for name, result in row["programs"].items():
            if "seconds" in result:
                yield f"{row['name']}: {name}", _measured(result["seconds"]["all"], row["text_bytes"])
    for row in content.get("thread_scaling", []):
        yield from _threads(row, row["text_bytes"])
    for row in content.get("start_up", []):
        yield f"start-up: {row['name']}", _measured(row["seconds"]["all"])


def _scaling(content):
    for row in content:
        yield from _threads(row, row["text_bytes"])


def _records(content):
    for row in content["workloads"]:
        for one in row["contestants"]:
            if one.get("seconds"):
                # What memset writes is told by its speed only.
                size_bytes = one.get("bytes") or one["gigabytes_per_second"] * 1e9 * median(one["seconds"])
                yield f"{row['name']}: {one['name']}, {one['place']}, {one['output']}", _measured(one["seconds"],
                                                                                                  size_bytes)


def _gpu(content):
    for raw in content["results"]:
        if raw.get("seconds"):
            yield f"{raw['row']}: {raw['algorithm']}, {raw.get('mode', 'count')}", _measured(raw["seconds"],
                                                                                            raw["text_bytes"])


READERS = {"library": _library, "commands": _commands, "scaling": _scaling, "records": _records, "gpu": _gpu,
           "gpu-experiments": _gpu}


def read(kind, content):
    """Name → Measurement, in the order of the file."""
    return dict(READERS[kind](content))
