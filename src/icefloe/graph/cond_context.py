"""`CondContext`: one branch of a conditional while it is built.

A value from outside comes in through a Switch on the predicate; an op without inputs hangs on the branch's pivot, an
Identity of the predicate's Switch that is alive only if the branch is taken.

Source: tensorflow/python/ops/control_flow_ops.py (CondContext).
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.control_flow_context import ControlFlowContext, changes_uncounted
from icefloe.graph.control_flow_nodes import contains, is_loop_exit
from icefloe.graph.control_flow_ops import switch_colocated
from icefloe.graph.default_graph import control_dependencies
from icefloe.graph.graph import get_default_graph
from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import CondContextDef


class CondContext(ControlFlowContext):
    """A branch of a conditional.

    pred: the predicate. pivot: a tensor that is alive only in this branch. branch: 1 where `pred` is True, else 0.
    """

    def __init__(
        self,
        pred: Tensor | None = None,
        pivot: Tensor | None = None,
        branch: int | None = None,
        name: str = "cond_text",
        context_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        graph = get_default_graph()
        self._name = graph.unique_name(name)
        if context_def is not None:

            def element(name: str) -> Any:
                return graph.as_graph_element(prepend_name_scope(name, import_scope))

            self._name = prepend_name_scope(context_def.context_name, import_scope)
            self._pred = element(context_def.pred_name)
            self._pivot = element(context_def.pivot_name)
            self._branch = context_def.branch
            super().__init__(context_def.values_def, import_scope)
            return
        super().__init__()
        assert pred is not None and pivot is not None and branch is not None
        self._pred, self._pivot, self._branch = pred, pivot, branch
        self._values.update((pred.name, pivot.name))
        self._external_values[pred.name] = pred
        pivot.op._set_control_flow_context(self)

    @property
    def pred(self) -> Tensor:
        """The predicate."""
        return self._pred

    @property
    def pivot(self) -> Tensor:
        """A tensor that is alive only in this branch."""
        return self._pivot

    @property
    def branch(self) -> int:
        """1 for the branch taken where the predicate is True, 0 for the other."""
        return self._branch

    def GetControlPivot(self) -> Tensor:
        """Return the pivot."""
        return self._pivot

    def IsCondContext(self) -> bool:
        """Whether it is a branch of a conditional: yes."""
        return True

    # Values

    def AddValue(self, val: Tensor) -> Tensor:
        """Return what stands for `val` in this branch; the first time a Switch is made for one from outside."""
        if val.name in self._values:
            # In nested conditionals one that is known here may still stand for one from further outside.
            return self._external_values.get(val.name, val)
        result = val
        self._values.add(val.name)
        if self._outer_context is not None:
            result = self._known_around(val)
        with control_dependencies(None):
            result = switch_colocated(result, self._pred)[self._branch]
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(result.op)
        result.graph.prevent_fetching(result.op)
        result.op._set_control_flow_context(self)
        self._names_known_around([result.name])
        self._external_values[val.name] = result
        return result

    def _known_around(self, val: Tensor) -> Tensor:
        assert self._outer_context is not None
        result = self._outer_context.AddValue(val)
        self._values.add(result.name)
        self._external_values[result.name] = result
        return result

    def output(self, val: Tensor) -> Tensor:
        """Return `val`, a result of the branch's function, as the branch gives it out."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        # The function returned a tensor from outside as it is.
        self._values.add(val.name)
        real = val if self._outer_context is None else self._known_around(val)
        real = switch_colocated(real, self._pred)[self._branch]
        self._external_values[val.name] = real
        return real

    # Ops

    def AddOp(self, op: Operation) -> None:
        """Let `op`, made in this branch, run only if it is taken."""
        with changes_uncounted(op.graph):
            self._take_up(op)
        self._names_known_around(t.name for t in op.outputs)
        if self._outer_context is not None or not is_loop_exit(op):
            op.graph.prevent_fetching(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _take_up(self, op: Operation) -> None:
        if not op.inputs:
            self._remove_external_control_edges(op)
            if not any(contains(self, source._control_flow_context) for source in op.control_inputs):
                op._add_control_input(self._pivot.op)
            return
        for index, tensor in enumerate(op.inputs):
            if op.type == "Merge" and tensor.op.type == "NextIteration":
                # The back edge of a loop that is being imported: the NextIteration comes into this context later.
                continue
            real = self.AddValue(tensor)
            if real is not tensor:
                op._update_input(index, real)
        self._remove_external_control_edges(op)
        if op.graph._is_function(op.type) or op.type == "SymbolicGradient":
            op._add_control_input(self._pivot.op)

    # Messages

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return a CondContextDef, names without `export_scope`; None for a branch that is not below it."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return self._to_def(export_scope)

    def _to_def(self, export_scope: str | None) -> Any:
        context_def = CondContextDef(
            context_name=strip_name_scope(self.name, export_scope),
            pred_name=strip_name_scope(self._pred.name, export_scope),
            pivot_name=strip_name_scope(self._pivot.name, export_scope),
            branch=self._branch,
            values_def=self._to_values_def(export_scope),
        )
        self._write_nested(context_def, export_scope)
        return context_def

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> CondContext:
        """Return the context of a CondContextDef whose nodes are in the default graph, below `import_scope`.

        Raises: KeyError, ValueError if a node is not there.
        """
        context = CondContext(context_def=context_def, import_scope=import_scope)
        context._read_nested(context_def, import_scope)
        return context

    def to_control_flow_context_def(self, context_def: Any, export_scope: str | None = None) -> None:
        """Write this into a ControlFlowContextDef."""
        context_def.cond_ctxt.CopyFrom(self._to_def(export_scope))
