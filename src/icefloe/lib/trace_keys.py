"""What a traced function is made anew for: the parts of its arguments that are tensors, and all else as it is.

    key, leaves = Described(("a", "b"), (x, {"k": 3})).key, ...

Tensors, numpy arrays and composites are known by their spec, Python values by what they equal, other objects by
themselves. A nest gives a key of its kind and of what it holds.

Source: tensorflow/core/function/trace_type/trace_type_builder.py (what a function is traced anew for).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec, type_spec_from_value
from icefloe.lib.nest import is_composite, is_nested
from icefloe.shapes import TensorShape

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Leaf:
    """A part of the arguments that is passed as tensors."""

    def __init__(self, spec: TypeSpec, value: Any, name: str) -> None:
        self.spec, self.value, self.name = spec, value, name


def is_variable(value: Any) -> bool:
    """Whether `value` is a variable."""
    return hasattr(type(value), "initialized_value") or hasattr(type(value), "read_value")


def tensor_leaf(value: Any, name: str) -> Leaf | None:
    """Return `value` as what is passed as tensors, or None if it is no such thing."""
    if isinstance(value, TypeSpec):
        return Leaf(value, None, getattr(value, "name", None) or name)
    if isinstance(value, Tensor) and not is_variable(value):
        return Leaf(TensorSpec(value.shape, value.dtype.base_dtype), value, name)
    if isinstance(value, (np.ndarray, np.generic)):
        tensor = convert_to_tensor(value)
        return Leaf(TensorSpec(tensor.shape, tensor.dtype), tensor, name)
    if is_composite(value) or isinstance(getattr(value, "_type_spec", None), TypeSpec):
        return None if is_variable(value) else Leaf(type_spec_from_value(value), value, name)
    return None


def name_inside(name: str, key: Any) -> str:
    """Return the name of a part of a nest, by that of the nest: `x_0`, `x_key`."""
    return f"{name}_{key}" if name else ""


def rebuilt(value: Any, name: str, replace: Callable[[Any, str], Any]) -> Any:
    """Return `value` with what `replace(atom, name)` gives in the place of each atom of the nest.

    Those of a dict are replaced in the order of its sorted keys, in which `leaves_of` gives them.
    """
    if isinstance(value, Mapping):
        made = {key: rebuilt(value[key], name_inside(name, key), replace) for key in sorted(value)}
        items = {key: made[key] for key in value}
        return items if type(value) is dict else type(value)(items)  # type: ignore[call-arg]
    if isinstance(value, (list, tuple)) and is_nested(value):
        parts = [rebuilt(item, name_inside(name, i), replace) for i, item in enumerate(value)]
        if isinstance(value, list):
            return parts
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return replace(value, name)


def literal_key(value: Any) -> Any:
    """Return what a value that is no tensor is known by. Raises: TypeError if it cannot be known again."""
    if isinstance(value, _PLAIN):
        return value
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}.Please verify that it is immutable/hashable. "
            "Otherwise, consider implementing the Tracing Protocol for it."
        ) from None
    if isinstance(value, (TensorShape, type)):
        return value
    try:
        return weakref.ref(value)
    except TypeError:
        return value


def key_of(value: Any) -> Any:
    """Return the key of a nest whose tensors have become Leaves."""
    if isinstance(value, Leaf):
        return value.spec._without_tensor_names()
    if isinstance(value, Mapping):
        return "dict", tuple((key, key_of(value[key])) for key in sorted(value))
    if isinstance(value, (list, tuple)):
        return type(value), tuple(key_of(item) for item in value)
    return literal_key(value)


def leaves_of(value: Any) -> list[Leaf]:
    """Return the Leaves of a nest, those of a dict by the order of its sorted keys."""
    if isinstance(value, Leaf):
        return [value]
    if isinstance(value, Mapping):
        return [leaf for key in sorted(value) for leaf in leaves_of(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves_of(item)]
    return []


def relaxed(first: Any, second: Any) -> Any:
    """Return the key that both keys fit, with shapes that know less; None if they differ in more than shapes."""
    if isinstance(first, TypeSpec):
        return first.most_specific_common_supertype([second]) if isinstance(second, TypeSpec) else None
    if isinstance(first, tuple):
        if not isinstance(second, tuple) or len(first) != len(second):
            return None
        parts = [relaxed(a, b) for a, b in zip(first, second)]
        same = [a is None and b is None for a, b in zip(first, second)]
        return None if any(p is None and not s for p, s in zip(parts, same)) else tuple(parts)
    return first if type(first) is type(second) and first == second else None


def fits(key: Any, general: Any) -> bool:
    """Whether arguments of `key` can be passed to what was traced for `general`."""
    if isinstance(general, TypeSpec):
        return isinstance(key, TypeSpec) and key.is_subtype_of(general)
    if isinstance(general, tuple):
        return isinstance(key, tuple) and len(key) == len(general) and all(map(fits, key, general))
    return bool(type(key) is type(general) and key == general)
