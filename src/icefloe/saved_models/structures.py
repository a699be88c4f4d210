"""StructuredValues: the nested Python values in which TensorFlow 2 stores what functions take and return.

Source: tensorflow/core/protobuf/struct.proto, tensorflow/python/saved_model/nested_structure_coder.py.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from icefloe import errors, shapes
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.spec_protos import spec_to_proto, tensor_spec_to_proto
from icefloe.graph.tensor_proto import make_ndarray, make_tensor_proto
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.proto import StructuredValue

_MAX_DEPTH = 50
_PLAIN = frozenset(("float64_value", "int64_value", "string_value", "bool_value"))


def decode(value: StructuredValue, depth: int = 0) -> Any:
    """Return the Python value; a TensorSpec for each tensor.

    Raises: UnimplementedError for composite tensors and types of extensions; DataLossError if it is nested too deep.
    """
    if depth > _MAX_DEPTH:
        raise errors.DataLossError("a structure nested too deep")
    kind = value.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    found = getattr(value, kind)
    if kind in _PLAIN:
        return found
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return TensorSpec(shapes.TensorShape(found.shape), as_dtype(found.dtype), found.name or None)
    if kind == "tensor_shape_value":
        return shapes.TensorShape(found)
    if kind == "tensor_dtype_value":
        return as_dtype(found)
    if kind in ("tensor_value", "numpy_value"):
        return make_ndarray(found)
    if kind == "list_value":
        return [decode(v, depth + 1) for v in found.values]
    if kind == "tuple_value":
        return tuple(decode(v, depth + 1) for v in found.values)
    if kind == "dict_value":
        return {key: decode(found.fields[key], depth + 1) for key in sorted(found.fields)}
    if kind == "named_tuple_value":
        keys = [pair.key for pair in found.values]
        make: Any = namedtuple  # with fields that only the file names
        return make("Values", keys, rename=True)(*[decode(pair.value, depth + 1) for pair in found.values])
    name = found.type_spec_class_name or kind
    raise errors.UnimplementedError(f"a function that takes or returns a {name}")


def leaves(value: Any) -> Iterator[Any]:
    """Yield what is in nested lists, tuples and dicts, in TensorFlow's order: dicts by key."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def replaced(value: Any, tensors: Iterator[Any]) -> Any:
    """Return the structure with the next of `tensors` in place of each TensorSpec."""
    if isinstance(value, TensorSpec):
        return next(tensors)
    if isinstance(value, dict):
        return {key: replaced(value[key], tensors) for key in sorted(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[replaced(item, tensors) for item in value])
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(item, tensors) for item in value)
    return value


def matched(wanted: Any, given: Any) -> list[Any] | None:
    """Return the values in `given` for the TensorSpecs of `wanted`, in their order; None if `given` does not fit.

    A number fits a TensorSpec of any dtype that holds it as well; an array one of its own dtype.
    """
    if isinstance(wanted, TensorSpec):
        return [given] if _is_value_of(wanted, given) else None
    if isinstance(wanted, dict):
        if not isinstance(given, dict) or wanted.keys() != given.keys():
            return None
        pairs = [(wanted[key], given[key]) for key in sorted(wanted)]
    elif isinstance(wanted, (list, tuple)):
        if not isinstance(given, (list, tuple)) or len(wanted) != len(given):
            return None
        pairs = list(zip(wanted, given, strict=True))
    else:
        same = type(wanted) is type(given) or (not isinstance(wanted, bool) and not isinstance(given, bool))
        return [] if same and np.array_equal(wanted, given) else None
    out = []
    for want, got in pairs:
        found = matched(want, got)
        if found is None:
            return None
        out += found
    return out


def _is_value_of(spec: TensorSpec, value: Any) -> bool:
    if value is None or isinstance(value, dict):
        return False
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    dims = spec.shape.as_list() if spec.shape.rank is not None else None
    if dims is not None and (
        len(dims) != array.ndim or any(d is not None and d != s for d, s in zip(dims, array.shape, strict=True))
    ):
        return False
    want = spec.dtype.as_numpy_dtype
    if spec.dtype.name == "string":
        return array.dtype.kind in "SUO"
    if array.dtype.kind in "SUO":
        return False
    if isinstance(value, (np.ndarray, np.generic)):
        return array.dtype == np.dtype(want)
    return np.can_cast(array.dtype, want, "same_kind") or (array.dtype.kind in "iu" and np.dtype(want).kind in "iufc")


def encode(value: Any) -> StructuredValue:
    """Return the message of nested lists, tuples, dicts with text as keys, specs, dtypes, shapes and plain values.

    Raises: UnimplementedError for a value of another kind.
    """
    made = StructuredValue()
    if value is None:
        made.none_value.SetInParent()
    elif isinstance(value, bool):
        made.bool_value = value
    elif isinstance(value, int) and abs(value) < 1 << 63:
        made.int64_value = value
    elif isinstance(value, float):
        made.float64_value = value
    elif isinstance(value, str):
        made.string_value = value
    elif isinstance(value, TensorSpec):
        made.tensor_spec_value.CopyFrom(tensor_spec_to_proto(value))
    elif isinstance(value, TypeSpec):
        made.type_spec_value.CopyFrom(spec_to_proto(value))
    elif isinstance(value, shapes.TensorShape):
        made.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, (np.ndarray, np.generic)):
        made.numpy_value.CopyFrom(make_tensor_proto(value))
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        made.dict_value.SetInParent()
        for key, item in value.items():
            made.dict_value.fields[key].CopyFrom(encode(item))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        made.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value, strict=True):
            made.named_tuple_value.values.add(key=key).value.CopyFrom(encode(item))
    elif isinstance(value, list):
        made.list_value.SetInParent()
        made.list_value.values.extend(encode(item) for item in value)
    elif isinstance(value, tuple):
        made.tuple_value.SetInParent()
        made.tuple_value.values.extend(encode(item) for item in value)
    else:
        raise errors.UnimplementedError(f"a SavedModel has no place for a {type(value).__name__}: {value!r:.100}")
    return made
