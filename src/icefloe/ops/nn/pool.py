"""MaxPool, AvgPool and their gradients, over two and three dimensions.

A maximum's gradient goes to its first place in the window. 16-bit floats are summed in float32.
Source: tensorflow/core/kernels/maxpooling_op.cc, avgpooling_op.cc, pooling_ops_3d.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, merge, shape_text, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.ops.nn import pooling
from icefloe.ops.nn.correlate import working_dtype
from icefloe.ops.nn.pooling_geometry import Pooling, check_rank, ints_of
from icefloe.ops.nn.pooling_gradient import max_pool_gradient
from icefloe.ops.nn.windows import from_channels_last, to_channels_last

Kernel = Callable[..., Any]


def _max_pool(pool: Pooling, x: Any) -> Any:
    check_rank(x, pool.rank)
    last = to_channels_last(x, pool.first)
    if pool.depth > 1:
        pool.check_depth(last.shape[-1])
        wide = last.reshape(*last.shape[:-1], last.shape[-1] // pool.depth, pool.depth)
        return from_channels_last(wide.max(axis=-1), pool.first)
    windows = pool.windows(last.shape[1:-1])
    check_shape((len(x), *(w.out for w in windows), last.shape[-1]), x.dtype)
    return from_channels_last(pooling.max_pool(last, windows), pool.first)


def _check_same(a: Any, b: Any, text: str) -> None:
    if np.shape(a) != np.shape(b):
        raise errors.InvalidArgumentError(f"{text}: {shape_text(np.shape(a))} vs. {shape_text(np.shape(b))}")


def _max_pool_gradients(pool: Pooling, x: Any, y: Any, dy: Any, *, second: bool) -> Any:
    """Return the gradient of MaxPool's input, or with `second` that gradient's own gradient."""
    check_rank(x, pool.rank)
    check_rank(y, pool.rank, "tensor_out")
    check_rank(dy, pool.rank, "out_backprop")
    last, grad = to_channels_last(x, pool.first), to_channels_last(dy, pool.first)
    if pool.depth > 1:
        raise errors.UnimplementedError("MaxPoolGrad is not yet implemented for depthwise pooling on CPU")
    windows = pool.windows(last.shape[1:-1])
    made = (len(last), *(w.out for w in windows), last.shape[-1])
    if to_channels_last(y, pool.first).shape != made:
        raise errors.InvalidArgumentError(
            f"Expected orig_output shape to be {shape_text(made)}, but got {shape_text(np.shape(y))}"
        )
    wanted = last.shape if second else made
    if grad.shape != wanted:
        raise errors.InvalidArgumentError(
            f"Expected grad shape to be {shape_text(wanted)}, but got {shape_text(np.shape(dy))}"
        )
    if not second and last.dtype == grad.dtype and last.dtype in (np.float32, np.float64):
        plain = max_pool_gradient(last, grad, windows)
        if plain is not None:
            return from_channels_last(plain, pool.first)
    _, where = pooling.first_maxima(last, windows)
    back = pooling.max_pool_second_gradient if second else pooling.max_pool_gradient
    work = working_dtype(grad.dtype)
    out = back(where, grad.astype(work, copy=False), windows)
    return from_channels_last(out.astype(dy.dtype, copy=False), pool.first)


@kernel("MaxPool", factory=True)
def max_pool(*, ksize: Any, strides: Any, padding: str, data_format: str, explicit_paddings: Any) -> Kernel:
    """Return the greatest element of each window."""
    pool = Pooling(4, ksize, strides, padding, data_format, explicit_paddings, pools_depth=True).runnable()
    return lambda x: _max_pool(pool, x)


@kernel("MaxPoolV2")
def max_pool_v2(x: Any, ksize: Any, strides: Any, *, padding: str, data_format: str) -> Any:
    """Return the greatest element of each window, whose size and strides are inputs."""
    sizes, steps = ints_of(ksize, "ksize"), ints_of(strides, "stride")
    return _max_pool(Pooling(4, sizes, steps, padding, data_format, pools_depth=True).runnable(), x)


@kernel("MaxPool3D", factory=True)
def max_pool_3d(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the greatest element of each window of three dimensions."""
    pool = Pooling(5, ksize, strides, padding, data_format).runnable()
    return lambda x: _max_pool(pool, x)


@kernel("MaxPoolGrad", factory=True)
def max_pool_grad(*, ksize: Any, strides: Any, padding: str, data_format: str, explicit_paddings: Any) -> Kernel:
    """Return the gradient of MaxPool's input."""
    pool = Pooling(4, ksize, strides, padding, data_format, explicit_paddings, pools_depth=True).runnable()
    return lambda x, y, dy: _max_pool_gradients(pool, x, y, dy, second=False)


@kernel("MaxPoolGradV2")
def max_pool_grad_v2(x: Any, y: Any, dy: Any, ksize: Any, strides: Any, *, padding: str, data_format: str) -> Any:
    """Return the gradient of MaxPoolV2's input."""
    pool = Pooling(4, ints_of(ksize, "ksize"), ints_of(strides, "stride"), padding, data_format, pools_depth=True)
    return _max_pool_gradients(pool.runnable(), x, y, dy, second=False)


