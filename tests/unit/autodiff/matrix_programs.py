"""Programs of `gradient_programs`: functions of matrices, images and volumes, and second derivatives."""

from __future__ import annotations


def _second(norm: str, derivative: str) -> str:
    """Return a gradient of batch normalization squared and added up, whose own gradient is a second derivative."""
    return f"tf.square(tf.gradients(tf.sin({norm}), [{derivative}])[0])"


_V3 = "tf.compat.v1.nn.fused_batch_norm(img, row[:2], row[1:]"

PROGRAMS: dict[str, tuple[str, str]] = {
    "matrix_square_root": ("tf.raw_ops.MatrixSquareRoot(input=spd)", "spd"),
    "matrix_square_root.one": ("tf.raw_ops.MatrixSquareRoot(input=sq[0])", "sq"),
    "lstsq.tall": ("tf.raw_ops.MatrixSolveLs(matrix=sq[:, :, :2], rhs=rhs, l2_regularizer=0.25)", "sq rhs"),
    "lstsq.wide": ("tf.raw_ops.MatrixSolveLs(matrix=sq[:, :2, :], rhs=rhs[:, :2], l2_regularizer=0.25)", "sq rhs"),
    "tridiagonal_solve": ("tf.raw_ops.TridiagonalSolve(diagonals=sq, rhs=rhs)", "sq rhs"),
    "banded_solve": ("tf.raw_ops.BandedTriangularSolve(matrix=sq[:, :2], rhs=rhs)", "sq rhs"),
    "banded_solve.upper": (
        "tf.raw_ops.BandedTriangularSolve(matrix=sq[0, :2], rhs=rhs, lower=False, adjoint=True)",
        "sq rhs",
    ),
    "eigenvalues": (
        "tf.math.real(tf.reduce_sum(tf.pow(tf.raw_ops.Eig(input=sq, compute_v=False, Tout=tf.complex64).e, 3), -1))",
        "sq",
    ),
    "eig": ("tf.reduce_sum(tf.pow(tf.abs(tf.raw_ops.Eig(input=sq, Tout=tf.complex64).v), 3), [1, 2])", "sq"),
    "isotonic": ("tf.raw_ops.IsotonicRegression(input=z, output_dtype=tf.float32).output", "z"),
    "rgb_to_hsv": ("tf.image.rgb_to_hsv(tf.stack([x, y, x * y + 0.1], -1))", "x y"),
    "rgb_to_hsv.ties": ("tf.image.rgb_to_hsv(tf.stack([x, x, y], -1) * [1.0, 1.0, 0.0])", "x y"),
    "projective": (
        "tf.raw_ops.ImageProjectiveTransformV2(images=img, transforms=[[1.1, 0.2, -0.5, 0.1, 0.9, 0.3, 0.01, 0.02]], "
        "output_shape=[5, 7], interpolation='BILINEAR')",
        "img",
    ),
    "projective.v3": (
        "tf.raw_ops.ImageProjectiveTransformV3(images=img, transforms=[[0.9, 0.1, 0.5, 0.0, 1.2, 0.3, 0.0, 0.0]], "
        "output_shape=[6, 6], fill_value=0.5, interpolation='NEAREST', fill_mode='REFLECT')",
        "img",
    ),
    "volume_patches": (
        "tf.raw_ops.ExtractVolumePatches(input=vol, ksizes=[1, 2, 3, 2, 1], strides=[1, 1, 2, 2, 1], padding='SAME')",
        "vol",
    ),
    "batch_norm.second": (_second(_V3 + ")[0]", "img"), "img row"),
    "batch_norm.second.scale": (_second(_V3 + ", epsilon=0.1)[0]", "row"), "img row"),
    "batch_norm.second.fixed": (
        _second(_V3 + ", mean=row[:2], variance=row[1:], is_training=False)[0]", "img"),
        "img row",
    ),
}
