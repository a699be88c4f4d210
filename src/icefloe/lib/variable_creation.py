"""Steps that making a reference and a resource variable have in common."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.graph import get_default_graph
from icefloe.graph.naming import prepend_name_scope
from icefloe.proto import AttrValue


def checked_collections(collections: Any) -> list[Any]:
    """Return the collections a variable goes into. Raises: ValueError if it is no list, tuple or set."""
    if collections is None:
        return [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError(  # noqa: TRY004 (as TensorFlow)
            f"collections argument to Variable constructor must be a list, tuple, or set. Got {collections} of type "
            f"{type(collections)}"
        )
    return list(collections)


def colocated_with_name(name: str) -> AbstractContextManager[Any]:
    """Return a context in which nodes are placed with the node of this name, which need not exist yet."""
    attr = AttrValue(list=AttrValue.ListValue(s=[f"loc:@{name}".encode()]))
    return get_default_graph()._attr_scope({"_class": attr})


def named_element(name: str, import_scope: str | None) -> Any:
    """Return the tensor or operation of the default graph that a VariableDef names. Raises: KeyError, ValueError."""
    return get_default_graph().as_graph_element(prepend_name_scope(name, import_scope))
