"""Moving the bytes of large tensors between file and memory, with their CRC computed on the way while they are in
the cache.

Reading: threads take pieces in turn, each reads its piece into the caller's memory and computes the CRC of that
memory; the pieces' CRCs are then joined. Writing: a second thread copies a piece into a window of its own and
computes the CRC of that copy, the calling thread writes it; so what is stored is what was summed up, even if the
array changes meanwhile.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterator

import numpy as np

from icefloe.checkpoint.contents import as_bytes
from icefloe.checkpoint.files import Source
from icefloe.wire.crc import combine, crc32c

# A piece that fits in the second-level cache is summed up several times faster than one that does not.
PIECE = 1 << 20
# Below this a second thread costs more than it saves.
_PARALLEL_FROM = 4 << 20
_WINDOWS = 3


def read_summed(source: Source, offset: int, out: memoryview) -> int:
    """Fill `out` with the bytes at `offset` of the file; return their CRC32C.

    Raises: OutOfRangeError if the file is too short, and the system's errors.
    """
    size = len(out)
    if size < _PARALLEL_FROM:
        source.read_into(out, offset)
        return crc32c(out)
    step = source.piece
    starts = range(0, size, step)
    sums = [0] * len(starts)
    failures: list[BaseException] = []
    turns = itertools.count()

    def work() -> None:
        try:
            while (i := next(turns)) < len(starts) and not failures:
                piece = out[starts[i] : starts[i] + step]
                source.read_into(piece, offset + starts[i])
                sums[i] = crc32c(piece)
        except BaseException as e:  # carried over to the calling thread
            failures.append(e)

    helpers = [threading.Thread(target=work, name="icefloe-read") for _ in range(source.threads(size) - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    crc = 0
    for start, piece_crc in zip(starts, sums):
        crc = combine(crc, piece_crc, min(step, size - start))
    return crc


def windows(array: np.ndarray, dtype: np.dtype) -> Iterator[np.ndarray]:
    """Yield the elements of `array` in C order as contiguous pieces of at most `PIECE` bytes, of `dtype`, the same
    type in native byte order.

    A piece may be a view of the array.
    """
    if array.nbytes <= PIECE:
        if array.size:
            yield np.ascontiguousarray(array, dtype).reshape(-1)
    elif array.flags.c_contiguous:
        flat = array.reshape(-1)
        step = PIECE // array.itemsize
        for i in range(0, flat.size, step):
            yield np.ascontiguousarray(flat[i : i + step], dtype)
    else:
        rows = PIECE // (array.nbytes // len(array))
        for i in range(0, len(array), max(rows, 1)):
            yield from windows(array[i : i + rows] if rows else array[i], dtype)


def write_summed(array: np.ndarray, dtype: np.dtype, write: Callable[[memoryview], object]) -> int:
    """Write the elements of `array` in C order and native byte order with `write(bytes)`; return their CRC32C."""
    if array.nbytes < _PARALLEL_FROM:
        crc = 0
        for window in windows(array, dtype):
            data = as_bytes(window)
            crc = crc32c(data, crc)
            write(data)
        return crc
    ready: queue.SimpleQueue[tuple[np.ndarray, int] | None] = queue.SimpleQueue()
    free: queue.SimpleQueue[np.ndarray | None] = queue.SimpleQueue()
    for _ in range(_WINDOWS):
        free.put(np.empty(PIECE, np.uint8))
    result: list[int] = []
    failures: list[BaseException] = []

    def fill() -> None:
        crc = 0
        try:
            for window in windows(array, dtype):
                buffer = free.get()
                if buffer is None:  # the writer gave up
                    return
                copy = buffer[: window.nbytes]
                np.copyto(copy, window.view(np.uint8))
                crc = crc32c(copy, crc)
                ready.put((buffer, len(copy)))
            result.append(crc)
        except BaseException as e:  # carried over to the calling thread
            failures.append(e)
        finally:
            ready.put(None)

    helper = threading.Thread(target=fill, name="icefloe-write")
    helper.start()
    try:
        while (filled := ready.get()) is not None:
            buffer, size = filled
            write(buffer[:size].data)
            free.put(buffer)
    finally:
        free.put(None)
        helper.join()
    if failures:
        raise failures[0]
    return result[0]
