"""Older forms of convolutions, pooling and parsing: what newer forms take as attrs or tensors is written out."""

from __future__ import annotations

import numpy as np

from icefloe.datatypes import as_dtype
from icefloe.proto import NodeDef
from icefloe.transforms.bodies import Body
from icefloe.transforms.node_edits import attr_of, data_inputs
from icefloe.transforms.older_ops import rule

_INT32 = 3


def _pads(node: NodeDef) -> np.ndarray | None:
    """Return the explicit paddings of a node, before and after each dimension."""
    given = attr_of(node, "explicit_paddings").list.i
    return np.array(given, np.int32).reshape(-1, 2) if given and len(given) % 2 == 0 else None


@rule("Conv2D", "DepthwiseConv2dNative")
def explicit_paddings(body: Body, node: NodeDef) -> str:
    """Explicit paddings are a Pad before."""
    pads = _pads(node)
    if attr_of(node, "padding").s != b"EXPLICIT" or pads is None:
        return ""
    image, weights = data_inputs(node)
    paddings = body.add_constant(node, "paddings", pads)
    dtype = attr_of(node, "T").type
    padded = body.add("Pad", node, "Pad", [image, paddings], T=dtype, Tpaddings=_INT32)
    names = [n for n in ("T", "strides", "use_cudnn_on_gpu", "data_format", "dilations") if n in node.attr]
    body.become(
        node, node.op, [body.tensor(padded), weights], padding="VALID", **{name: node.attr[name] for name in names}
    )
    return ""


@rule("MaxPool")
def max_pool(body: Body, node: NodeDef) -> str:
    """Explicit paddings are a PadV2 of the least number before."""
    pads = _pads(node)
    dtype = as_dtype(attr_of(node, "T").type)
    if attr_of(node, "padding").s != b"EXPLICIT" or pads is None or not dtype.is_floating:
        return "its explicit paddings have no older form"
    (image,) = data_inputs(node)
    least = body.add_constant(node, "least", np.array(-np.inf, dtype.as_numpy_dtype))
    paddings = body.add_constant(node, "paddings", pads)
    number = int(dtype.as_datatype_enum)
    padded = body.add("PadV2", node, "Pad", [image, paddings, least], T=number, Tpaddings=_INT32)
    names = [n for n in ("T", "strides", "ksize", "data_format") if n in node.attr]
    body.become(node, "MaxPool", [body.tensor(padded)], padding="VALID", **{name: node.attr[name] for name in names})
    return ""


@rule("MaxPoolV2")
def max_pool_v2(body: Body, node: NodeDef) -> str:
    """With constant sizes it is MaxPool."""
    image, *sizes = data_inputs(node)
    values = [body.constant(text) for text in sizes]
    if any(value is None for value in values):
        return "its sizes are no constants"
    ksize, strides = ([int(n) for n in value] for value in values if value is not None)
    names = ("T", "padding", "data_format")
    kept = {name: attr_of(node, name) for name in names}
    body.become(node, "MaxPool", [image], ksize=ksize, strides=strides, **kept)
    return ""


@rule("ParseExampleV2")
def parse_example_v2(body: Body, node: NodeDef) -> str:
    """Without ragged features, and with constant keys, it is ParseExample."""
    serialized, names, sparse, dense, ragged, *defaults = data_inputs(node)
    keys = [body.constant(text) for text in (sparse, dense, ragged)]
    if any(k is None for k in keys) or keys[2] is None or keys[2].size:
        return "it gives ragged tensors, or its keys are no constants"
    shape = body.shape(serialized)
    if shape is None or len(shape) != 1:
        return "what it parses is not known to be a vector"
    inputs = [serialized, names]
    for kind, found in (("sparse", keys[0]), ("dense", keys[1])):
        for i, key in enumerate(() if found is None else found.reshape(-1).tolist()):
            inputs.append(body.add_constant(node, f"{kind}_key_{i}", np.array(key, object)))
    kept = {name: node.attr[name] for name in ("sparse_types", "Tdense", "dense_shapes") if name in node.attr}
    counts = {"Nsparse": 0 if keys[0] is None else keys[0].size, "Ndense": 0 if keys[1] is None else keys[1].size}
    body.become(node, "ParseExample", [*inputs, *defaults], **counts, **kept)
    return ""
