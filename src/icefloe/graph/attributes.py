"""Attrs: from Python values to AttrValue messages and back, in the form TensorFlow's API has and in the form kernels
take.

`encode` takes what a caller of an op passes, `decode` gives what `Operation.get_attr` returns, `decode_for_kernel`
what the docstring of `graph.registry` promises to kernels. Messages of common values are shared between nodes: an
AttrValue inside a graph is never changed, only replaced.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes, shapes
from icefloe.graph import tensor_proto
from icefloe.proto import AttrValue, DataType, NameAttrList, TensorProto, TensorShapeProto

_TYPES: dict[int, AttrValue] = {}
_INTS: dict[int, AttrValue] = {i: AttrValue(i=i) for i in range(-1, 17)}
_TRUE = AttrValue(b=True)
_FALSE = AttrValue(b=False)

# Past this many elements a list is cut in messages.
_SUMMARY_LENGTH = 50


def type_attr(number: int) -> AttrValue:
    """Return the shared AttrValue of a DataType number."""
    found = _TYPES.get(number)
    if found is None:
        found = _TYPES[number] = AttrValue(type=number)
    return found


def int_attr(value: int) -> AttrValue:
    """Return an AttrValue of an int, shared where it is small."""
    return _INTS.get(value) or AttrValue(i=value)


def as_attr(value: Any) -> AttrValue:
    """Return an AttrValue message, TensorFlow's own too, as one of ours."""
    return value if isinstance(value, AttrValue) else AttrValue.FromString(value.SerializeToString())


def _float(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)) or not isinstance(value, (numbers.Real, np.integer, np.floating)):
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.")
    return float(value)


def _int(value: Any, name: str) -> int:
    if isinstance(value, str):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.")
    try:
        return int(value)
    except (ValueError, TypeError):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from None


def _string(value: Any, name: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise TypeError(f"Expected string for argument '{name}' not {value!r}.")
    return value


def _bool(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"Expected bool for argument '{name}' not {value!r}.")
    return value


def _type(value: Any, name: str) -> int:
    try:
        return datatypes.as_dtype(value).base_dtype.as_datatype_enum
    except TypeError:
        raise TypeError(f"Expected DataType for argument '{name}' not {value!r}.") from None


def _shape(value: Any, name: str) -> TensorShapeProto:
    if isinstance(value, TensorShapeProto):
        return value
    try:
        return shapes.dims_to_proto(shapes.to_tuple(value))
    except (TypeError, ValueError) as error:
        raise TypeError(f"Error converting {value!r} (arg name = {name}) to a TensorShape: {error}") from None


def _tensor(value: Any, name: str) -> TensorProto:
    if isinstance(value, TensorProto):
        return value
    if hasattr(value, "SerializeToString"):
        return TensorProto.FromString(value.SerializeToString())
    raise TypeError(f"Don't know how to convert {value!r} to a TensorProto for argument '{name}'")


def _func(value: Any, name: str) -> NameAttrList:
    if isinstance(value, NameAttrList):
        return value
    if isinstance(value, str):
        return NameAttrList(name=value)
    if isinstance(value, bytes):
        return NameAttrList(name=value.decode())
    if hasattr(value, "add_to_graph"):
        listed = getattr(value, "_as_name_attr_list", None)
        return NameAttrList(name=value.name) if listed is None else listed
    raise TypeError(f"Don't know how to convert {value!r} to a func for argument {name}")


# TensorFlow's word for a kind of attr: the field of AttrValue and of its ListValue, and the check of one element.
_KINDS: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "string": ("s", _string),
    "int": ("i", _int),
    "float": ("f", _float),
    "bool": ("b", _bool),
    "type": ("type", _type),
    "shape": ("shape", _shape),
    "tensor": ("tensor", _tensor),
    "func": ("func", _func),
}


def encode(value: Any, kind: str, name: str) -> AttrValue:
    """Return `value` as an AttrValue of `kind`, TensorFlow's word for it (`int`, `list(type)`, ...).

    name: the argument, for messages.

    Raises: TypeError if the value is of another kind.
    """
    if kind.startswith("list("):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for attr {name}, obtained {type(value).__name__} instead.")
        field, check = _KINDS[kind[5:-1]]
        checked = [check(item, name) for item in value]
        return AttrValue(list=AttrValue.ListValue(**{field: checked}))
    if kind == "type":
        return type_attr(_type(value, name))
    if kind == "bool":
        return _TRUE if _bool(value, name) else _FALSE
    if kind == "int":
        return int_attr(_int(value, name))
    if kind not in _KINDS:
        raise TypeError(f"Unrecognized Attr type {kind} for {name}.")
    field, check = _KINDS[kind]
    return AttrValue(**{field: check(value, name)})


