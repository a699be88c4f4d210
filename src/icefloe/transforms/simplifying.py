"""Nodes that do nothing at inference taken out: identities, dropout, duplicates."""

from __future__ import annotations

from icefloe import opdefs
from icefloe.proto import NodeDef
from icefloe.transforms.node_edits import Nodes, control_inputs, data_inputs, node_of, tensor_key
from icefloe.transforms.reports import PassReport, notes

_PASS = frozenset(("Identity", "StopGradient", "PreventGradient", "CheckNumerics", "Snapshot"))
_RANDOM = frozenset(("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"))


def remove_identities(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Take out nodes that hand their input on: Identity and its kin. One that is waited for, or waits, stays.

    outputs: names of nodes that stay.
    """
    waited_for = {text[1:] for node in nodes for text in node.input if text.startswith("^")}
    passed = {
        node.name: node.input[0]
        for node in nodes
        if node.op in _PASS
        and node.name not in outputs
        and node.name not in waited_for
        and len(node.input) == 1
        and not _gives_reference(nodes, node.input[0])
    }
    nodes.rewire(passed)
    return PassReport("remove identities", removed=nodes.remove(passed))


def _gives_reference(nodes: Nodes, text: str) -> bool:
    """Whether a tensor is a reference to a variable, which an Identity reads."""
    definition = opdefs.find(nodes[node_of(text)].op)
    return definition is not None and any(arg.is_ref for arg in definition.output_arg)


def remove_dropout(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Take out dropout: what it keeps and scales is handed on as it is.

    Three forms are known: `x / keep * floor(uniform + keep)`, `x * scale * cast(uniform >= rate)`, and
    `select(uniform >= rate, x * scale, 0)`. The graph then gives what it gives at inference, other values than before.
    """
    found: dict[str, str] = {}
    for node in nodes:
        source = _dropped(nodes, node)
        if source is not None and node.name not in outputs:
            found[node.name] = source
    nodes.rewire(found)
    told = notes([f"{name} is now {source}" for name, source in found.items()])
    return PassReport("remove dropout", removed=len(found), notes=told)


def _dropped(nodes: Nodes, node: NodeDef) -> str | None:
    """Return what goes into a dropout that ends in `node`, or None if none does."""
    inputs = data_inputs(node)
    if node.op == "Mul" and len(inputs) == 2:
        for scaled, mask in (inputs, inputs[::-1]):
            if _is_mask(nodes, mask):
                return _unscaled(nodes, scaled)
    if node.op in ("Select", "SelectV2") and len(inputs) == 3 and _is_comparison(nodes, inputs[0]):
        return _unscaled(nodes, inputs[1])
    return None


def _through(nodes: Nodes, text: str) -> NodeDef:
    node = nodes[node_of(text)]
    while node.op in ("Identity", "Cast") and data_inputs(node):
        node = nodes[node_of(node.input[0])]
    return node


def _is_mask(nodes: Nodes, text: str) -> bool:
    node = nodes[node_of(text)]
    if node.op == "Floor":
        total = _through(nodes, node.input[0])
        return total.op in ("Add", "AddV2") and any(_is_random(nodes, t) for t in data_inputs(total))
    return node.op == "Cast" and _is_comparison(nodes, node.input[0])


def _is_comparison(nodes: Nodes, text: str) -> bool:
    node = nodes[node_of(text)]
    return node.op == "GreaterEqual" and _is_random(nodes, node.input[0])


def _is_random(nodes: Nodes, text: str) -> bool:
    """Whether a tensor is a uniform draw, scaled to a range or not."""
    node = _through(nodes, text)
    for _ in range(3):
        if node.op in _RANDOM:
            return True
        if node.op not in ("Add", "AddV2", "Mul") or not data_inputs(node):
            return False
        node = _through(nodes, node.input[0])
    return node.op in _RANDOM


def _unscaled(nodes: Nodes, text: str) -> str | None:
    node = nodes[node_of(text)]
    return node.input[0] if node.op in ("Mul", "RealDiv", "Div") and len(data_inputs(node)) == 2 else None


def merge_duplicates(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Let nodes that compute the same be one: same op, inputs, attrs and device, and no state.

    outputs: names of nodes that stay.
    """
    removed = 0
    while True:
        first: dict[tuple[bytes, str], str] = {}
        same: dict[str, str] = {}
        for node in nodes:
            if not _is_pure(node):
                continue
            key = _key(node)
            kept = first.setdefault(key, node.name)
            if kept != node.name and node.name in outputs:
                if kept not in outputs:
                    first[key] = node.name
                    same[kept] = node.name
            elif kept != node.name:
                same[node.name] = kept
        if not same:
            return PassReport("merge duplicates", removed=removed)
        tensors = {}
        for name, kept in same.items():
            for i in range(max(_output_count(nodes, name), 1)):
                tensors[tensor_key(f"{name}:{i}")] = tensor_key(f"{kept}:{i}")
        nodes.rewire(tensors, {name: [kept] for name, kept in same.items()})
        removed += nodes.remove(same)


def _output_count(nodes: Nodes, name: str) -> int:
    """Return how many outputs of a node others use."""
    most = 0
    for node in nodes:
        for text in data_inputs(node):
            if node_of(text) == name:
                most = max(most, int(text.partition(":")[2] or 0) + 1)
    return most


def _is_pure(node: NodeDef) -> bool:
    definition = opdefs.find(node.op)
    if definition is None or definition.is_stateful or not definition.output_arg:
        return False
    if node.op in ("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond") or node.op.startswith(
        "Placeholder"
    ):
        return False
    return not any(arg.is_ref for arg in (*definition.input_arg, *definition.output_arg))


def _key(node: NodeDef) -> tuple[bytes, str]:
    copy = NodeDef()
    copy.CopyFrom(node)
    copy.name = ""
    for name in [name for name in copy.attr if name.startswith("_")]:
        del copy.attr[name]
    inputs = [tensor_key(text) for text in data_inputs(node)]
    definition = opdefs.get(node.op)
    if definition.is_commutative:
        inputs.sort()
    del copy.input[:]
    return copy.SerializeToString(deterministic=True), "\n".join(
        [*inputs, *sorted("^" + n for n in control_inputs(node))]
    )
