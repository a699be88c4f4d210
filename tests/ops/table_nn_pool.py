"""Pooling over two and three dimensions, its gradients, and depthwise convolution."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ops.case import Case

F = np.float32
I = np.int32
bfloat16 = np.dtype(ml_dtypes.bfloat16)
rng = np.random.default_rng(3)


def x(*shape: int, dtype: object = "float32") -> np.ndarray:
    return (rng.integers(-16, 17, shape) / 4).astype(dtype)


def distinct(*shape: int, dtype: object = "float32") -> np.ndarray:
    """Numbers no two of which are equal, so that a maximum has one place."""
    return rng.permutation(int(np.prod(shape))).astype(dtype).reshape(shape)


def ints(*values: int) -> np.ndarray:
    return np.array(values, I)


def pool(op: str, *inputs: object, k: tuple = (2, 2), s: tuple = (2, 2), pad: str = "VALID", **attrs: object) -> Case:
    first = attrs.get("data_format") in ("NCHW", "NCDHW")
    wrap = (lambda v: [1, 1, *v]) if first else (lambda v: [1, *v, 1])
    return Case(op, *inputs, ksize=wrap(k), strides=wrap(s), padding=pad, **attrs)


def forward() -> list[Case]:
    image = x(2, 5, 7, 3)
    cases = []
    for op in ("MaxPool", "AvgPool"):
        cases += [
            pool(op, image),
            pool(op, image, pad="SAME"),
            pool(op, image, k=(3, 2), s=(1, 2), pad="SAME"),
            pool(op, image, k=(3, 3), s=(2, 2), pad="SAME"),
            pool(op, image, k=(1, 1), s=(3, 2)),
            pool(op, image, k=(5, 7), s=(1, 1)),
            pool(op, image[:0]),
            pool(op, image[:, :0], pad="SAME"),
            pool(op, image, k=(6, 7), s=(1, 1)),
            pool(op, image[0]),
            pool(op, image, k=(2, 2), s=(0, 1)),
            pool(op, image.astype(np.float16), pad="SAME"),
            pool(op, image.astype(bfloat16), pad="SAME"),
            pool(op, image.astype(np.float64), pad="SAME"),
            pool(op, image, k=(1, 1), s=(1, 1)),
        ]
        three = x(1, 4, 5, 6, 2)
        cases += [
            pool(f"{op}3D", three, k=(2, 2, 3), s=(2, 1, 2)),
            pool(f"{op}3D", three, k=(2, 2, 3), s=(2, 3, 2), pad="SAME"),
            pool(f"{op}3D", three[:0], k=(2, 2, 3), s=(2, 3, 2), pad="SAME"),
            pool(f"{op}3D", three, k=(1, 1, 1), s=(1, 1, 1)),
        ]
    cases += [
        pool("AvgPool", x(2, 3, 5, 7), data_format="NCHW"),
        Case("AvgPool", image, ksize=[2, 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID"),
        pool("MaxPool", x(1, 5, 6, 2), k=(3, 3), pad="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0]),
        pool("MaxPool", x(1, 5, 6, 2), k=(2, 2), pad="EXPLICIT", explicit_paddings=[0, 0, 2, 0, 0, 1, 0, 0]),
        pool("MaxPool", (image * 4).astype(I)),
        pool("MaxPool", (image * 4).astype(np.int64), pad="SAME"),
        pool("MaxPool", np.abs(image * 4).astype(np.uint8), pad="SAME"),
        pool("MaxPool", np.full((1, 2, 2, 1), -np.inf, F)),
        pool("MaxPool", F([1, np.nan, 2, 3, np.nan, 4, 5, 6]).reshape(1, 1, 8, 1), k=(1, 2), s=(1, 1)),
        Case("MaxPool", x(1, 2, 2, 6), ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID"),
        Case("MaxPool", x(1, 2, 2, 6), ksize=[1, 1, 1, 4], strides=[1, 1, 1, 4], padding="VALID"),
        Case("MaxPool", x(1, 2, 2, 6), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 1], padding="VALID"),
        Case("MaxPool", x(1, 2, 2, 6), ksize=[1, 2, 1, 2], strides=[1, 1, 1, 2], padding="VALID"),
        Case("MaxPoolV2", image, ints(1, 2, 3, 1), ints(1, 2, 2, 1), padding="SAME"),
        Case("MaxPoolV2", image, ints(1, 2, 3, 1), ints(1, 0, 2, 1), padding="SAME"),
        Case("MaxPoolV2", image, ints(1, 2, 3), ints(1, 1, 2, 1), padding="SAME"),
        pool("MaxPoolWithArgmax", distinct(2, 5, 7, 3)),
        pool("MaxPoolWithArgmax", image, pad="SAME"),
        pool("MaxPoolWithArgmax", distinct(2, 5, 7, 3), k=(3, 2), s=(1, 2), pad="SAME", include_batch_in_index=True),
        pool("MaxPoolWithArgmax", distinct(1, 4, 4, 1, dtype="float64"), Targmax="int32"),
    ]
    return cases


def gradients() -> list[Case]:
    cases = []
    image = distinct(2, 5, 7, 3)
    equal = x(1, 5, 7, 2)
    small = {"k": (2, 2), "s": (2, 2)}
    wide = {"k": (3, 2), "s": (1, 2), "pad": "SAME"}
    for dtype in ("float16", "float32", "float64"):
        made, dy = np.zeros((2, 2, 3, 3), dtype), x(2, 2, 3, 3, dtype=dtype)
        cases += [
            pool("MaxPoolGrad", image.astype(dtype), made, dy, **small),
            pool("AvgPoolGrad", ints(2, 5, 7, 3), dy, **small),
        ]
    cases += [
        pool("AvgPoolGrad", ints(2, 5, 7, 3), x(2, 5, 4, 3), **wide),
        pool("AvgPoolGrad", ints(2, 3, 5, 7), x(2, 3, 2, 3), data_format="NCHW", **small),
        pool("AvgPoolGrad", ints(0, 5, 7, 3), x(0, 2, 3, 3), **small),
        pool("AvgPoolGrad", ints(5, 7, 3), x(2, 2, 3, 3), **small),
        pool("MaxPoolGrad", image[:0], image[:0, :2, :3], image[:0, :2, :3], **small),
        Case(
            "MaxPoolGradV2",
            equal,
            np.zeros((1, 2, 3, 2), F),
            x(1, 2, 3, 2),
            ints(1, 2, 2, 1),
            ints(1, 2, 2, 1),
            padding="VALID",
        ),
    ]
    top = rng.integers(-16, 17, (2, 5, 7, 3)).astype(F)
    y = np.stack([_max_same(image[i]) for i in range(2)])
    cases += [
        pool("MaxPoolGrad", image, y, x(2, 5, 4, 3), **wide),
        pool("MaxPoolGradGrad", image, y, top, **wide),
    ]
    _, argmax = _argmax(image)
    cases += [
        pool("MaxPoolGradWithArgmax", image, x(2, 2, 3, 3), argmax, **small),
    ]
    three = distinct(1, 4, 5, 6, 2)
    cube = {"k": (2, 2, 3), "s": (2, 3, 2), "pad": "SAME"}
    y3 = _max_cube(three[0])[None]
    cases += [
        pool("MaxPool3DGrad", three, y3, x(1, 2, 2, 3, 2), **cube),
        pool("AvgPool3DGrad", ints(1, 4, 5, 6, 2), x(1, 2, 2, 3, 2), **cube),
    ]
    return cases


def _max_same(image: np.ndarray) -> np.ndarray:
    """The output of a 3x2 window with strides (1, 2) and SAME padding over one 5x7 image."""
    padded = np.pad(image, ((1, 1), (0, 1), (0, 0)), constant_values=-1)
    return np.stack([[padded[i : i + 3, 2 * j : 2 * j + 2].max(axis=(0, 1)) for j in range(4)] for i in range(5)])


def _max_cube(image: np.ndarray) -> np.ndarray:
    """The output of a 2x2x3 window with strides (2, 3, 2) and SAME padding over one 4x5x6 image."""
    made = np.zeros((2, 2, 3, 2), F)
    for i, j, k in np.ndindex(2, 2, 3):
        made[i, j, k] = image[2 * i : 2 * i + 2, 3 * j : 3 * j + 2, 2 * k : 2 * k + 3].max(axis=(0, 1, 2))
    return made


def _argmax(image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Maxima of 2x2 windows and their flat indices within each image."""
    best = np.zeros((2, 2, 3, 3), F)
    index = np.zeros((2, 2, 3, 3), np.int64)
    for n, i, j, c in np.ndindex(best.shape):
        window = image[n, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, c]
        a, b = divmod(int(window.argmax()), 2)
        best[n, i, j, c], index[n, i, j, c] = window.max(), ((2 * i + a) * 7 + 2 * j + b) * 3 + c
    return best, index


