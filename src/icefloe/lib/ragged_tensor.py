"""`RaggedTensor`: a tensor some of whose dimensions have rows of different lengths.

It is a tensor of values, or another RaggedTensor, and a `RowPartition` that divides them into rows. Making one and
asking it adds the nodes that TensorFlow adds.

Source: tensorflow/python/ops/ragged/ragged_tensor.py (nodes and names).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from icefloe import datatypes
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks
from icefloe.lib.array_create import ones
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.array_shape import size
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_max
from icefloe.lib.ragged_axis import positive_axis
from icefloe.lib.ragged_operators import RaggedOperators
from icefloe.lib.ragged_partition import SPLITS_DTYPES, RowPartition, as_partition_tensor, maximum
from icefloe.lib.ragged_value import RaggedTensorValue, parts_of_value, value_of_parts
from icefloe.shapes import TensorShape, as_shape, dimension_at_index

if TYPE_CHECKING:
    from icefloe.graph.operation import Operation
    from icefloe.lib.ragged_spec import RaggedTensorSpec


def _check_flag(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _check_list(what: str, value: Any) -> None:
    if isinstance(value, Tensor):
        raise TypeError(f"Argument `{what}` must be a list of Tensors. Received {value}.")


class RaggedTensor(RaggedOperators):
    """Rows of values. Made by its `from_` methods, `ragged.constant` and operations on others."""

    __array_priority__ = 100
    is_tensor_like = True
    is_ragged = True

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        if not isinstance(values, (Tensor, RaggedTensor)):
            raise TypeError(f"type(values) must be one of: Tensor, RaggedTensor, got {values}.")
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"Argument `row_partition` must be a RowPartition. Received {row_partition}.")
        values.shape.with_rank_at_least(1)
        self._values = values
        self._row_partition = row_partition

    # Making one

    @classmethod
    def _from_row_partition(cls, values: Any, row_partition: RowPartition, validate: bool = True) -> RaggedTensor:
        _check_flag(validate)
        if not isinstance(values, RaggedTensor):
            values = as_values(values)
        elif values._row_partition.dtype != row_partition.dtype:
            raise ValueError(
                "Argument `row_partition` of RaggedTensor with name: partition must have same dtype as Argument "
                f"`values`. ({row_partition.dtype} vs. {values._row_partition.dtype})."
            )
        if row_partition.has_value_rowids():
            values.shape[:1].assert_is_compatible_with(row_partition.value_rowids().shape)
        if validate:
            said = "Arguments to _from_row_partition do not form a valid RaggedTensor"
            nvals = row_count(values, row_partition.dtype)
            found = [checks.assert_equal(cast(row_partition.nvals(), row_partition.dtype), nvals, message=said)]
            if not isinstance(values, RaggedTensor):
                found.append(checks.assert_rank_at_least(values, 1))
            row_partition = row_partition.with_dependencies(found)
        return cls(values, row_partition, internal=True)

    @classmethod
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Return the rows in which `values[i]` is in row `value_rowids[i]`; the ids are sorted.

        nrows: default up to the last row. validate: add checks of the arguments.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromValueRowIds", [values, value_rowids, nrows]):
            partition = RowPartition.from_value_rowids(value_rowids, nrows, validate, _hint(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Return the rows `values[row_splits[i]:row_splits[i + 1]]`; validate: add checks of the arguments."""
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowSplits", [values, row_splits]):
            partition = RowPartition.from_row_splits(row_splits, validate, _hint(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Return `values` divided into rows of these lengths; validate: add checks of the arguments."""
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowLengths", [values, row_lengths]):
            partition = RowPartition.from_row_lengths(row_lengths, validate, _hint(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Return `values` divided into rows that start here; validate: add checks of the arguments."""
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowStarts", [values, row_starts]):
            values = as_values(values)
            partition = RowPartition.from_row_starts(row_starts, row_count(values), validate, _hint(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Return `values` divided into rows that end here; validate: add checks of the arguments."""
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowLimits", [values, row_limits]):
            values = as_values(values)
            partition = RowPartition.from_row_limits(row_limits, validate, _hint(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
    ) -> RaggedTensor:
        """Return `values` divided into rows of one length; nrows: needed where that is 0."""
        _check_flag(validate)
        with name_scope(name, "RaggedFromUniformRowLength", [values, uniform_row_length, nrows]):
            values = as_values(values)
            length = as_partition_tensor(uniform_row_length, "UniformRowLength", _hint(values))
            known = dimension_at_index(values.shape, 0).value
            if known is not None:
                nvals = constant(known, length.dtype)
            else:
                nvals = row_count(values, length.dtype)
            partition = RowPartition.from_uniform_row_length(length, nvals, nrows, validate, _hint(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return `flat_values` divided into rows once for each list of row ids, the outermost first."""
        _check_flag(validate)
        _check_list("nested_value_rowids", nested_value_rowids)
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        _check_list("nested_nrows", nested_nrows)
        if len(nested_nrows) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                f"len(nested_nrows) = {len(nested_nrows)} vs. len(nested_values_rowids) = {len(nested_value_rowids)}."
            )
        with name_scope(name, "RaggedFromNestedValueRowIds", [flat_values, *nested_value_rowids, *nested_nrows]):
            result = flat_values
            for value_rowids, nrows in reversed(list(zip(nested_value_rowids, nested_nrows))):
                result = cls.from_value_rowids(result, value_rowids, nrows, validate=validate)
            return result

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Return `flat_values` divided into rows once for each list of splits, the outermost first."""
        _check_flag(validate)
        _check_list("nested_row_splits", nested_row_splits)
        with name_scope(name, "RaggedFromNestedRowSplits", [flat_values, *nested_row_splits]):
            result = flat_values
            for splits in reversed(nested_row_splits):
                result = cls.from_row_splits(result, splits, validate=validate)
            return result

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """Return `flat_values` divided into rows once for each list of lengths, the outermost first."""
        _check_flag(validate)
        _check_list("nested_row_lengths", nested_row_lengths)
        with name_scope(name, "RaggedFromNestedRowlengths", [flat_values, *nested_row_lengths]):
            result = flat_values
            for lengths in reversed(nested_row_lengths):
                result = cls.from_row_lengths(result, lengths, validate=validate)
            return result

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = datatypes.int64,
    ) -> RaggedTensor:
        """Return the rows of a tensor of rank 2 or more, without what lies beyond `lengths` or ends in `padding`.

        lengths: of the rows, or a tuple of those of each ragged dimension. ragged_rank: how many dimensions to divide.
        """
        from icefloe.lib.ragged_conversion import from_tensor

        return from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = datatypes.int64
    ) -> RaggedTensor:
        """Return the rows of a SparseTensor of rank 2, each of which holds its first columns."""
        from icefloe.lib.ragged_conversion import from_sparse

        return from_sparse(st_input, name, row_splits_dtype)

    # What it is

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; a ragged dimension is None."""
        outer = [self._row_partition.static_nrows, self._row_partition.static_uniform_row_length]
        return TensorShape(outer).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """Return `shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """The number of dimensions that are divided into rows."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def values(self) -> Any:
        """The values of all rows, one after the other: a tensor, or another RaggedTensor."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The values below all ragged dimensions."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    def _layers(self) -> list[RaggedTensor]:
        """Return it and the RaggedTensors below."""
        found = [self]
        while isinstance(found[-1]._values, RaggedTensor):
            found.append(found[-1]._values)
        return found

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        return tuple(layer._row_partition for layer in self._layers())

    @property
    def row_splits(self) -> Tensor:
        """Where rows start, and where the last one ends."""
        return self._row_partition.row_splits()

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of each ragged dimension, the outermost first."""
        return tuple(layer.row_splits for layer in self._layers())

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, or None if they are ragged."""
        return self._row_partition.uniform_row_length()

    @property
    def graph(self) -> Any:
        """The graph it belongs to."""
        return self.flat_values.graph

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Return the row of each value."""
        with name_scope(name, "RaggedValueRowIds", [self]):
            return self._row_partition.value_rowids()

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Return the row of each value, for each ragged dimension."""
        with name_scope(name, "RaggedNestedValueRowIds", [self]):
            return tuple(layer.value_rowids() for layer in self._layers())

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """Return the number of rows; out_type: default that of the splits."""
        with name_scope(name, "RaggedNRows", [self]):
            count = self._row_partition.nrows()
            return count if out_type is None else cast(count, out_type)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Return where rows start."""
        with name_scope(name, "RaggedRowStarts", [self]):
            return self._row_partition.row_starts()

    def row_limits(self, name: str | None = None) -> Tensor:
        """Return where rows end."""
        with name_scope(name, "RaggedRowLimits", [self]):
            return self._row_partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Return the lengths of rows along `axis`: a vector for axis 1, below that a RaggedTensor."""
        if axis == 0:
            return self._row_partition.nrows()
        if axis == 1:
            return self._row_partition.row_lengths()
        with name_scope(name, "RaggedRowLengths", [self]):
            axis = positive_axis(axis, self.shape.rank, ndims_name="rank(self)")
            if axis == 0:
                return self.nrows()
            if axis == 1:
                splits = self.row_splits
                return splits[1:] - splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            sizes = shape_of(self._values, out_type=self._row_partition.dtype)
            return self.with_values(ones(sizes[: axis - 1], self._row_partition.dtype) * sizes[axis - 1])

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Return the lengths of rows, for each ragged dimension."""
        with name_scope(name, "RaggedNestedRowLengths", [self]):
            return tuple(layer.row_lengths() for layer in self._layers())

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """Return the least shape that holds every row, or its sizes along `axis`."""
        dtype = self._row_partition.dtype
        out_type = dtype if out_type is None else datatypes.as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox", [self, axis]):
            splits = self.nested_row_splits
            if isinstance(axis, int) and axis == 0:
                return shape_of(splits[0], out_type=out_type)[0] - 1
            if isinstance(axis, int) and axis == 1:
                longest = maximum(reduce_max(self.row_lengths()), 0)
                return longest if out_type == dtype else cast(longest, out_type)
            splits_shape = shape_of(self.row_splits, out_type=out_type)
            flat_shape = shape_of(self.flat_values, out_type=out_type)
            sizes = [splits_shape[0] - 1, *(maximum(reduce_max(s[1:] - s[:-1]), 0) for s in splits)]
            inner = flat_shape[1:]
            if out_type != dtype:
                sizes = [cast(d, out_type) for d in sizes]
            box = concat([stack(sizes), inner], axis=0)
            return box if axis is None else gather(box, axis)

    # Others like it

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Return a RaggedTensor of the same rows with other values.

        Raises: ValueError if their number differs, or their splits have another dtype.
        """
        new_values = as_values(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and self._row_partition.dtype != new_values.row_splits.dtype:
            raise ValueError(
                "self and new_values have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
                "convert them to compatible dtypes."
            )
        return RaggedTensor(new_values, self._row_partition, internal=True)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Return a RaggedTensor of the same rows with other values below all ragged dimensions."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(as_values(new_values))

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """Return a copy whose splits are int32 or int64. Raises: ValueError for another dtype."""
        dtype = datatypes.as_dtype(dtype)
        if dtype not in SPLITS_DTYPES:
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}.")
        if self._row_partition.dtype == dtype:
            return self
        values = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(values, self._row_partition.with_dtype(dtype), internal=True)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Return it with the dimensions from `outer_axis` to `inner_axis` as one.

        Raises: ValueError if they do not fit.
        """
        from icefloe.lib.ragged_conversion import merge_dims

        rank = self.shape.rank
        outer = positive_axis(outer_axis, rank, axis_name="outer_axis", ndims_name="rank(self)")
        inner = positive_axis(inner_axis, rank, axis_name="inner_axis", ndims_name="rank(self)")
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner}).")
        return merge_dims(self, outer, inner)

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
        """Return a tensor in which short rows end in `default_value`; shape: its shape, None where it is not given."""
        from icefloe.lib.ragged_conversion import to_tensor

        return to_tensor(self, default_value, name, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """Return a SparseTensor of the values."""
        from icefloe.lib.ragged_conversion import to_sparse

        return to_sparse(self, name)

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of the static shape. Raises: ValueError if it contradicts what is known."""
        sizes = as_shape(shape)
        if sizes.rank is None:
            return
        known = sizes.as_list()
        if known[0] is not None:
            self.row_splits.set_shape([known[0] + 1])
        dtype = self._row_partition.dtype
        for i, partition in enumerate(self._nested_row_partitions):
            size_ = known[i + 1]
            if size_ is None:
                continue
            old = partition.static_uniform_row_length
            if old is not None:
                if size_ != old:
                    raise ValueError(f"Inconsistent size for axis {i + 1}: {old} vs. {size_}.")
                continue
            partition._uniform_row_length = convert_to_tensor(size_, dtype)
            if partition._nrows is None:
                partition._nrows = size(partition._row_splits, out_type=dtype) - 1
        self.flat_values.set_shape([None, *known[self.ragged_rank + 1 :]])

    _set_shape = set_shape

    # Running it, and what else knows it by its parts

    def numpy(self) -> NoReturn:
        """Refuse: a graph's tensors have no value before they are run. Raises: ValueError."""
        raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")

    def to_list(self) -> NoReturn:
        """Refuse: a graph's tensors have no value before they are run. Raises: ValueError."""
        raise ValueError("to_list can only be used in eager mode.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> RaggedTensorValue:
        """Return its value, run in `session` or the default one."""
        from icefloe.graph.tensor import default_session

        chosen = default_session(self.graph, session, "evaluate tensor", "`eval(session=sess)`")
        value: RaggedTensorValue = chosen.run(self, feed_dict)
        return value

    def fetch_parts(self) -> tuple[list[Tensor], Any]:
        """Return the tensors a session runs for it, and what makes a value of theirs."""
        return [*self.nested_row_splits, self.flat_values], value_of_parts

    def feed_parts(self, value: Any) -> list[tuple[Tensor, Any]]:
        """Return the tensors a session feeds for it, each with its part of `value`."""
        return list(zip(self.fetch_parts()[0], parts_of_value(value, self)))

    def component_tensors(self) -> list[Tensor]:
        """Return the tensors it consists of: flat values, then splits."""
        return [self.flat_values, *self.nested_row_splits]

    def with_component_tensors(self, parts: Iterable[Any]) -> Any:
        """Return a RaggedTensor, or a value if they are arrays, of other tensors in the order of
        `component_tensors`.
        """
        return self._type_spec._from_components(list(parts))

    def consumers(self) -> list[Operation]:
        """Return the ops that take one of the tensors it consists of."""
        return list(dict.fromkeys(op for part in self.component_tensors() for op in part.consumers()))

    def _as_graph_element(self) -> Tensor:
        return self.flat_values

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        from icefloe.lib.ragged_spec import RaggedTensorSpec

        return RaggedTensorSpec.from_value(self)

    def _shape_invariant_to_type_spec(self, shape: Any) -> RaggedTensorSpec:
        from icefloe.lib.ragged_spec import RaggedTensorSpec

        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits.dtype)

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self.values}, row_splits={self.row_splits})"


