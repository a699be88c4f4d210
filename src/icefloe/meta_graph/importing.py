"""A MetaGraphDef into a graph: its nodes, then the collections, whose items name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.import_graph import import_graph_def
from icefloe.graph.naming import strip_name_scope
from icefloe.meta_graph.collections import restore_collections
from icefloe.meta_graph.export import UNBOUND_INPUTS
from icefloe.meta_graph.scopes import in_scope
from icefloe.proto import GraphDef, MetaGraphDef


def _check_unbound(meta_graph_def: MetaGraphDef, name: str, input_map: Mapping[str, Any] | None) -> None:
    """Raise ValueError unless `input_map` maps just the inputs that the collection `name` lists as coming from
    outside.
    """
    if name not in meta_graph_def.collection_def:
        return
    collection = meta_graph_def.collection_def[name]
    kind = collection.WhichOneof("kind")
    values = [v.decode() if isinstance(v, bytes) else str(v) for v in getattr(collection, kind).value] if kind else []
    if values and sorted(values) != sorted(input_map or ()):
        missing = ",".join(v for v in values if v not in (input_map or ()))
        raise ValueError(f"Graph contains unbound inputs: {missing}. Must provide these inputs through input_map.")


def import_scoped_meta_graph(
    meta_graph_def: MetaGraphDef,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    unbound_inputs_col_name: str | None = UNBOUND_INPUTS,
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
    return_elements: Iterable[str] | None = None,
) -> tuple[dict[str, Any], list[Any] | None]:
    """Add the nodes and collections of `meta_graph_def` to `graph`, or to the default graph.

    import_scope: a name scope to put before all names. clear_devices: leave the nodes' devices out.
    input_map: tensors to take for inputs, by the input's name. return_elements: names of operations and tensors to
    return. restore_collections_predicate: which collections to add, by key.

    Returns the global variables below the scope, by name without it, and the `return_elements`, or None where none
    are asked for.

    Raises: ValueError if an input from outside the exported scope is not mapped.
    """
    if unbound_inputs_col_name:
        _check_unbound(meta_graph_def, unbound_inputs_col_name, input_map)
    graph = graph if graph is not None else get_default_graph()
    info = meta_graph_def.meta_info_def
    with graph.as_default():
        graph_def = meta_graph_def.graph_def
        if clear_devices:
            graph_def = GraphDef()
            graph_def.CopyFrom(meta_graph_def.graph_def)
            for node in graph_def.node:
                node.device = ""
        scope = graph.unique_name(import_scope or "", mark_as_used=False)
        elements = import_graph_def(
            graph_def,
            name=import_scope or scope,
            input_map=None if input_map is None else dict(input_map),
            producer_op_list=info.stripped_op_list if info.HasField("stripped_op_list") else None,
            return_elements=return_elements,
        )
        restore_collections(
            meta_graph_def,
            graph,
            scope,
            lambda key: key != unbound_inputs_col_name and restore_collections_predicate(key),
        )
        variables = {
            strip_name_scope(v.name, scope): v
            for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if in_scope(v.name, scope)
        }
    return variables, elements
