"""Arrays to TensorProto messages and back.

`make_tensor_proto` writes what TensorFlow's does: more than one element of a plain numeric type as raw bytes
(`tensor_content`), all else in the typed list of its dtype; fewer values than the shape holds stand for a tail that
repeats the last. `make_ndarray` reads as TensorFlow's C++ does: the last value fills the rest, surplus values are
ignored, small integers wrap around.

A message of a few bytes may claim any shape: one whose values are not all there may take up to `MAX_FILL` bytes, so
that a file cannot make its reader allocate without limit.

Source: tensorflow/python/framework/tensor_util.py, tensorflow/core/framework/tensor.cc.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from icefloe import datatypes, errors, shapes
from icefloe.proto import TensorProto

# Bytes of an array that repeats values its message does not hold one by one.
MAX_FILL = 1 << 30
MAX_CONTENT = 1 << 31

# Types that TensorFlow writes as raw bytes where there is more than one element.
_CONTENT_TYPES = frozenset(
    """float16 float32 float64 int8 int16 int32 int64 uint8 uint32 uint64 bfloat16 qint8 quint8 qint16 quint16 qint32
    float8_e5m2 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz float4_e2m1fn""".split()  # noqa: SIM905
)

# dtype -> the field that holds its elements one by one, and the numpy type the field's items are read as before the
# narrowing cast or view.
_FIELDS: dict[str, tuple[str, Any]] = {
    "float32": ("float_val", np.float32),
    "float64": ("double_val", np.float64),
    "complex64": ("scomplex_val", np.float32),
    "complex128": ("dcomplex_val", np.float64),
    "int64": ("int64_val", np.int64),
    "uint32": ("uint32_val", np.uint32),
    "uint64": ("uint64_val", np.uint64),
    "bool": ("bool_val", np.bool_),
    "float16": ("half_val", np.int32),
    "bfloat16": ("half_val", np.int32),
    **dict.fromkeys(
        "int32 int16 int8 uint16 uint8 qint8 quint8 qint16 quint16 qint32 int4 uint4 int2 uint2".split(),  # noqa: SIM905
        ("int_val", np.int32),
    ),
}
_FLOAT8 = frozenset(
    "float8_e5m2 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz float4_e2m1fn".split()  # noqa: SIM905
)
# TensorFlow's writer knows only these of the above for a single element.
_FLOAT8_WRITTEN = frozenset(("float8_e5m2", "float8_e4m3fn", "float4_e2m1fn"))

_NIBBLES = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2}

_CONVERT_HINT = (
    "Consider casting elements to a supported type. "
    "See https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
)

_INTEGERS = (int, np.integer, shapes.Dimension)
_REALS = (int, float, np.integer, np.floating)
_COMPLEXES = (complex, np.complexfloating, *_REALS)


def _flatten(values: Any) -> Iterator[Any]:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _flatten(value)
    else:
        yield values


def _first_not(values: Any, kinds: tuple[type, ...]) -> Any:
    """Return the first element that is not of `kinds`, in a list of one, or None."""
    for value in _flatten(values):
        if not (isinstance(value, kinds) or (isinstance(value, np.ndarray) and issubclass(value.dtype.type, kinds))):
            return [value]
    return None


def _first_bad_quantized(values: Any) -> Any:
    if isinstance(values, tuple):
        return _first_not(values, _INTEGERS)
    if isinstance(values, list):
        for value in values:
            bad = _first_bad_quantized(value)
            if bad is not None:
                return bad
        return None
    return [values]


def _check_elements(values: Any, dtype: datatypes.DType | None) -> None:
    if dtype is None:
        return
    if dtype.is_bool:
        bad = _first_not(values, (bool,))
    elif dtype.is_integer:
        bad = _first_not(values, _INTEGERS)
    elif dtype.is_floating:
        bad = _first_not(values, _REALS)
    elif dtype.is_complex:
        bad = _first_not(values, _COMPLEXES)
    elif dtype.is_quantized:
        bad = _first_bad_quantized(values)
    elif dtype == datatypes.string:
        bad = _first_not(values, (str, bytes))
    else:
        bad = None
    if bad is not None:
        raise TypeError(f"Expected {dtype.name}, but got {bad[0]} of type '{type(bad[0]).__name__}'.")


def _nested_sizes(values: Any) -> list[int]:
    sizes = []
    while isinstance(values, (list, tuple, range)):
        sizes.append(len(values))
        if not values:
            break
        values = values[0]
    return sizes


def _is_array_like(value: Any) -> bool:
    if callable(getattr(value, "__array__", None)) or isinstance(getattr(value, "__array_interface__", None), dict):
        return True
    if isinstance(value, (bytes, str)):
        return False
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _as_array(values: Any, dtype: datatypes.DType | None, shape: Any) -> np.ndarray:
    """Return `values` as an array of the numpy type they will be written as."""
    wanted = dtype.numpy if dtype is not None and dtype.is_numpy_compatible else None
    if isinstance(values, (np.ndarray, np.generic)):
        if wanted is None:
            return np.asarray(values)
        with np.errstate(all="ignore"):
            return np.asarray(values).astype(wanted, copy=False)
    if values is None:
        raise ValueError("None values not supported.")
    if shape is not None and math.prod(int(d) for d in shape) == 0:
        return np.empty([int(d) for d in shape], wanted or np.float32)
    _check_elements(values, dtype)
    array = _wrapping_array(values, wanted)
    if list(array.shape) != _nested_sizes(values) and not (dtype is not None and dtype.is_quantized):
        raise ValueError(
            f"Expected values {values} to be a dense tensor with shape {_nested_sizes(values)}, "
            f"but got shape {list(array.shape)}."
        )
    if dtype is None:
        if array.dtype == np.float64:
            with np.errstate(all="ignore"):
                return array.astype(np.float32)
        if array.dtype == np.int64:
            narrow = array.astype(np.int32)
            return narrow if np.array_equal(narrow, array) else array
    return array


def _wrapping_array(values: Any, wanted: np.dtype | None) -> np.ndarray:
    with np.errstate(all="ignore"):
        try:
            return np.array(values, dtype=wanted)
        except OverflowError:  # an int out of range wraps around, as TensorFlow's does
            return np.array(values).astype(wanted)
        except UnicodeDecodeError:  # str and bytes in one list
            return np.array(values, dtype=object)


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> TensorProto:
    """Return the TensorProto of a Python value, nested list or array, with the bytes TensorFlow's gives it.

    Without `dtype`, Python floats are float32 and ints int32, or int64 where one does not fit; arrays keep their dtype.
    shape: the message's shape where it is not that of the values; fewer values than it holds are filled with the last.
    verify_shape: the values must have exactly `shape`. allow_broadcast: only one value may fill a larger shape.

    Raises: TypeError, ValueError as TensorFlow's.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, TensorProto):
        return values
    if dtype is not None:
        dtype = datatypes.as_dtype(dtype).base_dtype
    if _is_array_like(values):
        values = np.asarray(values)
    array = _as_array(values, dtype, shape)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    element = dtype if dtype is not None and dtype.is_quantized else datatypes.as_dtype(array.dtype)
    if dtype is not None and dtype != element:
        raise TypeError(f"`dtype` {dtype} is not compatible with {values} of dtype {array.dtype}.")
    sizes = _checked_sizes(array, shape, verify_shape, allow_broadcast)
    total = math.prod(sizes)
    proto = TensorProto(dtype=element.as_datatype_enum, tensor_shape=shapes.dims_to_proto(tuple(sizes)))
    if element == datatypes.string:
        proto.string_val.extend(_strings(values, array))
    elif total == array.size and total > 1 and element.name in _CONTENT_TYPES:
        if array.nbytes >= MAX_CONTENT:
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
        proto.tensor_content = array.tobytes()
    else:
        _append(proto, element, array)
    return proto


