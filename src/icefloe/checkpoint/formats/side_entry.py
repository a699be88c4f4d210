"""The side entry: what a checkpoint has and another format cannot say, as JSON beside the arrays, so that converting
back gives the same bits.

    {"icefloe": 1, "source": "V2",
     "tensors": {stored name: {"name": original, "dtype": "bfloat16", "shape": [2, 3]}},  where it differs
     "objects": {name: {"dtype": "string", "shape": [2], "values": [base64, ...]}},       strings, variants
     "slices": {name: ["0,2:-", ...]},       how the tensor was partitioned
     "originals": {name: {"name": original, "layout": "conv2d", "shape": [3, 3, 1, 8]}},   where it was converted for
                                             another library; readers give such a tensor as it is stored
     "order": [name, ...]}                   in which the tensors were stored

An .npz holds it as the array `__icefloe__`, safetensors as `icefloe` in `__metadata__`, HDF5 as the root's attribute
`icefloe`.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.converting.layouts import Original, original_of
from icefloe.checkpoint.slices import TensorSlice, parse_slice
from icefloe.datatypes import DType

VERSION = 1
NPZ_NAME = "__icefloe__"
NAME = "icefloe"
# JSON of this size takes about a second to read.
MAX_SIZE = 64 << 20


@dataclass(frozen=True, slots=True)
class Note:
    """What a stored array was: its name, dtype and shape in the checkpoint."""

    name: str
    dtype: DType
    shape: tuple[int, ...]


@dataclass(slots=True)
class SideEntry:
    """The decoded side entry. tensors: stored name -> Note. objects: name -> array of bytes or of messages."""

    source: str = ""
    tensors: dict[str, Note] = field(default_factory=dict)
    objects: dict[str, np.ndarray] = field(default_factory=dict)
    object_dtypes: dict[str, DType] = field(default_factory=dict)
    slices: dict[str, tuple[TensorSlice, ...]] = field(default_factory=dict)
    originals: dict[str, Original] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def add_object(self, name: str, dtype: DType, array: np.ndarray) -> None:
        """Take a tensor of strings or variants."""
        self.objects[name] = array
        self.object_dtypes[name] = dtype

    def encode(self) -> str:
        """Return the JSON, ASCII only."""
        data: dict[str, Any] = {"icefloe": VERSION, "source": self.source}
        if self.tensors:
            data["tensors"] = {
                stored: {"name": n.name, "dtype": n.dtype.name, "shape": list(n.shape)}
                for stored, n in self.tensors.items()
            }
        if self.objects:
            data["objects"] = {name: self._object(name) for name in self.objects}
        if self.slices:
            data["slices"] = {name: [str(s) for s in stored] for name, stored in self.slices.items()}
        if self.originals:
            data["originals"] = {
                name: {"name": o.name, "layout": o.layout, "shape": list(o.shape)} for name, o in self.originals.items()
            }
        data["order"] = self.order
        return json.dumps(data, separators=(",", ":"))

    def _object(self, name: str) -> dict[str, Any]:
        array, dtype = self.objects[name], self.object_dtypes[name]
        items = array.reshape(-1).tolist()
        if dtype == datatypes.variant:
            items = [item.SerializeToString(deterministic=True) for item in items]
        values = [base64.b64encode(item).decode() for item in items]
        return {"dtype": dtype.name, "shape": list(array.shape), "values": values}


def decode(text: str | bytes) -> SideEntry:
    """Return a side entry. Raises: DataLossError if it is malformed, UnimplementedError if a later version wrote it."""
    if len(text) > MAX_SIZE:
        raise errors.ResourceExhaustedError(f"a side entry of {len(text)} bytes is more than icefloe reads")
    data = load_json(text, "the side entry")
    version = data.get("icefloe")
    if not isinstance(version, int):
        raise errors.DataLossError("the side entry does not say its version")
    if version > VERSION:
        raise errors.UnimplementedError(f"the side entry is of version {version}; this icefloe knows {VERSION}")
    side = SideEntry(str(data.get("source", "")))
    for stored, note in _table(data, "tensors"):
        name = note.get("name", stored)
        if not isinstance(name, str):
            raise errors.DataLossError("malformed side entry: a name is no text")
        side.tensors[stored] = Note(name, _dtype(note), shape_of(note.get("shape"), "side entry"))
    for name, item in _table(data, "objects"):
        side.add_object(name, _dtype(item), _decode_object(item))
    for name, stored_slices in _mapping(data.get("slices", {})).items():
        if not isinstance(stored_slices, list) or not all(isinstance(s, str) for s in stored_slices):
            raise errors.DataLossError("malformed side entry: slices are no list of texts")
        side.slices[name] = tuple(parse_slice(s) for s in stored_slices)
    for name, item in _table(data, "originals"):
        side.originals[name] = original_of(item, name, shape_of(item.get("shape"), "side entry"))
    order = data.get("order", [])
    if not isinstance(order, list) or not all(isinstance(n, str) for n in order):
        raise errors.DataLossError("malformed side entry: the order is no list of names")
    side.order = order
    return side


def load_json(text: str | bytes, what: str) -> dict[str, Any]:
    """Return a JSON object. Raises: DataLossError if it is none or has a key twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise errors.DataLossError(f"{what} has a key twice")
        return found

    try:
        data = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as e:
        raise errors.DataLossError(f"{what} is no JSON: {e}") from None
    return _mapping(data)


def shape_of(value: Any, what: str) -> tuple[int, ...]:
    """Return a shape given in JSON. Raises: DataLossError if it is none."""
    if (
        not isinstance(value, list)
        or len(value) > 254
        or not all(type(n) is int and 0 <= n < 1 << 62 for n in value)
        or math.prod(value) >= 1 << 62
    ):
        raise errors.DataLossError(f"malformed {what}: impossible shape {str(value)[:80]}")
    return tuple(value)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise errors.DataLossError("malformed JSON: expected an object")
    return value


def _table(data: Mapping[str, Any], key: str) -> Sequence[tuple[str, dict[str, Any]]]:
    return [(name, _mapping(item)) for name, item in _mapping(data.get(key, {})).items()]


def _dtype(item: Mapping[str, Any]) -> DType:
    try:
        return datatypes.as_dtype(str(item["dtype"]))
    except (KeyError, TypeError):
        raise errors.DataLossError(f"malformed side entry: unknown dtype {item.get('dtype')!r}") from None


def _decode_object(item: Mapping[str, Any]) -> np.ndarray:
    shape = shape_of(item.get("shape"), "side entry")
    values, dtype = item.get("values"), _dtype(item)
    if not isinstance(values, list) or len(values) != math.prod(shape) or not dtype.numpy.hasobject:
        raise errors.DataLossError("malformed side entry: values do not fit their shape")
    try:
        decoded: list[Any] = [base64.b64decode(v, validate=True) for v in values]
    except (binascii.Error, TypeError, ValueError):
        raise errors.DataLossError("malformed side entry: a value is no base64") from None
    if dtype == datatypes.variant:
        from google.protobuf.message import DecodeError

        from icefloe.proto import VariantTensorDataProto

        try:
            decoded = [VariantTensorDataProto.FromString(v) for v in decoded]
        except DecodeError as e:
            raise errors.DataLossError(f"malformed side entry: {e}") from None
    array = np.empty(len(decoded), object)
    array[:] = decoded
    try:
        return array.reshape(shape)
    except ValueError as e:
        raise errors.DataLossError(f"malformed side entry: {e}") from None
