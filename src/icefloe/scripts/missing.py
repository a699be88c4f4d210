"""Which name of TensorFlow a script asked for in vain, found from the error that ended it.

An attribute's error says where in the line the attribute is, so the whole of `tf.contrib.layers.xavier_initializer` is
known although `tf.contrib` already failed; an import's error leads to the import statement.
"""

from __future__ import annotations

import ast
import importlib.util
import linecache
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType

from icefloe.scripts import advice
from icefloe.scripts.facades import Facade


@dataclass(frozen=True)
class MissingName:
    """A name that icefloe does not have: as the script knows it, where it asks, what there is instead."""

    name: str
    file: str
    line: int
    advice: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name} is not in icefloe: {self.advice}"


def missing_name(error: BaseException, sources: Mapping[str, str]) -> MissingName | None:
    """Return the name of TensorFlow that an uncaught error is about, or None if it is about something else.

    sources: the text of scripts that are no files, by the names that tracebacks have for them.
    """
    place = _last(error.__traceback__)
    if place is None:
        return None
    file, line = place.tb_frame.f_code.co_filename, place.tb_lineno
    source = sources.get(file) or "".join(linecache.getlines(file))
    if isinstance(error, AttributeError) and isinstance(error.obj, Facade):
        path = f"{error.obj.__name__.partition('.')[2]}.{error.name}".lstrip(".")
        path += _rest_of_chain(place, source)
    elif isinstance(error, ImportError) and (error.name or "").split(".")[0] == "tensorflow":
        path = _imported(source, line) or (error.name or "").partition(".")[2]
    else:
        return None
    short = path.removeprefix("compat.v1.")
    written = f"tensorflow.{path}" if path.startswith(("python.", "core.")) else f"tf.{short}"
    return MissingName(written, _short(file), line, advice.for_name(path))


def _short(file: str) -> str:
    """Return a file's path from the working directory where it is below that."""
    here = os.path.join(os.getcwd(), "")
    return file.removeprefix(here)


def _last(trace: TracebackType | None) -> TracebackType | None:
    """Return the innermost entry of code that is neither icefloe's nor the import system's."""
    found = None
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if not module.startswith(("icefloe.", "icefloe_cli.", "importlib.")):
            found = trace
        trace = trace.tb_next
    return found


def _rest_of_chain(place: TracebackType, source: str) -> str:
    """Return what follows the attribute that failed: `.layers.xavier_initializer`."""
    positions = list(place.tb_frame.f_code.co_positions())[place.tb_lasti // 2]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ""
    parents: dict[ast.AST, ast.Attribute] = {}
    start: ast.Attribute | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            parents[node.value] = node
            if (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == positions:
                start = node
    rest = ""
    while start is not None and (start := parents.get(start)) is not None:
        rest += f".{start.attr}"
    return rest


def _imported(source: str, line: int) -> str | None:
    """Return the first name that the import statement at a line asks for and there is not."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or not node.lineno <= line <= (node.end_lineno or line):
            continue
        module = "" if isinstance(node, ast.Import) else f"{node.module}."
        for alias in node.names:
            whole = f"{module}{alias.name}"
            if whole.startswith("tensorflow.") and not _is_there(whole, is_module=not module):
                return whole.partition(".")[2]
    return None


def _is_there(whole: str, *, is_module: bool) -> bool:
    parent, _, name = whole.rpartition(".")
    try:
        if importlib.util.find_spec(whole) is not None:
            return True
        return not is_module and hasattr(importlib.import_module(parent), name)
    except ImportError:
        return False
