"""SobolSample: points that fill the unit cube evenly, with the direction numbers of Joe and Kuo.

Source: tensorflow/core/kernels/sobol_op.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, with_rank
from icefloe.ops.allocation import check_shape

_MOST_DIMENSIONS = 21200
_INT32_MAX = 2**31 - 1
_BITS = 32


@kernel("SobolSample")
def sobol_sample(dim: Any, num_results: Any, skip: Any, *, dtype: DType) -> Any:
    """Return points [num_results, dim] of the Sobol sequence; the first is that with the number `skip` + 1."""
    for name, value in (("dim", dim), ("num_results", num_results), ("skip", skip)):
        if np.ndim(value):
            raise errors.InvalidArgumentError(f"{name} must be a scalar")
    dim, count, skip = int(dim), int(num_results), int(skip)
    if dim < 1:
        raise errors.InvalidArgumentError("dim must be at least one")
    if dim > _MOST_DIMENSIONS:
        raise errors.InvalidArgumentError(f"dim must be at most {_MOST_DIMENSIONS}")
    if count < 1:
        raise errors.InvalidArgumentError("num_results must be at least one")
    if skip < 0:
        raise errors.InvalidArgumentError("skip must be non-negative")
    if count >= _INT32_MAX - skip:
        raise errors.InvalidArgumentError(f"num_results+skip must be less than {_INT32_MAX}")
    if count >= _INT32_MAX // dim:
        raise errors.InvalidArgumentError(f"num_results*dim must be less than {_INT32_MAX}")
    check_shape((count, dim), np.dtype(np.float64))
    from scipy.stats import qmc  # takes a second to import

    points = qmc.Sobol(dim, scramble=False, bits=_BITS).fast_forward(skip + 1).random(count)
    return points.astype(dtype.numpy, copy=False)


@shape("SobolSample")
def sobol_sample_shape(c: ShapeContext) -> list[Dims]:
    """[num_results, dim]."""
    for i in range(3):
        with_rank(c.shape(i), 0)
    dim, count = c.constant(0), c.constant(1)
    return [(None if count is None else int(count), None if dim is None else int(dim))]
