"""`gradients`: from the outputs back to the inputs, adding the nodes that compute derivatives.

Each operation between `ys` and `xs` is visited once all gradients of its outputs are there; its rule makes nodes for
the gradients of its inputs in the scope `<name>/<operation>_grad`. No recursion: the graph may be one long chain.

Source: tensorflow/python/ops/gradients_util.py (order of nodes, names, messages).
"""

from __future__ import annotations

import collections
import contextlib
import enum
from collections.abc import Iterable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.autodiff import aggregation
from icefloe.autodiff.given import check_given, passed_on
from icefloe.autodiff.loop_state import LoopStates, states_of
from icefloe.autodiff.registration import Rule, rule_of
from icefloe.autodiff.zeros import is_trainable, zeros_for_output, zeros_of
from icefloe.graph.build import apply_op
from icefloe.graph.control_flow_nodes import is_loop_exit, is_switch
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import device, name_scope
from icefloe.graph.func_graph import FunctionBody
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices, convert_n_to_tensor_or_indexed_slices
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import ones
from icefloe.lib.array_shape import shape
from icefloe.lib.control import tuple as gate
from icefloe.proto import NameAttrList
from icefloe.resources import python_functions


class UnconnectedGradients(enum.Enum):
    """What `gradients` gives for an input that the outputs do not depend on: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Return the sum of the derivatives of `ys` by each of `xs`: tensors, IndexedSlices, or None.

    grad_ys: the gradient of each of `ys`; ones where None. colocate_gradients_with_ops: put gradients where the ops
    are. gate_gradients: let no gradient of an op be used before all of them are there. aggregation_method: an
    `AggregationMethod`. stop_gradients: tensors that count as constants. unconnected_gradients: "none" or "zero".

    Raises: LookupError if an op has no gradient rule; TypeError for a dtype that has no gradient; ValueError if lengths
    or shapes do not fit.
    """
    walk = _Walk(
        get_default_graph(),
        colocate_gradients_with_ops,
        gate_gradients,
        aggregation.check_method(aggregation_method),
    )
    try:
        unconnected = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{unconnected_gradients}'") from None
    return walk.run(
        _as_list(ys),
        _as_list(xs),
        None if grad_ys is None else _as_list(grad_ys),
        name,
        [] if stop_gradients is None else _as_list(stop_gradients),
        unconnected,
    )


def gradients_of_body(
    body: Graph,
    ys: Sequence[Tensor],
    xs: Sequence[Tensor],
    grad_ys: Sequence[Any],
    unconnected: UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Any]:
    """Return the gradients of tensors of `body`, made in the default graph: the body of the gradient, which takes in
    what it needs of the tensors of `body`."""
    walk = _Walk(body, False, False, aggregation.check_method(None))
    return walk.run(list(ys), list(xs), list(grad_ys), "gradients", [], unconnected)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _differentiated(x: Any) -> Any:
    """Return what stands for an input in the graph: of a resource variable, its handle; of another, its reference."""
    handle = getattr(x, "handle", None)
    if isinstance(handle, Tensor) and handle.dtype == datatypes.resource:
        return handle
    return x if isinstance(x, IndexedSlices) else convert_to_tensor(x, name="x", as_ref=True)


