"""What ops on tables share: the table behind a handle, its dtypes. Registers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.shape_inference import ShapeContext, merge, with_rank
from icefloe.ops.wording import dtype_name
from icefloe.resources.table import Table


def table_of(handle: Any) -> Table:
    """Return the table behind a handle. Raises: InvalidArgumentError if it is something else."""
    if isinstance(handle, Table):
        return handle
    if isinstance(handle, np.ndarray) and handle.ndim == 0 and isinstance(handle[()], Table):
        found: Table = handle[()]
        return found
    raise errors.InvalidArgumentError(f"Expected the handle of a lookup table, got {type(handle).__name__}")


def check_signature(
    table: Table, given: Sequence[DType], outputs: Sequence[DType] = (), *, values: bool = True
) -> None:
    """Raise InvalidArgumentError if an op's dtypes are not those of the table.

    given: dtypes of the inputs, the handle's first. values: whether it takes values and not keys only.
    """
    expected = [given[0], table.key_dtype, *([table.value_dtype] if values else [])]
    made = [table.value_dtype] if outputs else []
    if list(given) != expected or list(outputs) != made:
        have, want = (
            f"{', '.join(map(dtype_name, i))}->{', '.join(map(dtype_name, o))}"
            for i, o in ((given, outputs), (expected, made))
        )
        raise errors.InvalidArgumentError(f"Signature mismatch, have: {have} expected: {want}")


def check_reference(c: ShapeContext) -> None:
    """Raise InvalidArgumentError if input 0 is known to be no vector of two, as a reference to a table is."""
    merge(with_rank(c.shape(0), 1), (2,))
