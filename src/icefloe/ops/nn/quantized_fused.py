"""Convolutions of 8-bit integers together with bias, ReLU and a new range: the ops that TensorFlow's quantization
tools write for CPUs.

Other than in `QuantizedConv2D`, an integer stands for a float in proportion to it: the longer end of a range is the
greatest value of the type (255 or 127), and 0 is 0. Sums of products are exact in 32 bits.
Source: tensorflow/core/kernels/mkl/mkl_conv_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.array.quantization import plain, quantized
from icefloe.ops.nn import correlate_depthwise
from icefloe.ops.nn.convolution import forward_shape
from icefloe.ops.nn.convolution_geometry import Geometry, check_ranks
from icefloe.ops.nn.correlate import correlate

Kernel = Callable[..., Any]
F = np.float32

TOP = {"qint8": F(127), "quint8": F(255)}
FILTER_TOP = F(127)


def reach(low: Any, high: Any) -> Any:
    """Return the longer end of each range: float32."""
    return np.maximum(np.abs(np.asarray(low, F)), np.abs(np.asarray(high, F)))


def _step(low: Any, high: Any, dtype: DType) -> Any:
    """Return the float between two neighbouring integers where -128 is left out."""
    return (np.asarray(high, F) - np.asarray(low, F)) / F(255 if dtype.name == "quint8" else 254)


def sum_limits(min_a: Any, max_a: Any, first: DType, min_b: Any, max_b: Any, second: DType) -> tuple[Any, Any]:
    """Return the floats that the least and the greatest int32 stand for, where it is a sum of products."""
    step = _step(min_a, max_a, first) * _step(min_b, max_b, second)
    return step * F(-(2.0**31)), step * F(2.0**31)


def to_integers(floats: Any, low: int, high: int) -> Any:
    """Return floats rounded to even and cut to `low` ... `high`."""
    return np.clip(np.rint(floats.astype(np.float64)), low, high)


def _in_sums(values: Any, scale: Any) -> Any:
    """Return floats as the integers of sums whose unit is 1 / scale."""
    return to_integers(np.asarray(values, F) * scale, -(2**31), 2**31 - 1)


def wrapped(sums: Any) -> Any:
    """Return whole float64 numbers as int32, without those bits that do not fit."""
    return sums.astype(np.int64).astype(np.int32)


def requantized(sums: Any, factor: Any, out_type: DType, *, relu: bool) -> Any:
    """Return sums times `factor`, rounded to even and cut to what `out_type` holds; with `relu` nothing below 0."""
    limits = np.iinfo(out_type.numpy[0])
    whole = to_integers(sums.astype(F) * factor, 0 if relu else limits.min, limits.max)
    return quantized(whole.astype(out_type.numpy[0]), out_type)


def check_bias(bias: Any, channels: int) -> None:
    """Raises: InvalidArgumentError unless there is one value for each channel."""
    if np.shape(bias) != (channels,):
        raise errors.InvalidArgumentError(
            f"bias must have an element for each of the {channels} channels, got shape {shape_text(np.shape(bias))}"
        )


def check_limits(**limits: Any) -> None:
    """Raises: InvalidArgumentError unless each holds a single value."""
    for name, value in limits.items():
        if np.size(value) != 1:
            raise errors.InvalidArgumentError(f"{name} must be a scalar, got shape {shape_text(np.shape(value))}")


def _geometry(op: str, strides: Any, padding: str, dilations: Any, padding_list: Any) -> Geometry:
    explicit = tuple(padding_list)
    return Geometry(op, 4, strides, "EXPLICIT" if explicit else padding, explicit, "NHWC", dilations)


def _convolution(op: str, **known: Any) -> Kernel:
    """Return what gives the exact sums, float64 [n, h, w, channels], of an input and a filter."""
    geometry = _geometry(op, **known).runnable()
    depthwise = "Depthwise" in op

    def run(x: Any, w: Any) -> Any:
        check_ranks(x, w, 4)
        if x.shape[3] != w.shape[2]:
            raise errors.InvalidArgumentError(
                f"input and filter must have the same depth: {x.shape[3]} vs {w.shape[2]}"
            )
        windows = geometry.windows(x.shape[1:3], w.shape[:2])
        channels = w.shape[2] * w.shape[3] if depthwise else w.shape[3]
        check_shape((len(x), *(v.out for v in windows), channels), np.dtype(np.float64))
        values, filters = plain(x).astype(np.float64), plain(w).astype(np.float64)
        return (correlate_depthwise.forward if depthwise else correlate)(values, filters, windows)

    return run


def _filter_reach(low: Any, high: Any, channels: int) -> Any:
    if np.shape(low) != np.shape(high) or np.size(low) not in (1, channels):
        raise errors.InvalidArgumentError(
            f"min_filter and max_filter must have one element, or one for each of the {channels} channels, got shapes "
            f"{shape_text(np.shape(low))} and {shape_text(np.shape(high))}"
        )
    return reach(low, high)


def _arguments(op: str, rest: Iterator[Any]) -> dict[str, Any]:
    """Return the inputs after input and filter by name."""
    given = {"bias": next(rest)} if "WithBias" in op else {}
    given |= {name: next(rest) for name in ("min_input", "max_input", "min_filter", "max_filter")}
    if "Requantize" in op:
        given |= {name: next(rest) for name in ("min_freezed_output", "max_freezed_output")}
    return given


def _fused_convolution(op: str, Tinput: DType, Tfilter: DType, out_type: DType, **known: Any) -> Kernel:
    convolve = _convolution(op, **known)
    requantize = "Requantize" in op
    relu = "Relu" in op

    def run(x: Any, w: Any, *rest: Any) -> tuple[Any, Any, Any]:
        given = _arguments(op, iter(rest))
        check_limits(**{k: v for k, v in given.items() if k.startswith(("min_", "max_")) and "filter" not in k})
        sums = convolve(x, w)
        channels = sums.shape[3]
        reach_x = reach(given["min_input"], given["max_input"]).reshape(())
        reach_w = _filter_reach(given["min_filter"], given["max_filter"], channels)
        unit = reach_x * reach_w / (TOP[Tinput.name] * FILTER_TOP)
        bias = given.get("bias")
        if bias is not None:
            check_bias(bias, channels)
        if not requantize:
            if bias is not None or unit.size > 1:  # in floats, one unit for all channels
                floats = sums.astype(F) * unit + (F(0) if bias is None else bias)
                sums = to_integers(floats * (F(1) / unit.max()), -(2**31), 2**31 - 1)
            low, high = _output_limits(given, Tinput, Tfilter)
            return quantized(wrapped(np.maximum(sums, 0) if relu else sums), out_type), low, high
        if bias is not None:
            sums = sums + (plain(bias) if bias.dtype.names else _in_sums(bias, F(1) / unit))
        low, high = (F(np.ravel(given[name])[0]) for name in ("min_freezed_output", "max_freezed_output"))
        return requantized(sums, unit * TOP[out_type.name] / reach(low, high), out_type, relu=relu), low, high

    return run


def _output_limits(given: dict[str, Any], first: DType, second: DType) -> tuple[Any, Any]:
    low_x, high_x = np.reshape(given["min_input"], ()), np.reshape(given["max_input"], ())
    return sum_limits(low_x, high_x, first, given["min_filter"], given["max_filter"], second)


_WITHOUT_PADDING_LIST = ("QuantizedConv2DPerChannel", "QuantizedDepthwiseConv2D", "QuantizedDepthwiseConv2DWithBias")


def _register(op: str) -> None:
    if op in _WITHOUT_PADDING_LIST:

        @kernel(op, factory=True)
        def plain_padding(
            *, Tinput: DType, Tfilter: DType, out_type: DType, strides: Any, padding: str, dilations: Any
        ) -> Kernel:
            known = {"strides": strides, "padding": padding, "dilations": dilations, "padding_list": ()}
            return _fused_convolution(op, Tinput, Tfilter, out_type, **known)

        return

    @kernel(op, factory=True)
    def listed_padding(
        *, Tinput: DType, Tfilter: DType, out_type: DType, strides: Any, padding: str, dilations: Any, padding_list: Any
    ) -> Kernel:
        known = {"strides": strides, "padding": padding, "dilations": dilations, "padding_list": padding_list}
        return _fused_convolution(op, Tinput, Tfilter, out_type, **known)


CONVOLUTIONS = (
    "QuantizedConv2DAndRelu",
    "QuantizedConv2DAndReluAndRequantize",
    "QuantizedConv2DAndRequantize",
    "QuantizedConv2DPerChannel",
    "QuantizedConv2DWithBias",
    "QuantizedConv2DWithBiasAndRelu",
    "QuantizedConv2DWithBiasAndReluAndRequantize",
    "QuantizedConv2DWithBiasAndRequantize",
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
)
for _op in CONVOLUTIONS:
    _register(_op)


@shape(*CONVOLUTIONS)
def convolution_shape(c: ShapeContext) -> list[Dims]:
    """Batch, the places of the window, the filter's outputs; the limits."""
    attrs = {"padding_list": ()} | {
        name: c.attr(name) for name in ("strides", "padding", "dilations", "padding_list") if c.has_attr(name)
    }
    geometry = _geometry(c.op, **attrs)
    x, w = with_rank(c.shape(0), 4), with_rank(c.shape(1), 4)
    limits: Dims = () if "Requantize" in c.op else None
    if "Depthwise" not in c.op:
        return [forward_shape(geometry, x, w, grouped=False), limits, limits]
    made = None if w[2] is None or w[3] is None else w[2] * w[3]
    return [geometry.full_shape(x[0], geometry.output_lengths(x[1:3], w[:2]), made), limits, limits]
