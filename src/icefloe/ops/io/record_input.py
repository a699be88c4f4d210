"""RecordInput: batches of records of TFRecord files, file after file, for ever and in a random order.

Source: tensorflow/core/kernels/record_input_op.cc, record_yielder.cc. The order is not TensorFlow's, which depends on
its threads: it is drawn from the op's seed.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.io.paths import matching_paths
from icefloe.resources import ResourceManager
from icefloe.resources.datasets.record_files import Records
from icefloe.shapes import Dims


class _Yielder:
    """The records of all epochs, each drawn from a buffer that the files keep filled."""

    def __init__(self, draw: Iterator[bytes]) -> None:
        self._draw = draw
        self._lock = threading.Lock()

    def take(self, count: int) -> list[bytes]:
        with self._lock:
            return [next(self._draw) for _ in range(count)]


def _epoch(paths: list[str], compression: str, manager: ResourceManager) -> Iterator[bytes]:
    for path in paths:
        manager.check_file(path, "read")
        records = Records(path, compression)
        try:
            while (record := records.read()) is not None:
                yield record
        finally:
            records.close()


def _forever(
    pattern: str, seed: int, shift: float, buffered: int, compression: str, manager: ResourceManager
) -> Iterator[bytes]:
    chance = random.Random(seed)
    while True:
        paths = [path for part in pattern.split(",") for path in matching_paths(part)]
        if not paths:
            raise errors.NotFoundError(f"Found no files at {pattern}")
        chance.shuffle(paths)
        if 0 <= shift < 1:
            first = int(shift * len(paths))
            paths = paths[first:] + paths[:first]
        held: list[bytes] = []
        given = 0
        for record in _epoch(paths, compression, manager):
            held.append(record)
            if len(held) >= max(buffered, 1):
                yield _drawn(held, chance)
                given += 1
        while held:
            yield _drawn(held, chance)
            given += 1
        if not given:
            raise errors.OutOfRangeError(f"The files at {pattern} hold no records")


def _drawn(held: list[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(held))
    held[at], held[-1] = held[-1], held[at]
    return held.pop()


@kernel("RecordInput", factory=True)
def record_input(
    *,
    file_pattern: str,
    file_random_seed: int,
    file_shuffle_shift_ratio: float,
    file_buffer_size: int,
    file_parallelism: int,
    batch_size: int,
    compression_type: str,
    manager: ResourceManager,
    node: str,
) -> Callable[[], Any]:
    """The next `batch_size` records of the files that match `file_pattern`, patterns apart by commas."""
    if file_parallelism < 0:
        raise errors.InvalidArgumentError(f"file_parallelism should >= 0, got {file_parallelism}")
    if batch_size < 0:
        raise errors.InvalidArgumentError(f"batch_size must be non-negative but got {batch_size}")

    def make() -> _Yielder:
        return _Yielder(
            _forever(
                file_pattern, file_random_seed, file_shuffle_shift_ratio, file_buffer_size, compression_type, manager
            )
        )

    def run() -> Any:
        records = np.empty(batch_size, object)
        records[:] = manager.lookup_or_create("", f"\0records {node}", _Yielder, make).take(batch_size)
        return records

    return run


@shape("RecordInput")
def record_input_shape(c: ShapeContext) -> list[Dims]:
    size = c.attr("batch_size")
    return [(size if size >= 0 else None,)]
