#!/usr/bin/env python3
"""Writes docs/python-api.md from the docstrings of the installed package: `./dev python-docs`.

Sources are read, not run, so that none of the packages that they serve is needed. The compiled module is read from its stub.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

modules = (
    "lode",
    "lode.tables",
    "lode.duckdb",
    "lode.polars",
    "lode.pandas",
    "lode.ray",
    "lode.spark",
    "lode_decontaminate",
)
head = """\
# The Python package: reference

Made of the docstrings by `./dev python-docs`; a test holds that it is up to date. `docs/guide/python.md` is the tutorial.
"""


def package_folder(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise SystemExit(f"{name} is not installed: ./dev python")
    return Path(found.origin).parent


class Definitions:
    """The definitions of a file: the node of each name, and the docstring of each constant, which follows it."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text())
        self.nodes: dict[str, ast.stmt] = {}
        self.texts: dict[str, str] = {}
        for node, follower in zip(self.tree.body, [*self.tree.body[1:], None]):
            for name in names_of(node):
                self.nodes[name] = node
                if isinstance(node, (ast.Assign, ast.AnnAssign)):
                    self.texts[name] = text_of(follower)

    def documented(self) -> Iterator[str]:
        for name, node in self.nodes.items():
            is_defined = isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
            if not name.startswith("_") and (is_defined or self.texts.get(name)):
                yield name


def names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def text_of(node: ast.stmt | None) -> str:
    """The string that a statement consists of; empty if the statement is anything else."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return ""


def decorators(node: ast.FunctionDef) -> set[str]:
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def signature(node: ast.FunctionDef, is_method: bool) -> str:
    arguments = node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.annotation is not None:
            argument.annotation = ast.parse(plain(ast.unparse(argument.annotation)), mode="eval").body
    if is_method and "staticmethod" not in decorators(node):
        arguments.args = arguments.args[1:]
    returned = f" -> {plain(ast.unparse(node.returns))}" if node.returns is not None else ""
    return f"({ast.unparse(arguments)}){returned}"


def plain(type_name: str) -> str:
    shorter = (("numpy.typing.", ""), ("npt.", ""), ("numpy.", "np."), ("_lode.", ""), ("collections.abc.", ""))
    for long, short in shorter:
        type_name = type_name.replace(long, short)
    return type_name


def block(name: str, call: str, text: str, level: int) -> Iterator[str]:
    """Yields a heading with the name. The call, if there is one, and the docstring stand below it."""
    yield f"{'#' * level} `{name}`\n"
    lines = textwrap.wrap(name + call, 116, subsequent_indent="    ", break_long_words=False) if call else []
    if text:
        # Docstrings of C++ that consist of several literals are one long line.
        wrapped = [part for line in text.split("\n") for part in textwrap.wrap(line, 120) or [""]]
        text_lines = wrapped if max(map(len, text.split("\n"))) > 120 else text.split("\n")
        lines += ["", *text_lines] if lines else text_lines
    if lines:
        yield "```text\n{}\n```\n".format("\n".join(lines))


def of_function(node: ast.FunctionDef, prefix: str, level: int, is_method: bool = False) -> Iterator[str]:
    call = "" if "property" in decorators(node) else signature(node, is_method)
    yield from block(f"{prefix}{node.name}", call, ast.get_docstring(node) or "", level)


def bases_of(node: ast.ClassDef, files: list[Definitions]) -> Iterator[ast.ClassDef]:
    """Yields copies of the classes of these files that a class is derived from, such as `Base[Item]`."""
    for base in node.bases:
        name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
        for found in (file.nodes.get(name) for file in files):
            if isinstance(found, ast.ClassDef):
                yield copy.deepcopy(found)


def of_class(node: ast.ClassDef, prefix: str, bases: Sequence[ast.ClassDef] = ()) -> Iterator[str]:
    bodies = [part for each in (node, *bases) for part in each.body]
    functions = [part for part in bodies if isinstance(part, ast.FunctionDef) and "overload" not in decorators(part)]
    made_by = [part for part in functions if part.name == "__init__" and part in node.body]
    call = signature(made_by[0], True).removesuffix(" -> None") if made_by else ""
    text = "\n\n".join(ast.get_docstring(each) or "" for each in (node, *bases))
    yield from block(f"{prefix}{node.name}", call, text, 3)
    for field, follower in zip(node.body, [*node.body[1:], None]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            kind = f": {plain(ast.unparse(field.annotation))}"
            yield from block(f"{node.name}.{field.target.id}", kind, text_of(follower), 4)
    for function in functions:
        is_public = not function.name.startswith("_") or (function.name == "__call__" and ast.get_docstring(function))
        if is_public:
            yield from of_function(function, f"{node.name}.", 4, is_method=True)


def of_name(name: str, module: str, definitions: Definitions, bases: list[Definitions]) -> Iterator[str]:
    node = definitions.nodes[name]
    if isinstance(node, ast.ClassDef):
        yield from of_class(node, f"{module}.", list(bases_of(node, bases)))
    elif isinstance(node, ast.FunctionDef):
        yield from of_function(node, f"{module}.", 3)
    else:
        yield from block(f"{module}.{name}", "", definitions.texts[name], 3)


def of_package(folder: Path, package: str) -> Iterator[str]:
    """Yields every name of a package's __all__, from the file that defines it."""
    pattern = "_[a-z]*.py" if package == "lode" else "[a-z]*.py"
    beside = folder / "_lode.pyi" if package == "lode" else package_folder("lode") / "_table_command" / "errors.py"
    files = [Definitions(path) for path in (*sorted(folder.glob(pattern)), beside, folder / "__init__.py")]
    listed = Definitions(folder / "__init__.py").nodes["__all__"]
    assert isinstance(listed, ast.Assign)
    for name in sorted(ast.literal_eval(listed.value), key=str.lower):
        # If a file of Python and the stub both define a name, that of the file is the public one, so files come first.
        yield from of_name(name, package, next(file for file in files if name in file.nodes), [])


def reference() -> str:
    parts = [head]
    for module in modules:
        package, _, inner = module.partition(".")
        folder = package_folder(package)
        files = [Definitions(path) for path in sorted(folder.glob("_[a-z]*.py"))]
        definitions = Definitions(folder / f"{inner or '__init__'}.py")
        parts.append(f"## {module}\n\n```text\n{ast.get_docstring(definitions.tree)}\n```\n")
        if not inner:
            parts += of_package(folder, package)
        else:
            for name in definitions.documented():
                parts += of_name(name, module, definitions, files)
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(reference())