def make_listed_proto(array: np.ndarray, dtype: datatypes.DType) -> TensorProto:
    """Return the TensorProto of an array of `dtype` with its elements one by one, never as raw bytes, as TensorFlow
    writes the tensors inside variants.

    Raises: TypeError for a dtype that has no list.
    """
    proto = TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shapes.dims_to_proto(array.shape))
    if dtype == datatypes.string:
        proto.string_val.extend(_strings(array, array))
    else:
        _append(proto, dtype, array)
    return proto


def _checked_sizes(array: np.ndarray, shape: Any, verify_shape: bool, allow_broadcast: bool) -> list[int]:
    if shape is None:
        return list(array.shape)
    sizes = [int(d) for d in shape]
    total = math.prod(sizes)
    if (verify_shape and array.shape != tuple(sizes)) or (
        allow_broadcast and array.shape not in ((), (1,)) and array.size != total
    ):
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    if not allow_broadcast and array.size > total:
        raise ValueError(f"Too many elements provided. Takes at most {total}, but got {array.size}.")
    return sizes


def _strings(values: Any, array: np.ndarray) -> list[bytes]:
    result = []
    for item in array.ravel().tolist() if isinstance(values, np.ndarray) else _flatten(values):
        if isinstance(item, str):
            result.append(item.encode())
        elif isinstance(item, bytes):
            result.append(item)
        elif isinstance(values, np.ndarray):
            raise TypeError(f"Expected binary or unicode string, got {item}")
        else:
            raise TypeError(f"Failed to convert elements of {values} to Tensor. {_CONVERT_HINT}")
    return result


