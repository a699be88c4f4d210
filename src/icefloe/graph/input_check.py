"""Whether the inputs of a node that was read are what its op takes.

Building an op checks this anyway; importing does it for every node, and a run for the nodes of a loaded file that it
needs, since loading accepts more than can run.
"""

from __future__ import annotations

from icefloe import datatypes, errors
from icefloe.graph import op_text
from icefloe.graph.operation import Operation, argument_types


def check_inputs(op: Operation, *, plain_for_ref: bool = False) -> None:
    """Raise InvalidArgumentError, in TensorFlow's words, if number or dtypes of the inputs are not those of the op, or
    an attr that gives them is missing or broken. A node whose op is not known passes.

    plain_for_ref: let an op that takes a reference have a plain value of that type, as a frozen variable is one.
    """
    signature = op.signature
    if signature is None:
        return
    expected = argument_types(op, signature.inputs)
    inputs = op.inputs
    if len(expected) != len(inputs):
        raise errors.InvalidArgumentError(op_text.input_count_text(expected, len(inputs), signature, op.name))
    for i, (dtype, tensor) in enumerate(zip(expected, inputs)):
        actual = tensor.dtype
        if actual is not dtype and actual is not None and not _fits(actual, dtype, plain_for_ref):
            raise errors.InvalidArgumentError(op_text.input_type_text(i, op.name, tensor.name, actual, dtype))


def _fits(actual: datatypes.DType, expected: datatypes.DType, plain_for_ref: bool) -> bool:
    if expected._is_ref_dtype and not plain_for_ref:
        return actual == expected
    return actual.base_dtype == expected.base_dtype
