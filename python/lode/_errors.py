"""The exceptions of lode: one class with a kind, and two subclasses for the kinds that Python has a class for."""

from __future__ import annotations


class Error(Exception):
    """Raised if the library refuses or fails to do something. The message says why and, if it can, what to do.

    kind: one of 'invalid_argument', 'invalid_pattern', 'unsupported', 'limit', 'damaged_plan', 'input_output',
    'device', 'cancelled'. Where another library raises the error anew, as polars does to add a line to the message, the
    kind is that of the class, which is empty for Error itself.
    """

    _kind_of_class = ""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind or self._kind_of_class

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return (make_error, (self.kind, self.args[0]))


class InvalidArgumentError(Error, ValueError):
    """An Error of the kind 'invalid_argument' or 'invalid_pattern'. It is a ValueError, too."""

    _kind_of_class = "invalid_argument"


class InputOutputError(Error, OSError):
    """An Error of the kind 'input_output': a file or a stream cannot be read or written. It is an OSError, too."""

    _kind_of_class = "input_output"


_classes: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgumentError,
    "invalid_pattern": InvalidArgumentError,
    "input_output": InputOutputError,
}


def make_error(kind: str, message: str) -> Error:
    """Makes the exception for an error of the library."""
    return _classes.get(kind, Error)(message, kind)
