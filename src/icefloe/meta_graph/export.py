"""A graph, or the part below one name scope, as a MetaGraphDef.

    MetaGraphDef := meta_info_def (the ops used, versions), graph_def (nodes with `_output_shapes`), saver_def,
    collection_def

With `export_scope` the scope's name is taken off, and an input from outside it becomes `$unbound_inputs_<name>`,
listed in the collection `unbound_inputs`: whoever imports the part maps these.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from icefloe import errors
from icefloe._version import GIT_VERSION, VERSION
from icefloe.graph.collections import GraphKeys, get_from_proto_function
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.naming import strip_name_scope
from icefloe.meta_graph.collections import add_collection_def
from icefloe.meta_graph.op_list import strip_default_attributes, stripped_op_list_for_graph
from icefloe.meta_graph.scopes import in_scope
from icefloe.proto import GraphDef, MetaGraphDef, NodeDef, SaverDef, cast_message

UNBOUND_INPUTS = "unbound_inputs"
UNBOUND_PREFIX = "$unbound_inputs_"

# protobuf's limit for one message.
_MAX_BYTES = (1 << 31) - 1

_SAVER_OPS = frozenset(
    ("SaveV2", "Save", "SaveSlice", "LegacySave", "LegacySaveSlice")
    + ("RestoreV2", "Restore", "RestoreSlice", "LegacyRestore", "LegacyRestoreSlice")
)


def _scope_of(name: str) -> str:
    return name.removeprefix("^").rpartition("/")[0]


def extraneous_saver_nodes(graph_def: GraphDef, saver_def: SaverDef | None) -> frozenset[str]:
    """Return the names of all nodes in scopes of Savers other than that of `saver_def`: each Saver has a scope of its
    own.
    """
    scopes = {_scope_of(node.name) for node in graph_def.node if node.op in _SAVER_OPS}
    if saver_def is not None:
        kept = (saver_def.save_tensor_name.partition(":")[0], saver_def.restore_op_name.partition(":")[0])
        scopes -= {_scope_of(name) for name in kept}
    prefixes = tuple(scope + "/" for scope in sorted(scopes) if scope)
    return frozenset(node.name for node in graph_def.node if node.name.startswith(prefixes))


def _scoped_node(node: NodeDef, scope: str | None, unbound: list[str]) -> NodeDef:
    """Return a copy of `node` without `scope` in its names; inputs from outside are renamed and put into `unbound`."""
    out = NodeDef()
    out.CopyFrom(node)
    if not scope:
        return out
    out.name = strip_name_scope(node.name, scope)
    del out.input[:]
    for name in node.input:
        if in_scope(name, scope):
            out.input.append(strip_name_scope(name, scope))
        else:
            mark, bare = ("^", name[1:]) if name.startswith("^") else ("", name)
            out.input.append(f"{mark}{UNBOUND_PREFIX}{bare}")
            unbound.append(out.input[-1])
    if "_class" in node.attr:
        groups = [s.decode() for s in node.attr["_class"].list.s]
        kept = [strip_name_scope(g, scope).encode() for g in groups if in_scope(g, scope)]
        out.attr["_class"].list.ClearField("s")
        out.attr["_class"].list.s.extend(kept)
    if node.op in ("Enter", "RefEnter") and "frame_name" in node.attr:
        out.attr["frame_name"].s = strip_name_scope(node.attr["frame_name"].s.decode(), scope).encode()
    return out


def _part_of(
    graph_def: GraphDef, scope: str | None, excluded: frozenset[str], clear_devices: bool, unbound: list[str]
) -> GraphDef:
    out = GraphDef()
    out.versions.CopyFrom(graph_def.versions)
    if graph_def.HasField("library"):
        out.library.CopyFrom(graph_def.library)
    for node in graph_def.node:
        if node.name not in excluded and in_scope(node.name, scope):
            copy = _scoped_node(node, scope, unbound)
            if clear_devices:
                copy.device = ""
            out.node.append(copy)
    return out


def _in_order_made(graph: Graph) -> GraphDef:
    """Return the graph with control inputs in the order in which they were given, as TensorFlow writes parts of graphs.

    In a whole graph they are sorted by name.
    """
    out = graph.as_graph_def(add_shapes=True)
    for node in out.node:
        if sum(name.startswith("^") for name in node.input) > 1:
            names = graph.get_operation_by_name(node.name).node_def.input
            del node.input[:]
            node.input.extend(names)
    return out


def _check_type(value: Any, cls: type[Any], what: str) -> Any:
    if value is None:
        return None
    try:
        return cast_message(value, cls)
    except TypeError:
        raise TypeError(f"{what} must be of type {cls.DESCRIPTOR.name}. Received type: {type(value)}.") from None


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[Any] | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: frozenset[str] = frozenset(),
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> MetaGraphDef:
    """Return the MetaGraphDef of `graph`, or of `graph_def` with the collections of `graph`.

    meta_info_def: a MetaInfoDef to start from. collection_list: keys of the collections to keep; None is all.
    The other arguments are those of `export_meta_graph`.

    Raises: TypeError if an argument is no message of its type.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph. Received type: {type(graph)}.")
    graph = graph if graph is not None else get_default_graph()
    graph_def = _check_type(graph_def, GraphDef, "graph_def")
    saver_def = _check_type(saver_def, SaverDef, "saver_def")
    info = _check_type(meta_info_def, MetaGraphDef.MetaInfoDef, "meta_info_def")

    out = MetaGraphDef()
    if info is not None:
        out.meta_info_def.CopyFrom(info)
    out.meta_info_def.tensorflow_version = VERSION
    out.meta_info_def.tensorflow_git_version = GIT_VERSION
    out.graph_def.CopyFrom(graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def)
    if not out.meta_info_def.stripped_op_list.op:
        out.meta_info_def.stripped_op_list.CopyFrom(stripped_op_list_for_graph(out.graph_def))
    if strip_default_attrs:
        strip_default_attributes(out.graph_def)
        out.meta_info_def.stripped_default_attrs = True
    if saver_def is not None:
        out.saver_def.CopyFrom(saver_def)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        contents = None
        if clear_extraneous_savers and key == GraphKeys.SAVERS:
            from_proto = get_from_proto_function(key)
            if from_proto is not None and saver_def is not None:
                contents = [from_proto(saver_def)]
        add_collection_def(out, key, graph, export_scope, exclude_nodes, contents)
    return out


