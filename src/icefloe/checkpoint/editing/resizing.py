"""Tensors with more or fewer rows, and their optimizer slots with them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from icefloe import errors
from icefloe.checkpoint.arguments import as_mapping, as_whole
from icefloe.checkpoint.editing import objects, slots
from icefloe.checkpoint.editing.partitions import cut_axes, even_bounds, even_slices
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.rows import Init, Table, parse_init
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, Contents, Tensor, contents_of, windows_of
from icefloe.checkpoint.editing.stream import Computed, Output, OutputPiece, Plan, copied
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.slices import TensorSlice

Path = str | os.PathLike[str]
# Slots that are divided by: zeros there would make the first step infinite.
_ACCUMULATORS = re.compile(r"(?:.*/)?(?:Adagrad|AdagradDA|ProximalAdagrad|Ftrl|RMSProp|accumulator|rms)(?::0)?")


@dataclass(kw_only=True)
class ResizeReport(EditReport):
    """resized: name -> (shape before, shape after).   slots: those of them that are slots or moving averages.
    left: slots of resized tensors that have another shape and stay as they are.
    """

    resized: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    slots: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def resize(
    src: Path,
    rows: Mapping[str, int],
    dst: Path | None = None,
    *,
    axis: int = 0,
    init: str = "zeros",
    with_slots: bool = True,
    as_one: bool = False,
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ResizeReport:
    """Write the checkpoint `src` with another number of rows in some tensors, under `dst` or in place.

    rows: pattern -> rows along `axis`; what is more is cut off, what is missing is made by `init`, see `rows`.
    as_one: the tensors that a pattern matches, in the order of the numbers in their names (`emb_0`, `emb_1`, ...), are
    parts of one table that gets so many rows in all; the first parts get one more where it does not come out even.
    with_slots: optimizer slots and moving averages of the same shape go with their tensor; new rows are 0 in slots,
    the mean in accumulators that are divided by (Adagrad, Ftrl, RMSProp). A partitioned tensor keeps its number of
    parts.

    Raises: NotFoundError for a pattern that matches nothing, InvalidArgumentError for a tensor without such an axis.
    """
    how = parse_init(init)
    axis = as_whole(axis, "axis")
    rows = as_mapping(rows, "from patterns to numbers of rows")
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        report = ResizeReport(source=reader.prefix, dry_run=dry_run)
        target = target_prefix(reader.prefix, dst, is_bundle=isinstance(reader, BundleReader))
        graph = objects.read_objects(reader)
        full = objects.full_names(graph)
        training = slots.find_training(contents.tensors, full, graph)
        job = _Job(contents, training, full, axis, with_slots, report)
        for pattern, count in rows.items():
            count = as_whole(count, f"rows[{pattern!r}]")
            if not 0 <= count < 1 << 62:
                raise errors.InvalidArgumentError(f"{pattern!r}: a tensor cannot have {count} rows")
            names = job.matching(pattern)
            for group in [names] if as_one else [[name] for name in names]:
                job.resize(group, count, how)
        plan = Plan(target, [job.outputs.get(n) or copied(t) for n, t in contents.tensors.items()], contents.shards)
        plan.order_as(contents)
        plan.carry_out(report, progress, verify=verify)
        return report


class _Job:
    """Collects the resized tensors."""

    def __init__(
        self,
        contents: Contents,
        training: slots.Training,
        full: Mapping[str, str],
        axis: int,
        with_slots: bool,
        report: ResizeReport,
    ) -> None:
        self.contents = contents
        self.training = training
        self.full = full
        self.axis = axis
        self.with_slots = with_slots
        self.report = report
        self.outputs: dict[str, Output] = {}

    def matching(self, pattern: str) -> list[str]:
        """Return what a pattern matches, but for slots, which come with their tensors; numbers in order."""
        patterns = Patterns(pattern, self.full)
        names = [n for n in self.contents.tensors if n != OBJECT_GRAPH and patterns.matches(n)]
        patterns.check_used(list(self.contents.tensors))
        if self.with_slots:
            own = [n for n in names if self.training.reasons.get(n) not in (slots.SLOT, slots.AVERAGE)]
            names = own or names
        return sorted(names, key=_natural)

    def resize(self, group: Sequence[str], count: int, init: Init) -> None:
        self._resize(group, count, init)
        if not self.with_slots:
            return
        companions = [self._companions(name) for name in group]
        for kind in dict.fromkeys(kind for found in companions for kind in found):
            names = [found[kind] for found in companions if kind in found]
            shapes = [(self.contents[n].shape, self.contents[b].shape) for n, b in zip(names, group)]
            if len(names) != len(group) or any(a != b for a, b in shapes):
                self.report.left += names
                continue
            average = self.training.reasons.get(names[0]) == slots.AVERAGE
            accumulator = _ACCUMULATORS.fullmatch(self.full.get(names[0], names[0])) is not None
            self._resize(names, count, init if average else Init("mean" if accumulator else "zeros"))
            self.report.slots += names

    def _companions(self, name: str) -> dict[str, str]:
        """Return slots and moving average of a tensor by what is told of them besides the tensor's name."""
        found = list(self.training.slots_of.get(name, ()))
        if name in self.training.averages:
            found.append(self.training.averages[name])
        label = self.full.get(name, name)
        return {
            self.full.get(slot, slot).replace(label, "\0", 1): slot for slot in found if slot in self.contents.tensors
        }

    def _resize(self, names: Sequence[str], count: int, init: Init) -> None:
        members = [self.contents[name] for name in names]
        for member in members:
            if not -len(member.shape) <= self.axis < len(member.shape):
                raise errors.InvalidArgumentError(
                    f"tensor {member.name!r} of shape {list(member.shape)} has no axis {self.axis}"
                )
            if member.name in self.outputs:
                raise errors.InvalidArgumentError(f"tensor {member.name!r} is to be resized twice")
        table = Table(members, self.axis % len(members[0].shape), init)
        for member, (start, stop) in zip(members, even_bounds(count, len(members))):
            self.outputs[member.name] = _resized(table, member, start, stop)
            shape = self.outputs[member.name].shape
            self.report.resized[member.name] = (list(member.shape), list(shape))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `w_9` before `w_10`."""
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in re.split(r"([0-9]+)", name)]


def _resized(table: Table, member: Tensor, start: int, stop: int) -> Output:
    axis = table.axis
    shape = (*member.shape[:axis], stop - start, *member.shape[axis + 1 :])

    def windows(chosen: TensorSlice | None) -> Callable[[], Iterator[np.ndarray]]:
        bounds = TensorSlice.full(len(shape)).bounds(shape) if chosen is None else chosen.bounds(shape)
        low, high = bounds[axis]
        others = all(b == (0, n) for d, (b, n) in enumerate(zip(bounds, shape)) if d != axis)
        if axis == 0 and others:
            return lambda: (block.reshape(-1) for block in table.rows(start + low, start + high))

        def cut() -> Iterator[np.ndarray]:
            index = tuple(slice(None) if d == axis else slice(*b) for d, b in enumerate(bounds))
            return windows_of(table.array(start + low, start + high)[index])

        return cut

    if not member.is_sliced:
        piece = member.pieces[0]
        whole = OutputPiece(shape, Computed(windows(None)), None, piece.entry.shard, piece.place)
        return Output(member.name, member.dtype, shape, (whole,), member.shard)
    pieces = tuple(
        OutputPiece(chosen.shape(shape), Computed(windows(chosen)), chosen, piece.entry.shard, piece.place)
        for chosen, piece in zip(_recut(member, shape, axis), member.pieces)
    )
    return Output(member.name, member.dtype, shape, pieces, member.shard)


def _recut(member: Tensor, shape: tuple[int, ...], axis: int) -> list[TensorSlice]:
    """Return as many slices of the new shape as the tensor has of its own."""
    old = tuple(p.chosen for p in member.pieces if p.chosen is not None)
    axes = cut_axes(old, member.shape)
    if axis not in axes:
        return [
            TensorSlice(tuple((0, shape[axis]) if d == axis and e[1] >= 0 else e for d, e in enumerate(s.extents)))
            for s in old
        ]
    if axes != [axis]:
        raise errors.UnimplementedError(
            f"tensor {member.name!r} is cut along axes {axes}", hint="Make it whole first: `reshard --unpartition`."
        )
    order = sorted(range(len(old)), key=lambda i: old[i].extents[axis])
    fresh = even_slices(member.name, shape, axis, len(old))
    out = list(fresh)
    for position, i in enumerate(order):
        out[i] = fresh[position]
    return out
