"""The variables that a graph holds, found in its nodes: also in a graph without collections, such as a bare GraphDef.

VariableV2, Variable      a reference; its initialiser is the Assign called `<name>/Assign`
VarHandleOp               a resource; AssignVariableOp `<name>/Assign`, and a ReadVariableOp of it for its value
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from icefloe.datatypes import DType, as_dtype
from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

_REFERENCES = frozenset(("Variable", "VariableV2", "AutoReloadVariable"))
_INITIALIZERS = frozenset(("Assign", "AssignVariableOp"))


@dataclass(frozen=True, slots=True)
class GraphVariable:
    """A variable's node, the operation that initialises it, and the tensor of its value; None where the graph has
    none.
    """

    op: Operation
    initializer: Operation | None
    value: Tensor | None

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def dtype(self) -> DType:
        """The DType of its elements, not a reference dtype."""
        return as_dtype(self.op.kernel_attr("dtype")).base_dtype

    @property
    def shape(self) -> tuple[int | None, ...] | None:
        """The shape it was declared with; None for unknown rank."""
        return self.op.kernel_attr("shape") if self.op.has_attr("shape") else None


def variables_of(graph: Graph) -> Iterator[GraphVariable]:
    """Yield the variables of `graph` in the order of its nodes."""
    for op in graph.get_operations():
        is_reference = op.type in _REFERENCES
        if not is_reference and op.type != "VarHandleOp":
            continue
        consumers = op.outputs[0].consumers()
        assigns = [c for c in consumers if c.type in _INITIALIZERS and c.inputs[0].op is op]
        named = [c for c in assigns if c.name == f"{op.name}/Assign"]
        value: Tensor | None = op.outputs[0]
        if not is_reference:
            reads = [c for c in consumers if c.type == "ReadVariableOp"]
            value = min(reads, key=lambda c: c._id).outputs[0] if reads else None
        yield GraphVariable(op, named[0] if named else None, value)


def initializers_of(graph: Graph) -> list[Operation]:
    """Return the operations that give the variables and tables of `graph` their initial values."""
    found = [v.initializer for v in variables_of(graph) if v.initializer is not None]
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        found += [item.initializer for item in graph.get_collection(key) if hasattr(item, "initializer")]
    found += [op for op in graph.get_collection(GraphKeys.TABLE_INITIALIZERS) if isinstance(op, Operation)]
    return list(dict.fromkeys(found))
