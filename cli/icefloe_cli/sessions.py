"""A loaded graph in a session, as `run`, `save` and `restore` need it: initialised, restored, fed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from icefloe_cli.output import progress
from icefloe_cli.values import read_value, split_feed


def open_session(graph: Any, allow_files: Sequence[str] = ()) -> Any:
    """Return a session whose ops may touch files below `allow_files` only."""
    import icefloe

    return icefloe.Session(graph=graph, config=icefloe.Config(files="none", allow_files=tuple(allow_files)))


def is_saved_model(path: str) -> bool:
    """Whether `path` is the directory of a SavedModel, or of a model of 2016 in the format before that."""
    import icefloe

    return bool(icefloe.saved_model.contains_saved_model(path)) or os.path.isfile(os.path.join(path, "export.meta"))


def open_model(path: str, tags: Sequence[str] | None, allow_files: Sequence[str] = ()) -> Any:
    """Return a SavedModel, restored and initialised; its ops may touch files below `allow_files`, and read its own."""
    import icefloe

    with progress("loading"):
        config = icefloe.Config(files="none", allow_files=tuple(allow_files))
        return icefloe.load_saved_model(path, tags, config=config)


def tensor_name(graph: Any, name: str) -> str:
    """Return the full name of a tensor: `x` stands for `x:0` where operation `x` has one output."""
    if ":" in name:
        return name
    outputs = graph.get_operation_by_name(name).outputs
    if len(outputs) != 1:
        listed = ", ".join(tensor.name for tensor in outputs[:5]) or "none"
        raise click.BadParameter(f"operation {name!r} has {len(outputs)} outputs ({listed}); name one")
    return outputs[0].name


def fetch_name(graph: Any, name: str) -> str:
    """Return what to fetch for `name`: a tensor, of a resource variable its value, or an operation without outputs,
    which is run.
    """
    import icefloe

    if ":" not in name and not graph.get_operation_by_name(name).outputs:
        return name
    tensor = graph.get_tensor_by_name(tensor_name(graph, name))
    if tensor.op.type == "VarHandleOp":
        for variable in icefloe.variables_of(graph):
            if variable.op is tensor.op and variable.value is not None:
                return str(variable.value.name)
    return str(tensor.name)


def read_feeds(graph: Any, feeds: Sequence[str]) -> dict[str, Any]:
    """Return tensor names and values of the arguments `NAME=VALUE`.

    A value that is text stands for itself where the tensor is of strings.

    Raises: click.BadParameter if a value cannot be read.
    """
    out: dict[str, Any] = {}
    for feed in feeds:
        given, text = split_feed(feed)
        name = tensor_name(graph, given)
        out[name] = checked_value(given, text, graph.get_tensor_by_name(name).dtype)
    return out


def checked_value(given: str, text: str, dtype: Any) -> Any:
    """Return the value that `text` describes for `given`, an input of this dtype. Raises: click.BadParameter."""
    import icefloe

    value = read_value(text)
    if isinstance(value, str) and dtype is not None and dtype.base_dtype != icefloe.string:
        raise click.BadParameter(f"{given}: expected a {dtype.name}, a list in JSON or @FILE, got {text!r}")
    return value


def initialize(session: Any, feeds: dict[str, Any]) -> None:
    """Run the initialisers of all variables and tables of the session's graph."""
    import icefloe

    found = icefloe.initializers_of(session.graph)
    with progress("initialising"):
        session.run(found, feeds)
