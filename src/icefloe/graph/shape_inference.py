"""Static shapes: how the shape rule of an op is called, and what rules share.

    @shape("MatMul")
    def matmul_shape(c):
        (m, k), (k2, n) = with_rank(c.shape(0), 2), with_rank(c.shape(1), 2)
        ...
        return [(m, n)]

A rule takes a `ShapeContext` and returns a list with one shape per output, in the plain form: a tuple of int and
None, or None for unknown rank. It raises `errors.InvalidArgumentError` for shapes that cannot be. When an op is
built, its rule runs at once and an error becomes a ValueError, as TensorFlow's; for a node read from a file it runs
when its shape is first asked for, and an error leaves the shapes unknown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from icefloe import datatypes, errors, shapes
from icefloe.graph import attributes, registry
from icefloe.graph.constant_value import known_value
from icefloe.graph.partial_shape import known_shape
from icefloe.graph.tensor import PENDING, HandleData
from icefloe.shapes import Dims, merge, shape_text

if TYPE_CHECKING:
    from icefloe.graph.operation import Operation
    from icefloe.graph.tensor import Tensor

__all__ = [
    "Dims",
    "ShapeContext",
    "broadcast",
    "broadcast_shapes",
    "concatenate",
    "infer_new",
    "infer_pending",
    "merge",
    "merge_sizes",
    "scalar",
    "shape_text",
    "unchanged",
    "unknown",
    "with_rank",
    "with_rank_at_least",
    "with_rank_at_most",
]


class ShapeContext:
    """What a shape rule may ask about the op whose shapes it works out."""

    __slots__ = ("_op", "asked_shapes", "asked_values", "handles")

    def __init__(self, op: Operation) -> None:
        self._op = op
        # What the rule was told of values of inputs, for messages.
        self.asked_values: dict[int, np.ndarray] = {}
        self.asked_shapes: dict[int, Dims] = {}
        # What a rule says of handles it puts out: output index -> ((dtype, shape), ...).
        self.handles: dict[int, HandleData] = {}

    @property
    def op(self) -> str:
        """The op type."""
        return self._op.type

    @property
    def name(self) -> str:
        """The node's name."""
        return self._op.name

    @property
    def graph_def_version(self) -> int:
        """The GraphDef version of who made the graph; some old ones wrote attrs in another sense."""
        return self._op.graph.graph_def_versions.producer

    @property
    def num_inputs(self) -> int:
        """The number of input tensors, lists counted through."""
        return len(self._op.inputs)

    @property
    def num_outputs(self) -> int:
        """The number of output tensors, lists counted through."""
        return len(self._op.outputs)

    def shape(self, i: int) -> Dims:
        """Return the shape of input `i`."""
        return self._op.inputs[i]._static_dims()

    def dtype(self, i: int) -> datatypes.DType:
        """Return the value dtype of input `i`."""
        return self._op.inputs[i].dtype.base_dtype

    def constant(self, i: int) -> np.ndarray | None:
        """Return the value of input `i` where it is known without running, else None."""
        value = known_value(self._op.inputs[i])
        if value is not None:
            self.asked_values[i] = value
        return value

    def shape_value(self, i: int) -> Dims:
        """Return input `i`, an integer vector, read as a shape: partly known where it is; a scalar -1 is an unknown
        rank.

        Raises: InvalidArgumentError if it is known and no shape.
        """
        shape = known_shape(self._op.inputs[i])
        if shape is not None:
            self.asked_shapes[i] = shape
        return shape

    def attr(self, name: str) -> Any:
        """Return attr `name` as a kernel takes it."""
        return self._op.kernel_attr(name)

    def has_attr(self, name: str) -> bool:
        """Whether the node itself holds attr `name`."""
        return self._op.has_attr(name)

    def group(self, name: str) -> range:
        """Return the flat indices of input argument `name`, of a list or of one tensor."""
        signature = self._op.signature
        assert signature is not None
        start = 0
        for arg in signature.inputs:
            if arg.type_list_attr:
                size = len(self._op.kernel_attr(arg.type_list_attr))
            else:
                size = self._op.kernel_attr(arg.number_attr) if arg.number_attr else 1
            if arg.name == name:
                return range(start, start + size)
            start += size
        raise KeyError(f"{self._op.type} has no input {name!r}")

    def handle(self, i: int) -> tuple[datatypes.DType, Dims] | None:
        """Return (dtype, shape) of what is behind the resource handle that is input `i`, or None if it is not known."""
        data = handle_data(self._op.inputs[i])
        return data[0] if data else None

    def handles_of(self, i: int) -> HandleData:
        """Return (dtype, shape) of each tensor behind the handle that is input `i`, none where they are not known:
        keys and values of a table, components of an optional.
        """
        return handle_data(self._op.inputs[i]) or ()

    def set_handle(self, output: int, dtype: datatypes.DType, shape: Dims) -> None:
        """Say what lies behind the handle that is output `output`."""
        self.handles[output] = ((dtype, shape),)

    def set_handles(self, output: int, parts: Iterable[tuple[datatypes.DType, Dims]]) -> None:
        """Say what lies behind the handle that is output `output`, where it is several tensors."""
        self.handles[output] = tuple(parts)


