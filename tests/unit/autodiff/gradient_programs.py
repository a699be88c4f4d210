"""Expressions, and what TensorFlow makes of their gradients.

Each program is an expression of the inputs it names. fixtures/make/gradients.py differentiates them on TensorFlow and
writes fixtures/gradients/expressions.zip: the gradients' values and the graph's nodes, once with known shapes and once with
unknown ones; the tests hold icefloe's against those.
"""

from __future__ import annotations

import io
import json
import re
import runpy
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "gradients" / "expressions.zip"
MODES = ("known", "unknown")


def _numbers(shape: list[int], low: float, high: float, seed: int) -> Any:
    return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


_SQUARE = _numbers([2, 3, 3], -0.5, 0.5, 5)

INPUTS: dict[str, Any] = {
    "x": _numbers([2, 3], 0.15, 0.85, 1),
    "y": _numbers([2, 3], 0.2, 0.9, 2),
    "z": _numbers([2, 3], -2.0, 2.0, 3),
    "big": _numbers([2, 3], 1.5, 4.0, 4),
    "row": _numbers([3], 0.2, 0.9, 6),
    "col": _numbers([2, 1], 0.2, 0.9, 7),
    "one": np.float32(0.7),
    "m": _numbers([3, 4], -1.0, 1.0, 8),
    "cube": _numbers([2, 3, 4], -1.0, 1.0, 9),
    "cube2": _numbers([2, 4, 2], -1.0, 1.0, 10),
    "sq": _SQUARE + 2 * np.eye(3, dtype=np.float32),
    "spd": _SQUARE @ _SQUARE.transpose(0, 2, 1) + 2 * np.eye(3, dtype=np.float32),
    "rhs": _numbers([2, 3, 2], -1.0, 1.0, 11),
    "img": _numbers([1, 6, 6, 2], -1.0, 1.0, 12),
    "k": _numbers([3, 3, 2, 3], -1.0, 1.0, 13),
    "vol": _numbers([1, 4, 4, 4, 1], -1.0, 1.0, 14),
    "k3": _numbers([2, 2, 2, 1, 2], -1.0, 1.0, 15),
    "rows": _numbers([5, 2], -1.0, 1.0, 16),
    "d": _numbers([2, 3], 0.2, 0.8, 17).astype(np.float64),
    "c": (_numbers([2, 3], -1, 1, 18) + 1j * _numbers([2, 3], -1, 1, 19)).astype(np.complex64),
}

