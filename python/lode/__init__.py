"""Lode finds every exact occurrence of one or of a million byte patterns, on CPUs and GPUs.

>>> import lode
>>> searcher = lode.Searcher(["he", "she", "hers"])
>>> searcher.find("ushers").tolist()
[(1, 1, 3), (2, 0, 2), (2, 2, 4)]

Patterns and texts are bytes. A str is searched as UTF-8, and all offsets are of bytes; `code_point_offsets` turns them
into indexes of a str. Every occurrence is reported, also those that overlap, unless a match kind or a condition drops
some. They are sorted by offset, then pattern. Searches release the GIL, use all cores, and Ctrl-C ends them with
KeyboardInterrupt.
"""

from lode._boolean_column import BooleanColumn
from lode._code_points import code_point_offsets
from lode._devices import Algorithm, DeviceInfo, algorithms, devices, open_device
from lode._errors import Error, InputOutputError, InvalidArgumentError
from lode._lode import (
    Device,
    PatternSet,
    Plan,
    Records,
    ResidentRecords,
    ResidentText,
    cpu_instruction_sets,
    version,
    view_text,
)
from lode._results import FormMatch, Match, RecordMatches, SparseHits, form_match_dtype, form_names, match_dtype
from lode._searcher import Searcher, compile

__version__: str = version()

__all__ = [
    "Algorithm",
    "BooleanColumn",
    "Device",
    "DeviceInfo",
    "Error",
    "FormMatch",
    "InputOutputError",
    "InvalidArgumentError",
    "Match",
    "PatternSet",
    "Plan",
    "RecordMatches",
    "Records",
    "ResidentRecords",
    "ResidentText",
    "Searcher",
    "SparseHits",
    "algorithms",
    "code_point_offsets",
    "compile",
    "cpu_instruction_sets",
    "devices",
    "form_match_dtype",
    "form_names",
    "match_dtype",
    "open_device",
    "version",
    "view_text",
]

# The compiled classes name the package as their module, so that pickles, messages and help() do not name lode._lode.
for _class in (BooleanColumn, Device, PatternSet, Plan, Records, ResidentRecords, ResidentText):
    _class.__module__ = "lode"
del _class
