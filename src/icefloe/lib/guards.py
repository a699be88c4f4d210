"""The two conditionals that TensorFlow 1 puts into ordinary graphs by itself, as Switch and Merge nodes.

`Assert` of data that may not be on the host runs its Assert node only if the condition is False;
`Variable.initialized_value` chooses between a variable and its initial value. Nodes, names and order are those that
`tf.cond` gives: what a branch takes from outside goes through a Switch that is made after the node that takes it.
"""

from __future__ import annotations

from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.control import with_dependencies
from icefloe.lib.scopes import init_scope


class _Branches:
    """The predicate of a conditional, split into the pivots of its two branches."""

    def __init__(self, pred: Tensor) -> None:
        if_false, if_true = apply_op("Switch", pred, pred, name="Switch")
        self.if_true = apply_op("Identity", if_true, name="switch_t")
        self.if_false = apply_op("Identity", if_false, name="switch_f")
        self.pred = apply_op("Identity", pred, name="pred_id")

    def enter(self, tensor: Tensor, branch: int) -> Tensor:
        """Return `tensor` as the branch (0: false, 1: true) sees it: dead where the other one is taken."""
        op = "RefSwitch" if tensor.dtype._is_ref_dtype else "Switch"
        with colocate_with(tensor, ignore_existing=True):
            return apply_op(op, tensor, self.pred, name="Switch")[branch]

    def move_inputs(self, op: Operation, outside: list[Tensor], branch: int) -> None:
        """Let `op` take those of its inputs that are among `outside` through the branch."""
        entered: dict[Tensor, Tensor] = {}
        with name_scope(f"{op.name}/"):
            for i, tensor in enumerate(op.inputs):
                if any(tensor is other for other in outside):
                    if tensor not in entered:
                        entered[tensor] = self.enter(tensor, branch)
                    op._update_input(i, entered[tensor])


def guarded_assert(condition: Tensor, data: Any, summarize: int) -> Operation:
    """Return the Merge operation that is done when `condition` holds or the Assert of `data` has passed."""
    with name_scope(None, "AssertGuard", [condition]):
        branches = _Branches(condition)
        nothing = apply_op("NoOp")
        nothing._add_control_input(branches.if_true.op)
        passed = with_dependencies([nothing], branches.if_true)
        outside = [condition, *(item for item in data if isinstance(item, Tensor))]
        with name_scope("Assert") as scope:
            shown = []
            for i, item in enumerate(data):
                if not isinstance(item, Tensor):
                    item = constant(item, name=f"data_{i}")
                    item.op._add_control_input(branches.if_false.op)
                shown.append(item)
            checked = apply_op("Assert", condition, shown, summarize=summarize, name=scope)
        branches.move_inputs(checked, outside, 0)
        failed = with_dependencies([checked], branches.if_false)
        return apply_op("Merge", [failed, passed], name="Merge")[0].op


def initialized_value(variable: Any) -> Tensor:
    """Return the value of `variable`, or its initial value if it has none when the graph runs."""
    with init_scope():
        pred = variable.is_initialized()
        with name_scope(None, "cond", [pred]):
            branches = _Branches(pred)
            source = getattr(variable, "handle", None)
            if source is None:
                source = variable._ref()
                held = apply_op("Identity", source, name="read")
            else:
                held = apply_op("ReadVariableOp", source, dtype=variable.dtype, name="read")
            branches.move_inputs(held.op, [source], 1)
            initial = branches.enter(variable.initial_value, 0)
            merged = apply_op("Merge", [initial, held], name="Merge")[0]
            merged.set_shape(variable.shape)
            return merged
