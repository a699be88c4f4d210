"""`cond` and `switch_case` as If and Case ops that call functions of the library.

Source: tensorflow/python/ops/cond_v2.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import build_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.func_graph import FuncGraph, add_to_library, placeholder, unique_function_name
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.control import identity
from icefloe.lib.function_tracing import merge_handles, pack_results, set_lowering, set_read_only_inputs, trace
from icefloe.lib.math_cast import cast
from icefloe.lib.nest import assert_same_structure, flatten
from icefloe.shapes import TensorShape

Function = Callable[[], Any]


def cond_v2(pred: Any, true_fn: Function, false_fn: Function, name: str | None = None) -> Any:
    """Return the results of an If op that calls one of two functions; see `control_flow_cond.cond`."""
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    with name_scope(name or "cond") as scope:
        names = [unique_function_name(scope, kind) for kind in ("true", "false")]
        pred = as_scalar(convert_to_tensor(pred))
        return _traced(pred, names, [true_fn, false_fn], _IF).build(scope)


def indexed_case(branch_index: Any, branch_fns: Sequence[Function], name: str = "indexed_case") -> Any:
    """Return the results of a Case op that calls the function of this index, or the last one."""
    if isinstance(branch_index, int):
        raise TypeError("branch_index must not be a Python int", branch_index)
    with name_scope(name) as scope:
        names = [unique_function_name(scope, f"branch{i}") for i in range(len(branch_fns))]
        branch_index = convert_to_tensor(branch_index, name="branch_index")
        return _traced(branch_index, names, branch_fns, _CASE).build(scope)


def gradient_choice(selector: Tensor, bodies: Sequence[FuncGraph], *, is_if: bool, name: str) -> Any:
    """Return the results of an If or Case op over bodies that are there, the gradients of another's branches."""
    return _Choice(selector, bodies, _IF if is_if else _CASE).build(name)


def as_scalar(pred: Any) -> Any:
    """Return a tensor that may have dimensions of size 1 without them."""
    from icefloe.lib.array_shape import squeeze

    return pred if not isinstance(pred, Tensor) or pred.shape.rank == 0 else squeeze(pred)


class _Kind:
    """What conditionals and cases differ in."""

    def __init__(self, op: str, api: str, word: str) -> None:
        self.op, self.api, self.word = op, api, word

    def argument(self, i: int) -> str:
        return ("true_fn", "false_fn")[i] if self.op == "If" else f"branches[{i}]"

    def branch(self, i: int) -> str:
        return ("true_fn", "false_fn")[i] if self.op == "If" else f"branch {i}"


_IF = _Kind("If", "tf.cond", "cond")
_CASE = _Kind("Case", "tf.switch_case", "case")
# Ops with state that yet do not make a Case stateful.
_ORDER_DOES_NOT_MATTER = frozenset(
    """CollectiveGather CollectiveReduce CollectiveBcastSend CollectiveBcastSendV2 CollectiveBcastRecv
    CollectiveBcastRecvV2 NcclAllReduce Recv CollectiveInitializeCommunicator CollectiveAssignGroupV2 RandomUniform
    RandomUniformInt RandomStandardNormal ParameterizedTruncatedNormal TruncatedNormal RandomShuffle Multinomial
    RandomGamma RandomGammaGrad RandomPoisson RandomPoissonV2 CudnnRNN CudnnRNNBackprop CudnnRNNV2 CudnnRNNV3
    CudnnRNNBackpropV2 CudnnRNNBackpropV3 RestoreV2 SaveV2""".split()  # noqa: SIM905
)


def _traced(selector: Any, names: Sequence[str], functions: Sequence[Function], kind: _Kind) -> _Choice:
    bodies = [trace(FuncGraph(name), function, op_result=selector) for name, function in zip(names, functions)]
    return _Choice(selector, bodies, kind)


