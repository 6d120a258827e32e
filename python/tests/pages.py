"""Reads the examples of a page: blocks of code with a mark behind the language, and their output in the block below."""

from __future__ import annotations

import re
from pathlib import Path


def examples_of(page: Path, mark: str) -> list[tuple[str, str, str]]:
    """Yields (language, source, expected output) for each block with this mark."""
    blocks = re.findall(r"^```(\w+) ?(\w*)\n(.*?)^```$", page.read_text(), re.M | re.S)
    examples = []
    for (language, marked, source), (follower, _, expected) in zip(blocks, blocks[1:]):
        if marked == mark:
            assert follower == "text", "what a program prints must follow it"
            examples.append((language, source, expected))
    return examples
