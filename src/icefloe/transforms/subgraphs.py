"""`tf.graph_util`: parts of GraphDefs, nodes of training taken out, variables made constants.

Source: tensorflow/python/framework/graph_util_impl.py, convert_to_constants.py (names, rules and messages).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from icefloe import datatypes
from icefloe.graph.graph import Graph
from icefloe.proto import GraphDef, NodeDef
from icefloe.session import Session
from icefloe.shapes import TensorShape
from icefloe.transforms import constant_variables, variable_values
from icefloe.transforms.node_edits import Nodes, attr_of, node_of, tensor_key

_OF_VARIABLES = frozenset(
    ("Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate", "TruncatedNormal")
    + ("Variable", "VariableV2")
)


def _is_graph_def(message: Any) -> bool:
    return getattr(getattr(message, "DESCRIPTOR", None), "full_name", "") == "tensorflow.GraphDef"


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> GraphDef:
    """Return the nodes that `dest_nodes` depend on by data, control inputs or colocation, in their order.

    The library and the versions are kept whole.

    Raises: TypeError if `graph_def` is no GraphDef, or `dest_nodes` a str; AssertionError for a node that is not there.
    """
    if not _is_graph_def(graph_def):
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    by_name = {node.name: node for node in graph_def.node}
    waiting = list(dest_nodes)
    for name in waiting:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    kept: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in kept or name not in by_name:
            continue
        kept.add(name)
        node = by_name[name]
        waiting += [node_of(text) for text in node.input]
        waiting += _colocated(node)
    result = type(graph_def)()
    result.node.extend(node for node in graph_def.node if node.name in kept)
    if graph_def.HasField("library"):
        result.library.CopyFrom(graph_def.library)
    if graph_def.HasField("versions"):
        result.versions.CopyFrom(graph_def.versions)
    return result


def _colocated(node: NodeDef) -> list[str]:
    """Return the names of the nodes that a node is to be placed with."""
    if "_class" not in node.attr:
        return []
    return [name.decode("utf-8", "replace").removeprefix("loc:@") for name in node.attr["_class"].list.s]


def remove_training_nodes(input_graph: Any, protected_nodes: Collection[str] | None = None) -> GraphDef:
    """Return a GraphDef without nodes that only training needs: CheckNumerics, Identity, StopGradient.

    An Identity or StopGradient stays where control inputs, or colocation, hold on to it. protected_nodes: names of
    nodes to keep.
    """
    protected = set(protected_nodes or ())
    nodes = list(input_graph.node)
    passed = {n.name: n.input[0] for n in nodes if n.op == "CheckNumerics" and n.name not in protected and n.input}
    changed = [_without(node, passed) for node in nodes if node.name not in passed]
    waited_for = {text[1:] for node in changed for text in node.input if text.startswith("^")}
    held = waited_for | {name for node in changed for name in _colocated(node)}
    for node in changed:
        spliced = node.op in ("Identity", "StopGradient") and node.name not in protected and node.name not in held
        if spliced and len(node.input) == 1:
            passed[node.name] = node.input[0]
    result = type(input_graph)()
    result.node.extend(_without(node, passed) for node in changed if node.name not in passed)
    if input_graph.HasField("library"):
        result.library.CopyFrom(input_graph.library)
    if input_graph.HasField("versions"):
        result.versions.CopyFrom(input_graph.versions)
    return result


def _without(node: NodeDef, passed: dict[str, str]) -> NodeDef:
    """Return a copy of a node that takes what the nodes of `passed` take, and does not wait for them."""
    copy = type(node)()
    copy.CopyFrom(node)
    inputs = []
    for text in node.input:
        if text.startswith("^") and text[1:] in passed:
            continue
        while tensor_key(text) in passed:
            text = passed[tensor_key(text)]
        inputs.append(text)
    del copy.input[:]
    copy.input.extend(inputs)
    return copy


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Return whether a node must run on a CPU in TensorFlow: constants, casts and stitches of int32 or strings.

    node: an Operation or a NodeDef. pin_variables_on_cpu: whether ops of variables must too.
    """
    definition = node.node_def if hasattr(node, "node_def") else node
    if pin_variables_on_cpu and definition.op in _OF_VARIABLES:
        return True
    if definition.op == "Const":
        return attr_of(definition, "dtype").type in (datatypes.string, datatypes.int32)
    if definition.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return attr_of(definition, "T").type == datatypes.int32
    return definition.op == "Cast" and attr_of(definition, "SrcT").type == datatypes.int32


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """Return the static shape of a tensor that is named as in a NodeDef's input: `x` is `x:0`."""
    shape: TensorShape = graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").get_shape()
    return shape


