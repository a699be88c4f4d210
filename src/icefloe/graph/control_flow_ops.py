"""The nodes of conditionals and loops for one tensor: Switch, Merge, Enter, Exit, NextIteration.

Each takes its form for references where it gets one. `lib.control_flow_values` has those of structured values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.tensor import Tensor


def _form(op_type: str, tensor: Tensor) -> str:
    return f"Ref{op_type}" if tensor.dtype._is_ref_dtype else op_type


def switch(data: Any, pred: Any, name: str | None = None) -> Any:
    """Return `data` twice, as (output_false, output_true): alive where `pred`, a bool scalar, says so, dead in the
    other.
    """
    with name_scope(name, "Switch", [data, pred]) as scope:
        data = convert_to_tensor(data, name="data", as_ref=True)
        pred = convert_to_tensor(pred, name="pred")
        return apply_op("Switch", data, pred, name=scope)


def switch_colocated(data: Tensor, pred: Tensor, name: str = "Switch") -> Any:
    """Return `data` as `switch` does, placed with it, as a reference if it is one."""
    with colocate_with(data, ignore_existing=True):
        if data.dtype._is_ref_dtype:
            return apply_op("RefSwitch", data, pred, name=name)
        return switch(data, pred, name=name)


def merge(inputs: Sequence[Any], name: str | None = None) -> Any:
    """Return (output, value_index): the one of `inputs` that is alive, and which it is.

    Raises: ValueError if one is None.
    """
    if any(value is None for value in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    with name_scope(name, "Merge", inputs) as scope:
        tensors = [convert_to_tensor(value, as_ref=True) for value in inputs]
        all_references = all(t.dtype._is_ref_dtype for t in tensors)
        return apply_op("RefMerge" if all_references else "Merge", tensors, name=scope)


def enter(
    tensor: Any,
    frame_name: str,
    *,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return `tensor` inside the loop of this frame; with `is_constant`, in every iteration."""
    tensor = convert_to_tensor(tensor, as_ref=True)
    result = apply_op(
        _form("Enter", tensor) if use_ref else "Enter",
        tensor,
        frame_name=frame_name,
        is_constant=is_constant,
        parallel_iterations=parallel_iterations,
        name=name,
    )
    if use_input_shape:
        result.set_shape(tensor.shape)
    return result


def leave(tensor: Any, name: str | None = None) -> Tensor:
    """Return `tensor`, of a loop, outside of it: an Exit."""
    tensor = convert_to_tensor(tensor, as_ref=True)
    return apply_op(_form("Exit", tensor), tensor, name=name)


def next_iteration(tensor: Any, name: str | None = None) -> Tensor:
    """Return `tensor`, of a loop, in the next iteration."""
    tensor = convert_to_tensor(tensor, as_ref=True)
    return apply_op(_form("NextIteration", tensor), tensor, name=name)
