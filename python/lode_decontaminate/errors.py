"""The error that the user gets: its message names the file at fault, or the option, in one line."""

from lode_table.files import Refusal, blaming

__all__ = ["Refusal", "blaming"]
