"""Edits and comparisons whose parts are done by the workers of a Dask scheduler.

Each worker calls the same function for a part of the tensors; so the values are those of one process. Of an edit each
worker writes a checkpoint, and these are merged: the result has one data file per part.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from icefloe.checkpoint.distributed.parts import parts
from icefloe.checkpoint.distributed.scheduling import cluster
from icefloe.checkpoint.editing.reports import EditReport, Progress

_R = TypeVar("_R", bound=EditReport)


def edit(
    scheduler: Any,
    function: Callable[..., _R],
    target: str,
    tensors: int,
    *,
    dry_run: bool,
    progress: Progress | None,
    **arguments: Any,
) -> list[_R]:
    """Call `function(output=..., part=(i, n), **arguments)` in workers and merge what they write to `target`.

    tensors: how many there are; no more parts are made.   Returns the reports of the parts.

    Raises: what the function does; as `cluster`.
    """
    with cluster(scheduler) as workers:
        count = max(min(workers.workers, tensors), 1)
        written = [0]

        def done(i: int, report: _R) -> None:
            written[0] += report.bytes
            if progress is not None:
                progress(written[0], written[0] * count // (i + 1) if i + 1 < count else written[0])

        def tasks(outputs: Sequence[str]) -> list[Callable[[], _R]]:
            return [
                functools.partial(function, output=output, part=(i, count), dry_run=dry_run, **arguments)
                for i, output in enumerate(outputs)
            ]

        if dry_run:
            reports = workers.run(tasks([target] * count), done)
        else:
            with parts(target, count) as made:
                reports = workers.run(tasks(made.prefixes), done)
    return reports


def joined(reports: Sequence[_R], target: str) -> _R:
    """Return the first report with the sums of all; what else they say is the same in each."""
    first = reports[0]
    first.output, first.shards = target, len(reports)
    for other in reports[1:]:
        first.tensors += other.tensors
        first.bytes += other.bytes
        first.copied += other.copied
        first.computed += other.computed
    return first