# name -> (expression, inputs)
PROGRAMS: dict[str, tuple[str, str]] = {
    **{
        name: (f"tf.{name}(x)", "x")
        for name in [
            "square",
            "sqrt",
            "rsqrt",
            "exp",
            "log",
            "log1p",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "atanh",
            "sigmoid",
            "erf",
            "erfc",
            "abs",
            "negative",
            "sign",
            "reciprocal",
            "floor",
            "round",
            "lgamma",
            "digamma",
            "identity",
            "zeros_like",
        ]
    },
    **{
        f"math.{name}": (f"tf.math.{name}(x)", "x") for name in ["expm1", "erfinv", "ndtri", "bessel_i0e", "bessel_i1e"]
    },
    **{
        f"special.{name}": (f"tf.math.special.{name}(x)", "x")
        for name in [
            "dawsn",
            "expint",
            "fresnel_cos",
            "fresnel_sin",
            "spence",
            "bessel_i0",
            "bessel_i1",
            "bessel_k0",
            "bessel_k0e",
            "bessel_k1",
            "bessel_k1e",
            "bessel_j0",
            "bessel_j1",
            "bessel_y0",
            "bessel_y1",
        ]
    },
    "acosh": ("tf.acosh(big)", "big"),
    **{
        f"nn.{name}": (f"tf.nn.{name}(z)", "z")
        for name in [
            "relu",
            "relu6",
            "elu",
            "selu",
            "softplus",
            "softsign",
            "leaky_relu",
            "softmax",
            "log_softmax",
            "l2_loss",
            "crelu",
            "swish",
        ]
    },
    **{
        f"second.{name}": (f"tf.gradients({expression}, x)[0]", "x")
        for name, expression in {
            "tanh": "tf.tanh(x)",
            "sigmoid": "tf.sigmoid(x)",
            "sqrt": "tf.sqrt(x)",
            "rsqrt": "tf.rsqrt(x)",
            "reciprocal": "tf.reciprocal(x)",
            "softplus": "tf.nn.softplus(x)",
            "elu": "tf.nn.elu(x - 0.5)",
            "selu": "tf.nn.selu(x - 0.5)",
            "relu": "tf.nn.relu(x) * x",
            "softmax": "tf.nn.softmax(x) * x",
            "matmul": "tf.reduce_sum(tf.square(tf.matmul(x, x, transpose_b=True)))",
            "cross_entropy": "tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=tf.stop_gradient(x))",
        }.items()
    },
    **{
        f"{name}.{other}": (f"tf.{name}({expression})", f"x {other}")
        for name in [
            "add",
            "subtract",
            "multiply",
            "divide",
            "maximum",
            "minimum",
            "squared_difference",
            "pow",
            "floormod",
            "atan2",
            "div_no_nan",
        ]
        for other, expression in {"y": "x, y", "row": "x, row", "col": "col, x", "one": "x, one"}.items()
    },
    "realdiv": ("x / y", "x y"),
    "xlogy": ("tf.math.xlogy(x, row)", "x row"),
    "xlog1py": ("tf.math.xlog1py(x, row)", "x row"),
    "xdivy": ("tf.math.xdivy(x, row)", "x row"),
    "mul_no_nan": ("tf.math.multiply_no_nan(x, row)", "x row"),
    "igamma": ("tf.igamma(big, x)", "big x"),
    "igammac": ("tf.igammac(big, x)", "big x"),
    "betainc": ("tf.betainc(big, big, x)", "big x"),
    "zeta": ("tf.zeta(big, x)", "big x"),
    "polygamma": ("tf.polygamma(tf.ones_like(x), x)", "x"),
    "add_n": ("tf.add_n([x, y, x])", "x y"),
    "used_often": ("x * x + tf.sin(x) - x / y + x", "x y"),
    "where": ("tf.where(x > 0.5, x, y)", "x y"),
    "where_v2": ("tf.where_v2(x > 0.5, x, row)", "x row"),
    "clip": ("tf.clip_by_value(x, 0.3, 0.6)", "x"),
    "clip_norm": ("tf.clip_by_norm(x, 0.5)", "x"),
    "cast": ("tf.cast(x, tf.float64) * d", "x d"),
    "cast_int": ("tf.cast(tf.cast(x * 5.0, tf.int32), tf.float32) + x", "x"),
    "complex": ("tf.real(tf.complex(x, y) * tf.conj(tf.complex(y, x)))", "x y"),
    "complex_abs": ("tf.abs(tf.complex(x, y))", "x y"),
    "angle": ("tf.angle(tf.complex(x, y))", "x y"),
    "complex_exp": ("tf.imag(tf.exp(c) * tf.square(c))", "c"),
    "complex_matmul": ("tf.real(tf.matmul(c, c, adjoint_b=True))", "c"),
    **{
        f"reduce_{name}.{key}": (f"tf.reduce_{name}({call})", "cube")
        for name in ["sum", "mean", "max", "min", "prod", "logsumexp"]
        for key, call in {
            "all": "cube",
            "axis": "cube, 1",
            "axes": "cube, [0, 2], keepdims=True",
            "last": "cube, -1",
        }.items()
    },
    "euclidean_norm": ("tf.math.reduce_euclidean_norm(cube, 1)", "cube"),
    "euclidean_norm.keep": ("tf.math.reduce_euclidean_norm(cube, [0, 2], keepdims=True)", "cube"),
    "sum.dims": ("tf.reduce_sum(cube, [-1, 0])", "cube"),
    "reduce_std": ("tf.math.reduce_std(cube, 1)", "cube"),
    "cumsum": ("tf.cumsum(x, 1, exclusive=True)", "x"),
    "cumprod": ("tf.cumprod(x, 1, reverse=True)", "x"),
    "cumulative_logsumexp": ("tf.math.cumulative_logsumexp(x, 1)", "x"),
    "argmax": ("tf.cast(tf.argmax(x, 1), tf.float32) + tf.reduce_sum(x, 1)", "x"),
    "segment_sum": ("tf.segment_sum(rows, [0, 0, 1, 1, 2])", "rows"),
    "segment_mean": ("tf.segment_mean(rows, [0, 0, 1, 1, 2])", "rows"),
    "segment_max": ("tf.segment_max(rows, [0, 0, 1, 1, 2])", "rows"),
    "segment_min": ("tf.segment_min(rows, [0, 0, 1, 1, 2])", "rows"),
    "segment_prod": ("tf.segment_prod(rows, [0, 0, 1, 1, 2])", "rows"),
    **{
        f"unsorted_segment_{name}": (f"tf.math.unsorted_segment_{name}(rows, [2, 0, -1, 0, 2], 3)", "rows")
        for name in ["sum", "mean", "max", "min", "prod", "sqrt_n"]
    },
    **{
        f"sparse_segment_{name}": (f"tf.sparse_segment_{name}(rows, [0, 2, 2, 4], [0, 0, 1, 1])", "rows")
        for name in ["sum", "mean", "sqrt_n"]
    },
    "matmul": ("tf.matmul(x, m)", "x m"),
    "matmul.ta": ("tf.matmul(x, y, transpose_a=True)", "x y"),
    "matmul.tb": ("tf.matmul(x, y, transpose_b=True)", "x y"),
    "matmul.tab": ("tf.matmul(m, x, transpose_a=True, transpose_b=True)", "m x"),
    "matvec": ("tf.linalg.matvec(x, row)", "x row"),
    "batch_matmul": ("tf.matmul(cube, cube2)", "cube cube2"),
    "batch_matmul.adj": ("tf.matmul(cube, cube, adjoint_a=True)", "cube"),
    "batch_matmul.broadcast": ("tf.matmul(sq, m)", "sq m"),
    "tensordot": ("tf.tensordot(cube, m, [[1], [0]])", "cube m"),
    "einsum": ("tf.einsum('bij,bjk->bik', cube, cube2)", "cube cube2"),
    "einsum.reduce": ("tf.einsum('bij,bjk->b', cube, cube2)", "cube cube2"),
    "einsum.dots": ("tf.einsum('...ij,jk->...ik', cube, cube2[0])", "cube cube2"),
    "einsum.diagonal": ("tf.einsum('bii->bi', sq)", "sq"),
    "einsum.sum": ("tf.einsum('bij->j', cube)", "cube"),
    "cross": ("tf.linalg.cross(x, y)", "x y"),
    "reshape": ("tf.reshape(x, [3, 2])", "x"),
    "transpose": ("tf.transpose(cube, [2, 0, 1])", "cube"),
    "expand_dims": ("tf.expand_dims(x, 1)", "x"),
    "squeeze": ("tf.squeeze(col, 1)", "col"),
    "concat": ("tf.concat([x, y, x], 1)", "x y"),
    "concat.0": ("tf.concat([x, y], 0)", "x y"),
    "concat.many": ("tf.concat([x] * 17, -1)", "x"),
    "stack": ("tf.stack([x, y], 1)", "x y"),
    "unstack": ("tf.unstack(x, num=3, axis=1)[1]", "x"),
    "split": ("tf.split(x, 3, 1)[0]", "x"),
    "split_v": ("tf.split(cube, [1, 3], 2)[1]", "cube"),
    "slice": ("tf.slice(cube, [0, 1, 1], [2, 1, 2])", "cube"),
    "strided": ("cube[:, ::-2, 1:3]", "cube"),
    "strided.newaxis": ("cube[0, tf.newaxis, ..., 2]", "cube"),
    "pad": ("tf.pad(x, [[1, 0], [2, 1]])", "x"),
    "pad_v2": ("tf.pad(x, [[1, 0], [2, 1]], constant_values=3.0)", "x"),
    "mirror_pad": ("tf.pad(x, [[1, 1], [1, 2]], 'REFLECT')", "x"),
    "tile": ("tf.tile(x, [2, 3])", "x"),
    "broadcast_to": ("tf.broadcast_to(row, [2, 3])", "row"),
    "reverse": ("tf.reverse(x, [1])", "x"),
    "reverse_sequence": ("tf.reverse_sequence(cube, [2, 3], 1)", "cube"),
    "roll": ("tf.roll(x, 1, 1)", "x"),
    "gather": ("tf.gather(rows, [0, 3, 0])", "rows"),
    "gather.axis": ("tf.gather(cube, [2, 0, 2], axis=1)", "cube"),
    "gather.batch": ("tf.gather(cube, [[0, 2], [1, 1]], axis=1, batch_dims=1)", "cube"),
    "gather_nd": ("tf.gather_nd(cube, [[0, 1], [1, 2], [0, 1]])", "cube"),
    "gather_nd.rows": ("tf.gather_nd(rows, [[0], [3]])", "rows"),
    "gather.twice": ("tf.gather(rows, [0, 1]) + tf.gather(rows, [1, 4])", "rows"),
    "gather.dense": ("tf.gather(rows, [0, 1]) * tf.reduce_sum(rows)", "rows"),
    "scatter_nd": ("tf.scatter_nd([[1], [3]], x, [5, 3])", "x"),
    "tensor_scatter_update": ("tf.tensor_scatter_nd_update(rows, [[1], [3]], tf.transpose(x)[:2])", "rows x"),
    "tensor_scatter_add": ("tf.tensor_scatter_nd_add(rows, [[1], [3]], x[:, :2])", "rows x"),
    "tensor_scatter_max": ("tf.tensor_scatter_nd_max(rows, [[1], [3]], x[:, :2])", "rows x"),
    "dynamic_partition": ("tf.concat(tf.dynamic_partition(rows, [0, 1, 0, 1, 1], 2), 0)", "rows"),
    "dynamic_stitch": ("tf.dynamic_stitch([[0, 2], [1, 3]], [x, y])", "x y"),
    "space_to_batch_nd": ("tf.space_to_batch_nd(img, [2, 2], [[0, 0], [0, 0]])", "img"),
    "space_to_depth": ("tf.space_to_depth(img, 2)", "img"),
    "depth_to_space": ("tf.depth_to_space(tf.space_to_depth(img, 2), 2) * img", "img"),
    "extract_patches": ("tf.extract_image_patches(img, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME')", "img"),
    "diag": ("tf.diag(row)", "row"),
    "diag_part": ("tf.diag_part(sq[0])", "sq"),
    "matrix_diag": ("tf.matrix_diag(x)", "x"),
    "matrix_diag_part": ("tf.matrix_diag_part(sq)", "sq"),
    "matrix_set_diag": ("tf.matrix_set_diag(sq, x)", "sq x"),
    "matrix_band_part": ("tf.matrix_band_part(sq, 1, 0)", "sq"),
    "top_k": ("tf.nn.top_k(x, 2)[0]", "x"),
    "nth_element": ("tf.raw_ops.NthElement(input=x, n=1)", "x"),
    "inverse": ("tf.matrix_inverse(sq)", "sq"),
    "det": ("tf.matrix_determinant(sq)", "sq"),
    "logdet": ("tf.linalg.slogdet(sq)[1]", "sq"),
    "cholesky": ("tf.cholesky(spd)", "spd"),
    "solve": ("tf.matrix_solve(sq, rhs)", "sq rhs"),
    "solve.adjoint": ("tf.matrix_solve(sq, rhs, adjoint=True)", "sq rhs"),
    "triangular_solve": ("tf.matrix_triangular_solve(sq, rhs)", "sq rhs"),
    "svd": ("tf.svd(sq, compute_uv=False)", "sq"),
    "eigh": ("tf.self_adjoint_eig(spd)[0]", "spd"),
    "trace": ("tf.trace(sq)", "sq"),
    "norm": ("tf.norm(x, axis=1)", "x"),
    "l2_normalize": ("tf.nn.l2_normalize(x, 1)", "x"),
    "moments": ("tf.nn.moments(x, [0])[1]", "x"),
    "bias_add": ("tf.nn.bias_add(x, row)", "x row"),
    "softmax_cross_entropy": ("tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=z)", "x z"),
    "sparse_cross_entropy": ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=z)", "z"),
    "sigmoid_cross_entropy": ("tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=z)", "x z"),
    "conv2d": ("tf.nn.conv2d(img, k, strides=[1, 2, 2, 1], padding='SAME')", "img k"),
    "conv2d.dilated": ("tf.nn.conv2d(img, k, strides=1, padding='VALID', dilations=2)", "img k"),
    "conv2d_transpose": ("tf.nn.conv2d_transpose(img, tf.transpose(k, [0, 1, 3, 2]), [1, 6, 6, 3], 1)", "img k"),
    "depthwise_conv2d": ("tf.nn.depthwise_conv2d(img, k, [1, 1, 1, 1], 'SAME')", "img k"),
    "conv3d": ("tf.nn.conv3d(vol, k3, [1, 1, 1, 1, 1], 'SAME')", "vol k3"),
    "max_pool": ("tf.nn.max_pool(img, 2, 2, 'SAME')", "img"),
    "avg_pool": ("tf.nn.avg_pool(img, 3, 2, 'VALID')", "img"),
    "max_pool3d": ("tf.nn.max_pool3d(vol, 2, 2, 'SAME')", "vol"),
    "avg_pool3d": ("tf.nn.avg_pool3d(vol, 2, 2, 'SAME')", "vol"),
    "max_pool_argmax": ("tf.nn.max_pool_with_argmax(img, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')[0]", "img"),
    "dilation2d": ("tf.nn.dilation2d(img, k[:, :, :, 0], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')", "img k"),
    "lrn": ("tf.nn.lrn(img, 2, alpha=0.3)", "img"),
    "batch_norm": ("tf.nn.fused_batch_norm(img, [0.5, 1.5], [0.1, 0.2])[0]", "img"),
    "batch_norm.inference": (
        "tf.nn.fused_batch_norm(img, row[:2], col[:, 0], [0.1, 0.2], [0.9, 1.1], is_training=False)[0]",
        "img row col",
    ),
    "batch_normalization": ("tf.nn.batch_normalization(x, row, row, None, row, 1e-3)", "x row"),
    "resize_bilinear": ("tf.image.resize_bilinear(img, [4, 9])", "img"),
    "resize_bicubic": ("tf.image.resize_bicubic(img, [4, 9])", "img"),
    "resize_nearest": ("tf.image.resize_nearest_neighbor(img, [4, 9])", "img"),
    **{
        f"raw.{name}": (f"tf.raw_ops.{call}", inputs)
        for name, call, inputs in (
            ("add", "Add(x=x, y=row)", "x row"),
            ("div", "Div(x=x, y=row)", "x row"),
            ("truncate_div", "TruncateDiv(x=x, y=row)", "x row"),
            ("next_after", "NextAfter(x1=x, x2=y)", "x y"),
            ("inv", "Inv(x=x)", "x"),
            ("batch_matmul", "BatchMatMul(x=cube, y=cube2)", "cube cube2"),
            ("batch_matmul_v3", "BatchMatMulV3(x=cube, y=cube2, Tout=tf.float32)", "cube cube2"),
            ("concat", "Concat(concat_dim=1, values=[x, y])", "x y"),
            ("bias_add_v1", "BiasAddV1(value=x, bias=row)", "x row"),
            ("clip", "ClipByValue(t=x, clip_value_min=0.3, clip_value_max=0.6)", "x"),
            ("ensure_shape", "EnsureShape(input=x, shape=[2, 3])", "x"),
            ("fill", "Fill(dims=[2, 2], value=one)", "one"),
            ("gather", "Gather(params=rows, indices=[[0, 3], [1, 0]])", "rows"),
            ("identity_n", "IdentityN(input=[x, y])[1]", "x y"),
            ("matrix_diag", "MatrixDiag(diagonal=x)", "x"),
            ("matrix_diag_part", "MatrixDiagPart(input=sq)", "sq"),
            ("matrix_diag_v2", "MatrixDiagV2(diagonal=x, k=0, num_rows=-1, num_cols=-1, padding_value=0.0)", "x"),
            ("matrix_diag_part_v2", "MatrixDiagPartV2(input=sq, k=1, padding_value=0.0)", "sq"),
            ("matrix_set_diag", "MatrixSetDiag(input=sq, diagonal=x)", "sq x"),
            ("matrix_set_diag_v2", "MatrixSetDiagV2(input=sq, diagonal=x, k=0)", "sq x"),
            ("max_pool_v2", "MaxPoolV2(input=img, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')", "img"),
            ("print", "Print(input=x, data=[], first_n=0)", "x y"),
            ("quantize", "QuantizeAndDequantizeV2(input=x, input_min=0.0, input_max=1.0)", "x"),
            ("fake_quant", "FakeQuantWithMinMaxVars(inputs=z, min=-1.0, max=1.5)", "z"),
            ("fake_quant_args", "FakeQuantWithMinMaxArgs(inputs=z, min=-1.0, max=1.5)", "z"),
            ("fake_quant_channel", "FakeQuantWithMinMaxVarsPerChannel(inputs=z, min=-row, max=row)", "z row"),
            ("reverse", "Reverse(tensor=x, dims=[False, True])", "x"),
            ("scatter_add", "ScatterNdNonAliasingAdd(input=rows, indices=[[1]], updates=x[:1, :2])", "rows x"),
            ("space_to_batch", "SpaceToBatch(input=img, paddings=[[0, 0], [0, 0]], block_size=2)", "img"),
            ("sparse_matmul", "SparseMatMul(a=x, b=m, a_is_sparse=True)", "x m"),
            (
                "sparse_segment",
                "SparseSegmentMeanWithNumSegments(data=rows, indices=[0, 2], segment_ids=[0, 2], num_segments=4)",
                "rows",
            ),
            ("scatter_sub", "TensorScatterSub(tensor=rows, indices=[[1]], updates=x[:1, :2])", "rows x"),
            ("scatter_min", "TensorScatterMin(tensor=rows, indices=[[1]], updates=x[:1, :2])", "rows x"),
            (
                "strided_update",
                "TensorStridedSliceUpdate(input=rows, begin=[1], end=[3], strides=[1], value=x[:, :2])",
                "rows x",
            ),
            ("conjugate_transpose", "Real(input=tf.raw_ops.ConjugateTranspose(x=c, perm=[1, 0]))", "c"),
            ("batch_norm", "FusedBatchNorm(x=img, scale=row[:2], offset=row[:2], mean=[], variance=[])[0]", "img row"),
            (
                "tridiagonal",
                "TridiagonalMatMul(superdiag=sq[:, :1], maindiag=sq[:, 1:2], subdiag=sq[:, 2:], rhs=rhs)",
                "sq rhs",
            ),
        )
    },
    **{
        f"second.{name}": (f"tf.gradients(tf.square({expression}), {x})[0]", x)
        for name, expression, x in (
            ("relu6", "tf.nn.relu6(z)", "z"),
            ("leaky_relu", "tf.nn.leaky_relu(z)", "z"),
            ("bias_add", "tf.nn.bias_add(x, row)", "row"),
            ("strided", "cube[:, 1:, ::2]", "cube"),
            ("mirror_pad", "tf.pad(x, [[1, 1], [1, 2]], 'SYMMETRIC')", "x"),
            ("conv2d", "tf.nn.conv2d(img, k, strides=1, padding='SAME')", "img"),
            ("conv2d.filter", "tf.nn.conv2d(img, k, strides=1, padding='SAME')", "k"),
            ("depthwise", "tf.nn.depthwise_conv2d(img, k, [1, 1, 1, 1], 'SAME')", "img"),
            ("depthwise.filter", "tf.nn.depthwise_conv2d(img, k, [1, 1, 1, 1], 'SAME')", "k"),
            ("conv3d", "tf.nn.conv3d(vol, k3, [1, 1, 1, 1, 1], 'SAME')", "vol"),
            ("conv3d.filter", "tf.nn.conv3d(vol, k3, [1, 1, 1, 1, 1], 'SAME')", "k3"),
            ("avg_pool", "tf.nn.avg_pool(img, 2, 2, 'SAME')", "img"),
            ("max_pool", "tf.nn.max_pool(img, 2, 2, 'SAME')", "img"),
            ("avg_pool3d", "tf.nn.avg_pool3d(vol, 2, 2, 'SAME')", "vol"),
            ("max_pool3d", "tf.nn.max_pool3d(vol, 2, 2, 'SAME')", "vol"),
        )
    },
    "accumulate_n": ("tf.raw_ops.AccumulateNV2(inputs=[x, y], shape=[2, 3])", "x y"),
    "fft": ("tf.abs(tf.signal.fft(tf.complex(x, y)))", "x y"),
    "ifft2d": ("tf.abs(tf.signal.ifft2d(tf.complex(x, y)))", "x y"),
    "random_gamma": ("tf.raw_ops.RandomGamma(shape=[4], alpha=x, seed=3, seed2=4)", "x"),
    "stateless_random_gamma": (
        "tf.raw_ops.StatelessRandomGammaV2(shape=[4, 2, 3], seed=tf.constant([1, 2], tf.int64), alpha=x)",
        "x",
    ),
    "stateless_random_gamma_v3": ("tf.random.stateless_gamma([4, 2, 3], [1, 2], x)", "x"),
    "rfft": ("tf.abs(tf.signal.rfft(x))", "x"),
    "rfft.even": ("tf.abs(tf.signal.rfft(m))", "m"),
    "rfft2d": ("tf.abs(tf.signal.rfft2d(m))", "m"),
    "rfft2d.odd": ("tf.abs(tf.signal.rfft2d(x))", "x"),
    "irfft": ("tf.signal.irfft(tf.complex(x, y))", "x y"),
    "irfft.odd": ("tf.signal.irfft(tf.complex(x, y), [5])", "x y"),
    "irfft2d": ("tf.signal.irfft2d(tf.complex(x, y))", "x y"),
    "sparse_add": (
        "tf.sparse.add(tf.SparseTensor([[0, 1], [1, 0]], x[0, :2], [2, 2]), "
        "tf.SparseTensor([[0, 0], [1, 0]], y[0, :2], [2, 2])).values",
        "x y",
    ),
    "sparse_add_dense": ("tf.sparse.add(tf.SparseTensor([[0, 1], [1, 2]], x[0, :2], [2, 3]), y)", "x y"),
    "sparse_slice": (
        "tf.sparse.slice(tf.SparseTensor([[0, 1], [1, 0]], x[0, :2], [2, 2]), [1, 0], [1, 2]).values",
        "x",
    ),
    "sparse_fill_empty_rows": (
        "tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0]], x[0, :2], [4, 2]), one)[0].values",
        "x one",
    ),
    "sparse_softmax": (
        "tf.sparse.softmax(tf.SparseTensor([[0, 1], [1, 0], [1, 1]], x[0], [2, 2])).values * row",
        "x",
    ),
    "scale_and_translate": (
        "tf.raw_ops.ScaleAndTranslate(images=img, size=[4, 5], scale=[0.7, 0.9], translation=[0.5, 0.0])",
        "img",
    ),
    "quantize_and_dequantize_v4": (
        "tf.raw_ops.QuantizeAndDequantizeV4(input=z, input_min=-1.0, input_max=1.0, range_given=True)",
        "z",
    ),
    "ragged_to_variant": (
        "tf.raw_ops.RaggedTensorFromVariant(encoded_ragged=tf.raw_ops.RaggedTensorToVariant("
        "rt_nested_splits=[tf.constant([0, 2, 3], tf.int64)], rt_dense_values=row, batched_input=False), "
        "input_ragged_rank=1, output_ragged_rank=1, Tvalues=tf.float32, Tsplits=tf.int64).output_dense_values",
        "row",
    ),
    "ragged_to_sparse": (
        "tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[tf.constant([0, 2, 3], tf.int64)], rt_dense_values=row)"
        ".sparse_values",
        "row",
    ),
    "block_lstm": (
        "tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(2, tf.int64), x=cube2[:, :3, :], cs_prev=tf.zeros([3, 2]), "
        "h_prev=tf.zeros([3, 2]), w=tf.concat([tf.concat([m, m], 1), tf.ones([1, 8])], 0), "
        "wci=tf.ones([2]), wcf=tf.ones([2]), wco=tf.ones([2]), b=tf.zeros([8]), use_peephole=True).h",
        "cube2",
    ),
    "sparse_dense_matmul": (
        "tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1], [2, 0]], x[0, :2], [4, 2]), y)",
        "x y",
    ),
    "sparse_dense_matmul.adjoint": (
        "tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1], [1, 0]], x[0, :2], [2, 4]), y, adjoint_a=True)",
        "x y",
    ),
    "sparse_to_dense": (
        "tf.raw_ops.SparseToDense(sparse_indices=[[0], [2]], output_shape=[4], sparse_values=x[0, :2], default_value=one)",
        "x one",
    ),
    "sparse_reorder": ("tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], x[0, :2], [2, 2])).values", "x"),
    "sparse_reduce_sum": (
        "tf.sparse.reduce_sum(tf.SparseTensor([[0, 1], [1, 0], [1, 1]], x[0], [2, 2]), 1)",
        "x",
    ),
    "sparse_mul": (
        "tf.raw_ops.SparseDenseCwiseMul(sp_indices=[[0, 1], [1, 2]], sp_values=x[0, :2], sp_shape=[2, 3], dense=row)",
        "x row",
    ),
    "sparse_div": (
        "tf.raw_ops.SparseDenseCwiseDiv(sp_indices=[[0, 1], [1, 2]], sp_values=x[0, :2], sp_shape=[2, 3], dense=y)",
        "x y",
    ),
    "crop_and_resize": (
        "tf.image.crop_and_resize(img, [[0.1, 0.1, 0.8, 0.7]], [0], [3, 3])",
        "img",
    ),
    "ctc_loss": (
        "tf.raw_ops.CTCLoss(inputs=cube2, labels_indices=[[0, 0], [1, 0], [2, 0], [3, 0]], labels_values=[0, 0, 0, 0], sequence_length=[2, 2, 2, 2])[0]",
        "cube2",
    ),
    "tensor_array.concat": (
        "(lambda t: t.write(0, x).write(1, x * y).concat())(tf.TensorArray(tf.float32, 2))",
        "x y",
    ),
    "tensor_array.split": (
        "(lambda t: t.split(rows, [2, 3]).read(1))(tf.TensorArray(tf.float32, 2, infer_shape=False))",
        "rows",
    ),
    "stop_gradient": ("tf.stop_gradient(x) * x", "x"),
    "check_numerics": ("tf.check_numerics(x, 'oops')", "x"),
    "unconnected": ("x + 1.0", "x y"),
    "stop_at": ("(lambda u: tf.gradients(u * x, [u, x], stop_gradients=[u])[1])(x * x)", "x"),
    "cond.true": ("tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * y, lambda: x - row)", "x y row"),
    "cond.false": ("tf.cond(tf.reduce_sum(x) < 0.0, lambda: x * y, lambda: x - row)", "x y row"),
    "cond.nested": (
        "tf.cond(one > 0.0, lambda: tf.cond(one > 1.0, lambda: x * x, lambda: x * y), lambda: tf.sin(x))",
        "x y",
    ),
    "while.power": ("tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [tf.constant(0), x])[1]", "x"),
    "while.invariant": (
        "tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(v * row + y)), [tf.constant(0), x])[1]",
        "x y row",
    ),
    "while.cond": (
        "tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: v * x, lambda: "
        "v + y)), [tf.constant(0), x])[1]",
        "x y",
    ),
    "while.nested": (
        "tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, tf.while_loop(lambda j, w: j < 2, lambda j, w: (j + 1, "
        "w * x), [0, v])[1] * y), [tf.constant(0), x])[1]",
        "x y",
    ),
    "while.gather": (
        "tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + tf.gather(rows, [i])), [0, tf.zeros([1, 2])])[1]",
        "rows",
    ),
    "while.none": ("tf.while_loop(lambda i, v: i < 0, lambda i, v: (i + 1, v * x), [tf.constant(0), x])[1]", "x"),
    "scan": ("tf.scan(lambda a, b: a * 0.5 + tf.sin(b), rows)", "rows"),
    "map_fn": ("tf.map_fn(lambda r: r * r * one, rows)", "rows one"),
    "tensor_array": (
        "(lambda t: t.write(0, x).write(1, x * y).stack())(tf.TensorArray(tf.float32, 2))",
        "x y",
    ),
    **runpy.run_path(str(Path(__file__).with_name("matrix_programs.py")))["PROGRAMS"],
}


