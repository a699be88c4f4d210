"""Inputs and outputs of a graph: what to feed, and which tensors are most likely its results, each with the reason.

    found = icefloe.graphs.io(icefloe.load_graph("frozen.pb"))
    found.inputs[0].name, found.outputs[0].name, found.outputs[0].reasons

Signatures say it where there are some. Without them, results are what is left of the graph's ends when training,
saving, summaries, checks and initial values are taken away (`roles`), the likely ones first: by kind and name of the
node, by how much of the graph it needs, after losses and numbers that are watched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from icefloe.analysis import roles as role
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

_LOSS_NAME = re.compile(r"(?i)(^|/|_)(loss(es)?|cost|objective|x?_?entropy|regulari[sz]\w+|l2_?loss)(_?\d+)?(/|$)")
_METRIC_NAME = re.compile(
    r"(?i)(^|/|_)(accuracy|acc|precision|recall|auc|metrics?|error|mse|rmse|correct\w*|global_step|learning_rate)(_?\d+)?(/|$)"
)
_LABEL_NAME = re.compile(r"(?i)(^|/|_)(labels?|targets?|y_?true|y_?|y[-_]input|ground_?truth|gt\w*)(_?\d+)?$")
# Libraries make these in passing.
_SHAPES = frozenset(("Shape", "ShapeN", "Size", "Rank"))
_MOST_SLOTS = 8
_UNNAMED_CLASS = re.compile(r"(^|/)ArgMax(_\d+)?$")


@dataclass(frozen=True, slots=True)
class GraphInput:
    """A tensor to feed. shape: None where even the rank is unknown. key: its name in `signature`, where one has it."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None
    reasons: tuple[str, ...]
    key: str | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class GraphOutput:
    """A tensor that may be a result. score: higher is likelier; only its order means anything."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None
    score: float
    reasons: tuple[str, ...]
    key: str | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class GraphIO:
    """What a graph takes and gives. outputs: the likeliest first."""

    inputs: tuple[GraphInput, ...]
    outputs: tuple[GraphOutput, ...]

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {"inputs": [asdict(i) for i in self.inputs], "outputs": [asdict(o) for o in self.outputs]}


@takes_graphs()
def graph_io(graph: Graph) -> GraphIO:
    """Return inputs and outputs of a graph; see the module's text. Nothing is run."""
    used_by = role.consumers(graph)
    found = role.roles(graph, used_by)
    signed_inputs, signed_outputs = _signed(graph)
    taken = {i.name for i in signed_inputs}
    inputs = [*signed_inputs, *(i for i in _inputs(graph, used_by, found) if i.name not in taken)]
    named = {o.name for o in signed_outputs}
    guessed = [o for o in _outputs(graph, used_by, found) if o.name not in named]
    guessed.sort(key=lambda o: -o.score)
    return GraphIO(tuple(inputs), (*signed_outputs, *guessed))


def _is_pivot(op: Operation) -> bool:
    """Whether a node only marks a branch of a conditional."""
    return op.type == "Identity" and op.inputs[0].op.type == "Switch" and op.name.endswith(("/switch_t", "/switch_f"))


def _tensor_data(tensor: Tensor) -> tuple[str, str, tuple[int | None, ...] | None]:
    shape = None if tensor.shape.rank is None else tuple(tensor.shape.as_list())
    return tensor.name, tensor.dtype.base_dtype.name, shape


# By signatures


def _signed(graph: Graph) -> tuple[list[GraphInput], list[GraphOutput]]:
    """Return the inputs and outputs that signatures name, those of the default one first."""
    inputs: dict[str, GraphInput] = {}
    outputs: dict[str, GraphOutput] = {}
    names = sorted(graph.signature_defs, key=lambda n: (n != "serving_default", n.startswith("__"), n))
    for signature in (n for n in names if not n.startswith("__")):
        definition = graph.signature_defs[signature]
        for key, tensor in _info_tensors(graph, definition.inputs):
            reason = f"input {key!r} of signature {signature!r}"
            inputs.setdefault(tensor.name, GraphInput(*_tensor_data(tensor), (reason,), key, signature))
        for key, tensor in _info_tensors(graph, definition.outputs):
            reason = f"output {key!r} of signature {signature!r}"
            outputs.setdefault(tensor.name, GraphOutput(*_tensor_data(tensor), 1000.0, (reason,), key, signature))
    return list(inputs.values()), list(outputs.values())


