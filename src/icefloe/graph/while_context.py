"""`WhileContext`: a loop while it is built.

    Enter -> Merge -> Switch -> Exit              one row for each loop variable
               ^        +-> Identity -> body -+
               +--------- NextIteration <-----+

The condition is computed from the Merges; its LoopCond steers the Switches. A value from outside comes in through an
Enter that is the same in every iteration. An op that depends on no loop variable hangs on a pivot: the first Merge
while the condition is built, the first Identity while the body is.

Source: tensorflow/python/ops/control_flow_ops.py (WhileContext).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from icefloe.graph.attributes import encode
from icefloe.graph.build import apply_op
from icefloe.graph.control_flow_context import ControlFlowContext, changes_uncounted
from icefloe.graph.control_flow_nodes import is_loop_constant_enter, is_loop_enter, is_loop_exit, output_context
from icefloe.graph.control_flow_ops import enter
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import WhileContextDef


class WhileContext(ControlFlowContext):
    """A loop. Its name is that of its frame.

    maximum_iterations: a scalar tensor, or None. parallel_iterations: how many iterations may be under way at a time.
    back_prop: whether gradients may go through it. swap_memory: kept for whoever reads the graph.

    Raises: ValueError if `parallel_iterations` is no positive int.
    """

    def __init__(
        self,
        maximum_iterations: Tensor | None = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        context_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self._graph = get_default_graph()
        self._pivot_for_pred: Any = None
        self._pivot_for_body: Any = None
        self._pivot: Any = None
        self._loop_exits: list[Tensor] = []
        self._loop_enters: list[Tensor] = []
        if context_def is not None:
            self._read(context_def, import_scope)
            return
        super().__init__()
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError(f"'parallel_iterations' must be a positive integer: {parallel_iterations}")
        self._name = self._graph.unique_name(name)
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory

    def _read(self, context_def: Any, import_scope: str | None) -> None:
        def element(name: str) -> Any:
            return self._graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._name = prepend_name_scope(context_def.context_name, import_scope)
        limit = context_def.maximum_iterations_name
        self._maximum_iterations = element(limit) if limit else None
        self._parallel_iterations = context_def.parallel_iterations
        self._back_prop = context_def.back_prop
        self._swap_memory = context_def.swap_memory
        self._pivot_for_pred = element(context_def.pivot_for_pred_name)
        self._pivot_for_body = element(context_def.pivot_for_body_name)
        self._pivot = element(context_def.pivot_name)
        self._loop_exits = [element(name) for name in context_def.loop_exit_names]
        self._loop_enters = [element(name) for name in context_def.loop_enter_names]
        super().__init__(context_def.values_def, import_scope)
        if import_scope:
            # The frame is named like the context, which has got another name.
            for name in self._values:
                op = self._graph.as_graph_element(name).op
                if is_loop_enter(op):
                    op._set_attr("frame_name", encode(self._name, "string", "frame_name"))

    @property
    def maximum_iterations(self) -> Tensor | None:
        """The greatest number of iterations, or None."""
        return self._maximum_iterations

    @property
    def parallel_iterations(self) -> int:
        """How many iterations may be under way at a time."""
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        """Whether gradients may go through it."""
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        """What was asked for when it was built."""
        return self._swap_memory

    @property
    def pivot(self) -> Tensor:
        """The output of LoopCond."""
        return self._pivot

    @property
    def loop_enters(self) -> list[Tensor]:
        """The Enters of the loop variables."""
        return self._loop_enters

    @property
    def loop_exits(self) -> list[Tensor]:
        """The Exits of the loop variables."""
        return self._loop_exits

    def GetWhileContext(self) -> WhileContext:
        """Return itself."""
        return self

    def GetControlPivot(self) -> Tensor | None:
        """Return the pivot of the body, or of the condition while there is no body yet."""
        return self._pivot_for_pred if self._pivot_for_body is None else self._pivot_for_body

    def IsWhileContext(self) -> bool:
        """Whether it is a loop: yes."""
        return True

    # Values

    def AddValue(self, val: Tensor) -> Tensor:
        """Return what stands for `val` in the loop; the first time an Enter is made for one from outside."""
        # While a loop is imported into this one, `val` may belong to it and not have been seen yet.
        if val.name in self._values or val.op._control_flow_context is self:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        result = val if self._outer_context is None else self._outer_context.AddValue(val)
        with control_dependencies(None):
            result = enter(result, self._name, is_constant=True, parallel_iterations=self._parallel_iterations)
            result.graph.prevent_feeding(result)
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(result.op)
        self._place_enters([result])
        self._values.add(result.name)
        self._external_values[val.name] = result
        return result

    def _place_enters(self, enters: Iterable[Tensor]) -> None:
        """Take Enters into this context, with those control inputs of around that the loop may wait for."""
        graph = get_default_graph()
        for tensor in enters:
            source = tensor.op.inputs[0].op
            controls = graph._control_dependencies_for_inputs([source])
            tensor.op._set_control_flow_context(self)
            with changes_uncounted(graph):
                tensor.op._add_control_inputs(c for c in controls if self._can_wait_for(c))
            graph._record_op_seen_by_control_dependencies(tensor.op)

    def _can_wait_for(self, op: Operation) -> bool:
        """Whether `op` is in a context around this one, and in the same loop around it."""
        there = output_context(op)
        context = self._outer_context
        loop = None if context is None else context.GetWhileContext()
        while context is not there:
            if context is None or context is loop:
                return False
            context = context.outer_context
        return True

    def enter_variables(self, tensors: list[Tensor], invariants: list[Any]) -> list[Tensor]:
        """Return the Enters of the loop's variables, and make them the values known in the loop.

        invariants: the TensorShape that each has in every iteration.

        Raises: ValueError if an initial shape does not fit.
        """
        self._values = {tensor.name for tensor in tensors}
        if self._outer_context is not None:
            tensors = [self._outer_context.AddValue(tensor) for tensor in tensors]
        enters = []
        with control_dependencies(None):
            for tensor, invariant in zip(tensors, invariants):
                entered = enter(
                    tensor, self._name, parallel_iterations=self._parallel_iterations, use_input_shape=False
                )
                if not is_as_specific(tensor.shape, invariant):
                    raise ValueError(
                        f"The shape invariant specified for {tensor.name} is not compatible with the initial shape of "
                        f"the loop variable. It enters the loop with shape {tensor.shape}, but the specified shape "
                        f"invariant is {invariant}."
                    )
                entered.set_shape(invariant)
                entered.graph.prevent_feeding(entered)
                if self._outer_context is not None:
                    self._outer_context.AddInnerOp(entered.op)
                enters.append(entered)
        self._tie_constants(enters)
        self._place_enters(enters)
        self._values = {tensor.name for tensor in enters}
        self._loop_enters = enters
        return enters

    def _tie_constants(self, enters: list[Tensor]) -> None:
        """Let variables that start from a loop-invariant value wait for the pivot of the context around."""
        context, pivot = self._outer_context, None
        while context is not None and pivot is None:
            pivot = context.GetControlPivot()
            context = context.outer_context
        if pivot is None:
            return
        with changes_uncounted(self._graph):
            for tensor in enters:
                if is_loop_constant_enter(tensor.op.inputs[0].op):
                    tensor.op._add_control_input(pivot.op)

    # Ops

    def AddOp(self, op: Operation) -> None:
        """Let `op`, made in this loop, run in each iteration."""
        with changes_uncounted(op.graph):
            taken = self._take_up(op)
            if taken:
                op._add_control_inputs(self._pulled_in(taken))
        if self._outer_context is not None or not is_loop_exit(op):
            op.graph.prevent_fetching(op)
            for tensor in op.outputs:
                op.graph.prevent_feeding(tensor)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _take_up(self, op: Operation) -> list[Operation]:
        """Give `op` its inputs and control inputs in the loop; return the control inputs that were from outside."""
        if op.type in ("PartitionedCall", "StatefulPartitionedCall"):
            self._tie(op)
        if op.inputs:
            for index, tensor in enumerate(op.inputs):
                real = self.AddValue(tensor)
                if real is not tensor:
                    op._update_input(index, real)
            _, taken = self._remove_external_control_edges(op)
            if self._runs_unasked(op):
                self._tie(op)
        else:
            kept, taken = self._remove_external_control_edges(op)
            if not kept:
                self._tie(op)
        self._values.update(tensor.name for tensor in op.outputs)
        return taken

    def _tie(self, op: Operation) -> None:
        pivot = self.GetControlPivot()
        assert pivot is not None
        op._add_control_input(pivot.op)

    def _runs_unasked(self, op: Operation) -> bool:
        """Whether nothing that changes with the iterations keeps `op` from running in one more than there are."""
        if op.control_inputs:
            return False
        if op.graph._is_function(op.type) or op.type == "SymbolicGradient":
            return True
        return all(is_loop_constant_enter(tensor.op) for tensor in op.inputs)

    def _pulled_in(self, sources: list[Operation]) -> list[Operation]:
        """Return stand-ins in the loop for ops outside that one in it must wait for; none for ops without outputs."""
        with control_dependencies(None):
            self.Enter()
            pulled = [apply_op("Identity", source.outputs[0]).op for source in sources if source.outputs]
            self.Exit()
        return pulled

    # Messages

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return a WhileContextDef, names without `export_scope`; None for a loop that is not below it."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return self._to_def(export_scope)

    def _to_def(self, export_scope: str | None) -> Any:
        def name_of(tensor: Tensor) -> str:
            return strip_name_scope(tensor.name, export_scope)

        context_def = WhileContextDef(
            context_name=strip_name_scope(self.name, export_scope),
            parallel_iterations=self._parallel_iterations,
            back_prop=self._back_prop,
            swap_memory=self._swap_memory,
            pivot_for_pred_name=name_of(self._pivot_for_pred),
            pivot_for_body_name=name_of(self._pivot_for_body),
            pivot_name=name_of(self._pivot),
            loop_exit_names=[name_of(tensor) for tensor in self._loop_exits],
            loop_enter_names=[name_of(tensor) for tensor in self._loop_enters],
            values_def=self._to_values_def(export_scope),
        )
        if self._maximum_iterations is not None:
            context_def.maximum_iterations_name = name_of(self._maximum_iterations)
        self._write_nested(context_def, export_scope)
        return context_def

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> WhileContext:
        """Return the context of a WhileContextDef whose nodes are in the default graph, below `import_scope`.

        Raises: KeyError, ValueError if a node is not there.
        """
        context = WhileContext(context_def=context_def, import_scope=import_scope)
        context._read_nested(context_def, import_scope)
        return context

    def to_control_flow_context_def(self, context_def: Any, export_scope: str | None = None) -> None:
        """Write this into a ControlFlowContextDef."""
        context_def.while_ctxt.CopyFrom(self._to_def(export_scope))


def is_as_specific(shape: Any, invariant: Any) -> bool:
    """Whether all that `invariant` says of a shape, `shape` says too."""
    if invariant.rank is None:
        return True
    if shape.rank != invariant.rank:
        return False
    return all(known is None or known == size for size, known in zip(shape.as_list(), invariant.as_list()))
