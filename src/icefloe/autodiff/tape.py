"""`GradientTape`: gradients of what was built inside of a block, as TensorFlow 2's scripts ask for them.

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    dx = tape.gradient(y, x)

The gradients are nodes, as those of `gradients`. Only ops of the block count: what was built before or after is
constant. Source: tensorflow/python/eager/backprop.py (rules and messages).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.autodiff.walk import UnconnectedGradients, gradients
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import reshape, transpose
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.array_shape import size as size_of
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.nest import flatten, pack_sequence_as
from icefloe.lib.tensor_array import TensorArray
from icefloe.lib.variable import Variable
from icefloe.lib.variable_lists import trainable_variables


class GradientTape:
    """What was built inside of a `with` block, to be differentiated.

    persistent: gradients may be asked for more than once. watch_accessed_variables: trainable variables are watched.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._recording = False
        self._used = False
        self._spans: list[set[Operation]] = []
        self._before: set[Operation] = set()
        self._watched: dict[int, Any] = {}

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        self._before = set(get_default_graph().get_operations())
        self._recording = True

    def _stop(self) -> None:
        self._spans.append(set(get_default_graph().get_operations()) - self._before)
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Let gradients be asked for with respect to a tensor, or a nest of them.

        Raises: ValueError if it is no tensor or variable.
        """
        for x in flatten(tensor):
            if not isinstance(x, (Tensor, Variable, IndexedSlices)):
                raise ValueError(  # noqa: TRY004 (TensorFlow's class)
                    f"Passed in object {x} of type {type(x).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType."
                )
            self._watched[id(x)] = x

    def watched_variables(self) -> tuple[Any, ...]:
        """Return the variables that are watched."""
        found = {id(v): v for v in self._watched.values() if isinstance(v, Variable)}
        if self._watches_variables:
            ops = self._operations()
            used = {id(x) for op in ops for x in op.inputs}
            found.update({id(v): v for v in trainable_variables() if id(_graph_tensor(v)) in used})
        return tuple(found.values())

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Leave out what is built inside of the block. Raises: ValueError outside of the tape's own."""
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget all that was built and watched."""
        self._spans.clear()
        self._watched.clear()
        self._used = False
        if self._recording:
            self._start()

    def _use(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        self._used = True

    def _operations(self) -> set[Operation]:
        found = set().union(*self._spans)
        return found | (set(get_default_graph().get_operations()) - self._before) if self._recording else found

    # Gradients

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the gradients of the sum of `target`'s elements, in the structure of `sources`.

        output_gradients: of each of the targets, by default ones. A source that was not watched has none.

        Raises: RuntimeError at the second time, if the tape is not persistent; ValueError for a SparseTensor.
        """
        self._use()
        given = None if output_gradients is None else [_values_of(dy) for dy in flatten(output_gradients)]
        given_sources = flatten(sources)
        flat = [_values_of(x) for x in given_sources]
        made = self._gradients([_values_of(y) for y in flatten(target)], flat, given)
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            made = [zeros_like(x) if grad is None else grad for x, grad in zip(flat, made)]
        return pack_sequence_as(sources, [_with_values(x, grad) for x, grad in zip(given_sources, made)])

    def _gradients(self, targets: Sequence[Any], sources: Sequence[Any], given: Any) -> list[Any]:
        ops = self._operations()
        ys = [_graph_tensor(y) for y in targets]
        kept = [i for i, y in enumerate(ys) if y.op in ops or any(y is _graph_tensor(x) for x in sources)]
        wanted = [i for i, x in enumerate(sources) if self._is_watched(x, ops)]
        found: list[Any] = [None] * len(sources)
        if not kept or not wanted:
            return found
        outside = {id(x): x for op in ops for x in op.inputs if x.op not in ops}
        made = gradients(
            [targets[i] for i in kept],
            [sources[i] for i in wanted],
            None if given is None else [given[i] for i in kept],
            stop_gradients=list(outside.values()),
        )
        for i, grad in zip(wanted, made):
            found[i] = grad
        return found

    def _is_watched(self, x: Any, ops: set[Operation]) -> bool:
        if id(x) in self._watched or _graph_tensor(x).op in ops:
            return True
        return self._watches_variables and isinstance(x, Variable) and x.trainable

    # Matrices of derivatives

    def jacobian(
        self,
        target: Tensor,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivatives of each element of `target` with respect to `sources`: target's axes, then theirs.

        They are computed one row after the other.
        """
        self._use()
        flat_sources = flatten(sources)
        connected = [grad is not None for grad in self._gradients([target], flat_sources, None)]
        flat = reshape(target, [-1])
        count = size_of(target)
        rows = [x for x, is_connected in zip(flat_sources, connected) if is_connected]
        arrays = tuple(TensorArray(x.dtype.base_dtype, size=count, element_shape=x.shape) for x in rows)

        def turn(i: Any, written: Any) -> Any:
            made = gradients(gather(flat, i), [_graph_tensor(x) if isinstance(x, Tensor) else x for x in rows])
            return i + 1, tuple(array.write(i, _dense(grad)) for array, grad in zip(written, made))

        _, arrays = while_loop(lambda i, _: i < count, turn, (0, arrays), parallel_iterations=parallel_iterations or 10)
        stacks = iter(arrays)
        result: list[Any] = []
        for x, is_connected in zip(flat_sources, connected):
            if is_connected:
                shape = concat([shape_of(target), shape_of(x)], axis=0)
                full = reshape(next(stacks).stack(), shape)
                full.set_shape(target.shape.concatenate(x.shape))
                result.append(full)
            elif UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
                result.append(zeros(concat([shape_of(target), shape_of(x)], axis=0), x.dtype.base_dtype))
            else:
                result.append(None)
        return pack_sequence_as(sources, result)

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivatives of each row of `target` [batch, ...] with respect to that row of `source`.

        Raises: ValueError if their first sizes differ.
        """
        if not target.shape[:1].is_compatible_with(source.shape[:1]):
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match."
            )
        # A row of the target depends on its own row of the source only, so sums over the batch hold each row apart.
        self._use()
        made = [gradients(column, source)[0] for column in _columns(target)]
        if any(grad is None for grad in made):
            if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.NONE:
                return None
            made = [zeros_like(source) if grad is None else grad for grad in made]
        joined = stack([_dense(grad) for grad in made], axis=1)
        full = reshape(joined, concat([shape_of(target), shape_of(source)[1:]], axis=0))
        full.set_shape(target.shape.concatenate(source.shape[1:]))
        return full


