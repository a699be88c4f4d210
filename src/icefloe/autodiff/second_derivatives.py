"""Second derivatives.

Source: tensorflow/python/ops/gradients_impl.py (nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.autodiff.walk import gradients
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat
from icefloe.lib.array_shape import reshape, shape, size
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.tensor_array import TensorArray


def hessians(
    ys: Any,
    xs: Sequence[Any] | Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Return the second derivatives of the sum of `ys` by each of `xs`, in the shape of `x` twice."""

    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    options: dict[str, Any] = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    found = []
    for gradient, x in zip(gradients(ys, xs, **options), xs):
        if gradient is None:
            raise ValueError(f"Cannot compute hessian of {x}: ys do not depend on it")
        flat = reshape(gradient, [-1])
        count = size(x)

        def row(i: Any, rows: Any, flat: Tensor = flat, x: Any = x) -> Any:
            return i + 1, rows.write(i, gradients(flat[i], x)[0])

        start = [convert_to_tensor(0), TensorArray(x.dtype, count)]
        _, rows = while_loop(lambda i, _, count=count: i < count, row, start)
        dims = shape(x)
        found.append(reshape(rows.stack(), concat((dims, dims), 0)))
    return found