# Ready-made rules


def unchanged(c: ShapeContext) -> list[Dims]:
    """Output 0 has the shape of input 0."""
    return [c.shape(0)]


def scalar(c: ShapeContext) -> list[Dims]:
    """Every output is a scalar."""
    return [()] * c.num_outputs


def unknown(c: ShapeContext) -> list[Dims]:
    """Nothing is known of any output."""
    return [None] * c.num_outputs


def broadcast(c: ShapeContext) -> list[Dims]:
    """Output 0 has the shape that inputs 0 and 1 broadcast to."""
    return [broadcast_shapes(c.shape(0), c.shape(1))]


# What rules share


def merge_sizes(a: int | None, b: int | None) -> int | None:
    """Return what is known of either size of a dimension. Raises: InvalidArgumentError if they are known to differ."""
    if a is not None and b is not None and a != b:
        raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {a} and {b}")
    return b if a is None else a


def broadcast_shapes(a: Dims, b: Dims) -> Dims:
    """Return the shape that two shapes broadcast to.

    An unknown size against a known one above 1 must be 1 or that one, so the result is the known one.

    Raises: InvalidArgumentError if they do not.
    """
    if a is None or b is None:
        return None
    if a == b and None not in a:
        return a
    if len(a) < len(b):
        long, short = b, (1,) * (len(b) - len(a)) + a
    else:
        long, short = a, (1,) * (len(a) - len(b)) + b
    result: list[int | None] = []
    for x, y in zip(long, short):
        if x == y:
            result.append(x)
        elif x == 1:
            result.append(y)
        elif y == 1:
            result.append(x)
        elif x is None or y is None:
            result.append(y if x is None else x)
        else:
            first, second = (y, x) if long is b else (x, y)
            raise errors.InvalidArgumentError(f"Dimensions must be equal, but are {first} and {second}")
    return tuple(result)


def concatenate(a: Dims, b: Dims) -> Dims:
    """Return the sizes of `a` followed by those of `b`; unknown rank if either is unknown."""
    return None if a is None or b is None else a + b


def with_rank(shape: Dims, rank: int) -> tuple[int | None, ...]:
    """Return `shape` with this rank. Raises: InvalidArgumentError if it has another."""
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        raise errors.InvalidArgumentError(f"Shape must be rank {rank} but is rank {len(shape)}")
    return shape


def with_rank_at_least(shape: Dims, rank: int) -> Dims:
    """Return `shape`. Raises: InvalidArgumentError if its rank is known and less."""
    if shape is not None and len(shape) < rank:
        raise errors.InvalidArgumentError(f"Shape must be at least rank {rank} but is rank {len(shape)}")
    return shape


def with_rank_at_most(shape: Dims, rank: int) -> Dims:
    """Return `shape`. Raises: InvalidArgumentError if its rank is known and more."""
    if shape is not None and len(shape) > rank:
        raise errors.InvalidArgumentError(f"Shape must be at most rank {rank} but is rank {len(shape)}")
    return shape


def handle_data(tensor: Tensor) -> HandleData | None:
    """Return what lies behind a resource handle or variant."""
    tensor._static_dims()
    return tensor._handle_data


# Calling rules

# Ops whose output handle is that of an input: the input of each output.
_SAME_HANDLE: dict[str, Any] = {
    **dict.fromkeys(
        """Identity RefIdentity StopGradient PreventGradient Enter RefEnter Exit RefExit NextIteration RefNextIteration
        LoopCond PlaceholderWithDefault Snapshot DebugIdentityV2""".split(),  # noqa: SIM905
        lambda output: 0,
    ),
    **dict.fromkeys(("Switch", "RefSwitch"), lambda output: 0),
    **dict.fromkeys(("Merge", "RefMerge"), lambda output: 0 if output == 0 else None),
    "IdentityN": lambda output: output,
}