def export_scoped_meta_graph(
    graph_def: Any = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    unbound_inputs_col_name: str | None = UNBOUND_INPUTS,
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    meta_info_def: Any = None,
    collection_list: Iterable[Any] | None = None,
) -> tuple[MetaGraphDef, dict[str, Any]]:
    """Return the MetaGraphDef, and the global variables in it by name without the scope.

    The arguments are those of `saver.meta_files.export_meta_graph`; unbound_inputs_col_name: the collection that
    lists inputs from outside.

    Raises: ValueError if the graph is larger than 2 GiB, which is protobuf's limit.
    """
    graph = graph if graph is not None else get_default_graph()
    graph_def = _check_type(graph_def, GraphDef, "graph_def")
    saver_def = _check_type(saver_def, SaverDef, "saver_def")
    excluded: frozenset[str] = frozenset()
    if export_scope or clear_extraneous_savers or clear_devices:
        whole = _in_order_made(graph) if graph_def is None else graph_def
        if clear_extraneous_savers:
            excluded = extraneous_saver_nodes(whole, saver_def)
        unbound: list[str] = []
        is_given = graph_def is not None
        graph_def = _part_of(whole, export_scope, excluded, clear_devices, unbound)
        if is_given:  # TensorFlow copies the library of a GraphDef also where it has none
            graph_def.library.SetInParent()
        if unbound_inputs_col_name:
            graph.clear_collection(unbound_inputs_col_name)
            for name in unbound:
                graph.add_to_collection(unbound_inputs_col_name, name)
    variables = {
        strip_name_scope(v.name, export_scope): v
        for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        if in_scope(v.name, export_scope) and v.name.partition(":")[0] not in excluded
    }
    out = create_meta_graph_def(
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        graph=graph,
        export_scope=export_scope,
        exclude_nodes=excluded,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
    )
    size = out.ByteSize()
    if size > _MAX_BYTES:
        raise errors.InvalidArgumentError(f"GraphDef cannot be larger than 2GB. Received size: {size}.")
    return out, variables
