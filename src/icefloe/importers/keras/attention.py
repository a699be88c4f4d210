"""Attention: of queries to keys, by dot products, by sums, by several heads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.math_matrix import einsum
from icefloe.lib.math_reduce import reduce_sum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _attended(c: LayerContext, scores: Tensor, value: Tensor, *, causal: bool) -> Tensor:
    """Return the values [n, m, d] mixed by the softmax of scores [n, k, m], as far as masks let them be seen."""
    query_mask, value_mask = _masks_of(c)
    if value_mask is not None:
        scores = _hidden(scores, _op("ExpandDims", value_mask, 1))
    if causal:
        ones = _op("OnesLike", scores)
        seen = _op("MatrixBandPart", ones, -1, 0)
        scores = scores - 1e9 * (1.0 - seen)
    mixed = _op("BatchMatMulV2", _op("Softmax", scores), value)
    if query_mask is not None:
        mixed = mixed * _op("ExpandDims", _op("Cast", query_mask, DstT=mixed.dtype), -1)
        c.out_mask = query_mask
    return mixed


def _hidden(scores: Tensor, seen: Tensor) -> Tensor:
    """Return scores that are so low that the softmax gives nothing, where `seen` is false."""
    return scores - 1e9 * (1.0 - _op("Cast", seen, DstT=scores.dtype))


def _masks_of(c: LayerContext) -> tuple[Tensor | None, Tensor | None]:
    """Return which queries and which values count: the masks of the call, else those of the inputs."""
    given = c.kwargs.get("mask")
    masks = list(given) if isinstance(given, (list, tuple)) else list(c.masks)
    masks += [None] * (2 - len(masks))
    return masks[0], masks[1]


def _parts(c: LayerContext, inputs: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, Tensor, bool]:
    """Return query, value, key and whether a query sees only what is before it."""
    query, value, *key = inputs
    causal = bool(c.get("causal", False)) or bool(c.kwargs.get("use_causal_mask", False))
    return query, value, key[0] if key else value, causal


@layer("Attention")
def attention(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Mix values by the dot products of queries and keys."""
    query, value, key, causal = _parts(c, inputs)
    mode = c.get("score_mode", "dot")
    if mode == "concat":
        (weight,) = c.weights.take(1) if not c.get("use_scale", False) else c.weights.take(2)[-1:]
        scores = c.weight(np.asarray(weight), "concat_score_weight") * _sums(query, key)
    else:
        scores = _op("BatchMatMulV2", query, key, adj_y=True)
        if c.get("use_scale", False):
            scores = scores * c.weight(c.weights.take(1)[0], "scale")
    return _attended(c, scores, value, causal=causal)


def _sums(query: Tensor, key: Tensor) -> Tensor:
    """Return the sum of tanh(query + key) for each pair."""
    pairs = _op("ExpandDims", query, 2) + _op("ExpandDims", key, 1)
    return reduce_sum(_op("Tanh", pairs), -1)


@layer("AdditiveAttention")
def additive_attention(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Mix values by sums of queries and keys."""
    query, value, key, causal = _parts(c, inputs)
    pairs = _op("Tanh", _op("ExpandDims", query, 2) + _op("ExpandDims", key, 1))
    if c.get("use_scale", True):
        pairs = pairs * c.weight(c.weights.take(1)[0], "scale")
    return _attended(c, reduce_sum(pairs, -1), value, causal=causal)


def _seen_by_heads(c: LayerContext) -> list[Tensor]:
    """Return what masks let heads see, each for [batch, heads, queries, keys]."""
    found = []
    query_mask, value_mask = _masks_of(c)
    if query_mask is not None:
        found.append(_op("ExpandDims", _op("ExpandDims", query_mask, 1), -1))
        c.out_mask = query_mask
    of_keys = [mask for mask in (value_mask, c.kwargs.get("key_mask")) if isinstance(mask, Tensor)]
    found += [_op("ExpandDims", _op("ExpandDims", mask, 1), 1) for mask in of_keys]
    mask = c.kwargs.get("attention_mask")
    if isinstance(mask, Tensor):
        found.append(_op("ExpandDims", mask, 1) if mask.shape.rank == 3 else mask)
    return found


@layer("MultiHeadAttention")
def multi_head_attention(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Mix values by several heads, each with projections of its own; inputs are [batch, steps, features]."""
    given = {"query": inputs[0], "value": inputs[1] if len(inputs) > 1 else c.kwargs.get("value", inputs[0])}
    given["key"] = inputs[2] if len(inputs) > 2 else c.kwargs.get("key") or given["value"]
    axes = c.get("attention_axes")
    if axes not in (None, [1], (1,)):
        raise c.refuse(f"attention_axes {axes}")
    count = 2 if c.get("use_bias", True) else 1

    def projection(word: str) -> list[np.ndarray]:
        found = c.weights.having(word) if len(c.weights.having(word)) else c.weights.part(f"{word}_dense")
        if not len(found):
            found = c.weights.having(f"{word}_dense")
        return found.take(count)

    made: dict[str, Tensor] = {}
    for word in ("query", "key", "value"):
        kernel, *bias = projection(word)
        y = einsum("abc,cde->abde", given[word], c.weight(kernel, f"{word}/kernel"))
        made[word] = y + c.weight(bias[0], f"{word}/bias") if bias else y
    size = float(c.get("key_dim"))
    query = made["query"] * np.float32(1.0 / math.sqrt(size))
    scores = einsum("aecd,abcd->acbe", made["key"], query)
    for seen in _seen_by_heads(c):
        scores = _hidden(scores, seen)
    if c.kwargs.get("use_causal_mask"):
        seen = _op("MatrixBandPart", _op("OnesLike", scores), -1, 0)
        scores = scores - 1e9 * (1.0 - seen)
    mixed = einsum("acbe,aecd->abcd", _op("Softmax", scores), made["value"])
    word = "output" if len(c.weights.having("output")) or len(c.weights.having("output_dense")) else "attention_output"
    kernel, *bias = projection(word)
    y = einsum("abcd,cde->abe", mixed, c.weight(kernel, "output/kernel"))
    return y + c.weight(bias[0], "output/bias") if bias else y
