"""`PartitionedVariable`, and the functions that decide how a variable is cut into parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import register_tensor_conversion_function
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat, split
from icefloe.lib.variable import Variable
from icefloe.shapes import TensorShape


class PartitionedVariable:
    """Variables that are the parts, along one axis, of a larger one. As a tensor it is their concatenation.

    Raises: TypeError, ValueError if the parts have no slice info or do not fit `shape`.
    """

    is_tensor_like = True

    def __init__(self, name: str, shape: Any, dtype: Any, variable_list: Any, partitions: Any) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(n >= 1 for n in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        infos = [v._get_save_slice_info() for v in variable_list]
        if any(info is None for info in infos):
            raise ValueError(f"All variables must have a save_slice_info available: {[v.name for v in variable_list]}")
        shape = TensorShape(shape)
        if shape.rank != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        if any(info.full_shape != shape.as_list() for info in infos):
            raise ValueError(
                f"All variables' full shapes must match shape: {shape}; but full shapes were: "
                f"{[info.full_shape for info in infos]}"
            )
        self._variable_list = sorted(variable_list, key=lambda v: v._get_save_slice_info().var_offset)
        self._name = name
        self._shape = shape
        self._dtype = dtype
        self._partitions = partitions

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        self._axis("Cannot get a length for more than one partition axis")
        return len(self._variable_list)

    def _axis(self, problem: str) -> int:
        axes = [i for i, n in enumerate(self._partitions) if n > 1] or [0]
        if len(axes) > 1:
            raise NotImplementedError(f"{problem}: {axes}")
        return axes[0]

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    def get_shape(self) -> TensorShape:
        """Return the shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> Any:
        return self._partitions

    def as_tensor(self) -> Tensor:
        """Return the parts joined, without control dependencies of the context."""
        with control_dependencies(None):
            return self._concat()

    def _concat(self) -> Tensor:
        """Return the parts joined."""
        if len(self._variable_list) == 1:
            joined: Any = self._variable_list[0]
        else:
            axis = self._axis("Cannot concatenate along more than one dimension")
            with name_scope(f"{self._name}/ConcatPartitions/"):
                joined = concat(self._variable_list, axis)
        with name_scope(None):
            return apply_op("Identity", joined, name=self._name)

    def _each(self, method: str, value: Any, read_value: bool, options: dict[str, Any]) -> list[Any]:
        axis = self._axis("Cannot do assign action along more than one dimension")
        if isinstance(value, (list, PartitionedVariable)):
            values = list(value)
            if len(values) != len(self._variable_list):
                raise ValueError(f"expected {len(self._variable_list)} values, one for each part, got {len(values)}")
        else:
            values = split(value, [v.shape.as_list()[axis] for v in self._variable_list], axis=axis)
        done = [
            getattr(v, method)(part, read_value=read_value, **options) for v, part in zip(self._variable_list, values)
        ]
        return done if read_value else [item.op if isinstance(item, Tensor) else item for item in done]

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Return assignments to all parts. Raises: ValueError for a list of another length."""
        return self._each("assign", value, read_value, {"use_locking": use_locking, "name": name})

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Return additions to all parts. Raises: ValueError for a list of another length."""
        return self._each("assign_add", value, read_value, {"use_locking": use_locking, "name": name})

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Return subtractions from all parts. Raises: ValueError for a list of another length."""
        return self._each("assign_sub", value, read_value, {"use_locking": use_locking, "name": name})


def _convert(v: PartitionedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(v.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{v.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return v.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert)

Partitioner = Callable[..., list[int]]


def _one_axis(shape: TensorShape, axis: int, count: int) -> list[int]:
    partitions = [1] * len(shape)
    partitions[axis] = count
    return partitions


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Return a partitioner that cuts `axis` into `num_shards` parts, or as many as it has elements."""

    def partitioner(shape: Any, **unused: Any) -> list[int]:
        shape = TensorShape(shape)
        return _one_axis(shape, axis, min(num_shards, shape.as_list()[axis] or 0))

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """Return a partitioner that cuts `axis` so that no part exceeds `max_shard_bytes`, into at most `max_shards`.

    Raises: ValueError if a number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} andbytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")  # noqa: TRY004 (as TensorFlow)
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        sizes: Any = shape.as_list()
        length = sizes[axis]
        slice_bytes = math.prod(sizes) / length * _element_bytes(dtype, bytes_per_string_element)
        per_shard = max(1, math.floor(max_shard_bytes / slice_bytes))
        count = math.ceil(length / per_shard)
        return _one_axis(shape, axis, min(max_shards, count) if max_shards else count)

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """Return a partitioner that cuts `axis` into at most `max_partitions` parts of about `min_slice_size` bytes or
    more.
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        shape = TensorShape(shape)
        if axis >= len(shape):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        total = shape.num_elements() * _element_bytes(dtype, bytes_per_string_element)
        wanted = min(shape.as_list()[axis], max_partitions, math.ceil(total / min_slice_size))
        return _one_axis(shape, axis, max(1, wanted))

    return partitioner


def _element_bytes(dtype: Any, of_string: int) -> int:
    dtype = datatypes.as_dtype(dtype)
    return of_string if dtype.base_dtype == datatypes.string else dtype.size


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = datatypes.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: bool | None = None,
) -> list[Variable]:
    """Return the parts of a variable cut as `slicing` says, such as [1, 4]; deprecated, use `get_variable` with a
    partitioner.

    Raises: ValueError if `slicing` does not fit.
    """
    from icefloe.lib.variable_scope import get_partitioned_variable, variable_scope

    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, "
            f"slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")

    def partitioner(**unused: Any) -> Any:
        return slicing

    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        whole = get_partitioned_variable(
            name="",
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            partitioner=partitioner,
            collections=collections,
        )
        return list(whole)