def depth(op: str, *inputs: object, s: tuple = (1, 1), d: tuple = (1, 1), pad: str = "SAME", **attrs: object) -> Case:
    first = attrs.get("data_format") == "NCHW"
    wrap = (lambda v: [1, 1, *v]) if first else (lambda v: [1, *v, 1])
    return Case(op, *inputs, strides=wrap(s), dilations=wrap(d), padding=pad, **attrs)


def depthwise() -> list[Case]:
    op = "DepthwiseConv2dNative"
    cases = []
    for dtype in ("float16", "float32", "float64"):
        cases += [
            depth(op, x(2, 5, 6, 3, dtype=dtype), x(3, 2, 3, 2, dtype=dtype)),
            depth(f"{op}BackpropInput", ints(2, 5, 6, 3), x(3, 2, 3, 2, dtype=dtype), x(2, 5, 6, 6, dtype=dtype)),
            depth(f"{op}BackpropFilter", x(2, 5, 6, 3, dtype=dtype), ints(3, 2, 3, 2), x(2, 5, 6, 6, dtype=dtype)),
        ]
    strided = {"s": (2, 2), "pad": "VALID"}
    explicit = {"pad": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 1, 2, 0, 0]}
    cases += [
        depth(op, x(2, 5, 6, 3), x(3, 2, 3, 1)),
        depth(op, x(2, 5, 6, 3), x(3, 2, 3, 1), **strided),
        depth(op, x(2, 5, 6, 3), x(3, 2, 3, 1), **explicit),
        depth(op, x(1, 7, 6, 2), x(3, 2, 2, 1), d=(2, 2), pad="VALID"),
        depth(op, x(1, 3, 5, 6), x(3, 2, 3, 1), data_format="NCHW"),
        depth(op, x(1, 5, 6, 3), x(3, 2, 2, 1)),
        depth(op, x(5, 6, 3), x(3, 2, 3, 1)),
        depth(f"{op}BackpropInput", ints(2, 5, 6, 3), x(3, 2, 3, 1), x(2, 2, 3, 3), **strided),
        depth(f"{op}BackpropFilter", x(2, 5, 6, 3), ints(3, 2, 3, 1), x(2, 2, 3, 3), **strided),
        depth(f"{op}BackpropInput", ints(2, 5, 6, 3), x(3, 2, 3, 1), x(2, 4, 8, 3), **explicit),
        depth(f"{op}BackpropInput", ints(2, 5, 6), x(3, 2, 3, 1), x(2, 2, 3, 3), **strided),
    ]
    return cases


CASES = [*forward(), *gradients(), *depthwise()]