def is_ragged(value: Any) -> bool:
    """Return whether `value` is a RaggedTensor or a RaggedTensorValue."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def as_tensor_or_ragged(value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None) -> Any:
    """Return `value` as a RaggedTensor if it is ragged, else as a tensor.

    Raises: ValueError if the dtype does not fit.
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and not datatypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {datatypes.as_dtype(dtype).name} for RaggedTensor with dtype "
                f"{value.dtype.name}: {value}."
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with name_scope(name, "ConvertToTensorOrRaggedTensor", []):
            flat = convert_to_tensor(
                value.flat_values, dtype=dtype, preferred_dtype=preferred_dtype, name="flat_values"
            )
            return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
    return convert_to_tensor(value, dtype=dtype, preferred_dtype=preferred_dtype, name=name)


def as_values(value: Any) -> Any:
    """Return `value` as what a RaggedTensor may hold."""
    return value if isinstance(value, (Tensor, RaggedTensor)) else as_tensor_or_ragged(value, name="values")


def row_count(values: Any, out_type: Any = datatypes.int32) -> Tensor:
    """Return the size of the first dimension."""
    if isinstance(values, RaggedTensor):
        return values.nrows(out_type=out_type)
    return shape_of(values, out_type=out_type)[0]


def matching_splits(*tensors: Any) -> tuple[datatypes.DType, tuple[Any, ...]]:
    """Return the dtype of the splits of those that are ragged, int64 if none is. Raises: ValueError if they differ."""
    kinds = {t.row_splits.dtype for t in tensors if isinstance(t, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    return (kinds.pop() if kinds else datatypes.int64), tensors


def _hint(values: Any) -> Any:
    return values._row_partition.dtype if isinstance(values, RaggedTensor) else None