class _Walk:
    """One call of `gradients`. graph: where the operations are; the gradients are made in the default graph."""

    def __init__(self, graph: Graph, colocate: bool, gated: bool, method: int) -> None:
        self.graph = graph
        self.colocate = colocate
        self.gated = gated
        self.method = method
        self.uid = ""
        # operation -> for each output the gradients that have come in; one gradient or None once they are added up.
        self.grads: dict[Operation, list[Any]] = {}
        self.pending: dict[Operation, int] = collections.defaultdict(int)
        self.loops: LoopStates | None = None
        self.queue: collections.deque[Operation] = collections.deque()
        # In the body of a function: what is outside, by the argument that stands for it; and the arguments, by that.
        self.outside: dict[int, Tensor] = {}
        self.arguments: dict[int, list[Tensor]] = {}

    def run(
        self,
        ys: list[Any],
        xs: list[Any],
        grad_ys: list[Any] | None,
        name: str,
        stop: list[Any],
        unconnected: UnconnectedGradients,
    ) -> list[Any]:
        ys = [y if isinstance(y, (Tensor, IndexedSlices)) else convert_to_tensor(y, name="y") for y in ys]
        grad_ys = [None] * len(ys) if grad_ys is None else grad_ys
        values = [*ys, *(x for x in xs if isinstance(x, Tensor)), *stop, *grad_ys]
        with name_scope(name, "gradients", values):
            self.uid = get_default_graph().unique_name("uid")
            ys = convert_n_to_tensor_or_indexed_slices(ys, name="y")
            xs = [_differentiated(x) for x in xs]
            self._look_outside(xs)
            given = self._given(ys, grad_ys)
            from_ops = [x.op for x in xs]
            reachable = self._count_pending([y.op for y in ys], from_ops)
            for y, grad in zip(ys, given):
                self._add(y, grad)
            self._start([y.op for y in ys], reachable)
            stopped = self._stop_ops(from_ops, [_differentiated(t).op for t in stop])
            while self.queue:
                op = self.queue.popleft()
                with self._beside(op):
                    self._visit(op, stopped, from_ops)
                self._inputs_done(op)
            if self.loops is not None:
                self.loops.close_unused_switches()
        return [self._result(x, unconnected) for x in xs]

    def _beside(self, op: Operation) -> contextlib.AbstractContextManager[None]:
        if not self.colocate:
            return contextlib.nullcontext()
        return get_default_graph()._colocate_with_for_gradient(op, self.uid)

    # What is given

    def _given(self, ys: list[Any], grad_ys: list[Any]) -> list[Any]:
        """Return the gradient of each of `ys`, ones where none was given."""
        if len(grad_ys) != len(ys):
            raise ValueError(f"Length mismatch. Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
        grad_ys = convert_n_to_tensor_or_indexed_slices(grad_ys, name="grad_y")
        made: list[Any] = []
        for i, (y, grad) in enumerate(zip(ys, grad_ys)):
            with self._beside(y.op):
                if grad is None:
                    if y.dtype.is_complex:
                        raise TypeError(
                            f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})"
                        )
                    made.append(ones(shape(y), dtype=y.dtype, name=f"grad_ys_{i}"))
                    continue
                check_given(y, grad)
                made.append(passed_on(grad, f"grad_ys_{i}"))
        return made

    # The graphs around, where the operations are in the body of a function

    def _look_outside(self, xs: list[Any]) -> None:
        """Note what arguments of functions stand for, but for those that are differentiated by themselves."""
        ends = set(map(id, xs))
        body: Any = self.graph
        while isinstance(body, FunctionBody):
            inputs = set(map(id, body.inputs)) - ends
            for external, internal in body.captures:
                if id(internal) in inputs:
                    self.outside[id(internal)] = external
                    self.arguments.setdefault(id(external), []).append(internal)
            body = body.outer_graph

    def _inputs(self, op: Operation) -> Sequence[Tensor]:
        """Return the inputs of `op`; of an argument, what it stands for outside."""
        if not self.outside:
            return op.inputs
        return [self._source(x) for x in op.inputs]

    def _source(self, x: Tensor) -> Tensor:
        while id(x) in self.outside:
            x = self.outside[id(x)]
        return x

    def _consumers(self, output: Tensor) -> list[Operation]:
        found = output.consumers()
        for argument in self.arguments.get(id(output), ()):
            found += self._consumers(argument)
        return found

    # Which operations lie between

    def _count_pending(self, to_ops: list[Operation], from_ops: list[Operation]) -> set[Operation]:
        """Count the uses of each operation between; return those of `to_ops` that `from_ops` lead to."""
        reached: set[Operation] = set()
        queue = collections.deque(from_ops)
        while queue:
            op = queue.popleft()
            if op in reached:
                continue
            reached.add(op)
            for output in op.outputs:
                if is_trainable(output):
                    queue.extend(self._consumers(output))
        reachable = {op for op in to_ops if op in reached}
        between: set[Operation] = set()
        order: list[Operation] = []
        queue = collections.deque(to_ops)
        while queue:
            op = queue.popleft()
            if op in reached:
                between.add(op)
                order.append(op)
                reached.remove(op)
                queue.extend(x.op for x in self._inputs(op))
        self.loops = states_of(order, between, self.colocate)
        for op in order:
            for x in self._inputs(op):
                if x.op in between:
                    self.pending[x.op] += 1
        return reachable

    def _start(self, to_ops: Iterable[Operation], reachable: set[Operation]) -> None:
        started: set[Operation] = set()
        for op in to_ops:
            if self.pending[op] == 0 and op not in started and op in reachable:
                started.add(op)
                self.queue.append(op)
        if self.loops is not None:
            for y in self.loops.unused_exits(self.pending, started):
                if is_trainable(y):
                    self._add(y, self.loops.zeros_for_exit(y))
                    self.queue.append(y.op)

    def _stop_ops(self, from_ops: list[Operation], more: list[Operation]) -> set[Operation]:
        """Return operations that are not differentiated: inputs that depend on no other input, and what was named."""
        ends = {op for op in from_ops if not any(self.pending[x.op] > 0 for x in self._inputs(op))}
        return ends | set(more)

    # One operation

    def _visit(self, op: Operation, stopped: set[Operation], from_ops: list[Operation]) -> None:
        with self._in_loop(op, before=True):
            out_grads = self._aggregated(op)
        rule: Rule | None = None
        calls = False
        wanted = any(g is not None for g in out_grads)
        if wanted and op not in stopped:
            rule, calls = self._rule(op)
        with self._in_loop(op, before=False):
            if is_switch(op):
                self._check_loop_start(op, from_ops)
            if wanted and (rule is not None or calls):
                self._hand_on(op, rule, self._with_zeros(op, out_grads, calls and rule is None))

    def _in_loop(self, op: Operation, *, before: bool) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self.loops is None else self.loops.inside(op, before=before)

    def _aggregated(self, op: Operation) -> list[Any]:
        out_grads = self.grads.get(op)
        if out_grads is None:
            return [None] * len(op.outputs)
        for i, grads in enumerate(out_grads):
            if isinstance(grads, list):
                out_grads[i] = aggregation.aggregate(grads, op, i, self.uid, self.method)
        return list(out_grads)

    def _rule(self, op: Operation) -> tuple[Rule | None, bool]:
        """Return the rule of `op`, and whether it calls a function."""
        calls = op.type in ("PartitionedCall", "StatefulPartitionedCall") or self.graph._is_function(op.type)
        try:
            return rule_of(op), calls
        except LookupError:
            if not calls:
                raise LookupError(
                    f"No gradient defined for operation'{op.name}' (op type: {op.type}). In general every operation "
                    "must have an associated `@tf.RegisterGradient` for correct autodiff, which this op is lacking. If "
                    "you want to pretend this operation is a constant in your program, you may insert "
                    "`tf.stop_gradient`. This can be useful to silence the error in cases where you know gradients are "
                    "not needed, e.g. the forward pass of tf.custom_gradient."
                ) from None
        if "__concrete" in vars(op):
            from icefloe.autodiff.calls import call_gradient

            return call_gradient, False
        function = self.graph._get_function(op.get_attr("f").name if op.has_attr("f") else op.type)
        # Of functions alike but for their gradients the library holds one; the node knows which it was made by.
        return getattr(vars(op).get("__defun", function), "python_grad_func", None), True

    def _with_zeros(self, op: Operation, out_grads: list[Any], calls: bool) -> list[Any]:
        """Put zeros where an output that could have a gradient has none."""
        for i, grad in enumerate(out_grads):
            if grad is None and (calls or is_trainable(op.outputs[i])):
                if self.loops is not None:
                    out_grads[i] = self.loops.zeros_like_output(op, i)
                else:
                    out_grads[i] = zeros_for_output(op, i)
        return out_grads

    def _hand_on(self, op: Operation, rule: Rule | None, out_grads: list[Any]) -> None:
        with name_scope(f"{op.name}_grad"), self.graph._original_op(op):
            made = _call_gradient(op, out_grads) if rule is None else rule(op, *out_grads)
            in_grads = list(made) if isinstance(made, (list, tuple)) else [made]
            if len(in_grads) != len(op.inputs) and op.type not in ("While", "StatelessWhile"):
                raise ValueError(
                    f"Num gradients {len(in_grads)} generated for op {op.node_def} do not match num inputs "
                    f"{len(op.inputs)}"
                )
            if self.gated and sum(g is not None for g in in_grads) > 1:
                graph = get_default_graph()
                with device(None), graph._colocate_with_for_gradient(None, self.uid, ignore_existing=True):
                    in_grads = gate(in_grads)
        for i, (x, grad) in enumerate(zip(self._inputs(op), in_grads)):
            if grad is None:
                continue
            if isinstance(grad, Tensor) and x.dtype != datatypes.resource:
                _set_shape(op, i, grad)
            self._add(x, grad)

    def _add(self, tensor: Any, grad: Any) -> None:
        """Note a gradient of `tensor`."""
        op = tensor.op
        entry = self.grads.get(op)
        if entry is None:
            entry = self.grads[op] = [[] for _ in op.outputs]
        found = entry[tensor.value_index]
        if isinstance(found, list):
            found.append(grad)
        else:  # the second time round a loop
            entry[tensor.value_index] = grad

    def _inputs_done(self, op: Operation) -> None:
        """Count this use of the inputs as done; queue those that wait for no other."""
        for x in self._inputs(op):
            source = x.op
            self.pending[source] -= 1
            left = self.pending[source]
            if left == 0 or (left > 0 and self.loops is not None and _is_loop_switch(source)):
                if is_loop_exit(source) and self.loops is not None:
                    self._exit_done(x)
                else:
                    self.queue.append(source)

    def _exit_done(self, x: Tensor) -> None:
        """A loop is entered from behind once all its exits are ready, if one of them has a gradient."""
        assert self.loops is not None
        state = self.loops.state_of(x.op, before=False)
        assert state is not None
        state.deferred_exits.append(x)
        state.pending_exits -= 1
        if state.pending_exits:
            return
        used = [y for y in state.deferred_exits if self._has_gradient(y.op)]
        state.unused_exits.extend(y for y in state.deferred_exits if not self._has_gradient(y.op))
        self.queue.extend(y.op for y in used)
        for y in state.unused_exits:
            if used and is_trainable(y):
                self._add(y, self.loops.zeros_for_exit(y))
            self.queue.append(y.op)

    def _has_gradient(self, op: Operation) -> bool:
        for grads in self.grads.get(op, ()):
            if any(g is not None for g in grads) if isinstance(grads, list) else grads is not None:
                return True
        return False

    def _check_loop_start(self, op: Operation, from_ops: list[Operation]) -> None:
        context = op._control_flow_context
        if context is None or not context.IsWhileContext():
            return
        if context is not get_default_graph()._get_control_flow_context():
            return
        target = _nearest_above(op, set(from_ops))
        raise ValueError(
            f"Cannot compute gradient inside while loop with respect to op '{target.name}'. We do "
            "not support taking the gradient wrt or through the initial value of a loop variable. Gradients can be "
            "computed through loop invariants or wrt the input parameters to the loop body."
        )

    def _result(self, x: Any, unconnected: UnconnectedGradients) -> Any:
        entry = self.grads.get(x.op)
        grad = None if entry is None else entry[x.value_index]
        if isinstance(grad, list):
            grad = aggregation.aggregate(grad, x.op, x.value_index, self.uid, self.method)
        return zeros_of(x) if grad is None and unconnected is UnconnectedGradients.ZERO else grad


