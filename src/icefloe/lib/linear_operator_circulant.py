"""Operators that are convolutions: circulant in one, two or three dimensions, and Toeplitz.

Source: tensorflow/python/ops/linalg/linear_operator_circulant.py, linear_operator_toeplitz.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import checks, linalg, math_elementwise
from icefloe.lib import linear_operator_parts as parts
from icefloe.lib.array_create import ones, zeros_like
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import broadcast_dynamic_shape, broadcast_static_shape, rank, reshape, transpose
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.linear_operator import LinearOperator
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_max, reduce_min, reduce_prod, reduce_sum
from icefloe.shapes import TensorShape

_FORWARD = {1: "FFT", 2: "FFT2D", 3: "FFT3D"}
_BACKWARD = {1: "IFFT", 2: "IFFT2D", 3: "IFFT3D"}


def _as_complex(x: Any) -> Any:
    if x.dtype.is_complex:
        return x
    return cast(x, datatypes.complex128 if x.dtype == datatypes.float64 else datatypes.complex64)


def _rotated(x: Any, shift: int) -> Any:
    """Return `x` with its axes moved round by `shift`, known or not."""
    with name_scope("rotate_transpose", values=[x, shift]):
        x = convert_to_tensor(x, name="x")
        moved = convert_to_tensor(shift, name="shift")
        checks.assert_integer(moved)
        ndims = x.shape.ndims
        if ndims is not None:
            steps = int(np.sign(shift)) * (abs(shift) % max(ndims, 1))
            return x if ndims < 2 or steps == 0 else transpose(x, perm=np.roll(np.arange(ndims), steps))
        count: Any = rank(x)
        first = -shift % count if shift < 0 else count - shift % count
        return transpose(x, perm=concat([range(first, count), range(0, first)], 0))


class _Circulant(LinearOperator):
    """An operator that multiplies by `spectrum` after a Fourier transform over the last `_DEPTH` dimensions."""

    _DEPTH = 1
    _NAME = "LinearOperatorCirculant"

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any,
        is_non_singular: bool | None,
        is_self_adjoint: bool | None,
        is_positive_definite: bool | None,
        is_square: bool | None,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        self._name = name
        with name_scope(name, values=[spectrum]):
            self._spectrum = parts.as_tensor(spectrum, name="spectrum")
            ndims = self._spectrum.shape.ndims
            if ndims is not None and ndims < self._DEPTH:
                raise ValueError(
                    f"Argument `spectrum` must have at least {self._DEPTH} dimensions. Received: {self._spectrum}."
                )
            is_self_adjoint = parts.implied(
                is_self_adjoint,
                not self._spectrum.dtype.is_complex,
                "A real spectrum always corresponds to a self-adjoint operator. Expected argument `is_self_adjoint` to "
                f"be True when `spectrum.dtype.is_complex` = True. Received: {is_self_adjoint}.",
            )
            is_square = parts.implied(
                is_square,
                True,
                "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True. "
                f"Received: {is_square}.",
            )
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(datatypes.as_dtype(input_output_dtype), None, *hints, name, parameters)

    @property
    def block_depth(self) -> int:
        """The number of dimensions that are transformed."""
        return self._DEPTH

    @property
    def block_shape(self) -> TensorShape:
        """The static shape of the dimensions that are transformed."""
        known: TensorShape = self._spectrum.shape[-self._DEPTH :]
        return known

    def block_shape_tensor(self) -> Tensor:
        """Return the shape of the dimensions that are transformed."""
        return self._block_shape_tensor()

    def _block_shape_tensor(self, sizes: Any = None) -> Tensor:
        if self.block_shape.is_fully_defined():
            return parts.size_tensor(self.block_shape.as_list(), name="block_shape")
        return (shape_of(self._spectrum) if sizes is None else sizes)[-self._DEPTH :]

    @property
    def spectrum(self) -> Any:
        """The Fourier transform of the convolution's kernel."""
        return self._spectrum

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """Return the kernel of the convolution."""
        with self._scope(name):
            kernel: Tensor = cast(self._ifft(_as_complex(self._spectrum)), self.dtype)
            return kernel

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Return an operation that fails if the kernel is not real."""
        epsilon = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        with self._scope(name):
            most = epsilon * cast(self.domain_dimension_tensor(), self.dtype.real_dtype)
            imaginary = math_elementwise.imag(self.convolution_kernel())
            return checks.assert_less(math_elementwise.abs(imaginary), most, message="Spectrum was not Hermitian")

    def _made(self, spectrum: Any, hints: dict[str, Any], **more: Any) -> Any:
        return type(self)(spectrum, **hints | {"is_square": True}, **more)

    def _linop_adjoint(self) -> Any:
        spectrum = self._spectrum
        if spectrum.dtype.is_complex:
            spectrum = math_elementwise.conj(spectrum)
        return self._made(spectrum, parts.kept_hints(self))

    def _linop_inverse(self) -> Any:
        return self._made(1.0 / self._spectrum, parts.kept_hints(self), input_output_dtype=self.dtype)

    def _linop_matmul(self, left: Any, right: Any) -> Any:
        if not isinstance(right, type(self)) or not isinstance(left, type(right)):
            return super()._linop_matmul(left, right)
        return self._made(left.spectrum * right.spectrum, parts.commuting_hints(left, right))

    def _linop_solve(self, left: Any, right: Any) -> Any:
        if not isinstance(right, type(self)) or not isinstance(left, type(right)):
            return super()._linop_solve(left, right)
        return self._made(right.spectrum / left.spectrum, parts.commuting_hints(left, right))

    def _fft(self, x: Any) -> Any:
        return apply_op(_FORWARD[self._DEPTH], _as_complex(x))

    def _ifft(self, x: Any) -> Any:
        return apply_op(_BACKWARD[self._DEPTH], _as_complex(x))

    def _shape(self) -> TensorShape:
        known: TensorShape = self._spectrum.shape
        count = self.block_shape.num_elements()
        return known[: -self._DEPTH].concatenate(TensorShape([count, count]))

    def _shape_tensor(self, spectrum: Any = None) -> Tensor:
        sizes = shape_of(self._spectrum if spectrum is None else spectrum)
        batch, block = sizes[: -self._DEPTH], sizes[-self._DEPTH :]
        count = reduce_prod(block)
        return concat((batch, [count, count]), 0)

    def _assert_non_singular(self) -> Any:
        return parts.assert_no_zeros(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self) -> Any:
        said = "Not positive definite:  Real part of spectrum was not all positive."
        return checks.assert_positive(math_elementwise.real(self._spectrum), message=said)

    def _assert_self_adjoint(self) -> Any:
        said = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        return parts.assert_real(self._spectrum, said)

    def _as_blocks(self, matrix: Any) -> Any:
        """Return the columns of a matrix as batches of blocks."""
        vectors = _rotated(matrix, 1)
        if vectors.shape.is_fully_defined() and self.block_shape.is_fully_defined():
            sizes: Any = vectors.shape[:-1].concatenate(self.block_shape)
        else:
            sizes = concat((shape_of(vectors)[:-1], self.block_shape_tensor()), 0)
        return reshape(vectors, sizes)

    def _flat(self, x: Any) -> Any:
        if x.shape.is_fully_defined():
            known = x.shape.as_list()
            sizes: Any = [*known[: -self._DEPTH], int(np.prod(known[-self._DEPTH :]))]
        else:
            given = shape_of(x)
            batch, block = given[: -self._DEPTH], given[-self._DEPTH :]
            sizes = concat((batch, [reduce_prod(block)]), 0)
        return reshape(x, sizes)

    def _same_batches(self, x: Any, spectrum: Any) -> tuple[Any, Any]:
        spectrum = convert_to_tensor(spectrum, name="spectrum")
        batch = self._batch_shape_tensor(shape=self._shape_tensor(spectrum=spectrum))
        column = reshape(spectrum, concat((batch, [-1, 1]), axis=0))
        x, column = parts.broadcast_batches((x, column))
        batch = shape_of(x)[:-2]
        sizes = shape_of(spectrum)
        block = self._block_shape_tensor(sizes)
        return x, reshape(column, concat((batch, block), axis=0))

    def _transformed(self, x: Any, adjoint: bool, divide: bool) -> Any:
        spectrum = _as_complex(self._spectrum)
        if adjoint:
            spectrum = math_elementwise.conj(spectrum)
        if not divide:
            x = cast(x, spectrum.dtype)
        x, spectrum = self._same_batches(x, spectrum)
        waves = self._fft(self._as_blocks(x))
        made = self._ifft(waves / spectrum if divide else spectrum * waves)
        return cast(_rotated(self._flat(made), -1), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = linalg.adjoint(x) if adjoint_arg else x
        return self._transformed(x, adjoint, divide=False)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = linalg.adjoint(rhs) if adjoint_arg else rhs
        return self._transformed(rhs, adjoint, divide=True)

    def _block_axes(self) -> list[int]:
        return [-(i + 1) for i in np.arange(self._DEPTH).tolist()]

    def _cond(self) -> Any:
        magnitude = math_elementwise.abs(self._flat(self._spectrum))
        return reduce_max(magnitude, axis=-1) / reduce_min(magnitude, axis=-1)

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._flat(self._spectrum))

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._spectrum, axis=self._block_axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        logarithm = apply_op("Log", math_elementwise.abs(self._spectrum))
        return cast(reduce_sum(logarithm, axis=self._block_axes()), self.dtype)

    def _diag_part(self) -> Any:
        if self.shape.is_fully_defined():
            sizes: Any = self.shape[:-1]
            count: Any = self.domain_dimension.value
        else:
            sizes = self.shape_tensor()[:-1]
            count = self.domain_dimension_tensor()
        full = ones(sizes, dtype=self.dtype)
        value = self.trace() / cast(count, self.dtype)
        return value[..., None] * full

    def _trace(self) -> Any:
        axis: Any
        if self._spectrum.shape.is_fully_defined():
            ndims = self._spectrum.shape.ndims
            axis = np.arange(ndims - self._DEPTH, ndims, dtype=np.int32)
        else:
            count: Any = rank(self._spectrum)
            axis = range(count - self._DEPTH, count)
        real = reduce_sum(math_elementwise.real(self._spectrum), axis=axis)
        if not self.dtype.is_complex:
            return cast(real, self.dtype)
        if self.is_self_adjoint:
            imaginary = zeros_like(real)
        else:
            imaginary = reduce_sum(math_elementwise.imag(self._spectrum), axis=axis)
        return cast(math_elementwise.complex(real, imaginary), self.dtype)


class LinearOperatorCirculant(_Circulant):
    """The circulant matrix whose kernel has the Fourier transform `spectrum`; input_output_dtype: of its elements."""

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = datatypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        given = dict(locals())
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, *hints, name, given)


class LinearOperatorCirculant2D(_Circulant):
    """The block circulant matrix of circulant blocks whose kernel has the Fourier transform `spectrum`, [..., m, n]."""

    _DEPTH = 2

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = datatypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        given = dict(locals())
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, *hints, name, given)


class LinearOperatorCirculant3D(_Circulant):
    """The nested block circulant matrix whose kernel has the Fourier transform `spectrum`, [..., l, m, n]."""

    _DEPTH = 3

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = datatypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        given = dict(locals())
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, *hints, name, given)


class LinearOperatorToeplitz(LinearOperator):
    """The matrix of first column `col` and first row `row` that is constant along its diagonals.

    Raises: ValueError if their lengths differ.
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, values=[row, col]):
            self._row = parts.as_tensor(row, name="row")
            self._col = parts.as_tensor(col, name="col")
            for word, tensor in (("row", self._row), ("col", self._col)):
                if tensor.shape.ndims is not None and tensor.shape.ndims < 1:
                    raise ValueError(f"Argument {word} must have at least 1 dimension.  Found: {tensor}")
            sizes = {t.shape.as_list()[-1] for t in (self._row, self._col) if t.shape.ndims}
            if len(sizes - {None}) > 1:
                raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
            is_square = parts.implied(is_square, True, "Only square Toeplitz operators currently supported.")
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(self._row.dtype, None, *hints, name, parameters)

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        known = broadcast_static_shape(self._row.shape, self._col.shape)
        return known.concatenate(known[-1:])

    def _shape_tensor(self, row: Any = None, col: Any = None) -> Tensor:
        row = self._row if row is None else row
        col = self._col if col is None else col
        sizes = broadcast_dynamic_shape(shape_of(row), shape_of(col))
        return concat((sizes, [sizes[-1]]), 0)

    def _assert_self_adjoint(self) -> Any:
        said = "row and col are not the same, and so this operator is not self-adjoint."
        return checks.assert_equal(self._row, self._col, message=said)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """Multiply as a corner of a circulant matrix twice as large."""
        x = linalg.adjoint(x) if adjoint_arg else x
        longer = concat([x, zeros_like(x)], axis=-2)
        col, row = convert_to_tensor(self._col), convert_to_tensor(self._row)
        gap = zeros_like(col[..., 0:1])
        circular = concat([col, gap, apply_op("ReverseV2", row[..., 1:], axis=[-1])], axis=-1)
        wide = row.dtype in (datatypes.float64, datatypes.complex128)
        circular = cast(circular, datatypes.complex128 if wide else datatypes.complex64)
        operator = LinearOperatorCirculant(apply_op("FFT", circular), input_output_dtype=row.dtype)
        product = operator.matmul(longer, adjoint=adjoint, adjoint_arg=False)
        sizes = self._shape_tensor(row=row, col=col)
        return cast(product[..., : self._domain_dimension_tensor(shape=sizes), :], self.dtype)

    def _trace(self) -> Any:
        return cast(self.domain_dimension_tensor(), dtype=self.dtype) * self._col[..., 0]

    def _diag_part(self) -> Any:
        return self._col[..., 0:1] * ones([self.domain_dimension_tensor()], self.dtype)

    def _to_dense(self) -> Any:
        row, col = convert_to_tensor(self._row), convert_to_tensor(self._col)
        sizes = broadcast_dynamic_shape(shape_of(row), shape_of(col))
        n = shape_of(row)[-1]
        row = apply_op("BroadcastTo", row, sizes)
        col = apply_op("BroadcastTo", col, sizes)
        elements = concat([apply_op("ReverseV2", col, axis=[-1]), row[..., 1:]], axis=-1)
        places = range(0, n) + range(n - 1, -1, -1)[..., None]
        return gather(elements, apply_op("FloorMod", places, 2 * n - 1, name="mod"), axis=-1)
