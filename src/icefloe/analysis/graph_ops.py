"""Which ops a graph uses, which of them run here, and what that means for a fetch.

    found = icefloe.graphs.ops(graph, fetches=["logits:0"])
    found.missing                    nodes in the way, each with the path from the fetch
    found.feed_instead               their outputs: fed, the fetches run
    found.computable                 the last tensors before them that can be fetched

An op that has no kernel is no error until a run needs it; functions of the library are looked into.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from icefloe import errors, opdefs
from icefloe.analysis import roles
from icefloe.analysis.graph_argument import listed, takes_graphs
from icefloe.analysis.graph_io import graph_io
from icefloe.graph import registry
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.opdefs.kernel_types import refusal
from icefloe.runtime import effects, foreign_attrs, prune

RUNS, NO_KERNEL, UNKNOWN, FUNCTION = "runs", "no kernel", "unknown op", "function"


@dataclass(frozen=True, slots=True)
class OpCount:
    """One kind of op: how many nodes of the graph and of its functions are of it, and whether they run."""

    op: str
    nodes: int
    in_functions: int
    status: str


@dataclass(frozen=True, slots=True)
class MissingNode:
    """A node that cannot run. reason: why; path: names from the fetch to it; function: the one that holds it."""

    name: str
    op: str
    reason: str
    path: tuple[str, ...]
    function: str | None = None


@dataclass(frozen=True, slots=True)
class GraphOps:
    """The ops of a graph and what its fetches need.

    needed: how many nodes the fetches need. feed_instead: outputs of missing nodes that the fetches depend on.
    computable: tensors that the missing nodes take, or that stand nearest before them, and that can be fetched.
    """

    ops: tuple[OpCount, ...]
    fetches: tuple[str, ...]
    needed: int
    missing: tuple[MissingNode, ...]
    feed_instead: tuple[str, ...]
    computable: tuple[str, ...]

    @property
    def runs(self) -> bool:
        """Whether the fetches can run."""
        return not self.missing

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**asdict(self), "runs": self.runs}


@takes_graphs()
def graph_ops(graph: Graph, fetches: Iterable[Any] | None = None, feeds: Iterable[Any] = ()) -> GraphOps:
    """Return the ops of `graph` and what of them `fetches` need.

    fetches, feeds: tensors, operations or their names. Without fetches, the outputs of signatures, or else the one that
    `graph_io` puts first.

    Raises: KeyError or ValueError for a name that the graph does not have.
    """
    wanted = _default_fetches(graph) if fetches is None else [_element(graph, f) for f in listed(fetches)]
    fed = [_tensor(graph, f) for f in listed(feeds)]
    found = prune.needed(
        [e for e in wanted if isinstance(e, Tensor)], [e for e in wanted if isinstance(e, Operation)], fed
    )
    missing = _missing(graph, found, wanted)
    own = [graph.get_operation_by_name(m.name) for m in missing if m.function is None or m.path]
    own = list(dict.fromkeys(own))
    used = {id(t) for op in found.values() for t in op.inputs} | {id(e) for e in wanted}
    instead = [t.name for op in own for t in roles.outputs(op) if id(t) in used]
    return GraphOps(
        tuple(_counts(graph)),
        tuple(e.name for e in wanted),
        len(found),
        tuple(missing),
        tuple(instead),
        tuple(_computable(own, found, fed)),
    )


def _element(graph: Graph, item: Any) -> Tensor | Operation:
    if isinstance(item, str) and ":" not in item:
        op = graph.get_operation_by_name(item)
        outputs = roles.outputs(op)
        return outputs[0] if len(outputs) == 1 else op
    if isinstance(item, str):
        named = graph._by_name.get(item.partition(":")[0])
        if named is not None and not roles.outputs(named) and not _gives_nothing(named):  # nobody knows what it gives
            return named
    element: Tensor | Operation = graph.as_graph_element(item)
    return element


def _gives_nothing(op: Operation) -> bool:
    """Whether a node has no outputs by its signature."""
    return op.signature is not None and not op.signature.outputs


def _tensor(graph: Graph, item: Any) -> Tensor:
    element = _element(graph, item)
    if isinstance(element, Operation):
        raise errors.InvalidArgumentError(f"{element.name!r} has {len(element.outputs)} outputs: name one to feed")
    return element


def _default_fetches(graph: Graph) -> list[Tensor | Operation]:
    outputs = graph_io(graph).outputs
    signed = [o.name for o in outputs if o.signature is not None]
    return [_element(graph, name) for name in signed or [o.name for o in outputs[:1]]]


def _reason(graph: Graph, op: Operation) -> str | None:
    """Return why a node of the graph cannot run, or None."""
    status = _status(graph, op.type)
    if status in (NO_KERNEL, UNKNOWN):
        return status
    if status == RUNS:
        try:
            return refusal(op.type, op.kernel_attr) or foreign_attrs.refusal(op)
        except errors.OpError as error:
            return error.message
    return None


def _status(graph: Graph, op_type: str) -> str:
    if op_type in effects.PLACEHOLDERS or op_type in effects.CONTROL_FLOW:
        return RUNS
    if op_type in graph.functions:
        return FUNCTION
    if registry.find_kernel(op_type) is not None:
        return RUNS
    return UNKNOWN if opdefs.find(op_type) is None else NO_KERNEL


def _counts(graph: Graph) -> list[OpCount]:
    nodes = Counter(op.type for op in graph.get_operations())
    inside = Counter(node.op for function in graph.functions.values() for node in function.node_def)
    kinds = sorted(nodes.keys() | inside.keys(), key=lambda kind: (-nodes[kind] - inside[kind], kind))
    return [OpCount(kind, nodes[kind], inside[kind], _status(graph, kind)) for kind in kinds]


def _missing(graph: Graph, found: dict[int, Operation], wanted: list[Tensor | Operation]) -> list[MissingNode]:
    """Return the nodes among `found`, and in the functions they call, that cannot run."""
    before = _paths(found, wanted)
    broken: dict[str, list[tuple[str, str, str, str]]] = {}
    missing = []
    for key in sorted(found):
        op = found[key]
        reason = _reason(graph, op)
        if reason is not None:
            missing.append(MissingNode(op.name, op.type, reason, _path(before, op)))
        for name in _called(op.type, op.node_def.attr, graph):
            missing += [
                MissingNode(op.name, kind, f"{why}: node {node!r} of function {inner!r}", _path(before, op), inner)
                for inner, node, kind, why in _broken(graph, name, broken)
            ]
    return missing


def _called(op_type: str, attrs: Any, graph: Graph) -> list[str]:
    names = [f.name for value in attrs.values() for f in (value.func, *value.list.func) if f.name]
    return [name for name in [op_type, *names] if name in graph.functions]


def _broken(graph: Graph, name: str, known: dict[str, list[tuple[str, str, str, str]]]) -> list[Any]:
    """Return function, node, op and reason for each node that cannot run in function `name` and those it calls."""
    seen = {name}
    waiting = [name]
    result = []
    while waiting:
        current = waiting.pop()
        if current not in known:
            known[current] = [
                (current, node.name, node.op, status)
                for node in graph.functions[current].node_def
                if (status := _status(graph, node.op)) in (NO_KERNEL, UNKNOWN)
            ]
        result += known[current]
        for node in graph.functions[current].node_def:
            for inner in _called(node.op, node.attr, graph):
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
    return result


def _paths(found: dict[int, Operation], wanted: list[Tensor | Operation]) -> dict[int, Operation | None]:
    """Return for each node that is needed the one that needs it, on a shortest way from a fetch."""
    before: dict[int, Operation | None] = {}
    layer = [e.op if isinstance(e, Tensor) else e for e in wanted]
    for op in layer:
        before[op._id] = None
    while layer:
        following = []
        for op in layer:
            for other in (*(t.op for t in op.inputs), *op.control_inputs):
                if other._id in found and other._id not in before:
                    before[other._id] = op
                    following.append(other)
        layer = following
    return before


def _path(before: dict[int, Operation | None], op: Operation) -> tuple[str, ...]:
    names = [op.name]
    current: Operation | None = before.get(op._id)
    while current is not None:
        names.append(current.name)
        current = before.get(current._id)
    return tuple(reversed(names))


def _computable(missing: list[Operation], found: dict[int, Operation], fed: list[Tensor]) -> list[str]:
    """Return the tensors nearest before the missing nodes that need none of them."""
    blocked = {op._id for op in missing}
    followers: dict[int, list[int]] = {}
    given = {id(t) for t in fed}
    for op in found.values():
        for before in (*(t.op for t in op.inputs if id(t) not in given), *op.control_inputs):
            followers.setdefault(before._id, []).append(op._id)
    waiting = list(blocked)
    while waiting:
        for after in followers.get(waiting.pop(), ()):
            if after not in blocked:
                blocked.add(after)
                waiting.append(after)
    nearest = {
        tensor.name: None
        for op in found.values()
        if op._id in blocked
        for tensor in op.inputs
        if tensor.op._id not in blocked and tensor.op.type not in ("Const", *effects.PLACEHOLDERS, *effects.HANDLES)
    }
    return list(nearest)
