"""The variables that `get_variable` made in a graph, by full name, and the rules by which it makes or finds one."""

from __future__ import annotations

import enum
import functools
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.initializers import GlorotUniform, Zeros
from icefloe.lib.regularization import add_regularization
from icefloe.lib.save_slice_info import SaveSliceInfo
from icefloe.lib.scopes import init_scope
from icefloe.lib.variable import Variable, VariableAggregation, VariableSynchronization, checked_modes
from icefloe.lib.variable_partitioned import PartitionedVariable
from icefloe.lib.variable_resource import ResourceVariable, resource_variables_enabled
from icefloe.shapes import TensorShape, as_shape

STORE_KEY = ("__variable_store",)
_PACKAGE = str(Path(__file__).resolve().parents[1])


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


class PartitionInfo:
    """Where a part lies in a partitioned variable; initializers get it."""

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        """Raises: TypeError if one is no list or tuple; ValueError if an offset lies outside."""
        for name, value in (("full_shape", full_shape), ("var_offset", var_offset)):
            _check_sequence(name, value)
        if len(var_offset) != len(full_shape):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} while full_shape is of length "
                f"{len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape):
            if not 0 <= offset < size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self.full_shape = full_shape
        self.var_offset = var_offset

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """Return the axis along which a part of this shape is cut, None if it is the whole.

        Raises: TypeError if `shape` is no list or tuple; ValueError if it is cut along several axes, or does not fit.
        """
        _check_sequence("shape", shape)
        if len(shape) != len(self.full_shape):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while "
                f"self.full_shape={self.full_shape} is of length {len(self.full_shape)}."
            )
        for i, (offset, size, full) in enumerate(zip(self.var_offset, shape, self.full_shape)):
            if offset + size > full:
                raise ValueError(
                    f"With self.var_offset={self.var_offset}, a partition of shape={shape} would exceed "
                    f"self.full_shape={self.full_shape} in dimension {i}."
                )
        cut = [i for i, (size, full) in enumerate(zip(shape, self.full_shape)) if size != full]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={self.full_shape} since "
                f"slice dim could be either dimension {cut[1]} or {cut[0]}."
            )
        return cut[0] if cut else None

    def single_offset(self, shape: Sequence[int]) -> int:
        """Return the offset along that axis, 0 for the whole."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]


def _check_sequence(name: str, value: Any) -> None:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"`{name}` must be a sequence (like tuple or list) instead of {type(value).__name__}")


def default_store() -> VariableStore:
    """Return the store of the default graph."""
    stored = get_default_graph().get_collection_ref(STORE_KEY)
    if not stored:
        stored.append(VariableStore())
    return stored[0]


def _argument_names(function: Any) -> tuple[list[str], bool]:
    """Return the names of a callable's arguments, and whether it takes others by keyword."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], False
    return [p.name for p in parameters], any(p.kind is p.VAR_KEYWORD for p in parameters)


