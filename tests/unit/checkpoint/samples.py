"""What the checkpoints under fixtures/checkpoints hold: the same table tells fixtures/make/checkpoints.py what
TensorFlow writes and the tests what must be read, and written byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.datatypes import DType

SHAPES = {"scalar": (), "vector": (3,), "matrix": (2, 3), "cube": (2, 1, 2), "empty": (0, 3), "hollow": (2, 0)}
_LOW_BITS = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "float4_e2m1fn": 4, "bool": 1}
NUMERIC = tuple(datatypes.as_dtype(n) for n in range(1, 34) if not datatypes.as_dtype(n).numpy.hasobject)
V1_NUMERIC = tuple(
    datatypes.as_dtype(name)
    for name in [
        "float32",
        "float64",
        "int32",
        "uint8",
        "int8",
        "int16",
        "uint16",
        "qint8",
        "quint8",
        "qint32",
        "int64",
        "bool",
        "complex64",
        "complex128",
        "float16",
    ]
)


@dataclass(frozen=True)
class Write:
    """One tensor given to a save op: `spec` is "" or full shape and slice."""

    name: str
    value: np.ndarray
    spec: str = ""

    @property
    def dtype(self) -> DType:
        return datatypes.as_dtype(self.value.dtype)


def numbers(dtype: DType, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Return an array whose bit patterns look random and are the same everywhere: it holds NaNs, infinities,
    extremes.
    """
    size = int(np.prod(shape)) * dtype.size
    steps = np.arange(size, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(seed * 40503 + 12345)
    raw = ((steps >> np.uint64(13)) & np.uint64(0xFF)).astype(np.uint8)
    if dtype.name in _LOW_BITS:
        raw &= (1 << _LOW_BITS[dtype.name]) - 1
    return raw.view(dtype.numpy).reshape(shape)


def strings(*values: bytes, shape: tuple[int, ...] | None = None) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out.reshape(len(values) if shape is None else shape)


def _dtypes() -> list[Write]:
    return [
        Write(f"{dtype.name}/{label}", numbers(dtype, shape, i))
        for i, dtype in enumerate(NUMERIC)
        for label, shape in SHAPES.items()
    ]


def _strings() -> list[Write]:
    return [
        Write("vector", strings(b"a", b"", b"\x00\xff\xfe", "é€😀".encode(), b"x" * 300)),
        Write("scalar", strings(b"only one", shape=())),
        Write("empty scalar", strings(b"", shape=())),
        Write("no elements", strings(shape=(0,))),
        Write("matrix", strings(*(bytes([65 + i]) * i for i in range(6)), shape=(2, 3))),
        Write("long", strings(b"short", b"y" * 16390)),
        Write("é/name", numbers(datatypes.float32, (2,), 9)),
    ]


def _slices() -> list[Write]:
    rows = numbers(datatypes.float32, (5, 3), 1)
    columns = numbers(datatypes.float64, (3, 4), 2)
    half = numbers(datatypes.float16, (4,), 3)
    unsigned = numbers(datatypes.uint64, (2, 2, 3), 4)
    text = strings(b"p", b"qq", b"", b"rrr")
    grid = numbers(datatypes.int32, (4, 6), 5)
    long = numbers(datatypes.int8, (9000,), 6)
    writes = [
        Write("rows", rows[3:], "5 3 3,2:-"),
        Write("plain", numbers(datatypes.int64, (2,), 7)),
        Write("rows", rows[:3], "5 3 0,3:-"),
        Write("columns", columns[:, :1], "3 4 -:0,1"),
        Write("columns", columns[:, 1:], "3 4 0,3:1,3"),
        Write("half", half[:1], "4 0,1"),
        Write("half", half[1:], "4 1,3"),
        Write("unsigned", unsigned[:, 1:], "2 2 3 -:1,1:-"),
        Write("unsigned", unsigned[:, :1], "2 2 3 -:0,1:-"),
        Write("text", text[:2], "4 0,2"),
        Write("text", text[2:], "4 2,2"),
        Write("covered", rows, "5 3 -:-"),
        Write("covered too", rows, "5 3 0,5:0,3"),
        Write("long", long[:64], "9000 0,64"),
        Write("long", long[64:8256], "9000 64,8192"),
        Write("long", long[8256:], "9000 8256,744"),
    ]
    return writes + [
        Write("grid", grid[top : top + 2, left : left + 2], f"4 6 {top},2:{left},2")
        for top in (0, 2)
        for left in (0, 2, 4)
    ]


SLICED_WHOLE = {
    "rows": numbers(datatypes.float32, (5, 3), 1),
    "columns": numbers(datatypes.float64, (3, 4), 2),
    "half": numbers(datatypes.float16, (4,), 3),
    "unsigned": numbers(datatypes.uint64, (2, 2, 3), 4),
    "text": strings(b"p", b"qq", b"", b"rrr"),
    "grid": numbers(datatypes.int32, (4, 6), 5),
    "long": numbers(datatypes.int8, (9000,), 6),
    "plain": numbers(datatypes.int64, (2,), 7),
    "covered": numbers(datatypes.float32, (5, 3), 1),
    "covered too": numbers(datatypes.float32, (5, 3), 1),
}


def _many_keys() -> list[Write]:
    """More entries than one index block holds, with keys that need each kind of separator between blocks."""
    writes = [
        Write(f"model/layer_{i:05d}/{'bias' if i % 3 == 0 else 'kernel'}/value", numbers(datatypes.float32, (), i))
        for i in range(9000)
    ]
    # U+10FFFF begins with the highest byte that UTF-8 has.
    writes += [Write("\U0010ffff" * 40 + f"{i:04d}" * 20, numbers(datatypes.int8, (1,), i)) for i in range(2000)]
    writes.append(Write("z" * 600000, numbers(datatypes.int8, (2,))))  # an entry that gets a block of its own
    writes.append(Write("zz", numbers(datatypes.int8, (3,))))
    return writes[::-1]


def _v1_dtypes() -> list[Write]:
    writes = [
        Write(f"{dtype.name}/{label}", numbers(dtype, shape, i))
        for i, dtype in enumerate(V1_NUMERIC)
        for label, shape in SHAPES.items()
    ]
    return writes + [w for w in _strings() if w.name != "é/name"]


def _v1_slices() -> list[Write]:
    # Sixteen: with more, TensorFlow's order of the slices of one name is that of an unstable sort.
    return [w for w in _slices() if w.name not in ("unsigned", "long", "covered")]


def _v1_blocks() -> list[Write]:
    writes = [Write(f"layer_{i:03d}/kernel", numbers(datatypes.int64, (40, 25), i)) for i in range(60)]
    writes.append(Write("large", numbers(datatypes.float64, (300, 300), 1)))
    return writes


# Written by one SaveV2 op each.
BUNDLES = {"dtypes": _dtypes, "strings": _strings, "slices": _slices, "many_keys": _many_keys}
# Written by one Save or SaveSlices op each.
V1_FILES = {"v1_dtypes": _v1_dtypes, "v1_slices": _v1_slices, "v1_blocks": _v1_blocks}
# Too large to be kept; their SHA-256 is.
HASHED = ("many_keys", "v1_blocks")

# Three bundles that MergeV2Checkpoints makes one, and two V1 files that are shards of one checkpoint.
PARTS = [[w for i, w in enumerate(_slices()) if w.name != "covered too" and i % 3 == k] for k in range(3)]
V1_SHARDS = [[w for i, w in enumerate(_v1_slices()) if i % 2 == k] for k in range(2)]


def swappable() -> list[Write]:
    """Return what the big-endian bundle holds."""
    return [*_dtypes(), *(w for w in _strings() if w.name != "long")]


def tensors(writes: list[Write]) -> dict[str, np.ndarray]:
    """Return the values of tensors that are written whole."""
    return {w.name: w.value for w in writes if not w.spec}


def same(got: Any, expected: np.ndarray) -> bool:
    """Whether dtype, shape and every bit are the same."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return False
    if got.dtype.hasobject:
        return got.tolist() == expected.tolist()
    return bool(got.tobytes() == expected.tobytes())