def _info_tensors(graph: Graph, infos: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield key and tensor of each TensorInfo; those that the graph does not have are left out."""
    for key in sorted(infos):
        info = infos[key]
        names = [info.name] if info.name else []
        if info.WhichOneof("encoding") == "coo_sparse":
            sparse = info.coo_sparse
            names = [sparse.values_tensor_name, sparse.indices_tensor_name, sparse.dense_shape_tensor_name]
        for name in names:
            node, _, index = name.partition(":")
            op = graph._by_name.get(node)
            if op is not None and int(index or 0) < len(op.outputs):
                yield key, op.outputs[int(index or 0)]


# By the nodes


def _inputs(graph: Graph, used_by: list[list[Operation]], found: list[str]) -> list[GraphInput]:
    first: list[GraphInput] = []
    last: list[GraphInput] = []
    for op in graph.get_operations():
        if op.type in role.PLACEHOLDERS:
            users = {found[user._id] for user in used_by[op._id]}
            if found[op._id] == role.SAVER or (users and users <= {role.SAVER}):
                continue
            place, reasons = _placeholder(op, users, used_by)
            (first if place else last).append(GraphInput(*_tensor_data(op.outputs[0]), reasons))
        elif op.type in role.SOURCES and any(found[u._id] == role.MODEL for u in used_by[op._id]):
            reason = (f"what {op.type} reads: feed it to run without the input pipeline",)
            last += [GraphInput(*_tensor_data(tensor), reason) for tensor in op.outputs if tensor.consumers()]
    return [*first, *last]


def _placeholder(op: Operation, users: set[str], used_by: list[list[Operation]]) -> tuple[bool, tuple[str, ...]]:
    """Return whether the model itself takes a placeholder, and what there is to say of it."""
    reasons = ["placeholder" if op.type != "PlaceholderWithDefault" else "placeholder with a default: need not be fed"]
    if not used_by[op._id]:
        return False, (*reasons, "nothing uses it")
    if users <= {role.UPDATE, role.INITIAL}:
        return False, (*reasons, "assigned to a variable")
    if _LABEL_NAME.search(op.name) or all(user.type in role.LOSSES for user in used_by[op._id]):
        reasons.append("labels, by name or use: for training and evaluation")
    return op.type != "PlaceholderWithDefault", tuple(reasons)


def _outputs(graph: Graph, used_by: list[list[Operation]], found: list[str]) -> list[GraphOutput]:
    operations = graph.get_operations()
    fed = role.depends_on_input(operations)
    labelled = _after_labels(operations)
    candidates = _ends(operations, used_by, found, _before_weights(operations, found), labelled)
    if any(fed[op._id] for op in candidates):
        candidates = {op: why for op, why in candidates.items() if fed[op._id]}
    elif any(op.type in role.VARIABLES for op in operations):
        held = role.depends_on_input(operations, [op for op in operations if op.type in role.VARIABLES])
        candidates = {op: why for op, why in candidates.items() if held[op._id] and not _is_read(op)} or candidates
    candidates = {op: why for op, why in candidates.items() if op.type not in _SHAPES} or candidates
    whole = [op._id for op in operations if found[op._id] == role.MODEL and not labelled[op._id]]
    within = {node for node in whole if fed[node]} or set(whole)  # some graphs take nothing
    results = []
    for op, why in candidates.items():
        outputs = [tensor for tensor in role.outputs(op) if not tensor.consumers()] or role.outputs(op)[:1]
        outputs = outputs[:1] if op.type in ("Merge", "RefMerge") else outputs  # the other one tells the branch
        needs = role.ancestors([op])
        share = len(needs & within) / max(len(within), 1)
        if not outputs and not role.knows_outputs(op):
            results.append(GraphOutput(f"{op.name}:0", "unknown", None, 0.0, (why, "its dtype is not given")))
        for tensor in outputs[:_MOST_SLOTS]:
            score, reasons = _judge(op, tensor, share, labelled[op._id])
            if _is_for_metrics(op, labelled):
                score += _LABELLED
                reasons.append("only what needs labels uses it")
            results.append(GraphOutput(*_tensor_data(tensor), round(score, 1), (why, *reasons)))
    return results


def _is_for_metrics(op: Operation, labelled: list[bool]) -> bool:
    """Whether it is a class that nobody gave a name and that is compared with labels only."""
    users = [user for tensor in op.outputs for user in tensor.consumers()]
    return bool(users and _UNNAMED_CLASS.search(op.name)) and all(labelled[user._id] for user in users)


def _is_read(op: Operation) -> bool:
    return op.type in ("Identity", "ReadVariableOp") and op.inputs[0].op.type in role.VARIABLES


# A layer's main op: a node that one of these still follows is inside of the model.
_WEIGHTS = re.compile(r"(Batch)?MatMul(V2|V3)?$|Conv\dD|DepthwiseConv2dNative|Einsum|.*LSTM|.*GRU|TensorArrayWrite")


def _before_weights(operations: list[Operation], found: list[str]) -> set[int]:
    """Return the ids of nodes that a layer of the model still follows, or that a loop computes anew each time."""
    layers = [op for op in operations if _WEIGHTS.match(op.type) and found[op._id] == role.MODEL]
    return role.ancestors(tensor.op for op in layers for tensor in op.inputs) | role.inside_loops(operations)


def _ends(
    operations: list[Operation],
    used_by: list[list[Operation]],
    found: list[str],
    inner: set[int],
    labelled: list[bool],
) -> dict[Operation, str]:
    """Return the nodes that may give results, each with what makes it one."""
    ends: dict[Operation, str] = {}
    loops = role.inside_loops(operations)
    for op in operations:
        if found[op._id] != role.MODEL or op.type in ("Const", "Switch", *role.PLACEHOLDERS):
            continue
        users = used_by[op._id]
        inside = [user for user in users if found[user._id] == role.MODEL]
        if not users:
            if not _is_read(op) and not _is_pivot(op) and op.type not in role.SOURCES and op._id not in loops:
                ends[op] = "no node uses it"
        elif not inside:
            ends[op] = f"only {_list({found[user._id] for user in users})} nodes use it"
        elif op._id in inner:
            continue
        elif op.type in role.RESULT_TYPES:
            ends[op] = f"{'an' if op.type[0] in 'AEIOU' else 'a'} {op.type}"
        elif role.has_result_name(op):
            ends[op] = "named like a result"
        elif not labelled[op._id] and all(user.type in _COMPARES and labelled[user._id] for user in inside):
            for compared in _through_reshapes(op):
                ends[compared] = "compared with labels"
        losses = [user for user in users if user.type in role.LOSSES and user.inputs[0].op is op]
        if losses:
            for logits in _through_reshapes(op):
                ends[logits] = f"the logits of {losses[0].name}"
    return ends


# Ops that compare a prediction with labels where no loss of the library does.
_COMPARES = frozenset(("SquaredDifference", "Sub"))


def _through_reshapes(op: Operation) -> Iterator[Operation]:
    """Yield the node whose value `op` only gives another shape, as losses do with logits."""
    while op.type in ("Reshape", "Identity", "Cast", "StopGradient", "Squeeze") and not role.has_result_name(op):
        op = op.inputs[0].op
    yield op


def _list(words: set[str]) -> str:
    return " and ".join(sorted(words))


def _after_labels(operations: list[Operation]) -> list[bool]:
    """Return for each node, by its id, whether labels reach it, which nobody has when a model is used."""
    labels = [op for op in operations if op.type in role.PLACEHOLDERS and _LABEL_NAME.search(op.name)]
    losses = [op for op in operations if op.type in role.LOSSES]
    return role.depends_on_input(operations, [*labels, *losses])


# Points for what speaks for a tensor, and against it.
_LIKE_TYPE, _LIKE_NAME, _WHOLE_MODEL = 40.0, 40.0, 40.0
_LABELLED, _LOSS, _METRIC, _SCALAR = -60.0, -40.0, -40.0, -25.0


def _handed_on(tensor: Tensor) -> Operation:
    """Return the operation whose value a tensor is, past nodes that only hand it on."""
    while tensor.op.type in ("Identity", "IdentityN") and tensor.value_index < len(tensor.op.inputs):
        tensor = tensor.op.inputs[tensor.value_index]
    return tensor.op


def _judge(op: Operation, tensor: Tensor, share: float, labelled: bool) -> tuple[float, list[str]]:
    score = _WHOLE_MODEL * share
    reasons = [f"needs {share:.0%} of the model"]
    value = _handed_on(tensor)
    if value.type in role.RESULT_TYPES:
        score += _LIKE_TYPE
        reasons.append(f"{value.type} is a usual last step")
    if role.has_result_name(op) or role.has_result_name(value):
        score += _LIKE_NAME
        reasons.append("its name says so" if role.has_result_name(op) else f"the name of {value.name} says so")
    if labelled:
        score += _LABELLED
        reasons.append("needs labels")
    if _LOSS_NAME.search(op.name) or op.type in role.LOSSES:
        score += _LOSS
        reasons.append("a loss")
    elif _METRIC_NAME.search(op.name):
        score += _METRIC
        reasons.append("a number to watch")
    if tensor.shape.rank == 0 and op.type not in role.RESULT_TYPES:
        score += _SCALAR
        reasons.append("a single number")
    return score, reasons
