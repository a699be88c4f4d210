"""Which release of TensorFlow can read a graph: by its ops, their attrs, and the values that these have.

A release refuses a node whose op, or one of whose attrs, it does not know, even where the attr has its default. Whether
it has kernels that run the node is not told here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from icefloe import opdefs
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.graph.graph import Graph
from icefloe.opdefs import history
from icefloe.proto import AttrValue, NodeDef

# Attrs that say how to run a node, not what it computes.
_ADVICE = frozenset(
    ("config_proto", "config", "executor_type", "output_shapes", "debug_name", "metadata", "parallel_iterations")
    + ("use_inter_op_parallelism", "allowed_devices", "grad_a", "grad_b", "grad_x", "grad_y")
    + ("read_only_resource_inputs",)
)


@dataclass(frozen=True, slots=True)
class VersionReason:
    """What needs a release: an op, or an attr of it, and in how many nodes."""

    release: str
    op: str
    attr: str
    nodes: int


@dataclass(frozen=True, slots=True)
class OldestVersion:
    """The oldest release of TensorFlow, from 1.0 on, that knows all of a graph.

    release: for the graph as it is; "" where no release has all of its ops. without_defaults: once attrs that have
    their defaults, or only advise the runtime, are left out, as `graphs.downgrade` does. reasons: what needs more than
    1.0, the newest first. unknown: ops that no release has, such as those of libraries.
    """

    release: str
    without_defaults: str
    reasons: tuple[VersionReason, ...]
    unknown: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return asdict(self)


@takes_graphs()
def oldest_version(graph: Graph) -> OldestVersion:
    """Return which release of TensorFlow can read `graph`, and what needs that release."""
    functions = graph.functions
    counts: dict[tuple[int, str, str], int] = {}
    unknown: set[str] = set()
    as_it_is = least = 0
    operations = graph.get_operations()
    changed = {
        name for name in {op.type for op in operations} if history.since(name) is None or history.has_changed(name)
    }
    nodes = [op.node_def for op in operations if op.type in changed]  # parsing a node takes a while
    for function in functions.values():
        nodes += function.node_def
    for node in nodes:
        if node.op in functions:
            continue
        if history.since(node.op) is None:
            unknown.add(node.op)
            continue
        for release, attr, needless in needs(node):
            as_it_is = max(as_it_is, release)
            least = least if needless else max(least, release)
            if release:
                key = (release, node.op, attr)
                counts[key] = counts.get(key, 0) + 1
    names = history.releases()
    reasons = [VersionReason(names[r], op, attr, n) for (r, op, attr), n in sorted(counts.items(), key=_order)]
    return OldestVersion(
        "" if unknown else names[as_it_is],
        "" if unknown else names[least],
        tuple(reasons),
        tuple(sorted(unknown)),
    )


def _order(item: tuple[tuple[int, str, str], int]) -> tuple[int, str, str]:
    (release, op, attr), _ = item
    return -release, op, attr


def needs(node: NodeDef) -> Iterable[tuple[int, str, bool]]:
    """Return the releases that a node needs, for its op (attr "") and each attr, and whether that may go.

    An attr that begins with `_` needs none.
    """
    first = history.since(node.op) or 0
    yield first, "", False
    defaults = _defaults(node.op)
    for name, value in node.attr.items():
        if name.startswith("_"):
            continue
        known, allowed = history.attr_since(node.op, name), history.value_since(node.op, name, value)
        needless = name in _ADVICE or (name in defaults and same_value(value, defaults[name]))
        if known > first and needless:
            yield known, name, True
        elif max(known, allowed) > first:
            yield max(known, allowed), name, False


@functools.cache
def _defaults(op: str) -> dict[str, AttrValue]:
    definition = opdefs.find(op)
    return {a.name: a.default_value for a in definition.attr if a.HasField("default_value")} if definition else {}


def same_value(a: AttrValue, b: AttrValue) -> bool:
    """Whether two attrs have one value; a list that is empty is one however it is written."""
    if a == b:
        return True
    kinds = {a.WhichOneof("value"), b.WhichOneof("value")}
    return kinds == {"list", None} and not a.list.ListFields() and not b.list.ListFields()
