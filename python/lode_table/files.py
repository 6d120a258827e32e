"""Reads and writes files of tables, as `lode-table` does, for other commands of this package.

It loads pyarrow, so that `lode_table` itself does not import it.
"""

from lode._table_command.discovery import Files, TableFile, files_of, format_in, is_within, told_left_out
from lode._table_command.endings import rename, temporary_file, watch
from lode._table_command.errors import Refusal, blaming, guarded
from lode._table_command.formats import compression_of, ending_of, endings
from lode._table_command.json_lines import Line, object_of
from lode._table_command.json_objects import CheckedObjects
from lode._table_command.layouts import Layout
from lode._table_command.readers import Sizes, Source, open_source
from lode._table_command.writers import BatchWriter, Sink, output_file

__all__ = [
    "BatchWriter",
    "CheckedObjects",
    "Files",
    "Layout",
    "Line",
    "Refusal",
    "Sink",
    "Sizes",
    "Source",
    "TableFile",
    "blaming",
    "compression_of",
    "ending_of",
    "endings",
    "files_of",
    "format_in",
    "guarded",
    "is_within",
    "object_of",
    "open_source",
    "output_file",
    "rename",
    "temporary_file",
    "told_left_out",
    "watch",
]
