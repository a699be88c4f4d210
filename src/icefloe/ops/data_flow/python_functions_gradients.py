"""The gradient of EagerPyFunc: another call, of what its function's gradients are computed by.

Source: tensorflow/python/ops/script_ops.py (the node of the gradient).
"""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient
from icefloe.resources import python_functions


@gradient("EagerPyFunc")
def eager_py_func_gradient(op: Operation, *grads: Any) -> list[Any]:
    """The gradients of the inputs, of which those of integers are zeros."""
    token = op.get_attr("token").decode()
    callback = python_functions.gradient_of(token)
    if callback is None:
        raise errors.UnimplementedError(
            f"the gradient of {op.name!r}: its function is not of this process",
            hint="build the graph here, by tf.py_function",
        )
    dtypes = [x.dtype.base_dtype for x in op.inputs]
    made = apply_op("EagerPyFunc", input=[*op.inputs, *grads], token=callback.token, is_async=False, Tout=dtypes)
    for grad, x in zip(made, op.inputs):
        grad.set_shape(x.shape)
    return list(made)
