"""`wrap_function`: a Python function, written for a graph, as a function that owns its variables and can be pruned.

    linear = tf.wrap_function(build, [tf.TensorSpec([None, 3], tf.float32)])
    y = linear(x)
    hidden = linear.prune("Placeholder:0", "hidden/Relu:0")

Source: tensorflow/python/eager/wrap_function.py (rules and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe.graph.func_graph import FuncGraph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec, TypeSpec
from icefloe.lib.concrete_functions import ConcreteFunction, inference_name, trace_body
from icefloe.lib.function_variables import Creation
from icefloe.lib.nest import flatten, map_structure
from icefloe.lib.trace_keys import Leaf, rebuilt


def wrap_function(fn: Callable[..., Any], signature: Any, name: str | None = None) -> WrappedFunction:
    """Return `fn`, run once, as a function of arguments of `signature`.

    signature: specs of the positional arguments, a dict of specs of arguments by keyword, or one spec. name: of the
    function in the library. Ops of the body run only where a result, or a change of state, needs them.
    """
    graph = FuncGraph(name or "wrapped_function", collections={})
    creation = Creation(allowed=True, inside=False)
    args, kwargs = _arguments(signature)
    with graph.outer_graph._variable_creator_scope(creation, priority=50):
        trace_body(graph, fn, args, kwargs, orders=False)
    wrapped = WrappedFunction(graph, inference_name(graph.name), args, kwargs)
    graph.__dict__["_made_variables"] = creation.made
    return wrapped


def _arguments(signature: Any) -> tuple[list[Any], dict[str, Any]]:
    def leaf(spec: Any, name: str) -> Any:
        if isinstance(spec, TypeSpec):
            return Leaf(spec, None, getattr(spec, "name", None) or name or "Placeholder")
        return spec

    if isinstance(signature, dict):
        return [], {key: rebuilt(value, key, leaf) for key, value in signature.items()}
    given = [signature] if isinstance(signature, TypeSpec) else list(signature)
    return [rebuilt(value, "", leaf) for value in given], {}


class WrappedFunction(ConcreteFunction):
    """A function that owns its variables. Made by `wrap_function` or `prune`; see `ConcreteFunction`."""

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> WrappedFunction:
        """Return the part of this function that gives `fetches` from `feeds`.

        feeds: tensors of the body, or their names, in a nest. fetches: tensors, operations or names, in a nest; an
        operation gives None. input_signature: how the arguments are given, by default as `feeds` is nested.

        Raises: ValueError if `feeds` is not all tensors, or misses an argument that `fetches` needs.
        """
        flat_feeds = [self._element(item) for item in flatten(feeds)]
        for item in flat_feeds:
            if not isinstance(item, Tensor):
                raise ValueError(  # noqa: TRY004 (TensorFlow's class)
                    f"All members of argument `feeds` must be tensors. Got {item} with type {type(item)}."
                )
        structured = map_structure(self._element, fetches)
        results = [item for item in flatten(structured) if isinstance(item, Tensor)]
        targets = [item for item in flatten(structured) if isinstance(item, Operation)]
        inside = [internal for _, internal in self._captures]
        operations = _needed([*(t.op for t in results), *targets], [*flat_feeds, *inside])
        missing = [
            x.op.name for x in self.inputs if x.op in operations and not any(x is y for y in (*flat_feeds, *inside))
        ]
        if missing:
            raise ValueError(f"Some tensors must be fed: {', '.join(missing)}")
        leaves = [Leaf(TensorSpec(x.shape, x.dtype), None, x.op.name) for x in flat_feeds]
        args = leaves if input_signature is None else _arguments(input_signature)[0]
        graph = self.graph
        outputs, old = graph.outputs, graph.structured_outputs
        graph.outputs = results
        graph.structured_outputs = map_structure(lambda item: item if isinstance(item, Tensor) else None, structured)
        try:
            return WrappedFunction(
                graph,
                inference_name(name or "pruned"),
                args,
                {},
                inputs=[*flat_feeds, *inside],
                captures=self._captures,
                control_outputs=targets,
                operations=[op for op in graph.get_operations() if op in operations],
            )
        finally:
            graph.outputs, graph.structured_outputs = outputs, old

    def _element(self, item: Any) -> Any:
        return self.graph.as_graph_element(item)


def _needed(start: Sequence[Operation], ends: Sequence[Tensor]) -> set[Operation]:
    """Return the operations that those of `start` depend on, up to the tensors of `ends`."""
    stop = {id(tensor) for tensor in ends}
    found: set[Operation] = set()
    pending = list(start)
    while pending:
        op = pending.pop()
        if op in found:
            continue
        found.add(op)
        if op.outputs and all(id(x) in stop for x in op.outputs):
            continue
        pending.extend(x.op for x in op.inputs)
        pending.extend(op.control_inputs)
    return found
