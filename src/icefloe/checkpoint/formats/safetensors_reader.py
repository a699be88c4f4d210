"""Reads a .safetensors file.

    header size: uint64   header: JSON {name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...,
    "__metadata__": {text: text}}   data, little-endian, without gaps

Source: https://github.com/huggingface/safetensors, README: format.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import contents
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.formats import side_entry
from icefloe.checkpoint.formats.array_reader import ArrayReader, Stored, empty
from icefloe.checkpoint.formats.side_entry import SideEntry, load_json, shape_of
from icefloe.checkpoint.reading import WINDOW
from icefloe.checkpoint.transfer import read_summed

# As the library: larger headers are refused.
MAX_HEADER = 100_000_000
METADATA = "__metadata__"
# dtype of the format -> ours
DTYPES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "C64": "complex64",
}
_BIG_HOST = sys.byteorder == "big"


class SafetensorsReader(ArrayReader):
    """The safetensors file at `path`. The format has no checksums.

    metadata: the texts that the file carries.

    Raises: DataLossError if the header is malformed or does not fit the file.
    """

    format = "safetensors"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._source = Source(path)
        try:
            self._take(*self._look())
        except errors.OpError as e:
            self.close()
            raise e.add_context(path=path) from None

    def close(self) -> None:
        self._source.close()

    def _look(self) -> tuple[dict[str, Stored], SideEntry | None]:
        size = self._source.size
        if size < 8:
            raise errors.DataLossError(f"a safetensors file of {size} bytes has no header")
        length = int.from_bytes(self._source.read(0, 8), "little")
        if length > MAX_HEADER or 8 + length > size:
            raise errors.DataLossError(f"a header of {length} bytes in a file of {size}")
        header = load_json(self._source.read(8, length), "the header")
        self.metadata: dict[str, str] = {}
        for key, value in _object(header.pop(METADATA, {})).items():
            if not isinstance(value, str):
                raise errors.DataLossError("malformed header: metadata are no text")
            self.metadata[key] = value
        start = 8 + length
        found: dict[str, Stored] = {}
        left_out: dict[str, str] = {}
        places: list[tuple[int, int, str]] = []
        for name, item in header.items():
            kind, shape, begin, end = _tensor(name, item)
            places.append((begin, end, name))
            dtype = DTYPES.get(kind)
            if dtype is None:
                left_out[name] = f"its dtype {kind[:20]} is not known"
                continue
            stored = Stored(name, datatypes.as_dtype(dtype), shape, start + begin)
            if math.prod(shape) * stored.dtype.size != end - begin:
                raise errors.DataLossError(f"tensor {name}: {end - begin} bytes for {kind} {list(shape)}")
            found[name] = stored
        _check_places(places, size - start)
        self.left_out = left_out
        side = self.metadata.get(side_entry.NAME)
        return found, None if side is None else side_entry.decode(side)

    def _load(self, item: Stored) -> np.ndarray:
        return self._filled(item, item.shape, item.offset)

    def _load_rows(self, item: Stored, start: int, stop: int) -> np.ndarray:
        row = math.prod(item.shape[1:]) * item.dtype.size
        return self._filled(item, (stop - start, *item.shape[1:]), item.offset + start * row)

    def _filled(self, item: Stored, shape: tuple[int, ...], offset: int) -> np.ndarray:
        array = empty(shape, item.dtype.numpy)
        read_summed(self._source, offset, contents.as_bytes(array))
        return _checked(array)

    def _pieces(self, item: Stored) -> Iterator[np.ndarray]:
        size = math.prod(item.shape) * item.dtype.size
        window = np.empty(min(WINDOW, size) // item.dtype.size, item.dtype.numpy)
        for pos in range(0, size, WINDOW):
            piece = window[: min(WINDOW, size - pos) // item.dtype.size]
            self._source.read_into(contents.as_bytes(piece), item.offset + pos)
            yield _checked(piece)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise errors.DataLossError("malformed header: expected a JSON object")
    return value


def _tensor(name: str, item: Any) -> tuple[str, tuple[int, ...], int, int]:
    """Return dtype, shape and place of a tensor in the header. Raises: DataLossError."""
    item = _object(item)
    if item.keys() != {"dtype", "shape", "data_offsets"} or not isinstance(item["dtype"], str):
        raise errors.DataLossError(f"malformed header: tensor {name[:80]} needs dtype, shape and data_offsets")
    offsets = item["data_offsets"]
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(type(n) is int and n >= 0 for n in offsets):
        raise errors.DataLossError(f"malformed header: tensor {name[:80]} has impossible offsets")
    return item["dtype"], shape_of(item["shape"], f"header, tensor {name[:80]}"), offsets[0], offsets[1]


def _check_places(places: list[tuple[int, int, str]], size: int) -> None:
    """Check that the tensors lie one after the other in `size` bytes, as the format demands."""
    pos = 0
    for begin, end, name in sorted(places):
        if begin != pos or end < begin:
            raise errors.DataLossError(
                f"tensor {name[:80]} is at bytes {begin} to {end} of the data, expected at {pos}"
            )
        pos = end
    if pos != size:
        raise errors.DataLossError(
            f"the header accounts for {pos} bytes of data, the file has {size}",
            hint="The download or copy was cut short." if pos > size else None,
        )


def _checked(array: np.ndarray) -> np.ndarray:
    if _BIG_HOST:
        contents.swap_bytes(array)
    if array.dtype.kind == "b":
        bits = array.view(np.uint8)
        if bits.size and bits.max() > 1:
            return bits != 0
    return array
