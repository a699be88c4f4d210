"""StructuredValues: the nested Python values in which TensorFlow 2 stores what functions take and return.

Source: tensorflow/core/protobuf/struct.proto, tensorflow/python/saved_model/nested_structure_coder.py.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np

from icefloe import errors, shapes
from icefloe.datatypes import as_dtype
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.graph.type_specs import TensorSpec
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
