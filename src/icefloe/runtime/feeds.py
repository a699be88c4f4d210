"""Feeds: from what a caller puts into `feed_dict` to values that slots can hold.

Source: tensorflow/python/client/session.py (rules and messages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, shapes
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.tensor_proto import make_tensor_proto
from icefloe.lib.tensor_handle import TensorHandle
from icefloe.runtime.fetches import find_conversion

# No resource is one of these.
_PLAIN = (bool, int, float, complex, str, bytes, np.generic, list, tuple)
_HINT = "Acceptable feed values include Python scalars, strings, lists, numpy ndarrays, or TensorHandles."


def expand(graph: Graph, feed_dict: Mapping[Any, Any]) -> tuple[list[Tensor], list[Any]]:
    """Return the tensors fed and their values, as slots hold them, in the order given.

    Of two feeds of one tensor the last counts.

    Raises: TypeError, ValueError in TensorFlow's words if a key is no tensor of the graph or a value does not fit it.
    """
    tensors: list[Tensor] = []
    values: list[Any] = []
    for key, value in feed_dict.items():
        if isinstance(key, Tensor) and key.op.graph is graph:
            tensors.append(key)
            values.append(convert(key, value, graph))
        else:
            for inner_key, inner_value in _pairs(key, value):
                tensor = tensor_of(graph, inner_key)
                tensors.append(tensor)
                values.append(convert(tensor, inner_value, graph))
    if len(tensors) > 1 and len(set(map(id, tensors))) < len(tensors):
        distinct = {id(tensor): (tensor, value) for tensor, value in zip(tensors, values)}
        return [tensor for tensor, _ in distinct.values()], [value for _, value in distinct.values()]
    return tensors, values


def _pairs(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """Return the (key, value) pairs that a feed stands for: a nested tuple of keys is fed a structure like it."""
    if isinstance(key, tuple):
        if not isinstance(value, (list, tuple)) or len(key) != len(value):
            raise ValueError(
                f"Could not pack sequence. Structure had {len(key)} elements, but flat_sequence had "
                f"{len(value) if isinstance(value, (list, tuple)) else 1} elements. "
                f"Structure: {key}, flat_sequence: {value}."
            )
        return [pair for k, v in zip(key, value) for pair in _pairs(k, v)]
    conversion = find_conversion(key)
    if conversion is None:
        return [(key, value)]
    if conversion.feed is None:
        raise TypeError(f'{key} in argument `feed_dict` has invalid type "{type(key).__name__}"')
    return list(conversion.feed(key, value))


def keys_of(graph: Graph, feeds: Any) -> list[Tensor]:
    """Return the distinct tensors that `feeds`, one key or a list, stands for; `partial_run_setup` takes them.

    Raises: TypeError, ValueError in TensorFlow's words if one is no tensor of the graph.
    """
    if feeds is None:
        return []
    found: dict[int, Tensor] = {}
    for feed in feeds if isinstance(feeds, (list, tuple)) else [feeds]:
        conversion = find_conversion(feed)
        if conversion is None:
            inner: Sequence[Any] = [feed]
        elif conversion.feed_partial is None:
            raise TypeError(f'Feed argument {feed} has invalid type "{type(feed).__name__}"')
        else:
            inner = conversion.feed_partial(feed)
        for key in inner:
            tensor = tensor_of(graph, key, "argument `feed` key")
            if not graph.is_feedable(tensor):
                raise ValueError(f"Tensor {tensor.name} may not be fed.")
            found[id(tensor)] = tensor
    return list(found.values())


def tensor_of(graph: Graph, key: Any, what: str = "feed_dict key") -> Tensor:
    """Return the tensor that a feed's key stands for. The name of an operation with one output stands for that.

    Raises: TypeError in TensorFlow's words if it stands for none.
    """
    try:
        if isinstance(key, (str, Operation)):
            op = key if isinstance(key, Operation) else graph._by_name.get(key)
            if op is not None and op.graph is graph and len(op.outputs) == 1:
                return op.outputs[0]
        tensor: Tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        return tensor
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret {what} as Tensor: {error.args[0]}") from None


def convert(tensor: Tensor, value: Any, graph: Graph) -> Any:
    """Return `value` as the slot of `tensor` holds it.

    Raises: TypeError, ValueError if it cannot be converted to the tensor's dtype, has another shape or may not be fed.
    """
    dtype = tensor.dtype
    if dtype is None:  # of an op that is not registered
        dtype = _dtype_of(tensor, value)
    wanted = dtype._numpy
    if type(value) is not np.ndarray or value.dtype is not wanted or wanted.hasobject:
        value = _array(tensor, dtype.base_dtype, value)
    dims = tensor._static_dims()
    if dims is not None and isinstance(value, (np.ndarray, np.generic)) and value.shape != dims:
        if len(dims) != value.ndim or not all(d is None or d == n for d, n in zip(dims, value.shape)):
            raise ValueError(
                f"Cannot feed value of shape {value.shape} for Tensor {tensor.name}, which has shape "
                f"{shapes.TensorShape(dims)}"
            )
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    return value


def _array(tensor: Tensor, dtype: datatypes.DType, value: Any) -> Any:
    if isinstance(value, TensorHandle):
        return value.to_numpy_array()
    if isinstance(value, (Tensor, Operation)) or hasattr(value, "_as_graph_element"):
        raise TypeError(
            f"The value of a feed cannot be a tf.Tensor object. {_HINT} For reference, the tensor object was {value!r} "
            f"which was passed to the argument `feed_dict` with key {tensor!r}."
        )
    if dtype == datatypes.string:
        return _strings(tensor, value)
    if dtype in (datatypes.resource, datatypes.variant):
        plain = not value.dtype.hasobject if isinstance(value, np.ndarray) else isinstance(value, _PLAIN)
        if plain and dtype == datatypes.resource:
            raise TypeError(
                f"Cannot feed {value!r} for Tensor {tensor.name} of dtype resource: expected the resource itself, as "
                "fetching such a tensor gives it"
            )
        return value
    wanted = dtype._numpy
    if type(value) is int and not _represents(dtype, value):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
        )
    try:
        with np.errstate(all="ignore"):
            return np.asarray(value, dtype=wanted)
    except OverflowError as error:
        raise TypeError(f"Cannot feed {value!r} for Tensor {tensor.name} of dtype {dtype.name}: {error}") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"Cannot feed value for Tensor {tensor.name} of dtype {dtype.name}: {error}") from None


def _dtype_of(tensor: Tensor, value: Any) -> datatypes.DType:
    """Return the dtype of what is fed for a tensor that has none, as a constant of that value has it."""
    if isinstance(value, (Tensor, Operation)):
        return datatypes.float32  # refused for what it is
    try:
        return datatypes.as_dtype(make_tensor_proto(value).dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Cannot feed value for Tensor {tensor.name} of unknown dtype: {error}") from None


def _represents(dtype: datatypes.DType, value: int) -> bool:
    """Return whether a Python int is one of the dtype's values; TensorFlow refuses one that would wrap."""
    if dtype.is_integer:
        return int(dtype.min) <= value <= int(dtype.max)
    return value in (0, 1) if dtype.is_bool else True


def _strings(tensor: Tensor, value: Any) -> Any:
    """Return an object array of bytes. Raises: TypeError if an element is no string."""
    array = value if isinstance(value, np.ndarray) and value.dtype == object else None
    if array is None:
        array = np.asarray(value) if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)
        if array.dtype.kind in "SU":
            array = array.astype(object)
    flat = array.ravel().tolist()
    if not all(type(item) is bytes for item in flat):
        result = np.empty(array.shape, object)
        target = result.reshape(-1)
        for i, item in enumerate(flat):
            if isinstance(item, str):
                target[i] = item.encode("utf-8", "surrogateescape")
            elif isinstance(item, (bytes, bytearray)):
                target[i] = bytes(item)
            else:
                raise TypeError(
                    f"Type of feed value {item!r} with type {type(item)} is not compatible with Tensor {tensor.name} "
                    "of dtype string."
                )
        return result
    return array
