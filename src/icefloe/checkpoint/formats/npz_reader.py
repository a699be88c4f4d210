"""Reads an .npz: a zip archive of .npy files, stored or deflated.

    .npy   magic: "\\x93NUMPY", version: 2 bytes, header size: uint16 (uint32 from version 2), header: a Python literal
           {"descr": "<f4", "fortran_order": False, "shape": (2, 3)}, padding, elements

Of a stored array only the bytes that are asked for are read. Arrays of Python objects are pickles: they are left out.
Source: numpy/lib/format.py.
"""

from __future__ import annotations

import ast
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import contents
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.formats import archive, side_entry
from icefloe.checkpoint.formats.archive import Member
from icefloe.checkpoint.formats.array_reader import ArrayReader, Stored, empty, native_dtype
from icefloe.checkpoint.formats.side_entry import Note, SideEntry
from icefloe.checkpoint.reading import WINDOW
from icefloe.datatypes import DType
from icefloe.wire.coding import Buffer

_MAGIC = b"\x93NUMPY"
_MAX_HEADER = 1 << 16
# An array `w` whose elements are the bits of another dtype may have that dtype's name beside it as array `w!dtype`.
_NOTE = "!dtype"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the header of an .npy says; `start` is where its elements begin."""

    start: int
    element: np.dtype
    shape: tuple[int, ...]
    fortran: bool

    @property
    def size(self) -> int:
        return math.prod(self.shape) * self.element.itemsize


def parse_npy(head: Buffer) -> Layout:
    """Return the layout of the .npy whose first bytes are `head`.

    Raises: DataLossError if it is malformed, UnimplementedError if its elements are no array's, such as pickles.
    """
    head = bytes(head)
    if head[:6] != _MAGIC or len(head) < 12 or head[6] not in (1, 2, 3):
        raise errors.DataLossError("no array: it does not begin as an .npy file does")
    begin = 10 if head[6] == 1 else 12
    size = int.from_bytes(head[8:begin], "little")
    if size > _MAX_HEADER or begin + size > len(head):
        raise errors.DataLossError(f"an .npy header of {size} bytes")
    try:
        said = ast.literal_eval(head[begin : begin + size].decode("utf-8" if head[6] == 3 else "latin-1").strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, UnicodeDecodeError):
        raise errors.DataLossError("the .npy header is no Python literal") from None
    if not isinstance(said, dict) or said.keys() != {"descr", "fortran_order", "shape"}:
        raise errors.DataLossError("the .npy header has other fields than descr, fortran_order and shape")
    shape = said["shape"]
    if not isinstance(shape, tuple) or len(shape) > 64 or not all(type(n) is int and n >= 0 for n in shape):
        raise errors.DataLossError(f"impossible shape in an .npy header: {str(shape)[:80]}")
    if math.prod(shape) >= 1 << 62:
        raise errors.DataLossError("impossible shape in an .npy header")
    descr = said["descr"]
    if not isinstance(descr, str):
        raise errors.UnimplementedError("records are no tensor")
    try:
        element = np.dtype(descr)
    except Exception:  # numpy parses such texts with whatever comes up
        raise errors.DataLossError(f"unknown element type {descr[:80]!r} in an .npy header") from None
    if element.hasobject:
        raise errors.UnimplementedError("Python objects are stored as a pickle, which icefloe never loads")
    if not element.itemsize:
        raise errors.UnimplementedError("elements of no size")
    return Layout(begin + size, element, shape, bool(said["fortran_order"]))


def _tensor_dtype(element: np.dtype) -> DType | None:
    if element.kind in "SU":
        return datatypes.string
    if element.kind == "V" and element.itemsize == 2 and element.names is None:
        return datatypes.bfloat16  # numpy has no name of its own for it, and writes its elements as 2 plain bytes
    return native_dtype(element)


class NpzReader(ArrayReader):
    """The .npz at `path`. Raises: DataLossError if it is no zip archive; arrays that are damaged fail when read."""

    format = "npz"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._source = Source(path)
        try:
            self._members: dict[str, Member] = {}
            self._layouts: dict[str, Layout] = {}
            self._take(*self._look())
        except errors.OpError as e:
            self.close()
            raise e.add_context(path=path) from None

    def close(self) -> None:
        self._source.close()

    def _look(self) -> tuple[dict[str, Stored], SideEntry | None]:
        found: dict[str, Stored] = {}
        left_out: dict[str, str] = {}
        damaged: set[str] = set()
        for member in archive.members(self._source):
            name = member.name.removesuffix(".npy")
            if name in self._members:
                raise errors.DataLossError(f"two members of the archive have the name {name}", path=self.prefix)
            self._members[name] = member
            try:
                archive.check(self._source, member)
                layout = parse_npy(self._head(member))
                if layout.start + layout.size != member.size:
                    raise errors.DataLossError(
                        f"an array of {layout.size} bytes in a member that has {member.size - layout.start}"
                    )
                dtype = _tensor_dtype(layout.element)
                if dtype is None:
                    raise errors.UnimplementedError(f"elements of type {layout.element} are no tensor's")
            except errors.OpError as e:
                left_out[name] = e.message
                if isinstance(e, errors.DataLossError):
                    damaged.add(name)
                continue
            self._layouts[name] = layout
            found[name] = Stored(name, dtype, layout.shape, member.start + layout.start)
        self.left_out, self._damaged = left_out, damaged
        side = None
        if side_entry.NPZ_NAME in found:
            raw = self._raw(side_entry.NPZ_NAME, side_entry.MAX_SIZE)
            side = side_entry.decode(raw.rstrip(b"\0"))
            del found[side_entry.NPZ_NAME]
        return found, self._with_notes(found, side)

    def _with_notes(self, found: dict[str, Stored], side: SideEntry | None) -> SideEntry | None:
        """Add what arrays named `w!dtype` say of `w`, and take them out of `found`."""
        for name in [n for n in found if n.endswith(_NOTE) and n.removesuffix(_NOTE) in found]:
            noted = found[name.removesuffix(_NOTE)]
            try:
                dtype = datatypes.as_dtype(self._raw(name, 64).rstrip(b"\0").decode())
            except (TypeError, UnicodeDecodeError):
                continue  # an array that only looks like a note
            del found[name]
            side = side or SideEntry()
            side.tensors.setdefault(noted.name, Note(noted.name, dtype, noted.shape))
        return side

    def _raw(self, name: str, limit: int) -> bytes:
        """Return the bytes of a small array of strings of one element."""
        member, layout = self._members[name], self._layouts[name]
        if layout.size > limit:
            raise errors.ResourceExhaustedError(f"array {name} has {layout.size} bytes", path=self.prefix)
        return b"".join(archive.inflated(self._source, member))[layout.start :]

    def _head(self, member: Member) -> bytes:
        if member.method == archive.STORED:
            head = self._source.read(member.start, min(256, member.size))
            if len(head) >= 12 and int.from_bytes(head[8:10], "little") + 12 > len(head):
                head = self._source.read(member.start, min(_MAX_HEADER + 12, member.size))
            return head
        head = b""
        for piece in archive.inflated(self._source, member):
            head += piece
            if len(head) >= min(_MAX_HEADER + 12, member.size):
                break
        return head

    def _load(self, item: Stored) -> np.ndarray:
        member, layout = self._members[item.name], self._layouts[item.name]
        array = empty(layout.shape, layout.element)
        out = array.reshape(-1).view(np.uint8).data
        pos = 0
        skip = layout.start
        for piece in archive.inflated(self._source, member):
            data = memoryview(piece)[skip:]
            skip = max(skip - len(piece), 0)
            out[pos : pos + len(data)] = data
            pos += len(data)
        if layout.fortran and array.ndim > 1:
            array = np.ascontiguousarray(array.reshape(layout.shape[::-1]).T)
        return _native(array, item.dtype)

    def _load_rows(self, item: Stored, start: int, stop: int) -> np.ndarray:
        member, layout = self._members[item.name], self._layouts[item.name]
        if member.method != archive.STORED or layout.fortran or layout.element.kind in "SU":
            return self._load(item)[start:stop]
        array = empty((stop - start, *layout.shape[1:]), layout.element)
        row = layout.size // layout.shape[0]
        self._source.read_into(array.reshape(-1).view(np.uint8).data, item.offset + start * row)
        return _native(array, item.dtype)

    def _pieces(self, item: Stored) -> Iterator[np.ndarray]:
        member, layout = self._members[item.name], self._layouts[item.name]
        if member.method != archive.STORED or (layout.fortran and len(layout.shape) > 1):
            yield self._load(item).reshape(-1)
            return
        crc = zlib.crc32(self._source.read(member.start, layout.start))
        window = np.empty(min(WINDOW, layout.size) // layout.element.itemsize, layout.element)
        for pos in range(0, layout.size, WINDOW):
            piece = window[: min(WINDOW, layout.size - pos) // layout.element.itemsize]
            data = piece.view(np.uint8).data
            self._source.read_into(data, item.offset + pos)
            crc = zlib.crc32(data, crc)
            yield _native(piece, item.dtype)
        if crc != member.crc:
            raise errors.DataLossError(f"member {member.name} of the archive is damaged: its checksum does not match")


def _native(array: np.ndarray, dtype: DType) -> np.ndarray:
    """Return an array as it stands in an .npy as the elements of a tensor."""
    if array.dtype.kind == "U":
        out = np.empty(array.size, object)
        try:
            out[:] = [text.encode("utf-8", "surrogatepass") for text in array.reshape(-1).tolist()]
        except (ValueError, SystemError) as e:
            raise errors.DataLossError(f"no text: {e}") from None
        return out.reshape(array.shape)
    if array.dtype.kind == "S":
        return array.astype(object)
    if array.dtype.kind == "V":
        return array.view(dtype.numpy)
    if not array.dtype.isnative:
        swapped = array.view(array.dtype.newbyteorder("="))
        contents.swap_bytes(swapped)
        return swapped
    if array.dtype.kind == "b":
        # Only 0 and 1 are elements of a bool; numpy does not check what it is given.
        bits = array.view(np.uint8)
        if bits.size and bits.max() > 1:
            return bits != 0
    return array
