"""Batch and local response normalization, dilation, fractional pooling."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ops.case import Case

F = np.float32
bfloat16 = np.dtype(ml_dtypes.bfloat16)
rng = np.random.default_rng(4)
NONE = np.zeros(0, F)
SCALE, OFFSET = F([1, 2, 0.5]), F([0.5, -1, 0])
MEAN, VARIANCE = F([0.1, 0.2, -0.3]), F([1, 2, 0.5])


def normal(*shape: int, dtype: object = "float32") -> np.ndarray:
    return rng.normal(size=shape).astype(dtype)


def x(*shape: int, dtype: object = "float32") -> np.ndarray:
    """Numbers between -4 and 4 that 16 bits hold exactly."""
    return (rng.integers(-16, 17, shape) / 4).astype(dtype)


def batch_norm() -> list[Case]:
    image = normal(2, 4, 5, 3)
    cases = []
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        cases += [
            Case(op, image, SCALE, OFFSET, NONE, NONE, tol=1e-5),
            Case(op, image, SCALE, OFFSET, MEAN, VARIANCE, exponential_avg_factor=0.3, tol=1e-5),
        ]
    first = np.ascontiguousarray(np.moveaxis(image, -1, 1))
    cases += [
        Case("FusedBatchNormV3", first, SCALE, OFFSET, NONE, NONE, data_format="NCHW", tol=1e-5),
        Case("FusedBatchNormV3", image.astype(np.float16), SCALE, OFFSET, NONE, NONE, tol=4e-3),
        Case("FusedBatchNormV3", image.astype(bfloat16), SCALE, OFFSET, NONE, NONE, tol=3e-2),
        Case("FusedBatchNormV3", image[:1, :1, :1], SCALE, OFFSET, NONE, NONE),
        Case("FusedBatchNormV3", image[:0], SCALE, OFFSET, NONE, NONE),
        Case("FusedBatchNormV3", image, SCALE[:2], OFFSET, NONE, NONE),
        Case("FusedBatchNormV3", image, SCALE, OFFSET, NONE, NONE, is_training=False),
        Case("FusedBatchNormV3", image[0], SCALE, OFFSET, NONE, NONE),
        Case("FusedBatchNormV3", normal(1, 2, 3, 4, 3), SCALE, OFFSET, NONE, NONE, data_format="NDHWC", tol=1e-5),
    ]
    dy = normal(2, 4, 5, 3)
    for is_training in (True, False):
        at = {"is_training": is_training, "tol": 1e-5}
        cases += [
            Case("FusedBatchNormGrad", dy, image, SCALE, MEAN, VARIANCE, **at),
            Case("FusedBatchNormGradV3", dy, image, SCALE, MEAN, VARIANCE, NONE, **at),
            Case(
                "FusedBatchNormGradV3",
                np.moveaxis(dy, -1, 1).copy(),
                first,
                SCALE,
                MEAN,
                VARIANCE,
                NONE,
                data_format="NCHW",
                **at,
            ),
        ]
    cases += [
        Case("FusedBatchNormGradV3", dy[:0], image[:0], SCALE, MEAN, VARIANCE, NONE),
        Case("FusedBatchNormGradV3", dy[:1], image, SCALE, MEAN, VARIANCE, NONE),
    ]
    return cases


def local_response() -> list[Case]:
    image, y, dy = normal(1, 2, 3, 7), normal(1, 2, 3, 7), normal(1, 2, 3, 7)
    return [
        Case("LRN", image),
        Case("LRN", image, depth_radius=1, bias=0.5, alpha=2.0, beta=0.75),
        Case("LRN", image, depth_radius=20),
        Case("LRN", image.astype(np.float16), depth_radius=2),
        Case("LRN", image[:0]),
        Case("LRN", image[0]),
        Case("LRNGrad", dy, image, y, tol=1e-5),
        Case("LRNGrad", dy, image, y, depth_radius=1, bias=0.5, alpha=2.0, beta=0.75, tol=1e-5),
        Case("LRNGrad", dy[:0], image, y),
    ]


def dilate(op: str, *inputs: object, s: tuple = (1, 1), r: tuple = (1, 1), pad: str = "SAME") -> Case:
    return Case(op, *inputs, strides=[1, *s, 1], rates=[1, *r, 1], padding=pad)


def dilation() -> list[Case]:
    image, f = x(2, 5, 6, 3), x(2, 3, 3)
    cases = [dilate("Dilation2D", image.astype(d), f.astype(d)) for d in ("float16", "float64", "int32")]
    cases += [
        dilate("Dilation2D", image, f),
        dilate("Dilation2D", image.astype(bfloat16), f.astype(bfloat16)),
        dilate("Dilation2D", image, f, pad="VALID"),
        dilate("Dilation2D", image, f, s=(2, 3), r=(2, 1)),
        dilate("Dilation2D", image[:0], f),
        dilate("Dilation2D", image, f[:, :, :2]),
        dilate("Dilation2D", image[0], f),
        dilate("Dilation2D", image, x(6, 6, 3), pad="VALID"),
        Case("Dilation2D", image, f, strides=[1, 1, 1, 2], rates=[1, 1, 1, 1], padding="SAME"),
    ]
    for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter"):
        cases += [
            dilate(op, image, f, x(2, 5, 6, 3)),
            dilate(op, image, f, x(2, 3, 2, 3), s=(2, 3), r=(2, 1)),
            dilate(op, image, f, x(2, 4, 4, 3), pad="VALID"),
            dilate(op, image, f, x(2, 4, 4, 3)),
        ]
    return cases


def fractional() -> list[Case]:
    image = x(2, 7, 9, 2)
    cases = []
    for op in ("FractionalMaxPool", "FractionalAvgPool"):
        fixed = {"deterministic": True, "seed": 5, "seed2": 7}
        cases += [
            Case(op, image, pooling_ratio=[1.0, 1.5, 1.3, 1.0], **fixed),
            Case(op, image, pooling_ratio=[1.0, 2.5, 1.7, 1.0], pseudo_random=True, **fixed),
            Case(op, image, pooling_ratio=[1.0, 1.5, 1.3, 1.0], overlapping=True, **fixed),
            Case(op, (image * 4).astype(np.int64), pooling_ratio=[1.0, 1.5, 1.3, 1.0], **fixed),
            Case(op, image.astype(np.float64), pooling_ratio=[1.0, 3.5, 3.0, 1.0], **fixed),
            Case(op, image, pooling_ratio=[1.0, 0.5, 1.3, 1.0], **fixed),
            Case(op, image, pooling_ratio=[1.0, 1.5, 1.3, 1.0], seed=5, seed2=7),
            Case(op, image[0], pooling_ratio=[1.0, 1.5, 1.3, 1.0], **fixed),
        ]
    rows, columns = np.array([0, 2, 3, 5, 7]), np.array([0, 1, 3, 5, 6, 8, 9])
    dy, y = x(2, 4, 6, 2), np.zeros((2, 4, 6, 2), F)
    distinct = rng.permutation(2 * 7 * 9 * 2).astype(F).reshape(2, 7, 9, 2)
    shape = np.array([2, 7, 9, 2], np.int64)
    for overlapping in (False, True):
        cases += [
            Case("FractionalMaxPoolGrad", distinct, y, dy, rows, columns, overlapping=overlapping),
            Case("FractionalAvgPoolGrad", shape, dy, rows, columns, overlapping=overlapping),
        ]
    cases += [
        Case("FractionalMaxPoolGrad", image, y, dy, -rows, columns),
        Case("FractionalMaxPoolGrad", image, y, dy, rows * 9, columns),
        Case("FractionalAvgPoolGrad", shape, dy, -rows, columns),
        Case("FractionalAvgPoolGrad", shape[:3], dy, rows, columns),
    ]
    return cases


CASES = [*batch_norm(), *local_response(), *dilation(), *fractional()]
