"""The bound on what one output may take, checked before numpy is asked for it.

A size that comes from data must not bring the machine down.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from icefloe import errors
from icefloe.ops.wording import numpy_name
from icefloe.shapes import shape_text

# Sizes up to this are left to numpy: asking the system for its free memory costs more than most kernels.
UNCHECKED_BYTES = 1 << 28

_MEMORY = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return how many bytes can be had now: what Linux and a control group leave, elsewhere the machine's memory."""
    limits = []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):
        lines = _MEMORY.read_text().splitlines()
        limits.extend(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    with contextlib.suppress(OSError, ValueError):  # "max" where there is no limit
        limits.append(int((_GROUP / "memory.max").read_text()) - int((_GROUP / "memory.current").read_text()))
    return max(min(limits, default=1 << 40), 0)


def check_product(shape: Iterable[int]) -> None:
    """Raise InvalidArgumentError, as TensorFlow words it where it multiplies the sizes one by one, past 2**63 - 1."""
    count = 1
    for size in shape:
        if count * size >= 2**63:
            wrapped = (count * size + 2**63) % 2**64 - 2**63
            raise errors.InvalidArgumentError(
                f"Encountered overflow when multiplying {count} with {size}, result: {wrapped}"
            )
        count *= size


def check_shape(shape: Iterable[int], dtype: np.dtype) -> tuple[int, ...]:
    """Return `shape`, the dimensions of a tensor that is about to be made, as a tuple of int.

    Raises: InvalidArgumentError for a negative dimension or more than 2**63 - 1 elements; ResourceExhaustedError for a
    tensor that the memory cannot hold.
    """
    sizes = tuple(int(size) for size in shape)
    for size in sizes:
        if size < 0:
            raise errors.InvalidArgumentError(f"Dimension {size} must be >= 0")
    count = math.prod(sizes)
    if count > 2**63 - 1:
        raise errors.InvalidArgumentError(f"Shape {shape_text(sizes)} would have more than 2**63 - 1 elements")
    wanted = count * dtype.itemsize
    if wanted > UNCHECKED_BYTES and wanted > (available := available_memory()):
        raise errors.ResourceExhaustedError(
            f"OOM when allocating tensor with shape{shape_text(sizes)} and type {numpy_name(dtype)}:"
            f" it takes {wanted:,} bytes, {available:,} are available"
        )
    return sizes