def _needs_no_arguments(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


class VariableStore:
    """Variables and partitioned variables of one graph by full name."""

    def __init__(self) -> None:
        self._vars: dict[str, Variable] = {}
        self._partitioned_vars: dict[str, PartitionedVariable] = {}
        self._made_at: dict[str, list[str]] = {}

    def get_variable(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = datatypes.float32,
        *,
        custom_getter: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        **options: Any,
    ) -> Any:
        """Return the variable of this full name, made or found; options: others of `tf.get_variable`.

        Raises: ValueError where reuse, shape, dtype, partitioning or initializer do not fit.
        """
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        synchronization, aggregation, trainable = checked_modes(synchronization, aggregation, trainable, name)
        options.update(
            shape=shape,
            dtype=getattr(dtype, "base_dtype", dtype),
            trainable=trainable,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        if custom_getter is None:
            return self._true_getter(name, **options)
        names, takes_any = _argument_names(custom_getter)
        if "constraint" not in names and not takes_any:
            del options["constraint"]
        return custom_getter(getter=self._true_getter, name=name, **options)

    def _true_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = datatypes.float32,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        options = {
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        is_scalar = isinstance(shape, Sequence) and not shape
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with name_scope(None):
                return self.get_partitioned(name, shape, dtype, initializer, partitioner, **options)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self.get_partitioned(name, shape, dtype, initializer, None, **options)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with partitioning?"
            )
        return self._get_single(name, shape, dtype, initializer, **options)

    def get_partitioned(
        self, name: str, shape: Any, dtype: Any, initializer: Any, partitioner: Any, *, reuse: Any, **options: Any
    ) -> PartitionedVariable:
        """Return the partitioned variable of this full name, made or found. Raises: ValueError as `get_variable`."""
        from_tensor = isinstance(initializer, Tensor)
        if name in self._vars:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was found: "
                f"{name}.  Perhaps a variable of the same name was already created without partitioning?"
            )
        full = as_shape(shape)
        if from_tensor:
            full = full.merge_with(initializer.shape)
        partitions = _partitions(partitioner, full, dtype) if not reuse or partitioner else None
        if name in self._partitioned_vars:
            return self._found_partitioned(name, full, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you "
                "mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
            )
        assert partitions is not None
        axis, count = next(((i, n) for i, n in enumerate(partitions) if n > 1), (0, 1))
        self._check_parts(name, count)
        sizes: list[int] = full.as_list()  # type: ignore[assignment]
        parts = []
        for i, (offset, part_shape) in enumerate(_slices(sizes, count, axis)):
            part_name = f"{name}/part_{i}"
            with name_scope(part_name + "/PartitionedInitializer"):
                init, init_shape = self._part_initializer(name, dtype, initializer, offset, part_shape)
                if from_tensor:
                    dtype = init.dtype.base_dtype
            with name_scope(None):
                part = self._get_single(
                    part_name,
                    init_shape,
                    dtype,
                    init,
                    partition_info=PartitionInfo(full_shape=sizes, var_offset=offset),
                    reuse=reuse,
                    **options,
                )
            part._set_save_slice_info(SaveSliceInfo(name, sizes, offset, part_shape))
            parts.append(part)
        whole = PartitionedVariable(name=name, shape=full, dtype=dtype, variable_list=parts, partitions=partitions)
        self._partitioned_vars[name] = whole
        return whole

    def _found_partitioned(
        self, name: str, shape: TensorShape, dtype: Any, partitions: Any, reuse: Any
    ) -> PartitionedVariable:
        if reuse is False:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        found = self._partitioned_vars[name]
        differs = f"Trying to reuse partitioned variable {name}, but specified"
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(f"{differs} shape {shape} and found shape {found.get_shape()}.")
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f"{differs} dtype {dtype.name} and found dtype {found.dtype.name}.")
        if partitions is not None and found._get_partitions() != partitions:
            raise ValueError(f"{differs} partitions {partitions} and found partitions {found._get_partitions()}.")
        return found

    def _check_parts(self, name: str, count: int) -> None:
        if f"{name}/part_0" not in self._vars:
            return
        differs = (
            "Partitioner returned a different partitioning than what was already found.  Partitioner returned "
            f"{count} shards, and shard {name}/part_0 was found, but"
        )
        if f"{name}/part_{count - 1}" not in self._vars:
            raise ValueError(f"{differs} {name}/part_{count - 1} was not.")
        if f"{name}/part_{count}" in self._vars:
            raise ValueError(f"{differs} so was the extra shard {name}/part_{count}.")

    def _part_initializer(
        self, name: str, dtype: Any, initializer: Any, offset: list[int], part_shape: list[int]
    ) -> tuple[Any, Any]:
        """Return what initializes a part, and the part's shape where that is a function."""
        if initializer is None:
            return _default_initializer(name, dtype), part_shape
        if callable(initializer):
            return initializer, part_shape
        if not isinstance(initializer, Tensor):
            initializer = convert_to_tensor(initializer, dtype=dtype)
        return apply_op("Slice", initializer, offset, part_shape), None

    def _get_single(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any,
        *,
        regularizer: Any = None,
        partition_info: PartitionInfo | None = None,
        reuse: Any = None,
        use_resource: bool | None = None,
        **options: Any,
    ) -> Variable:
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = datatypes.as_dtype(dtype)
        if shape is not None:
            shape = as_shape(shape)
        if name in self._vars:
            return self._found_single(name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be specified."
                )
            initializer = _default_initializer(name, dtype)
        with init_scope():
            initial, own_dtype = _initial_value(initializer, from_value, shape, dtype, partition_info)
        variable = Variable(
            initial_value=initial,
            name=name,
            dtype=own_dtype,
            use_resource=resource_variables_enabled() if use_resource is None else use_resource,
            shape=shape,
            **options,
        )
        self._vars[name] = variable
        self._made_at[name] = _frames()
        if regularizer:
            add_regularization(variable, name, regularizer)
        return variable

    def _found_single(self, name: str, shape: TensorShape | None, dtype: datatypes.DType, reuse: Any) -> Variable:
        found = self._vars[name]
        if reuse is False:
            message = (
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
            if isinstance(found, ResourceVariable):
                raise ValueError(message)
            raise ValueError(f"{message} Originally defined at:\n\n{''.join(self._made_at[name])}")
        if shape is not None and not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape {found.get_shape()}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
            )
        return found


def _frames() -> list[str]:
    """Return the innermost five lines of the caller's program, innermost first, without those of this package."""
    frames = [frame for frame in traceback.extract_stack(limit=25) if not frame.filename.startswith(_PACKAGE)]
    return traceback.format_list(frames[::-1][:5])


def _default_initializer(name: str, dtype: datatypes.DType) -> Callable[..., Any]:
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_bool or dtype == datatypes.string:
        return Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype} is required")


def _initial_value(
    initializer: Any, from_value: bool, shape: TensorShape | None, dtype: Any, partition_info: PartitionInfo | None
) -> tuple[Any, Any]:
    """Return the initial value or a function that makes it, and the dtype it must have."""
    if from_value:
        return initializer, None
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        given: dict[str, Any] = {"dtype": dtype}
        if "partition_info" in _argument_names(initializer)[0]:
            given["partition_info"] = partition_info
        return functools.partial(initializer, shape.as_list(), **given), dtype.base_dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the shape should "
        "not be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
    )


def _partitions(partitioner: Any, shape: TensorShape, dtype: Any) -> Any:
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    slicing = partitioner(shape=shape, dtype=dtype)
    if not isinstance(slicing, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {slicing}")  # noqa: TRY004 (as TensorFlow)
    if len(slicing) != shape.rank:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {slicing} vs. {shape}"
        )
    if any(n < 1 for n in slicing):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {slicing}")
    if sum(n > 1 for n in slicing) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {slicing}")
    return slicing


def _slices(full_shape: list[int], count: int, axis: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield offset and shape of each part; the first ones are longer by one where the axis does not divide evenly."""
    least, excess = divmod(full_shape[axis], count)
    offset = [0] * len(full_shape)
    for i in range(count):
        shape = list(full_shape)
        shape[axis] = least + (i < excess)
        yield list(offset), shape
        offset[axis] += shape[axis]
