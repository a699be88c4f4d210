"""`cond`: one of two functions, chosen when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.cond_context import CondContext
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.control import no_op, with_dependencies
from icefloe.lib.control_flow_toggles import use_control_flow_v2
from icefloe.lib.control_flow_values import merge, pack_tensors, summaries_run, switch, to_flow, variables_to_tensors
from icefloe.lib.math_cast import cast
from icefloe.lib.nest import assert_same_structure, flatten, map_structure


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Return what `true_fn` returns if `pred`, a bool scalar, is True when the graph runs, else what `false_fn` does.

    Both are called once, now; only the ops they make depend on `pred`. They return the same structure of tensors or
    operations, with the same dtypes. strict: keep lists and tuples of one element. fn1, fn2: the functions' old names.

    Raises: TypeError if `pred` is a Python bool or a function is none; TypeError or ValueError if the results differ or
    there are none.
    """
    true_fn = _chosen(true_fn, fn1, "true_fn", "fn1")
    false_fn = _chosen(false_fn, fn2, "false_fn", "fn2")
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if use_control_flow_v2(get_default_graph()):
        from icefloe.lib.control_flow_cond_v2 import cond_v2

        return cond_v2(pred, true_fn, false_fn, name)
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        if_false, if_true = switch(pred, pred)
        pivot_true = apply_op("Identity", if_true, name="switch_t")
        pivot_false = apply_op("Identity", if_false, name="switch_f")
        pred = apply_op("Identity", pred, name="pred_id")
        for tensor in (if_true, if_false, pivot_true, pivot_false, pred):
            tensor.graph.prevent_fetching(tensor.op)
        true = _Branch(pred, pivot_true, 1, true_fn, "true_fn")
        false = _Branch(pred, pivot_false, 0, false_fn, "false_fn")
        if not strict:
            true.returned, false.returned = _unpacked(true.returned), _unpacked(false.returned)
            for branch in (true, false):
                if branch.results is not None and len(branch.results) == 1:
                    branch.results = list(branch.results)
        _check_structures(true, false)
        merged = _merged(true, false)
        if true.context.outer_context is None:
            add_to_collection(GraphKeys.COND_CONTEXT, true.context)
            add_to_collection(GraphKeys.COND_CONTEXT, false.context)
        result = pack_tensors(true.returned, merged)
        return result if strict else _unpacked(result)


def _chosen(new: Any, old: Any, new_name: str, old_name: str) -> Any:
    if old is None:
        if new is None:
            raise TypeError(f"cond(): '{new_name}' argument required")
        return new
    if new is not None:
        raise TypeError(f"cond(): '{new_name}' and '{old_name}' may not be set simultaneously.")
    return old


class _Branch:
    """One function, called in a context of its own.

    returned: what it returned. results: the same with tensors of the branch in the places of operations and of tensors
    from outside.
    """

    def __init__(self, pred: Tensor, pivot: Tensor, branch: int, function: Callable[[], Any], what: str) -> None:
        self.context = CondContext(pred, pivot, branch)
        self.context.Enter()
        try:
            self._call(function)
            if self.returned is None:
                raise ValueError(f"'{what}' must have a return value.")
            self.context.ExitResult(flatten(self.results, expand_composites=True))
        finally:
            self.context.Exit()

    def _call(self, function: Callable[[], Any]) -> None:
        with summaries_run() as summaries:
            returned = function()
        self.returned: Any = returned
        self.results: Any = None
        if summaries.new and returned is None:
            with summaries.waited_for():
                self.returned = no_op()
            return
        if returned is None:
            return
        if not isinstance(returned, Operation):
            returned = summaries.after(returned)
        self.returned = variables_to_tensors(returned)
        results = map_structure(self._result, self.returned, expand_composites=True)
        self.results = results if isinstance(results, (list, tuple)) else [results]

    def _result(self, value: Any) -> Tensor:
        if isinstance(value, Operation):
            return with_dependencies([value], self.context.pivot)
        return self.context.output(convert_to_tensor(to_flow(value)))


def _unpacked(result: Any) -> Any:
    return result[0] if isinstance(result, (list, tuple)) and len(result) == 1 else result


def _check_structures(true: _Branch, false: _Branch) -> None:
    map_structure(_make_indices_match, true.returned, false.returned)
    map_structure(_make_indices_match, true.results, false.results)
    try:
        assert_same_structure(true.returned, false.returned, expand_composites=True)
    except TypeError as error:
        raise TypeError(f"Incompatible return types of 'true_fn' and 'false_fn': {error}") from None
    except ValueError as error:
        raise ValueError(f"Incompatible return values of 'true_fn' and 'false_fn': {error}") from None


def _make_indices_match(a: Any, b: Any) -> None:
    """Give two IndexedSlices whose indices differ in type int64 indices."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices) and a.indices.dtype != b.indices.dtype:
        for value in (a, b):
            value._indices = cast(value.indices, datatypes.int64)


def _merged(true: _Branch, false: _Branch) -> list[Tensor]:
    if not true.results:
        raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
    pairs = list(zip(flatten(true.results, expand_composites=True), flatten(false.results, expand_composites=True)))
    for a, b in pairs:
        if a.dtype.base_dtype != b.dtype.base_dtype:
            raise ValueError(
                "Outputs of 'true_fn' and 'false_fn' must have the same type(s). "
                f"Received {a.dtype.name} from 'true_fn' and {b.dtype.name} from 'false_fn'."
            )
    return [merge([b, a])[0] for a, b in pairs]
