"""Writes a planned checkpoint: pieces that are copied go from file to file, computed ones come in windows.

Copies of neighbours in a data file are one copy. The checksums of copied pieces are those of the source, which stay
wrong where they were. The result is what TensorFlow's writer gives for the same tensors in the same order.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint import contents, files, names, slices
from icefloe.checkpoint.commit import begin
from icefloe.checkpoint.distributed.scheduling import shares
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.shard_file import ShardFile
from icefloe.checkpoint.editing.stored import Contents, Piece, Tensor
from icefloe.checkpoint.entries import Header, encode_entry
from icefloe.checkpoint.index import to_key
from icefloe.checkpoint.slices import TensorSlice, volume
from icefloe.checkpoint.transfer import PIECE
from icefloe.checkpoint.writer import encode_index
from icefloe.datatypes import DType
from icefloe.wire.crc import crc32c, mask

_WINDOW = 16 << 20


@dataclass(frozen=True, slots=True)
class Computed:
    """Elements that are made when they are written: `windows()` yields them in C order, in arrays of any size."""

    windows: Callable[[], Iterable[np.ndarray]]


@dataclass(frozen=True, slots=True)
class OutputPiece:
    """A piece to write; `chosen` is None for a whole tensor.

    shard: the data file it goes to, None for the one with the fewest bytes.   place: that of the source's piece.
    """

    shape: tuple[int, ...]
    content: Piece | Computed
    chosen: TensorSlice | None = None
    shard: int | None = None
    place: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A tensor to write. `shard` is the number that the entry of a partitioned tensor names, which means nothing."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    pieces: tuple[OutputPiece, ...]
    shard: int = 0

    @property
    def bytes(self) -> int:
        """Bytes to be written, as far as they are known before."""
        return sum(_size(self.dtype, piece) for piece in self.pieces)

    def under(self, name: str) -> Output:
        """Return the tensor with another name."""
        return replace(self, name=name)


def copied(tensor: Tensor, name: str | None = None) -> Output:
    """Return a tensor of a source as it is, under `name` where that is given."""
    pieces = tuple(OutputPiece(p.shape, p, p.chosen, p.entry.shard, p.place) for p in tensor.pieces)
    return Output(tensor.name if name is None else name, tensor.dtype, tensor.shape, pieces, tensor.shard)


def mapped(tensor: Tensor, dtype: DType, change: Callable[[Piece], Iterator[np.ndarray]]) -> Output:
    """Return a tensor whose pieces are those of `tensor`, in the same shape, with `change(piece)` as their
    elements.
    """

    def computed(piece: Piece) -> Computed:
        return Computed(lambda: change(piece))

    pieces = tuple(OutputPiece(p.shape, computed(p), p.chosen, p.entry.shard, p.place) for p in tensor.pieces)
    return Output(tensor.name, dtype, tensor.shape, pieces, tensor.shard)


def from_array(name: str, dtype: DType, array: np.ndarray, shard: int | None = None) -> Output:
    """Return a tensor that is in memory."""
    content = Computed(lambda: (array.reshape(-1),))
    return Output(name, dtype, array.shape, (OutputPiece(array.shape, content, None, shard),))


@dataclass(slots=True)
class Plan:
    """A checkpoint to be written under `target`: `outputs` in the order of their bytes, in `shards` data files.

    keep_places: within a data file pieces that have a place go by it, and others last.
    """

    target: str
    outputs: list[Output] = field(default_factory=list)
    shards: int = 1
    keep_places: bool = False

    def order_as(self, source: Contents) -> None:
        """Put the outputs into the order of names where the source is in that order; else keep the source's."""
        if source.by_name:
            self.outputs.sort(key=lambda output: to_key(output.name))
        self.keep_places = not source.by_name

    def describe(self, report: EditReport) -> None:
        """Put into `report` what the output will hold."""
        report.output = self.target
        report.tensors = len(self.outputs)
        report.shards = self.shards
        for output in self.outputs:
            for piece in output.pieces:
                size = _size(output.dtype, piece)
                report.bytes += size
                if _is_copy(piece):
                    report.copied += size
                else:
                    report.computed += size

    def carry_out(
        self,
        report: EditReport,
        progress: Progress | None = None,
        *,
        verify: bool = False,
        part: tuple[int, int] | None = None,
    ) -> None:
        """Write the checkpoint and complete `report`; with `report.dry_run` only the latter.

        verify: check the sums of what is copied too.   part: (number, count), to write only that part of the outputs.

        Raises: InvalidArgumentError, before anything is written, for two tensors of one name or a name that cannot
        be; DataLossError if a source is damaged; what the file system says.
        """
        _check_names(self.outputs)
        if part is not None:
            chosen = shares([output.bytes for output in self.outputs], part[1])
            self.outputs = [self.outputs[i] for i in chosen[part[0]]]
            self.shards = 1
        self.describe(report)
        if report.dry_run:
            return
        _check_space(self.target, report.computed)
        writer = _Writer(self, report.bytes, progress, verify)
        try:
            writer.write()
            writer.commit()
        except BaseException:
            writer.abandon()
            raise
        report.bytes = report.copied + writer.computed
        report.computed = writer.computed


def _is_copy(piece: OutputPiece) -> bool:
    return isinstance(piece.content, Piece) and piece.content.can_be_copied


def _size(dtype: DType, piece: OutputPiece) -> int:
    if isinstance(piece.content, Piece):
        return piece.content.stored_bytes
    return 0 if dtype.numpy.hasobject else volume(piece.shape) * dtype.size


