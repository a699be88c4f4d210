"""Whether a run may leave fed arrays in something that outlives it.

A list, an optional, a dataset, any variant that an op makes of its inputs, holds those as they are. Where such a thing
is fetched, or given to a step with state that may store it, fed arrays are copied first: the caller may change his.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from icefloe import datatypes, errors, opdefs
from icefloe.graph.operation import Operation
from icefloe.proto import DT_VARIANT, NameAttrList
from icefloe.runtime.plan import Plan


class _Functions(Protocol):
    def makes_variants(self, function: NameAttrList) -> bool: ...


@functools.cache
def makes_variants(op_type: str) -> bool:
    """Return whether an op of this type has outputs that are always variants."""
    try:
        signature = opdefs.signature(op_type)
    except errors.NotFoundError:
        return False
    return any(arg.dtype == DT_VARIANT for arg in signature.outputs)


@functools.cache
def _calls(op_type: str) -> bool:
    """Return whether an op of this type names functions in its attrs."""
    try:
        signature = opdefs.signature(op_type)
    except errors.NotFoundError:
        return True  # it is itself the name of a function
    return any(spec.type in ("func", "list(func)") for spec in signature.attrs.values())


def keeps_feeds(plan: Plan, functions: _Functions) -> bool:
    """Return whether what is fed must be copied. plan: as it was built."""
    if not plan.feeds:
        return False
    types = {step.node.type for step in plan.steps}
    calling = set(filter(_calls, types))
    calls = [step.node for step in plan.steps if step.node.type in calling and _makes(step.node, functions)]
    if not calls and not any(map(makes_variants, types)):
        return False
    if any(plan.tensors[slot].dtype is datatypes.variant for slot in plan.fetches):
        return True
    if any(op._is_stateful for op in calls):
        return True
    return any(
        step.node._is_stateful and any(tensor.dtype is datatypes.variant for tensor in step.node.inputs)
        for step in plan.steps
    )


def own(values: Sequence[Any]) -> list[Any]:
    """Return the values with copies of arrays."""
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


def _makes(op: Operation, functions: _Functions) -> bool:
    if op.type in op.graph.functions:
        return functions.makes_variants(NameAttrList(name=op.type))
    named = [f for value in op._node_attrs().values() for f in (value.func, *value.list.func) if f.name]
    return any(map(functions.makes_variants, named))
