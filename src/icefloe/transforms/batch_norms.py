"""Batch normalisation folded into the layer before it.

    y = gamma * (conv(x, w) - mean) / sqrt(variance + epsilon) + beta
      = conv(x, w * s) + (beta - mean * s),   s = gamma / sqrt(variance + epsilon)

The layer's weights and all of the normalisation's numbers must be constants, and nothing else may use the layer. A
multiplication or division by a constant per channel is folded in the same way, so that normalisations written out op by
op are folded too, once constants are.
"""

from __future__ import annotations

import numpy as np

from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import NodeDef
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, data_inputs, node_of, set_inputs
from icefloe.transforms.reports import PassReport

_FUSED = frozenset(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"))
_GLOBAL = "BatchNormWithGlobalNormalization"
_LAYERS = frozenset(("Conv2D", "DepthwiseConv2dNative", "MatMul", "Conv3D"))


def fold_batch_norms(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Fold normalisations and constant factors into the layers before them; `nodes` is changed.

    outputs: names of nodes that are used from outside: a layer among them is left as it is.
    """
    users = nodes.consumers()
    folded = 0
    for node in nodes:
        scale_shift = _numbers(nodes, node)
        if scale_shift is None:
            continue
        scale, shift, source = scale_shift
        layer = nodes[node_of(source)]
        alone = len(users.get(layer.name, ())) == 1 and layer.name not in outputs and source in (layer.name,)
        others = [u for u in users.get(node.name, ()) for t in u.input if t.startswith(f"{node.name}:")]
        if not alone or layer.op not in _LAYERS or others or control_inputs(node):
            continue
        if _fold(nodes, node, layer, scale, shift):
            folded += 1
            users = nodes.consumers()
    return PassReport("fold batch normalisations", removed=folded, changed=folded)


def _constant(nodes: Nodes, text: str) -> np.ndarray | None:
    node = nodes[node_of(text)]
    while node.op == "Identity" and not control_inputs(node):
        node = nodes[node_of(node.input[0])]
    return make_ndarray(attr_of(node, "value").tensor) if node.op == "Const" else None


def _numbers(nodes: Nodes, node: NodeDef) -> tuple[np.ndarray, np.ndarray | None, str] | None:
    """Return the factor per channel that a node multiplies by, what it adds (None: nothing), and the layer's tensor."""
    inputs = data_inputs(node)
    if node.op in _FUSED and not attr_of(node, "is_training").b:
        values = [_constant(nodes, text) for text in inputs[1:5]]
        if any(v is None for v in values):
            return None
        gamma, beta, mean, variance = (v.astype(np.float64) for v in values if v is not None)
        epsilon = attr_of(node, "epsilon").f
        scale = gamma / np.sqrt(variance + epsilon)
        return scale, beta - mean * scale, inputs[0]
    if node.op == _GLOBAL:
        values = [_constant(nodes, text) for text in inputs[1:5]]
        if any(v is None for v in values):
            return None
        mean, variance, beta, gamma = (v.astype(np.float64) for v in values if v is not None)
        scale = 1.0 / np.sqrt(variance + attr_of(node, "variance_epsilon").f)
        if attr_of(node, "scale_after_normalization").b:
            scale = scale * gamma
        return scale, beta - mean * scale, inputs[0]
    if node.op in ("Mul", "RealDiv") and len(inputs) == 2:
        pairs = [(inputs[0], inputs[1]), (inputs[1], inputs[0])] if node.op == "Mul" else [(inputs[0], inputs[1])]
        for source, other in pairs:
            factor = _constant(nodes, other)
            if factor is not None and factor.dtype.kind == "f" and nodes[node_of(source)].op in _LAYERS:
                scale = factor.astype(np.float64)
                return (scale if node.op == "Mul" else 1.0 / scale), None, source
    return None


def _fold(nodes: Nodes, node: NodeDef, layer: NodeDef, scale: np.ndarray, shift: np.ndarray | None) -> bool:
    """Scale the weights of a layer, and make the node after it add the shift; return whether that can be done."""
    weights = _constant(nodes, layer.input[1])
    if weights is None or weights.dtype not in (np.float32, np.float64, np.float16):
        return False
    data_format = (attr_of(node, "data_format").s or attr_of(layer, "data_format").s or b"NHWC").decode()
    if attr_of(layer, "data_format").s and attr_of(layer, "data_format").s.decode() != data_format:
        return False
    channels_last = data_format in ("NHWC", "NDHWC") or layer.op == "MatMul"
    channels = _channels(layer, weights)
    per_channel = _per_channel(scale, channels, channels_last, is_batch_norm=shift is not None)
    if per_channel is None:
        return False
    scaled = weights.astype(np.float64) * _as_weights(layer, weights, per_channel)
    new = nodes.add(constant_node(nodes.unique(f"{layer.name}/folded_weights"), scaled.astype(weights.dtype)))
    set_inputs(layer, [layer.input[0], new.name, *layer.input[2:]])
    device, name, dtype = node.device, node.name, attr_of(layer, "T").type
    node.ClearField("attr")
    node.attr["T"].type = dtype
    if shift is None:
        node.op = "Identity"
        set_inputs(node, [layer.name])
    else:
        bias = nodes.add(constant_node(nodes.unique(f"{name}/folded_bias"), shift.astype(weights.dtype)))
        node.op = "BiasAdd"
        if not channels_last:
            node.attr["data_format"].s = b"NCHW"
        set_inputs(node, [layer.name, bias.name])
    node.device = device
    return True


def _channels(layer: NodeDef, weights: np.ndarray) -> int:
    if layer.op == "DepthwiseConv2dNative":
        return int(weights.shape[2] * weights.shape[3])
    if layer.op == "MatMul" and attr_of(layer, "transpose_b").b:
        return int(weights.shape[0])
    return int(weights.shape[-1])


def _per_channel(scale: np.ndarray, channels: int, channels_last: bool, *, is_batch_norm: bool) -> np.ndarray | None:
    """Return a factor as one number per channel; None where it varies along something else."""
    if is_batch_norm:
        return scale if scale.shape == (channels,) else None
    if scale.size == 1:
        return np.broadcast_to(scale.reshape(()), (channels,))
    if channels_last and scale.shape[-1] == channels and scale.size == channels:
        return scale.reshape(channels)
    if not channels_last and scale.ndim >= 3 and scale.shape[-3] == channels and scale.size == channels:
        return scale.reshape(channels)
    return None


def _as_weights(layer: NodeDef, weights: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return a factor per output channel in the shape that multiplies the weights."""
    if layer.op == "DepthwiseConv2dNative":
        return scale.reshape(weights.shape[2:])
    if layer.op == "MatMul" and attr_of(layer, "transpose_b").b:
        return scale.reshape(-1, 1)
    return scale
