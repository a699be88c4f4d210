"""TensorFlow's scripts for graphs, as its tests call them, on icefloe's transforms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf import text_format

import icefloe as tf
from icefloe.proto import POOL, GraphDef
from icefloe.transforms import batch_norms, fusing, subgraphs
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.node_edits import Nodes, node_of


def _names(text: Any) -> list[str]:
    return [name for name in (text or "").replace(" ", "").split(",") if name]


def _checked_outputs(graph: Any, output_node_names: str) -> list[str]:
    outputs = _names(output_node_names)
    if not outputs:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    for name in outputs:
        if not graph.get_operation_by_name(name).outputs:
            raise ValueError(f"{name!r} has no output to freeze")
    return outputs


def freeze_graph_with_def_protos(
    input_graph_def: Any,
    input_saver_def: Any,
    input_checkpoint: Any,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_denylist: str = "",
    input_meta_graph_def: Any = None,
    input_saved_model_dir: Any = None,
    saved_model_tags: Any = None,
    checkpoint_version: int = 2,
) -> Any:
    """Freeze a graph whose variables are in a checkpoint, or a SavedModel."""
    if input_saved_model_dir:
        with tf.load_saved_model(input_saved_model_dir, saved_model_tags) as model:
            outputs = _checked_outputs(model.graph, output_node_names)
            frozen = tf.graphs.freeze(model.graph, session=model.session, outputs=outputs, clear_devices=clear_devices)
    else:
        if not tf.train.checkpoint_exists(input_checkpoint):
            raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
        graph = tf.load_graph(input_meta_graph_def or input_graph_def)
        outputs = _checked_outputs(graph, output_node_names)
        frozen = tf.graphs.freeze(graph, input_checkpoint, outputs=outputs, clear_devices=clear_devices)
    if output_graph:
        tf.save_graph(frozen.graph_def, output_graph)
    return frozen.graph_def


def freeze_graph(
    input_graph: Any,
    input_saver: Any,
    input_binary: bool,
    input_checkpoint: Any,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_denylist: str = "",
    input_meta_graph: Any = None,
    input_saved_model_dir: Any = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> Any:
    """Freeze the graph in a file."""
    definition = tf.load_graph(input_graph).as_graph_def() if input_graph else None
    meta = None
    if input_meta_graph:
        with open(input_meta_graph, "rb") as file:
            meta = tf.proto.MetaGraphDef.FromString(file.read())
    return freeze_graph_with_def_protos(
        definition,
        None,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_denylist,
        meta,
        input_saved_model_dir,
        _names(saved_model_tags),
        checkpoint_version,
    )


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: Any,
) -> None:
    """Cut a graph in a file to what is between inputs and outputs."""
    graph = tf.load_graph(input_graph)
    for name in _names(input_node_names):
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not an Operation.")
        if name not in graph._by_name:
            raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
    outputs = _names(output_node_names)
    definition = tf.graphs.extract(graph, outputs, _names(input_node_names)).graph_def
    for node in definition.node:
        if node.op == "Placeholder":  # TensorFlow's script takes recorded shapes only
            node.attr["shape"].shape.ClearField("dim")
            node.attr["shape"].shape.unknown_rank = True
    data = (
        definition.SerializeToString()
        if output_binary
        else text_format.MessageToString(definition, descriptor_pool=POOL).encode()
    )
    with open(os.fspath(output_graph), "wb") as file:
        file.write(data)


def _sinks(nodes: Nodes) -> set[str]:
    users = nodes.consumers()
    return {node.name for node in nodes if not users.get(node.name)}


def fold_batch_norms(input_graph_def: Any) -> GraphDef:
    """Fold normalisations into layers, and drop constants that only they used."""
    nodes = Nodes(input_graph_def)
    ends = {name for name in _sinks(nodes) if nodes[name].op != "Const"}
    batch_norms.fold_batch_norms(nodes, set())
    nodes.keep(nodes.needed(ends))
    return nodes.to_graph_def()


def fuse_decomposed_batch_norm(input_graph_def: Any) -> GraphDef:
    """Make FusedBatchNorm nodes of written out normalisations."""
    nodes = Nodes(input_graph_def)
    fusing.fuse_batch_norms(nodes, _sinks(nodes))
    return nodes.to_graph_def()


def fuse_resize_and_conv(input_graph_def: Any, output_node_names: Sequence[str]) -> GraphDef:
    """Make one op of convolutions and what resizes or pads before them."""
    nodes = Nodes(input_graph_def)
    fusing.fuse_resize_and_convolution(nodes, set(output_node_names))
    return nodes.to_graph_def()


def convert_placeholder_to_const(input_graph_def: Any, nodes_to_convert: Any = None) -> GraphDef:
    """Give placeholders of booleans, `name=value`, their value; Keras' learning phase is False."""
    nodes = Nodes(input_graph_def)
    chosen = {"keras_learning_phase": False}
    for text in nodes_to_convert or ():
        name, _, value = text.partition("=")
        chosen[name] = value.strip().lower() == "true"
    for name, value in chosen.items():
        if name in nodes and nodes[name].op.startswith("Placeholder"):
            nodes.add(constant_node(name, np.bool_(value)))
    return nodes.to_graph_def()


def values_from_const(node_def: Any) -> Any:
    """Return the array in a Const node."""
    return tf.make_ndarray(node_def.attr["value"].tensor)


def optimize_for_inference(
    input_graph_def: Any,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
    toco_compatible: bool = False,
    placeholder_to_const_names: Any = None,
) -> GraphDef:
    """Cut, take out what only training needs, and fold."""
    definition = convert_placeholder_to_const(input_graph_def, placeholder_to_const_names)
    nodes = Nodes(definition)
    nodes.keep(nodes.needed((node_of(name) for name in output_node_names), input_node_names))
    definition = subgraphs.remove_training_nodes(nodes.to_graph_def(), output_node_names)
    nodes = Nodes(definition)
    nodes.keep(nodes.needed(output_node_names))
    definition = fold_batch_norms(nodes.to_graph_def())
    if not toco_compatible:
        definition = fuse_resize_and_conv(definition, output_node_names)
    return definition
