"""`tf.TensorArray`: tensors written and read by index, in loops above all.

In TensorFlow 1's graphs it is a resource, and a scalar, its flow, orders what is done with it. Where conditionals and
loops call functions it is a tensor list instead, which is the flow.

Source: tensorflow/python/ops/tensor_array_ops.py (arguments).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.control_flow_toggles import use_control_flow_v2
from icefloe.lib.tensor_array_kinds import HandleArray, ListArray
from icefloe.shapes import TensorShape


class TensorArray:
    """An array of tensors that is written and read by index.

    Writing gives another TensorArray; go on with that one, so that what follows comes after the write.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        """Make an array of `size` elements of `dtype`, or with `handle` and `flow` stand for one that there is.

        dynamic_size: let writes past the end make it larger. clear_after_read: let each element be read once only (the
        default). infer_shape: all elements must have one shape. element_shape: what is known of it.

        Raises: ValueError, TypeError if arguments contradict each other.
        """
        is_list = (flow is not None and flow.dtype == datatypes.variant) or use_control_flow_v2(get_default_graph())
        implementation: Any = ListArray if is_list else HandleArray
        self._implementation: Any = implementation(
            TensorArray,
            dtype,
            size=size,
            dynamic_size=dynamic_size,
            clear_after_read=clear_after_read,
            tensor_array_name=tensor_array_name,
            handle=handle,
            flow=flow,
            infer_shape=infer_shape,
            element_shape=element_shape,
            colocate_with_first_write_call=colocate_with_first_write_call,
            name=name,
        )

    @property
    def flow(self) -> Any:
        """The tensor that later ops on the array depend on."""
        return self._implementation._flow

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype of the elements."""
        dtype: datatypes.DType = self._implementation._dtype
        return dtype

    @property
    def handle(self) -> Any:
        """The tensor by which ops know the array; None where it is a tensor list."""
        return self._implementation.handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        shape: TensorShape = self._implementation.element_shape
        return shape

    @property
    def dynamic_size(self) -> Any:
        """Whether writes past the end make the array larger."""
        return self._implementation._dynamic_size

    @property
    def _infer_shape(self) -> bool:
        inferred: bool = self._implementation._infer_shape
        return inferred

    def with_flow(self, flow: Any) -> TensorArray:
        """Return this array in the state that `flow` stands for, as after a loop."""
        found: TensorArray = self._implementation.followed(flow)
        return found

    def mark_used(self) -> None:
        """Do nothing: TensorFlow warns of arrays that were written and not used, unless told so."""

    def identity(self) -> TensorArray:
        """Return the array such that what is done with it comes after the control dependencies in force now."""
        found: TensorArray = self._implementation.identity()
        return found

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> TensorArray:
        """Return the array of this array's gradients, of which each `source` has its own."""
        found: TensorArray = self._implementation.grad(source, flow=flow, name=name)
        return found

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Return the element at `index`."""
        return self._implementation.read(index, name=name)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with `value` at `index`. Raises: ValueError if the value's shape does not fit."""
        found: TensorArray = self._implementation.write(index, value, name=name)
        return found

    def stack(self, name: str | None = None) -> Tensor:
        """Return all elements, which have one shape, along a new first axis."""
        return self._implementation.stack(name=name)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the elements at `indices`, which have one shape, along a new first axis."""
        return self._implementation.gather(indices, name=name)

    def concat(self, name: str | None = None) -> Tensor:
        """Return all elements joined along their first axis."""
        return self._implementation.concat(name=name)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of `value` as its elements. Raises: ValueError if their shape does not fit."""
        found: TensorArray = self._implementation.unstack(value, name=name)
        return found

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of `value` at `indices`. Raises: ValueError if their shape does not fit."""
        found: TensorArray = self._implementation.scatter(indices, value, name=name)
        return found

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Return the array with pieces of `value` of these lengths along its first axis as its elements.

        Raises: ValueError if their shape does not fit.
        """
        found: TensorArray = self._implementation.split(value, lengths, name=name)
        return found

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of elements."""
        return self._implementation.size(name=name)

    def close(self, name: str | None = None) -> Operation:
        """Return the operation that drops all elements."""
        return self._implementation.close(name=name)


def build_ta_with_new_flow(old_ta: TensorArray, flow: Any) -> TensorArray:
    """Return `old_ta` in the state that `flow` stands for; see `TensorArray.with_flow`."""
    return old_ta.with_flow(flow)
