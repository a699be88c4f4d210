"""The attrs of convolutions, checked, and the sizes that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import ShapeContext, shape_text
from icefloe.ops.nn.windows import (
    Window,
    channels_first,
    check_explicit,
    check_int32,
    output_length,
    spatial,
    spatial_pairs,
    window,
)

_LONG_PADDING = 1000


class Geometry:
    """The attrs of a convolution of `rank` dimensions in all, checked. Raises: InvalidArgumentError."""

    def __init__(
        self,
        op: str,
        rank: int,
        strides: Sequence[int],
        padding: str,
        explicit: Sequence[int],
        data_format: str,
        dilations: Sequence[int],
    ) -> None:
        check_int32("strides", strides)
        check_int32("dilations", dilations)
        self.rank = rank
        self.first = channels_first(data_format)
        self.padding = padding
        for name, values in (("stride", strides), ("dilations", dilations)):
            if len(values) != rank:
                raise errors.InvalidArgumentError(
                    f"{op} on data format {data_format} requires the {name} attribute to contain {rank} values, "
                    f"but got: {len(values)}"
                )
        channel = 1 if self.first else rank - 1
        self.moves_over_channels = strides[0] != 1 or strides[channel] != 1
        self.dilates_channels = dilations[0] != 1 or dilations[channel] != 1
        if padding == "EXPLICIT":
            if len(explicit) != 2 * rank:
                raise errors.InvalidArgumentError(
                    f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(explicit)}"
                )
            check_explicit(explicit, (0, channel))
        elif explicit:
            raise errors.InvalidArgumentError(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        self.strides = spatial(strides, self.first)
        self.dilations = spatial(dilations, self.first)
        self.explicit = spatial_pairs(explicit, self.first) if explicit else ((0, 0),) * (rank - 2)
        if min(self.strides) <= 0:
            raise errors.InvalidArgumentError(f"Stride must be > 0, but got {min(self.strides)}")
        if min(self.dilations) <= 0:
            raise errors.InvalidArgumentError(f"Dilation rate must be >= 1, but got {min(self.dilations)}")

    def runnable(self) -> Geometry:
        """Return self. Raises: UnimplementedError where batch or channels are strided or dilated."""
        if self.moves_over_channels or self.dilates_channels:
            what = "strides" if self.moves_over_channels else "dilations"
            raise errors.UnimplementedError(
                f"Current implementation does not yet support {what} in the batch and depth dimensions."
            )
        return self

    def windows(self, lengths: Sequence[int], sizes: Sequence[int]) -> tuple[Window, ...]:
        """Return the windows of a filter of these spatial sizes over an input of these lengths."""
        return tuple(
            window(n, k, s, self.padding, dilation=d, explicit=pads)
            for n, k, s, d, pads in zip(lengths, sizes, self.strides, self.dilations, self.explicit)
        )

    def windows_of_use(
        self, lengths: Sequence[int], sizes: Sequence[int]
    ) -> tuple[tuple[Window, ...], tuple[slice, ...]]:
        """Return the windows, and which part of the filter they are of.

        A filter whose dilation makes it much longer than the input would have the input padded to its length.
        """
        windows = self.windows(lengths, sizes)
        if all(w.before + w.after <= _LONG_PADDING + 2 * w.length for w in windows):
            return windows, tuple(slice(0, w.size) for w in windows)
        seen = [w.seen() or range(w.size) for w in windows]
        return tuple(w.trimmed() for w in windows), tuple(slice(part.start, part.stop) for part in seen)

    def output_lengths(self, lengths: Sequence[int | None], sizes: Sequence[int | None]) -> tuple[int | None, ...]:
        """Return the spatial sizes of the output, as far as they are known."""
        return tuple(
            output_length(n, k, s, self.padding, dilation=d, explicit=pads)
            for n, k, s, d, pads in zip(lengths, sizes, self.strides, self.dilations, self.explicit)
        )

    def full_shape(self, batch: Any, lengths: Sequence[Any], channels: Any) -> tuple[Any, ...]:
        """Return a shape in the op's data format."""
        return (batch, channels, *lengths) if self.first else (batch, *lengths, channels)


def check_ranks(x: Any, w: Any, rank: int) -> None:
    """Do nothing for an input and a filter of `rank`. Raises: InvalidArgumentError otherwise."""
    for name, value in (("input", x), ("filter", w)):
        if np.ndim(value) != rank:
            raise errors.InvalidArgumentError(f"{name} must be {rank}-dimensional: {shape_text(np.shape(value))}")


def check_filter(w_shape: Sequence[int]) -> None:
    """Raise InvalidArgumentError for a filter without elements."""
    if 0 in w_shape:
        raise errors.InvalidArgumentError("filter must not have zero elements (i.e. all dimensions must be non-zero)")


def groups_of(depth: int, w_shape: Sequence[int], *, grouped: bool) -> int:
    """Return the number of groups of an input of this depth. Raises: InvalidArgumentError where it does not go up."""
    if not depth and not w_shape[-2]:
        return 1
    if not w_shape[-2]:
        check_filter(w_shape)
    if not grouped and depth != w_shape[-2]:
        raise errors.InvalidArgumentError(f"input and filter must have the same depth: {depth} vs {w_shape[-2]}")
    if depth % w_shape[-2]:
        raise errors.InvalidArgumentError(
            f"input depth must be evenly divisible by filter depth: {depth} vs {w_shape[-2]}"
        )
    groups = depth // w_shape[-2]
    if groups and w_shape[-1] % groups:
        raise errors.InvalidArgumentError(
            f"output depth must be evenly divisible by number of groups: {w_shape[-1]} vs {groups}"
        )
    return max(groups, 1)


def static_geometry(c: ShapeContext, rank: int) -> Geometry:
    """Return the geometry of a convolution op of `rank` dimensions whose shapes are being worked out."""
    explicit = c.attr("explicit_paddings") if c.op.startswith("Conv2D") else ()
    if c.op.startswith("Conv2DBackprop"):  # whose paddings TensorFlow looks at when it runs them
        return Geometry(c.op, rank, c.attr("strides"), "VALID", (), c.attr("data_format"), c.attr("dilations"))
    has_format = c.op not in ("Conv3DBackpropInput", "Conv3DBackpropFilter")
    data_format = c.attr("data_format") if has_format else "NDHWC"
    return Geometry(c.op, rank, c.attr("strides"), c.attr("padding"), explicit, data_format, c.attr("dilations"))
