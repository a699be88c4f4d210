"""Ops that put the inputs of several runs in one batch. Here each run is a batch of its own: none waits for another.

Source: tensorflow/core/kernels/batch_kernels.cc, batching_util/batch_resource_base.cc.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, unknown
from icefloe.resources import ResourceManager
from icefloe.shapes import Dims, shape_text

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]

_NUMBERS = "numbers of batches"


def _check_sizes(max_batch_size: int, allowed: tuple[int, ...], *, splits: bool = False) -> None:
    if not allowed:
        return
    if any(b <= a for a, b in itertools.pairwise(allowed)):
        raise errors.InvalidArgumentError("allowed_batch_sizes entries must be monotonically increasing")
    if not splits and allowed[-1] != max_batch_size:
        raise errors.InvalidArgumentError(
            "final entry in allowed_batch_sizes must equal max_batch_size"
            + (" when enable_large_batch_splitting is False" if splits is not None else "")
        )


def _batch_size(tensors: tuple[Any, ...]) -> int:
    """Return the common size of dimension 0. Raises: InvalidArgumentError if there is none."""
    if not tensors:
        raise errors.InvalidArgumentError("Batching inputs must have at least one tensor")
    for tensor in tensors:
        if not np.ndim(tensor):
            raise errors.InvalidArgumentError("Batching input tensors must have at least one dimension.")
    sizes = [len(t) for t in tensors]
    if len(set(sizes)) > 1:
        raise errors.InvalidArgumentError(
            "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size, got "
            f"{', '.join(shape_text(np.shape(t)) for t in tensors)}"
        )
    return sizes[0]


def _padded(tensors: list[Any], size: int, allowed: tuple[int, ...]) -> list[Any]:
    """Return the tensors with their first row repeated up to the next allowed size."""
    target = next((n for n in allowed if n >= size), size)
    if target == size or not size:
        return tensors
    return [np.concatenate([t, np.repeat(t[:1], target - size, axis=0)]) for t in tensors]


@kernel("BatchFunction", factory=True, per_run=True)
def batch_function(
    *,
    f: Function,
    max_batch_size: int,
    allowed_batch_sizes: tuple[int, ...],
    enable_large_batch_splitting: bool,
) -> Function:
    """What `f` gives for the inputs, row by row.

    A batch is padded to the next of `allowed_batch_sizes` and its results cut back. A larger one than `max_batch_size`
    is refused, or with `enable_large_batch_splitting` computed in parts.
    """
    _check_sizes(max_batch_size, allowed_batch_sizes, splits=enable_large_batch_splitting)
    largest = allowed_batch_sizes[-1] if allowed_batch_sizes else max_batch_size

    def call(in_tensors: tuple[Any, ...], captured_tensors: tuple[Any, ...], *, run: Any) -> tuple[Any, ...]:
        size = _batch_size(in_tensors)
        if size > max_batch_size and not enable_large_batch_splitting:
            raise errors.InvalidArgumentError(
                f"Task size {size} is larger than maximum input batch size {max_batch_size}"
            )
        parts = []
        for start in range(0, max(size, 1), largest):
            rows = [t[start : start + largest] for t in in_tensors]
            count = len(rows[0])
            results = f([*_padded(rows, count, allowed_batch_sizes), *captured_tensors], run)
            parts.append([_cut(r, count, i) for i, r in enumerate(results)])
        if len(parts) == 1:
            return tuple(parts[0])
        return tuple([np.concatenate(column) for column in zip(*parts)])

    return call


def _cut(result: Any, count: int, index: int) -> Any:
    if not np.ndim(result):
        raise errors.FailedPreconditionError(f"Batched output tensor has 0 dimensions (output {index})")
    if len(result) < count:
        raise errors.FailedPreconditionError(
            f"Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input "
            f"tensors (output {index}: {len(result)} for {count})"
        )
    return result[:count]


shape("BatchFunction")(unknown)


@kernel("Batch", factory=True)
def batch(*, max_batch_size: int, allowed_batch_sizes: tuple[int, ...], manager: ResourceManager) -> Function:
    """The inputs, their rows [[id, 0, size]] in the batch, and the id."""
    _check_sizes(max_batch_size, allowed_batch_sizes)
    numbers = manager.node_state(_NUMBERS, lambda: itertools.count(1))

    def run(in_tensors: tuple[Any, ...]) -> tuple[Any, ...]:
        size = _batch_size(in_tensors)
        if size > max_batch_size:
            raise errors.InvalidArgumentError(
                f"Task size {size} is larger than maximum input batch size {max_batch_size}"
            )
        number = next(numbers)
        rows = np.array([[number, 0, size]], np.int64)
        return (*_padded(list(in_tensors), size, allowed_batch_sizes), rows, np.int64(number))

    return run


@shape("Batch")
def batch_shape(c: ShapeContext) -> list[Dims]:
    found: list[Dims] = []
    for i in range(c.num_inputs):
        dims = c.shape(i)
        if dims is not None and not dims:
            raise errors.InvalidArgumentError("Batching input tensors must have at least one dimension")
        found.append(None if dims is None else (None, *dims[1:]))
    return [*found, (None, 3), ()]


def _check_index(data: Array, batch_index: Array) -> None:
    if np.ndim(batch_index) != 2 or np.ndim(data) < 1:
        raise errors.InvalidArgumentError(
            f"Expected a matrix of indices and rows of data, got shapes {shape_text(np.shape(batch_index))} and "
            f"{shape_text(np.shape(data))}"
        )
    if len(batch_index) > len(data):
        raise errors.InvalidArgumentError(
            f"Wrong shape for index tensor. Expected 0th dimension size to be no greater than {len(data)}; Got: "
            f"{len(batch_index)}."
        )
    if batch_index.shape[1] != 3:
        raise errors.InvalidArgumentError(
            f"Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: {batch_index.shape[1]}."
        )


class _Kept:
    """What runs left for each other: id -> tensor."""

    def __init__(self) -> None:
        self.tensors: dict[int, Any] = {}


@kernel("Unbatch", factory=True)
def unbatch(*, container: str, shared_name: str, manager: ResourceManager, node: str) -> Function:
    """The rows of the batch that are this run's. The rest is kept for the runs that it belongs to."""

    def run(batched_tensor: Array, batch_index: Array, id: Any) -> Array:
        _check_index(batched_tensor, batch_index)
        if np.ndim(id):
            raise errors.InvalidArgumentError(f"Input id should be scalar; Got: {shape_text(np.shape(id))}.")
        kept = manager.lookup_or_create(container, shared_name or node, _Kept, _Kept).tensors
        number = int(id)
        if number in kept:
            return kept.pop(number)
        for owner, start, stop in batch_index.tolist():
            if not 0 <= start <= stop <= len(batched_tensor):
                raise errors.InvalidArgumentError(
                    f"batch_index holds rows [{start}, {stop}) of a batch of {len(batched_tensor)}"
                )
            if owner in kept:
                raise errors.AlreadyExistsError("Multiple tensors returned for same batch key.")
            kept[owner] = batched_tensor[start:stop].copy()
        if number not in kept:
            raise errors.DeadlineExceededError("Batched data did not arrive within timeout window.")
        return kept.pop(number)

    return run


