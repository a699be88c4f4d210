"""Ragged shapes that are known when a graph runs, and RaggedTensors broadcast to them.

Source: tensorflow/python/ops/ragged/ragged_tensor_shape.py (nodes and names).
"""

from __future__ import annotations

import builtins
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import gather, where
from icefloe.lib.array_shape import reshape, shape, size
from icefloe.lib.checks import Assert
from icefloe.lib.constants import convert_to_int_tensor, get_static_value
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import equal
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_all, reduce_sum
from icefloe.lib.ragged_layout import tile
from icefloe.lib.ragged_partition import lengths_to_splits, repeat_ranges
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged
from icefloe.shapes import dimension_value


class DynamicShape:
    """Sizes of dimensions, the outer of which are partitioned: a scalar if uniform, a vector of lengths if ragged.

    inner: a vector of the sizes of those below.
    """

    def __init__(self, partitioned: Any, inner: Any, dtype: Any = None) -> None:
        with name_scope(None, "RaggedTensorDynamicShape", [partitioned, inner]):
            sizes = [convert_to_tensor(n, name=f"partitioned_dimension_size_{i}") for i, n in enumerate(partitioned)]
            inner = convert_to_tensor(inner, name="inner_dim_sizes")
            for axis, n in enumerate(sizes):
                if n.shape.ndims is None:
                    raise ValueError(f"rank of partitioned_dim_sizes[{axis}] is unknown")
                n.shape.with_rank_at_most(1)
            if sizes and sizes[0].shape.ndims == 1:
                raise ValueError("outermost partitioned dimension must be uniform")
            if sizes and sizes[-1].shape.ndims == 0:
                raise ValueError("innermost partitioned dimension must be ragged")
            inner.shape.assert_has_rank(1)
            if dtype is None:
                kinds = {n.dtype for n in sizes if n.shape.ndims == 1}
                if len(kinds) > 1:
                    raise ValueError("partitioned_dim_sizes must have matching dtypes")
                dtype = kinds.pop() if kinds else datatypes.int64
            self.partitioned: tuple[Tensor, ...] = tuple(cast(n, dtype) for n in sizes)
            self.inner: Tensor = cast(inner, dtype)

    @classmethod
    def of(cls, value: Any, dtype: Any = None) -> DynamicShape:
        """Return the shape of a tensor or a RaggedTensor."""
        with name_scope(None, "RaggedTensorDynamicShapeFromTensor", [value]):
            value = as_tensor_or_ragged(value)
            if not isinstance(value, RaggedTensor):
                return cls([], shape(value), dtype)
            sizes = (value.nrows(), *value.nested_row_lengths())
            return cls(sizes, shape(value.flat_values)[1:], dtype)

    @property
    def dtype(self) -> datatypes.DType:
        """int32 or int64."""
        return self.inner.dtype

    @property
    def inner_rank(self) -> int | None:
        """The number of dimensions below the partitioned ones."""
        known = dimension_value(self.inner.shape[0])
        return None if known is None else int(known)

    @property
    def rank(self) -> int | None:
        """The number of dimensions."""
        return None if self.inner_rank is None else len(self.partitioned) + self.inner_rank

    def size_of(self, axis: int) -> Tensor:
        """Return the size of an axis: a vector if it is ragged."""
        count = len(self.partitioned)
        return self.partitioned[axis] if axis < count else self.inner[axis - count]

    def is_ragged(self, axis: int) -> bool:
        """Return whether an axis is ragged."""
        return 0 < axis < len(self.partitioned) and self.partitioned[axis].shape.ndims == 1

    def of_rank(self, rank: int) -> DynamicShape:
        """Return the shape with axes of size 1 in front. Raises: ValueError if it has more."""
        if self.rank is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        more = rank - self.rank
        if more < 0:
            raise ValueError(f"Unable to broadcast: rank={rank} must be greater than self.rank={self.rank}.")
        if more == 0:
            return self
        if self.partitioned:
            return DynamicShape((1,) * more + self.partitioned, self.inner, self.dtype)
        return DynamicShape([], concat([ones([more], self.dtype), self.inner], axis=0), self.dtype)

    def broadcast_axis(self, axis: int, lengths: Any) -> DynamicShape:
        """Return the shape with `axis` of these lengths, if it has them already or is of size 1."""
        lengths = convert_to_int_tensor(lengths, name="lengths", dtype=self.dtype)
        if lengths.shape.ndims is None:
            raise ValueError("lengths must have a known rank.")
        if lengths.shape.ndims > 1:
            raise ValueError("lengths must be a scalar or vector")
        scalar = lengths.shape.ndims == 0
        if self.is_ragged(axis):
            fits = equal(lengths, 1) if scalar else reduce_all(equal(lengths, self.size_of(axis)))
        else:
            own = self.size_of(axis)
            fits = equal(lengths, 1) | equal(own, 1) | equal(own, lengths) if scalar else equal(own, 1)
        said = [
            "Unable to broadcast: dimension size mismatch in dimension",
            axis,
            "lengths=",
            lengths,
            "dim_size=",
            self.size_of(axis),
        ]
        check = Assert(fits, data=said, summarize=10)
        with control_dependencies([check]):
            if axis < len(self.partitioned):
                if self.is_ragged(axis):
                    return DynamicShape(self.partitioned, apply_op("Identity", self.inner), self.dtype)
                return self._uniform_partitioned(axis, lengths)
            if scalar:
                return self._inner_uniform(axis, lengths)
            if axis == 0:
                raise ValueError("Unable to broadcast: outermost dimension must be uniform.")
            return self._inner_ragged(axis, lengths)

    def _slices(self, axis: int) -> Any:
        if axis < 0:
            return constant(1, dtype=self.dtype)
        if self.is_ragged(axis):
            return reduce_sum(self.partitioned[axis])
        return self.size_of(axis) * self._slices(axis - 1)

    def _uniform_partitioned(self, axis: int, lengths: Tensor) -> DynamicShape:
        own = self.size_of(axis)
        sizes: list[Any] = list(self.partitioned[:axis])
        splits: Any
        if lengths.shape.ndims == 0:
            lengths = where(equal(own, 1), lengths, own)
            repeats: Any = where(equal(own, 1), lengths, 1)
            splits = stack([0, self._slices(axis)])
        else:
            splits = range(size(lengths, out_type=self.dtype) + 1)
            repeats = lengths
        sizes.append(lengths)
        for below in self.partitioned[axis + 1 :]:
            if below.shape.ndims == 0:
                sizes.append(below)
                splits = splits * below
            else:
                sizes.append(repeat_ranges(below, splits, repeats))
                splits = gather(lengths_to_splits(below), splits)
        return DynamicShape(sizes, self.inner, self.dtype)

    def _inner_uniform(self, axis: int, length: Tensor) -> DynamicShape:
        own = self.size_of(axis)
        place = axis - len(self.partitioned)
        sizes = concat([self.inner[:place], [where(equal(own, 1), length, own)], self.inner[place + 1 :]], axis=0)
        return DynamicShape(self.partitioned, sizes, self.dtype)

    def _inner_ragged(self, axis: int, lengths: Tensor) -> DynamicShape:
        place = axis - len(self.partitioned)
        sizes = (*self.partitioned, *(self.inner[i] for i in builtins.range(place)), lengths)
        return DynamicShape(sizes, self.inner[place + 1 :])


