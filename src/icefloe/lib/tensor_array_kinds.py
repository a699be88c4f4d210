"""The two kinds of TensorArrays: a resource with a handle, as in TensorFlow 1's graphs, and a tensor list, where
conditionals and loops call functions. See `tensor_array`.

Source: tensorflow/python/ops/tensor_array_ops.py (messages, names of nodes).
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with, control_dependencies, device, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib import tensor_lists
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.constants import get_static_value
from icefloe.lib.control import identity, no_op
from icefloe.lib.control_flow_toggles import use_control_flow_v2
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range as range_of
from icefloe.shapes import TensorShape, as_shape


class Implementation:
    """What both kinds of arrays have in common.

    `_element_shape` is a list of one, shared by all arrays that follow from each other: what a write says of the shape
    holds for reads that were built before.
    """

    _flow: Any
    _handle: Any = None
    _colocate_with: list[Any] | None = None
    _colocate_with_first_write_call: bool | None = None

    def __init__(
        self,
        make: Callable[..., Any],
        dtype: Any,
        size: Any,
        dynamic_size: bool | None,
        infer_shape: bool,
        element_shape: Any,
    ) -> None:
        """make: makes a TensorArray, with its arguments."""
        self._make = make
        self._dtype = datatypes.as_dtype(dtype).base_dtype
        self._size = size
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape
        self._element_shape: list[TensorShape] = [as_shape(element_shape)]

    @property
    def element_shape(self) -> TensorShape:
        return self._element_shape[0]

    @property
    def handle(self) -> Any:
        return self._handle

    def _check_element_shape(self, shape: TensorShape) -> None:
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self.element_shape} ")
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(shape)

    def _converted(self, value: Any) -> Tensor:
        value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        if value.dtype != self._dtype:
            logging.getLogger("icefloe").error(
                "Error: Input value %s has dtype %s, but expected dtype %s.  This leads to undefined behavior and will "
                "be an error in future versions of TensorFlow.",
                value,
                value.dtype,
                self._dtype,
            )
        return value

    def _check_lengths(self, value: Tensor, lengths: Tensor) -> None:
        """Take from lengths that are all the same what they say of the elements' shape."""
        known = get_static_value(lengths)
        if value.shape.rank is not None and known is not None and known.shape and known.max() == known.min():
            self._check_element_shape(TensorShape([known[0]]).concatenate(value.shape[1:]))

    def followed(self, flow: Any) -> Any:
        """Return a TensorArray that stands for this array in the state of `flow`."""
        if not isinstance(self, ListArray) and use_control_flow_v2(get_default_graph()):
            raise NotImplementedError(
                "Attempting to build a graph-mode TF2-style TensorArray from either an eager-mode TensorArray or a "
                "TF1-style TensorArray.  This is not currently supported.  You may be attempting to capture a "
                "TensorArray inside a tf.function or tf.data map function. Instead, construct a new TensorArray "
                "inside the function."
            )
        made = self._make(
            dtype=self._dtype,
            handle=self._handle,
            flow=flow,
            infer_shape=self._infer_shape,
            colocate_with_first_write_call=self._colocate_with_first_write_call,
        )
        new = made._implementation
        new._dynamic_size = self._dynamic_size
        new._size = self._size
        new._colocate_with = self._colocate_with
        new._element_shape = self._element_shape
        return made

    def identity(self) -> Any:
        return self.followed(identity(self._flow))


