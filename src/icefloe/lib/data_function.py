"""Python functions of dataset transformations, as functions of the graph's library.

Source: tensorflow/python/data/ops/structured_function.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph import func_graph
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.func_graph import FuncGraph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.control_flow_values import variables_to_tensors
from icefloe.lib.function_tracing import trace
from icefloe.proto import NameAttrList


class DatasetFunction:
    """A function from an element to tensors, in the library of the default graph.

    spec: the structure of what it returns. attr: what a node refers to it by. captured: the tensors it takes besides.
    """

    def __init__(self, function: Callable[..., Any], transformation: str, input_spec: Any) -> None:
        """Build it by a call of `function`.

        transformation: `Dataset.map()` for example. input_spec: that of its argument; a tuple is one of several.

        Raises: TypeError if it returns what is no element.
        """
        self._function = function
        self._transformation = transformation
        self._input_spec = input_spec
        self.spec: Any = None
        self.body = FuncGraph(func_graph.unique_function_name("__inference_", self._name()))
        flat = structure.flat_specs(input_spec)
        signature = [TensorSpec(s.shape, s.dtype, f"args_{i}") for i, s in enumerate(flat)]
        trace(self.body, self._flat_call, signature)
        _order_effects(self.body)
        func_graph.add_to_library(self.body)
        self.captured: list[Tensor] = self.body.external_captures
        self.attr = NameAttrList(name=self.body.name)
        self.attr.attr["_tf_data_function"].b = True

    def _name(self) -> str:
        name = getattr(self._function, "__name__", type(self._function).__name__)
        whole = f"{self._transformation.replace('.', '_')[:-2]}_{name}"
        return "".join(c for c in whole if c not in "<>\\' ")

    def _flat_call(self, *tensors: Tensor) -> list[Tensor]:
        argument = structure.from_tensors(self._input_spec, tensors)
        given = argument if type(argument) is tuple else (argument,)
        returned = variables_to_tensors(self._function(*given))
        if isinstance(returned, list):
            returned = tuple(returned)
        try:
            self.spec = structure.spec_of(returned)
        except (ValueError, TypeError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {self._transformation}: {returned}."
            ) from error
        return [convert_to_tensor(t) for t in structure.to_tensors(self.spec, returned)]

    @property
    def types(self) -> Any:
        """The nest of dtypes of what it returns."""
        return structure.legacy_types(self.spec)

    def is_single(self, *specs: TensorSpec) -> bool:
        """Return whether it returns one tensor that fits one of `specs`."""
        return not nest.is_nested(self.spec) and any(s.is_compatible_with(self.spec) for s in specs)


def _order_effects(body: FuncGraph) -> None:
    """Make operations that change something run once, in the order in which they were made, and each on what those
    before it left of a resource.
    """
    last_write: dict[Tensor, Operation] = {}
    reads_since: dict[Tensor, list[Operation]] = {}
    effects: list[Operation] = []
    for op in body.get_operations():
        signature = op.signature
        if signature is None or not signature.is_stateful or op.type in ("Placeholder", "VarHandleOp"):
            continue
        before: list[Operation] = []
        only_reads = op.type in _READERS
        for tensor in op.inputs:
            if tensor.dtype.name != "resource":
                continue
            if tensor in last_write:
                before.append(last_write[tensor])
            if only_reads:
                reads_since.setdefault(tensor, []).append(op)
            else:
                before += reads_since.pop(tensor, [])
                last_write[tensor] = op
        op._add_control_inputs([o for o in dict.fromkeys(before) if o is not op and o not in op.control_inputs])
        if not only_reads:
            effects.append(op)
    body.control_outputs = effects


_READERS = frozenset(("ReadVariableOp", "VariableShape", "ResourceGather", "ResourceGatherNd", "LookupTableFindV2"))
