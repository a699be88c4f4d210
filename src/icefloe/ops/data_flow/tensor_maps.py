"""TensorMap ops: maps from tensors to tensors, as values of variant tensors.

Source: tensorflow/core/kernels/map_kernels.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import scalar, unknown
from icefloe.ops.array.values import boxed
from icefloe.ops.data_flow.handles import the_only
from icefloe.resources import elements
from icefloe.resources.tensor_map import TensorMap


def _map(handle: Any) -> TensorMap:
    return the_only(handle, TensorMap, "map", ". Saw:")


def _text(key: Any) -> str:
    """Return a key as C++ summarizes it: `1 2`, or `[1 2][3 4]` for a matrix."""
    array = boxed(key)
    if array.ndim > 1:
        return "".join(f"[{_text(row)}]" for row in array)
    return " ".join(map(_item_text, array.reshape(-1).tolist()))


def _item_text(item: Any) -> str:
    if isinstance(item, bytes):
        return item.decode(errors="replace")
    if isinstance(item, float):
        return f"{item:g}"
    return str(int(item)) if isinstance(item, bool) else str(item)


@kernel("EmptyTensorMap")
def empty_tensor_map() -> TensorMap:
    return TensorMap()


@kernel("TensorMapSize")
def tensor_map_size(handle: Any) -> Any:
    return np.int32(_map(handle).size)


@kernel("TensorMapHasKey")
def tensor_map_has_key(handle: Any, key: Any) -> Any:
    return np.bool_(key in _map(handle))


@kernel("TensorMapLookup", returns="stored")
def tensor_map_lookup(handle: Any, key: Any) -> Any:
    found = _map(handle)
    if key not in found:
        raise errors.InvalidArgumentError(f'Trying to lookup non-existent key. Could not find key "{_text(key)}".')
    return found.get(key)


@kernel("TensorMapInsert", returns="stored")
def tensor_map_insert(handle: Any, key: Any, value: Any) -> TensorMap:
    """The map with another value for `key`; the map that was given stays as it is."""
    return _map(handle).insert(key, value)


@kernel("TensorMapErase")
def tensor_map_erase(handle: Any, key: Any) -> TensorMap:
    found = _map(handle)
    if key not in found:
        raise errors.InvalidArgumentError(f'Trying to erase non-existent item. Could not find key "{_text(key)}".')
    return found.erase(key)


@kernel("TensorMapStackKeys")
def tensor_map_stack_keys(handle: Any, *, key_dtype: DType) -> Any:
    """All keys, stacked, in the order in which they were inserted; TensorFlow's order is any."""
    found = _map(handle)
    if not found.size:
        raise errors.InvalidArgumentError("TensorMapStackKeys cannot be called on empty map.")
    keys = [boxed(key) for key, _ in found.items()]
    if any(key.dtype != key_dtype.numpy for key in keys):
        raise errors.InvalidArgumentError("Key does not match requested dtype.")
    if any(key.shape != keys[0].shape for key in keys):
        raise errors.InvalidArgumentError("Keys must all have the same shape.")
    return elements.stacked(keys, keys[0].shape, key_dtype)


shape("EmptyTensorMap", "TensorMapSize", "TensorMapHasKey", "TensorMapInsert", "TensorMapErase")(scalar)
shape("TensorMapLookup", "TensorMapStackKeys")(unknown)
