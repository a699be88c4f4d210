"""Constants computed before: nodes that depend on constants only, and shapes that are known without running."""

from __future__ import annotations

import numpy as np

from icefloe import errors, opdefs
from icefloe.graph import registry
from icefloe.graph.graph_file import read_graph
from icefloe.proto import NodeDef
from icefloe.session import Session
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.node_edits import Nodes, control_inputs, data_inputs, node_of, tensor_key
from icefloe.transforms.reports import PassReport, first_line, notes

MOST_BYTES = 10 << 20
_NEVER = frozenset(
    ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Switch", "Merge", "Enter", "Exit", "NextIteration")
    + ("LoopCond", "NoOp", "Const", "_Arg", "Print", "Assert")
)


def fold_constants(nodes: Nodes, outputs: set[str], most_bytes: int = MOST_BYTES) -> PassReport:
    """Replace what depends on constants only by its values.

    outputs: names of nodes that keep their names. most_bytes: results larger than this are left to be computed. What is
    stateful, calls functions, waits for another node or fails is left as it is.
    """
    foldable = _foldable(nodes)
    users = nodes.consumers()
    edge = [
        name
        for name in foldable
        if name in outputs or any(user.name not in foldable for user in users.get(name, ())) or name not in users
    ]
    if not edge:
        return PassReport("fold constants")
    before = len(nodes)
    failed: list[str] = []
    graph = read_graph(nodes.to_graph_def())
    changed = 0
    replaced: dict[str, str] = {}
    with Session(graph=graph) as session:
        for name in edge:
            op = graph.get_operation_by_name(name)
            used = [tensor for tensor in op.outputs if tensor.consumers()] or op.outputs[:1]
            if name in outputs and len(op.outputs) > 1:
                continue
            try:
                values = session.run(used)
            except (errors.OpError, ValueError, TypeError) as error:
                failed.append(f"{name}: {first_line(error)}")
                continue
            if sum(np.asarray(v).nbytes for v in values) > most_bytes or not all(_is_plain(v) for v in values):
                continue
            changed += 1
            if len(op.outputs) == 1:
                nodes.add(constant_node(name, values[0]))
                continue
            for tensor, value in zip(used, values):
                constant = nodes.add(constant_node(nodes.unique(f"{name}/folded"), value))
                replaced[tensor_key(tensor.name)] = constant.name
    nodes.rewire(replaced)
    gone = [n for n in foldable if n not in outputs and nodes[n].op != "Const"]
    _drop_unused(nodes, gone, outputs)
    return PassReport("fold constants", removed=max(before - len(nodes), 0), changed=changed, notes=notes(failed))


def _is_plain(value: object) -> bool:
    array = np.asarray(value)
    return array.dtype != object or all(isinstance(item, bytes) for item in array.ravel().tolist())


def _foldable(nodes: Nodes) -> dict[str, NodeDef]:
    """Return the nodes that are no constants and depend on constants only, by name, each after what it takes."""
    constant: dict[str, bool] = {}
    found: dict[str, NodeDef] = {}
    for start in nodes:
        stack = [start]
        while stack:
            node = stack[-1]
            if node.name in constant:
                stack.pop()
                continue
            if not _may_fold(node, nodes):
                constant[node.name] = node.op == "Const" and not control_inputs(node)
                stack.pop()
                continue
            inputs = [nodes[node_of(text)] for text in node.input]
            waiting = [n for n in inputs if n.name not in constant]
            if waiting:
                constant.setdefault(node.name, False) if any(n in stack for n in waiting) else stack.extend(waiting)
                continue
            constant[node.name] = all(constant[n.name] for n in inputs)
            if constant[node.name]:
                found[node.name] = node
            stack.pop()
    return found


def _may_fold(node: NodeDef, nodes: Nodes) -> bool:
    if node.op in _NEVER or control_inputs(node) or not data_inputs(node):
        return False
    definition = opdefs.find(node.op)
    if definition is None or definition.is_stateful or registry.find_kernel(node.op) is None:
        return False
    return not any(value.func.name or value.list.func for value in node.attr.values())


def _drop_unused(nodes: Nodes, names: list[str], outputs: set[str]) -> None:
    """Take nodes out that nobody uses any more, the last ones first."""
    left = dict.fromkeys(names)
    while left:
        users = nodes.consumers()
        idle = [name for name in left if name not in outputs and name in nodes and not users.get(name)]
        if not idle:
            return
        nodes.remove(idle)
        for name in idle:
            del left[name]


def fold_shapes(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Replace Shape, ShapeN, Size and Rank nodes whose results static shapes tell."""
    graph = read_graph(nodes.to_graph_def())
    changed = 0
    replaced: dict[str, str] = {}
    for node in nodes:
        if node.op not in ("Shape", "Size", "Rank", "ShapeN") or node.name not in graph._by_name:
            continue
        op = graph.get_operation_by_name(node.name)
        try:
            shapes = [tensor.shape for tensor in op.inputs]
            dtype = op.outputs[0].dtype.as_numpy_dtype
        except (errors.OpError, IndexError):
            continue
        known = [shape.is_fully_defined() or (node.op == "Rank" and shape.rank is not None) for shape in shapes]
        if not all(known) or control_inputs(node) or (node.op == "ShapeN" and node.name in outputs):
            continue
        changed += 1
        if node.op == "ShapeN":
            for i, shape in enumerate(shapes):
                value = np.array(shape.as_list(), dtype)
                constant = nodes.add(constant_node(nodes.unique(f"{node.name}/folded"), value))
                replaced[tensor_key(f"{node.name}:{i}")] = constant.name
            continue
        sizes = {"Shape": lambda s: s.as_list(), "Size": lambda s: s.num_elements(), "Rank": lambda s: s.rank}
        nodes.add(constant_node(node.name, np.array(sizes[node.op](shapes[0]), dtype)))
    nodes.rewire(replaced)
    return PassReport("fold shapes", changed=changed)
