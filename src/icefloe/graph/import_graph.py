"""`import_graph_def`: the nodes of a GraphDef, added to the default graph.

Nodes come in the order of the GraphDef, each after its inputs; a loop's back edge is put in last. Names get a prefix
and, where they are taken, a number; inputs, colocation and devices follow. Nothing is added if anything is wrong.
More is taken than TensorFlow takes: ops that nobody registered, and cycles without a loop, which are refused when
they run.

Source: tensorflow/python/framework/importer.py, tensorflow/core/common_runtime/graph_constructor.cc (order, names,
messages).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any

from icefloe import errors
from icefloe.graph import collector, op_text
from icefloe.graph.control_flow_nodes import place_in_context
from icefloe.graph.default_graph import name_scope
from icefloe.graph.device_spec import DeviceScope
from icefloe.graph.edges import split_input
from icefloe.graph.graph import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    Graph,
    get_default_graph,
)
from icefloe.graph.import_arguments import (
    checked_elements,
    checked_map,
    drop_default_attrs,
    mapped_tensors,
    own_copy,
    parse_tensor_name,
)
from icefloe.graph.input_check import check_inputs
from icefloe.graph.naming import VALID_OP_NAME
from icefloe.graph.operation import Operation, argument_types, other_fields
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue, GraphDef, NodeDef

_API_VERSION = "2.21.0"
_COLOCATED = b"loc:@"


def import_graph_def(
    graph_def: Any,
    input_map: dict[Any, Any] | None = None,
    return_elements: Iterable[Any] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Add the nodes of `graph_def` to the default graph; return the elements asked for, or None if none were.

    graph_def: a GraphDef message (TensorFlow's too). input_map: input name in the GraphDef (`A`, `A:1`, `^A`) ->
    tensor to use in its place. return_elements: names of operations (`A`) and tensors (`A:0`) in the GraphDef. name:
    the prefix, by default `import`; "" for none. producer_op_list: OpDefs of whoever made the GraphDef: attrs that
    are unknown here are dropped where they have the default value there. op_dict: has no effect.

    Raises: TypeError, ValueError in TensorFlow's words.
    """
    definition = own_copy(graph_def)
    mapping = checked_map(input_map)
    wanted = checked_elements(return_elements)
    if producer_op_list is not None:
        drop_default_attrs(definition, producer_op_list)
    graph = get_default_graph()
    with name_scope(name, "import", mapping.values()) as scope:
        tensors = mapped_tensors(name, mapping)
    graph._check_not_finalized()
    try:
        with collector.paused():
            importer = _Importer(graph, definition, tensors, scope.rstrip("/"))
            importer.run(wanted)
    except errors.OpError as error:
        raise ValueError(error.message) from error
    importer.attach()
    return None if wanted is None else importer.elements(wanted)


