"""The optimizers' update ops: `Apply*` and `SparseApply*` on reference variables, `Resource*` on resource variables.

The op table gives each op's arguments: variable and slots first, then the gradient (and, of sparse ops, the rows it is
for) among scalars. All forms of an update share one formula of `updates`. A dense update of a large variable goes
through it block by block, so that what the formula computes in between stays in the cache.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, concatenate, with_rank_at_least
from icefloe.machine import threads
from icefloe.ops.state import rows, updates
from icefloe.ops.state.existence import existing
from icefloe.ops.state.shapes import merged, require_scalar, variable_shape
from icefloe.resources.variable import update_together
from icefloe.shapes import Dims, shape_text

_BLOCK = 1 << 17
_LARGE = 1 << 18  # elements from which on the blocks are worth more than one thread
_CACHED = 1 << 15  # elements of a block that go through the formula at a time


@dataclass(frozen=True, slots=True)
class Update:
    """An optimizer. suffix: its ops are `Apply<suffix>` and so on. cells: how many variables it changes, with slots."""

    suffix: str
    formula: Callable[..., None]
    cells: int
    sparse: bool = True


UPDATES = (
    Update("GradientDescent", updates.gradient_descent, 1, sparse=False),
    Update("ProximalGradientDescent", updates.proximal_gradient_descent, 1),
    Update("Adadelta", updates.adadelta, 3),
    Update("Adagrad", updates.adagrad, 2),
    Update("AdagradV2", updates.adagrad_v2, 2),
    Update("AdagradDA", updates.adagrad_da, 3),
    Update("ProximalAdagrad", updates.proximal_adagrad, 2),
    Update("Ftrl", updates.ftrl, 3),
    Update("FtrlV2", updates.ftrl, 3),
    Update("Momentum", updates.momentum, 2),
    Update("KerasMomentum", updates.keras_momentum, 2),
    Update("Adam", updates.adam, 3, sparse=False),
    Update("AdamWithAmsgrad", updates.adam_amsgrad, 4, sparse=False),
    Update("AdaMax", updates.ada_max, 3, sparse=False),
    Update("RMSProp", updates.rms_prop, 3),
    Update("CenteredRMSProp", updates.centered_rms_prop, 4),
    Update("AddSign", updates.add_sign, 2, sparse=False),
    Update("PowerSign", updates.power_sign, 2, sparse=False),
)

_GRADIENTS = ("grad", "delta")
# Attrs that change a formula.
_FLAGS: tuple[str, ...] = ("update_slots", "use_nesterov", "multiply_linear_by_lr")


def _ops_of(update: Update) -> list[str]:
    """Return the names of the registered ops of an update."""
    names = [f"Apply{update.suffix}", f"ResourceApply{update.suffix}"]
    if update.sparse:
        names += [f"SparseApply{update.suffix}", f"ResourceSparseApply{update.suffix}"]
    return [name for name in names if opdefs.find(name) is not None]


def _register(update: Update, op: str) -> None:
    signature = opdefs.signature(op)
    names = [arg.name for arg in signature.inputs]
    flags = [name for name in _FLAGS if name in signature.attrs]
    gradient = next(names.index(name) for name in _GRADIENTS if name in names)
    row_numbers = names.index("indices") if "indices" in names else None
    scalars = [i for i in range(update.cells, len(names)) if i not in (gradient, row_numbers)]
    is_resource = not signature.inputs[0].is_ref

    def factory(**attrs: bool) -> Callable[..., Any]:
        def run(*values: Any) -> Any:
            cells = values[: update.cells]
            for cell in cells:
                existing(cell) if is_resource else cell.read()
            for i in scalars:
                if np.ndim(values[i]):
                    raise errors.InvalidArgumentError(f"{names[i]} is not a scalar: {shape_text(np.shape(values[i]))}")
            keywords = {names[i]: np.asarray(values[i])[()] for i in scalars}
            grad = np.asarray(values[gradient])
            if row_numbers is None:
                update_together(
                    cells, lambda *arrays: _dense(update, arrays, names[gradient], grad, {**keywords, **attrs})
                )
            else:
                indices = np.asarray(values[row_numbers])
                update_together(cells, lambda *arrays: _sparse(update, arrays, grad, indices, {**keywords, **attrs}))
            return () if is_resource else cells[0]

        return run

    # The registry reads a factory's keyword-only names; here the op table says which attrs there are.
    factory.__signature__ = _signature_of(flags)  # type: ignore[attr-defined]
    kernel(op, factory=True, takes_refs=not is_resource, returns="fresh" if is_resource else "stored")(factory)
    shape(op)(lambda c: _shape(c, update, names, gradient, row_numbers, scalars, is_resource))


def _signature_of(flags: list[str]) -> inspect.Signature:
    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in flags])


def _check_same_shape(arrays: tuple[Any, ...], what: str = "its slots") -> None:
    for array in arrays[1:]:
        if array.shape != arrays[0].shape:
            raise errors.InvalidArgumentError(
                f"var and {what} do not have the same shape{shape_text(arrays[0].shape)} {shape_text(array.shape)}"
            )


def _dense(update: Update, arrays: tuple[Any, ...], gradient: str, grad: Any, keywords: dict[str, Any]) -> None:
    _check_same_shape(arrays)
    _check_same_shape((arrays[0], grad), gradient)
    if grad.size <= _CACHED:
        update.formula(*arrays, grad, **keywords)
        return
    flat = [a.reshape(-1) for a in arrays]
    grad = grad.reshape(-1)

    def block(i: int) -> None:
        for start in range(i * _BLOCK, min((i + 1) * _BLOCK, grad.size), _CACHED):
            part = slice(start, min(start + _CACHED, (i + 1) * _BLOCK))
            update.formula(*[a[part] for a in flat], grad[part], **keywords)

    threads.share(-(-grad.size // _BLOCK), block, large=grad.size > _LARGE)


def _sparse(update: Update, arrays: tuple[Any, ...], grad: Any, indices: Any, keywords: dict[str, Any]) -> None:
    """Update the rows that `indices` names, one after the other where a row is named repeatedly."""
    _check_same_shape(arrays)
    var = arrays[0]
    if not var.ndim:
        raise errors.InvalidArgumentError("var must be at least 1 dimensional")
    if indices.ndim != 1:
        raise errors.InvalidArgumentError("indices must be one-dimensional")
    if grad.shape[:1] != indices.shape:
        raise errors.InvalidArgumentError("grad must be the same size as indices in the first dimension.")
    if grad.ndim != var.ndim:
        raise errors.InvalidArgumentError("var and grad must have the same rank")
    for i in range(1, var.ndim):
        if grad.shape[i] != var.shape[i]:
            raise errors.InvalidArgumentError(f"var and grad must match in dimension {i}")
    _check_indices(indices, var.shape[0])
    for turn in rows.turns(indices):
        there = indices[turn]
        parts = [a[there] for a in arrays]
        update.formula(*parts, grad[turn], **keywords)
        for array, part in zip(arrays, parts):
            array[there] = part


def _check_indices(indices: Any, limit: int) -> None:
    bad = (indices < 0) | (indices >= limit)
    if bad.any():
        first = int(np.argmax(bad))
        raise errors.InvalidArgumentError(f"Index {indices[first]} at offset {first} in indices is out of range")


def _shape(
    c: ShapeContext,
    update: Update,
    names: list[str],
    gradient: int,
    row_numbers: int | None,
    scalars: list[int],
    is_resource: bool,
) -> list[Dims]:
    var = merged(*[variable_shape(c, i) for i in range(update.cells)])
    grad = c.shape(gradient)
    if row_numbers is None:
        var = merged(var, grad)
    else:
        indices = c.shape(row_numbers)
        if indices is not None and grad is not None:
            merged(indices[:1], with_rank_at_least(grad, 1)[:1])  # type: ignore[index]
        if var and grad is not None:
            merged(concatenate((None,), var[1:]), grad)
    for i in scalars:
        require_scalar(c, i)
    return [] if is_resource else [var]


for _update in UPDATES:
    for _op in _ops_of(_update):
        _register(_update, _op)
