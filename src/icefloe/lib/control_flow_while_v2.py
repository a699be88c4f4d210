"""`while_loop` as a While op that calls two functions of the library.

The op's inputs are a counter, the greatest number of iterations, the loop's variables, and what condition and body take
from outside; the body gives the latter back as they were.

Source: tensorflow/python/ops/while_v2.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.attributes import encode
from icefloe.graph.build import apply_op, build_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.func_graph import FuncGraph, add_to_library, placeholder, unique_function_name
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, invariant_spec
from icefloe.graph.while_context import is_as_specific
from icefloe.lib.control import identity
from icefloe.lib.control_flow_cond_v2 import as_scalar
from icefloe.lib.control_flow_values import (
    flat_tensors,
    from_flow,
    to_flow,
    to_tensor_or_composite,
    variables_to_tensors,
)
from icefloe.lib.control_flow_while import flat_specs, pack_specs
from icefloe.lib.function_tracing import copy_handles, set_lowering, set_read_only_inputs, trace
from icefloe.lib.nest import assert_same_structure, flatten, is_nested, map_structure

# Before the loop's variables: counter and limit.
_OWN = 2


def while_v2(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any,
    *,
    parallel_iterations: int,
    back_prop: bool,
    name: str | None,
    maximum_iterations: Any,
    return_same_structure: bool,
) -> Any:
    """Return the results of a While op; see `control_flow_while.while_loop`."""
    loop = _Loop(cond, body, loop_vars, shape_invariants)
    with name_scope(name or "while") as scope:
        outputs = loop.build(scope, maximum_iterations, parallel_iterations)
    if not back_prop:
        outputs = [apply_op("StopGradient", tensor) for tensor in outputs]
    result = loop.packed(outputs)
    if return_same_structure:
        return result
    flat = flatten(result, expand_composites=True)
    return flat[0] if len(flat) == 1 else result


class _Loop:
    """One loop.

    given: the variables as they were passed, taken apart. specs: what is invariant of each.
    """

    def __init__(
        self, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any
    ) -> None:
        self.cond = cond
        self.body = body
        self.loop_vars = loop_vars
        self.given = flatten(loop_vars, expand_composites=True)
        flows = map_structure(lambda x: to_tensor_or_composite(to_flow(x)), loop_vars)
        self.start = flat_tensors(flows)
        if shape_invariants is None:
            self.specs = map_structure(invariant_spec, flows)
        else:
            self.specs = map_structure(invariant_spec, flows, shape_invariants)

    def packed(self, tensors: Any) -> Any:
        """Return a structure like that of the variables, of these tensors."""
        items = [from_flow(template, tensor) for template, tensor in zip(self.given, tensors)]
        return pack_specs(self.specs, items)

    def build(self, scope: str, maximum_iterations: Any, parallel_iterations: int) -> list[Tensor]:
        """Return the tensors of the variables after the loop."""
        with name_scope(None):
            names = unique_function_name(scope, "cond"), unique_function_name(scope, "body")
        bounded = maximum_iterations is not None
        limit = convert_to_tensor(
            maximum_iterations if bounded else -1, dtype=datatypes.int32, name="maximum_iterations"
        )
        counter = constant(0, dtype=limit.dtype if bounded else None, name="loop_counter")
        own = [counter, limit]
        signature = [*(TensorSpec.from_tensor(t) for t in own), *self.specs]
        condition = trace(FuncGraph(names[0]), self._condition(bounded), signature)
        iteration = trace(FuncGraph(names[1]), self._iteration(condition), signature)
        inputs = [*own, *self.start, *iteration.external_captures]
        iteration.outputs.extend(iteration.internal_captures)
        add_unused(condition, iteration)
        invariants = [spec.shape for spec in flat_specs(self.specs)]
        self._check(iteration, inputs, invariants)
        shapes = [tensor.shape for tensor in iteration.outputs]
        shapes[_OWN : _OWN + len(invariants)] = invariants
        with control_dependencies([*condition.control_captures, *iteration.control_captures]):
            op = loop_op(condition, iteration, inputs, shapes, parallel_iterations, scope)
        outputs: list[Tensor] = op.outputs
        if not get_default_graph().building_function:
            # Through the op itself, all of the loop would run whatever result is fetched.
            outputs = [identity(tensor) for tensor in outputs]
        return outputs[_OWN : _OWN + len(self.start)]

    # The two functions

    def _condition(self, bounded: bool) -> Callable[..., Any]:
        def condition(counter: Tensor, limit: Tensor, *values: Any) -> Any:
            pred = as_scalar(self.cond(*self._arguments(values)))
            return apply_op("LogicalAnd", counter < limit, pred) if bounded else pred

        return condition

    def _iteration(self, condition: FuncGraph) -> Callable[..., Any]:
        def iteration(counter: Tensor, limit: Tensor, *values: Any) -> Any:
            copy_handles(self.start, flat_tensors(values))
            graph = get_default_graph()
            assert isinstance(graph, FuncGraph)
            for tensor in condition.external_captures:  # first, so that both take them in the same order
                graph.capture(tensor)
            returned = self.body(*self._arguments(values))
            if not is_nested(returned):
                returned = [returned]
            try:
                assert_same_structure(returned, self.loop_vars, check_types=False, expand_composites=True)
            except ValueError:
                ours, theirs = variables_to_tensors(returned), variables_to_tensors(self.loop_vars)
                assert_same_structure(ours, theirs, check_types=False, expand_composites=True)
            return [counter + 1, limit, *map_structure(to_flow, returned)]

        return iteration

    def _arguments(self, values: Any) -> Any:
        return self.packed(flat_tensors(values))

    def _check(self, iteration: FuncGraph, inputs: list[Tensor], invariants: list[Any]) -> None:
        """Raise ValueError if a shape is not invariant, TypeError if a dtype is not."""
        results = iteration.outputs[_OWN:]
        for result, shape, start in zip(results, invariants, self.start):
            if not is_as_specific(result.shape, shape):
                raise ValueError(
                    f"Input tensor `{start.name}` enters the loop with shape {shape}, but has shape {result.shape} "
                    "after one iteration. To allow the shape to vary across iterations, use the `shape_invariants` "
                    "argument of tf.while_loop to specify a less-specific shape."
                )
        for inside, result, start in zip(iteration.inputs, iteration.outputs, inputs):
            if inside.dtype != result.dtype:
                raise TypeError(
                    f"Loop var {start.name} enters the loop with type {inside.dtype} but has type {result.dtype} after "
                    f"1 iteration. {start.name} type should remain constant."
                )


def add_unused(condition: FuncGraph, iteration: FuncGraph) -> None:
    """Let a loop's condition take what only its body needs."""
    missing = iteration.external_captures[len(condition.external_captures) :]
    prefix = condition.unique_name(f"{condition.name}___redundant_placeholder")
    pairs = condition.captures
    for i, tensor in enumerate(missing):
        unused = placeholder(condition, tensor.dtype, None, f"{prefix}{i}")
        pairs.append((tensor, unused))
        condition.inputs.append(unused)
    condition.set_captures(pairs)


def loop_op(
    condition: FuncGraph,
    iteration: FuncGraph,
    inputs: list[Tensor],
    shapes: list[Any],
    parallel_iterations: int,
    name: str,
) -> Operation:
    """Add a While op over two functions and return it. inputs: of its variables and what the functions take in."""
    stateful = any(op._is_stateful for graph in (condition, iteration) for op in graph.get_operations())
    attrs = {
        "cond": add_to_library(condition),
        "body": add_to_library(iteration),
        "output_shapes": shapes,
        "parallel_iterations": parallel_iterations,
    }
    op = build_op("While" if stateful else "StatelessWhile", (inputs,), attrs, name)
    copy_handles(iteration.outputs, op.outputs)
    set_lowering(op)
    set_read_only_inputs(op, [condition, iteration], 0)
    op._set_attr("_num_original_outputs", encode(len(iteration.outputs), "int", "_num_original_outputs"))
    return op
