"""Static shapes: TensorFlow 1's `Dimension` and `TensorShape`.

A `TensorShape` may know its rank and each of its sizes, or not. Indexing one gives a `Dimension`, whose `value` is None
where the size is unknown (`enable_v2_tensorshape` switches to plain ints, as TensorFlow 2 has them). Shape rules and
stored shapes use the plain form: `(2, None)` is a partly known shape, `None` an unknown rank; `to_tuple` and
`TensorShape` convert.

Source: tensorflow/python/framework/tensor_shape.py (names, messages).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from icefloe import errors
from icefloe.trace_types import WithoutTensors

if TYPE_CHECKING:
    from icefloe.proto import TensorShapeProto

Dims: TypeAlias = "tuple[int | None, ...] | None"

_v2_behavior = False


def enable_v2_tensorshape() -> None:
    """Make indexing and iterating a TensorShape give ints and None, not Dimensions."""
    global _v2_behavior
    _v2_behavior = True


def disable_v2_tensorshape() -> None:
    """Make indexing and iterating a TensorShape give Dimensions, as TensorFlow 1 does; this is the default."""
    global _v2_behavior
    _v2_behavior = False


class Dimension:
    """The size of one dimension, which may be unknown (`value` is None).

    Arithmetic with an unknown size gives an unknown size; comparing with one gives None.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = dimension_size(value)

    @property
    def value(self) -> int | None:
        """The size, or None if it is unknown."""
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __int__(self) -> Any:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    # An unknown size is no index; TypeError from returning None is what TensorFlow gives too.
    def __index__(self) -> Any:
        return self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __eq__(self, other: object) -> Any:
        try:
            size = dimension_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or size is None:
            return None
        return self._value == size

    def __ne__(self, other: object) -> Any:
        try:
            size = dimension_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or size is None:
            return None
        return self._value != size

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both may be the same size."""
        size = dimension_size(other)
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises: ValueError if the sizes differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {as_dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Return what is known of either. Raises: ValueError if the sizes differ."""
        self.assert_is_compatible_with(other)
        return Dimension(dimension_size(other) if self._value is None else self._value)

    def _combine(self, other: Any, function: Any) -> Any:
        try:
            size = dimension_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        return Dimension(None if self._value is None or size is None else function(self._value, size))

    def __add__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b * a)

    def __floordiv__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a // b)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b // a)

    def __mod__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: a % b)

    def __rmod__(self, other: Any) -> Any:
        return self._combine(other, lambda a, b: b % a)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead"
        )

    def _compare(self, other: Any, function: Any) -> Any:
        size = dimension_size(other)
        return None if self._value is None or size is None else function(self._value, size)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a >= b)

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)