def _nearest_above(op: Operation, wanted: set[Operation]) -> Operation:
    """Return the nearest of `wanted` that `op` depends on, or `op` itself if there is none."""
    queue = collections.deque([op])
    seen: set[Operation] = set()
    while queue:
        found = queue.popleft()
        if found in wanted:
            return found
        if found not in seen:
            seen.add(found)
            queue.extend(x.op for x in found.inputs)
    return op


def _is_loop_switch(op: Operation) -> bool:
    context = op._control_flow_context
    return is_switch(op) and context is not None and context.IsWhileContext() and not _is_cond_switch(op)


def _is_cond_switch(op: Operation) -> bool:
    """Whether a Switch belongs to a conditional: one of a loop's variables feeds Exits or the body's Identities."""
    return op.inputs[0].op.type not in ("Merge", "RefMerge")


def _call_gradient(op: Operation, out_grads: list[Any]) -> list[Any]:
    """Return the gradients of a function's arguments as a SymbolicGradient computes them."""
    function = NameAttrList(name=op.get_attr("f").name if op.has_attr("f") else op.type)
    for key, value in op.node_def.attr.items():
        function.attr[key].CopyFrom(value)
    types = [datatypes.float32 if x.dtype == datatypes.resource else x.dtype.base_dtype for x in op.inputs]
    made = apply_op("SymbolicGradient", [*op.inputs, *out_grads], Tout=types, f=function)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def _set_shape(op: Operation, index: int, grad: Tensor) -> None:
    x = op.inputs[index]
    try:
        grad.set_shape(x.shape)
    except ValueError:
        raise ValueError(
            "Incompatible shapes between op input and calculated input gradient. Forward operation: "
            f"{op.name}. Input index: {index}. Original input shape: {x.shape}. Calculated input gradient shape: "
            f"{grad.shape}"
        ) from None


python_functions.provide(differentiate=gradients)
