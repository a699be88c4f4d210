"""Calls that give plain Python values, and what TensorFlow gives for them.

Each file of `calls/` holds `CALLS`, a list of source texts that run one after the other in one scope and an empty
folder: an expression, or statements that set `result`. fixtures/make/lib_calls.py runs them on TensorFlow and writes
fixtures/lib/calls_<file>.json.
"""

from __future__ import annotations

import ast
import collections
import importlib.util
import os
import pathlib
import re
import tempfile
import textwrap
from typing import Any

import numpy as np

CALLS = pathlib.Path(__file__).parent / "calls"
GOLDENS = pathlib.Path(__file__).resolve().parents[3] / "fixtures" / "lib"


def topics() -> list[str]:
    return sorted(path.stem for path in CALLS.glob("*.py"))


def load(topic: str) -> list[str]:
    """Return the calls of a topic."""
    spec = importlib.util.spec_from_file_location(f"calls_{topic}", CALLS / f"{topic}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [textwrap.dedent(call).strip() for call in module.CALLS]


def run(topic: str, tf: Any) -> dict[str, str]:
    """Return, for each call numbered, the text of its value or of its exception."""
    scope: dict[str, Any] = {"tf": tf, "np": np, "os": os, "collections": collections, "pathlib": pathlib}
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        os.chdir(folder)
        try:
            return {f"{i}: {call}": _outcome(call, scope, folder) for i, call in enumerate(load(topic))}
        finally:
            os.chdir(before)


def _outcome(call: str, scope: dict[str, Any], folder: str) -> str:
    scope["result"] = None
    try:
        tree = ast.parse(call)
        if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            scope["result"] = eval(call, scope)
        else:
            exec(compile(tree, "<call>", "exec"), scope)
        text = _pairs(re.sub(r" at 0x[0-9a-f]+", "", repr(scope["result"])))
    except Exception as error:
        said = re.sub(r" Did you mean [^?]*:0'\?", "", getattr(error, "message", None) or str(error))
        text = f"{type(error).__name__}: {_plain(said)}"
    return text.replace(os.path.realpath(folder), "<folder>").replace(folder, "<folder>")


def _pairs(text: str) -> str:
    """Return a repr with its OrderedDicts as Python 3.11 writes them, as pairs; later ones write a dict of plain keys."""

    def as_pairs(found: re.Match[str]) -> str:
        items = ", ".join(f"({key}, {value})" for key, value in re.findall(r"('\w+'): ([^,]+)", found[1]))
        return f"OrderedDict([{items}])"

    return re.sub(r"OrderedDict\(\{([^{}]*)\}\)", as_pairs, text)


def _plain(message: str) -> str:
    """Return an error's text without the places in the program that it names."""
    message = re.sub(
        r"^Graph execution error:\n\n(Detected at node.*?\nNode: '[^']*'\n)?", "", message, flags=re.DOTALL
    )
    return re.split(r"\n\t \[\[| Originally defined at", message)[0]
