"""Order among the ops of a traced function: as the Python function made them.

What changes a resource runs after what was made before and uses it; other ops with state run one after the other; and
all of them run before the results are there, whether or not a result needs them.

Source: tensorflow/python/framework/auto_control_deps.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

# Ops with state that need no order, because each draws from its own stream.
_FREE = frozenset(
    """RandomUniform RandomUniformInt RandomStandardNormal ParameterizedTruncatedNormal TruncatedNormal RandomShuffle
    Multinomial RandomGamma RandomGammaGrad RandomPoisson RandomPoissonV2""".split()  # noqa: SIM905
)
_IGNORED = frozenset(("VarHandleOp", "Placeholder", "_Arg", "NoOp", "Const"))
_OTHER = None
# Ops that only read the resources they take.
_READERS = ("ReadVariableOp", "VariableShape", "ResourceGather", "ResourceGatherNd", "_ReadVariablesOp")
READ_ONLY = "_read_only_resource_inputs"


def order(operations: Sequence[Operation], results: Sequence[Tensor]) -> list[Operation]:
    """Add control edges among `operations`, and from those with state to the results; return those with state."""
    writer: dict[int | None, Operation] = {}
    readers: dict[int, list[Operation]] = {}
    must_run: list[Operation] = []
    for op in operations:
        if op.type in _IGNORED or op._control_flow_context is not None:
            continue
        stateful = op._is_stateful and op.type not in _FREE
        if stateful:
            must_run.append(op)
        resources = {id(x): x for x in op.inputs if x.dtype.name == "resource"}
        before: dict[Operation, None] = {}
        for key, tensor in resources.items():
            if key in writer:
                before[writer[key]] = None
            if reads_resource_only(op, tensor):
                readers.setdefault(key, []).append(op)
            else:
                before.update(dict.fromkeys(readers.pop(key, ())))
                writer[key] = op
        if stateful and not resources:
            if _OTHER in writer:
                before[writer[_OTHER]] = None
            writer[_OTHER] = op
        known = {*op.control_inputs, *(x.op for x in op.inputs)}
        added = [source for source in before if source is not op and source not in known]
        if added:
            op._add_control_inputs(added)
    if must_run:
        for op in dict.fromkeys(tensor.op for tensor in results):
            op._add_control_inputs([source for source in must_run if source is not op])
    return must_run


def reads_resource_only(op: Operation, tensor: Tensor) -> bool:
    """Whether `op`, which takes a resource, does not change it."""
    if op.type in _READERS:
        return True
    if not op.has_attr(READ_ONLY):
        return False
    return any(op.inputs[i] is tensor for i in op.get_attr(READ_ONLY))
