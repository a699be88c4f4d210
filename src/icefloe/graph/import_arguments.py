"""The arguments of `import_graph_def`, checked.

Source: tensorflow/python/framework/importer.py (messages).
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from icefloe import opdefs
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.graph import get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.proto import GraphDef, OpList


def own_copy(graph_def: Any) -> GraphDef:
    """Return a copy of a GraphDef message, TensorFlow's own too. Raises: TypeError if it is none."""
    if getattr(getattr(graph_def, "DESCRIPTOR", None), "full_name", None) != GraphDef.DESCRIPTOR.full_name:
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    return GraphDef.FromString(graph_def.SerializeToString())


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def checked_map(input_map: Any) -> dict[str, Any]:
    """Return `input_map` with str keys. Raises: TypeError if it is no dict of strings."""
    if input_map is None:
        return {}
    if not isinstance(input_map, dict):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if not all(isinstance(key, (str, bytes)) for key in input_map):
        raise TypeError(f"All keys for argument `input_map` must be strings. Obtained keys: {list(input_map)}")
    return {_text(key): value for key, value in input_map.items()}


def checked_elements(return_elements: Any) -> list[str] | None:
    """Return `return_elements` as str. Raises: TypeError if one is no string."""
    if return_elements is None:
        return None
    elements = list(return_elements)
    if not all(isinstance(element, (str, bytes)) for element in elements):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {return_elements}.")
    return [_text(element) for element in elements]


def mapped_tensors(name: str | None, mapping: dict[str, Any]) -> dict[str, Tensor]:
    """Return `mapping` with tensors as values, made in scope `_inputs`. Raises: ValueError if `name` is empty."""
    if all(isinstance(value, Tensor) for value in mapping.values()):
        return mapping
    if name == "":
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try calling "
            "tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
        )
    graph = get_default_graph()
    with graph.name_scope("_inputs"):
        return {key: convert_to_tensor(value) for key, value in mapping.items()}


def drop_default_attrs(graph_def: GraphDef, producer_op_list: Any) -> None:
    """Drop attrs that this op table does not know where they have the default value of the producer's.

    Raises: TypeError if `producer_op_list` is no OpList.
    """
    if not isinstance(producer_op_list, Message):
        raise TypeError(f"Argument `producer_op_list` must be an OpList proto. Obtained {producer_op_list!r}")
    producer = OpList.FromString(producer_op_list.SerializeToString())
    defaults = {
        op.name: {a.name: a.default_value for a in op.attr if a.HasField("default_value")} for op in producer.op
    }
    for node in graph_def.node:
        known = defaults.get(node.op)
        if known and opdefs.find(node.op) is not None:
            ours = opdefs.signature(node.op).attrs
            for key in list(node.attr):
                if key not in ours and key in known and node.attr[key] == known[key]:
                    del node.attr[key]


def parse_tensor_name(name: str) -> tuple[str, int]:
    """Return (node name, output index) of `A` or `A:0`. Raises: ValueError in TensorFlow's words."""
    parts = name.split(":")
    if len(parts) > 2:
        raise ValueError(
            f"Cannot convert '{name}' to a tensor name. Tensor names should not contain more than 1 `:`. "
            f"Obtained {len(parts) - 1}"
        )
    if len(parts) == 1:
        return name, 0
    try:
        return parts[0], int(parts[1])
    except ValueError:
        raise ValueError(
            f"Cannot convert {name!r} to a tensor name. Second component of the name following the `:` should be an "
            f"int. Got {parts[1]}."
        ) from None
