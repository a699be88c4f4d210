"""Checksums of many pieces of files at once: threads read windows and sum them up; no window is larger than 4 MiB."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint.files import Source
from icefloe.wire.crc import combine, crc32c

WINDOW = 4 << 20
_MAX_THREADS = 8

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes `offset` to `offset + size` of a file."""

    source: Source
    offset: int
    size: int


@dataclass(slots=True)
class _Job:
    """What one thread does at once: a span of a file, and the pieces in it, `(region, begin, end)` in the file."""

    source: Source
    start: int
    stop: int
    pieces: list[tuple[int, int, int]]


def sums(regions: Sequence[Region], progress: Progress | None = None) -> list[int | errors.OpError]:
    """Return the CRC32C of each region, or the error that reading it gave. progress: called with bytes done."""
    jobs = _jobs(regions)
    parts: list[dict[int, int]] = [{} for _ in regions]
    failed: dict[int, errors.OpError] = {}
    broken: list[BaseException] = []
    turns = itertools.count()

    def do(job: _Job, window: memoryview) -> None:
        held = window[: job.stop - job.start]
        try:
            job.source.read_into(held, job.start)
        except errors.OpError as e:
            if len(job.pieces) == 1:
                failed[job.pieces[0][0]] = e
                return
            for piece in job.pieces:  # a sector that cannot be read, say, costs only whose it is
                do(_Job(job.source, piece[1], piece[2], [piece]), window)
            return
        for region, begin, end in job.pieces:
            parts[region][begin] = crc32c(held[begin - job.start : end - job.start])
        if progress is not None:
            progress(len(held))

    def work() -> None:
        window = memoryview(bytearray(WINDOW if jobs else 0))
        try:
            while (i := next(turns)) < len(jobs) and not broken:
                do(jobs[i], window)
        except BaseException as e:  # carried over to the calling thread
            broken.append(e)

    count = min(_MAX_THREADS, _at_once(jobs), len(jobs))
    helpers = [threading.Thread(target=work, name="icefloe-verify") for _ in range(count - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if broken:
        raise broken[0]
    return [failed[i] if i in failed else _joined(region, parts[i]) for i, region in enumerate(regions)]


def _at_once(jobs: Sequence[_Job]) -> int:
    """Return how many threads are worth it: those that wait for a network need no processor."""
    return _MAX_THREADS // 2 if any(job.source.is_remote for job in jobs) else os.cpu_count() or 1


def _jobs(regions: Sequence[Region]) -> list[_Job]:
    """Cut large regions into windows, and gather small ones that lie close together into one."""
    jobs: list[_Job] = []
    order = sorted(range(len(regions)), key=lambda i: (regions[i].source.path, regions[i].offset))
    for i in order:
        region = regions[i]
        end = region.offset + region.size
        if not region.size:
            continue
        last = jobs[-1] if jobs else None
        if (
            last is not None
            and last.source is region.source
            and last.start <= region.offset <= last.stop + WINDOW // 64
            and max(end, last.stop) - last.start <= WINDOW
        ):
            last.stop = max(end, last.stop)
            last.pieces.append((i, region.offset, end))
            continue
        for begin in range(region.offset, end, WINDOW):
            stop = min(begin + WINDOW, end)
            jobs.append(_Job(region.source, begin, stop, [(i, begin, stop)]))
    return jobs


def _joined(region: Region, parts: dict[int, int]) -> int:
    crc = 0
    for begin in sorted(parts):
        crc = combine(crc, parts[begin], min(WINDOW, region.offset + region.size - begin))
    return crc
