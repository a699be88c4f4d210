"""A pass over bound steps: a product or convolution takes over what is done to its outcome alone.

    Conv2D, DepthwiseConv2dNative, MatMul      with a constant filter or second matrix
        BiasAdd, Add, AddV2, Sub, Mul          with constants, one for each channel
        FusedBatchNorm, V2, V3                 in inference, with constant statistics
        Relu, Relu6, Tanh                      at the end

Where the filter or the bias is no constant, as in training, a bias and an activation alone are taken over.

Factors go into the filter, once; the bias and the activation are applied block by block. A convolution also takes over
the zeros that a Pad before it puts around images. Only values that one step reads, and no fetch, disappear; what is
watched or traced runs unfused, so the last digits of a fetch may differ between the two, as in TensorFlow.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from icefloe.graph.operation import Operation
from icefloe.machine import products
from icefloe.ops.nn.finishing import ACTIVATIONS, finishing
from icefloe.runtime.bind import Binding, flat_call
from icefloe.runtime.optimize import Draft
from icefloe.runtime.steps import Step

# The modules of convolutions are imported where there is one: a graph of products starts without them.
Array: TypeAlias = np.ndarray[Any, Any]

CONVOLUTIONS = frozenset(("Conv2D", "DepthwiseConv2dNative"))
HEADS = CONVOLUTIONS | {"MatMul"}
_NORMS = frozenset(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"))
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_SUMS = frozenset(("BiasAdd", "BiasAddV1", "Add", "AddV2", "Sub"))


@dataclass(frozen=True, slots=True)
class _Affine:
    """What is done to each channel, x * factor + shift, and then the activation; None for nothing."""

    factor: Array | None = None
    shift: Array | None = None
    activation: str | None = None

    def scaled(self, by: Array) -> _Affine:
        factor = by if self.factor is None else self.factor * by
        return _Affine(factor, None if self.shift is None else self.shift * by)

    def shifted(self, by: Array) -> _Affine:
        return _Affine(self.factor, by if self.shift is None else self.shift + by)


def fuse(draft: Draft) -> Draft:
    """Return the draft with chains of steps made into one."""
    return _Fusing(draft).run()


class _Fusing:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.uses = Counter(slot for step in draft.steps for slot in step.inputs)
        self.uses.update(draft.fetches)
        self.reader = {slot: position for position, step in enumerate(draft.steps) for slot in step.inputs}
        self.maker = {slot: position for position, step in enumerate(draft.steps) for slot in step.outputs}

    def run(self) -> Draft:
        steps: list[Step | None] = list(self.draft.steps)
        bindings = list(self.draft.bindings)
        for position, step in enumerate(self.draft.steps):
            if step.node.type not in HEADS or not self._is_plain(position, may_read=True):
                continue
            weights = self.draft.constants.get(step.inputs[1])
            if not isinstance(weights, np.ndarray) or weights.dtype not in _FLOATS or not self._is_plain(position):
                self._take_variable_bias(position, steps, bindings)
                continue
            affine, chain = self._chain(position, _channels(step.node, weights))
            before = self._padding(position)
            if not chain and before is None:
                self._take_variable_bias(position, steps, bindings)
                continue
            paddings = None if before is None else self.draft.constants[self.draft.steps[before].inputs[1]]
            function = _fused(step.node, weights, affine, paddings, bindings[position])
            if function is None:
                continue
            for gone in (*chain, *(() if before is None else (before,))):
                steps[gone] = None
            source = step.inputs[0] if before is None else self.draft.steps[before].inputs[0]
            last = self.draft.steps[chain[-1]] if chain else step
            steps[position] = replace(step, inputs=(source,), outputs=last.outputs[:1])
            bindings[position] = Binding(function, (0,), is_pure=True)
        kept = [(step, binding) for step, binding in zip(steps, bindings) if step is not None]
        return replace(self.draft, steps=tuple([k[0] for k in kept]), bindings=tuple([k[1] for k in kept]))

    def _take_variable_bias(self, position: int, steps: list[Step | None], bindings: list[Binding]) -> None:
        """Let the convolution or product at `position` take over the bias and the activation that follow, if any."""
        head = self.draft.steps[position]
        at = self._sole_reader(position)
        if at is None or head.node.type == "DepthwiseConv2dNative":
            return
        bias_step, slot = self.draft.steps[at], head.outputs[0]
        kind, where = bias_step.node.type, bias_step.inputs.index(slot)
        if kind not in ("BiasAdd", "BiasAddV1", "Add", "AddV2") or bias_step.node.inputs[1 - where].shape.rank != 1:
            return
        if kind == "BiasAdd" and bias_step.node.kernel_attr("data_format") != "NHWC":
            return
        chain = [position, at]
        last = self._sole_reader(at)
        if last is not None and self.draft.steps[last].node.type in ACTIVATIONS:
            chain.append(last)
        activation = self.draft.steps[chain[2]].node.type if len(chain) == 3 else None
        reads = set(bindings[position].reads)
        reads.update({2} if 1 - where in bindings[at].reads else ())
        if reads and not all(
            self.draft.bindings[i].is_pure or self.draft.steps[i].node.type == "Identity"
            for i in range(position, chain[-1])
        ):
            return  # a variable that one of them reads may be written to in between
        function = _with_bias(head.node, activation, [bindings[i] for i in chain], where)
        if function is None:
            return
        for gone in chain:
            steps[gone] = None
        # Where the last of them was: the bias may be read later than the filter.
        end = self.draft.steps[chain[-1]]
        steps[chain[-1]] = replace(
            end, node=head.node, inputs=(*head.inputs, bias_step.inputs[1 - where]), outputs=end.outputs
        )
        bindings[chain[-1]] = Binding(function, (0, 1, 2), frozenset(reads), is_pure=True)

    def _sole_reader(self, position: int) -> int | None:
        """Return where the one step is that alone reads what the one at `position` makes, if it is plain."""
        made = self.draft.steps[position].outputs
        if len(made) != 1 or self.uses[made[0]] != 1 or made[0] not in self.reader:
            return None
        at = self.reader[made[0]]
        return at if self._is_plain(at, may_read=True) else None

    def _is_plain(self, position: int, *, may_read: bool = False) -> bool:
        """Whether a step can be taken over. may_read: even if it takes what a variable holds when it runs."""
        step, binding = self.draft.steps[position], self.draft.bindings[position]
        if binding.reads and not may_read:
            return False
        return not (step.is_guarded or step.loop or binding.per_run or binding.waits or binding.blocks)

    def _chain(self, position: int, channels: int) -> tuple[_Affine, list[int]]:
        """Return what the steps after the one at `position` do, and where they are."""
        affine, chain = _Affine(), []
        while affine.activation is None:
            made = self.draft.steps[position].outputs
            if self.uses[made[0]] != 1 or made[0] not in self.reader or any(self.uses[slot] for slot in made[1:]):
                break
            position = self.reader[made[0]]
            longer = self._with(affine, position, made[0], channels) if self._is_plain(position) else None
            if longer is None:
                break
            affine = longer
            chain.append(position)
        return affine, chain

    def _with(self, affine: _Affine, position: int, slot: int, channels: int) -> _Affine | None:
        """Return `affine` and then the step at `position`, which reads `slot`; None if that cannot be said so."""
        step = self.draft.steps[position]
        kind = step.node.type
        if kind in ACTIVATIONS:
            return replace(affine, activation=kind)
        if kind in _NORMS:
            return self._normalized(affine, step, slot, channels)
        if kind not in _SUMS and kind != "Mul":
            return None
        at = step.inputs.index(slot)
        if at and kind not in ("Add", "AddV2", "Mul"):
            return None
        if kind == "BiasAdd" and step.node.kernel_attr("data_format") != "NHWC":
            return None
        other = self._vector(step.inputs[1 - at], channels, strict=kind.startswith("BiasAdd"))
        if other is None:
            return None
        if kind == "Mul":
            return affine.scaled(other)
        return affine.shifted(-other if kind == "Sub" else other)

    def _normalized(self, affine: _Affine, step: Step, slot: int, channels: int) -> _Affine | None:
        attr = step.node.kernel_attr
        if step.inputs[0] != slot or attr("is_training") or attr("data_format") != "NHWC":
            return None
        given = [self._vector(s, channels, strict=True) for s in step.inputs[1:5]]
        if any(v is None for v in given):
            return None
        scale, offset, mean, variance = given
        factor = scale / np.sqrt(variance + attr("epsilon"))
        return affine.scaled(factor).shifted(offset - mean * factor)

    def _vector(self, slot: int, channels: int, *, strict: bool) -> Array | None:
        """Return the constant in `slot` as a number for each channel, in float64; None if it is not that."""
        value = self.draft.constants.get(slot)
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not np.isfinite(value).all():
            return None
        if value.shape == (channels,) or (not strict and value.ndim <= 1 and value.size == 1):
            return np.broadcast_to(value, (channels,)).astype(np.float64)
        return None

    def _padding(self, position: int) -> int | None:
        """Return where the Pad is whose zeros the convolution at `position` can take over; None if there is none."""
        node = self.draft.steps[position].node
        slot = self.draft.steps[position].inputs[0]
        before = self.maker.get(slot)
        if before is None or self.uses[slot] != 1 or not self._is_plain(before) or node.type not in CONVOLUTIONS:
            return None
        step = self.draft.steps[before]
        if step.node.type != "Pad" or node.kernel_attr("padding") != "VALID":
            return None
        paddings = self.draft.constants.get(step.inputs[1])
        if paddings is None or np.shape(paddings) != (4, 2) or paddings.min() < 0 or paddings[[0, 3]].any():
            return None
        if step.node.inputs[0].shape.rank != 4 or node.kernel_attr("data_format") != "NHWC":
            return None
        return before


def _channels(node: Operation, weights: Array) -> int:
    if node.type == "MatMul":
        return weights.shape[0 if node.kernel_attr("transpose_b") else 1] if weights.ndim == 2 else 0
    return weights.shape[2] * weights.shape[3] if node.type.startswith("Depthwise") else weights.shape[-1]


def _fused(
    node: Operation, weights: Array, affine: _Affine, paddings: Array | None, binding: Binding
) -> Callable[[Any], Any] | None:
    """Return the function of the one input that is left, or None where the head is of no kind that fuses."""
    if node.type == "MatMul":
        return _fused_product(node, weights, affine, binding)
    from icefloe.ops.nn import convolution, depthwise
    from icefloe.ops.nn.convolution_geometry import Geometry

    attr = node.kernel_attr
    if weights.ndim != 4 or attr("data_format") != "NHWC":
        return None
    padding, explicit = attr("padding"), attr("explicit_paddings")
    if paddings is not None:
        padding, explicit = "EXPLICIT", tuple(paddings.ravel().tolist())
    geometry = Geometry(node.type, 4, attr("strides"), padding, explicit, "NHWC", attr("dilations"))
    filters = weights
    if affine.factor is not None:
        shape = weights.shape[2:] if node.type.startswith("Depthwise") else weights.shape[-1:]
        filters = (weights * affine.factor.reshape(shape)).astype(weights.dtype)
    finish = _finish(affine, weights.dtype)
    if node.type == "Conv2D":
        run = convolution.forward(geometry, grouped=True, finish=finish)
    else:
        run = depthwise.forward(geometry, finish=finish)
    return lambda x: run(x, filters)


def _finish(affine: _Affine, dtype: np.dtype[Any]) -> products.Finish | None:
    if affine.shift is None and affine.activation is None:
        return None
    return finishing(None if affine.shift is None else affine.shift.astype(dtype), affine.activation)


def _fused_product(node: Operation, weights: Array, affine: _Affine, binding: Binding) -> Callable[[Any], Any] | None:
    attr = node.kernel_attr
    if weights.ndim != 2 or attr("transpose_a"):
        return None
    b = weights.T if attr("transpose_b") else weights
    if affine.factor is not None:
        b = b * affine.factor
    b = np.ascontiguousarray(b, weights.dtype)
    finish = _finish(affine, weights.dtype)
    if finish is None:
        return None
    inner, columns = b.shape
    bias = None if affine.shift is None else affine.shift.astype(weights.dtype)
    activate = None if affine.activation is None else ACTIVATIONS[affine.activation]
    plain = binding.function

    def run(a: Any) -> Any:
        if a.ndim != 2 or a.shape[1] != inner:
            return plain(a, weights)  # which raises
        if len(a) * b.size < products.LARGE:
            y = products.product(a, b)
            if bias is not None:
                y += bias
            if activate is not None:
                activate(y)
            return y
        y = np.empty((len(a), columns), a.dtype)
        products.matmul(a, b, y, finish)
        return y

    return run


def _with_bias(
    node: Operation, activation: str | None, bindings: list[Binding], where: int
) -> Callable[[Any, Any, Any], Any] | None:
    """Return the function of a head's two inputs and a bias; None for what cannot take one over.

    bindings: those of the head and what follows it. where: which input of the sum the head's outcome is.
    """
    head, add, *rest = [flat_call(binding) for binding in bindings]
    channels = -1
    convolve = None
    if node.type == "Conv2D":
        from icefloe.ops.nn import convolution
        from icefloe.ops.nn.convolution_geometry import Geometry

        attr = node.kernel_attr
        if attr("data_format") != "NHWC":
            return None
        geometry = Geometry(
            node.type, 4, attr("strides"), attr("padding"), attr("explicit_paddings"), "NHWC", attr("dilations")
        )
        convolve = functools.partial(convolution.forward, geometry, grouped=True)
    elif node.kernel_attr("transpose_b"):
        channels = 0

    def run(x: Any, w: Any, bias: Any) -> Any:
        if w.dtype in _FLOATS and bias.dtype == w.dtype and w.ndim >= 2 and bias.shape == (w.shape[channels],):
            finish = finishing(bias, activation)
            if convolve is not None:
                return convolve(finish=finish)(x, w)
            y = head(x, w)
            finish(y, slice(0, len(y)), slice(0, len(bias)))
            return y
        y = head(x, w)
        y = add(bias, y) if where else add(y, bias)
        return rest[0](y) if rest else y

    return run