def _columns(target: Tensor) -> list[Tensor]:
    """Return the sum over the batch of each element of a row."""
    count = target.shape[1:].num_elements()
    if count is None:
        raise ValueError(f"batch_jacobian needs the static shape of a row of the target, got {target.shape}")
    rows = transpose(reshape(target, [-1, count]))
    return [reduce_sum(rows[i]) for i in range(count)]


def _dense(grad: Any) -> Any:
    return convert_to_tensor(grad)


def _values_of(x: Any) -> Any:
    """Return what of `x` is differentiated: of a RaggedTensor the innermost values. Raises: ValueError if nothing."""
    if isinstance(x, SparseTensor):
        raise ValueError("Type SparseTensor is not supported as a gradient source or gradient target.")  # noqa: TRY004
    return x.flat_values if hasattr(type(x), "flat_values") else x


def _with_values(x: Any, grad: Any) -> Any:
    """Return the gradient of `x`, from that of what `_values_of` returned."""
    return x.with_flat_values(grad) if grad is not None and hasattr(type(x), "flat_values") else grad


def _graph_tensor(x: Any) -> Any:
    if isinstance(x, IndexedSlices):
        return x.values
    handle = getattr(x, "handle", None)
    if isinstance(handle, Tensor) and handle.dtype == datatypes.resource:
        return handle
    return x._ref() if isinstance(x, Variable) else x
