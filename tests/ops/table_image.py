"""Images: resizing, crops, colour, boxes, glimpses, transforms."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ops.case import Case

F = np.float32
I = np.int32
bfloat16 = np.dtype(ml_dtypes.bfloat16)
rng = np.random.default_rng(5)
EVERY = ["uint8", "int8", "int32", "int64", "uint16", "float16", "float32", "float64", bfloat16]
MODES = [{}, {"align_corners": True}, {"half_pixel_centers": True}]


def ints(*values: int) -> np.ndarray:
    return np.array(values, I)


def image(*shape: int, dtype: object = "float32") -> np.ndarray:
    """Numbers that every dtype holds exactly."""
    return rng.integers(0, 100, shape).astype(dtype)


def resize() -> list[Case]:
    cases = []
    x = image(2, 5, 6, 3)
    for mode in MODES:
        for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"):
            cases += [Case(op, x, ints(*size), **mode) for size in ((9, 11), (3, 4), (5, 6), (1, 1), (13, 2))]
        for size in ((9, 11), (3, 4), (1, 1)):
            grads = rng.normal(size=(2, *size, 3)).astype(F)
            cases += [
                Case("ResizeBilinearGrad", grads, x, tol=1e-5, **mode),
                Case("ResizeBicubicGrad", grads, x, tol=1e-5, **mode),
                Case("ResizeNearestNeighborGrad", grads, ints(5, 6), tol=1e-5, **mode),
            ]
    for size in ((9, 11), (3, 4), (5, 6), (2, 7)):
        cases += [Case("ResizeArea", x, ints(*size), tol=1e-5)]
    cases += [Case("ResizeArea", x, ints(3, 4), align_corners=True, tol=1e-5)]
    for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"):
        tol = {"tol": 1e-5} if op == "ResizeArea" else {}
        cases += [
            Case(op, image(1, 3, 4, 2, dtype=d), ints(5, 3), **tol) for d in EVERY if d != bfloat16 or "Bi" not in op
        ]
        cases += [
            Case(op, x[:0], ints(4, 4)),
            Case(op, x[:, :0], ints(4, 4)),
            Case(op, x[0], ints(4, 4)),
            Case(op, x, ints(4, 0)),
            Case(op, x, ints(4, 4, 4)),
        ]
    wide = rng.normal(size=(1, 4, 4, 2))
    cases += [
        Case("ResizeBilinearGrad", wide.astype(F), wide, tol=1e-6),
        Case("ResizeBilinearGrad", wide.astype(F), wide.astype(np.float16)),
        Case("ResizeNearestNeighborGrad", wide, ints(3, 2), tol=1e-12),
        Case("ResizeBilinear", x, ints(4, 4), align_corners=True, half_pixel_centers=True),
    ]
    return cases


def crops() -> list[Case]:
    x = image(2, 6, 7, 2)
    boxes = F([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [0.8, 0.9, 0.2, 0.1], [-0.3, 0.2, 1.2, 0.5]])
    index = ints(0, 1, 1, 0)
    cases = []
    for method in ("bilinear", "nearest"):
        at = {"method": method, "tol": 1e-5}
        cases += [
            Case("CropAndResize", x, boxes, index, ints(4, 5), **at),
            Case("CropAndResize", x, boxes, index, ints(1, 1), extrapolation_value=7.0, **at),
            Case("CropAndResize", x.astype(np.uint8), boxes, index, ints(3, 2), **at),
            Case(
                "CropAndResizeGradImage",
                rng.normal(size=(4, 4, 5, 2)).astype(F),
                boxes,
                index,
                ints(2, 6, 7, 2),
                T="float32",
                **at,
            ),
        ]
    grads = rng.normal(size=(4, 4, 5, 2)).astype(F)
    cases += [
        Case("CropAndResizeGradBoxes", grads, x, boxes, index, tol=1e-5),
        Case("CropAndResizeGradBoxes", grads[:, :1, :1], x, boxes, index, tol=1e-5),
        Case("CropAndResizeGradImage", grads, boxes, index, ints(2, 6, 7, 2), T="float64", tol=1e-5),
        Case("CropAndResize", x, boxes[:0], index[:0], ints(4, 5)),
        Case("CropAndResize", x, boxes, index + 1, ints(4, 5)),
        Case("CropAndResize", x, boxes, index[:2], ints(4, 5)),
        Case("CropAndResize", x, boxes, index, ints(0, 5)),
        Case("CropAndResize", x, boxes + F(np.inf), index, ints(2, 5)),
    ]
    return cases


def colors() -> list[Case]:
    x = rng.random((2, 3, 4, 3)).astype(F)
    x[0, 0] = [[0.5, 0.5, 0.5], [0, 0, 0], [1, 0, 0], [0.2, 0.2, 0.1]]
    cases = []
    for d in ("float16", "float32", "float64"):
        tol = {"tol": 5e-3} if d == "float16" else {"tol": 1e-5}
        cases += [Case("RGBToHSV", x.astype(d), **tol), Case("HSVToRGB", x.astype(d), **tol)]
    cases += [
        Case("AdjustContrastv2", x, F(1.7), tol=1e-5),
        Case("AdjustHue", x, F(0.3), tol=1e-5),
        Case("AdjustHue", x, F(-1.2), tol=1e-5),
        Case("AdjustSaturation", x, F(0.4), tol=1e-5),
        Case("AdjustSaturation", x, F(3), tol=1e-5),
    ]
    cases += [
        Case("RGBToHSV", x[..., :2]),
        Case("RGBToHSV", x[:0]),
        Case("AdjustContrastv2", x[0, 0], F(2)),
        Case("AdjustContrastv2", rng.random((3, 5, 2)).astype(F), F(2), tol=0),
        Case("AdjustContrastv2", x[:0], F(2)),
        Case("AdjustHue", x[..., :2], F(2)),
        Case("AdjustSaturation", x, F([2])),
    ]
    return cases


def boxes() -> list[Case]:
    where = rng.random((30, 4)).astype(F)
    scores = rng.permutation(30).astype(F) / 30
    scores[3] = scores[17]
    few = F([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [1, 101, 0, 100]])
    points = F([0.9, 0.75, 0.6, 0.95, 0.5, 0.3])
    cases = [
        Case("NonMaxSuppression", few, points, I(3), iou_threshold=0.5),
        Case("NonMaxSuppressionV2", few, points, I(30), F(0.5)),
        Case("NonMaxSuppressionV2", where, scores, I(30), F(0.1)),
        Case("NonMaxSuppressionV3", where, scores, I(30), F(0.3), F(0.2)),
        Case(
            "NonMaxSuppressionV3",
            where.astype(np.float16),
            scores.astype(np.float16),
            I(8),
            np.float16(0.3),
            np.float16(0.2),
        ),
        Case("NonMaxSuppressionV3", few[:0], points[:0], I(3), F(0.5), F(0)),
        Case("NonMaxSuppressionV3", few, points[:3], I(3), F(0.5), F(0)),
        Case("NonMaxSuppressionV3", few, points, I(-3), F(0.5), F(0)),
        Case("NonMaxSuppressionV3", few, points, I(3), F(1.5), F(0)),
        Case("NonMaxSuppressionV4", few, points, I(5), F(0.5), F(0.4), pad_to_max_output_size=True),
        Case("NonMaxSuppressionV4", few, points, I(5), F(0.5), F(0.4)),
        Case("NonMaxSuppressionV5", few, points, I(6), F(0.5), F(0), F(0)),
        Case("NonMaxSuppressionV5", few, points, I(6), F(0.5), F(0.1), F(0.5)),
        Case("NonMaxSuppressionV5", where, scores, I(40), F(0.5), F(0.1), F(0.3), pad_to_max_output_size=True),
        Case("NonMaxSuppressionV5", few, points, I(6), F(0.5), F(0.1), F(-0.5)),
        Case("NonMaxSuppressionWithOverlaps", rng.random((6, 6)).astype(F), points, I(6), F(0.5), F(0.2)),
    ]
    batch = rng.random((2, 12, 1, 4)).astype(F)
    rated = (rng.permutation(2 * 12 * 3) / 72).astype(F).reshape(2, 12, 3)
    combined = "CombinedNonMaxSuppression"
    cases += [
        Case(combined, batch, rated, I(4), I(10), F(0.3), F(0.2)),
        Case(combined, batch * 3 - 1, rated, I(2), I(10), F(0.3), F(0.2), pad_per_class=True, clip_boxes=False),
        Case(combined, np.repeat(batch, 3, axis=2), rated, I(4), I(5), F(0.3), F(0.2)),
        Case(combined, batch, rated, I(0), I(10), F(0.3), F(0.2)),
        Case(combined, np.repeat(batch, 2, axis=2), rated, I(4), I(5), F(0.3), F(0.2)),
    ]
    drawn = F([[[0.1, 0.2, 0.6, 0.7], [-0.5, 0.3, 0.5, 2], [0.9, 0.9, 0.1, 0.1], [2, 2, 3, 3]]])
    cases += [Case("DrawBoundingBoxes", image(1, 9, 11, d), drawn) for d in (1, 3, 4)]
    cases += [
        Case("DrawBoundingBoxes", image(1, 9, 11, 3, dtype="float16"), drawn),
        Case("DrawBoundingBoxesV2", image(1, 9, 11, 3), drawn, F([[5, 6, 7], [8, 9, 10]])),
        Case("DrawBoundingBoxesV2", image(1, 9, 11, 3), drawn, np.zeros((0, 3), F)),
        Case("DrawBoundingBoxes", image(1, 9, 11, 2), drawn),
        Case("DrawBoundingBoxes", image(2, 9, 11, 3), drawn),
    ]
    for seed in range(6):
        at = {"aspect_ratio_range": [0.5, 2.0], "area_range": [0.1, 0.9]}
        size, one = ints(60, 80, 3), F([[[0.2, 0.3, 0.7, 0.8]]])
        cases += [
            Case("StatelessSampleDistortedBoundingBox", size, one, F(0.5), ints(seed, 7), **at),
            Case("SampleDistortedBoundingBoxV2", size, one, F(0.9), seed=seed, seed2=7, **at),
        ]
    cases += [
        Case("SampleDistortedBoundingBox", size, one, min_object_covered=0.1, seed=3, seed2=4),
        Case("SampleDistortedBoundingBox", size, one[:, :0], seed=3, seed2=4),
        Case("SampleDistortedBoundingBox", size, one[:, :0], seed=3, seed2=4, use_image_if_no_bounding_boxes=True),
        Case("SampleDistortedBoundingBox", size, one * 2, seed=3, seed2=4),
        Case("SampleDistortedBoundingBox", size[:2], one, seed=3, seed2=4),
    ]
    return cases


def transforms() -> list[Case]:
    x = image(2, 5, 7, 2)
    turned = F([[0.8, -0.3, 1.5, 0.2, 1.1, -0.7, 0.01, -0.02], [1, 0, -9, 0, 1, 12, 0, 0]])
    cases = []
    for interpolation in ("NEAREST", "BILINEAR"):
        for fill in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
            at = {"interpolation": interpolation, "fill_mode": fill, "tol": 1e-5}
            cases.append(Case("ImageProjectiveTransformV2", x, turned, ints(6, 8), **at))
            cases.append(Case("ImageProjectiveTransformV3", x, turned[:1], ints(4, 4), F(9), **at))
    cases += [
        Case("ImageProjectiveTransformV2", x.astype(d), turned, ints(6, 8), interpolation="BILINEAR", tol=1e-3)
        for d in ("uint8", "int32", "int64", "float16", "float64")
    ]
    cases += [
        Case("ImageProjectiveTransformV2", x, turned[:, :7], ints(6, 8), interpolation="NEAREST"),
        Case("ImageProjectiveTransformV2", x, turned, ints(6, 0), interpolation="NEAREST"),
        Case("ImageProjectiveTransformV2", x[:0], turned[:1], ints(6, 2), interpolation="NEAREST"),
    ]
    scale, shift = F([1.7, 0.6]), F([-0.4, 0.3])
    for kind in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
        for antialias in (True, False):
            at = {"kernel_type": kind, "antialias": antialias, "tol": 1e-5}
            cases.append(Case("ScaleAndTranslate", x, ints(8, 4), scale, shift, **at))
        grads = rng.normal(size=(2, 8, 4, 2)).astype(F)
        cases.append(Case("ScaleAndTranslateGrad", grads, x, scale, shift, kernel_type=kind, tol=1e-5))
    cases += [
        Case("ScaleAndTranslate", x.astype(np.uint8), ints(8, 4), scale, shift, tol=1e-5),
        Case("ScaleAndTranslate", x, ints(8, 4), -scale, shift),
        Case("ScaleAndTranslate", x, ints(8, 4), scale, shift, kernel_type="none"),
    ]
    offsets = F([[0.1, -0.3], [-0.9, 0.8]])
    for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
        for centered in (True, False):
            for normalized in (True, False):
                at = {"centered": centered, "normalized": normalized, "noise": "zero", "uniform_noise": False}
                where = offsets if normalized else offsets * 4
                cases.append(Case(op, x, ints(3, 4), where, **at))
        zero = {"noise": "zero", "uniform_noise": False}
        cases += [
            Case(op, x, ints(9, 12), offsets, **zero),
            Case(op, x, ints(3, 3), F([[5, 5], [-5, -5]]), **zero),
            Case(op, x[:0], ints(3, 3), offsets[:0], **zero),
            Case(op, x, ints(3, 3), offsets[:1], **zero),
            Case(op, x, ints(3, 3), offsets, noise="zero", uniform_noise=True),
        ]
    return cases


CASES = [*resize(), *crops(), *colors(), *boxes(), *transforms()]
