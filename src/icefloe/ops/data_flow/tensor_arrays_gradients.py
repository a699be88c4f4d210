"""Gradient rules of TensorArrays: gradients are kept in an array of their own, one for each call of `gradients`."""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import colocate_with, control_dependencies, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable
from icefloe.graph.tensor import Tensor


def _source(tensor: Tensor) -> str:
    """Return what tells the call of `gradients` that made `tensor`: its scope. Raises: ValueError if none did."""
    parts = tensor.name.split("/")
    places = [i for i, part in enumerate(parts) if part.startswith("gradients")]
    if not places:
        raise ValueError(
            "Expected op/tensor name to start with gradients (excluding scope), got: "
            f"{tensor.name}. This means that a tf.gradients op with this op in its dependency path has a custom name "
            "that does not start with 'gradients'. Please make sure all calls to tf.gradients that include this op use "
            "the default names of the name scope."
        )
    return "/".join(parts[: places[-1] + 1])


def _gradient_array(handle: Tensor, source: str, flow: Tensor) -> tuple[Tensor, Tensor]:
    """Return handle and flow of the array that holds the gradients of the elements of `handle`."""
    with name_scope(None, "TensorArrayGrad", [handle]), colocate_with(handle):
        made = apply_op("TensorArrayGradV3", handle, flow, source=source)
        with control_dependencies([made[0]]):
            return made[0], apply_op("Identity", flow, name="gradient_flow")


def _write_barrier(op: Operation, flow: Tensor) -> Tensor:
    """Let the gradient array be made only when the forward one is written."""
    done = apply_op("Identity", op.outputs[0], name="flow_out")
    with control_dependencies([done]):
        return apply_op("Identity", flow, name="write_barrier")


@gradient("TensorArrayReadV3")
def read(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient is written where the element was read."""
    handle, index, flow = op.inputs
    made, flow = _gradient_array(handle, _source(grad), flow)
    with colocate_with(made):
        flow = apply_op("TensorArrayWriteV3", made, index, grad, flow, name="TensorArrayWrite/TensorArrayWriteV3")
    return [None, None, flow]


@gradient("TensorArrayWriteV3")
def write(op: Operation, flow: Tensor) -> list[Any]:
    """The gradient is read where the element was written."""
    handle, index = op.inputs[:2]
    source = _source(flow)
    flow = _write_barrier(op, flow)
    made, inner = _gradient_array(handle, source, flow)
    with colocate_with(made):
        return [None, None, apply_op("TensorArrayReadV3", made, index, inner, dtype=op.get_attr("T")), flow]


@gradient("TensorArrayGatherV3")
def gather(op: Operation, grad: Tensor) -> list[Any]:
    """The gradient is scattered to the elements."""
    handle, indices, flow = op.inputs
    made, flow = _gradient_array(handle, _source(grad), flow)
    with colocate_with(made):
        name = "TensorArrayScatter/TensorArrayScatterV3"
        return [None, None, apply_op("TensorArrayScatterV3", made, indices, grad, flow, name=name)]


@gradient("TensorArrayScatterV3")
def scatter(op: Operation, flow: Tensor) -> list[Any]:
    """The gradient is gathered from the elements."""
    handle, indices = op.inputs[:2]
    source = _source(flow)
    flow = _write_barrier(op, flow)
    made, inner = _gradient_array(handle, source, flow)
    with colocate_with(made):
        return [None, None, apply_op("TensorArrayGatherV3", made, indices, inner, dtype=op.get_attr("T")), flow]


@gradient("TensorArrayConcatV3")
def concat(op: Operation, grad: Tensor, _: Any) -> list[Any]:
    """The gradient is split among the elements."""
    handle, flow = op.inputs
    made, flow = _gradient_array(handle, _source(grad), flow)
    with colocate_with(made):
        name = "TensorArraySplit/TensorArraySplitV3"
        return [None, apply_op("TensorArraySplitV3", made, grad, op.outputs[1], flow, name=name)]


@gradient("TensorArraySplitV3")
def split(op: Operation, flow: Tensor) -> list[Any]:
    """The gradients of the elements, joined."""
    handle = op.inputs[0]
    source = _source(flow)
    flow = _write_barrier(op, flow)
    made, inner = _gradient_array(handle, source, flow)
    with colocate_with(made):
        joined = apply_op("TensorArrayConcatV3", made, inner, dtype=op.get_attr("T"))
    return [None, joined[0], None, flow]


not_differentiable(
    "TensorArray",
    "TensorArrayGrad",
    "TensorArraySize",
    "TensorArrayClose",
    "TensorArrayV2",
    "TensorArrayGradV2",
    "TensorArraySizeV2",
    "TensorArrayCloseV2",
    "TensorArrayV3",
    "TensorArrayGradV3",
    "TensorArrayGradWithShape",
    "TensorArraySizeV3",
    "TensorArrayCloseV3",
)
