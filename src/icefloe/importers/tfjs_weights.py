"""Weights of TensorFlow.js models: groups of tensors one after another in files of bytes.

    weightsManifest   [{"paths": ["group1-shard1of2.bin", ...], "weights": [{"name", "dtype", "shape", ...}]}]
    weightSpecs       [{"name", "dtype", "shape", ...}], and all bytes as base64 in weightData

The files of a group are one piece of bytes in which its weights follow each other without gaps. A quantized weight is
stored as uint8 or uint16, `value * scale + min`, or as float16; strings each have their length before them, 4 bytes.

Source: tfjs-core/src/io/types.ts, io_utils.ts (fields and layout).
"""

from __future__ import annotations

import base64
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from icefloe import errors

_DTYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype("<f4"),
    "int32": np.dtype("<i4"),
    "int64": np.dtype("<i8"),
    "uint8": np.dtype("<u1"),
    "uint16": np.dtype("<u2"),
    "int16": np.dtype("<i2"),
    "float16": np.dtype("<f2"),
    "bool": np.dtype("?"),
    "complex64": np.dtype("<c8"),
}
_MOST_BYTES = 1 << 36


def read_weights(directory: str, manifest: Any) -> dict[str, np.ndarray]:
    """Return the weights of a manifest by name; the files are in `directory`.

    Raises: NotFoundError that lists the files that are missing; DataLossError for a manifest or bytes that are not as
    described; InvalidArgumentError for a path that leads out of the directory.
    """
    if not isinstance(manifest, list):
        raise errors.DataLossError(f"weightsManifest is no list but {type(manifest).__name__}")
    groups = [(_texts(group, "paths"), _entries(group)) for group in manifest]
    files = {name: _inside(directory, name) for paths, _ in groups for name in paths}
    missing = [name for name, path in files.items() if not os.path.isfile(path)]
    if missing:
        shown = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
        raise errors.NotFoundError(f"{len(missing)} of {len(files)} files of weights are missing: {shown}")
    weights: dict[str, np.ndarray] = {}
    for paths, entries in groups:
        given = [files[name] for name in paths]
        weights |= _of_group(entries, _Bytes(sum(map(os.path.getsize, given)), _read(given)), ", ".join(paths))
    return weights


def inline_weights(specs: Any, data: Any) -> dict[str, np.ndarray]:
    """Return the weights that a model.json holds itself, as base64. Raises: DataLossError."""
    try:
        content = base64.b64decode(data, validate=True)
    except (ValueError, TypeError):
        raise errors.DataLossError("weightData is no base64") from None
    return _of_group(_entries({"weights": specs}), _Bytes(len(content), iter([content])), "weightData")


def _of_group(entries: list[dict[str, Any]], data: _Bytes, where: str) -> dict[str, np.ndarray]:
    weights = {entry["name"]: _weight(entry, data) for entry in entries}
    if data.left:
        raise errors.DataLossError(f"{where}: {data.left} bytes more than the weights have")
    return weights


def _read(paths: Sequence[str]) -> Iterator[bytes]:
    for path in paths:
        with open(path, "rb") as file:
            while chunk := file.read(16 << 20):
                yield chunk


def _texts(group: Any, key: str) -> list[str]:
    found = group.get(key) if isinstance(group, dict) else None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise errors.DataLossError(f"a group of weightsManifest has no list {key!r} of names")
    return found


def _entries(group: Any) -> list[dict[str, Any]]:
    found = group.get("weights")
    if not isinstance(found, list) or not all(isinstance(e, dict) and isinstance(e.get("name"), str) for e in found):
        raise errors.DataLossError("a group of weightsManifest has no list 'weights' of named entries")
    return found


def _inside(directory: str, name: str) -> str:
    """Return the path of a file of weights. Raises: InvalidArgumentError if it is not in the directory."""
    whole = os.path.normpath(os.path.join(directory, name))
    if os.path.isabs(name) or os.path.commonpath([os.path.abspath(directory), os.path.abspath(whole)]) != (
        os.path.abspath(directory)
    ):
        raise errors.InvalidArgumentError(f"the file of weights {name!r} is outside of the model's directory")
    return whole


class _Bytes:
    """The bytes of several files, one after another."""

    def __init__(self, size: int, chunks: Iterator[bytes]) -> None:
        self.left = size
        self._chunks = chunks
        self._rest = b""

    def take(self, size: int, name: str) -> bytearray:
        """Return the next bytes. Raises: DataLossError if there are fewer."""
        if size > self.left:
            raise errors.DataLossError(f"weight {name!r} has {size} bytes, but only {self.left} are left in its files")
        self.left -= size
        found = bytearray()
        while len(found) < size:
            if not self._rest:
                self._rest = next(self._chunks, b"")
                if not self._rest:  # a file became shorter
                    raise errors.DataLossError(f"weight {name!r}: its files end before its {size} bytes")
            part = self._rest[: size - len(found)]
            found += part
            self._rest = self._rest[len(part) :]
        return found


def _shape(entry: dict[str, Any]) -> tuple[int, ...]:
    shape = entry.get("shape")
    sizes = shape if isinstance(shape, list) else [None]
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in sizes):
        raise errors.DataLossError(f"weight {entry['name']!r} has the shape {shape!r}")
    if math.prod(n or 1 for n in sizes) > _MOST_BYTES:
        raise errors.DataLossError(f"weight {entry['name']!r} of shape {sizes} is too large")
    return tuple(sizes)


def _weight(entry: dict[str, Any], data: _Bytes) -> np.ndarray:
    name, shape = entry["name"], _shape(entry)
    if entry.get("dtype") == "string":
        return _strings(name, shape, data)
    quantization = entry.get("quantization")
    stored = quantization.get("dtype") if isinstance(quantization, dict) else entry.get("dtype")
    dtype = _DTYPES.get(str(stored))
    target = _DTYPES.get(str(entry.get("dtype")))
    if dtype is None or target is None:
        raise errors.DataLossError(f"weight {name!r} has dtype {entry.get('dtype')!r}, stored as {stored!r}")
    raw = data.take(math.prod(shape) * dtype.itemsize, name)
    array = np.frombuffer(raw, np.uint8 if dtype == np.bool_ else dtype).reshape(shape)
    array = array != 0 if dtype == np.bool_ else array
    if not isinstance(quantization, dict):
        return array.astype(target.newbyteorder("="), copy=False)
    return _dequantized(array, quantization, target.newbyteorder("="), name)


def _dequantized(array: np.ndarray, quantization: dict[str, Any], target: np.dtype[Any], name: str) -> np.ndarray:
    if array.dtype == np.float16:
        return array.astype(target)
    scale, least = quantization.get("scale", 1.0), quantization.get("min", 0.0)
    if not all(isinstance(n, (int, float)) and math.isfinite(n) for n in (scale, least)):
        raise errors.DataLossError(f"weight {name!r} is quantized by scale {scale!r} and min {least!r}")
    # As TensorFlow.js does it: in double precision, and halves are rounded up.
    with np.errstate(over="ignore", invalid="ignore"):
        values = array.astype(np.float64) * scale + least
        return np.floor(values + 0.5).astype(target) if target.kind in "iu" else values.astype(target)


def _strings(name: str, shape: tuple[int, ...], data: _Bytes) -> np.ndarray:
    count = math.prod(shape)
    if count * 4 > data.left:
        raise errors.DataLossError(f"weight {name!r} has {count} strings, but only {data.left} bytes are left")
    array = np.empty(count, object)
    for i in range(count):
        length = int.from_bytes(data.take(4, name), "little")
        array[i] = bytes(data.take(length, name))
    return array.reshape(shape)
