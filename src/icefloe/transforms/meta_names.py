"""New names for the nodes of a MetaGraphDef, wherever it names them.

    nodes            name, inputs (`a`, `a:1`, `^a`), `_class` (`loc:@a`), `shared_name` where it is the node's name
    Savers           the constants that hold names of tensors in checkpoints; SaverDefs
    collections      lists of nodes; VariableDefs, QueueRunnerDefs, contexts of conditionals and loops, SaverDefs
    signatures       TensorInfos, those of assets too

Functions have names of their own inside and stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import DecodeError, Message

from icefloe import errors
from icefloe.graph.collections import GraphKeys
from icefloe.meta_graph.collections import VARIABLE_COLLECTIONS
from icefloe.proto import CondContextDef, MetaGraphDef, QueueRunnerDef, SaverDef, VariableDef, WhileContextDef

# Ops of Savers -> the input that holds the names of tensors.
_NAMES_INPUT = {
    "SaveV2": 1,
    "RestoreV2": 1,
    "Save": 1,
    "SaveSlices": 1,
    "Restore": 1,
    "RestoreSlice": 1,
}
_TYPES: dict[str, type[Message]] = {
    **dict.fromkeys(VARIABLE_COLLECTIONS, VariableDef),
    GraphKeys.GLOBAL_STEP: VariableDef,
    GraphKeys.QUEUE_RUNNERS: QueueRunnerDef,
    GraphKeys.COND_CONTEXT: CondContextDef,
    GraphKeys.WHILE_CONTEXT: WhileContextDef,
    GraphKeys.SAVERS: SaverDef,
}


@dataclass
class NodeNames:
    """nodes: old name -> new name, of those that change.   kept: nodes that keep their names as the new ones are
    taken.
    """

    nodes: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)

    def of(self, reference: str) -> str:
        """Return a reference to a node or tensor, such as `^a`, `a:1` or `loc:@a`, under its new name."""
        for mark in ("^", "loc:@"):
            if reference.startswith(mark):
                return mark + self.of(reference[len(mark) :])
        name, colon, output = reference.partition(":")
        return self.nodes.get(name, name) + colon + output

    def scope(self, name: str) -> str:
        """Return the name of a scope, that of a context, after the nodes that are below it."""
        if name in self.nodes:
            return self.nodes[name]
        below = name.rstrip("/") + "/"
        changed = {self.nodes[n] for n in self.nodes if n.startswith(below)}
        tails = {n[len(below) :] for n in self.nodes if n.startswith(below)}
        found = {c[: -len(t) - 1] for c in changed for t in tails if c.endswith("/" + t)}
        return found.pop() if len(found) == 1 else name


def new_node_names(nodes: Iterable[str], tensors: Iterable[str], new_name: Callable[[str], str]) -> NodeNames:
    """Return new names for nodes: what is a variable's, `w` and `w/...`, follows the tensor `w` of the checkpoint; all
    others go through `new_name` themselves.

    A node whose new name is taken keeps its own. Raises: InvalidArgumentError if two nodes of variables collide.
    """
    tensors = set(tensors)
    names = list(nodes)
    out = NodeNames()
    wanted: dict[str, str] = {}
    taken: dict[str, str] = {}
    others = []
    for name in names:
        owner = _owner(name, tensors)
        if owner is None:
            others.append(name)
            continue
        new = wanted[name] = new_name(owner) + name[len(owner) :]
        if new in taken:
            raise errors.InvalidArgumentError(f"nodes {taken[new]!r} and {name!r} would have the same name, {new!r}")
        taken[new] = name
    for name in others:
        new = new_name(name)
        if new in taken or not new:
            out.kept.append(name)
            new = _free(name, taken)
        wanted[name] = new
        taken[new] = name
    out.nodes = {name: new for name, new in wanted.items() if name != new}
    return out


def _owner(name: str, tensors: set[str]) -> str | None:
    """Return the longest name of a tensor that is `name` or a scope around it."""
    while name:
        if name in tensors:
            return name
        name = name.rpartition("/")[0]
    return None


def _free(name: str, taken: Mapping[str, str]) -> str:
    number = 0
    candidate = name
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def rename_nodes(
    meta: MetaGraphDef, names: NodeNames, tensor_name: Callable[[str], str], *, strip_devices: bool = False
) -> None:
    """Give the nodes of `meta` their new names. tensor_name: old -> new name of a tensor in a checkpoint.

    strip_devices: leave out the devices of nodes.
    """
    constants = {node.name: node for node in meta.graph_def.node if node.op == "Const"}
    done: set[str] = set()
    for node in meta.graph_def.node:
        position = _NAMES_INPUT.get(node.op)
        if position is not None and len(node.input) > position:
            source = node.input[position].partition(":")[0]
            if source in constants and source not in done:
                done.add(source)
                _rename_texts(constants[source].attr["value"].tensor.string_val, tensor_name)
    for node in meta.graph_def.node:
        old = node.name
        node.name = names.nodes.get(old, old)
        _replace(node.input, names.of)
        if "_class" in node.attr:
            _rename_texts(node.attr["_class"].list.s, names.of)
        if "shared_name" in node.attr and node.attr["shared_name"].s == old.encode():
            node.attr["shared_name"].s = node.name.encode()
        if strip_devices:
            node.device = ""
    if meta.HasField("saver_def"):
        _rename_saver(meta.saver_def, names)
    for key, collection in meta.collection_def.items():
        if collection.HasField("node_list"):
            _replace(collection.node_list.value, names.of)
        if collection.HasField("bytes_list"):
            values = [_renamed_item(key, value, names, tensor_name) for value in collection.bytes_list.value]
            del collection.bytes_list.value[:]
            collection.bytes_list.value.extend(values)
    for signature in meta.signature_def.values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            _rename_info(info, names)
    for asset in meta.asset_file_def:
        _rename_info(asset.tensor_info, names)


def _replace(texts: Any, change: Callable[[str], str]) -> None:
    changed = [change(text) for text in texts]
    if changed != list(texts):
        del texts[:]
        texts.extend(changed)


def _rename_texts(values: Any, change: Callable[[str], str]) -> None:
    changed = [change(v.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") for v in values]
    del values[:]
    values.extend(changed)


def _rename_info(info: Any, names: NodeNames) -> None:
    kind = info.WhichOneof("encoding")
    if kind == "name":
        info.name = names.of(info.name)
    elif kind == "coo_sparse":
        _rename_fields(
            info.coo_sparse, ("values_tensor_name", "indices_tensor_name", "dense_shape_tensor_name"), names.of
        )
    elif kind == "composite_tensor":
        for component in info.composite_tensor.components:
            _rename_info(component, names)


def _rename_fields(message: Any, fields: Iterable[str], change: Callable[[str], str]) -> None:
    for name in fields:
        value = getattr(message, name)
        if value:
            setattr(message, name, change(value))


def _rename_saver(saver: Any, names: NodeNames) -> None:
    _rename_fields(saver, ("filename_tensor_name", "save_tensor_name", "restore_op_name"), names.of)


def _renamed_item(key: str, value: bytes, names: NodeNames, tensor_name: Callable[[str], str]) -> bytes:
    """Return an item of a list of bytes: a message, told by the collection or by what it holds, or a name."""
    kind = _TYPES.get(key)
    if kind is None and _is_variable(value, names):
        kind = VariableDef
    if kind is None:
        try:
            return names.of(value.decode()).encode()
        except UnicodeDecodeError:
            return value
    try:
        message: Any = kind.FromString(value)
    except DecodeError:
        raise errors.DataLossError(f"collection {key!r} holds bytes that are no {kind.DESCRIPTOR.name}") from None
    if kind is VariableDef:
        _rename_variable(message, names, tensor_name)
    elif kind is SaverDef:
        _rename_saver(message, names)
    elif kind is QueueRunnerDef:
        _rename_fields(message, ("queue_name", "close_op_name", "cancel_op_name"), names.of)
        _replace(message.enqueue_op_name, names.of)
    elif kind is CondContextDef:
        _rename_cond(message, names)
    else:
        _rename_while(message, names)
    return message.SerializeToString(deterministic=True)


def _is_variable(value: bytes, names: NodeNames) -> bool:
    """Whether bytes of a collection that is not known are a VariableDef of a node that changes."""
    try:
        found = VariableDef.FromString(value)
    except DecodeError:
        return False
    return found.variable_name.partition(":")[0] in names.nodes and bool(found.initializer_name)


def _rename_variable(variable: Any, names: NodeNames, tensor_name: Callable[[str], str]) -> None:
    fields = ("variable_name", "initializer_name", "snapshot_name", "initial_value_name")
    _rename_fields(variable, fields, names.of)
    if variable.HasField("save_slice_info_def"):
        _rename_fields(variable.save_slice_info_def, ("full_name",), tensor_name)


def _rename_values(values: Any, names: NodeNames) -> None:
    _replace(values.values, names.of)
    external = {names.of(key): names.of(value) for key, value in values.external_values.items()}
    values.external_values.clear()
    values.external_values.update(external)


def _rename_cond(context: Any, names: NodeNames) -> None:
    context.context_name = names.scope(context.context_name)
    _rename_fields(context, ("pred_name", "pivot_name"), names.of)
    _rename_values(context.values_def, names)
    _rename_nested(context, names)


def _rename_while(context: Any, names: NodeNames) -> None:
    context.context_name = names.scope(context.context_name)
    fields = ("pivot_name", "pivot_for_pred_name", "pivot_for_body_name", "maximum_iterations_name")
    _rename_fields(context, fields, names.of)
    _replace(context.loop_exit_names, names.of)
    _replace(context.loop_enter_names, names.of)
    _rename_values(context.values_def, names)
    _rename_nested(context, names)


def _rename_nested(context: Any, names: NodeNames) -> None:
    for nested in context.nested_contexts:
        kind = nested.WhichOneof("ctxt")
        if kind == "cond_ctxt":
            _rename_cond(nested.cond_ctxt, names)
        elif kind == "while_ctxt":
            _rename_while(nested.while_ctxt, names)
