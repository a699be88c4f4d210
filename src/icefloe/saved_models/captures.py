"""Which tensor of a TensorFlow 2 SavedModel's graph stands for which object of its object graph.

Functions capture objects: variables, tables, constants, assets. The object graph names captures by node; the graph has
a tensor for each. They are matched, in this order, by

    calls       a call in the graph of a function that the object graph knows: its last inputs are the captures
    restoring   the restore function assigns what is stored under a key, the path of a variable, to an argument
    names       constants by their node, assets by their AssetFileDef, variables by a name that only one has
    kinds       tables, where there are as many in the graph as in the object graph
"""

from __future__ import annotations

from collections.abc import Iterator

from icefloe import errors
from icefloe.graph.attributes import as_attr
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import FunctionDef, MetaGraphDef, SavedObjectGraph

_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
_TABLES = frozenset(("HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2"))
_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_MAX_PATH = 4096


def paths_of(objects: SavedObjectGraph) -> dict[str, int]:
    """Return each node of the object graph by its shortest path from the root, `a.b.c`; the root is the empty path.

    Nodes whose path is longer than 4,096 characters are left out.
    """
    found: dict[str, int] = {}
    seen: set[int] = set()
    level = [("", 0)] if objects.nodes else []
    while level:
        following: list[tuple[str, int]] = []
        for path, node in level:
            if node in seen or not 0 <= node < len(objects.nodes) or len(path) > _MAX_PATH:
                continue
            seen.add(node)
            found[path] = node
            prefix = path + "." if path else ""
            following.extend((prefix + child.local_name, child.node_id) for child in objects.nodes[node].children)
        level = following
    return found


class Captures:
    """Finds the tensor of each object that functions capture."""

    def __init__(self, graph: Graph, info: MetaGraphDef) -> None:
        self._graph = graph
        self._info = info
        self._objects = info.object_graph_def
        self._found: dict[int, Tensor] = {}
        self._operations: dict[str, list[Operation]] = {}
        for op in graph.get_operations():
            self._operations.setdefault(op.type, []).append(op)
        for op in self._calls():
            self._match_call(op)
        for op in self._calls():
            self._match_restoring(op)
        self._match_tables()

    def tensor(self, node: int) -> Tensor:
        """Return the tensor of the object `node`. Raises: NotFoundError if the graph has none that is known."""
        found = self._found.get(node)
        if found is None:
            found = self._by_name(node)
            if found is None:
                kind = self._objects.nodes[node].WhichOneof("kind") if 0 <= node < len(self._objects.nodes) else "none"
                raise errors.NotFoundError(f"the graph has no tensor for object {node} ({kind}), which is captured")
            self._found[node] = found
        return found

    def _calls(self) -> Iterator[Operation]:
        for kind in sorted(_CALLS):
            yield from self._operations.get(kind, [])

    def _function(self, op: Operation) -> str:
        value = op.node_def.attr["f"].func.name
        return str(value)

    def _match_call(self, op: Operation) -> None:
        name = self._function(op)
        if name not in self._objects.concrete_functions:
            return
        bound = self._objects.concrete_functions[name].bound_inputs
        inputs = list(op.inputs)
        if bound and len(bound) <= len(inputs):
            for node, tensor in zip(bound, inputs[-len(bound) :], strict=True):
                self._found.setdefault(node, tensor)

    def _match_restoring(self, op: Operation) -> None:
        function = self._graph.functions.get(self._function(op))
        keys = None if function is None else _restored_keys(function)
        inputs = list(op.inputs)[1:]
        if keys is None or len(keys) != len(inputs):
            return
        variables = {path.replace(".", "/"): node for path, node in paths_of(self._objects).items()}
        for key, tensor in zip(keys, inputs, strict=True):
            node = variables.get(key.removesuffix(_VALUE))
            if node is not None and key.endswith(_VALUE):
                self._found.setdefault(node, tensor)

    def _match_tables(self) -> None:
        nodes = [i for i, node in enumerate(self._objects.nodes) if node.WhichOneof("kind") == "resource"]
        tables = [op for op in self._graph.get_operations() if op.type in _TABLES]
        if len(nodes) == len(tables):
            for node, op in zip(nodes, tables, strict=True):
                self._found.setdefault(node, op.outputs[0])

    def _by_name(self, node: int) -> Tensor | None:
        if not 0 <= node < len(self._objects.nodes):
            return None
        item = self._objects.nodes[node]
        kind = item.WhichOneof("kind")
        try:
            if kind == "constant":
                return self._graph.get_operation_by_name(item.constant.operation).outputs[0]
            if kind == "asset":
                asset = self._info.asset_file_def[item.asset.asset_file_def_index]
                found: Tensor = self._graph.get_tensor_by_name(asset.tensor_info.name)
                return found
        except (KeyError, ValueError, IndexError):
            return None
        if kind == "variable":
            same = [n for n in self._objects.nodes if n.WhichOneof("kind") == "variable"]
            handles = [
                op
                for op in self._operations.get("VarHandleOp", [])
                if as_attr(op.node_def.attr["shared_name"]).s.decode(errors="replace") == item.variable.name
            ]
            if len(handles) == 1 and sum(n.variable.name == item.variable.name for n in same) == 1:
                return handles[0].outputs[0]
        return None


def _restored_keys(function: FunctionDef) -> list[str] | None:
    """Return the keys that a restore function reads, in the order of its arguments; None if it is of another form."""
    nodes = {node.name: node for node in function.node_def}
    restores = [node for node in function.node_def if node.op == "RestoreV2"]
    if len(restores) != 1 or len(restores[0].input) < 2:
        return None
    names = nodes.get(restores[0].input[1].partition(":")[0])
    if names is None or names.op != "Const":
        return None
    keys = [bytes(key).decode(errors="replace") for key in make_ndarray(names.attr["value"].tensor).ravel().tolist()]
    assigns = [node for node in function.node_def if node.op == "AssignVariableOp"]
    arguments = [arg.name for arg in function.signature.input_arg][1:]
    if [node.input[0] for node in assigns] != arguments:
        return None
    return keys[: len(arguments)]
