"""Scatter ops on variables of both kinds: rows or elements set, added to, multiplied, compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, merge, with_rank_at_least
from icefloe.ops.state import rows
from icefloe.ops.state.existence import existing
from icefloe.ops.state.shapes import handle_shape
from icefloe.resources import ResourceVariable, Variable
from icefloe.shapes import Dims

_ROWS: dict[str, rows.Combine] = {
    "Update": rows.put,
    "Add": rows.at(np.add),
    "Sub": rows.at(np.subtract),
    "Mul": rows.at(np.multiply),
    "Div": rows.divide,
    "Min": rows.at(np.minimum),
    "Max": rows.at(np.maximum),
}
_ND = ("Update", "Add", "Sub", "Min", "Max")


def _register_rows(kind: str, combine: rows.Combine) -> None:
    @kernel(f"Scatter{kind}", takes_refs=True, returns="stored")
    def scatter(cell: Variable, indices: Any, updates: Any) -> Variable:
        cell.update(lambda array: rows.scatter(array, indices, updates, combine))
        return cell

    @kernel(f"ResourceScatter{kind}")
    def resource_scatter(cell: ResourceVariable, indices: Any, updates: Any) -> tuple[()]:
        existing(cell)
        cell.update(lambda array: rows.scatter(array, indices, updates, combine))
        return ()


def _register_nd(kind: str, combine: rows.Combine) -> None:
    @kernel(f"ScatterNd{kind}", takes_refs=True, returns="stored")
    def scatter_nd(cell: Variable, indices: Any, updates: Any, *, bad_indices_policy: str) -> Variable:
        cell.update(lambda array: rows.scatter_nd(array, indices, updates, combine, bad_indices_policy))
        return cell

    @kernel(f"ResourceScatterNd{kind}")
    def resource_scatter_nd(
        cell: ResourceVariable, indices: Any, updates: Any, *, bad_indices_policy: str
    ) -> tuple[()]:
        existing(cell)
        cell.update(lambda array: rows.scatter_nd(array, indices, updates, combine, bad_indices_policy))
        return ()


for _kind, _combine in _ROWS.items():
    _register_rows(_kind, _combine)
    if _kind in _ND:
        _register_nd(_kind, _combine)


def _check_rows(params: Dims, indices: Dims, updates: Dims) -> None:
    # A variable that is a scalar is left to the kernel to refuse.
    if updates != () and params != ():
        merge(updates, concatenate(indices, None if params is None else params[1:]))


@shape(*[f"Scatter{kind}" for kind in _ROWS])
def scatter_shape(c: ShapeContext) -> list[Dims]:
    _check_rows(c.shape(0), c.shape(1), c.shape(2))
    return [c.shape(0)]


@shape(*[f"ResourceScatter{kind}" for kind in _ROWS])
def resource_scatter_shape(c: ShapeContext) -> list[Dims]:
    _check_rows(handle_shape(c, 0), c.shape(1), c.shape(2))
    return []


def _check_nd(params: Dims, indices: Dims, updates: Dims) -> None:
    indices, updates = with_rank_at_least(indices, 1), with_rank_at_least(updates, 1)
    if params is None or indices is None or updates is None:
        return
    outer = len(indices) - 1
    merge(indices[:-1], updates[:outer])
    if indices[-1] is not None:
        merge(params[indices[-1] :], updates[outer:])


@shape(*[f"ScatterNd{kind}" for kind in _ND])
def scatter_nd_shape(c: ShapeContext) -> list[Dims]:
    _check_nd(c.shape(0), c.shape(1), c.shape(2))
    return [c.shape(0)]


@shape(*[f"ResourceScatterNd{kind}" for kind in _ND])
def resource_scatter_nd_shape(c: ShapeContext) -> list[Dims]:
    _check_nd(handle_shape(c, 0), c.shape(1), c.shape(2))
    return []
