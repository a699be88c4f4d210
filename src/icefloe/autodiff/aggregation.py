"""Sums of the gradients that reach one tensor on several ways."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.default_graph import name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add_n


class AggregationMethod:
    """How gradients of one tensor are added: all in one node, or two by two."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def check_method(method: Any) -> int:
    """Return `method`, the default for None. Raises: ValueError if it is no AggregationMethod."""
    methods = [
        AggregationMethod.ADD_N,
        AggregationMethod.EXPERIMENTAL_TREE,
        AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
    ]
    if method is None:
        return AggregationMethod.DEFAULT
    if method not in methods:
        raise ValueError(f"Invalid `aggregation_method` specified {method}. Accepted values are {methods}.")
    return int(method)


def aggregate(grads: list[Any], op: Operation, index: int, gradient_uid: str, method: int) -> Any:
    """Return the sum of gradients of output `index` of `op`; None for none.

    Raises: TypeError if one is neither a tensor nor IndexedSlices.
    """
    if not all(g is None or isinstance(g, (Tensor, IndexedSlices)) for g in grads):
        raise TypeError(
            f"Invalid gradient {grads} [index = {index}]. Gradients have to be either all Tensors or all IndexedSlices"
        )
    if len(grads) < 2:
        return grads[0] if grads else None
    grads = [g for g in grads if g is not None]
    if not grads:
        return None
    if not all(isinstance(g, Tensor) for g in grads):
        return add_n(grads) if any(isinstance(g, Tensor) for g in grads) else _join_slices(grads)
    if method != AggregationMethod.ADD_N:
        with name_scope(f"{op.name}_gradient_sum"):
            total = grads[0]
            for grad in grads[1:]:
                total = add_n([total, grad])
            return total
    return _sum_by_device(grads, gradient_uid)


def _sum_by_device(grads: list[Tensor], gradient_uid: str) -> Tensor:
    """Add gradients of one device on that device first."""
    by_device: dict[str, list[Tensor]] = {}
    for grad in grads:
        by_device.setdefault(grad.device or "", []).append(grad)
    sums = []
    for device in sorted(by_device):
        tensors = by_device[device]
        graph = get_default_graph()
        with graph._colocate_with_for_gradient(tensors[0].op, gradient_uid, ignore_existing=True):
            sums.append(add_n(tensors))
    return add_n(sums)


def _join_slices(grads: list[IndexedSlices]) -> IndexedSlices:
    """Put slices one after another; indices are int64 where some are."""
    if any(g.indices.dtype == datatypes.int64 for g in grads):
        indices = [cast(g.indices, datatypes.int64) for g in grads]
    else:
        indices = [g.indices for g in grads]
    return IndexedSlices(concat([g.values for g in grads], 0), concat(indices, 0), grads[0].dense_shape)
