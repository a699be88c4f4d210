"""What is in a checkpoint, as data: its tensors with all their names, totals per scope, values and parts of them."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from icefloe import errors
from icefloe.checkpoint import object_graph
from icefloe.checkpoint.arguments import as_expression, as_patterns, as_text, as_whole
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import FULL, TensorSlice

Path = str | os.PathLike[str]
Sort = Literal["name", "size", "shape"]
# A larger tensor is not read as a whole for a part of it; its checksum is then not verified.
_PART_FROM = 64 << 20
_RANGE = re.compile(r"(-?\d+)?:(-?\d+)?(?::(-?\d+))?")
_WITH_INDEX = re.compile(r"(.*)\[([^\[\]]*)\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """A tensor as it is listed.

    key: as stored. name: what to call it, the object path in a checkpoint saved by objects. dtype: its name, or
    "unknown". bytes: of what is stored, or of the elements. slices: of a partitioned one. full_name: in a checkpoint
    saved by objects, the variable's name in its graph. slot: where it is an optimizer's slot, of which variable.
    """

    key: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    shard: int
    offset: int
    crc: int
    slices: tuple[str, ...] = ()
    full_name: str = ""
    slot: object_graph.SlotOf | None = None

    @property
    def elements(self) -> int:
        return int(np.prod(self.shape, dtype=object))

    @property
    def scopes(self) -> list[str]:
        """The parts of the name, the tensor's own last."""
        return self.name.split("/")


@dataclass(frozen=True, slots=True)
class Listing:
    """What `ls` returns. format: see `CheckpointReader`. object_based: whether it was saved by objects. also: another
    checkpoint that the path could have meant. left_out: name -> why, of what is no tensor.
    """

    prefix: str
    format: str
    rows: list[Row]
    object_based: bool = False
    also: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def elements(self) -> int:
        return sum(row.elements for row in self.rows)

    @property
    def bytes(self) -> int:
        return sum(row.bytes for row in self.rows)


@dataclass(slots=True)
class Scope:
    """Totals of the tensors whose names begin with `path`; `rows` are those directly in it."""

    path: str
    depth: int
    tensors: int = 0
    elements: int = 0
    bytes: int = 0
    rows: list[Row] = field(default_factory=list)


def rows_of(reader: CheckpointReader) -> list[Row]:
    """Return a row for each tensor of an open checkpoint, in its order."""
    try:
        graph = reader.object_graph
    except errors.OpError:  # damaged: the tensors can be listed all the same
        graph = None
    try:
        return [_row(reader, key, graph) for key in reader.entries]
    except errors.OpError as e:
        raise e.add_context(path=os.fspath(reader.prefix)) from None


def _row(reader: CheckpointReader, key: str, graph: object_graph.ObjectGraph | None) -> Row:
    entry = reader.entries[key]
    try:
        dtype, size = entry.dtype.name, entry.dtype.size
    except errors.UnimplementedError:
        dtype, size = f"unknown ({entry.dtype_number})", 0
    tensor = None if graph is None else graph.tensors.get(key)
    return Row(
        key=key,
        name=key if graph is None else key.removesuffix(object_graph.VALUE_SUFFIX),
        dtype=dtype,
        shape=entry.shape,
        bytes=entry.num_elements * size if entry.is_sliced else entry.size,
        shard=entry.shard,
        offset=entry.offset,
        crc=0 if entry.is_sliced else entry.crc,
        slices=tuple(str(s) for s in entry.slices),
        full_name="" if tensor is None else tensor.full_name,
        slot=None if tensor is None else tensor.slot,
    )


def chooser(patterns: Sequence[str] = (), *, regex: bool = False) -> Callable[[Row], bool]:
    """Return whether a row is meant by one of `patterns`: `*` and `?` as in a shell, or regular expressions found
    anywhere in a name. All of a tensor's names count; without patterns all are meant.

    Raises: InvalidArgumentError for a malformed expression.
    """
    patterns = as_patterns(patterns)
    tests = [as_expression(p if regex else fnmatch.translate(p)) for p in patterns]

    def meant(row: Row) -> bool:
        known = dict.fromkeys((row.key, row.name, row.full_name or row.key))
        if not tests or (not regex and not known.keys().isdisjoint(patterns)):
            return True
        return any(p.search(name) if regex else p.match(name) for p in tests for name in known)

    return meant


def ls(path: Path, patterns: Sequence[str] = (), *, regex: bool = False, sort: Sort = "name") -> Listing:
    """Return what the checkpoint at `path`, of any format, holds, without reading data.

    patterns, regex: see `chooser`. sort: "name", "size" or "shape", the largest first.

    Raises: as `open_checkpoint`.
    """
    meant = chooser(patterns, regex=regex)
    if as_text(sort, "sort") not in ("name", "size", "shape"):
        raise errors.InvalidArgumentError(f"expected to sort by name, size or shape, got {sort!r}")
    with open_checkpoint(path) as reader:
        rows = [row for row in rows_of(reader) if meant(row)]
        if sort == "size":
            rows.sort(key=lambda row: (-row.bytes, row.name))
        elif sort == "shape":
            rows.sort(key=lambda row: (-row.elements, row.shape, row.name))
        else:
            rows.sort(key=lambda row: row.name)
        based = object_graph.KEY in reader.entries
        return Listing(reader.prefix, reader.format, rows, based, reader.also, dict(reader.left_out))


