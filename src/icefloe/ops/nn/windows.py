"""Sliding windows over the spatial dimensions of a batch: sizes, padding, and the names of data formats.

    SAME      out = ceil(in / stride), the padding shared out with the odd element at the end
    VALID     out = ceil((in - reach) / stride), where reach = (size - 1) * dilation
    EXPLICIT  as VALID on an input that is longer by the given paddings

Source: tensorflow/core/framework/kernel_shape_util.cc, tensorflow/core/util/tensor_format.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from icefloe import errors

T = TypeVar("T")

CHANNELS_FIRST = frozenset(("NCHW", "NCDHW", "NCW", "CHANNELS_FIRST"))


@dataclass(frozen=True, slots=True)
class Window:
    """One dimension of a sliding window: `size` elements, `dilation` apart, moved by `stride`, over `length` elements.

    before, after: how many elements of padding are read. out: how many places the window has.
    """

    length: int
    size: int
    stride: int
    dilation: int
    before: int
    after: int
    out: int

    @property
    def reach(self) -> int:
        """The distance from the first to the last element of the window."""
        return (self.size - 1) * self.dilation

    def turned(self) -> Window:
        """Return the window over the output that gives the gradient of the input, where `stride` is 1."""
        before, after = self.reach - self.before, self.length + self.before - self.out
        return Window(self.out, self.size, 1, self.dilation, before, after, self.length)

    def trimmed(self) -> Window:
        """Return the window without the elements at its ends that lie on padding at every place: the same pooling.

        A window may be longer than any input by far; what is left of it is not.
        """
        seen = self.seen()
        if len(seen) in (0, self.size):
            return self
        before = self.before - seen.start * self.dilation
        after = self.after - (self.size - seen.stop) * self.dilation
        return Window(self.length, len(seen), self.stride, self.dilation, before, after, self.out)

    def seen(self) -> range:
        """Return which elements of the window lie on the input at some place."""
        low = max(0, -(((self.out - 1) * self.stride - self.before) // self.dilation)) if self.out else 0
        high = min(self.size, (self.length - 1 + self.before) // self.dilation + 1)
        return range(low, high)

    def span(self, offset: int) -> tuple[slice, slice]:
        """Return (places, elements): where the window's element number `offset` lies on the input, and which that is.

        Both slices are empty if it never does.
        """
        first = offset * self.dilation - self.before
        start = -(first // self.stride) if first < 0 else 0
        stop = min(self.out, (self.length - 1 - first) // self.stride + 1) if self.length > first else 0
        if stop <= start:
            return slice(0, 0), slice(0, 0)
        at = first + start * self.stride
        return slice(start, stop), slice(at, at + (stop - start - 1) * self.stride + 1, self.stride)

    def counts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return how many elements the window covers at each place, padding left out."""
        found = np.zeros(self.out, np.int64)
        for offset in range(self.size):
            found[self.span(offset)[0]] += 1
        return found


def window(
    length: int,
    size: int,
    stride: int,
    padding: str,
    *,
    dilation: int = 1,
    explicit: tuple[int, int] = (0, 0),
) -> Window:
    """Return the window over a dimension of `length` elements.

    Raises: InvalidArgumentError where the window is longer than the input and its padding.
    """
    effective = (size - 1) * dilation + 1
    if padding == "SAME":
        out = -(-length // stride)
        missing = max(0, (out - 1) * stride + effective - length)
        return Window(length, size, stride, dilation, missing // 2, missing - missing // 2, out)
    before, after = explicit if padding == "EXPLICIT" else (0, 0)
    room = length + before + after - effective + stride
    out = room // stride if room >= 0 else -(-room // stride)  # toward zero, as C divides
    if out < 0:
        raise errors.InvalidArgumentError(
            f"Computed output size would be negative: {out} "
            f"[input_size: {length + before + after}, effective_filter_size: {effective}, stride: {stride}]"
        )
    return Window(length, size, stride, dilation, before, after, out)


def output_length(
    length: int | None,
    size: int | None,
    stride: int,
    padding: str,
    *,
    dilation: int = 1,
    explicit: tuple[int, int] = (0, 0),
) -> int | None:
    """Return how many places a window has, None where that is unknown: the static form of `window`.

    Raises: InvalidArgumentError where the window is longer than the input and its padding.
    """
    if length is None or (size is None and padding != "SAME"):
        return None
    if padding == "SAME":
        return -(-length // stride)
    assert size is not None
    before, after = explicit if padding == "EXPLICIT" else (0, 0)
    effective = (size - 1) * dilation + 1
    if length + before + after < effective:
        raise errors.InvalidArgumentError(
            f"Negative dimension size caused by subtracting {effective} from {length + before + after}"
        )
    return (length + before + after - effective + stride) // stride


def check_int32(name: str, values: Sequence[int]) -> None:
    """Raise InvalidArgumentError if the attr of this name holds a number that TensorFlow's kernels have no room for."""
    for value in values:
        if not -(2**31) <= value < 2**31:
            raise errors.InvalidArgumentError(f"Attr {name} has value {value} out of range for an int32")


def check_explicit(explicit: Sequence[int], plain: Sequence[int]) -> None:
    """Raise InvalidArgumentError for negative paddings, and for some of the dimensions `plain`, batch and channels."""
    if min(explicit) < 0:
        raise errors.InvalidArgumentError("All elements of explicit_paddings must be nonnegative")
    if any(explicit[2 * i] or explicit[2 * i + 1] for i in plain):
        raise errors.InvalidArgumentError("Nonzero explicit padding in the batch or depth dimensions is not supported")


def channels_first(data_format: str) -> bool:
    """Whether the channels come before the spatial dimensions. Raises: InvalidArgumentError for an unknown format."""
    if data_format in CHANNELS_FIRST:
        return True
    if data_format not in ("NHWC", "NDHWC", "NWC", "CHANNELS_LAST"):
        raise errors.InvalidArgumentError(f"Invalid data format {data_format!r}")
    return False


def to_channels_last(x: Any, first: bool) -> Any:
    """Return `x` with its channels last: a view where they come `first`."""
    return np.moveaxis(x, 1, -1) if first else x


def from_channels_last(x: Any, first: bool) -> Any:
    """Return `x`, whose channels are last, in the layout of the op, contiguous."""
    return np.ascontiguousarray(np.moveaxis(x, -1, 1)) if first else x


def spatial(values: Sequence[T], first: bool) -> tuple[T, ...]:
    """Return the spatial part of a list with one value per dimension, such as an op's `strides`."""
    return tuple(values[2:] if first else values[1:-1])


def spatial_pairs(explicit: Sequence[int], first: bool) -> tuple[tuple[int, int], ...]:
    """Return the spatial part of `explicit_paddings`: (before, after) of each dimension."""
    pairs = list(zip(explicit[0::2], explicit[1::2]))
    return tuple(pairs[2:] if first else pairs[1:-1])