@kernel("MaxPool3DGrad", factory=True)
def max_pool_3d_grad(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the gradient of MaxPool3D's input."""
    pool = Pooling(5, ksize, strides, padding, data_format).runnable()
    return lambda x, y, dy: _max_pool_gradients(pool, x, y, dy, second=False)


@kernel("MaxPoolGradGrad", factory=True)
def max_pool_grad_grad(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the gradient of MaxPoolGrad's incoming gradient."""
    pool = Pooling(4, ksize, strides, padding, data_format, pools_depth=True).runnable()
    return lambda x, y, ddx: _max_pool_gradients(pool, x, y, ddx, second=True)


@kernel("MaxPoolGradGradV2")
def max_pool_grad_grad_v2(x: Any, y: Any, ddx: Any, ksize: Any, strides: Any, *, padding: str, data_format: str) -> Any:
    """Return the gradient of MaxPoolGradV2's incoming gradient."""
    pool = Pooling(4, ints_of(ksize, "ksize"), ints_of(strides, "stride"), padding, data_format, pools_depth=True)
    return _max_pool_gradients(pool.runnable(), x, y, ddx, second=True)


@kernel("MaxPool3DGradGrad", factory=True)
def max_pool_3d_grad_grad(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the gradient of MaxPool3DGrad's incoming gradient."""
    pool = Pooling(5, ksize, strides, padding, data_format).runnable()
    return lambda x, y, ddx: _max_pool_gradients(pool, x, y, ddx, second=True)


@kernel("MaxPoolWithArgmax", factory=True)
def max_pool_with_argmax(
    *, ksize: Any, strides: Any, padding: str, include_batch_in_index: bool, Targmax: Any
) -> Kernel:
    """Return the greatest element of each window and its flat index in the image, or in the batch.

    A window over the channels is left out of account, as TensorFlow does on a CPU.
    """
    pool = Pooling(4, ksize, strides, padding, "NHWC", pools_depth=True).runnable()

    def run(x: Any) -> tuple[Any, Any]:
        check_rank(x, 4)
        windows = pool.windows(x.shape[1:-1])
        best, where = pooling.first_maxima(x, windows)
        index = pooling.flat_indices(where, windows, across_batch=include_batch_in_index)
        return best, index.astype(Targmax.numpy)

    return run


def _argmax_indices(pool: Pooling, x: Any, argmax: Any, *, across_batch: bool, what: str) -> Any:
    """Return flat indices into `x` of given ones. Raises: InvalidArgumentError for one that is outside."""
    per_image = x[0].size if len(x) else 0
    index = argmax.astype(np.int64)
    if not across_batch:
        index = index + (np.arange(len(x), dtype=np.int64) * per_image).reshape(-1, 1, 1, 1)
    if index.size and (index.min() < 0 or index.max() >= x.size):
        raise errors.InvalidArgumentError(f"Encountered invalid {what} index: it is outside [0, {x.size})")
    return index


@kernel("MaxPoolGradWithArgmax", factory=True)
def max_pool_grad_with_argmax(*, ksize: Any, strides: Any, padding: str, include_batch_in_index: bool) -> Kernel:
    """Return the gradient of MaxPoolWithArgmax's input, from the indices that it gave."""
    pool = Pooling(4, ksize, strides, padding, "NHWC", pools_depth=True).runnable()

    def run(x: Any, dy: Any, argmax: Any) -> Any:
        check_rank(x, 4)
        made = (len(x), *(w.out for w in pool.windows(x.shape[1:-1])), x.shape[-1])
        for name, value in (("grad", dy), ("argmax", argmax)):
            if np.shape(value) != made:
                raise errors.InvalidArgumentError(
                    f"Expected {name} shape to be {shape_text(made)}, but got {shape_text(np.shape(value))}"
                )
        index = _argmax_indices(pool, x, argmax, across_batch=include_batch_in_index, what="argmax")
        out = np.zeros(x.size, working_dtype(dy.dtype))
        np.add.at(out, index.ravel(), dy.ravel().astype(out.dtype, copy=False))
        return out.astype(dy.dtype, copy=False).reshape(x.shape)

    return run


@kernel("MaxPoolGradGradWithArgmax", factory=True)
def max_pool_grad_grad_with_argmax(*, ksize: Any, strides: Any, padding: str, include_batch_in_index: bool) -> Kernel:
    """Return the elements of the second gradient at the indices that MaxPoolWithArgmax gave."""
    pool = Pooling(4, ksize, strides, padding, "NHWC", pools_depth=True).runnable()

    def run(x: Any, ddx: Any, argmax: Any) -> Any:
        check_rank(x, 4)
        _check_same(x, ddx, "Expected grad shape to be that of the input")
        index = _argmax_indices(pool, x, argmax, across_batch=include_batch_in_index, what="argmax")
        return ddx.ravel()[index]

    return run


@kernel("AvgPool", factory=True)
def avg_pool(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the mean of each window; padding does not count."""
    return _avg_pool(Pooling(4, ksize, strides, padding, data_format).runnable())


@kernel("AvgPool3D", factory=True)
def avg_pool_3d(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the mean of each window of three dimensions."""
    return _avg_pool(Pooling(5, ksize, strides, padding, data_format).runnable())


def _avg_pool(pool: Pooling) -> Kernel:
    def run(x: Any) -> Any:
        check_rank(x, pool.rank)
        last = to_channels_last(x, pool.first).astype(working_dtype(x.dtype), copy=False)
        out = pooling.avg_pool(last, pool.windows(last.shape[1:-1]))
        return from_channels_last(out.astype(x.dtype, copy=False), pool.first)

    return run


@kernel("AvgPoolGrad", factory=True)
def avg_pool_grad(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the gradient of AvgPool's input, of shape `orig_input_shape`."""
    return _avg_pool_grad(Pooling(4, ksize, strides, padding, data_format))


@kernel("AvgPool3DGrad", factory=True)
def avg_pool_3d_grad(*, ksize: Any, strides: Any, padding: str, data_format: str) -> Kernel:
    """Return the gradient of AvgPool3D's input, of shape `orig_input_shape`."""
    return _avg_pool_grad(Pooling(5, ksize, strides, padding, data_format))


def _avg_pool_grad(pool: Pooling) -> Kernel:
    def run(orig_input_shape: Any, dy: Any) -> Any:
        if np.ndim(orig_input_shape) != 1 or len(orig_input_shape) != pool.rank:
            raise errors.InvalidArgumentError(
                f"out_backprop must be 1-dimensional and {pool.rank} elements, not {np.ndim(orig_input_shape)}"
            )
        check_rank(dy, pool.rank, "out_backprop")
        sizes = check_shape(orig_input_shape.tolist(), dy.dtype)
        channels = sizes[1] if pool.first else sizes[-1]
        windows = pool.windows(sizes[2:] if pool.first else sizes[1:-1])
        grad = to_channels_last(dy, pool.first).astype(working_dtype(dy.dtype), copy=False)
        made = (sizes[0], *(w.out for w in windows), channels)
        if grad.shape != made:
            raise errors.InvalidArgumentError(
                f"Expected grad shape to be {shape_text(made)}, but got {shape_text(grad.shape)}"
            )
        pool.runnable()
        out = pooling.avg_pool_gradient(grad, windows)
        return from_channels_last(out.astype(dy.dtype, copy=False), pool.first)

    return run


_EXPLICIT = frozenset(("MaxPool", "MaxPoolGrad"))


@shape("MaxPool", "MaxPool3D", "AvgPool", "AvgPool3D")
def pool_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the windows, channels."""
    explicit = c.attr("explicit_paddings") if c.op in _EXPLICIT else ()
    rank = 5 if c.op.endswith("3D") else 4
    attrs = (c.attr("ksize"), c.attr("strides"), c.attr("padding"), c.attr("data_format"), explicit)
    pool = Pooling(rank, *attrs, pools_depth=c.op == "MaxPool", static=True)
    return [pool.output_shape(c.shape(0))]


@shape("MaxPoolV2")
def max_pool_v2_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the windows, channels, where size and strides are known."""
    ksize, strides = c.constant(1), c.constant(2)
    if ksize is None or strides is None:
        return [(None,) * 4]
    sizes, steps = ints_of(ksize, "ksize"), ints_of(strides, "stride")
    pool = Pooling(4, sizes, steps, c.attr("padding"), c.attr("data_format"), pools_depth=True, static=True)
    return [pool.output_shape(c.shape(0))]


@shape("MaxPoolWithArgmax")
def max_pool_with_argmax_shape(c: ShapeContext) -> list[Any]:
    """Batch, the places of the windows, channels, twice."""
    x = with_rank(c.shape(0), 4)
    ksize = c.attr("ksize")
    pool = Pooling(4, ksize, c.attr("strides"), c.attr("padding"), "NHWC", static=True)
    if min(ksize) <= 0:
        wrong = next(size for size in ksize if size <= 0)
        raise errors.InvalidArgumentError(f"ksize must be a positive int32 value, got:{wrong}")
    return [(*pool.output_shape(x)[:3], x[3])] * 2


@shape("MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad", "MaxPoolGradWithArgmax")
def like_input(c: ShapeContext) -> list[Any]:
    """The shape of the input."""
    return [with_rank(c.shape(0), 5 if "3D" in c.op else 4)]


@shape("MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPool3DGradGrad")
def like_output(c: ShapeContext) -> list[Any]:
    """The shape of the output."""
    return [with_rank(c.shape(1), 5 if "3D" in c.op else 4)]


@shape("MaxPoolGradGradWithArgmax")
def like_argmax(c: ShapeContext) -> list[Any]:
    """The shape of the indices."""
    return [with_rank(c.shape(2), 4)]


@shape("AvgPoolGrad", "AvgPool3DGrad")
def avg_pool_grad_shape(c: ShapeContext) -> list[Any]:
    """The shape that `orig_input_shape` gives."""
    rank = 5 if "3D" in c.op else 4
    with_rank(c.shape(1), rank)
    return [merge(c.shape_value(0), (None,) * rank)]