def _run_rule(op: Operation) -> None:
    """Put shapes on the outputs of `op`, whose inputs have theirs. Raises: InvalidArgumentError from the rule."""
    outputs = op.outputs
    if op.type == "Const":  # its rule would take the value, which may be large, out of its message
        value = op._node_attrs().get("value")
        outputs[0]._dims = None if value is None else shapes.dims_from_proto(value.tensor.tensor_shape)
        return
    rule = registry.find_shape(op.type) if op.signature is not None else None
    if rule is None:
        for tensor in outputs:
            tensor._dims = None
        return
    context = ShapeContext(op)
    try:
        found = rule(context)
    except errors.InvalidArgumentError as error:
        raise errors.InvalidArgumentError(f"{error.message} for {_described(context)}") from None
    if len(found) != len(outputs):
        raise errors.InternalError(f"shape rule of {op.type} gave {len(found)} shapes for {len(outputs)} outputs")
    for tensor, dims in zip(outputs, found):
        tensor._dims = None if dims is None else tuple(dims)
    for index, data in context.handles.items():
        outputs[index]._handle_data = data
    same = _SAME_HANDLE.get(op.type)
    if same is not None:
        for tensor in outputs:
            source = same(tensor.value_index)
            if source is not None and tensor._handle_data is None and source < len(op.inputs):
                tensor._handle_data = op.inputs[source]._handle_data


def infer_new(op: Operation) -> None:
    """Put shapes on the outputs of an op that is being built.

    Raises: InvalidArgumentError, with the node and its input shapes, if the rule refuses.
    """
    _run_rule(op)


def infer_pending(op: Operation) -> None:
    """Put shapes on the outputs of `op` and of what it depends on, where that was put off."""
    pending = [op]
    opened: set[int] = set()
    while pending:
        current = pending[-1]
        if all(t._dims is not PENDING for t in current.outputs):
            pending.pop()
            continue
        if current._id not in opened:
            opened.add(current._id)
            # A loop's back edge leads to an op that is open already; its shape counts as unknown.
            waiting = [t.op for t in current.inputs if t._dims is PENDING and t.op._id not in opened]
            if waiting:
                pending.extend(reversed(waiting))
                continue
        _infer_loaded(current)
        pending.pop()


def _infer_loaded(op: Operation) -> None:
    unknown_inputs = [t for t in op.inputs if t._dims is PENDING]
    for tensor in unknown_inputs:
        tensor._dims = None
    try:
        _run_rule(op)
    except Exception:  # the node may be any nonsense: wrong attrs, too few inputs; what it is fails when it is run
        for tensor in op.outputs:
            tensor._dims = None
    finally:
        for tensor in unknown_inputs:
            if tensor._dims is None and tensor.op is not op:
                tensor._dims = PENDING
    _take_hints(op)


def _take_hints(op: Operation) -> None:
    """Add what attr `_output_shapes` says, where it does not contradict what was inferred."""
    hints: Any = op.graph._shape_hints.get(op._id)
    if hints is None:
        value = op._node_attrs().get("_output_shapes")
        hints = () if value is None else value.list.shape
    if len(hints) != len(op.outputs):
        return
    for tensor, hint in zip(op.outputs, hints):
        with contextlib.suppress(errors.InvalidArgumentError):
            tensor._dims = merge(tensor._dims, shapes.dims_from_proto(hint))


def _described(context: ShapeContext) -> str:
    """Return the end of TensorFlow's messages about a node: its attrs, inputs and what was known of them."""
    op = context._op
    attrs = ", ".join(f"{key}={attributes.summary(value)}" for key, value in sorted(op._node_attrs().items()))
    inputs = ", ".join([t._as_node_def_input() for t in op.inputs] + [f"^{c.name}" for c in op.control_inputs])
    text = f"'{{{{node {op.name}}}}} = {op.type}[{attrs}]({inputs})' with input shapes: "
    text += ", ".join("?" if t._static_dims() is None else shape_text(t._static_dims()) for t in op.inputs)
    values = [f"input[{i}] = <{_value_text(v)}>" for i, v in sorted(context.asked_values.items()) if v.size <= 256]
    if values:
        text += f" and with computed input tensors: {', '.join(values)}"
    known = [f"input[{i}] = {shape_text(s)}" for i, s in sorted(context.asked_shapes.items())]
    if known:
        text += f" and with input tensors computed as partial shapes: {','.join(known)}"
    return text + "."


def _value_text(value: np.ndarray) -> str:
    """Return an array as C++ summarizes it: `1 2`, or `[1 2][3 4]` for a matrix."""
    if value.ndim > 1:
        return "".join(f"[{_value_text(row)}]" for row in value)
    return " ".join(str(v).lower() if value.dtype == np.bool_ else str(v) for v in value.ravel().tolist())
