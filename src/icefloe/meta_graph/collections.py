"""Collections of a graph <-> the CollectionDefs of a MetaGraphDef.

A CollectionDef holds one of five lists. Which one is decided for the whole collection:

    bytes_list    serialized protos, where proto functions are registered for the collection (`graph.collections`); or
    str and bytes int64_list    int and bool
    float_list    float
    any_list      google.protobuf.Any
    node_list     the names of everything else: `a` for an operation, `a:0` for a tensor

Without proto functions it is decided by the first item. A collection that does not fit its list is left out with a
warning, as in TensorFlow.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import DecodeError, Message

from icefloe import errors
from icefloe.graph.collections import (
    GraphKeys,
    get_collection_proto_type,
    get_from_proto_function,
    get_to_proto_function,
    register_proto_function,
)
from icefloe.graph.cond_context import CondContext
from icefloe.graph.graph import Graph
from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.graph.while_context import WhileContext
from icefloe.lib.queue_runner import QueueRunner
from icefloe.lib.variable import Variable
from icefloe.meta_graph.scopes import in_scope
from icefloe.proto import (
    CollectionDef,
    CondContextDef,
    MetaGraphDef,
    QueueRunnerDef,
    VariableDef,
    WhileContextDef,
    cast_message,
    message_class,
)

_LOG = logging.getLogger("icefloe")
_ANY = message_class("google.protobuf.Any")

# Collections whose items are variables: one object per VariableDef, shared between them.
VARIABLE_COLLECTIONS = frozenset(
    (
        GraphKeys.GLOBAL_VARIABLES,
        GraphKeys.LOCAL_VARIABLES,
        GraphKeys.METRIC_VARIABLES,
        GraphKeys.MODEL_VARIABLES,
        GraphKeys.TRAINABLE_VARIABLES,
        GraphKeys.MOVING_AVERAGE_VARIABLES,
    )
)


def _variable_to_proto(variable: Any, export_scope: str | None = None) -> Any:
    return variable.to_proto(export_scope=export_scope)


for _key in (*VARIABLE_COLLECTIONS, GraphKeys.GLOBAL_STEP):
    register_proto_function(_key, VariableDef, _variable_to_proto, Variable.from_proto)
register_proto_function(GraphKeys.QUEUE_RUNNERS, QueueRunnerDef, QueueRunner.to_proto, QueueRunner.from_proto)

register_proto_function(GraphKeys.COND_CONTEXT, CondContextDef, CondContext.to_proto, CondContext.from_proto)
register_proto_function(GraphKeys.WHILE_CONTEXT, WhileContextDef, WhileContext.to_proto, WhileContext.from_proto)

# The first version whose VariableDefs say whether the variable is trainable; before, membership of
# `trainable_variables` did.
_TRAINABLE_SINCE = (1, 9)


def _kind(item: Any) -> str:
    if isinstance(item, (str, bytes)):
        return "bytes_list"
    if isinstance(item, int):
        return "int64_list"
    if isinstance(item, float):
        return "float_list"
    if isinstance(item, Message) and item.DESCRIPTOR.full_name == "google.protobuf.Any":
        return "any_list"
    return "node_list"


def _wanted(item: Any, scope: str | None, excluded: frozenset[str]) -> bool:
    name = getattr(item, "name", item if isinstance(item, str) else None)
    if not isinstance(name, str):
        return True
    if name in excluded or name.partition(":")[0] in excluded:
        return False
    return in_scope(name, scope) or name.startswith("$unbound_inputs_")


def _as_bytes(item: Any) -> bytes:
    if not isinstance(item, (str, bytes)):
        raise TypeError(f"expected str or bytes, got {item!r}")
    return item.encode() if isinstance(item, str) else item


def _encode(items: list[Any], key: str, scope: str | None) -> CollectionDef:
    out = CollectionDef()
    to_proto = get_to_proto_function(key)
    if to_proto is not None:
        proto_type = get_collection_proto_type(key)
        out.bytes_list.SetInParent()
        for item in items:
            proto = to_proto(item, export_scope=scope)
            if proto is not None:
                if not isinstance(proto, proto_type):
                    raise TypeError(f"expected a {proto_type.DESCRIPTOR.name}, got {type(proto).__name__}")
                out.bytes_list.value.append(proto.SerializeToString(deterministic=True))
        return out
    kind = _kind(items[0])
    values = getattr(out, kind).value
    if kind == "node_list":
        values.extend(strip_name_scope(item.name, scope) for item in items if in_scope(item.name, scope))
    elif kind == "bytes_list":
        values.extend(_as_bytes(item) for item in items)
    elif kind == "int64_list":
        values.extend(int(item) if isinstance(item, bool) else item for item in items)
    elif kind == "any_list":
        values.extend(cast_message(item, _ANY) for item in items)
    else:
        values.extend(items)
    return out


def add_collection_def(
    meta_graph_def: MetaGraphDef,
    key: Any,
    graph: Graph,
    export_scope: str | None = None,
    excluded: frozenset[str] = frozenset(),
    contents: Iterable[Any] | None = None,
) -> None:
    """Add the collection `key` of `graph` to `meta_graph_def`, unless nothing of it is left.

    export_scope: only items below it, without it. excluded: names of nodes whose items are left out. contents: items
    to take in place of the graph's.
    """
    if not isinstance(key, (str, bytes)):
        _LOG.warning("Only collections with string type keys will be serialized. This key has %s", type(key))
        return
    name = key if isinstance(key, str) else key.decode()
    items = list(graph.get_collection(key) if contents is None else contents)
    items = [item for item in items if _wanted(item, export_scope, excluded)]
    if not items:
        return
    try:
        encoded = _encode(items, name, export_scope)
    except (TypeError, ValueError, AttributeError) as error:
        _LOG.warning(
            "Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't match field "
            "type in CollectionDef. Note this is a warning and probably safe to ignore.\n%s",
            name,
            error,
        )
        return
    meta_graph_def.collection_def[name].CopyFrom(encoded)


def _says_trainable(version: str) -> bool:
    """Whether VariableDefs of a file of this TensorFlow version say if a variable is trainable; an unreadable version
    is new.
    """
    numbers = []
    for part in version.split(".")[:2]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            return True
        numbers.append(int(digits))
    return not numbers or tuple(numbers) >= _TRAINABLE_SINCE


class _Restorer:
    """Puts the items of one MetaGraphDef's collections into a graph whose nodes have been imported."""

    def __init__(self, graph: Graph, scope: str, version: str) -> None:
        self.graph = graph
        self.scope = scope
        self.says_trainable = _says_trainable(version)
        self.variables: dict[bytes, Any] = {}

    def restore(self, key: str, collection: CollectionDef) -> None:
        kind = collection.WhichOneof("kind")
        if kind is None:
            _LOG.error("Cannot identify data type for collection %s. Skipping.", key)
            return
        from_proto = get_from_proto_function(key)
        values = getattr(collection, kind).value
        if kind == "bytes_list" and from_proto is not None:
            for value in values:
                self.graph.add_to_collection(key, self._object(key, from_proto, value))
            return
        if from_proto is not None and kind == "node_list":
            _LOG.warning("'%s' collection should be of type 'bytes_list', but is of type '%s'.", key, kind)
        for value in values:
            self.graph.add_to_collection(key, self._plain(key, kind, value))

    def _object(self, key: str, from_proto: Callable[..., Any], value: bytes) -> Any:
        known = self.variables.get(value) if key in VARIABLE_COLLECTIONS else None
        if known is not None:
            return known
        proto_type = get_collection_proto_type(key)
        try:
            proto = proto_type.FromString(value)
        except DecodeError:
            name = proto_type.DESCRIPTOR.name
            raise errors.DataLossError(f"collection {key!r} holds bytes that are no {name}") from None
        if key in VARIABLE_COLLECTIONS and not self.says_trainable:
            proto.trainable = key == GraphKeys.TRAINABLE_VARIABLES
        made = self._guarded(key, from_proto, proto, import_scope=self.scope)
        if key in VARIABLE_COLLECTIONS:
            self.variables[value] = made
        return made

    def _plain(self, key: str, kind: str, value: Any) -> Any:
        if kind == "node_list":
            return self._guarded(key, self.graph.as_graph_element, prepend_name_scope(value, self.scope))
        if kind == "int64_list":
            return int(value)
        if kind == "bytes_list":
            return prepend_bytes_scope(value, self.scope)
        return value

    def _guarded(self, key: str, make: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        try:
            return make(*args, **keywords)
        except errors.OpError:
            raise
        except (LookupError, ValueError, TypeError) as error:
            reason = error.args[0] if error.args else error
            raise errors.InvalidArgumentError(f"collection {key!r} does not fit the graph: {reason}") from error


def prepend_bytes_scope(value: bytes, scope: str) -> Any:
    """Return an item of a bytes_list below `scope`: text as str, as TensorFlow gives it with a scope; other bytes
    unchanged.
    """
    if not scope:
        return value
    try:
        return prepend_name_scope(value.decode(), scope)
    except UnicodeDecodeError:
        return value


def restore_collections(
    meta_graph_def: MetaGraphDef,
    graph: Graph,
    scope: str,
    wanted: Callable[[str], bool] = lambda key: True,
    *,
    strict: bool = True,
) -> None:
    """Add the items of the collections of `meta_graph_def` for which `wanted(key)` holds to those of `graph`.

    scope: the name scope that its nodes have been imported under, "" for none. strict: raise if a collection does not
    fit, else log a warning and go on with the next.

    Raises: DataLossError if bytes are not the proto they should be; InvalidArgumentError if an item names a node that
    is not there.
    """
    restorer = _Restorer(graph, scope, meta_graph_def.meta_info_def.tensorflow_version)
    keys = sorted(meta_graph_def.collection_def)
    if not restorer.says_trainable:
        keys.sort(key=lambda key: key != GraphKeys.TRAINABLE_VARIABLES)
    for key in keys:
        if wanted(key):
            try:
                restorer.restore(key, meta_graph_def.collection_def[key])
            except errors.OpError as error:
                if strict:
                    raise
                _LOG.warning("%s; the rest of it is left out", error)