def _append(proto: TensorProto, element: datatypes.DType, array: np.ndarray) -> None:
    """Append the elements to the typed list of their dtype."""
    flat = np.ascontiguousarray(array.ravel())
    name = element.name
    if name in _FLOAT8:
        if name not in _FLOAT8_WRITTEN:
            raise TypeError(f"Element type not supported in TensorProto: {name}.")
        proto.float8_val = flat.tobytes()
        return
    if name not in _FIELDS:
        raise TypeError(f"Element type not supported in TensorProto: {name}.")
    field, item = _FIELDS[name]
    if name in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    elif element.is_complex:
        flat = flat.view(item)
    elif element.is_quantized and flat.dtype.names:
        flat = flat[flat.dtype.names[0]]
    elif name in ("int4", "uint4", "int2", "uint2"):
        flat = flat.astype(np.int8)
    getattr(proto, field).extend(flat.tolist())


def make_ndarray(tensor: TensorProto) -> np.ndarray:
    """Return the array of a TensorProto; strings as an object array of bytes.

    The array is the caller's own, except that of a large `tensor_content`, which is read-only.

    Raises: InvalidArgumentError if dtype, shape and values do not fit, or an array over `MAX_FILL` bytes would repeat
    a few values.
    """
    try:
        dtype = datatypes.as_dtype(tensor.dtype).base_dtype
    except TypeError:
        raise errors.InvalidArgumentError(f"tensor of unknown dtype {tensor.dtype}") from None
    sizes = _sizes_of(tensor)
    count = math.prod(sizes)
    if tensor.tensor_content:
        return _from_content(tensor.tensor_content, dtype, count).reshape(sizes)
    if dtype == datatypes.string:
        return _filled_strings(tensor.string_val, count).reshape(sizes)
    if dtype.name in _FLOAT8:
        values = np.frombuffer(tensor.float8_val, np.uint8).view(dtype.numpy)
    elif dtype.name in _FIELDS:
        values = _from_field(tensor, dtype)
    else:
        raise errors.InvalidArgumentError(f"Unsupported tensor type: {dtype.name}")
    return _filled(values, count).reshape(sizes)


