"""`tf.TensorArray`: tensors written and read by index, in loops above all.

In TensorFlow 1's graphs it is a resource, and a scalar, its flow, orders what is done with it. Where conditionals and
loops call functions it is a tensor list instead, which is the flow.

Source: tensorflow/python/ops/tensor_array_ops.py (arguments).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.default_graph import name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec, type_spec_from_value
from icefloe.lib.control_flow_toggles import use_control_flow_v2
from icefloe.lib.tensor_array_kinds import HandleArray, ListArray
from icefloe.lib.tensor_lists import tensor_list_from_tensor
from icefloe.shapes import TensorShape, as_shape


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

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec.from_value(self)

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


class TensorArraySpec(TypeSpec):
    """What is known of a TensorArray: shape and dtype of its elements, whether it grows, whether all have one shape."""

    value_type = TensorArray

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = datatypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = as_shape(element_shape)
        self._dtype = datatypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @staticmethod
    def from_value(value: Any) -> TensorArraySpec:
        """Return the spec of a TensorArray. Raises: TypeError if it is none."""
        _check_array(value)
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is of an array of the same dtype that grows if this does; shapes do not count."""
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype == other._dtype
            and self._dynamic_size == other._dynamic_size
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the spec that says what this and all of `others` say; None if they differ in more than shapes.

        Of specs of several kinds that is False, as in TensorFlow.
        """
        if not all(isinstance(other, TensorArraySpec) for other in others):
            return False
        shape = self._element_shape.most_specific_common_supertype([other._element_shape for other in others])
        if shape is None or not all(self.is_subtype_of(other) for other in others):
            return None
        infer_shape = all(spec._infer_shape for spec in (self, *others))
        return TensorArraySpec(shape, self._dtype, self._dynamic_size, infer_shape)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether an array may fit both this and another spec, or be the one given; `infer_shape` does not count."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype.is_compatible_with(other._dtype)
            and self._element_shape.is_compatible_with(other._element_shape)
            and self._dynamic_size == other._dynamic_size
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        return (TensorSpec([], datatypes.variant),)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        _check_array(value)
        if value.flow is not None and value.flow.dtype == datatypes.variant:
            return (value.flow,)
        with name_scope("convert_tensor_array"):
            return (tensor_list_from_tensor(value.stack(), value.element_shape),)

    def _from_components(self, components: Sequence[Any]) -> Any:
        made = TensorArray(
            self._dtype, flow=components[0], dynamic_size=self._dynamic_size, infer_shape=self._infer_shape
        )
        made._implementation._element_shape = [self._element_shape]
        return made


def _check_array(value: Any) -> None:
    if not isinstance(value, TensorArray):
        raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")


def build_ta_with_new_flow(old_ta: TensorArray, flow: Any) -> TensorArray:
    """Return `old_ta` in the state that `flow` stands for; see `TensorArray.with_flow`."""
    return old_ta.with_flow(flow)
