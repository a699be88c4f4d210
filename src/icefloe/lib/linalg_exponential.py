"""The matrix exponential.

Source: tensorflow/python/ops/linalg/linalg_impl.py (nodes and names); N. Higham, SIAM J. Matrix Anal. Appl. 26 (2005).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import math_elementwise
from icefloe.lib.array_create import fill
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import where_v2
from icefloe.lib.array_shape import reshape, shape, size
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.linalg import eye
from icefloe.lib.math_cast import cast
from icefloe.lib.math_matrix import matmul
from icefloe.lib.math_reduce import reduce_max, reduce_sum

# Coefficients of the Pade approximants by degree; the last, of x^degree, is 1.
_PADE: dict[int, list[float]] = {
    3: [120.0, 60.0, 12.0],
    5: [30240.0, 15120.0, 3360.0, 420.0, 30.0],
    7: [17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0],
    9: [17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0],
    13: [
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
    ],
}
# dtype's width -> degree without scaling and the 1-norm below which it is exact enough; then degree with it, and its
# norm.
_NARROW = ([(3, 4.258730016922831e-001), (5, 1.880152677804762e000)], 7, 3.925724783138660)
_WIDE = (
    [
        (3, 1.495585217958292e-002),
        (5, 2.539398330063230e-001),
        (7, 9.504178996162932e-001),
        (9, 2.097847961257068e000),
    ],
    13,
    5.371920351148152,
)


def matrix_exponential(input: Any, name: str | None = None) -> Tensor:
    """Return the exponential of square matrices [..., n, n]. Raises: ValueError for another dtype."""
    with name_scope(name, "matrix_exponential", [input]):
        matrix: Tensor = convert_to_tensor(input, name="input")
        if matrix.shape[-2:] == [0, 0]:
            return matrix
        batch: Any = matrix.shape[:-2]
        if not batch.is_fully_defined():
            batch = shape(matrix)[:-2]
        known = matrix.shape.is_fully_defined()
        matrix = reshape(matrix, concat(([-1], shape(matrix)[-2:]), axis=0))
        columns = reduce_sum(math_elementwise.abs(matrix), axis=size(shape(matrix)) - 2)
        norm = reduce_max(columns, axis=-1)[..., None, None]
        result = _of_batch(matrix, norm)
        if not known and not matrix.shape.is_fully_defined():
            return reshape(result, concat((batch, shape(result)[-2:]), axis=0))
        if not isinstance(batch, Tensor):
            return reshape(result, batch.concatenate(result.shape[-2:]))
        return reshape(result, concat((batch, shape(result)[-2:]), axis=0))


def _of_batch(matrix: Tensor, norm: Tensor) -> Any:
    def real(value: float) -> Tensor:
        return constant(value, norm.dtype)

    if matrix.dtype in (datatypes.float16, datatypes.float32, datatypes.complex64):
        direct, degree, most = _NARROW
    elif matrix.dtype in (datatypes.float64, datatypes.complex128):
        direct, degree, most = _WIDE
    else:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
    largest = real(most)
    steps = apply_op("Log", norm / largest) / apply_op("Log", real(2.0))
    squarings = apply_op("Maximum", math_elementwise.floor(steps), 0)
    pairs = [_pade(matrix, n) for n, _ in direct]
    scale = cast(math_elementwise.pow(real(2.0), squarings), matrix.dtype)
    pairs.append(_pade(matrix / scale, degree))

    def chosen(cases: list[Tensor], bounds: list[float]) -> Tensor:
        small = apply_op("Less", norm, real(bounds[0]))
        rest = cases[1] if len(bounds) == 1 else chosen(cases[1:], bounds[1:])
        return where_v2(small, cases[0], rest)

    bounds = [bound for _, bound in direct]
    u = chosen([pair[0] for pair in pairs], bounds)
    v = chosen([pair[1] for pair in pairs], bounds)
    finite = apply_op("IsFinite", reduce_max(norm))
    nan = constant(np.nan, matrix.dtype)
    result = cond(
        finite,
        lambda: apply_op("MatrixSolve", -u + v, u + v),
        lambda: fill(shape(matrix), nan),
    )
    most_squarings = reduce_max(squarings)
    start = real(0.0)

    def more(i: Any, _: Any) -> Any:
        return cond(finite, lambda: apply_op("Less", i, most_squarings), lambda: constant(False))

    def square(i: Any, r: Any) -> Any:
        return i + 1, where_v2(apply_op("Less", i, squarings), matmul(r, r), r)

    return while_loop(more, square, [start, result])[1]


def _pade(matrix: Tensor, degree: int) -> tuple[Tensor, Tensor]:
    """Return the odd and the even part of the approximant's numerator."""
    b = [constant(x, matrix.dtype) for x in _PADE[degree]]
    ident = eye(shape(matrix)[-2], batch_shape=shape(matrix)[:-2], dtype=matrix.dtype)
    powers = {2: matmul(matrix, matrix)}
    for n in range(4, min(degree - 1, 8) + 1, 2):
        if degree == 13 and n == 8:
            break
        powers[n] = matmul(powers[n - 2], powers[2])
    if degree == 13:
        two, four, six = powers[2], powers[4], powers[6]
        odd = matmul(six, six + b[11] * four + b[9] * two)
        odd = odd + b[7] * six + b[5] * four + b[3] * two + b[1] * ident
        u = matmul(matrix, odd)
        even = matmul(six, b[12] * six + b[10] * four + b[8] * two)
        return u, even + b[6] * six + b[4] * four + b[2] * two + b[0] * ident
    total = powers[degree - 1]
    for n in range(degree - 3, 0, -2):
        total = total + b[n + 1] * powers[n]
    u = matmul(matrix, total + b[1] * ident)
    v = b[degree - 1] * powers[degree - 1]
    for n in range(degree - 3, 0, -2):
        v = v + b[n] * powers[n]
    return u, v + b[0] * ident
