"""The number that TensorFlow puts after the name of a function that was given none: a hash of what it does.

Two functions of the same body and arguments get the same one, in every process. Names, inputs, devices and attrs of
nodes count; attrs whose names start with `_` do not.

Source: tensorflow/core/framework/function.cc (FunctionDefHash), op_def_util.cc, attr_value_util.cc,
core/util/equal_graph_def.cc, tsl/platform/hash.cc.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph import tensor_proto
from icefloe.proto import AttrValue, FunctionDef, NodeDef, OpDef, TensorProto
from icefloe.wire.coding import encode_varint

_SEED = 0xDECAFCAFFE
_MASK = (1 << 64) - 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SHIFT = 47


def hash64(data: bytes, seed: int = _SEED) -> int:
    """Return the 64-bit Murmur hash of `data`."""
    h = seed ^ (len(data) * _MULTIPLIER & _MASK)
    words = np.frombuffer(data, "<u8", len(data) // 8)
    with np.errstate(over="ignore"):
        mixed = words * np.uint64(_MULTIPLIER)
        mixed ^= mixed >> np.uint64(_SHIFT)
        mixed *= np.uint64(_MULTIPLIER)
    for word in mixed.tolist():
        h = (h ^ word) * _MULTIPLIER & _MASK
    tail = data[len(words) * 8 :]
    if tail:
        h = (h ^ int.from_bytes(tail, "little")) * _MULTIPLIER & _MASK
    h ^= h >> _SHIFT
    h = h * _MULTIPLIER & _MASK
    return h ^ h >> _SHIFT


def _combine(a: int, b: int) -> int:
    return a ^ (b + 0x9E3779B97F4A7800 + (a << 10) + (a >> 4)) & _MASK


def _text(text: str, h: int = _SEED) -> int:
    return hash64(text.encode(), h)


def _message(message: Any, h: int = _SEED) -> int:
    return hash64(message.SerializeToString(deterministic=True), h)


def _tensor(proto: TensorProto) -> int:
    """Hash a tensor by its value, however the message holds it."""
    try:
        array = tensor_proto.make_ndarray(proto)
    except (errors.OpError, TypeError, ValueError):
        return _message(proto)
    content = TensorProto(dtype=proto.dtype)
    content.tensor_shape.SetInParent()
    for size in array.shape:
        content.tensor_shape.dim.add(size=size)
    if array.dtype == object:
        items = [item if isinstance(item, bytes) else str(item).encode() for item in array.ravel().tolist()]
        content.tensor_content = b"".join(encode_varint(len(item)) for item in items) + b"".join(items)
    elif array.size:
        content.tensor_content = np.ascontiguousarray(array).tobytes()
    return _message(content)


def _attr(value: AttrValue) -> int:
    kind = value.WhichOneof("value")
    if kind == "tensor":
        return _tensor(value.tensor)
    if kind == "func":
        return _attrs(value.func.attr, _text(value.func.name))
    return _message(value)


def _attrs(attrs: Any, h: int, *, internal: bool = True) -> int:
    for key in sorted(attrs):
        if internal or not key.startswith("_"):
            h = _combine(_attr(attrs[key]), _text(key, h))
    return h


def _node(node: NodeDef) -> int:
    h = _text(node.device, _text(node.op, _text(node.name)))
    for name in [i for i in node.input if not i.startswith("^")]:
        h = _text(name, h)
    for name in sorted({i for i in node.input if i.startswith("^")}):
        h = _text(name, h)
    return _attrs(node.attr, h, internal=False)


def _nodes(nodes: Iterable[NodeDef]) -> int:
    h = _SEED
    for name, node in sorted({node.name: node for node in nodes}.items()):
        h = _combine(_node(node), _text(name, h))
    return h


def _attr_def(spec: OpDef.AttrDef) -> int:
    h = _text(spec.type, _text(spec.name))
    h = _combine(_attr(spec.default_value), h)
    h = _text(spec.description, h)
    h = _combine(int(spec.has_minimum), h)
    h = _combine(spec.minimum & _MASK, h)
    return _combine(_attr(spec.allowed_values), h)


def _op_def(signature: OpDef) -> int:
    h = _SEED
    for spec in sorted(signature.attr, key=lambda spec: spec.name):
        h = _combine(_attr_def(spec), _text(spec.name, h))
    for name in sorted(signature.control_output):
        h = _combine(h, _text(name))
    rest = OpDef.FromString(signature.SerializeToString())
    rest.ClearField("attr")
    rest.ClearField("control_output")
    return _message(rest, h)


def function_hash(function: FunctionDef) -> int:
    """Return the hash of a function, its name included if it has one already."""
    h = _op_def(function.signature)
    h = _attrs({key: value for key, value in function.attr.items() if value.WhichOneof("value") is not None}, h)
    h = _combine(_nodes(function.node_def), h)
    for results in (function.ret, function.control_ret):
        for key, value in sorted(results.items()):
            h = _text(value, _text(key, h))
    return h


def name_suffix(function: FunctionDef) -> str:
    """Return the hash of a function that has no name yet, as the letters and digits that end its name."""
    text = base64.urlsafe_b64encode(function_hash(function).to_bytes(8, "little")).rstrip(b"=").decode()
    return text.replace("-", "a").replace("_", "A")