class HandleArray(Implementation):
    """An array that is a resource."""

    def __init__(
        self,
        make: Callable[..., Any],
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
        if handle is not None and tensor_array_name:
            raise ValueError("Cannot provide both `handle` and `tensor_array_name` arguments at the same time.")
        if handle is not None and not isinstance(handle, Tensor):
            raise TypeError(f"Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` instead.")
        if handle is None and size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        given = {
            "size": size,
            "element_shape": element_shape,
            "dynamic_size": dynamic_size,
            "clear_after_read": clear_after_read,
        }
        for word, value in given.items():
            if handle is not None and value is not None:
                text = "a `handle` and `size`" if word == "size" else f"`handle` and `{word}`"
                raise ValueError(f"Cannot provide both {text} arguments at the same time.")
        super().__init__(make, dtype, size, dynamic_size or False, infer_shape, element_shape)
        self._colocate_with_first_write_call = colocate_with_first_write_call
        self._colocate_with = [] if colocate_with_first_write_call else None
        with name_scope(name, "TensorArray", [handle, size, flow]) as scope, contextlib.ExitStack() as stack:
            if handle is not None:
                if flow is None:
                    raise ValueError("flow must not be None if handle is not None.")
                self._handle, self._flow = handle, flow
                return
            if colocate_with_first_write_call:
                # The first write decides the device.
                stack.enter_context(device(None))
                stack.enter_context(colocate_with(None, ignore_existing=True))
            self._handle, self._flow = apply_op(
                "TensorArrayV3",
                size,
                dtype=self._dtype,
                element_shape=element_shape,
                identical_element_shapes=infer_shape,
                dynamic_size=self._dynamic_size,
                clear_after_read=True if clear_after_read is None else clear_after_read,
                tensor_array_name=tensor_array_name,
                name=scope,
            )

    @contextlib.contextmanager
    def _colocated(self, value: Tensor) -> Iterator[None]:
        if self._colocate_with is None:
            yield
            return
        if not self._colocate_with:
            self._colocate_with.append(value)
        with colocate_with(self._colocate_with[0]):
            yield

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]), colocate_with(self._handle):
            handle, _ = apply_op("TensorArrayGradV3", self._handle, flow, source=source, name=name)
            with control_dependencies([handle]):
                flow = identity(flow, name="gradient_flow")
            made = self._make(
                dtype=self._dtype,
                handle=handle,
                flow=flow,
                infer_shape=self._infer_shape,
                colocate_with_first_write_call=False,
            )
            made._implementation._element_shape = self._element_shape
            return made

    def read(self, index: Any, name: str | None = None) -> Tensor:
        value = apply_op("TensorArrayReadV3", self._handle, index, self._flow, dtype=self._dtype, name=name)
        value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            value = self._converted(value)
            self._check_element_shape(value.shape)
            with self._colocated(value):
                flow = apply_op("TensorArrayWriteV3", self._handle, index, value, self._flow, name=name)
            return self.followed(flow)

    def stack(self, name: str | None = None) -> Tensor:
        with colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            value = self.gather(range_of(0, self.size()), name=name)
            if self.element_shape.rank is not None and not self._dynamic_size and self._size is not None:
                size = self._size
                if isinstance(size, Tensor):
                    known = get_static_value(size)
                    size = None if known is None else int(known)
                value.set_shape(TensorShape([size]).concatenate(self.element_shape))
            return value

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        value = apply_op(
            "TensorArrayGatherV3",
            self._handle,
            indices,
            self._flow,
            dtype=self._dtype,
            element_shape=self.element_shape,
            name=name,
        )
        if self.element_shape.rank is not None:
            value.set_shape(TensorShape([None]).concatenate(self.element_shape))
        return value

    def concat(self, name: str | None = None) -> Tensor:
        value: Tensor = apply_op(
            "TensorArrayConcatV3",
            self._handle,
            self._flow,
            dtype=self._dtype,
            element_shape_except0=self.element_shape[1:],
            name=name,
        )[0]
        if self.element_shape.rank is not None:
            length = None
            if self._infer_shape:
                size = get_static_value(self.size())
                each = self.element_shape.as_list()[0]
                length = None if size is None or each is None else int(size) * each
            value.set_shape(TensorShape([length]).concatenate(self.element_shape[1:]))
        return value

    def unstack(self, value: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            count = shape_of(value)[0]
            return self.scatter(indices=range_of(0, count), value=value, name=name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            value = self._converted(value)
            self._check_element_shape(value.shape[1:])
            with self._colocated(value):
                flow = apply_op("TensorArrayScatterV3", self._handle, indices, value, self._flow, name=name)
            return self.followed(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._colocated(value):
                lengths = cast(lengths, datatypes.int64)
                self._check_lengths(value, lengths)
                flow = apply_op("TensorArraySplitV3", self._handle, value, lengths, self._flow, name=name)
            return self.followed(flow)

    def size(self, name: str | None = None) -> Tensor:
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=datatypes.int32)
        return apply_op("TensorArraySizeV3", self._handle, self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        return apply_op("TensorArrayCloseV3", self._handle, name=name)


class ListArray(Implementation):
    """An array that is a tensor list, which is its flow. It has no handle."""

    def __init__(
        self,
        make: Callable[..., Any],
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
        if flow is not None and (not isinstance(flow, Tensor) or flow.dtype != datatypes.variant):
            raise TypeError(f"Expected `flow` to be a variant tensor, but received `{flow.dtype}` instead.")
        if flow is None and size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        if flow is not None and size is not None:
            raise ValueError("Cannot provide both `flow` and `size` arguments at the same time.")
        if flow is not None and element_shape is not None:
            raise ValueError("Cannot provide both `flow` and `element_shape` arguments at the same time.")
        super().__init__(make, dtype, size, dynamic_size, infer_shape, element_shape)
        with name_scope(name, "TensorArrayV2", [size, flow]) as scope:
            if flow is None:
                flow = tensor_lists.tensor_list_reserve(element_shape, size, self._dtype, name=scope)
            self._flow = flow

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        raise NotImplementedError("a TensorArray that is a tensor list has no array of gradients")

    def read(self, index: Any, name: str | None = None) -> Tensor:
        with name_scope(name, "TensorArrayV2Read", [self._flow, index]):
            return tensor_lists.tensor_list_get_item(self._flow, index, self._dtype, self.element_shape, name=name)

    def write(self, index: Any, value: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArrayV2Write", [self._flow, index, value]):
            value = self._converted(value)
            self._check_element_shape(value.shape)
            flow = tensor_lists.tensor_list_set_item(self._flow, index, value, self._dynamic_size, name=name)
            return self.followed(flow)

    def stack(self, name: str | None = None) -> Tensor:
        with name_scope(name, "TensorArrayV2Stack", [self._flow]):
            count = -1
            if not self._dynamic_size and self._size is not None:
                known = get_static_value(self._size) if isinstance(self._size, Tensor) else self._size
                count = -1 if known is None else int(known)
            return tensor_lists.tensor_list_stack(self._flow, self._dtype, count, self.element_shape)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        return tensor_lists.tensor_list_gather(self._flow, indices, self._dtype, self.element_shape, name=name)

    def concat(self, name: str | None = None) -> Tensor:
        shape = None
        if self.element_shape.rank is not None:
            shape = [None, *self.element_shape.as_list()[1:]]
        return tensor_lists.tensor_list_concat(self._flow, self._dtype, shape, name=name)

    def unstack(self, value: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArrayUnstack", [self._flow, value]):
            value = self._converted(value)
            self._check_element_shape(value.shape[1:])
            flow = tensor_lists.tensor_list_from_tensor(value, value.shape[1:])
            return self.followed(flow)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArrayScatter", [self._flow, value, indices]):
            value = self._converted(value)
            self._check_element_shape(value.shape[1:])
            flow = tensor_lists.tensor_list_scatter(value, indices, self.element_shape, input_handle=self._flow)
            return self.followed(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Any:
        with name_scope(name, "TensorArraySplit", [self._flow, value, lengths]):
            value = self._converted(value)
            lengths = cast(lengths, datatypes.int64)
            self._check_lengths(value, lengths)
            flow = tensor_lists.tensor_list_split(value, self.element_shape, lengths, name=name)
            return self.followed(flow)

    def size(self, name: str | None = None) -> Tensor:
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=datatypes.int32)
        return tensor_lists.tensor_list_length(self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        return no_op(name=name)
