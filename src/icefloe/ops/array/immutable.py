"""ImmutableConst: a constant whose bytes are those of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.files import os_error
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.allocation import check_shape
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text


@kernel("ImmutableConst", factory=True, returns="stored")
def immutable_const(
    *, dtype: DType, shape: Dims, memory_region_name: str, manager: ResourceManager
) -> Callable[[], np.ndarray[Any, Any]]:
    """The tensor of the bytes at the start of the file `memory_region_name`, which is read once."""
    if dtype.name in ("resource", "variant"):
        raise errors.InvalidArgumentError("Resource and variant dtypes are invalid for this op.")
    kept: list[np.ndarray[Any, Any]] = []

    def run() -> np.ndarray[Any, Any]:
        if not kept:
            manager.check_file(memory_region_name, "read")
            if dtype.name == "string":
                raise errors.UnimplementedError("Sorry, DT_STRING is not currently supported for ImmutableConstOp.")
            if shape is None or None in shape:
                raise errors.InvalidArgumentError(f"shape {shape_text(shape)} is not fully known")
            kept.append(_read(memory_region_name, dtype, tuple(n or 0 for n in shape)))
        return kept[0]

    return run


def _read(path: str, dtype: DType, sizes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    count = int(np.prod(check_shape(sizes, dtype.numpy), dtype=np.int64))
    size = count * dtype.numpy.itemsize
    try:
        with open(path, "rb") as file:
            data = file.read(size)
    except OSError as error:
        raise os_error(error, path) from None
    if len(data) < size:
        raise errors.InternalError(
            f"Readonly memory region has wrong length ({len(data)}) when allocating {size}", path=path
        )
    return np.frombuffer(data, dtype.numpy, count).reshape(sizes)


@shape("ImmutableConst")
def immutable_const_shape(c: ShapeContext) -> list[Dims]:
    return [c.attr("shape")]
