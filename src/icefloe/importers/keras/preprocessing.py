"""Layers that prepare data: images resized, numbers and words put into categories.

What changes images at random does nothing here, as in Keras outside of training.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.convolution import channels_back, channels_last
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.math_reduce import reduce_max, reduce_sum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


@layer(
    "RandomFlip",
    "RandomRotation",
    "RandomZoom",
    "RandomTranslation",
    "RandomContrast",
    "RandomBrightness",
    "RandomHeight",
    "RandomWidth",
)
def random_change(c: LayerContext, x: Tensor) -> Tensor:
    """Do nothing: images are changed in training alone."""
    return _op("Identity", x)


@layer("Resizing")
def resizing(c: LayerContext, x: Tensor) -> Tensor:
    """Resize images."""
    x = channels_last(c, x, 4)
    if c.get("crop_to_aspect_ratio", False) or c.get("pad_to_aspect_ratio", False):
        raise c.refuse("keeping the aspect ratio")
    op = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor", "bicubic": "ResizeBicubic"}.get(
        str(c.get("interpolation", "bilinear"))
    )
    if op is None:
        raise c.refuse(f"interpolation {c.get('interpolation')!r}")
    size = np.array([int(c.get("height")), int(c.get("width"))], np.int32)
    return channels_back(c, _op(op, x, size, half_pixel_centers=True), 4)


@layer("CenterCrop")
def center_crop(c: LayerContext, x: Tensor) -> Tensor:
    """Cut the middle out of images, or enlarge them to it where they are smaller."""
    x = channels_last(c, x, 4)
    height, width = int(c.get("height")), int(c.get("width"))
    tall, wide = c.known_sizes(x)[:2]
    if tall < height or wide < width:
        raise c.refuse(f"images of {tall} x {wide} are smaller than the middle")
    top, left = (tall - height) // 2, (wide - width) // 2
    return channels_back(c, x[:, top : top + height, left : left + width], 4)


@layer("Discretization")
def discretization(c: LayerContext, x: Tensor) -> Tensor:
    """Return the number of the range that each number is in."""
    bounds = c.get("bin_boundaries")
    if bounds is None:
        raise c.refuse("its boundaries are not in the configuration")
    found = _op("Bucketize", x, boundaries=[float(b) for b in bounds])
    if c.version < 3 or c.get("output_mode", "int") != "int":
        found = _op("Cast", found, DstT=np.int64)
    return _encoded(c, found, len(bounds) + 1)


@layer("CategoryEncoding")
def category_encoding(c: LayerContext, x: Tensor, *weights: Tensor) -> Tensor:
    """Return which categories there are, or how many of each."""
    return _encoded(c, x, int(c.get("num_tokens")), c.get("output_mode", "multi_hot"), weights)


@layer("Hashing")
def hashing(c: LayerContext, x: Tensor) -> Tensor:
    """Return a bucket of each word or number by its fingerprint."""
    bins, salt = int(c.get("num_bins")), c.get("salt")
    text = x if x.dtype.name == "string" else _op("AsString", x)
    masked = c.get("mask_value")
    buckets = bins if masked is None else bins - 1
    if salt is None:
        found = _op("StringToHashBucketFast", text, num_buckets=buckets)
    else:
        key = [int(n) for n in (salt if isinstance(salt, (list, tuple)) else (salt, salt))]
        found = _op("StringToHashBucketStrong", text, num_buckets=buckets, key=key)
    if masked is not None:
        same = _op("Equal", x, np.asarray(masked, object if x.dtype.name == "string" else x.dtype.as_numpy_dtype))
        found = _op("SelectV2", same, np.int64(0), found + np.int64(1))
    mode = c.get("output_mode", "int")
    if mode == "int":
        return found if c.version >= 3 else _op("Cast", found, DstT=np.int64)
    return _encoded(c, found, bins, mode)


@layer("StringLookup", "IntegerLookup")
def lookup(c: LayerContext, x: Tensor) -> Tensor:
    """Return the place of each word or number in a vocabulary, or what is at a place."""
    words = c.get("vocabulary")
    if not isinstance(words, (list, tuple)):
        raise c.refuse("its vocabulary is not in the configuration")
    unknown, mask = int(c.get("num_oov_indices", 1)), c.get("mask_token")
    is_text = c.kind == "StringLookup"
    tokens = np.array([str(w).encode() for w in words], object) if is_text else np.array(words, np.int64)
    first = unknown + (mask is not None)
    specials: list[Any] = ([] if mask is None else [mask]) + [c.get("oov_token", "[UNK]" if is_text else -1)] * unknown
    if list(words[: len(specials)]) == specials:
        tokens = tokens[len(specials) :]
    if c.get("invert", False):
        raise c.refuse("looking words up by places")
    if unknown != 1:
        raise c.refuse(f"{unknown} places for unknown words")
    mode = c.get("output_mode", "int")
    offset = first if mode == "int" else unknown
    x = x if is_text else _op("Cast", x, DstT=np.int64)
    places = [_op("Equal", _op("ExpandDims", x, -1), tokens)]
    numbers = np.arange(offset, offset + len(tokens), dtype=np.int64)
    found = reduce_sum(_op("Cast", places[0], DstT=np.int64) * numbers, -1)
    default = np.int64(offset - 1)
    found = _op("SelectV2", _op("Equal", found, np.int64(0)), default, found)
    if mask is not None and mode == "int":
        token = np.asarray(str(mask).encode(), object) if is_text else np.int64(mask)
        found = _op("SelectV2", _op("Equal", x, token), np.int64(0), found)
    rows = _encoded(c, found, len(tokens) + offset, mode)
    return rows if mode == "int" or c.version < 3 else _op("Cast", rows, DstT=np.int64)


def _encoded(c: LayerContext, x: Tensor, depth: int, mode: Any = None, weights: Sequence[Tensor] = ()) -> Tensor:
    """Return categories as numbers, or as rows of 0, 1 and counts."""
    mode = c.get("output_mode", "int") if mode is None else mode
    if mode == "int":
        return x
    x = x if x.dtype.name in ("int32", "int64") else _op("Cast", x, DstT=np.int32)
    one, zero = np.float32(1.0), np.float32(0.0)
    if mode == "one_hot":
        if x.shape.rank is not None and x.shape.rank > 1 and x.shape.as_list()[-1] == 1:
            x = _op("Squeeze", x, squeeze_dims=[-1])
        return _op("OneHot", x, depth, one, zero)
    if x.shape.rank == 1 and c.kind != "CategoryEncoding":
        x = _op("ExpandDims", x, 1)
    rows = _op("OneHot", x, depth, one, zero)
    if mode == "multi_hot":
        return reduce_max(rows, -2)
    if mode == "count":
        given = rows * _op("ExpandDims", _op("Cast", weights[0], DstT=np.float32), -1) if weights else rows
        if not weights and "count_weights" in c.kwargs and isinstance(c.kwargs["count_weights"], Tensor):
            given = rows * _op("ExpandDims", _op("Cast", c.kwargs["count_weights"], DstT=np.float32), -1)
        return reduce_sum(given, -2)
    raise c.refuse(f"output_mode {mode!r}")


@layer("RMSNormalization")
def rms_normalization(c: LayerContext, x: Tensor) -> Tensor:
    """Divide by the root of the mean square along axes, and scale."""
    axis = c.get("axis", -1)
    axes = [axis] if isinstance(axis, int) else list(axis)
    real = x.dtype.as_numpy_dtype
    count = np.prod([x.shape.as_list()[a] or 0 for a in axes])
    if not count:
        raise c.refuse("axes of unknown size")
    mean = reduce_sum(_op("Square", x), axes, keepdims=True) * np.asarray(1.0 / count, real)
    (scale,) = c.weights.take(1)
    wide = [1] * (x.shape.rank or 1)
    for a, n in zip(axes, scale.shape):
        wide[a] = n
    normal = x * _op("Rsqrt", mean + np.asarray(c.get("epsilon", 1e-6), real))
    return normal * c.weight(scale.reshape(wide), "scale")
