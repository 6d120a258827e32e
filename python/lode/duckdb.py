"""Searches columns of DuckDB: functions of SQL that search for the patterns of a searcher.

It needs duckdb and pyarrow, which the extra `duckdb` brings.

>>> import lode, lode.duckdb
>>> import duckdb
>>> connection = duckdb.connect()
>>> lode.duckdb.register(connection, lode.Searcher(["kitty", "puppy"]), "animals")
>>> connection.sql("select animals_count(text) from (values ('kitty and puppy'), (null)) as t(text)").fetchall()
[(2,), (None,)]
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import duckdb
import numpy as np
import pyarrow as pa

from lode._column_answers import Answer, answer_column, answers, require_searcher, type_of
from lode._errors import make_error
from lode._rewriting import require_utf8
from lode._searcher import Searcher

_most_retired = 4
_sql_types = {pa.bool_(): "BOOLEAN", pa.int64(): "BIGINT", pa.int32(): "INTEGER", pa.string(): "VARCHAR"}


def register(connection: Any, searcher: Searcher, name: str) -> None:
    """Gives a connection functions of SQL that search columns of VARCHAR, BLOB or ENUM. NULL gives NULL.

    NAME_contains(text)              BOOLEAN: whether any pattern occurs
    NAME_count(text)                 BIGINT: the number of matches
    NAME_first(text)                 STRUCT("offset" BIGINT, "pattern" INTEGER, "length" INTEGER): the first match, as
                                     `Searcher.find_first` gives it, in bytes; NULL if there is none. "label" VARCHAR
                                     follows if patterns have labels, and "form" VARCHAR, one of `lode.form_names`, if
                                     they have forms
    NAME_matches(text)               a list of these: all matches
    NAME_replace(text, replacement)  the text with the replacement in the place of each match, as `Searcher.replace`
                                     gives it; VARCHAR, or BLOB if the text is. If patterns have replacements of their
                                     own, there is also NAME_replace(text)
    NAME_mask(text, character)       the text with the character in the place of each byte of a match, as the argument
                                     `mask` of `Searcher.replace` says

    connection  a DuckDBPyConnection, or the module duckdb for its default connection
    searcher    a Searcher. DuckDB calls it from its own threads, so one with threads=1 is enough
    name        what the functions' names begin with: ASCII letters, digits and underscores. Functions that an earlier
                call gave to this connection under the name are replaced; queries that run go on with the old ones

    All connections to the same database have the functions, until the database is closed. The searcher stays in memory
    until it is unregistered, or the process ends.

    Raises TypeError if this is not a connection, a searcher or a name; lode.Error of kind 'invalid_argument' for a name
    of other characters, if a function is called so already, and within a transaction. A query raises duckdb.Error for a
    value that is not text, and for a replacement that `Searcher.replace` refuses.
    """
    require_searcher(searcher)
    _require_name(name)
    connection = _connection_of(connection)
    with _lock:
        names = _registered.setdefault(connection, {})
        functions = _take(searcher)
        try:
            _require_free(connection, functions.names(name), names[name.lower()].left if name.lower() in names else [])
            if name.lower() in names:
                _remove(connection, names, name.lower())
            _create(connection, functions, name)
        except BaseException:
            _release(functions)
            raise
        names[name.lower()] = _Registration(functions, functions.names(name))


def unregister(connection: Any, name: str) -> None:
    """Takes the functions away that `register` gave to this connection, and lets go of their searcher.

    Other connections to the same database lose them, too. Queries that run go on, because the last four searchers that
    were unregistered are kept. A query that needs an earlier one ends with an error.

    Raises lode.Error of kind 'invalid_argument' if this connection registered nothing of this name.
    """
    _require_name(name)
    connection = _connection_of(connection)
    with _lock:
        names = _registered.get(connection, {})
        if name.lower() not in names:
            raise make_error("invalid_argument", f"this connection has registered nothing as {name!r}")
        _remove(connection, names, name.lower())


class _Function(NamedTuple):
    """A function of SQL with one list of parameters; None stands for one parameter of any type."""

    ending: str
    parameters: list[str] | None
    result: str
    call: Callable[..., Any]


class _Functions:
    """The functions of a searcher.

    DuckDB may call a function that it no longer holds: in a query that runs while the function is removed, or on
    another connection after the one that registered it was closed. That would end the process if the function were
    gone. So these objects, which are small, stay until the process ends. The searcher, which may be large, can go.
    """

    def __init__(self, searcher: Searcher) -> None:
        self.searcher: Searcher | None = searcher
        self.registrations = 0
        self.all = [*self._searches(searcher), *self._rewritings(searcher)]

    def names(self, name: str) -> list[str]:
        """What the functions are called if they are registered as `name`."""
        return list(dict.fromkeys(f"{name}_{function.ending}" for function in self.all))

    def _searches(self, searcher: Searcher) -> Iterator[_Function]:
        for answer in answers:
            yield _Function(answer, None, _sql_type(type_of(searcher, answer)), self._search_of(answer))

    def _search_of(self, answer: Answer) -> Callable[[Any], Any]:
        return lambda text: answer_column(self._held(), text, answer)

    def _rewritings(self, searcher: Searcher) -> Iterator[_Function]:
        for type in ("VARCHAR", "BLOB"):
            if searcher.patterns.has_replacements:
                yield _Function("replace", [type], type, lambda text: self._rewrite(text))
            yield _Function("replace", [type, type], type, self._replace)
            yield _Function("mask", [type, "VARCHAR"], type, self._mask)

    # These have no annotations, because DuckDB would take them for types of SQL.
    def _replace(self, text, replacement):  # type: ignore[no-untyped-def]
        return _of_each_value(text, replacement, lambda rows, value: self._rewrite(rows, replacement=value))

    def _mask(self, text, character):  # type: ignore[no-untyped-def]
        return _of_each_value(text, character, lambda rows, value: self._rewrite(rows, mask=value))

    def _rewrite(self, text: Any, **arguments: Any) -> Any:
        made = self._held().replace(text, **arguments)
        if pa.types.is_string(made.type):
            require_utf8(made)
        return made

    def _held(self) -> Searcher:
        if self.searcher is None:
            raise make_error("invalid_argument", "this function was unregistered while a query used it")
        return self.searcher


class _Registration(NamedTuple):
    functions: _Functions
    left: list[str]  # the names of the functions that are to be removed one day


_lock = threading.Lock()
_registered: WeakKeyDictionary[Any, dict[str, _Registration]] = WeakKeyDictionary()
_by_searcher: dict[Searcher, _Functions] = {}
_kept: list[_Functions] = []
_retired: deque[_Functions] = deque()
_default: Any = (
    None  # the module gives a new object whenever the last one is gone, and what is registered goes by objects
)


def _take(searcher: Searcher) -> _Functions:
    """Begins a registration: the functions of a searcher, which are made once for any number of connections."""
    functions = _by_searcher.get(searcher)
    if functions is None:
        functions = _by_searcher[searcher] = _Functions(searcher)
        _kept.append(functions)
    functions.registrations += 1
    if functions in _retired:
        _retired.remove(functions)
    return functions


def _release(functions: _Functions) -> None:
    """Ends a registration. After the last one the searcher is kept for a while, for queries that run."""
    functions.registrations -= 1
    if functions.registrations != 0:
        return
    _retired.append(functions)
    if len(_retired) > _most_retired:
        oldest = _retired.popleft()
        if oldest.searcher is not None:
            del _by_searcher[oldest.searcher]
        oldest.searcher = None


def _create(connection: Any, functions: _Functions, name: str) -> None:
    """Creates all functions, or none if one cannot be created."""
    created: list[str] = []
    try:
        for function in functions.all:
            full_name = f"{name}_{function.ending}"
            is_further = full_name in created
            # A connection refuses a second function of the same name, though DuckDB knows functions with several lists
            # of parameters. A cursor is another connection to the same database.
            creator = connection.cursor() if is_further else connection
            creator.create_function(
                full_name, function.call, function.parameters, function.result, type="arrow", null_handling="special"
            )
            if is_further:
                creator.close()
            else:
                created.append(full_name)
    except BaseException as error:
        for full_name in created:
            connection.remove_function(full_name)
        if isinstance(error, duckdb.TransactionException):
            message = "functions are not registered within a transaction: commit it first"
            raise make_error("invalid_argument", message) from error
        raise


def _remove(connection: Any, names: dict[str, _Registration], name: str) -> None:
    functions, left = names[name]
    while left:
        connection.remove_function(left[-1])
        left.pop()
    del names[name]
    _release(functions)


def _require_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"functions are named by a str, not {type(name).__name__}")
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise make_error(
            "invalid_argument", f"{name!r} is not a name for functions: use letters, digits and underscores"
        )


def _connection_of(connection: Any) -> Any:
    global _default
    if isinstance(connection, ModuleType) and hasattr(connection, "default_connection"):
        _default = connection.default_connection()
        return _default
    if not hasattr(connection, "create_function"):
        raise TypeError(f"functions are registered on a connection of DuckDB, not on {type(connection).__name__}")
    return connection


def _require_free(connection: Any, names: list[str], own: list[str]) -> None:
    """Raises lode.Error if another function has one of the names. DuckDB would let it hide a function of its own."""
    with connection.cursor() as cursor:
        known = {row[0].lower() for row in cursor.execute("select function_name from duckdb_functions()").fetchall()}
    known -= {name.lower() for name in own}
    for name in names:
        if name.lower() in known:
            raise make_error("invalid_argument", f"a function is called {name!r} already; choose another name")


def _sql_type(type: Any) -> str:
    if pa.types.is_list(type):
        return f"{_sql_type(type.value_type)}[]"
    if pa.types.is_struct(type):
        fields = ", ".join(f'"{field.name}" {_sql_type(field.type)}' for field in type)
        return f"STRUCT({fields})"
    return _sql_types[type]


def _of_each_value(text: Any, values: Any, rewrite: Callable[[Any, Any], Any]) -> Any:
    """Rewrites rows, those with equal values at a time; null where the value is null. As a rule there is one value."""
    encoded = values.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy()
    distinct = encoded.dictionary.to_pylist()
    if len(distinct) == 1 and encoded.null_count == 0:
        return rewrite(text, distinct[0])
    order = np.argsort(codes, kind="stable")
    places = np.searchsorted(codes[order], np.arange(len(distinct) + 1))
    nulls = pa.nulls(int(places[0]), text.type)
    parts = [
        rewrite(text.take(pa.array(order[begin:end])), value)
        for value, begin, end in zip(distinct, places[:-1], places[1:])
    ]
    made = pa.chunked_array([nulls, *(chunk for part in parts for chunk in part.chunks)], text.type)
    return made.take(pa.array(np.argsort(order, kind="stable")))