def _sizes_of(tensor: TensorProto) -> list[int]:
    proto = tensor.tensor_shape
    sizes = [d.size for d in proto.dim]
    if proto.unknown_rank or any(d < 0 for d in sizes):
        raise errors.InvalidArgumentError(
            f"tensor with shape {shapes.shape_text(shapes.dims_from_proto(proto))}: expected every size to be known"
        )
    if len(sizes) > 64:
        raise errors.InvalidArgumentError(f"tensor of rank {len(sizes)}: expected at most 64")
    return sizes


def _from_field(tensor: TensorProto, dtype: datatypes.DType) -> np.ndarray:
    field, item = _FIELDS[dtype.name]
    found = getattr(tensor, field)
    values = np.fromiter(found, item, len(found))
    if dtype.is_complex:
        return values[: len(values) // 2 * 2].view(dtype.numpy)
    if field == "half_val":
        return values.astype(np.uint16).view(dtype.numpy)
    if dtype.is_quantized:
        return values.astype(dtype.numpy[0]).view(dtype.numpy)
    if dtype.name in _NIBBLES:
        bits = _NIBBLES[dtype.name]
        low = values & ((1 << bits) - 1)
        # In memory, as in TensorFlow's, a negative one fills its whole byte with ones.
        signed = low - ((low >> (bits - 1)) << bits) if dtype.name[0] == "i" else low
        return signed.astype(np.int8).view(dtype.numpy)
    return values.astype(dtype.numpy, copy=False)


def _check_fill(present: int, count: int, item_size: int) -> None:
    if count > present and count * item_size > MAX_FILL:
        raise errors.InvalidArgumentError(
            f"tensor of {count} elements with {present} values: expected at most {MAX_FILL} bytes where values repeat, "
            f"got {count * item_size}"
        )


def _filled(values: np.ndarray, count: int) -> np.ndarray:
    if len(values) >= count:
        return values[:count].copy() if len(values) > count else values
    _check_fill(len(values), count, values.itemsize)
    if not len(values):
        return np.zeros(count, values.dtype)
    result = np.empty(count, values.dtype)
    result[: len(values)] = values
    result[len(values) :] = values[-1]
    return result


def _filled_strings(values: Any, count: int) -> np.ndarray:
    _check_fill(len(values), count, 8)
    result = np.empty(count, object)
    known = list(values[:count])
    result[:] = known[-1] if known else b""
    result[: len(known)] = known
    return result


def _from_content(content: bytes, dtype: datatypes.DType, count: int) -> np.ndarray:
    if dtype == datatypes.string:
        return _strings_from_content(content, count)
    if not dtype.is_numpy_compatible:
        raise errors.InvalidArgumentError(f"Unsupported tensor type: {dtype.name}")
    if len(content) != count * dtype.size:
        raise errors.InvalidArgumentError(
            f"tensor of {count} elements of {dtype.name}: expected {count * dtype.size} bytes of tensor_content, "
            f"got {len(content)}"
        )
    if dtype.is_bool:
        return np.frombuffer(content, np.uint8) != 0
    values = np.frombuffer(content, dtype.numpy)
    return values if len(content) > 4096 else values.copy()


def _strings_from_content(content: bytes, count: int) -> np.ndarray:
    """Read `count` varint lengths followed by the bytes of all strings."""
    if count > len(content):
        raise errors.InvalidArgumentError(
            f"string tensor of {count} elements in {len(content)} bytes of tensor_content"
        )
    lengths, pos = [], 0
    for _ in range(count):
        size = shift = 0
        while True:
            if pos >= len(content) or shift > 63:
                raise errors.InvalidArgumentError("string tensor: tensor_content ends inside a length")
            byte = content[pos]
            pos += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(size)
    if sum(lengths) != len(content) - pos:
        raise errors.InvalidArgumentError(
            f"string tensor: expected {sum(lengths)} bytes after the lengths, got {len(content) - pos}"
        )
    result = np.empty(count, object)
    for i, size in enumerate(lengths):
        result[i] = content[pos : pos + size]
        pos += size
    return result
