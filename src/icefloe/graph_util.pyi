# Written by fixtures/make/public_names.py; do not edit.
from icefloe.transforms.subgraphs import convert_variables_to_constants as convert_variables_to_constants
from icefloe.transforms.subgraphs import extract_sub_graph as extract_sub_graph
from icefloe.graph.import_graph import import_graph_def as import_graph_def
from icefloe.transforms.subgraphs import must_run_on_cpu as must_run_on_cpu
from icefloe.transforms.subgraphs import remove_training_nodes as remove_training_nodes
from icefloe.transforms.subgraphs import tensor_shape_from_node_def_name as tensor_shape_from_node_def_name


__all__ = [
    "convert_variables_to_constants",
    "extract_sub_graph",
    "import_graph_def",
    "must_run_on_cpu",
    "remove_training_nodes",
    "tensor_shape_from_node_def_name",
]
