"""One function for each op of TensorFlow 2.21, as in tf.raw_ops: keywords only, it adds a node of that op.

icefloe.raw_ops.MatMul(a=a, b=b, transpose_b=True)
"""

# Names here are ops' names: `Any` is one.
import typing as _typing


def __getattr__(name: str) -> "_typing.Callable[..., _typing.Any]":
    from icefloe import opdefs

    if opdefs.find(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from icefloe.lib.op_functions import raw_op

    function = globals()[name] = raw_op(name)
    return function


def __dir__() -> list[str]:
    from icefloe import opdefs

    return opdefs.names()