def convert_variables_to_constants(
    sess: Session,
    input_graph_def: Any,
    output_node_names: Iterable[str],
    variable_names_whitelist: Collection[str] | None = None,
    variable_names_blacklist: Collection[str] | None = None,
) -> GraphDef:
    """Return the nodes that `output_node_names` need, with the values that variables have in a session as constants.

    variable_names_whitelist: the variables to convert, all by default; variable_names_blacklist: those to leave.
    `graphs.freeze` does more: it inlines functions, guesses outputs and compares old and new.

    Raises: AssertionError for an output that is not in the graph; FailedPreconditionError for a variable without a
    value; InvalidArgumentError if a variable is used in a way that a constant cannot take.
    """
    outputs = list(output_node_names)
    nodes = Nodes(extract_sub_graph(input_graph_def, outputs))
    names = [
        node.name
        for node in nodes
        if node.op in constant_variables.VARIABLES
        and (variable_names_whitelist is None or node.name in variable_names_whitelist)
        and (variable_names_blacklist is None or node.name not in variable_names_blacklist)
    ]
    values = variable_values.from_session(sess, names)
    constant_variables.to_constants(nodes, values)
    nodes.keep(nodes.needed(outputs))
    return nodes.to_graph_def()


def graph_defs_equal(graph_def_1: Any, graph_def_2: Any, treat_nan_as_equal: bool = False) -> bool:
    """Return whether two GraphDefs have the same nodes and functions, whatever the order of nodes and attrs.

    Tensors are compared as bytes: a NaN equals itself if `treat_nan_as_equal`, else nothing.
    """
    first, second = (_normal(g, treat_nan_as_equal) for g in (graph_def_1, graph_def_2))
    return first is not None and second is not None and first == second


def _normal(graph_def: Any, nan_is_equal: bool) -> Any:
    """Return the parts of a GraphDef in an order of their own; None if it has a NaN that equals nothing."""
    functions = []
    for function in graph_def.library.function:
        copy = type(function)()
        copy.CopyFrom(function)
        del copy.node_def[:]
        inner = _sorted_nodes(function.node_def, nan_is_equal)
        if inner is None:
            return None
        functions.append((copy.SerializeToString(deterministic=True), inner))
    own = _sorted_nodes(graph_def.node, nan_is_equal)
    if own is None:
        return None
    gradients = sorted(g.SerializeToString(deterministic=True) for g in graph_def.library.gradient)
    return own, sorted(functions), gradients, graph_def.versions.SerializeToString(deterministic=True)


def _sorted_nodes(nodes: Iterable[NodeDef], nan_is_equal: bool) -> list[bytes] | None:
    found = []
    for node in nodes:
        if not nan_is_equal and any(_has_nan(value) for value in node.attr.values()):
            return None
        found.append(node.SerializeToString(deterministic=True))
    return sorted(found)


def _has_nan(value: Any) -> bool:
    if value.WhichOneof("value") == "f":
        return bool(value.f != value.f)
    if value.WhichOneof("value") == "tensor":
        return any(x != x for x in (*value.tensor.float_val, *value.tensor.double_val))
    return any(x != x for x in value.list.f)
