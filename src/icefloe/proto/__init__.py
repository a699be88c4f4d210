"""TensorFlow's messages (`GraphDef`, `NodeDef`, `BundleEntryProto`, ...), looked up by name when first asked for.

    from icefloe.proto import GraphDef
    graph_def = GraphDef.FromString(data)

The classes come from `descriptors.pb`, compiled from `proto/**.proto`, in a descriptor pool of our own: they never
clash with those of TensorFlow, TensorBoard or ONNX in the same process, and are tied to no release of protobuf.
Nested messages are attributes of their parents (`AttrValue.ListValue`); enums are wrappers with `Name` and `Value`
(`DataType.Name(1)`), and the values of top-level enums are names of this module too (`DT_FLOAT`). Pass
`descriptor_pool=POOL` to `text_format` and `json_format`.
"""

from __future__ import annotations

import os as _os
from typing import Any as _Any
from typing import TypeVar

from google.protobuf import descriptor_pool as _descriptor_pool
from google.protobuf import message_factory as _message_factory
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper as _EnumTypeWrapper
from google.protobuf.message import Message as _Message

_M = TypeVar("_M", bound=_Message)


def _split_files(data: bytes) -> list[bytes]:
    """Return each serialized FileDescriptorProto of a FileDescriptorSet, its field 1."""
    files, pos = [], 0
    while pos < len(data):
        pos += 1  # the tag: field 1, length-delimited, for every file
        size = shift = 0
        while True:
            byte = data[pos]
            pos += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        files.append(data[pos : pos + size])
        pos += size
    return files


def _load() -> tuple[_descriptor_pool.DescriptorPool, list[str], list[_Any]]:
    pool = _descriptor_pool.DescriptorPool()
    # importlib.resources would take more time than the rest of this module.
    with open(_os.path.join(_os.path.dirname(__file__), "descriptors.pb"), "rb") as file:
        data = file.read()
    descriptors = [pool.AddSerializedFile(file) for file in _split_files(data)]
    packages = ["tensorflow", "tensorflow.error", "google.protobuf"]
    return pool, packages, descriptors


POOL, _PACKAGES, _FILES = _load()


def files() -> list[_Any]:
    """Return the FileDescriptor of every file in `POOL`, imports first."""
    return list(_FILES)


def message_class(full_name: str) -> type[_Message]:
    """Return the class of the message with this full name, such as `tensorflow.GraphDef`.

    Raises: KeyError if there is none.
    """
    return _message_factory.GetMessageClass(POOL.FindMessageTypeByName(full_name))


def cast_message(value: _Any, cls: type[_M]) -> _M:
    """Return `value` as a `cls`: itself where it is one, else re-read from its bytes (TensorFlow's own message).

    Raises: TypeError if `value` is no message of that name.
    """
    if isinstance(value, cls):
        return value
    descriptor = getattr(value, "DESCRIPTOR", None)
    if descriptor is None or descriptor.full_name != cls.DESCRIPTOR.full_name:
        raise TypeError(f"expected a {cls.DESCRIPTOR.name} message, got {type(value).__name__}")
    return cls.FromString(value.SerializeToString(deterministic=True))


def _find(name: str) -> _Any:
    for package in _PACKAGES:
        try:
            return message_class(f"{package}.{name}")
        except KeyError:
            pass
        try:
            return _EnumTypeWrapper(POOL.FindEnumTypeByName(f"{package}.{name}"))
        except KeyError:
            pass
    for file in _FILES:
        for enum in file.enum_types_by_name.values():
            if name in enum.values_by_name:
                return enum.values_by_name[name].number
    raise AttributeError(f"module {__name__!r} has no message, enum or enum value {name!r}")


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = globals()[name] = _find(name)
    return value


def __dir__() -> list[str]:
    names = [*globals()]
    for file in _FILES:
        names += [*file.message_types_by_name, *file.enum_types_by_name]
    return sorted(set(names))
