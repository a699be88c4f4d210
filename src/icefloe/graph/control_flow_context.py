"""The contexts that conditionals and loops are built in.

A graph has a current context; an op made while there is one belongs to it. The context then sees to it that what the
op takes from outside passes the Switch or Enter that guards it, and that an op without inputs hangs on the context's
pivot. Contexts nest; `cond_context` and `while_context` hold the two kinds.

Source: tensorflow/python/ops/control_flow_ops.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from icefloe.graph.control_flow_nodes import output_context, while_context_of
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import ValuesDef


@contextlib.contextmanager
def changes_uncounted(graph: Graph) -> Iterator[None]:
    """Let changes to nodes that this construction has just made not count as changes to nodes that are in use."""
    before = graph.mutations
    try:
        yield
    finally:
        graph.mutations = before


class ControlFlowContext:
    """A branch of a conditional, or a loop, as ops are put into it.

    outer_context: the context that it was made in. The methods have TensorFlow's names.
    """

    _name: str
    # Of a loop that computes gradients, the loop whose gradients they are.
    forward_loop: ControlFlowContext | None = None

    def __init__(self, values_def: Any = None, import_scope: str | None = None) -> None:
        self._nested_contexts: list[ControlFlowContext] = []
        self._outer_context: ControlFlowContext | None = get_default_graph()._get_control_flow_context()
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._context_stack: list[ControlFlowContext | None] = []
        # The names of the tensors seen in this context.
        self._values: set[str] = set()
        # Tensors from outside, by name -> what stands for them in here.
        self._external_values: dict[str, Tensor] = {}
        if values_def is not None:
            self._take_values(values_def, import_scope)

    def _take_values(self, values_def: Any, import_scope: str | None) -> None:
        graph = get_default_graph()
        self._values = {prepend_name_scope(name, import_scope) for name in values_def.values}
        for outside, inside in values_def.external_values.items():
            tensor = graph.as_graph_element(prepend_name_scope(inside, import_scope))
            self._external_values[prepend_name_scope(outside, import_scope)] = tensor
        for name in {name.partition(":")[0] for name in self._values - set(self._external_values)}:
            graph.as_graph_element(name)._set_control_flow_context(self)

    @property
    def name(self) -> str:
        """Its name; a loop's is the name of its frame."""
        return self._name

    @property
    def outer_context(self) -> ControlFlowContext | None:
        """The context around it, or None."""
        return self._outer_context

    @property
    def back_prop(self) -> bool:
        """Whether gradients go through the loop that it is or is in."""
        loop = self.GetWhileContext()
        return loop is not None and loop is not self and loop.back_prop

    # What the kinds differ in

    def AddOp(self, op: Operation) -> None:
        """Take up an op made in this context."""
        raise NotImplementedError

    def AddValue(self, val: Tensor) -> Tensor:
        """Return what stands for `val` in this context."""
        raise NotImplementedError

    def GetControlPivot(self) -> Tensor | None:
        """Return the tensor that ops without inputs are tied to, or None."""
        return None

    def IsWhileContext(self) -> bool:
        """Whether it is a loop."""
        return False

    def IsCondContext(self) -> bool:
        """Whether it is a branch of a conditional."""
        return False

    def IsXLAContext(self) -> bool:
        """Whether it is one of a compiler's."""
        return False

    def to_control_flow_context_def(self, context_def: Any, export_scope: str | None = None) -> None:
        """Write this into a ControlFlowContextDef."""
        raise NotImplementedError

    # What they share

    def Enter(self) -> None:
        """Make it the current context of the default graph."""
        graph = get_default_graph()
        self._context_stack.append(graph._get_control_flow_context())
        graph._set_control_flow_context(self)

    def Exit(self) -> None:
        """Go back to the context that was current before `Enter`."""
        get_default_graph()._set_control_flow_context(self._context_stack.pop())

    def ExitResult(self, result: Iterable[Tensor]) -> None:
        """Make tensors known to the context around."""
        if self._outer_context is not None:
            for tensor in result:
                self._outer_context.AddName(tensor.name)

    def AddName(self, name: str) -> None:
        """Note that the tensor of this name belongs in here."""
        self._values.add(name)

    def AddInnerOp(self, op: Operation) -> None:
        """Tell the contexts around of an op made in one inside of them."""
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def GetWhileContext(self) -> ControlFlowContext | None:
        """Return the innermost loop around, or itself if it is one."""
        return while_context_of(self)

    def EnterGradientColocation(self, op: Operation, gradient_uid: Any) -> None:
        """Tell the contexts around that gradients placed with `op` are being built."""
        if self._outer_context is not None:
            self._outer_context.EnterGradientColocation(op, gradient_uid)

    def ExitGradientColocation(self, op: Operation, gradient_uid: Any) -> None:
        """Tell the contexts around that these gradients are built."""
        if self._outer_context is not None:
            self._outer_context.ExitGradientColocation(op, gradient_uid)

    def _remove_external_control_edges(self, op: Operation) -> tuple[list[Operation], list[Operation]]:
        """Take from `op` its control inputs from outside of the loop it is in; return (kept, taken away)."""
        loop = self.GetWhileContext()
        controls = op.control_inputs
        if loop is None or not controls:
            return controls, []
        kept: list[Operation] = []
        taken: list[Operation] = []
        for source in controls:
            there = output_context(source)
            inside = there is not None and there.GetWhileContext() is loop
            (kept if inside else taken).append(source)
        if taken:
            op._remove_all_control_inputs()
            op._add_control_inputs(kept)
        return kept, taken

    def _names_known_around(self, names: Iterable[str]) -> None:
        """Note tensors made in here, in this context and all around it."""
        names = list(names)
        context: ControlFlowContext | None = self
        while context is not None:
            context._values.update(names)
            context = context._outer_context

    def _to_values_def(self, export_scope: str | None = None) -> Any:
        values_def = ValuesDef()
        values_def.values.extend(strip_name_scope(name, export_scope) for name in sorted(self._values))
        for outside, inside in self._external_values.items():
            key = strip_name_scope(outside, export_scope)
            values_def.external_values[key] = strip_name_scope(inside.name, export_scope)
        return values_def

    def _write_nested(self, context_def: Any, export_scope: str | None) -> None:
        # TensorFlow leaves the scope in the names of nested contexts, which then fit no graph.
        for nested in self._nested_contexts:
            nested.to_control_flow_context_def(context_def.nested_contexts.add(), export_scope)

    def _read_nested(self, context_def: Any, import_scope: str | None) -> None:
        self.Enter()
        for nested in context_def.nested_contexts:
            context_from_def(nested, import_scope)
        self.Exit()

    def __str__(self) -> str:
        return self.name


class XLAControlFlowContext(ControlFlowContext):
    """A context that leaves ops as they are; compilers derive theirs from it."""

    def __init__(self) -> None:
        super().__init__()
        self._name = "XLAControlFlowContext"

    def IsXLAContext(self) -> bool:
        """Whether it is one of a compiler's: yes."""
        return True

    def AddOp(self, op: Operation) -> None:
        """Leave `op` as it is."""

    def AddValue(self, val: Tensor) -> Tensor:
        """Return `val`."""
        return val


def context_from_def(context_def: Any, import_scope: str | None = None) -> ControlFlowContext:
    """Return the context of a ControlFlowContextDef whose nodes are in the default graph, below `import_scope`.

    Raises: NotImplementedError for a kind that there is not; KeyError, ValueError if a node is not there.
    """
    from icefloe.graph.cond_context import CondContext
    from icefloe.graph.while_context import WhileContext

    kind = context_def.WhichOneof("ctxt")
    if kind == "cond_ctxt":
        return CondContext.from_proto(context_def.cond_ctxt, import_scope)
    if kind == "while_ctxt":
        return WhileContext.from_proto(context_def.while_ctxt, import_scope)
    raise NotImplementedError(f"Unknown ControlFlowContextDef field: {kind}")
