"""The same tensors in other data files, cut into other slices, or whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from icefloe import errors
from icefloe.checkpoint.arguments import as_mapping, as_whole
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.partitions import even_slices
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.rows import Init, Table
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, Contents, Tensor, contents_of, windows_of
from icefloe.checkpoint.editing.stream import Computed, Output, OutputPiece, Plan, copied
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.slices import TensorSlice, volume

Path = str | os.PathLike[str]


@dataclass(kw_only=True)
class ReshardReport(EditReport):
    """shards_before: number of data files of the source.   partitioned: name -> number of slices it has now.
    unpartitioned: names of tensors that are whole now.
    """

    shards_before: int = 1
    partitioned: dict[str, int] = field(default_factory=dict)
    unpartitioned: list[str] = field(default_factory=list)


def reshard(
    src: Path,
    dst: Path | None = None,
    *,
    shards: int | None = None,
    max_shard_bytes: int | None = None,
    partition: Mapping[str, int | tuple[int, int]] | None = None,
    unpartition: Iterable[str] | str = (),
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ReshardReport:
    """Write the checkpoint `src` in other data files, under `dst` or in place.

    shards: how many, filled one after the other to about the same size. max_shard_bytes: as many as it takes for none
    to be larger; a larger piece has a file of its own. By default the number stays.
    partition: pattern -> number of slices, or (number, axis); the axis is 0 by default. The tensor is cut as
    TensorFlow's fixed_size_partitioner does. unpartition: patterns of tensors to be made whole.

    Raises: NotFoundError for a pattern that matches nothing; InvalidArgumentError for a tensor that cannot be cut so.
    """
    if shards is not None and max_shard_bytes is not None:
        raise errors.InvalidArgumentError("reshard: expected `shards` or `max_shard_bytes`, got both")
    shards = None if shards is None else as_whole(shards, "shards")
    max_shard_bytes = None if max_shard_bytes is None else as_whole(max_shard_bytes, "max_shard_bytes")
    partition = {} if partition is None else as_mapping(partition, "from patterns to numbers as `partition`")
    if shards is not None and not 0 < shards <= 99999:
        raise errors.InvalidArgumentError(f"expected 1 to 99999 shards, got {shards}")
    if max_shard_bytes is not None and max_shard_bytes <= 0:
        raise errors.InvalidArgumentError(f"expected a size of data files in bytes, got {max_shard_bytes}")
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        report = ReshardReport(source=reader.prefix, dry_run=dry_run, shards_before=contents.shards)
        target = target_prefix(reader.prefix, dst, is_bundle=isinstance(reader, BundleReader))
        full = objects.full_names(objects.read_objects(reader))
        new = _repartitioned(contents, dict(partition), Patterns(unpartition, full), full, report)
        plan = Plan(target, [new.get(n) or copied(t) for n, t in contents.tensors.items()], contents.shards)
        plan.order_as(contents)
        if shards is not None or max_shard_bytes is not None:
            _distribute(plan, shards, max_shard_bytes)
        plan.carry_out(report, progress, verify=verify)
        return report


def _repartitioned(
    contents: Contents,
    partition: Mapping[str, int | tuple[int, int]],
    whole: Patterns,
    full: Mapping[str, str],
    report: ReshardReport,
) -> dict[str, Output]:
    names = [name for name in contents.tensors if name != OBJECT_GRAPH]
    cut = Patterns(partition, full)
    out: dict[str, Output] = {}
    for name in names:
        tensor = contents[name]
        pattern = cut.first(name)
        if whole.matches(name):
            if pattern is not None:
                raise errors.InvalidArgumentError(f"tensor {name!r} is to be cut and to be whole")
            if tensor.is_sliced:
                report.unpartitioned.append(name)
                out[name] = _cut(tensor, [])
        elif pattern is not None:
            given = partition[pattern]
            parts, axis = given if isinstance(given, tuple) else (given, 0)
            report.partitioned[name] = parts
            out[name] = _cut(tensor, even_slices(name, tensor.shape, axis, parts) if parts != 1 else [])
    cut.check_used(names)
    whole.check_used(names)
    return out


def _cut(tensor: Tensor, chosen: list[TensorSlice]) -> Output:
    """Return the tensor cut into the slices `chosen`, whole if there are none."""
    first = tensor.pieces[0].entry
    place = min(p.place for p in tensor.pieces)
    if not tensor.is_sliced and not chosen:
        return copied(tensor)

    table = Table([tensor], 0, Init("zeros")) if tensor.shape else None

    def content(part: TensorSlice) -> Computed:
        return Computed(_elements(tensor, part, table))

    if not chosen:
        whole = OutputPiece(tensor.shape, content(TensorSlice.full(len(tensor.shape))), None, first.shard, place)
        return Output(tensor.name, tensor.dtype, tensor.shape, (whole,), tensor.shard)
    pieces = tuple(OutputPiece(s.shape(tensor.shape), content(s), s, first.shard, place) for s in chosen)
    return Output(tensor.name, tensor.dtype, tensor.shape, pieces, tensor.shard)


def _elements(tensor: Tensor, part: TensorSlice, table: Table | None) -> Callable[[], Iterator[np.ndarray]]:
    bounds = part.bounds(tensor.shape)
    rows_only = all(b == (0, n) for b, n in zip(bounds[1:], tensor.shape[1:]))

    def made() -> Iterator[np.ndarray]:
        if table is not None and rows_only and not tensor.is_sliced:
            for block in table.rows(*bounds[0]):
                yield block.reshape(-1)
            return
        yield from windows_of(tensor.pieces[0].reader.read_slice(tensor.name, part))

    return made


def _distribute(plan: Plan, shards: int | None, most: int | None) -> None:
    """Put the pieces, in their order, into data files one after the other."""
    pieces = [(o, p) for o in plan.outputs for p in o.pieces]
    if plan.keep_places:
        pieces.sort(key=lambda item: item[1].place or (1 << 62, 0, 0))
    sizes = [_size(o, p) for o, p in pieces]
    numbers = _even(sizes, shards) if shards is not None else _greedy(sizes, most or 1)
    plan.shards = shards if shards is not None else (numbers[-1] + 1 if numbers else 1)
    placed: dict[int, list[OutputPiece]] = {}
    by_identity = {id(p): n for (_, p), n in zip(pieces, numbers)}
    for output in plan.outputs:
        placed[id(output)] = [replace(p, shard=by_identity[id(p)]) for p in output.pieces]
    plan.outputs = [replace(o, shard=0, pieces=tuple(placed[id(o)])) for o in plan.outputs]


def _size(output: Output, piece: OutputPiece) -> int:
    if isinstance(piece.content, Computed):
        return 0 if output.dtype.numpy.hasobject else volume(piece.shape) * output.dtype.size
    return piece.content.stored_bytes


def _even(sizes: list[int], shards: int) -> list[int]:
    """Return the data file of each piece: the one in whose share of all bytes its middle lies."""
    total = sum(sizes)
    out = []
    done = 0
    for size in sizes:
        out.append(min((2 * done + size) * shards // (2 * total), shards - 1) if total else 0)
        done += size
    return out


def _greedy(sizes: list[int], most: int) -> list[int]:
    out = []
    number = filled = 0
    for size in sizes:
        if filled and filled + size > most:
            number += 1
            filled = 0
        filled += size
        out.append(number)
    return out
