"""One checkpoint with the mean values of several."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.arguments import as_list, as_number, as_patterns
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.slimming import prune_to
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, Contents, Piece, Tensor, contents_of, windows_of
from icefloe.checkpoint.editing.stream import Plan, copied, mapped
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint

Path = str | os.PathLike[str]
_WINDOW = 1 << 20  # bytes of each source at a time


@dataclass(kw_only=True)
class AverageReport(EditReport):
    """sources, weights: what was averaged.   averaged: names.   from_last: names of tensors, such as integers and
    strings, whose value is the last checkpoint's.   left_out: names that not all of them have.
    """

    sources: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    averaged: list[str] = field(default_factory=list)
    from_last: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def average(
    dst: Path,
    sources: Sequence[Path],
    *,
    weights: Sequence[float] | None = None,
    common: bool = False,
    last: Sequence[str] | str = (),
    dry_run: bool = False,
    progress: Progress | None = None,
    dask: Any = None,
) -> AverageReport:
    """Write under `dst` the checkpoint whose floating-point and complex tensors are the weighted mean of those of
    `sources`.

    The mean is computed in float64 (complex128) and has the tensor's dtype; integers, strings and all that is no such
    number are the last source's. weights: one for each source, by default equal; only their ratios count. common:
    leave out tensors that not all sources have, which else is an error. last: patterns of tensors to take from the
    last source too. dask: a scheduler whose workers do it, "threads", "processes", or the address of a cluster; the
    result then has a data file for each part.

    Raises: InvalidArgumentError if sets of names, shapes or dtypes differ, with all that do.
    """
    if isinstance(sources, (str, bytes)) or hasattr(sources, "__fspath__"):
        raise TypeError(f"average: expected several checkpoints, got the path {sources!r}")
    sources = as_list(sources, "sources")
    if not sources:
        raise errors.InvalidArgumentError("average: there is no checkpoint to average")
    shares = _shares(weights, len(sources))
    patterns = as_patterns(last)
    if dask is None:
        return _average(dst, sources, shares, common, patterns, dry_run=dry_run, progress=progress)
    from icefloe.checkpoint.distributed import edits, scheduling

    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(open_checkpoint(path)) for path in sources]
        found = [scheduling.absolute(reader.prefix) for reader in readers]
        count = len(readers[-1].entries)
    target = scheduling.absolute(target_prefix("", dst, is_bundle=False))
    reports = edits.edit(
        dask,
        _average,
        target,
        count,
        dry_run=dry_run,
        progress=progress,
        sources=found,
        shares=shares,
        common=common,
        last=patterns,
    )
    return edits.joined(reports, target)


def _average(
    output: Path,
    sources: Sequence[Path],
    shares: list[float],
    common: bool,
    last: list[str],
    *,
    dry_run: bool,
    progress: Progress | None = None,
    part: tuple[int, int] | None = None,
) -> AverageReport:
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(open_checkpoint(path)) for path in sources]
        all_contents = [contents_of(reader) for reader in readers]
        final = all_contents[-1]
        report = AverageReport(
            source=readers[-1].prefix,
            sources=[r.prefix for r in readers],
            weights=list(shares),
            dry_run=dry_run,
        )
        names = _common_names(all_contents, report, common)
        graph = objects.read_objects(final.reader)
        from_last = Patterns(last, objects.full_names(graph))
        plan = Plan(target_prefix("", output, is_bundle=False), [], final.shards)
        for name in final.tensors:
            if name not in names:
                continue
            tensor = final[name]
            others = [c[name] for c in all_contents]
            if from_last.matches(name) or not (tensor.dtype.is_floating or tensor.dtype.is_complex):
                report.from_last.append(name)
                plan.outputs.append(copied(tensor))
            else:
                report.averaged.append(name)
                plan.outputs.append(mapped(tensor, tensor.dtype, _mean(others, shares)))
        if graph is not None and report.left_out:
            prune_to(plan, graph, final)
        plan.order_as(final)
        plan.carry_out(report, progress, part=part)
        return report


def _shares(weights: Sequence[float] | None, count: int) -> list[float]:
    given = [1.0] * count if weights is None else [as_number(w, "weights") for w in as_list(weights, "weights")]
    if len(given) != count:
        raise errors.InvalidArgumentError(f"average: {len(given)} weights for {count} checkpoints")
    total = math.fsum(given)
    if not all(map(math.isfinite, given)) or total == 0:
        raise errors.InvalidArgumentError(f"average: weights {given} cannot be used: they must be finite, with a sum")
    return given


def _common_names(all_contents: list[Contents], report: AverageReport, common: bool) -> set[str]:
    sets = [c.tensors.keys() for c in all_contents]
    shared = set(sets[0]).intersection(*sets[1:])
    report.left_out = sorted(set(sets[0]).union(*sets[1:]) - shared)
    if report.left_out and not common:
        listed = ", ".join(report.left_out[:10]) + (" …" if len(report.left_out) > 10 else "")
        raise errors.InvalidArgumentError(
            f"{len(report.left_out)} tensors are not in all checkpoints: {listed}",
            hint="`common` (--common) averages those that are.",
        )
    different = []
    for name in sorted(shared - {OBJECT_GRAPH}):
        kinds = dict.fromkeys((c[name].dtype.name, c[name].shape) for c in all_contents)
        if len(kinds) > 1:
            different.append(f"{name}: {' and '.join(f'{d} {list(s)}' for d, s in kinds)}")
    if different:
        raise errors.InvalidArgumentError(
            f"{len(different)} tensors differ in dtype or shape: {'; '.join(different[:10])}"
        )
    if not shared:
        raise errors.InvalidArgumentError("the checkpoints have no tensor in common")
    return shared


def _mean(tensors: list[Tensor], weights: list[float]) -> Callable[[Piece], Iterator[np.ndarray]]:
    total = math.fsum(weights)

    def mean(piece: Piece) -> Iterator[np.ndarray]:
        wide = np.complex128 if piece.dtype.is_complex else np.float64
        streams = [_same_part(tensor, piece) for tensor in tensors]
        for windows in zip(*streams, strict=True):
            accumulator = np.zeros(windows[0].size, wide)
            with np.errstate(all="ignore"):
                for window, weight in zip(windows, weights, strict=True):
                    accumulator += window.astype(wide) * weight
                accumulator /= total
                yield accumulator.astype(piece.dtype.numpy)

    return mean


def _same_part(tensor: Tensor, piece: Piece) -> Iterator[np.ndarray]:
    """Yield the elements of `tensor` that are those of `piece`, a piece of a tensor of the same shape."""
    if len(tensor.pieces) == 1 and piece.chosen is None:
        return tensor.pieces[0].windows(_WINDOW)
    for other in tensor.pieces:
        if other.chosen == piece.chosen:
            return other.windows(_WINDOW)
    reader = tensor.pieces[0].reader
    array = reader.read(tensor.name) if piece.chosen is None else reader.read_slice(tensor.name, piece.chosen)
    return windows_of(array, _WINDOW)