def _check_space(target: str, size: int) -> None:
    """Check that `size` bytes fit beside a prefix. What is copied does not count: it may be holes, or shared blocks."""
    directory = names.split(target)[0]
    while directory and not files.is_directory(directory):
        directory = os.path.dirname(directory)
    free = files.free_bytes(directory)
    if free is not None and size > free:
        raise errors.ResourceExhaustedError(f"{target}; No space left on device: {size} bytes to write, {free} free")


def _check_names(outputs: list[Output]) -> None:
    seen: set[bytes] = set()
    twice: list[str] = []
    for output in outputs:
        key = to_key(output.name)
        if not key or slices.is_slice_key(key):
            raise errors.InvalidArgumentError(
                f"{output.name!r} cannot be the name of a tensor: it is empty or begins with a zero byte"
            )
        if key in seen:
            twice.append(output.name)
        seen.add(key)
    if twice:
        raise errors.InvalidArgumentError(f"two tensors would have the name {', '.join(map(repr, twice[:10]))}")


class _Writer:
    """One checkpoint under way."""

    def __init__(self, plan: Plan, total: int, progress: Progress | None, verify: bool) -> None:
        if not 0 < plan.shards <= 99999:
            raise errors.InvalidArgumentError(f"expected 1 to 99999 shards, got {plan.shards}")
        self._plan = plan
        self._total = total
        self._progress = progress
        self._verify = verify
        self._done = 0
        self._entries: dict[bytes, bytes] = {}
        self.computed = 0
        self._shard: ShardFile | None = None
        self._transaction = begin(plan.target)
        self._count = self._transaction.count(plan.shards)

    def write(self) -> None:
        for number, work in enumerate(self._by_shard()):
            fd, path = self._transaction.create_shard(number, self._count)
            self._shard = ShardFile(fd, path, self._advance)
            for output, piece in work:
                self._write_piece(self._shard, number, output, piece)
            self._shard.finish()
        for output in self._plan.outputs:
            if output.pieces[0].chosen is not None:
                chosen = [p.chosen for p in output.pieces if p.chosen is not None]
                shard = output.shard if output.shard < self._plan.shards else 0
                self._entries[to_key(output.name)] = encode_entry(
                    output.dtype.as_datatype_enum, output.shape, shard=shard, slices=chosen
                )

    def commit(self) -> None:
        self._transaction.write_index(encode_index(Header(self._count), self._entries))
        self._transaction.commit(self._count)

    def abandon(self) -> None:
        if self._shard is not None:
            self._shard.abandon()
        self._transaction.abandon()

    def _by_shard(self) -> list[list[tuple[Output, OutputPiece]]]:
        count = self._plan.shards
        out: list[list[tuple[Output, OutputPiece]]] = [[] for _ in range(count)]
        sizes = [0] * count
        free: list[tuple[Output, OutputPiece]] = []
        for output in self._plan.outputs:
            for piece in output.pieces:
                if piece.shard is None and count > 1:
                    free.append((output, piece))
                    continue
                number = (piece.shard or 0) % count
                out[number].append((output, piece))
                sizes[number] += _size(output.dtype, piece)
        if self._plan.keep_places:
            for work in out:
                work.sort(key=lambda item: item[1].place or (sys.maxsize,))
        for output, piece in free:
            number = sizes.index(min(sizes))
            out[number].append((output, piece))
            sizes[number] += _size(output.dtype, piece)
        return out

    def _advance(self, size: int) -> None:
        self._done += size
        if self._progress is not None:
            self._progress(self._done, max(self._total, self._done))

    def _write_piece(self, shard: ShardFile, number: int, output: Output, piece: OutputPiece) -> None:
        offset = shard.size
        content = piece.content
        if isinstance(content, Piece) and content.can_be_copied:
            crc = content.entry.masked_crc
            assert content.bundle is not None
            source = content.bundle.data_file(content.name, content.entry)
            if self._verify and not content.is_object:
                for window in content.windows(_WINDOW):
                    shard.write(contents.as_bytes(window))
            else:
                if self._verify:
                    content.array()
                shard.copy(source, content.entry.offset, content.entry.size)
        else:
            made = content.windows() if isinstance(content, Computed) else content.windows(_WINDOW)
            crc = mask(_write_computed(shard, output, piece, made))
            self.computed += shard.size - offset
        key = to_key(output.name)
        if piece.chosen is not None:
            key = slices.encode_key(key, piece.chosen)
        self._entries[key] = encode_entry(
            output.dtype.as_datatype_enum,
            piece.shape,
            shard=number,
            offset=offset,
            size=shard.size - offset,
            masked_crc=crc,
        )


def _write_computed(shard: ShardFile, output: Output, piece: OutputPiece, made: Iterable[np.ndarray]) -> int:
    """Write the elements of a piece; return the CRC of its entry."""
    if output.dtype in (datatypes.string, datatypes.variant):
        encode = contents.encode_strings if output.dtype == datatypes.string else contents.encode_variants
        values = [value for window in made for value in window.reshape(-1).tolist()]
        if len(values) != volume(piece.shape):
            raise errors.InternalError(f"tensor {output.name}: made {len(values)} of {volume(piece.shape)} elements")
        parts, _, crc = encode(values)
        for part in parts:
            shard.write(part)
        return crc
    crc = count = 0
    for window in made:
        data = contents.as_bytes(np.ascontiguousarray(window, output.dtype.numpy))
        for start in range(0, len(data), PIECE):
            view = data[start : start + PIECE]
            crc = crc32c(view, crc)
            shard.write(view)
        count += window.size
    if count != volume(piece.shape):
        raise errors.InternalError(f"tensor {output.name}: made {count} of {volume(piece.shape)} elements")
    return crc
