"""Type specs: what is known, before running, of a tensor or of a value that consists of several.

    TensorSpec([None, 3], tf.float32)        SparseTensorSpec([None, 3], tf.float32)
    IndexedSlicesSpec([None, 3], tf.float32)

A spec takes a value apart into its tensors and puts it together again. Of two specs one may be the more general: shapes
that know less, and all else equal.

Source: tensorflow/python/framework/type_spec.py, tensor.py, sparse_tensor.py, indexed_slices.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from icefloe import datatypes
from icefloe.datatypes import DType as DType
from icefloe.graph import spec_protos
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.proto import TensorSpecProto, TypeSpecProto
from icefloe.shapes import TensorShape, as_shape, dimension_value, dims_from_proto, unknown_shape

Spec = TypeVar("Spec", bound="TypeSpec")


class TypeSpec:
    """What is known of a value. Made as one of its subclasses."""

    value_type: ClassVar[Any] = None

    def _serialize(self) -> tuple[Any, ...]:
        """Return what it knows, in the order of the constructor's arguments."""
        raise NotImplementedError(f"{type(self).__name__}._serialize()")

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        """The specs of the tensors the value consists of."""
        raise NotImplementedError(f"{type(self).__name__}._component_specs()")

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        raise NotImplementedError(f"{type(self).__name__}._to_components()")

    def _from_components(self, components: Sequence[Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._from_components()")

    def flatten(self) -> list[TensorSpec]:
        """Return the specs of the tensors a value consists of."""
        return list(self._component_specs)

    def to_tensors(self, value: Any) -> list[Any]:
        """Return the tensors that `value` consists of."""
        return list(self._to_components(value))

    def from_tensors(self, tensors: Iterable[Any]) -> Any:
        """Return the value that consists of these tensors."""
        return self._from_components(list(tensors))

    # What traced functions ask of a spec; the contexts are TensorFlow's, of which nothing is needed here.

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """Return a value of Placeholders in the default graph."""
        return self.from_tensors([spec.placeholder_value(placeholder_context) for spec in self.flatten()])

    def cast(self, value: Any, casting_context: Any = None) -> Any:
        """Return `value` as one of this spec. Raises: TypeError if it is none."""
        parts = [spec.cast(part, casting_context) for spec, part in zip(self.flatten(), self.to_tensors(value))]
        return self.from_tensors(parts)

    def experimental_as_proto(self) -> Any:
        """Return a TypeSpecProto."""
        return spec_protos.spec_to_proto(self)

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> Any:
        """Return the spec of a TypeSpecProto. Raises: TypeError if it is of another class."""
        name = spec_protos.spec_class_name(proto)
        classes = {found.__name__: found for found in _all_specs(TypeSpec)}
        if name not in classes or not issubclass(classes[name], cls):
            raise TypeError(f"the message is of a {name}, not of a {cls.__name__}")
        return classes[name](*spec_protos.spec_state(proto, classes))

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Return the class of `experimental_as_proto`'s message."""
        return TypeSpecProto

    # Values whose rows along the first axis are values of their own kind have each row, and all of them, as one tensor.

    def batch(self: Spec, size: Any) -> Spec:
        """Return the spec of `size` such values along a new first axis. Raises: TypeError if there is no such value."""
        raise TypeError(f"map_fn can not generate {self} outputs")

    def unbatch(self: Spec) -> Spec:
        """Return the spec of one row of such a value. Raises: TypeError if it has no rows."""
        raise TypeError(f"map_fn can not consume {self} inputs")

    def box_rows(self, value: Any) -> Tensor:
        """Return a tensor that holds the rows of `value`."""
        raise TypeError(f"map_fn can not consume {self} inputs: got {value!r}")

    def box(self, value: Any) -> Tensor:
        """Return a tensor that holds `value`."""
        raise TypeError(f"map_fn can not generate {self} outputs")

    def unbox(self, tensor: Tensor) -> Any:
        """Return the value that `tensor` holds, or the rows of it."""
        raise TypeError(f"map_fn can not generate {self} outputs")

    def box_spec(self) -> TensorSpec:
        """Return the spec of a tensor that holds such a value."""
        raise TypeError(f"map_fn can not generate {self} outputs")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some value fits both this and another spec, or the value given."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        if type(other) is not type(self):
            return False
        return all(_compatible(a, b) for a, b in zip(self._serialize(), other._serialize()))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether all that `other` says of a value, this says too."""
        if type(other) is not type(self):
            return False
        return all(_is_subtype(a, b) for a, b in zip(self._serialize(), other._serialize()))

    def most_specific_common_supertype(self: Spec, others: Sequence[Any]) -> Spec | None:
        """Return the spec that says what this and all of `others` say, or None if they are of several kinds."""
        if any(type(other) is not type(self) for other in others):
            return None
        fields: list[Any] = []
        for group in zip(self._serialize(), *(other._serialize() for other in others)):
            if isinstance(group[0], TensorShape):
                field: Any = group[0].most_specific_common_supertype(group[1:])
                if field is None:
                    return None
            elif any(item != group[0] for item in group[1:]):
                return None
            else:
                field = group[0]
            fields.append(field)
        return type(self)(*fields)

    def most_specific_compatible_type(self: Spec, other: Any) -> Spec:
        """Return what this and `other` both say. Raises: ValueError if they are of several kinds."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def _without_tensor_names(self: Spec) -> Spec:
        return self

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash((type(self), self._serialize()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()}"


def _all_specs(cls: Any) -> Iterator[Any]:
    yield cls
    for found in cls.__subclasses__():
        yield from _all_specs(found)


def _compatible(a: Any, b: Any) -> bool:
    return a.is_compatible_with(b) if isinstance(a, (TensorShape, datatypes.DType)) and b is not None else a == b


def _is_subtype(a: Any, b: Any) -> bool:
    return a.is_subtype_of(b) if isinstance(a, TensorShape) else a == b


class TensorSpec(TypeSpec):
    """Shape, dtype and perhaps name of a tensor."""

    value_type = Tensor

    def __init__(self, shape: Any, dtype: Any = datatypes.float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = datatypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """Return a copy of a TensorSpec, under another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Return the spec of a tensor, by default with the name of its op. Raises: ValueError if it is no tensor."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")  # noqa: TRY004
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor, or a tensor of the spec given, has this dtype and may have this shape."""
        if not isinstance(spec_or_value, (TensorSpec, Tensor)):
            return False
        fits = self._dtype.is_compatible_with(spec_or_value.dtype)
        return fits and self._shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether all that `other` says of a tensor, this says too; a name that one of them lacks tells nothing."""
        return (
            isinstance(other, TensorSpec)
            and (not self._name or self._name == other._name)
            and self._shape.is_subtype_of(other._shape)
            and self._dtype == other._dtype
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        return (self,)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return (value if isinstance(value, Tensor) else convert_to_tensor(value, self._dtype),)

    def _from_components(self, components: Sequence[Any]) -> Any:
        return components[0]

    def placeholder_value(self, placeholder_context: Any = None) -> Tensor:
        tensor: Tensor = apply_op("Placeholder", dtype=self._dtype, shape=self._shape, name=self._name)
        return tensor

    def cast(self, value: Any, casting_context: Any = None) -> Tensor:
        tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, self._dtype)
        found = TensorSpec(tensor.shape, tensor.dtype, self._name)
        if not self.is_compatible_with(found):
            raise TypeError(f"Can not cast {found!r} to {self!r}")
        return tensor

    def experimental_as_proto(self) -> Any:
        """Return a TensorSpecProto."""
        return spec_protos.tensor_spec_to_proto(self)

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> TensorSpec:
        """Return the spec of a TensorSpecProto."""
        return cls(TensorShape(dims_from_proto(proto.shape)), datatypes.as_dtype(proto.dtype), proto.name or None)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Return the class of `experimental_as_proto`'s message."""
        return TensorSpecProto

    def batch(self, size: Any) -> TensorSpec:
        return TensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(self._shape[1:], self._dtype)

    def box_rows(self, value: Any) -> Tensor:
        return value

    def box(self, value: Any) -> Tensor:
        return value

    def unbox(self, tensor: Tensor) -> Tensor:
        return tensor

    def box_spec(self) -> TensorSpec:
        return self

    def _without_tensor_names(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype) if self._name else self

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class SparseTensorSpec(TypeSpec):
    """Shape of the whole and dtype of a SparseTensor."""

    value_type = SparseTensor

    def __init__(self, shape: Any = None, dtype: Any = datatypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = datatypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """Return the spec of a SparseTensor or SparseTensorValue. Raises: TypeError if it is neither."""
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            values = np.asarray(value.values)
            return cls(np.asarray(value.dense_shape).tolist(), values.dtype)
        raise TypeError(
            f"Expected SparseTensor or SparseTensorValue. Received: {value} of type {type(value).__name__}."
        )

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype of the elements."""
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rank = self._shape.rank
        return (
            TensorSpec([None, rank], datatypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], datatypes.int64),
        )

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return value.indices, value.values, value.dense_shape

    def _from_components(self, components: Sequence[Any]) -> Any:
        if all(isinstance(part, np.ndarray) for part in components):
            return SparseTensorValue(*components)
        result = SparseTensor(*components)
        result.set_shape(self._shape)
        return result

    def batch(self, size: Any) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def unbatch(self) -> SparseTensorSpec:
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return SparseTensorSpec(self._shape[1:], self._dtype)

    def box_rows(self, value: Any) -> Tensor:
        if self._shape.merge_with(value.shape).rank == 0:
            raise ValueError(f"Unbatching a sparse tensor is only supported for rank >= 1. Obtained input: {value}.")
        return self._serialized("SerializeManySparse", value)

    def box(self, value: Any) -> Tensor:
        return self._serialized("SerializeSparse", value)

    @staticmethod
    def _serialized(op: str, value: SparseTensor) -> Tensor:
        tensor: Tensor = apply_op(op, value.indices, value.values, value.dense_shape, out_type=datatypes.variant)
        return tensor

    def box_spec(self) -> TensorSpec:
        return TensorSpec(None, datatypes.variant)

    def unbox(self, tensor: Tensor) -> SparseTensor:
        indices, values, shape = apply_op("DeserializeSparse", tensor, dtype=self._dtype)
        rank = self._shape.rank
        indices.set_shape([None, rank])
        if self._shape.is_fully_defined():
            shape = convert_to_tensor(self._shape, dtype=datatypes.int64, name="shape")
        elif rank is not None and any(size is not None for size in self._shape.as_list()):
            sizes = apply_op("Unpack", shape, num=rank, name="unstack")
            known = self._shape.as_list()
            sizes = [s if n is None else constant(n, shape.dtype) for s, n in zip(sizes, known)]
            shape = apply_op("Pack", sizes, name="stack")
        else:
            shape.set_shape([rank])
        return SparseTensor(indices, values, shape)


class IndexedSlicesSpec(TypeSpec):
    """Shape of the whole, dtypes and number of slices of IndexedSlices; `dense_shape_dtype` None: there is none."""

    value_type = IndexedSlices

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = datatypes.float32,
        indices_dtype: Any = datatypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._values_dtype = datatypes.as_dtype(dtype)
        self._indices_dtype = datatypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else datatypes.as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    def _serialize(self) -> tuple[Any, ...]:
        dtypes = self._values_dtype, self._indices_dtype, self._dense_shape_dtype
        return self._shape, *dtypes, self._indices_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        values = TensorSpec(self._indices_shape.concatenate(self._shape[1:]), self._values_dtype)
        indices = TensorSpec(self._indices_shape, self._indices_dtype)
        if self._dense_shape_dtype is None:
            return values, indices
        return values, indices, TensorSpec([self._shape.rank], self._dense_shape_dtype)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        if value.dense_shape is None:
            return value.values, value.indices
        return value.values, value.indices, value.dense_shape

    def _from_components(self, components: Sequence[Any]) -> Any:
        if all(isinstance(part, np.ndarray) for part in components):
            return IndexedSlicesValue(*components, *([None] if len(components) == 2 else []))
        return IndexedSlices(*components)


class NoneTensorSpec(TypeSpec):
    """Of None, which is a value of no tensors."""

    value_type = type(None)

    @classmethod
    def from_value(cls, value: Any) -> NoneTensorSpec:
        """Return the spec of None."""
        return cls()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a spec or value given is this, or None."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def most_specific_compatible_shape(self, other: Any) -> NoneTensorSpec:
        """Return this. Raises: ValueError if `other` is of another kind."""
        if type(other) is not type(self):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        return ()

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return ()

    def _from_components(self, components: Sequence[Any]) -> None:
        return None


def type_spec_from_value(value: Any) -> TypeSpec:
    """Return the spec of a tensor, variable, SparseTensor, IndexedSlices, or of what converts to a tensor.

    Raises: TypeError if it is none of these.
    """
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    if isinstance(value, TypeSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, IndexedSlices):
        shape = TensorShape([None]).concatenate(value.values.shape[1:]).merge_with(value.shape)
        return _indexed_slices_spec(value, shape, value.indices.shape.merge_with(value.values.shape[:1]))
    try:
        found = convert_to_tensor(value)
    except (ValueError, TypeError) as error:
        raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.") from error
    return TensorSpec(found.shape, found.dtype)


def _indexed_slices_spec(value: IndexedSlices, shape: Any, indices_shape: Any) -> IndexedSlicesSpec:
    dense = None if value.dense_shape is None else value.dense_shape.dtype
    return IndexedSlicesSpec(shape, value.dtype, value.indices.dtype, dense, indices_shape)


def invariant_spec(value: Any, shape: Any = None) -> TypeSpec:
    """Return the spec of a loop variable that stays within `shape`, a TensorShape or a spec; None: within its own.

    Of a SparseTensor `shape` is that of its `dense_shape`, of IndexedSlices that of their `values`.

    Raises: TypeError if `shape` is neither or a spec that does not fit; ValueError if it cannot be one.
    """
    if shape is None:
        return type_spec_from_value(value)
    if isinstance(shape, TypeSpec):
        if not shape.is_compatible_with(value):
            raise TypeError(f"TypeSpec {shape!r} is not compatible with {value!r}")
        return shape
    if not isinstance(shape, TensorShape):
        raise TypeError(f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(shape)}")
    if isinstance(value, Tensor):
        return TensorSpec(shape, value.dtype)
    if isinstance(value, SparseTensor):
        if shape.rank not in (None, 1):
            raise ValueError(f"Expected a shape with 1 dimension. Obtained: {shape} which has {shape.rank} dimensions.")
        return SparseTensorSpec(unknown_shape(dimension_value(shape[0])), value.dtype)
    if isinstance(value, IndexedSlices):
        return _indexed_slices_spec(value, TensorShape([None]).concatenate(shape[1:]), shape[:1])
    make = getattr(value, "_shape_invariant_to_type_spec", None)
    if make is None:
        raise TypeError(f"A loop variable of type {type(value).__name__} takes no TensorShape as its shape invariant.")
    made: TypeSpec = make(shape)
    return made
