"""How a module of figures says which there are."""

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Figure:
    """`draw` takes a result_folder.Folder; returns a matplotlib figure, or None where the results lack what it needs.

    name: of its file; question: which it answers, and its heading; needs: what must have been measured; caption: how to
    read it. The answer stands in the picture, made of the results."""
    name: str
    question: str
    needs: str
    caption: str
    draw: Callable


def figure(figures, name, question, needs, caption):
    """Decorates a function that draws; puts it into the list `figures`."""
    def register(draw):
        figures.append(Figure(name, question, needs, caption, draw))
        return draw
    return register