def common_shape(x: DynamicShape, y: DynamicShape) -> DynamicShape:
    """Return the shape that both broadcast to. Raises: ValueError if a rank is not known."""
    if x.rank is None or y.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(x.rank, y.rank)
    x, y = x.of_rank(rank), y.of_rank(rank)
    for axis in builtins.range(rank):
        x = x.broadcast_axis(axis, y.size_of(axis))
        y = y.broadcast_axis(axis, x.size_of(axis))
    return x


def broadcast_rows(value: Any, wanted: DynamicShape) -> Any:
    """Return `value` with its partitioned dimensions as those of `wanted`; the inner ones stay as they are.

    Raises: ValueError if the ranks do not fit.
    """
    value = as_tensor_or_ragged(value)
    if not wanted.partitioned:
        if isinstance(value, RaggedTensor):
            raise ValueError("Incompatible with shape: ragged rank mismatch")
        return value
    rank = _checked_rank(value, wanted)
    source = DynamicShape.of(value).of_rank(rank)
    value = _partitioned_like(value, wanted)
    multiples = _multiples(source, wanted)
    if not all(isinstance(n, int) and n == 1 for n in multiples):
        value = tile(value, stack(multiples, axis=0))
    for axis in builtins.range(len(wanted.partitioned)):
        if not source.is_ragged(axis) and wanted.is_ragged(axis):
            value = _tile_axis(value, axis, wanted.size_of(axis), wanted.dtype)
    return value