def run(tf: Any, name: str, mode: str) -> tuple[Any, dict[str, Any]]:
    """Return the GraphDef of a program and its gradients, and the values of these; a missing one is no entry."""
    expression, inputs = PROGRAMS[name]
    graph = tf.Graph()
    with graph.as_default():
        names: dict[str, Any] = {}
        for key in INPUTS:
            if re.search(rf"\b{key}\b", f"{expression} {inputs}"):
                value = INPUTS[key]
                shape = value.shape if mode == "known" else [None] * np.ndim(value)
                names[key] = tf.placeholder_with_default(value, shape, name=key)
        y = eval(expression, {"tf": tf, **names})
        with tf.Session() as session:
            size = session.run(y).shape
            weights = np.cos(np.arange(np.prod(size, dtype=int))).reshape(size).astype(y.dtype.as_numpy_dtype)
            grads = tf.gradients(y, [names[key] for key in inputs.split()], tf.constant(weights))
            values = {}
            for key, grad in zip(inputs.split(), grads):
                if grad is not None:
                    values[key] = session.run(tf.convert_to_tensor(grad, name=f"dense_{key}"))
    return graph.as_graph_def(), values


def nodes(graph_def: Any) -> list[str]:
    """Return a line for each node that `gradients` made: name, op, inputs, attrs."""
    lines = []
    for node in graph_def.node:
        attrs = {k: v for k, v in node.attr.items() if k not in ("_output_shapes", "_xla_inferred_shapes")}
        # Values of constants and the wording of attrs are held against each other by the gradients' values.
        kinds = {k: v.type for k, v in attrs.items() if v.WhichOneof("value") == "type"}
        lines.append(f"{node.name} = {node.op}({', '.join(node.input)}) {json.dumps(kinds, sort_keys=True)}")
    return lines


def write(answers: dict[str, tuple[list[str], dict[str, Any]]]) -> None:
    """Write the golden; the same answers give the same bytes."""
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(GOLDEN, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name: str, data: bytes) -> None:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)

        add("nodes.json", json.dumps({key: lines for key, (lines, _) in answers.items()}, indent=0).encode())
        flat = {f"{key}|{x}": value for key, (_, values) in answers.items() for x, value in values.items()}
        data = io.BytesIO()
        np.savez(data, **flat)
        add("values.npz", data.getvalue())


def read() -> tuple[dict[str, list[str]], dict[str, Any]]:
    """Return the golden's nodes and values."""
    with zipfile.ZipFile(GOLDEN) as archive:
        values = np.load(io.BytesIO(archive.read("values.npz")))
        return json.loads(archive.read("nodes.json")), {key: values[key] for key in values.files}
