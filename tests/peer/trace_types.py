"""Serialized trace types: what `experimental_as_proto` says of a dtype, shape or spec, with the message's name."""

from __future__ import annotations

from typing import Any

from google.protobuf.any_pb2 import Any as _Packed

from icefloe import datatypes, shapes
from icefloe.graph import type_specs

_CLASSES = (datatypes.DType, shapes.TensorShape, type_specs.TensorSpec)


def serialize(value: Any) -> Any:
    """Return a message that holds `value`."""
    found = value.experimental_as_proto()
    assert type(found) is value.experimental_type_proto()
    return _Packed(type_url=found.DESCRIPTOR.full_name, value=found.SerializeToString())


def deserialize(packed: Any) -> Any:
    """Return what `serialize` was given."""
    for cls in _CLASSES:
        kind: Any = cls.experimental_type_proto()  # type: ignore[attr-defined]
        if kind.DESCRIPTOR.full_name == packed.type_url:
            return cls.experimental_from_proto(kind.FromString(packed.value))  # type: ignore[attr-defined]
    raise ValueError(f"no class has the message {packed.type_url}")
