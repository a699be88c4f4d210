"""What two graphs have in common and where they differ, node by node.

Nodes are told by name. Of two nodes with the same name the op, the inputs, the control inputs, the device and the attrs
are compared; an attr that one of them leaves out has its default. Constants are compared by value.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.graph import attributes
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor_proto import make_ndarray

# Attrs that say nothing about what a node computes.
_NOTES = frozenset(("_output_shapes", "_class", "_user_specified_name", "_XlaPropagateCompileTimeConsts"))
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Change:
    """What differs in one node: `what` is "op", "inputs", "control inputs", "device" or an attr's name."""

    node: str
    what: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """How graph B differs from graph A. only_a, only_b: names of nodes; equal: how many nodes are the same."""

    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    changes: tuple[Change, ...]
    functions: tuple[Change, ...]
    equal: int

    @property
    def same(self) -> bool:
        """Whether the graphs are the same but for notes such as recorded shapes."""
        return not (self.only_a or self.only_b or self.changes or self.functions)

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**asdict(self), "same": self.same}


@takes_graphs(2)
def graph_diff(a: Graph, b: Graph, *, devices: bool = True, notes: bool = False) -> GraphDiff:
    """Return how `b` differs from `a`.

    devices: whether another device is a difference. notes: whether attrs are compared that say nothing about what a
    node computes: recorded shapes, colocation.
    """
    names_a = {op.name: op for op in a.get_operations()}
    names_b = {op.name: op for op in b.get_operations()}
    changes: list[Change] = []
    equal = 0
    for name, op in names_a.items():
        other = names_b.get(name)
        if other is None:
            continue
        found = _node_changes(op, other, devices, notes)
        changes += found
        equal += not found
    return GraphDiff(
        tuple(name for name in names_a if name not in names_b),
        tuple(name for name in names_b if name not in names_a),
        tuple(changes),
        tuple(_function_changes(a, b)),
        equal,
    )


def _node_changes(a: Operation, b: Operation, devices: bool, notes: bool) -> list[Change]:
    first, second = a.node_def, b.node_def
    if first == second:
        return []
    found = []

    def compare(what: str, left: str, right: str) -> None:
        if left != right:
            found.append(Change(a.name, what, left, right))

    compare("op", a.type, b.type)
    compare("inputs", *(_inputs(node, False) for node in (first, second)))
    compare("control inputs", *(_inputs(node, True) for node in (first, second)))
    if devices:
        compare("device", first.device, second.device)
    for name in sorted({*first.attr, *second.attr}):
        if (not notes and name in _NOTES) or (name.startswith("_") and not notes):
            continue
        values = [node.attr[name] if name in node.attr else _default(node.op, name) for node in (first, second)]
        if values[0] == values[1]:
            continue
        texts = [_text(v) for v in values]
        if texts[0] == texts[1] and not _tensors_differ(*values):
            continue
        found.append(Change(a.name, name, *texts))
    return found


def _inputs(node: Any, control: bool) -> str:
    chosen = [name for name in node.input if name.startswith("^") == control]
    if control:
        return ", ".join(sorted(chosen))
    return ", ".join(name.removesuffix(":0") for name in chosen)


def _default(op: str, name: str) -> Any:
    definition = opdefs.find(op)
    for attr in definition.attr if definition is not None else ():
        if attr.name == name and attr.HasField("default_value"):
            return attr.default_value
    return None


def _array(value: Any) -> np.ndarray | None:
    if value is None or value.WhichOneof("value") != "tensor":
        return None
    try:
        return make_ndarray(value.tensor)
    except (errors.OpError, TypeError, ValueError):
        return None


def _tensors_differ(a: Any, b: Any) -> bool:
    first, second = _array(a), _array(b)
    if first is None or second is None:
        return first is not second or a != b
    if first.dtype != second.dtype or first.shape != second.shape:
        return True
    return first.tobytes() != second.tobytes() if first.dtype != object else first.tolist() != second.tolist()


def _text(value: Any) -> str:
    if value is None:
        return "(absent)"
    array = _array(value)
    if array is not None:
        shape = ",".join(str(n) for n in array.shape)
        sample = np.array2string(array.ravel()[:4], separator=",", threshold=4) if array.size else "[]"
        return f"{array.dtype.name} [{shape}] {sample}{'...' if array.size > 4 else ''}"
    text = attributes.summary(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _function_changes(a: Graph, b: Graph) -> list[Change]:
    found = []
    for name in sorted({*a.functions, *b.functions}):
        first, second = a.functions.get(name), b.functions.get(name)
        if first is None or second is None:
            found.append(Change(name, "function", *("(absent)" if f is None else "present" for f in (first, second))))
        elif first != second:
            sizes = [f"{len(f.node_def)} nodes" for f in (first, second)]
            found.append(Change(name, "function body", *sizes))
    return found