class _Importer:
    """One import: operations are made apart and attached to the graph once all of them are right."""

    def __init__(self, graph: Graph, graph_def: GraphDef, input_map: dict[str, Tensor], prefix: str) -> None:
        self.graph = graph
        self.graph_def = graph_def
        self.prefix = prefix
        self.nodes = list(graph_def.node)
        self.index: dict[str, int] = {}
        self.control_map: dict[str, Operation] = {}
        self.input_map: dict[tuple[str, int], Tensor] = {}
        self.used: set[Any] = set()
        for key, tensor in input_map.items():
            if key.startswith("^"):
                self.control_map[key[1:]] = tensor.op
            else:
                self.input_map[parse_tensor_name(key)] = tensor
        # data inputs of each node as (name, index), and its control inputs
        self.inputs: list[list[tuple[str, int]]] = []
        self.controls: list[list[str]] = []
        self.ops: dict[str, Operation] = {}
        self.in_order: list[Operation] = []
        self.renamed: dict[str, str] = {}
        self.functions: list[tuple[Any, str | None]] = []

    def run(self, wanted: list[str] | None) -> None:
        """Make all operations. Raises: InvalidArgumentError, ValueError."""
        self._check_versions()
        for element in wanted or ():
            parse_tensor_name(element) if ":" in element else None
        self._index_nodes()
        self._add_library()
        self._read_inputs()
        self._check_colocation()
        order = self._order()
        self._choose_names(order)
        start = self.graph.node_count
        for position, i in enumerate(order):
            self._make(start + position, self.nodes[i])
        self._note_unknown_outputs()
        for i in order:
            self._connect(i)
        self._check_map_used()
        self._check_elements(wanted or [])

    def _check_versions(self) -> None:
        versions = self.graph_def.versions
        if versions.producer < GRAPH_DEF_VERSION_MIN_PRODUCER:
            raise errors.InvalidArgumentError(
                f"GraphDef producer version {versions.producer} below min producer {GRAPH_DEF_VERSION_MIN_PRODUCER} "
                f"supported by TensorFlow {_API_VERSION}.  Please regenerate your graph."
            )
        if versions.min_consumer > GRAPH_DEF_VERSION:
            raise errors.InvalidArgumentError(
                f"GraphDef min consumer version {versions.min_consumer} above current version {GRAPH_DEF_VERSION} for "
                f"TensorFlow {_API_VERSION}.  Please upgrade TensorFlow."
            )
        if GRAPH_DEF_VERSION in versions.bad_consumers:
            raise errors.InvalidArgumentError(
                f"GraphDef disallows consumer version {GRAPH_DEF_VERSION}.  Please upgrade TensorFlow: this version is "
                "likely buggy."
            )

    def _index_nodes(self) -> None:
        for i, node in enumerate(self.nodes):
            if node.name in self.index:
                raise errors.InvalidArgumentError(f"Node '{node.name}' is not unique")
            if not VALID_OP_NAME.match(node.name):
                raise errors.InvalidArgumentError(f"Node '{node.name}': Node name contains invalid characters")
            self.index[node.name] = i

    def _add_library(self) -> None:
        library = self.graph_def.library
        gradients = {g.function_name: g.gradient_func for g in library.gradient}
        for function in library.function:
            name = function.signature.name
            known = self.graph.functions.get(name)
            if known is not None and known != function:
                raise errors.InvalidArgumentError(
                    f"Cannot add function '{name}' because a different function with the same name already exists."
                )
            self.functions.append((function, gradients.get(name)))
        self._library = {f.signature.name: f for f, _ in self.functions}

    def _read_inputs(self) -> None:
        for node in self.nodes:
            data: list[tuple[str, int]] = []
            controls: list[str] = []
            for text in node.input:
                if text.startswith("^"):
                    name = text[1:]
                    controls.append(name)
                else:
                    if controls:
                        raise errors.InvalidArgumentError(
                            f"Node '{node.name}': Control dependencies must come after regular dependencies"
                        )
                    try:
                        name, index = split_input(text)
                    except errors.InvalidArgumentError:
                        name, index = "", 0
                    data.append((name, index))
                if name not in self.index and not self._is_mapped(text, name, data):
                    raise errors.InvalidArgumentError(f"Node '{node.name}': Unknown input node '{text}'")
            self.inputs.append(data)
            self.controls.append(controls)

    def _is_mapped(self, text: str, name: str, data: list[tuple[str, int]]) -> bool:
        return name in self.control_map if text.startswith("^") else data[-1] in self.input_map

    def _check_colocation(self) -> None:
        for node in self.nodes:
            if "_class" in node.attr:
                for value in node.attr["_class"].list.s:
                    name = value[len(_COLOCATED) :].decode(errors="replace")
                    if value.startswith(_COLOCATED) and name not in self.index:
                        raise errors.InvalidArgumentError(
                            f"Node '{node.name}' expects to be colocated with unknown node '{name}'"
                        )

    def _order(self) -> list[int]:
        """Return the nodes in the order they are made: that of the GraphDef, each after its inputs."""
        pending, consumers = [0] * len(self.nodes), [[] for _ in self.nodes]  # type: list[int], list[list[int]]
        loops = {n.name for n in self.nodes if n.op in ("NextIteration", "RefNextIteration")}
        for i, node in enumerate(self.nodes):
            sources = [name for key in self.inputs[i] if key not in self.input_map for name in (key[0],)]
            controls = [name for name in self.controls[i] if name not in self.control_map]
            for name in (*sources, *controls):
                consumers[self.index[name]].append(i)
            if node.op in ("Merge", "RefMerge") and any(name in loops for name in sources):
                pending[i] = len(controls) + 1
            else:
                pending[i] = len(sources) + len(controls)
        ready = [i for i, count in enumerate(pending) if count <= 0]
        order: list[int] = []
        while ready:
            i = heapq.heappop(ready)
            order.append(i)
            for consumer in consumers[i]:
                pending[consumer] -= 1
                if pending[consumer] == 0:
                    heapq.heappush(ready, consumer)
        if len(order) < len(self.nodes):
            done = set(order)
            order.extend(i for i in range(len(self.nodes)) if i not in done)
        return order

    def _choose_names(self, order: list[int]) -> None:
        """Prefix the names, and number those that clash with a node of the graph or with a scope of one."""
        by_name = self.graph._by_name
        scopes: set[str] = set()
        for name in by_name:
            at = name.rfind("/")
            while at > 0 and name[:at] not in scopes:
                scopes.add(name[:at])
                at = name.rfind("/", 0, at)
        coming = {self._prefixed(name) for name in self.index}
        for i in order:
            old = self.nodes[i].name
            base = name = self._prefixed(old)
            count = 0
            while name in by_name or name in scopes or (count and name in coming):
                count += 1
                name = f"{base}_{count}"
            self.renamed[old] = name

    def _prefixed(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    def _make(self, op_id: int, node: NodeDef) -> None:
        op = Operation(self.graph, op_id, self.renamed[node.name], node.op)
        op._device = DeviceScope(node.device).device_for(op) if node.device else ""
        op._attrs = attrs = dict(node.attr)
        if node.HasField("experimental_type") or node.HasField("experimental_debug_info"):
            rest = NodeDef.FromString(node.SerializeToString())
            op._extra = other_fields(rest)
        op._signature = self.graph._find_signature(node.op)
        if op._signature is None and node.op in self._library:
            from icefloe.opdefs import signature_of

            op._signature = signature_of(self._library[node.op].signature)
        signature = op._signature
        if signature is not None:
            for name, spec in signature.attrs.items():
                value = attrs.get(name)
                if value is None or value.WhichOneof("value") is None:
                    if spec.default is not None:
                        attrs[name] = spec.default
                    elif value is None:
                        raise errors.InvalidArgumentError(op_text.missing_attr_text(name, signature, op.name))
            op._outputs = [Tensor(op, i, dtype) for i, dtype in enumerate(argument_types(op, signature.outputs))]
        if "_class" in attrs:
            attrs["_class"] = self._renamed_class(attrs["_class"])
        shapes_attr = attrs.pop("_output_shapes", None)
        if shapes_attr is not None:
            self.graph._shape_hints[op_id] = list(shapes_attr.list.shape)
        self.ops[node.name] = op
        self.in_order.append(op)

    def _renamed_class(self, value: AttrValue) -> AttrValue:
        groups = []
        for group in value.list.s:
            if group.startswith(_COLOCATED):
                group = _COLOCATED + self.renamed[group[len(_COLOCATED) :].decode()].encode()
            groups.append(group)
        return AttrValue(list=AttrValue.ListValue(s=groups))

    def _note_unknown_outputs(self) -> None:
        """Give ops that the op table does not know the outputs that are used."""
        unknown = {name: -1 for name, op in self.ops.items() if op.signature is None}
        if not unknown:
            return
        for data in self.inputs:
            for name, index in data:
                if name in unknown and index < 1 << 16:
                    unknown[name] = max(unknown[name], index)
        for name, highest in unknown.items():
            op = self.ops[name]
            op._outputs = [Tensor(op, i, None) for i in range(highest + 1)]

    def _connect(self, i: int) -> None:
        node = self.nodes[i]
        op = self.ops[node.name]
        found: list[Tensor] = []
        for key in self.inputs[i]:
            mapped = self.input_map.get(key)
            if mapped is not None:
                self.used.add(key)
                found.append(mapped)
                continue
            outputs = self.ops[key[0]].outputs
            if key[1] >= len(outputs):
                raise errors.InvalidArgumentError(
                    f"Node '{node.name}': Connecting to invalid output {key[1]} of source node {key[0]} "
                    f"which has {len(outputs)} outputs."
                )
            found.append(outputs[key[1]])
        op._inputs = tuple(found)
        op._control_inputs = [self.control_map.get(name) or self.ops[name] for name in self.controls[i]]
        check_inputs(op)

    def _check_map_used(self) -> None:
        missing = []
        for key in self.input_map:
            if key not in self.used:
                op = self.ops.get(key[0])
                if op is None or key[1] >= len(op.outputs):
                    missing.append(f"{key[0]}:{key[1]}")
        if missing:
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(missing)}]")

    def _check_elements(self, wanted: list[str]) -> None:
        for element in wanted:
            if ":" not in element:
                if element not in self.ops:
                    raise ValueError(f"Requested return node '{element}' not found in graph def")
                continue
            key = parse_tensor_name(element)
            if key in self.input_map:
                continue
            op = self.ops.get(key[0])
            if op is None:
                raise ValueError(f"Requested return tensor '{element}' not found in graph def")
            if not 0 <= key[1] < len(op.outputs):
                raise ValueError(
                    f"Invalid return output {key[1]} of node '{key[0]}', which has {len(op.outputs)} output(s)"
                )

    def elements(self, wanted: list[str]) -> list[Any]:
        """Return the operations and tensors of these names in the GraphDef."""
        found: list[Any] = []
        for element in wanted:
            if ":" not in element:
                found.append(self.ops[element])
                continue
            key = parse_tensor_name(element)
            mapped = self.input_map.get(key)
            found.append(self.ops[key[0]].outputs[key[1]] if mapped is None else mapped)
        return found

    def attach(self) -> None:
        """Add the operations to the graph, with what the scopes around say."""
        graph = self.graph
        with graph._lock:
            self._merge_versions(empty=not graph._ops)
            for function, gradient in self.functions:
                graph.add_function(function, gradient)
            names = graph._names_in_use_map()
            for op in self.in_order:
                graph._ops.append(op)
                graph._by_name[op.name] = op
                names.setdefault(op.name.lower(), 1)
            mutations = graph.mutations
            controls = graph._control_dependencies_for_inputs([])
            context = graph._control_flow_context
            if context is not None:  # all of them before the first is placed: a loop's nodes wait for each other
                for op in self.in_order:
                    op._control_flow_context = context
            for op in self.in_order:
                if controls:
                    op._add_control_inputs(controls)
                if context is not None or self.input_map:
                    place_in_context(op)
                self._apply_scopes(op)
            self._place_colocated()
            graph.mutations = mutations
            graph._forget_consumers()

    def _merge_versions(self, *, empty: bool) -> None:
        ours, theirs = self.graph._versions, self.graph_def.versions
        if empty:
            ours.CopyFrom(theirs)
        else:
            ours.producer = min(ours.producer, theirs.producer)
            ours.min_consumer = max(ours.min_consumer, theirs.min_consumer)
            bad = sorted({*ours.bad_consumers, *theirs.bad_consumers})
            del ours.bad_consumers[:]
            ours.bad_consumers.extend(bad)
        if self.graph._source is not None:
            self.graph._source.versions_changed = True

    def _apply_scopes(self, op: Operation) -> None:
        graph = self.graph
        if graph._attr_scope_map or graph._op_to_kernel_label_map or graph._gradient_override_map:
            graph._apply_scope_attrs(op)
        if graph._control_dependencies_stack:
            graph._record_op_seen_by_control_dependencies(op)
        if graph._colocation_stack:
            graph._apply_colocation(op)
        if graph._container:
            graph._apply_container(op)
        if self._colocated_names(op):
            op._device = ""
        elif graph._device_stack:
            graph._apply_device_functions(op)

    def _colocated_names(self, op: Operation) -> list[str]:
        value = op._node_attrs().get("_class")
        if value is None:
            return []
        names = [s[len(_COLOCATED) :].decode() for s in value.list.s if s.startswith(_COLOCATED)]
        return [name for name in names if name != op.name]

    def _place_colocated(self) -> None:
        """Give ops that are colocated with others the device of the first of those that has one."""
        by_name = self.graph._by_name
        for op in self.in_order:
            for name in self._colocated_names(op):
                if name in by_name and by_name[name].device:
                    op._device = by_name[name].device
                    break
