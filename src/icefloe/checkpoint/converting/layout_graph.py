"""What a graph does with its variables, as far as that says how the axes of their values are ordered.

The nodes of a MetaGraphDef alone are looked at, those that compute gradients aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.checkpoint.converting.layouts import KEEP

if TYPE_CHECKING:
    from icefloe.proto import NodeDef

_MAX_BYTES = (1 << 31) - 1
_VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"))
# What hands a kernel on, from its first input; of a concatenation all inputs are looked at: the parts of a variable.
_HANDS_ON = frozenset(
    ("Identity", "ReadVariableOp", "Cast", "StopGradient", "ExpandDims", "Enter", "RefEnter", "Switch", "RefSwitch")
    + ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel")
    + ("CheckNumerics", "Snapshot", "PreventGradient")
)
# Op -> (number of the input that is the kernel, name of the layout).
_READERS: dict[str, tuple[int, str]] = {
    "Conv2D": (1, "conv"),
    "Conv3D": (1, "conv"),
    "DepthwiseConv2dNative": (1, "depthwise"),
    "Conv2DBackpropInput": (1, "conv_transpose"),
    "Conv3DBackpropInput": (1, "conv_transpose"),
    "Conv3DBackpropInputV2": (1, "conv_transpose"),
    "Gather": (0, KEEP),
    "GatherV2": (0, KEEP),
    "GatherNd": (0, KEEP),
    "ResourceGather": (0, KEEP),
    "ResourceGatherNd": (0, KEEP),
}
_PRODUCTS = {
    "MatMul": ("transpose_a", "transpose_b"),
    "BatchMatMul": ("adj_x", "adj_y"),
    "BatchMatMulV2": ("adj_x", "adj_y"),
    "SparseTensorDenseMatMul": ("", ""),
}
_GRADIENTS = re.compile(r"(?:.*/)?gradients(?:_\d+)?/")
_PART = re.compile(r"/part_\d+$")
_MAX_STEPS = 100


def readers_of_variables(path: str) -> dict[str, dict[str, str]]:
    """Return, by name of a variable of the MetaGraphDef in the file `path`, each layout that an op asks of it -> the
    name of such an op's node.

    Raises: NotFoundError if there is no file, DataLossError if it is no binary MetaGraphDef.
    """
    from google.protobuf.message import DecodeError

    from icefloe.proto import MetaGraphDef

    source = files.Source(path)
    try:
        if source.size > _MAX_BYTES:
            raise errors.DataLossError(f"a MetaGraphDef cannot have {source.size} bytes", path=path)
        meta = MetaGraphDef.FromString(source.read(0, source.size))
    except DecodeError:
        raise errors.DataLossError("no binary MetaGraphDef", path=path) from None
    finally:
        source.close()
    nodes = {node.name: node for node in meta.graph_def.node}
    found: dict[str, dict[str, str]] = {}
    for node in nodes.values():
        if _GRADIENTS.match(node.name):
            continue
        for kernel, layout in _reads(node):
            for name in _variables(nodes, kernel):
                found.setdefault(name, {}).setdefault(layout, f"{node.op} {node.name}")
    return found


def _reads(node: NodeDef) -> Iterator[tuple[str, str]]:
    """Yield `(input, layout)` of what a node may read as a kernel."""
    if node.op in _READERS:
        place, layout = _READERS[node.op]
        if place < len(node.input):
            yield node.input[place], layout
    elif node.op in _PRODUCTS:
        first, second = _PRODUCTS[node.op]
        if node.op == "SparseTensorDenseMatMul":
            if len(node.input) > 3:
                yield node.input[3], KEEP if "adjoint_b" in node.attr and node.attr["adjoint_b"].b else "dense"
            return
        if len(node.input) > 1:
            # x W has the kernel I O; x W^T and W x have it as O I already.
            yield node.input[1], KEEP if second in node.attr and node.attr[second].b else "dense"
            yield node.input[0], "dense" if first in node.attr and node.attr[first].b else KEEP


def _variables(nodes: dict[str, NodeDef], start: str) -> Iterator[str]:
    """Yield the names of the variables that an input hands on as they are; the parts of one under its own name."""
    waiting = [start]
    for _ in range(_MAX_STEPS):
        if not waiting:
            return
        node = nodes.get(waiting.pop().removeprefix("^").partition(":")[0])
        if node is None:
            continue
        if node.op in _VARIABLES:
            yield _PART.sub("", node.name)
        elif node.op in _HANDS_ON:
            waiting += node.input[:1]
        elif node.op == "ConcatV2":
            waiting += [i for i in node.input[:-1] if not i.startswith("^")]
