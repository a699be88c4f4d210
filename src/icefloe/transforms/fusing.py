"""Several ops made one: a normalisation written out op by op, an image resized or padded before a convolution.

Source: tensorflow/python/tools/optimize_for_inference_lib.py (which forms are known, and what they become).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import NodeDef
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, data_inputs, node_of, set_inputs
from icefloe.transforms.reports import PassReport

_ADDS = ("Add", "AddV2")
_LAYERS = frozenset(("Conv2D", "DepthwiseConv2dNative"))
_PARTS = frozenset(("Add", "AddV2", "Mul", "Sub", "Rsqrt", "Const"))


@dataclass(frozen=True, slots=True)
class _Normalisation:
    source: str
    gamma: str | None
    beta: str
    mean: str
    variance: str
    epsilon: float


def fuse_batch_norms(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Make a FusedBatchNorm of a normalisation that is written out.

        x * m + (beta - mean * m),   m = rsqrt(variance + epsilon) [* gamma]

    after a convolution with channels last, all numbers constants.
    """
    fused = 0
    before = len(nodes)
    for node in nodes:
        found = _normalisation(nodes, node) if node.op in _ADDS else None
        if found is None:
            continue
        gamma = found.gamma
        if gamma is None:
            ones = np.ones_like(_value(nodes, found.variance))
            gamma = nodes.add(constant_node(nodes.unique(f"{node.name}/gamma"), ones)).name
        dtype = attr_of(node, "T").type
        node.op = "FusedBatchNorm"
        node.ClearField("attr")
        node.attr["T"].type = dtype
        node.attr["epsilon"].f = found.epsilon
        node.attr["is_training"].b = False
        node.attr["data_format"].s = b"NHWC"
        set_inputs(node, [found.source, gamma, found.beta, found.mean, found.variance])
        fused += 1
    if fused:
        _drop_idle(nodes, outputs)
    return PassReport("fuse batch normalisations", removed=before - len(nodes), changed=fused)


def _drop_idle(nodes: Nodes, outputs: set[str]) -> None:
    """Take arithmetic and constants out that nobody uses any more."""
    while True:
        users = nodes.consumers()
        idle = [n.name for n in nodes if n.op in _PARTS and n.name not in outputs and not users.get(n.name)]
        if not nodes.remove(idle):
            return


def _value(nodes: Nodes, text: str) -> np.ndarray:
    return make_ndarray(attr_of(nodes[node_of(text)], "value").tensor)


def _is_constant(nodes: Nodes, text: str) -> bool:
    return nodes[node_of(text)].op == "Const"


def _normalisation(nodes: Nodes, root: NodeDef) -> _Normalisation | None:
    inputs = data_inputs(root)
    for left, right in (inputs, inputs[::-1]):
        product, shift = nodes[node_of(left)], nodes[node_of(right)]
        if product.op != "Mul" or shift.op != "Sub":
            continue
        layer, factor = product.input[0], product.input[1]
        if nodes[node_of(layer)].op not in _LAYERS:
            layer, factor = factor, layer
        source = nodes[node_of(layer)]
        beta, moved = shift.input[0], nodes[node_of(shift.input[1])]
        channels_last = attr_of(source, "data_format").s in (b"", b"NHWC")
        if source.op not in _LAYERS or not channels_last or moved.op != "Mul" or not _is_constant(nodes, beta):
            continue
        others = [text for text in data_inputs(moved) if text != factor]
        if len(others) != 1 or factor not in moved.input or not _is_constant(nodes, others[0]):
            continue
        scaled = _factor(nodes, factor)
        if scaled is None:
            continue
        variance, epsilon, gamma = scaled
        return _Normalisation(layer, gamma, beta, others[0], variance, epsilon)
    return None


def _factor(nodes: Nodes, text: str) -> tuple[str, float, str | None] | None:
    """Return variance, epsilon and gamma of `rsqrt(variance + epsilon) [* gamma]`."""
    node = nodes[node_of(text)]
    gamma = None
    if node.op == "Mul":
        constants = [t for t in data_inputs(node) if _is_constant(nodes, t)]
        if len(constants) != 1:
            return None
        gamma = constants[0]
        node = nodes[node_of(next(t for t in data_inputs(node) if t != gamma))]
    total = nodes[node_of(node.input[0])] if node.op == "Rsqrt" else None
    if total is None or total.op not in _ADDS or not all(_is_constant(nodes, t) for t in data_inputs(total)):
        return None
    values = {t: _value(nodes, t) for t in data_inputs(total)}
    epsilon = next((t for t, v in values.items() if v.size == 1), None)
    variance = next((t for t in values if t != epsilon), None)
    if epsilon is None or variance is None:
        return None
    return variance, float(values[epsilon].reshape(-1)[0]), gamma


def fuse_resize_and_convolution(nodes: Nodes, outputs: set[str]) -> PassReport:
    """Make one op of a convolution and the ResizeBilinear or MirrorPad before it.

    FusedResizeAndPadConv2D or FusedPadConv2D: they never hold the larger image. Channels must be last, and nothing else
    may use the image.
    """
    fused = 0
    users = nodes.consumers()

    def alone(name: str) -> bool:
        return len(users.get(name, ())) == 1 and name not in outputs and not control_inputs(nodes[name])

    gone: list[str] = []
    for node in nodes:
        if (
            node.op != "Conv2D"
            or attr_of(node, "data_format").s not in (b"", b"NHWC")
            or attr_of(node, "explicit_paddings").list.i
        ):
            continue
        if any(n != 1 for n in attr_of(node, "dilations").list.i):
            continue
        image, weights = node.input[0], node.input[1]
        pad = nodes[node_of(image)] if nodes[node_of(image)].op == "MirrorPad" and alone(node_of(image)) else None
        image = pad.input[0] if pad is not None else image
        found = nodes[node_of(image)]
        resize = found if found.op == "ResizeBilinear" and alone(found.name) else None
        if resize is not None and attr_of(resize, "half_pixel_centers").b:
            resize = None
        if pad is None and resize is None:
            continue
        image = resize.input[0] if resize is not None else image
        if pad is None:
            zeros = constant_node(nodes.unique(f"{node.name}/no_padding"), np.zeros((4, 2), np.int32))
            paddings, mode = nodes.add(zeros).name, b"REFLECT"
        else:
            paddings, mode = pad.input[1], attr_of(pad, "mode").s
            gone.append(pad.name)
        strides, padding, dtype = (
            list(attr_of(node, "strides").list.i),
            attr_of(node, "padding").s,
            attr_of(node, "T").type,
        )
        node.ClearField("attr")
        node.attr["T"].type = dtype
        node.attr["mode"].s = mode
        node.attr["strides"].list.i.extend(strides)
        node.attr["padding"].s = padding
        if resize is None:
            node.op = "FusedPadConv2D"
            set_inputs(node, [image, paddings, weights, *("^" + n for n in control_inputs(node))])
        else:
            node.op = "FusedResizeAndPadConv2D"
            node.attr["resize_align_corners"].b = resize.attr["align_corners"].b
            gone.append(resize.name)
            set_inputs(node, [image, resize.input[1], paddings, weights, *("^" + n for n in control_inputs(node))])
        fused += 1
    return PassReport("fuse resizing and convolution", removed=nodes.remove(gone), changed=fused)
