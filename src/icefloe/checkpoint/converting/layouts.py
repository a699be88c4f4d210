"""Layouts of kernels: how TensorFlow and PyTorch order the axes of what a layer multiplies by.

    kind                           TensorFlow       PyTorch
    dense                          I O              O I
    conv1d                         W I O            O I W
    conv2d                         H W I O          O I H W
    conv3d                         D H W I O        O I D H W
    conv1d_transpose, ...          .. O I           I O ..
    depthwise1d                    W C M            (C M) 1 W
    depthwise2d                    H W C M          (C M) 1 H W

Of a transposed convolution both keep the kernel of the convolution that it is the gradient of, so nothing is mirrored.
Channel `c * M + m` of a depthwise convolution's result is made from channel `c` in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from icefloe import errors

KEEP = "keep"
# Kind -> which of TensorFlow's axes PyTorch has at each place.
_ORDERS: dict[str, tuple[int, ...]] = {
    "dense": (1, 0),
    "conv1d": (2, 1, 0),
    "conv2d": (3, 2, 0, 1),
    "conv3d": (4, 3, 0, 1, 2),
    "conv1d_transpose": (2, 1, 0),
    "conv2d_transpose": (3, 2, 0, 1),
    "conv3d_transpose": (4, 3, 0, 1, 2),
    "depthwise1d": (1, 2, 0),
    "depthwise2d": (2, 3, 0, 1),
}
KINDS = tuple(_ORDERS)
# A kind without its number of dimensions -> rank -> kind.
_BY_RANK: dict[str, dict[int, str]] = {
    "conv": {3: "conv1d", 4: "conv2d", 5: "conv3d"},
    "conv_transpose": {3: "conv1d_transpose", 4: "conv2d_transpose", 5: "conv3d_transpose"},
    "depthwise": {3: "depthwise1d", 4: "depthwise2d"},
}
NAMES = (*KINDS, *_BY_RANK, KEEP)
# Bytes of a reordered tensor that are made at a time.
_WINDOW = 4 << 20


def kind_for(name: str, rank: int) -> str | None:
    """Return the kind that `name`, one of NAMES, means for a tensor of `rank`; None where it means none."""
    if name == KEEP:
        return KEEP
    kind = _BY_RANK[name].get(rank) if name in _BY_RANK else name
    return kind if kind is not None and len(_ORDERS[kind]) == rank else None


def torch_shape(kind: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that a kernel of `shape` has in PyTorch's layout."""
    moved = tuple(shape[axis] for axis in _ORDERS[kind])
    return (moved[0] * moved[1], 1, *moved[2:]) if kind.startswith("depthwise") else moved


@dataclass(frozen=True, slots=True)
class Original:
    """What an array was before it was converted for another library: its name, its kind of layout ("" where its axes
    were not moved) and its shape.
    """

    name: str
    layout: str
    shape: tuple[int, ...]

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of `shape` can have been made of it."""
        if not self.layout:
            return shape == self.shape
        return len(self.shape) == len(_ORDERS[self.layout]) and torch_shape(self.layout, self.shape) == shape


@dataclass(frozen=True, slots=True)
class Reordering:
    """A change of layout: `shape` is TensorFlow's; `back` goes from PyTorch's layout to it."""

    kind: str
    shape: tuple[int, ...]
    back: bool = False

    @property
    def result(self) -> tuple[int, ...]:
        """The shape after it."""
        return self.shape if self.back else torch_shape(self.kind, self.shape)

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return a tensor in the other layout, as a view where that can be."""
        return self._moved(array).reshape(self.result)

    def _moved(self, array: np.ndarray) -> np.ndarray:
        order = _ORDERS[self.kind]
        if not self.back:
            return array.transpose(order)
        inverse = tuple(int(i) for i in np.argsort(order))
        return array.reshape(tuple(self.shape[axis] for axis in order)).transpose(inverse)

    def pieces(self, array: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the elements of the result in C order, flat, a few MB at a time."""
        moved = self._moved(array)
        if not moved.size:
            return
        yield from _flat(moved)


def _flat(moved: np.ndarray) -> Iterator[np.ndarray]:
    if moved.nbytes <= _WINDOW or moved.ndim == 0:
        yield np.ascontiguousarray(moved).reshape(-1)
        return
    row = moved.nbytes // len(moved)
    if row > _WINDOW:
        for part in moved:
            yield from _flat(part)
        return
    step = _WINDOW // row
    for start in range(0, len(moved), step):
        yield np.ascontiguousarray(moved[start : start + step]).reshape(-1)


def original_of(data: dict[str, object], stored: str, shape: tuple[int, ...]) -> Original:
    """Return what a side entry says of an array. Raises: DataLossError if it is malformed."""
    name, layout = data.get("name", stored), data.get("layout", "")
    if not isinstance(name, str) or not isinstance(layout, str) or (layout and layout not in _ORDERS):
        raise errors.DataLossError(f"malformed side entry: {stored} was {str(name)[:80]!r}, {str(layout)[:80]!r}")
    if layout and (len(shape) != len(_ORDERS[layout]) or math.prod(shape) >= 1 << 62):
        raise errors.DataLossError(f"malformed side entry: {stored} cannot have been {layout} {list(shape)}")
    return Original(name, layout, shape)