@shape("Unbatch")
def unbatch_shape(c: ShapeContext) -> list[Dims]:
    dims = c.shape(0)
    return [None if not dims else (None, *dims[1:])]


@kernel("UnbatchGrad", factory=True)
def unbatch_grad(*, container: str, shared_name: str, manager: ResourceManager, node: str) -> Function:
    """The gradients of all parts of a batch, where this run holds the batch; else no rows."""

    def run(original_input: Array, batch_index: Array, grad: Array, id: Any) -> Array:
        if np.ndim(id):
            raise errors.InvalidArgumentError(f"Expected `id` to be scalar. Received {shape_text(np.shape(id))}")
        kept = manager.lookup_or_create(container, shared_name or node, _Kept, _Kept).tensors
        if int(id) in kept:
            raise errors.InvalidArgumentError("Two runs with the same batch key.")
        if not np.size(original_input):
            kept[int(id)] = grad
            return grad[:0].copy()
        if not np.size(batch_index):
            raise errors.InvalidArgumentError("batch_index is empty while the tensor isn't.")
        if np.size(batch_index) != len(batch_index) * 3:
            raise errors.InvalidArgumentError(
                f"batch_index should contain {len(batch_index) * 3} elements. Received {np.size(batch_index)}"
            )
        owners = batch_index.reshape(-1, 3)[:, 0].tolist()
        available = {**kept, int(id): grad}
        if missing := [n for n in owners if n not in available]:
            raise errors.DeadlineExceededError(f"Gradients of batch key {missing[0]} did not arrive.")
        for n in owners:
            kept.pop(n, None)
        return np.concatenate([available[n] for n in owners])

    return run


@shape("UnbatchGrad")
def unbatch_grad_shape(c: ShapeContext) -> list[Dims]:
    dims = c.shape(2)
    return [None if not dims else (None, *dims[1:])]
