"""The ksize, strides and padding of pooling ops, checked, and the shapes that follow. Source: pooling_ops_common.cc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.shape_inference import Dims, shape_text, with_rank
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


class Pooling:
    """How a pooling op moves over a batch of `rank` dimensions.

    depth: how many channels are pooled into one; then nothing else is. static: for shapes only, where TensorFlow does
    not look at `ksize` yet.

    Raises: InvalidArgumentError, or UnimplementedError for what TensorFlow does not pool either.
    """

    def __init__(
        self,
        rank: int,
        ksize: Sequence[int],
        strides: Sequence[int],
        padding: str,
        data_format: str,
        explicit: Sequence[int] = (),
        *,
        pools_depth: bool = False,
        static: bool = False,
    ) -> None:
        check_int32("ksize", ksize)
        check_int32("strides", strides)
        for name, values in (("ksize", ksize), ("stride", strides)):
            if len(values) != rank:
                raise errors.InvalidArgumentError(f"Sliding window {name} field must specify {rank} dimensions")
            if min(values) <= 0 and static:
                if name == "stride":
                    raise errors.InvalidArgumentError(f"Stride must be > 0, but got {min(values)}")
            elif min(values) <= 0:
                raise errors.InvalidArgumentError(
                    f"Sliding window {name} must be positive. "
                    f"The specified or inferred {name} is: {','.join(map(str, values))}"
                )
        self.rank = rank
        self.first = channels_first(data_format)
        self.padding = padding
        self.sizes = spatial(ksize, self.first)
        self.strides = spatial(strides, self.first)
        self.explicit = spatial_pairs(explicit, self.first) if explicit else ((0, 0),) * (rank - 2)
        channel = 1 if self.first else rank - 1
        self.depth, self.depth_stride = ksize[channel], strides[channel]
        self.batch = (ksize[0], strides[0])
        self.pools_depth = pools_depth
        if padding == "EXPLICIT" and len(explicit) != 2 * rank:
            raise errors.InvalidArgumentError(
                f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(explicit)}"
            )
        if explicit:
            check_explicit(explicit, (0, channel))

    def runnable(self) -> Pooling:
        """Return self. Raises: UnimplementedError for windows over the batch, or over channels and space at once."""
        if self.batch != (1, 1):
            raise errors.UnimplementedError("Pooling is not yet supported on the batch dimension.")
        if (self.depth, self.depth_stride) != (1, 1):
            if not self.pools_depth:
                raise errors.UnimplementedError("Pooling is not yet supported on the depth dimension.")
            if max(*self.sizes, *self.strides) > 1:
                raise errors.UnimplementedError(
                    "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
                )
            if self.depth != self.depth_stride:
                raise errors.UnimplementedError(
                    "Depthwise max pooling requires the depth window to equal the depth stride"
                )
        self._check_padding()
        return self

    def _check_padding(self) -> None:
        for names, amounts, size in zip((("Top", "Bottom"), ("Left", "Right")), self.explicit, self.sizes):
            for name, amount in zip(names, amounts):
                if amount >= size and amount:
                    raise errors.InvalidArgumentError(
                        f"{name} padding {amount} needs to be smaller than the window size {size}"
                    )

    def check_depth(self, channels: int) -> None:
        """Raise UnimplementedError if the windows over the channels do not come out even."""
        if channels % self.depth:
            raise errors.UnimplementedError(
                "Depthwise max pooling requires the depth window to evenly divide the input depth"
            )

    def windows(self, lengths: Sequence[int]) -> tuple[Window, ...]:
        """Return the windows over an input of these lengths."""
        return tuple(
            window(n, k, s, self.padding, explicit=pads).trimmed()
            for n, k, s, pads in zip(lengths, self.sizes, self.strides, self.explicit)
        )

    def output_shape(self, x: Dims) -> tuple[int | None, ...]:
        """Return the static shape of the output for that of the input."""
        x = with_rank(x, self.rank)
        lengths = tuple(
            output_length(n, k, s, self.padding, explicit=pads)
            for n, k, s, pads in zip(spatial(x, self.first), self.sizes, self.strides, self.explicit)
        )
        channels = x[1] if self.first else x[-1]
        made = None if channels is None else -(-channels // self.depth) if self.pools_depth else channels
        return (x[0], made, *lengths) if self.first else (x[0], *lengths, made)


def check_rank(x: Any, rank: int, name: str = "tensor_in") -> None:
    """Raise InvalidArgumentError unless `x` has this rank."""
    if np.ndim(x) != rank:
        raise errors.InvalidArgumentError(f"{name} must be {rank}-dimensional, got shape {shape_text(np.shape(x))}")


def ints_of(values: Any, name: str, rank: int = 4) -> tuple[int, ...]:
    """Return an input that lists a number per dimension. Raises: InvalidArgumentError for another length."""
    if np.ndim(values) != 1 or len(values) != rank:
        raise errors.InvalidArgumentError(f"Sliding window {name} field must specify {rank} dimensions")
    return tuple(np.asarray(values).tolist())
