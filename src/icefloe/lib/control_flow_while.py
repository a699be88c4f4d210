"""`while_loop`: a function that is repeated while a condition holds, when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.control_flow_context import changes_uncounted
from icefloe.graph.control_flow_ops import leave, merge, next_iteration, switch_colocated
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TypeSpec, invariant_spec
from icefloe.graph.while_context import WhileContext, is_as_specific
from icefloe.lib.control_flow_toggles import use_control_flow_v2
from icefloe.lib.control_flow_values import (
    flat_tensors,
    from_flow,
    pack_tensors,
    same_value,
    summaries_run,
    to_flow,
    to_tensor_or_composite,
    variables_to_tensors,
)
from icefloe.lib.nest import assert_same_structure, flatten, is_nested, map_structure
from icefloe.shapes import TensorShape


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Return the values that `loop_vars` have when `cond(*loop_vars)` is False after `loop_vars = body(*loop_vars)` so
    many times.

    `cond` gives a bool scalar, `body` new values of the same structure and dtypes; both are called once, now. What they
    use from outside is the same in every iteration. loop_vars: a list, tuple or nest of tensors, TensorArrays,
    SparseTensors, IndexedSlices. shape_invariants: a nest like `loop_vars` of what is the same of the shapes in every
    iteration, by default the initial shapes; needed where a shape changes. maximum_iterations: where to stop anyway.
    return_same_structure: keep the list around a single variable.

    Raises: TypeError if a function is none, `parallel_iterations` is not positive or dtypes change; ValueError if there
    are no variables, structures differ or a shape is not invariant.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    loop_vars = variables_to_tensors(loop_vars)
    if use_control_flow_v2(get_default_graph()):
        from icefloe.lib.control_flow_while_v2 import while_v2

        return while_v2(
            cond,
            body,
            loop_vars,
            shape_invariants,
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            name=name,
            maximum_iterations=maximum_iterations,
            return_same_structure=return_same_structure,
        )
    with name_scope(name, "while", loop_vars):
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        if maximum_iterations is not None:
            single = len(loop_vars) == 1 and not return_same_structure
            maximum_iterations, cond, body, loop_vars = _bounded(
                maximum_iterations, cond, body, loop_vars, single=single
            )
            if shape_invariants is not None:
                if single and isinstance(shape_invariants, (list, tuple)):
                    (shape_invariants,) = shape_invariants
                shape_invariants = (TensorShape([]), shape_invariants)
        context = WhileContext(maximum_iterations, parallel_iterations, back_prop, swap_memory)
        if context.outer_context is None:
            add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = _Loop(context, loop_vars, shape_invariants).build(cond, body)
        if maximum_iterations is not None:
            return result[1]
        return result[0] if len(context.loop_exits) == 1 and not return_same_structure else result


def _bounded(
    maximum_iterations: Any, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, *, single: bool
) -> tuple[Tensor, Callable[..., Any], Callable[..., Any], Any]:
    """Return (limit, condition, body, variables) of the loop that counts its iterations, too, and ends at the limit."""
    limit = convert_to_tensor(maximum_iterations, name="maximum_iterations")
    if limit.shape.rank != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    counter = constant(0, dtype=limit.dtype, name="iteration_counter")

    def counted_cond(i: Tensor, values: Any) -> Any:
        below = i < limit
        return apply_op("LogicalAnd", below, cond(values) if single else cond(*values))

    def counted_body(i: Tensor, values: Any) -> Any:
        next_i = i + 1
        return next_i, body(values) if single else body(*values)

    return limit, counted_cond, counted_body, (counter, loop_vars[0] if single else loop_vars)


class _Loop:
    """The nodes of one loop.

    given: the variables as they were passed, taken apart; TensorArrays among them are made anew from their flows.
    specs: what is invariant of each variable.
    """

    def __init__(self, context: WhileContext, loop_vars: Any, shape_invariants: Any) -> None:
        self.context = context
        self.given = flatten(loop_vars, expand_composites=True)
        self.variables = map_structure(to_tensor_or_composite, loop_vars)
        if shape_invariants is None:
            self.specs = map_structure(_spec, self.variables)
        else:
            self.specs = map_structure(_spec, self.variables, shape_invariants)

    def build(self, cond: Callable[..., Any], body: Callable[..., Any]) -> Any:
        """Return what `body` returned with the loop's results in the places of its tensors."""
        self.context.Enter()
        try:
            returned, exits = self._build(cond, body)
        finally:
            self.context.Exit()
        return pack_tensors(returned, exits)

    def _build(self, cond: Callable[..., Any], body: Callable[..., Any]) -> tuple[Any, list[Tensor]]:
        context = self.context
        enters = context.enter_variables(flat_tensors(self.variables), [s.shape for s in flat_specs(self.specs)])
        merges = [merge([tensor, tensor])[0] for tensor in enters]
        context._pivot_for_pred = merges[0]
        pred = convert_to_tensor(cond(*self._packed(merges)))
        context._pivot = apply_op("LoopCond", pred, name="LoopCond")
        switches = [switch_colocated(tensor, context._pivot) for tensor in merges]
        inside = [same_value(pair[1]) for pair in switches]
        context._pivot_for_body = inside[0]
        packed = self._packed(inside)
        with summaries_run() as summaries:
            returned = body(*packed)
        if not is_nested(returned):
            returned = [returned]
        returned = variables_to_tensors(summaries.after(returned))
        # A body may return a tuple where the variables were a list.
        assert_same_structure(list(packed), list(returned), expand_composites=True)
        results = [convert_to_tensor(tensor) for tensor in flat_tensors(returned)]
        if len(merges) != len(results):
            raise ValueError(
                f"Number of inputs and outputs of 'body' must match 'loop_vars'. Got {len(merges)} for the number of "
                f"inputs/outputs, and {len(results)} for 'loop_vars'."
            )
        for merged, result in zip(merges, results):
            _close(merged, result)
        exits = [leave(pair[0]) for pair in switches]
        context._loop_exits = exits
        context.ExitResult(exits)
        return returned, exits

    def _packed(self, tensors: list[Tensor]) -> Any:
        items = [from_flow(template, tensor) for template, tensor in zip(self.given, tensors)]
        return pack_specs(self.specs, items)


def _spec(value: Any, shape: Any = None) -> TypeSpec:
    return invariant_spec(to_flow(value), shape)


def flat_specs(specs: Any) -> list[Any]:
    """Return the TensorSpecs of all tensors of a nest of specs."""
    return [part for spec in flatten(specs) for part in spec.flatten()]


def pack_specs(specs: Any, items: list[Any]) -> Any:
    """Return a nest like `specs` of the values that consist of `items`: tensors, or a TensorArray for its flow."""
    rest = iter(items)

    def value(spec: TypeSpec) -> Any:
        return spec.from_tensors([next(rest) for _ in spec.flatten()])

    return map_structure(value, specs)


def _close(merged: Tensor, result: Tensor) -> None:
    """Lead `result` back to the Merge of its variable, for the next iteration."""
    following = next_iteration(result)
    if not is_as_specific(following.shape, merged.shape):
        entered = merged.op.inputs[0].op.inputs[0]
        raise ValueError(
            f"Input tensor '{entered.name}' enters the loop with shape {entered.shape}, but has shape "
            f"{following.shape} after one iteration. To allow the shape to vary across iterations, use the "
            "`shape_invariants` argument of tf.while_loop to specify a less-specific shape."
        )
    with changes_uncounted(merged.graph):
        merged.op._update_input(1, following)