def scopes(rows: Iterable[Row], depth: int | None = None) -> list[Scope]:
    """Return the scopes of names and their totals, each before what is in it; the first, path "", is of all.

    depth: how many parts of a name make scopes; what lies deeper counts to the deepest. A tensor that is in no scope
    counts to the first alone.
    """
    if depth is not None and as_whole(depth, "depth") < 0:
        raise errors.InvalidArgumentError(f"expected a depth of at least 0, got {depth}")
    found = {"": Scope("", 0)}
    for row in _rows(rows):
        parts = row.scopes[:-1][:depth]
        place = ""
        owner = found[""]
        _count(owner, row)
        for i, part in enumerate(parts):
            place = f"{place}/{part}" if i else part
            owner = found.setdefault(place, Scope(place, i + 1))
            _count(owner, row)
        owner.rows.append(row)
    return sorted(found.values(), key=lambda scope: scope.path.split("/") if scope.depth else [])


def _rows(rows: Iterable[Row]) -> Iterator[Row]:
    if isinstance(rows, Listing):
        rows = rows.rows
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise TypeError(f"expected the rows of a listing, got {type(rows).__name__}")
    for row in rows:
        if not isinstance(row, Row):
            raise TypeError(f"expected the rows of a listing, got {type(row).__name__} in them")
        yield row


def _count(scope: Scope, row: Row) -> None:
    scope.tensors += 1
    scope.elements += row.elements
    scope.bytes += row.bytes


def tree(
    path: Path, patterns: Sequence[str] = (), *, regex: bool = False, depth: int | None = None
) -> tuple[Listing, list[Scope]]:
    """Return what a checkpoint holds and its scopes; see `ls` and `scopes`. Raises: as `open_checkpoint`."""
    listing = ls(path, patterns, regex=regex)
    return listing, scopes(listing.rows, depth)


def parse_index(text: str) -> tuple[Any, ...]:
    """Return a numpy index for a text such as `0:2,:,3`. Raises: InvalidArgumentError."""
    parts: list[Any] = []
    for part in as_text(text, "index").strip("[]").split(","):
        part = part.strip()
        found = _RANGE.fullmatch(part)
        if part == "...":
            parts.append(...)
        elif re.fullmatch(r"-?\d+", part):
            if len(part) > 19:  # beyond int64; numpy would take it for no integer at all
                raise errors.InvalidArgumentError(f"index {part} is out of bounds")
            parts.append(int(part))
        elif found:
            parts.append(slice(*(None if n is None else int(n) for n in found.groups())))
        else:
            raise errors.InvalidArgumentError(f"expected an index such as 0:2,:,3, got {text!r}")
    return tuple(parts)


def split_index(name: str, reader: CheckpointReader) -> tuple[str, tuple[Any, ...] | None]:
    """Return `(name, index)` of a name that may end in an index, `w[0:3,:]`; names may hold brackets themselves."""
    name = as_text(name, "the name of a tensor")
    if name in as_reader(reader):
        return name, None
    match = _WITH_INDEX.fullmatch(name)
    if match is None:
        return name, None
    return match[1], parse_index(match[2])


def as_reader(value: object) -> CheckpointReader:
    """Return an open checkpoint that was given. Raises: TypeError for what is none."""
    if not isinstance(value, CheckpointReader):
        raise TypeError(f"expected an open checkpoint, as `open_checkpoint` returns, got {type(value).__name__}")
    return value


def read_part(reader: CheckpointReader, name: str, index: Any) -> np.ndarray:
    """Return `tensor[index]`, reading of a large tensor only the rows that are needed.

    index: as numpy takes it, such as `np.s_[0:2, :, 3]`, or as text, "0:2,:,3".

    Raises: InvalidArgumentError if the index does not fit the shape; as `CheckpointReader.read`.
    """
    entry = as_reader(reader).entry(name)
    index = parse_index(index) if isinstance(index, str) else index if isinstance(index, tuple) else (index,)
    shape = entry.shape
    try:
        first: Any = index[0] if index else ...
        is_plain = isinstance(first, slice) or hasattr(type(first), "__index__")
        is_small = entry.num_elements * entry.dtype.size < _PART_FROM
        if (is_small and not entry.is_sliced) or not is_plain or not shape:
            return np.asarray(reader.read(name)[index])
        rows = range(shape[0])[first]
        if isinstance(rows, int):
            start, stop, rest = rows, rows + 1, (0, *index[1:])
        elif not len(rows):
            start, stop, rest = 0, 1, (slice(0, 0), *index[1:])
        else:
            start, stop = min(rows[0], rows[-1]), max(rows[0], rows[-1]) + 1
            rest = (slice(None, None, rows.step), *index[1:])
        chosen = TensorSlice(((start, stop - start), *((0, FULL),) * (len(shape) - 1)))
        return np.asarray(reader.read_slice(name, chosen)[rest])
    except (IndexError, ValueError, TypeError) as e:
        if isinstance(e, errors.OpError):
            raise
        raise errors.InvalidArgumentError(f"{name}, shape [{','.join(map(str, shape))}]: {e}") from None


def cat(path: Path, name: str) -> np.ndarray:
    """Return the value of a tensor of the checkpoint at `path`, or of `name[0:3,:]` that part.

    Of a tensor of more than 64 MB only the rows that are needed are read, and its checksum is not verified.

    Raises: as `open_checkpoint` and `CheckpointReader.find`; InvalidArgumentError for an index that does not fit.
    """
    with open_checkpoint(path, mmap=True) as reader:
        plain, index = split_index(name, reader)
        value = reader.read(plain) if index is None else read_part(reader, plain, index)
        return np.array(value)
