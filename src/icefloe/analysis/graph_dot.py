"""A graph as text of Graphviz: `icefloe graph dot model.pb | dot -Tsvg > model.svg`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from icefloe import errors
from icefloe.analysis import roles
from icefloe.analysis.graph_argument import listed, takes_graphs
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

_COLORS = {
    "Const": "#eeeeee",
    "Placeholder": "#cfe8cf",
    "PlaceholderV2": "#cfe8cf",
    "PlaceholderWithDefault": "#cfe8cf",
}
_VARIABLE = "#fde2b3"
_SCOPE = "#d6e4f5"


@takes_graphs()
def graph_dot(graph: Graph, *, depth: int | None = None, fetches: Iterable[Any] | None = None) -> str:
    """Return `graph` in the language of Graphviz.

    depth: draw name scopes below this depth as one box each, with how many nodes it holds; None draws every node.
    fetches: draw only what these tensors or operations, or their names, need.

    Raises: KeyError or ValueError for a name that the graph does not have; ValueError for a depth under 1.
    """
    if depth is not None and depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
    operations = graph.get_operations()
    if fetches is not None:
        starts = []
        for item in listed(fetches):
            element = graph.as_graph_element(item)
            starts.append(element.op if isinstance(element, Tensor) else element)
        chosen = _needed(starts)
        operations = [op for op in operations if op._id in chosen]
    return "\n".join(_lines(operations, depth)) + "\n"


def _needed(starts: list[Operation]) -> set[int]:
    seen = {op._id for op in starts}
    waiting = list(starts)
    while waiting:
        op = waiting.pop()
        for before in (*(t.op for t in op.inputs), *op.control_inputs):
            if before._id not in seen:
                seen.add(before._id)
                waiting.append(before)
    return seen


def _lines(operations: list[Operation], depth: int | None) -> Iterator[str]:
    yield "digraph graph_def {"
    yield "  rankdir=TB;"
    yield '  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Helvetica", fontsize=8];'
    boxes: dict[str, list[Operation]] = {}
    for op in operations:
        boxes.setdefault(_box(op.name, depth), []).append(op)
    for name, inside in boxes.items():
        yield f"  {_quoted(name)} [{_attributes(name, inside)}];"
    edges: dict[tuple[str, str, bool], str] = {}
    known = {op._id for op in operations}
    for op in operations:
        to = _box(op.name, depth)
        for tensor in op.inputs:
            start = _box(tensor.op.name, depth)
            if start != to and tensor.op._id in known:
                edges.setdefault((start, to, False), _edge_label(tensor))
        for before in op.control_inputs:
            start = _box(before.name, depth)
            if start != to and before._id in known:
                edges.setdefault((start, to, True), "")
    for (start, to, is_control), label in edges.items():
        if is_control and (start, to, False) in edges:
            continue
        style = " [style=dashed]" if is_control else f" [label={_quoted(label)}]" if label else ""
        yield f"  {_quoted(start)} -> {_quoted(to)}{style};"
    yield "}"


def _box(name: str, depth: int | None) -> str:
    return name if depth is None else "/".join(name.split("/")[:depth])


def _attributes(name: str, inside: list[Operation]) -> str:
    if len(inside) == 1 and inside[0].name == name:
        op = inside[0]
        color = _VARIABLE if op.type in roles.VARIABLES else _COLORS.get(op.type, "")
        fill = f", fillcolor={_quoted(color)}" if color else ""
        return f"label={_quoted(name + chr(10) + op.type)}{fill}"
    noun = "node" if len(inside) == 1 else "nodes"
    return f"label={_quoted(f'{name}{chr(10)}{len(inside)} {noun}')}, fillcolor={_quoted(_SCOPE)}, shape=folder"


def _edge_label(tensor: Tensor) -> str:
    try:
        rank = tensor.shape.rank
        sizes = "?" if rank is None else "x".join("?" if n is None else str(n) for n in tensor.shape.as_list())
    except errors.OpError:
        return ""
    return sizes


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