def dimension_size(value: Any) -> int | None:
    """Return a Dimension, an int, anything with `__index__`, or None as an int or None.

    Raises: TypeError if it is none of these; ValueError if it is negative.
    """
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    if isinstance(value, int):
        size = value
    else:
        # A DType is a number too, but no size.
        if not hasattr(value, "__index__") or hasattr(value, "as_numpy_dtype"):
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, "
                f"got value '{value!r}' with type '{type(value)!r}'"
            )
        size = int(value.__index__())
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def as_dimension(value: Any) -> Dimension:
    """Return `value` as a Dimension. Raises: TypeError, ValueError as `dimension_size` does."""
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: Any) -> int | None:
    """Return the size that indexing a TensorShape gave, whichever form it has."""
    return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Return dimension `index` of `shape`; an unknown one if the rank is unknown."""
    return Dimension(None if shape._dims is None else shape._dims[index])


class TensorShape(WithoutTensors):
    """The static shape of a tensor: unknown, or of a known rank with sizes that may each be unknown.

    dims: None for unknown rank; a TensorShape; a TensorShapeProto; one size; or an iterable of sizes (int, None,
    Dimension).
    """

    __slots__ = ("_dims",)

    _dims: Dims

    def __init__(self, dims: Any) -> None:
        if dims is None:
            self._dims = None
        elif isinstance(dims, (tuple, list)):
            self._dims = tuple([dimension_size(d) for d in dims])
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif hasattr(dims, "unknown_rank"):
            self._dims = dims_from_proto(dims)
        else:
            self._dims = _dims_of_other(dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if it is unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, or None if it is unknown."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """A list of Dimensions, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def __repr__(self) -> str:
        if _v2_behavior:
            return f"TensorShape({None if self._dims is None else list(self._dims)})"
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        unknown = "None" if _v2_behavior else "?"
        sizes = [unknown if d is None else str(d) for d in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims if _v2_behavior else [Dimension(d) for d in self._dims])

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return self._unknown_item(key)
        if isinstance(key, slice):
            return TensorShape(self._dims[key])
        return self._dims[key] if _v2_behavior else Dimension(self._dims[key])

    def _unknown_item(self, key: Any) -> Any:
        if not isinstance(key, slice):
            return None if _v2_behavior else Dimension(None)
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = 0 if key.start is None else key.start
        if key.stop is None or start < 0 or key.stop < 0:
            return unknown_shape()
        return unknown_shape(rank=key.stop - start)

    def num_elements(self) -> int | None:
        """Return the number of elements, or None if the shape is not fully defined."""
        if self._dims is None:
            return None
        total = 1
        for d in self._dims:
            if d is None:
                return None
            total *= d
        return total

    def merge_with(self, other: Any) -> TensorShape:
        """Return what is known of either shape. Raises: ValueError if they differ."""
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other: Any) -> TensorShape:
        """Return the dimensions of this shape followed by those of `other`."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def assert_same_rank(self, other: Any) -> None:
        """Raises: ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """Raises: ValueError if the rank is known and is not `rank`."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """Return this shape with rank `rank`. Raises: ValueError if it has another rank."""
        try:
            return self.merge_with(unknown_shape(rank=rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape. Raises: ValueError if its rank is known and less than `rank`."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape. Raises: ValueError if its rank is known and more than `rank`."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some fully defined shape fits both."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises: ValueError if no fully defined shape fits both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every shape that fits this one fits `other`."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(o is None or s == o for s, o in zip(self._dims, other._dims))

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape | None:
        """Return the narrowest shape that this one and all of `others` fit; None if one of them is no TensorShape."""
        others = list(others)
        if any(not isinstance(other, TensorShape) for other in others):
            return None
        if self._dims is None or any(other.rank != self.rank for other in others):
            return unknown_shape()
        return TensorShape([d if all(o._dims[i] == d for o in others) else None for i, d in enumerate(self._dims)])

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Return the narrowest shape that both fit."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return unknown_shape()
        return TensorShape([a if a == b else None for a, b in zip(self._dims, other._dims)])

    def is_fully_defined(self) -> bool:
        """Whether the rank and every size is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raises: ValueError if the rank or some size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_list(self) -> list[int | None]:
        """Return the sizes, None for unknown ones. Raises: ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def experimental_as_proto(self) -> TensorShapeProto:
        """Return this shape as a TensorShapeProto."""
        return self.as_proto()

    @classmethod
    def experimental_from_proto(cls, proto: TensorShapeProto) -> TensorShape:
        """Return the shape of a TensorShapeProto."""
        return cls(dims_from_proto(proto))

    @classmethod
    def experimental_type_proto(cls) -> type[TensorShapeProto]:
        """Return TensorShapeProto."""
        from icefloe.proto import TensorShapeProto

        return TensorShapeProto

    def as_proto(self) -> TensorShapeProto:
        """Return this shape as a TensorShapeProto."""
        return dims_to_proto(self._dims)

    def __eq__(self, other: object) -> bool:
        try:
            shape = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == shape._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> Any:
        return TensorShape, (self.dims,)

    def __concat__(self, other: Any) -> TensorShape:
        return self.concatenate(other)


def _dims_of_other(dims: Any) -> Dims:
    try:
        sizes = iter(dims)
    except TypeError:
        return (dimension_size(dims),)
    result = []
    for size in sizes:
        try:
            result.append(dimension_size(size))
        except TypeError as error:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{size!r}'could not be converted to a dimension. "
                "A shape should either be single dimension (e.g. 10), or an iterable of dimensions "
                "(e.g. [1, 10, None])."
            ) from error
    return tuple(result)


def as_shape(shape: Any) -> TensorShape:
    """Return `shape` as a TensorShape. Raises: TypeError, ValueError if it cannot be one."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """Return a shape of unknown rank, or of `rank` unknown sizes; `ndims` is an old name of `rank`."""
    if rank is None and "ndims" in kwargs:
        rank = kwargs.pop("ndims")
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape(None if rank is None else [None] * rank)


def to_tuple(shape: Any) -> Dims:
    """Return anything that `TensorShape` takes in the plain form: a tuple of int and None, or None for unknown rank."""
    return as_shape(shape)._dims


def dims_from_proto(proto: TensorShapeProto) -> Dims:
    """Return a TensorShapeProto in the plain form; a negative size is unknown."""
    if proto.unknown_rank:
        return None
    return tuple([None if d.size < 0 else d.size for d in proto.dim])


def dims_to_proto(dims: Dims) -> TensorShapeProto:
    """Return a plain shape as a TensorShapeProto."""
    from icefloe.proto import TensorShapeProto

    if dims is None:
        return TensorShapeProto(unknown_rank=True)
    proto = TensorShapeProto()
    for d in dims:
        proto.dim.add(size=-1 if d is None else d)
    return proto


def merge(a: Dims, b: Dims) -> Dims:
    """Return what is known of either plain shape. Raises: InvalidArgumentError if no shape fits both."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise errors.InvalidArgumentError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    merged = []
    for i, (x, y) in enumerate(zip(a, b)):
        if x is not None and y is not None and x != y:
            raise errors.InvalidArgumentError(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. "
                f"Shapes are {shape_text(a)} and {shape_text(b)}."
            )
        merged.append(y if x is None else x)
    return tuple(merged)


def shape_text(dims: Dims) -> str:
    """Return a plain shape as TensorFlow's messages write it: `[2,?]`, or `<unknown>` for unknown rank."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"
