"""How large a graph is: parameters and arithmetic, whole and by name scope.

A parameter is an element of a variable or, where a graph has none, of a floating-point constant that is no scalar.
Arithmetic counts a multiplication and an addition as two operations, for the sizes that static shapes give;
unknown sizes, such as that of the batch, count as one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from icefloe import errors
from icefloe.analysis import roles
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.saver.variable_nodes import variables_of

_FLOATS = frozenset(("half", "bfloat16", "float32", "float64", "float16", "complex64", "complex128"))


@dataclass(frozen=True, slots=True)
class ScopeCost:
    """Parameters, their bytes, and arithmetic operations per run of a name scope's nodes; "" is the whole graph."""

    scope: str
    nodes: int
    parameters: int
    parameter_bytes: int
    flops: int


@dataclass(frozen=True, slots=True)
class GraphCosts:
    """What a graph costs. unknown: how many nodes of layers have shapes that leave their arithmetic open."""

    total: ScopeCost
    scopes: tuple[ScopeCost, ...]
    unknown: int

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return asdict(self)


@takes_graphs()
def graph_costs(graph: Graph, *, depth: int = 1) -> GraphCosts:
    """Return parameters and arithmetic of `graph`, summed up for each name scope down to `depth`.

    Raises: ValueError for a depth under 1.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])

    def add(name: str, index: int, amount: int) -> None:
        parts = name.split("/")[:-1][:depth]
        for length in range(len(parts) + 1):
            sums["/".join(parts[:length])][index] += amount

    for name, elements, size in _parameters(graph):
        add(name, 1, elements)
        add(name, 2, elements * size)
    unknown = 0
    found = roles.roles(graph, roles.consumers(graph))
    for op in graph.get_operations():
        add(op.name, 0, 1)
        count = _FLOPS.get(op.type)
        if count is None or found[op._id] not in (roles.MODEL, roles.GRADIENT):
            continue
        try:
            add(op.name, 3, count(op))
        except (_Open, errors.OpError, IndexError):
            unknown += 1
    rows = [ScopeCost(scope, *values) for scope, values in sums.items()]
    rows.sort(key=lambda row: row.scope)
    whole = next((row for row in rows if row.scope == ""), ScopeCost("", 0, 0, 0, 0))
    return GraphCosts(whole, tuple(row for row in rows if row.scope), unknown)


def _parameters(graph: Graph) -> list[tuple[str, int, int]]:
    """Return node name, elements and bytes of an element of each parameter."""
    variables = [
        (v.name, math.prod(n or 1 for n in v.shape), v.dtype.size) for v in variables_of(graph) if v.shape is not None
    ]
    if variables:
        return variables
    found = []
    for op in graph.get_operations():
        if op.type == "Const" and roles.outputs(op):
            tensor = op.outputs[0]
            sizes = tensor.shape.as_list() if tensor.shape.rank else []
            if sizes and tensor.dtype.name in _FLOATS:
                found.append((op.name, math.prod(n or 1 for n in sizes), tensor.dtype.size))
    return found


class _Open(Exception):
    """The shapes do not say how much there is to compute."""


def _sizes(tensor: Tensor) -> list[int]:
    if tensor.shape.rank is None:
        raise _Open
    return [1 if n is None else n for n in tensor.shape.as_list()]


def _matmul(op: Operation) -> int:
    transposed = any(op.has_attr(name) and op.get_attr(name) for name in ("transpose_a", "adj_x"))
    inner = _sizes(op.inputs[0])[-2 if transposed else -1]
    return 2 * math.prod(_sizes(op.outputs[0])) * inner


def _convolution(op: Operation) -> int:
    *window, channels, _ = _sizes(op.inputs[1])
    return 2 * math.prod(_sizes(op.outputs[0])) * math.prod(window) * channels


def _depthwise(op: Operation) -> int:
    height, width, *_ = _sizes(op.inputs[1])
    return 2 * math.prod(_sizes(op.outputs[0])) * height * width


def _kernel_gradient(op: Operation) -> int:
    *window, channels, _ = _sizes(op.outputs[0])
    return 2 * math.prod(_sizes(op.inputs[2])) * math.prod(window) * channels


def _input_gradient(op: Operation) -> int:
    *window, channels, _ = _sizes(op.inputs[1])
    return 2 * math.prod(_sizes(op.inputs[2])) * math.prod(window) * channels


def _einsum(op: Operation) -> int:
    sources = op.get_attr("equation").decode().replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    for labels, tensor in zip(sources, op.inputs):
        if "." in labels:
            raise _Open
        sizes.update(zip(labels, _sizes(tensor)))
    return 2 * math.prod(sizes.values())


def _elementwise(op: Operation) -> int:
    return math.prod(_sizes(op.outputs[0]))


def _reduction(op: Operation) -> int:
    return math.prod(_sizes(op.inputs[0]))


def _pooling(op: Operation) -> int:
    return math.prod(_sizes(op.outputs[0])) * math.prod(op.get_attr("ksize"))


def _rows(names: str, count: Callable[[Operation], int]) -> dict[str, Callable[[Operation], int]]:
    return dict.fromkeys(names.split(), count)


_FLOPS: dict[str, Callable[[Operation], int]] = {
    **_rows("MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 _FusedMatMul SparseMatMul QuantizedMatMul", _matmul),
    "Einsum": _einsum,
    **_rows("Conv2D Conv3D QuantizedConv2D _FusedConv2D", _convolution),
    **_rows("DepthwiseConv2dNative _FusedDepthwiseConv2dNative", _depthwise),
    **_rows("Conv2DBackpropFilter Conv3DBackpropFilterV2", _kernel_gradient),
    **_rows("Conv2DBackpropInput Conv3DBackpropInputV2", _input_gradient),
    **_rows("MaxPool AvgPool MaxPoolV2", _pooling),
    **_rows("Sum Mean Max Min Prod", _reduction),
    **_rows(
        "Add AddV2 Sub Mul Div RealDiv BiasAdd Relu Relu6 Elu Selu LeakyRelu Sigmoid Tanh Softmax Softplus Exp Log "
        "Sqrt Rsqrt Square SquaredDifference Maximum Minimum Pow Neg Abs Erf FusedBatchNorm FusedBatchNormV2 "
        "FusedBatchNormV3",
        _elementwise,
    ),
}
