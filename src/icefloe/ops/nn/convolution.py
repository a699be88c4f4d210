"""Conv2D, Conv3D and Conv.

The input's depth may be a multiple of the filter's: then the channels fall into groups. Channels-first formats are
computed as channels-last. 16-bit floats are computed in float32. Source: tensorflow/core/kernels/conv_ops.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import Dims, ShapeContext, with_rank
from icefloe.machine.products import Finish
from icefloe.ops.allocation import check_shape
from icefloe.ops.nn.convolution_geometry import Geometry, check_filter, check_ranks, groups_of, static_geometry
from icefloe.ops.nn.correlate import correlate, working_dtype
from icefloe.ops.nn.windows import from_channels_last, spatial, to_channels_last

Kernel = Callable[..., Any]


def forward(geometry: Geometry, *, grouped: bool, finish: Finish | None = None) -> Kernel:
    """Return the kernel of a convolution.

    grouped: whether the input's depth may be a multiple of the filter's. finish: what is done to the outcome, see
    `correlate`; not with channels first or 16-bit floats.
    """
    geometry.runnable()

    def run(x: Any, w: Any) -> Any:
        check_ranks(x, w, geometry.rank)
        x = to_channels_last(x, geometry.first)
        check_filter(w.shape)
        groups = groups_of(x.shape[-1], w.shape, grouped=grouped)
        windows, part = geometry.windows_of_use(x.shape[1:-1], w.shape[:-2])
        w = w[part]
        check_shape((len(x), *(v.out for v in windows), w.shape[-1]), x.dtype)
        work = working_dtype(x.dtype)
        y = correlate(x.astype(work, copy=False), w.astype(work, copy=False), windows, groups, finish)
        return from_channels_last(y.astype(x.dtype, copy=False), geometry.first)

    return run


@kernel("Conv2D", factory=True)
def conv2d(*, strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any) -> Kernel:
    """Return the convolution [n, h, w, k] of [n, h, w, c] with a filter [kh, kw, c / groups, k]."""
    return forward(Geometry("Conv2D", 4, strides, padding, explicit_paddings, data_format, dilations), grouped=True)


@kernel("Conv3D", factory=True)
def conv3d(*, strides: Any, padding: str, data_format: str, dilations: Any) -> Kernel:
    """Return the convolution [n, d, h, w, k] of [n, d, h, w, c] with a filter [kd, kh, kw, c, k]."""
    return forward(Geometry("Conv3D", 5, strides, padding, (), data_format, dilations), grouped=False)


@kernel("Conv", factory=True)
def conv(
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any,
    data_format: str,
    dilations: Any,
    batch_dims: int,
    groups: int,
) -> Kernel:
    """Return the convolution over one to three dimensions; `batch_dims` leading ones count as one batch."""

    def run(x: Any, w: Any) -> Any:
        rank = np.ndim(x) - batch_dims + 1
        if not 3 <= rank <= 5:
            raise errors.InvalidArgumentError(
                f"The input must have 2 or 3 spatial dimensions but got {np.ndim(x) - batch_dims - 1}"
            )
        geometry = Geometry("Conv", rank, strides, padding, explicit_paddings, data_format, dilations or (1,) * rank)
        if geometry.moves_over_channels or geometry.dilates_channels:
            what = "strides" if geometry.moves_over_channels else "dilation rates"
            raise errors.InvalidArgumentError(
                f"Current implementation does not support {what} in the batch and depth dimensions."
            )
        batch = x.shape[:batch_dims]
        y = forward(geometry, grouped=True)(x.reshape(-1, *x.shape[batch_dims:]), w)
        return y.reshape(*batch, *y.shape[1:])

    return run


def forward_shape(geometry: Geometry, x: Dims, w: Dims, *, grouped: bool) -> Dims:
    """Return the shape of the convolution of an input of shape `x` with a filter of shape `w`."""
    rank = geometry.rank
    x, w = with_rank(x, rank), with_rank(w, rank)
    depth, wanted = x[1 if geometry.first else -1], w[-2]
    if depth is not None and wanted is not None and (depth % wanted if grouped and wanted else depth != wanted):
        what = f"Depth of input ({depth}) is not a multiple of input depth of filter ({wanted})"
        raise errors.InvalidArgumentError(
            what if grouped else f"Dimensions must be equal, but are {depth} and {wanted}"
        )
    if depth and wanted and w[-1] is not None and w[-1] % max(1, depth // wanted):
        raise errors.InvalidArgumentError(
            f"Depth of output ({w[-1]}) is not a multiple of the number of groups ({depth // wanted})"
        )
    return geometry.full_shape(x[0], geometry.output_lengths(spatial(x, geometry.first), w[:-2]), w[-1])


@shape("Conv2D")
def conv2d_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the window, the filter's outputs."""
    return [forward_shape(static_geometry(c, 4), c.shape(0), c.shape(1), grouped=True)]


@shape("Conv3D")
def conv3d_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the window, the filter's outputs."""
    return [forward_shape(static_geometry(c, 5), c.shape(0), c.shape(1), grouped=False)]


@shape("Conv")
def conv_shape(c: ShapeContext) -> list[Any]:
    """The batch dimensions, the places of the window, the filter's outputs."""
    x, batch_dims = c.shape(0), c.attr("batch_dims")
    if x is None:
        return [None]
    rank = len(x) - batch_dims + 1
    dilations = c.attr("dilations") or (1,) * rank
    geometry = Geometry(
        "Conv",
        rank,
        c.attr("strides"),
        c.attr("padding"),
        c.attr("explicit_paddings"),
        c.attr("data_format"),
        dilations,
    )
    made = forward_shape(geometry, x[batch_dims - 1 :], c.shape(1), grouped=True)
    return [None if made is None else x[:batch_dims] + made[1:]]