def decode(value: AttrValue) -> Any:
    """Return the value as `Operation.get_attr` gives it.

    Strings are bytes; types DTypes; shapes, tensors and functions messages; a list is that of its first field that is
    not empty.
    """
    field = value.WhichOneof("value")
    if field is None:
        return []
    if field == "list":
        for name, _ in _KINDS.values():
            items = getattr(value.list, name)
            if len(items):
                return [_dtype(n) for n in items] if name == "type" else list(items)
        return []
    if field == "type":
        return _dtype(value.type)
    return getattr(value, field)


def _dtype(number: int) -> Any:
    try:
        return datatypes.as_dtype(number)
    except TypeError:
        return number


def _kernel_string(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _kernel_tensor(value: TensorProto) -> np.ndarray | TensorProto:
    """Return the array; a tensor of variants stays a message, which the kernel of Const takes apart."""
    return value if value.dtype == DataType.DT_VARIANT else tensor_proto.make_ndarray(value)


_TO_KERNEL: dict[str, Callable[[Any], Any]] = {
    "s": _kernel_string,
    "type": datatypes.as_dtype,
    "shape": shapes.dims_from_proto,
    "tensor": _kernel_tensor,
}


def decode_for_kernel(value: AttrValue, kind: str | None = None) -> Any:
    """Return the value as a kernel takes it; see `graph.registry`. A function stays a NameAttrList.

    kind: the attr's kind in the op table where that is known; it tells an empty list's elements.

    Raises: InvalidArgumentError, TypeError if the value is broken: of another kind, an unknown dtype, a tensor that
    does not fill its shape.
    """
    field = value.WhichOneof("value")
    if field is None:
        return () if kind is not None and kind.startswith("list(") else None
    if kind is not None and field != ("list" if kind.startswith("list(") else _KINDS[kind][0]):
        raise TypeError(f"AttrValue had value with type '{_words(value, field)}' when '{kind}' expected")
    if field != "list":
        convert = _TO_KERNEL.get(field)
        found = getattr(value, field)
        return found if convert is None else convert(found)
    listed = value.list
    names = (
        (_KINDS[kind[5:-1]][0],) if kind is not None and kind.startswith("list(") else [f for f, _ in _KINDS.values()]
    )
    for name in names:
        items = getattr(listed, name)
        if len(items):
            convert = _TO_KERNEL.get(name)
            return tuple(items) if convert is None else tuple([convert(item) for item in items])
    return ()


def _words(value: AttrValue, field: str) -> str:
    """Return TensorFlow's word for what an AttrValue holds."""
    words = {name: word for word, (name, _) in _KINDS.items()}
    if field != "list":
        return words.get(field, field)
    return f"list({words[value.list.ListFields()[0][0].name] if value.list.ListFields() else 'none'})"


def summary(value: AttrValue) -> str:
    """Return the value as TensorFlow's messages write it: `DT_FLOAT`, `"SAME"`, `[1, 2]`, `true`."""
    field = value.WhichOneof("value")
    if field is None:
        return "<Unknown AttrValue type>"
    if field != "list":
        return _summary_of(field, getattr(value, field))
    for name, _ in _KINDS.values():
        items = getattr(value.list, name)
        if len(items):
            texts = [_summary_of(name, item) for item in items]
            if len(texts) > _SUMMARY_LENGTH:
                texts = [*texts[:5], "...", *texts[-5:]]
            return f"[{', '.join(texts)}]"
    return "[]"


def _summary_of(field: str, value: Any) -> str:
    if field == "type":
        return _type_name(value)
    if field == "b":
        return "true" if value else "false"
    if field == "s":
        return '"' + _escaped(value) + '"'
    if field == "f":
        return f"{value:g}"
    if field == "shape":
        return shapes.shape_text(shapes.dims_from_proto(value))
    if field == "tensor":
        dims = shapes.shape_text(shapes.dims_from_proto(value.tensor_shape))
        return f"Tensor<type: {_type_name(value.dtype)[3:].lower()} shape: {dims}>"
    if field == "func":
        attrs = ", ".join(f"{key}={summary(attr)}" for key, attr in sorted(value.attr.items()))
        return f"{value.name}[{attrs}]"
    return str(value)


def _type_name(number: int) -> str:
    try:
        return DataType.Name(number)
    except ValueError:
        return str(number)


def _escaped(value: bytes) -> str:
    text = repr(value)[2:-1].replace('"', '\\"')
    return text if len(text) <= 80 else f"{text[:10]}...{text[-10:]}"