class _Choice:
    """An op that calls one of several functions."""

    def __init__(self, selector: Any, bodies: Sequence[FuncGraph], kind: _Kind) -> None:
        self.selector = selector
        self.kind = kind
        self.bodies = bodies
        self._check_captures()

    def build(self, name: str) -> Any:
        """Return the results, in the structure that the functions returned."""
        self._check_structures()
        self._make_indices_match()
        self._check_outputs()
        inputs = self._common_inputs()
        controls = [op for body in self.bodies for op in body.control_captures]
        with control_dependencies(controls):
            op = self._op(inputs, name)
        merge_handles([body.outputs for body in self.bodies], op.outputs)
        if op.outputs or op._is_stateful:
            set_lowering(op)
            set_read_only_inputs(op, self.bodies, 1)
            op.graph.prevent_fetching(op)
        # Through the op itself, all of the branch taken would run whatever result is fetched.
        tensors = [identity(tensor) for tensor in op.outputs]
        return pack_results(self.bodies[0].structured_outputs, tensors)

    def _op(self, inputs: list[Tensor], name: str) -> Operation:
        names = [add_to_library(body) for body in self.bodies]
        kind = self.kind.op if self._is_stateful() else f"Stateless{self.kind.op}"
        called: dict[str, Any] = {"branches": names}
        if self.kind is _IF:
            called = {"then_branch": names[0], "else_branch": names[1]}
        attrs = {"Tout": [t.dtype for t in self.bodies[0].outputs], "output_shapes": self._output_shapes(), **called}
        return build_op(kind, (self.selector, inputs), attrs, name)

    def _is_stateful(self) -> bool:
        ops = [op for body in self.bodies for op in body.get_operations() if op._is_stateful]
        return any(self.kind is _IF or op.type not in _ORDER_DOES_NOT_MATTER for op in ops)

    # Inputs

    def _check_captures(self) -> None:
        for i, body in enumerate(self.bodies):
            for tensor in body.external_captures:
                for j, other in enumerate(self.bodies):
                    if tensor.graph is other:
                        raise ValueError(
                            f"Tensor {tensor.name} in {self.kind.branch(j)} is accessed from {self.kind.branch(i)}."
                        )

    def _common_inputs(self) -> list[Tensor]:
        """Give all functions the same arguments, in the same order; return the tensors to pass."""
        inputs = list({id(t): t for body in self.bodies for t in body.external_captures}.values())
        for body in self.bodies:
            known = {id(external): internal for external, internal in body.captures}
            body.inputs = [known[id(t)] if id(t) in known else self._unused(body, t) for t in inputs]
            body.set_captures(zip(inputs, body.inputs))
        return inputs

    @staticmethod
    def _unused(body: FuncGraph, tensor: Tensor) -> Tensor:
        with body.as_default():
            return placeholder(body, tensor.dtype, tensor._static_dims())

    # Results

    def _check_structures(self) -> None:
        first = self.bodies[0].structured_outputs
        for i, body in enumerate(self.bodies[1:], 1):
            try:
                assert_same_structure(first, body.structured_outputs, expand_composites=True)
            except (ValueError, TypeError) as error:
                raise self._differ(i, str(error)) from None

    def _differ(self, i: int, detail: str) -> TypeError:
        return TypeError(
            f"{self.kind.argument(0)} and {self.kind.argument(i)} arguments to {self.kind.api} must have the same "
            "number, type, and overall structure of return values.\n\n"
            f"{self.kind.argument(0)} output: {self.bodies[0].structured_outputs}\n"
            f"{self.kind.argument(i)} output: {self.bodies[i].structured_outputs}\n\nError details:\n{detail}"
        )

    def _make_indices_match(self) -> None:
        """Cast the int32 indices of IndexedSlices to int64 where another branch has those."""
        groups = list(zip(*(flatten(body.structured_outputs) for body in self.bodies)))
        position = 0
        for number, group in enumerate(groups):
            kinds = {isinstance(item, IndexedSlices) for item in group}
            if len(kinds) > 1:
                raise TypeError(f"Cannot reconcile {self.kind.api} {number}-th outputs:\n  branches returned: {group}")
            if kinds == {True} and len({item.indices.dtype for item in group}) > 1:
                for body in self.bodies:
                    indices = body.outputs[position + 1]
                    if indices.dtype == datatypes.int32:
                        with body.as_default():
                            body.outputs[position + 1] = cast(indices, datatypes.int64)
                        body.structured_outputs = pack_results(body.structured_outputs, body.outputs)
            position += sum(part is not None for part in flatten(group[0], expand_composites=True))

    def _check_outputs(self) -> None:
        first = self.bodies[0].outputs
        for i, body in enumerate(self.bodies[1:], 1):
            if len(first) != len(body.outputs):
                raise ValueError(
                    f"Lengths of branch outputs of {self.kind.word} must match.\nlen(graphs[0].outputs): "
                    f"{len(first)}\nlen(graphs[{i}].outputs): {len(body.outputs)}\n"
                )
            for ours, theirs in zip(first, body.outputs):
                if ours.dtype != theirs.dtype:
                    raise self._differ(i, f"{ours} and {theirs} have different types")

    def _output_shapes(self) -> list[TensorShape]:
        shapes = []
        for group in zip(*(body.outputs for body in self.bodies)):
            shape = group[0].shape
            for tensor in group[1:]:
                shape = shape.most_specific_compatible_shape(tensor.shape)
            shapes.append(shape)
        return shapes
