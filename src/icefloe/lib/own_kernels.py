"""Ops and kernels of the user's own: a Python function computes what icefloe has no kernel for.

@icefloe.register_kernel("DecodeWebP")
def decode_webp(contents, *, channels):
    return numpy.asarray(PIL.Image.open(io.BytesIO(contents)))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf import text_format

from icefloe import errors, opdefs
from icefloe.graph import registry
from icefloe.near_names import near_names, question
from icefloe.ops.data_flow.python_functions import argument, checked, outputs_of
from icefloe.proto import OpDef, cast_message

F = TypeVar("F", bound=Callable[..., Any])
_OWN: dict[str, registry.Kernel] = {}


def register_op(op_def: Any) -> None:
    """Make an op known that TensorFlow 2.21 does not have, such as one of a library of somebody's own.

    op_def: an OpDef message, or one in protobuf's text format: name, `input_arg`, `output_arg`, `attr`. Graphs that are
    loaded from now on know the op; `register_kernel` makes it run.

    Raises: AlreadyExistsError if another op has the name; InvalidArgumentError if it is no OpDef, or has no name.
    """
    if isinstance(op_def, str):
        try:
            found = text_format.Parse(op_def, OpDef())
        except text_format.ParseError as error:
            raise errors.InvalidArgumentError(f"no OpDef in text format: {error}") from None
    else:
        found = cast_message(op_def, OpDef)
    if not found.name:
        raise errors.InvalidArgumentError("an OpDef needs a name")
    opdefs.register(found)


def register_kernel(op: str) -> Callable[[F], F]:
    """Return a decorator that makes a function compute the nodes of `op`, an op without a kernel.

    The function gets the inputs of the node in the order of the op's signature, a list of tensors as one tuple: arrays
    of its own, scalars as numpy scalars, scalar strings as bytes. Keyword-only arguments are attrs of the op. It
    returns an array, or a list of them where the op has several outputs, of the dtypes that the node has.

    What depends on more than the inputs must be an op that is stateful by its OpDef: others are computed once where
    their inputs are constant. A function that is registered again takes the former one's place in new sessions.

    Raises: NotFoundError if no such op is known, see `register_op`; AlreadyExistsError if icefloe computes it itself.
    The decorator raises TypeError if the function takes other arguments than the op has.
    """
    signature = _signature(op)
    if registry.find_kernel(op) not in (None, _OWN.get(op)):
        raise errors.AlreadyExistsError(f"icefloe has a kernel for the op {op!r}")

    def register(function: F) -> F:
        attrs = _wanted_attrs(signature, function)

        def make(*, signature: Any, **values: Any) -> Callable[..., Any]:
            return _kernel(op, function, values, signature[1])

        made = registry.Kernel(op, make, (*attrs, "signature"), True, "stored", False, False, False)
        _OWN[op] = registry.KERNELS[op] = made
        return function

    return register


def _signature(op: str) -> opdefs.Signature:
    if opdefs.find(op) is None:
        raise errors.NotFoundError(
            f"no op {op!r} is known",
            hint=question(near_names(op, opdefs.names())) or "icefloe.register_op makes an op known.",
        )
    return opdefs.signature(op)


def _wanted_attrs(signature: opdefs.Signature, function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the attrs that a kernel asks for. Raises: TypeError if the op has not what it takes."""
    parameters = inspect.signature(function).parameters.values()
    attrs = tuple([p.name for p in parameters if p.kind is p.KEYWORD_ONLY])
    unknown = [name for name in attrs if name not in signature.attrs]
    if unknown:
        raise TypeError(
            f"{_named(function)} asks for {', '.join(unknown)}; the attrs of {signature.name} are "
            f"{', '.join(signature.attrs) or 'none'}"
        )
    try:
        inspect.signature(function).bind(*signature.inputs, **dict.fromkeys(attrs))
    except TypeError as error:
        inputs = ", ".join(arg.name for arg in signature.inputs) or "none"
        raise TypeError(f"{_named(function)}: {error}; the inputs of {signature.name} are {inputs}") from None
    return attrs


def _kernel(op: str, function: Callable[..., Any], attrs: dict[str, Any], dtypes: tuple[Any, ...]) -> Any:
    returns_bare = opdefs.signature(op).returns_bare
    name = _named(function)

    def call(*inputs: Any) -> Any:
        returned = function(*[_given(value) for value in inputs], **attrs)
        outputs = outputs_of([returned] if returns_bare else returned)
        if len(outputs) != len(dtypes):
            raise errors.InvalidArgumentError(f"{name} returned {len(outputs)} arrays, {op} has {len(dtypes)} outputs")
        made = tuple([checked(i, output, dtype, name) for i, (output, dtype) in enumerate(zip(outputs, dtypes))])
        return made[0] if returns_bare else made

    return call


def _given(value: Any) -> Any:
    return tuple([argument(item, False) for item in value]) if isinstance(value, tuple) else argument(value, False)


def _named(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", function))