def _checked_rank(value: Any, wanted: DynamicShape) -> int:
    """Return the rank of `wanted`, to which `value` can be broadcast."""
    if isinstance(value, RaggedTensor) and value.row_splits.dtype != wanted.dtype:
        raise ValueError(
            "rt_input and dst_shape have different row_split dtypes; use RaggedTensor.with_row_splits_dtype() or "
            "RaggedTensorDynamicShape.with_dim_size_dtype() to convert to a compatible dtype."
        )
    if value.shape.ndims is None or wanted.rank is None or wanted.inner_rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if value.shape.ndims > wanted.rank:
        raise ValueError("Incompatible with shape: rank mismatch")
    if isinstance(value, RaggedTensor) and value.ragged_rank >= len(wanted.partitioned):
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    return wanted.rank


def _partitioned_like(value: Any, wanted: DynamicShape) -> RaggedTensor:
    """Return `value` with as many dimensions as `wanted` has, and as many of them partitioned."""
    ndims, inner_rank = value.shape.ndims, wanted.inner_rank
    assert wanted.rank is not None
    assert inner_rank is not None
    if wanted.rank > ndims:
        if ndims < inner_rank + 1:
            value = reshape(value, concat([[-1], wanted.inner], axis=0))
        for _ in builtins.range(wanted.rank - value.shape.ndims):
            if isinstance(value, RaggedTensor):
                rows = value.nrows()
            else:
                rows = shape(value, out_type=wanted.dtype)[0]
            value = RaggedTensor.from_row_lengths(value, [rows], validate=False)
    if isinstance(value, RaggedTensor):
        deeper = (value.flat_values.shape.ndims or 0) - 1 - inner_rank
        if deeper <= 0:
            return value
        flat = RaggedTensor.from_tensor(value.flat_values, ragged_rank=deeper, row_splits_dtype=wanted.dtype)
        return value.with_flat_values(flat)
    made: RaggedTensor = RaggedTensor.from_tensor(
        value, ragged_rank=len(wanted.partitioned) - 1, row_splits_dtype=wanted.dtype
    )
    return made


def _multiples(source: DynamicShape, wanted: DynamicShape) -> list[Any]:
    """Return how often each uniform dimension of `source` is repeated; the others stay as they are, 1."""
    multiples: list[Any] = [1] * (wanted.rank or 0)
    for axis in builtins.range(len(wanted.partitioned)):
        if not source.is_ragged(axis) and not wanted.is_ragged(axis):
            own, new = source.size_of(axis), wanted.size_of(axis)
            known_own, known_new = get_static_value(own), get_static_value(new)
            if (known_own is None or known_own == 1) and (known_new is None or known_new != 1):
                multiples[axis] = where(equal(own, 1), new, 1)
    return multiples


def _tile_axis(value: Any, axis: int, repeats: Tensor, dtype: Any) -> RaggedTensor:
    """Return `value` with each row along `axis`, all of length 1, as long as `repeats` says."""
    if not isinstance(value, RaggedTensor):
        value = RaggedTensor.from_tensor(value, ragged_rank=1, row_splits_dtype=dtype)
    if axis > 1:
        return value.with_values(_tile_axis(value.values, axis - 1, repeats, dtype))
    nested_splits = value.nested_row_splits
    nested_lengths = value.nested_row_lengths()
    splits = nested_splits[0]
    lengths = [repeats]
    for i in builtins.range(1, len(nested_lengths)):
        lengths.append(repeat_ranges(nested_lengths[i], splits, repeats))
        splits = gather(nested_splits[i], splits)
    values = repeat_ranges(value.flat_values, splits, repeats)
    made: RaggedTensor = RaggedTensor.from_nested_row_lengths(values, lengths, validate=False)
    return made
