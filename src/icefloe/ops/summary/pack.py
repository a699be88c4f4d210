"""Scalar, histogram, tensor, image and audio summaries, and the merging of summaries."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import scalar
from icefloe.graph.tensor_proto import make_tensor_proto
from icefloe.ops.image.png import encode_png
from icefloe.ops.signal.wav import encode_wav
from icefloe.ops.summary.buckets import histogram
from icefloe.proto import Summary, SummaryMetadata, TensorProto, TensorShapeProto
from icefloe.shapes import shape_text

Array = np.ndarray[Any, Any]


def packed(summary: Summary) -> Array:
    return np.array(summary.SerializeToString(deterministic=True), object)


def text(value: Any) -> str:
    return bytes(np.asarray(value, object)[()]).decode("utf-8", "surrogateescape")


def scalar_tag(tag: Any) -> str:
    """Return the tag. Raises: InvalidArgumentError if it is no scalar."""
    if np.ndim(tag):
        raise errors.InvalidArgumentError(f"tag must be scalar, got shape {shape_text(np.shape(tag))}")
    return text(tag)


@kernel("ScalarSummary")
def scalar_summary(tags: Any, values: Any) -> Array:
    names, numbers = np.asarray(tags, object), np.asarray(values)
    if names.shape != numbers.shape:
        raise errors.InvalidArgumentError(
            "tags and values are not the same shape: "
            f"{shape_text(names.shape)} != {shape_text(numbers.shape)}{single_tag(names)}"
        )
    summary = Summary()
    for name, number in zip(names.ravel().tolist(), numbers.ravel().astype(np.float32).tolist()):
        summary.value.add(tag=text(name), simple_value=number)
    return packed(summary)


def single_tag(names: Array) -> str:
    return f" (tag '{text(names.flat[0])}')" if names.size == 1 else ""


@kernel("HistogramSummary")
def histogram_summary(tag: Any, values: Any) -> Array:
    name, numbers = scalar_tag(tag), np.asarray(values).astype(np.float64).ravel()
    for word, bad in (("Nan", np.isnan(numbers)), ("Infinity", np.isinf(numbers))):
        if bad.any():
            raise errors.InvalidArgumentError(f"{word} in summary histogram for: {name}")
    return packed(Summary(value=[Summary.Value(tag=name, histo=histogram(numbers))]))


def _content_proto(array: Array) -> TensorProto:
    """Return `array` as a TensorProto whose numbers are in `tensor_content`, however few."""
    if array.dtype.hasobject:
        return make_tensor_proto(array)
    proto = make_tensor_proto(array[:0] if array.ndim else array.reshape(1)[:0], shape=None)
    sizes = [TensorShapeProto.Dim(size=n) for n in array.shape]
    proto.tensor_shape.CopyFrom(TensorShapeProto(dim=sizes))
    proto.tensor_content = array.tobytes()
    return proto


@kernel("TensorSummary")
def tensor_summary(tensor: Any, *, node: str) -> Array:
    return packed(Summary(value=[Summary.Value(node_name=node, tensor=_content_proto(np.asarray(tensor)))]))


@kernel("TensorSummaryV2")
def tensor_summary_v2(tag: Any, tensor: Any, serialized_summary_metadata: Any) -> Array:
    if np.ndim(serialized_summary_metadata):
        raise errors.InvalidArgumentError("serialized_summary_metadata must be scalar")
    data = bytes(np.asarray(serialized_summary_metadata, object)[()])
    try:
        metadata = SummaryMetadata.FromString(data)
    except DecodeError as error:
        raise errors.InvalidArgumentError("serialized_summary_metadata is no SummaryMetadata message") from error
    value = Summary.Value(tag=scalar_tag(tag), tensor=_content_proto(np.asarray(tensor)), metadata=metadata)
    return packed(Summary(value=[value]))


@kernel("MergeSummary")
def merge_summary(inputs: tuple[Any, ...]) -> Array:
    merged, seen = Summary(), set()
    for array in inputs:
        for data in np.asarray(array, object).ravel().tolist():
            try:
                part = Summary.FromString(data)
            except DecodeError as error:
                raise errors.InvalidArgumentError("Could not parse one of the summary inputs") from error
            for value in part.value:
                if value.tag in seen:
                    raise errors.InvalidArgumentError(f"Duplicate tag {value.tag} found in summary inputs")
                if value.tag:
                    seen.add(value.tag)
            merged.MergeFrom(part)
    return packed(merged)


@kernel("ImageSummary")
def image_summary(tag: Any, tensor: Any, *, max_images: int, bad_color: Array) -> Array:
    """Pack images, tensor: uint8, float or half [batch, height, width, 1, 3 or 4], as PNG; floats are scaled."""
    name, images = scalar_tag(tag), np.asarray(tensor)
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise errors.InvalidArgumentError(
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {shape_text(images.shape)}"
        )
    height, width, depth = images.shape[1:]
    if not 0 < max(height, 1) * max(width, 1) * depth < 1 << 31:
        raise errors.InvalidArgumentError(f"Tensor too large for summary {shape_text(images.shape)}")
    color = np.asarray(bad_color)
    if images.dtype != np.uint8 and color.size < depth:
        raise errors.InvalidArgumentError(
            f"expected depth <= bad_color.size, got depth = {depth}, bad_color.size = {color.size}"
        )
    summary = Summary()
    for i, image in enumerate(images[:max_images]):
        pixels = image if image.dtype == np.uint8 else _to_bytes(image, color[:depth])
        value = summary.value.add(tag=f"{name}/image/{i}" if max_images > 1 else f"{name}/image")
        value.image.height, value.image.width, value.image.colorspace = height, width, depth
        value.image.encoded_image_string = encode_png(pixels)
    return packed(summary)


def _to_bytes(image: Array, bad_color: Array) -> Array:
    """Return floats scaled to 0..255, or around 128 where some are negative, in their own precision.

    Pixels that are not finite get `bad_color`.
    """
    number = image.dtype.type
    good = np.isfinite(image).all(axis=2)
    kept = image[good]
    least, most = (float(kept.min()), float(kept.max())) if kept.size else (0.0, 0.0)
    if least < 0:
        largest = max(abs(least), abs(most))
        scale, offset = number(0.0 if largest < 1e-6 else 127.0 / largest), number(128.0)
    else:
        scale, offset = number(0.0 if most < 1e-6 else 255.0 / most), number(0.0)
    out = np.empty(image.shape, np.uint8)
    out[good] = (kept * scale + offset).astype(np.uint8)
    out[~good] = bad_color
    return out


def _audio_summary(tag: Any, tensor: Any, sample_rate: float, max_outputs: int) -> Array:
    name, sounds = scalar_tag(tag), np.asarray(tensor)
    if sounds.ndim not in (2, 3):
        raise errors.InvalidArgumentError(f"Tensor must be 3-D or 2-D, got: {shape_text(sounds.shape)}")
    if not sample_rate > 0:
        raise errors.InvalidArgumentError(f"sample_rate must be > 0, got {sample_rate:g}")
    sounds = sounds.reshape(sounds.shape[0], sounds.shape[1], -1)
    summary = Summary()
    for i, sound in enumerate(sounds[:max_outputs]):
        value = summary.value.add(tag=f"{name}/audio/{i}" if max_outputs > 1 else f"{name}/audio")
        value.audio.sample_rate, value.audio.num_channels = sample_rate, sound.shape[1]
        value.audio.length_frames, value.audio.content_type = sound.shape[0], "audio/wav"
        value.audio.encoded_audio_string = encode_wav(sound, max(round(sample_rate), 1)).item()
    return packed(summary)


@kernel("AudioSummary")
def audio_summary(tag: Any, tensor: Any, *, sample_rate: float, max_outputs: int) -> Array:
    return _audio_summary(tag, tensor, sample_rate, max_outputs)


@kernel("AudioSummaryV2")
def audio_summary_v2(tag: Any, tensor: Any, sample_rate: Any, *, max_outputs: int) -> Array:
    if np.ndim(sample_rate):
        raise errors.InvalidArgumentError("sample_rate must be a scalar")
    return _audio_summary(tag, tensor, float(np.float32(sample_rate)), max_outputs)


shape("ScalarSummary", "HistogramSummary", "TensorSummary", "TensorSummaryV2", "MergeSummary", "ImageSummary")(scalar)
shape("AudioSummary", "AudioSummaryV2")(scalar)
